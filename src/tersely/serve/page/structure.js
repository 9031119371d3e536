/** What a text is made of, for showing it as a document: paragraphs, headings, items, turns. It changes no sentence. */

import { placesOf } from "./lengths.js";

const LINE_END = /\r\n|[\n\r\v\f\x85\u2028\u2029]/; // office programs use several
const DENSE = /[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff65“”‘’—…]/u; // two of these have no space between them
const HEADING = /^(#{1,6})\s+(?=\S)/;
const BULLET = /^[-*+•·‣◦]\s+(?=\S)/u;
const NUMBER = /^\(?\d{1,3}[.)]\s+(?=\S)/;
const QUOTE = /^(?:>\s?)+/;
const RULE = /^(?:[-*_=~]\s*){3,}$/;
const FENCE = /^(?:```|~~~)/;
const STAMP = /^(?:\[[^\]\n]{1,40}\]|\d{1,4}[./-]\d{1,2}[./-]\d{1,4})/;
const SPEAKER = /^\p{Lu}[\p{L}\p{N} .'’-]{0,30}: \S/u;
const MARKDOWN = /^#{1,6} +\S|^```|\[[^\]\n]+\]\([^)\s]+\)|\*\*[^*\n]+\*\*/m;
const CLOSED = /[\p{P}]$/u;
const [NARROWEST, WIDEST] = [30, 140]; // columns of a text that is broken by hand
const FULL = 0.92; // of the width has a line that goes on
const TITLE = 80; // columns

/** The blocks of a text, in JavaScript's indices: those that came with it, or else by its lines. */
export function structureOf(each) {
  if (!known.has(each)) known.set(each, found(each));
  return known.get(each);
}

const known = new WeakMap();

function found({ text, blocks }) {
  if (!blocks?.length) return byLines(text);
  const places = placesOf(blocks.flatMap(({ start, end }) => [start, end]), text);
  return { markdown: false, blocks: spaced(text, blocks.map(({ kind, level = 0, speaker = "", label = 0 }, index) => ({ kind, level, speaker: label ? "" : speaker, from: places[2 * index], to: places[2 * index + 1] }))) };
}

function byLines(text) {
  const markdown = MARKDOWN.test(text);
  const lines = named(linesOf(text), markdown);
  const width = widthOf(lines);
  const blocks = [];
  lines.forEach((line, index) => {
    if (index && !line.apart && goesOn(lines[index - 1], line, width, markdown)) blocks.at(-1).to = line.to;
    else blocks.push({ ...line });
  });
  blocks.forEach((block, index) => {
    const next = blocks[index + 1];
    if (block.kind === "prose" && next?.apart && next.kind === "prose" && isTitle(block, text.slice(block.from, block.to), next)) Object.assign(block, { kind: "heading", level: index ? 2 : 1 });
  });
  return { markdown, blocks: spaced(text, blocks) };
}

/** The lines that are not empty; one below an empty line stands apart. */
function linesOf(text) {
  const lines = [];
  let at = 0;
  let apart = true;
  const take = (end) => {
    const line = text.slice(at, end);
    const body = line.trim();
    const from = at + line.length - line.trimStart().length;
    if (body) lines.push({ body, from, to: from + body.length, indent: from - at, apart, kind: "prose", level: 0, columns: columns(body) });
    apart = !body;
  };
  for (const { 0: { length }, index } of text.matchAll(new RegExp(LINE_END, "g"))) {
    take(index);
    at = index + length;
  }
  take(text.length);
  return lines;
}

function named(lines, markdown) {
  const chat = 3 * lines.filter(({ body }) => STAMP.test(body) || SPEAKER.test(body)).length > lines.length;
  let inside = false; // of code
  for (const [index, line] of lines.entries()) {
    const { body } = line;
    const fence = markdown && FENCE.test(body);
    if (fence) inside = !inside;
    if (fence || inside) line.kind = "code";
    else if (markdown && HEADING.test(body)) Object.assign(line, { kind: "heading", level: HEADING.exec(body)[1].length });
    else if (RULE.test(body)) {
      const above = lines[index - 1];
      if (above?.kind === "prose" && above.apart && !line.apart) Object.assign(above, { kind: "heading", level: body[0] === "=" ? 1 : 2 });
      line.kind = "rule";
    } else if (QUOTE.test(body)) line.kind = "quote";
    else if (BULLET.test(body) || NUMBER.test(body)) line.kind = "item";
    else if (chat && (STAMP.test(body) || SPEAKER.test(body))) line.kind = "turn";
  }
  return lines;
}

