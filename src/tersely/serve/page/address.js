/** The address: settings after the hash, so that no server sees them, and on request the texts themselves, compressed. */

import { UNITS } from "./speech.js";

const MOST = 5_000_000; // characters of a text in a link
const MOST_PASTED = 200_000; // of one that is not compressed

/** Whatever settings in the address make sense. */
export function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const budget = Number(said.get("budget"));
  return {
    unit: UNITS.includes(said.get("unit")) ? said.get("unit") : undefined,
    budget: Number.isSafeInteger(budget) && budget > 0 ? budget : undefined,
    model: said.get("model") || undefined,
    language: said.get("language") || undefined,
    steady: said.has("steady") || undefined,
    packed: said.get("text") || undefined,
    pasted: said.get("paste")?.slice(0, MOST_PASTED) || undefined, // by the bookmarklet
    title: said.get("title")?.slice(0, 200) || "",
  };
}

export function writeAddress(settings) {
  history.replaceState(null, "", `#${query(settings)}`);
}

/** A link that carries the texts. */
export async function linkOf(settings, { documents, question, pins, second }) {
  const carried = { documents: documents.map(({ name, text, id, places, blocks }) => ({ id, name, text, places, blocks })), question, pins, second };
  return `${location.origin}${location.pathname}#${query(settings)}&text=${await pack(JSON.stringify(carried))}`;
}

/** A bookmark that opens this page with what is selected on another one; after the hash, where only this page reads it. */
export function bookmarklet() {
  const here = JSON.stringify(`${location.origin}${location.pathname}#title=`);
  return `javascript:void open(${here}+encodeURIComponent(document.title)+"&paste="+encodeURIComponent((String(getSelection())||document.body.innerText).slice(0,${MOST_PASTED})))`;
}

function query({ unit, budget, model, language, steady }) {
  const said = { unit, budget, ...(model && { model }), ...(language && { language }), ...(steady && { steady: 1 }) };
  return String(new URLSearchParams(said));
}

async function pack(text) {
  const squeezed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(squeezed).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What a link carries, or an error if it is damaged or far too long. */
export async function unpack(packed) {
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream());
  const reader = stream.getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > MOST) {
      reader.cancel();
      throw new RangeError("too long");
    }
  }
  return checked(JSON.parse(text));
}

/** Parts of a text from a link, if they are within it and in order; what else is in them, the server checks. */
function listed(parts, text) {
  let at = 0;
  const follows = ({ start, end } = {}) => at <= start && start < end && (at = end) <= String(text).length;
  return Array.isArray(parts) && parts.every((part) => follows(part ?? {})) ? parts : null;
}

function checked({ documents, question = "", pins = {}, second = null }) {
  const texts = documents.map(({ id, name, text, places, blocks }) => ({ id: String(id), name: String(name), text: String(text), places: listed(places, text) ?? [], blocks: listed(blocks, text) }));
  if (!texts.length) throw new RangeError("no text");
  const known = Object.entries(pins).filter(([, pin]) => pin === "in" || pin === "out");
  return { documents: texts, question: String(question), pins: Object.fromEntries(known), second: Number(second) || null };
}
