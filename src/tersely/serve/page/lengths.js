/** Lengths as the server counts them. */

const HAN = "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const WORDS = new RegExp(`[${HAN}]|(?:(?![${HAN}])\\S)*(?:(?![${HAN}])[\\p{L}\\p{N}])(?:(?![${HAN}])\\S)*`, "gu");
const UTF8 = new TextEncoder();

export const UNITS = { chars: "character", words: "word", sentences: "sentence", bytes: "byte" };

/** "1 word", "1,280 characters". */
export function amount(number, unit) {
  return `${grouped(number)} ${UNITS[unit]}${number === 1 ? "" : "s"}`;
}

export function grouped(number) {
  return number.toLocaleString("en");
}

/** The length of a text; characters are Unicode code points, and each Chinese character is a word. */
export function measure(text, unit) {
  if (unit === "chars") return codePoints(text);
  if (unit === "words") return text.match(WORDS)?.length ?? 0;
  if (unit === "bytes") return UTF8.encode(text).length;
  return text ? 1 : 0;
}

function codePoints(text) {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The JavaScript indices in `text` of ascending `offsets` in code points. */
export function placesOf(offsets, text) {
  const places = [];
  let point = 0;
  let place = 0;
  for (const offset of offsets) {
    for (; point < offset; point++) place += text.codePointAt(place) > 0xffff ? 2 : 1;
    places.push(place);
  }
  return places;
}
