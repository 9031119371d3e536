/** Lengths as the server counts them. */

const HAN = "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const DENSE = `${HAN}\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff\\uff66-\\uff9d`; // scripts without spaces, in which each character counts
// What Python calls white space, which is a little more than "\\s".
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const RUN = new RegExp(`[^${SPACE}]+`, "gu");
const CHARACTER = new RegExp(`[${DENSE}]`, "gu");
const BETWEEN = new RegExp(`[^${SPACE}${DENSE}]+`, "gu");
const LETTER = /[\p{L}\p{N}]/u;
const LETTER_OR_DENSE = new RegExp(`[\\p{L}\\p{N}${DENSE}]`, "u");
const UTF8 = new TextEncoder();

/** The length of a text; characters are Unicode code points, and each Chinese character is a word. */
export function measure(text, unit) {
  if (unit === "chars") return codePoints(text);
  if (unit === "words") return words(text);
  if (unit === "bytes") return UTF8.encode(text).length;
  if (unit === "tokens") return Math.ceil(UTF8.encode(text).length / 4); // about; only the server knows
  return text ? 1 : 0;
}

/** Words as `wc -w` counts them, and each Chinese or Japanese character. */
function words(text) {
  const runs = text.match(RUN) ?? [];
  const dense = text.match(CHARACTER)?.length ?? 0;
  if (!dense) return runs.length;
  const foreign = (text.match(BETWEEN) ?? []).filter((part) => LETTER.test(part)).length;
  return dense + foreign + runs.filter((run) => !LETTER_OR_DENSE.test(run)).length;
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