/** Whether a line goes on in the next one. */
function goesOn(line, next, width, markdown) {
  if (next.kind === "code" || next.kind === "quote") return line.kind === next.kind;
  if (next.kind !== "prose" || !["prose", "item", "turn"].includes(line.kind)) return false;
  if (markdown || (line.kind === "item" && next.indent)) return true;
  const word = DENSE.test(next.body[0]) ? next.body[0] : next.body.split(/\s/u, 1)[0];
  return (width && line.columns + 1 + columns(word) > FULL * width) || (/^\p{Ll}/u.test(next.body) && !CLOSED.test(line.body));
}

/** The width at which lines are broken by hand, or 0. */
function widthOf(lines) {
  const broken = lines.filter((line, index) => lines[index + 1] && !lines[index + 1].apart && line.kind !== "code").map((line) => line.columns).sort((a, b) => a - b);
  const width = broken[Math.floor(0.9 * broken.length)] ?? 0;
  return broken.length > 1 && width >= NARROWEST && width <= WIDEST ? width : 0;
}

const isTitle = (block, line, next) =>
  block.apart && block.columns <= TITLE && block.to - block.from === block.body.length && next.to - next.from > line.length && /\p{L}/u.test(line) && !CLOSED.test(line);

/** How wide a line is: Chinese characters are as wide as two letters. */
function columns(line) {
  let count = line.length;
  if (DENSE.test(line)) for (const letter of line) count += DENSE.test(letter);
  return count;
}

/** What to hide of each block, and whether an empty line comes after it. */
function spaced(text, blocks) {
  return blocks.map(({ kind, level, from, to, speaker = "" }, index) => {
    const start = text.slice(from, from + 12);
    const mark = { heading: HEADING, item: BULLET, quote: QUOTE }[kind]?.exec(start)?.[0].length ?? 0;
    const after = text.slice(to, blocks[index + 1]?.from ?? to);
    const bullet = kind === "item" && (mark > 0 || !NUMBER.test(start));
    return { kind, level, from, to, speaker, mark, bullet, apart: after.split(LINE_END).length > 2 };
  });
}

/** A text without the line ends within it, as a summary shows it; code stays as it is. */
export function unwrapped(text, kind = "prose") {
  if (kind === "code" || !LINE_END.test(text)) return text;
  const lines = text.split(LINE_END).map((line, index) => (index && (kind === "quote" || kind === "reply") ? line.trim().replace(QUOTE, "") : line));
  return lines.reduce((whole, line) => {
    const [left, right] = [whole.trimEnd(), line.trimStart()];
    return left + (DENSE.test(left.at(-1) ?? "") && DENSE.test(right[0] ?? "") ? "" : " ") + right;
  });
}

const LONGEST = 5000; // characters of a sentence with marks
const INLINE = /(`+)([^`]+)\1|!?\[([^\]]*)\]\([^)\s]*(?:\s"[^"]*")?\)|(\*\*|__)(?=\S)(.+?)(?<=\S)\4|(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_]+)(?<=\S)\6(?![\p{L}\p{N}])/gu;

/** A line of Markdown as nodes; what they hold is text and nothing else. */
export function inline(text, depth = 3) {
  if (!depth || text.length > LONGEST) return [text];
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, link, , strong, , soft] = match;
    nodes.push(text.slice(at, match.index));
    const [name, content] = code !== undefined ? ["code", code] : strong !== undefined ? ["strong", strong] : soft !== undefined ? ["em", soft] : ["span", link];
    const node = document.createElement(name);
    if (name === "code") node.textContent = content;
    else node.append(...inline(content, depth - 1));
    nodes.push(node);
    at = match.index + whole.length;
  }
  return [...nodes, text.slice(at)].filter((node) => node !== "");
}
