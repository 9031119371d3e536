/** Reasons in words: why a summary is as long as it is, and why a sentence is in it or not. */

import { amount, causeName, grouped, kindName, one, ordinal, roleLine, say } from "./speech.js";

const QUOTED = 60; // characters
const WORDS = 5;
const SPANS = 3;

/** The server's keyword for the length of a summary, a sentence about it, and the length that would help, if any. */
export function whyLength(frontier, { chosen, length }, budget) {
  const { sentences, lengths, exclude, unit, gap, steps, steady } = frontier;
  if (!sentences.length) return ["empty-input", say("length.empty")];
  if (frontier.isUnanswered) return ["nothing-answers", ""]; // the line above the summary says it
  if (frontier.partial) return ["unknown", ""];
  if (frontier.place(budget) < 0) return ["pins", say("length.pins", { amount: amount(steps[0].budget, unit) }), steps[0].budget];
  if (chosen.length === sentences.length) return ["whole-text-fits", say("length.whole")];
  const taken = new Set([...chosen, ...exclude]);
  const left = lengths.filter((_, index) => !taken.has(index));
  const least = left.reduce((a, b) => Math.min(a, b), Infinity);
  const needs = least + (chosen.length ? gap : 0);
  if (needs <= budget - length && frontier.isSampled(budget)) return ["unknown", say("length.closer")];
  if (needs <= budget - length) return ["no-gain", say(steady && steps.at(-1).budget > budget ? "length.steady" : "length.gain")];
  if (!left.length && chosen.length) return ["selected", say("length.all")];
  if (!left.length) return ["nothing-fits", say("length.none")];
  if (!chosen.length) return ["nothing-fits", say("length.short", { amount: amount(least, unit) }), unit === "tokens" ? 0 : least];
  if (length === budget) return ["selected", say("length.full", { unit: one(unit) })];
  return ["selected", say("length.rest", { more: grouped(needs) })];
}

/** A few lines about one sentence at this budget. */
export function whySentence(frontier, terms, index, budget) {
  const { sentences, query } = frontier;
  const { chosen } = frontier.at(budget);
  const isIn = chosen.includes(index);
  const rank = frontier.ranking.indexOf(index) + 1;
  const [needed, alone, serves] = needsOf(frontier, index, chosen);
  const lines = [
    pinned(frontier, index),
    frontier.noise?.has(index) && say("why.noise", { noise: kindName(frontier.noise.get(index)) }),
    !frontier.noise?.has(index) && roleLine(sentences[index].role),
    say("why.rank", { ordinal: ordinal(rank), all: grouped(sentences.length) }),
    query && say("why.query", { query }),
    wordsOf(terms, index),
    placeOf(frontier, index),
    needed,
    alone,
    serves,
    ...(frontier.partial ? [] : entries(frontier, index, budget, isIn)),
  ];
  return { isIn, lines: lines.filter(Boolean), lacks: needed };
}

function pinned({ pins }, index) {
  const pin = pins.get(index);
  return pin && say(pin === "in" ? "why.kept" : "why.out");
}

function wordsOf(terms, index) {
  if (!terms.repeats) return null;
  const words = terms.of(index).slice(0, WORDS);
  return words.length ? say("why.words", { words: words.join(say("why.list")) }) : say("why.noWords");
}

function placeOf({ sentences }, index) {
  const { document, before } = sentences[index];
  const own = sentences.filter((sentence) => sentence.document === document);
  const at = own.indexOf(sentences[index]);
  if (at === 0) return say("why.first");
  if (at === own.length - 1) return say("why.last");
  if (/[\n\r\u2028\u2029]/.test(before)) return say("why.opens");
  return say("why.place", { percent: Math.round((100 * at) / own.length) });
}

/** What it needs, earlier or later in the text, and what needs it. */
function needsOf({ sentences }, index, chosen) {
  const { needs, cause } = sentences[index];
  const known = needs !== null && needs !== undefined;
  const served = sentences.filter((sentence) => sentence.needs === index);
  const [first] = [...served.filter((sentence) => chosen.includes(sentence.index)), ...served];
  const line = chosen.includes(needs) ? "why.needs" : "why.needsOut";
  return [
    known && say(line, { cause: causeName(cause), quote: cited(sentences[needs].text) }),
    !known && cause && say("why.alone", { cause: causeName(cause) }),
    first && say("why.serves", { quote: cited(first.text) }),
  ];
}

/** From which budget on it is in, and what it displaced there. */
function entries(frontier, index, budget, isIn) {
  const { unit, steps, sentences, pins, repeats } = frontier;
  if (pins.has(index)) return [];
  const spans = frontier.spans(index);
  if (!spans.length) return [repeats?.has(index) ? say("why.repeats") : say("why.never")];
  if (!isIn) {
    const later = spans.find(([from]) => from > budget);
    return [notHere(frontier, index, budget), later && say("why.later", { amount: amount(later[0], unit) })];
  }
  const span = ([from, to]) => (to === null ? say("why.on", { amount: amount(from, unit) }) : say("why.between", { from: grouped(from), to: amount(to, unit) }));
  const [current] = spans.filter(([from]) => from <= budget).slice(-1);
  const shown = spans.length > SPANS ? [spans[0], current, spans.at(-1)].filter((each, at, all) => all.indexOf(each) === at) : spans;
  const when = spans.length === 1 && spans[0][1] === null
    ? say("why.from", { amount: amount(spans[0][0], unit) })
    : say("why.spans", { spans: shown.map(span).join(say("why.and")) });
  const at = frontier.place(current[0]);
  const now = new Set(steps[at].chosen);
  const gone = (steps[at - 1]?.chosen ?? []).filter((each) => !now.has(each));
  return [when, gone.length && say("why.displaced", { amount: amount(current[0], unit), quote: gone.slice(0, 2).map((each) => cited(sentences[each].text)).join("”, “") })];
}

/** Why it is out at this budget, if that is not what it needs. */
function notHere(frontier, index, budget) {
  const { sentences, lengths, gap, steady } = frontier;
  const { chosen, length } = frontier.at(budget);
  const { needs } = sentences[index];
  if (needs !== null && needs !== undefined && !chosen.includes(needs)) return null;
  if (length + (chosen.length ? gap : 0) + lengths[index] > budget) return say("why.notHere");
  return steady || frontier.isSampled(budget) ? null : say("why.little");
}

/** A quotation within a sentence, which has a period of its own. */
const cited = (text) => quote(text).replace(/[.。]$/u, "");

export function quote(text) {
  const line = text.replace(/\s+/gu, " ");
  return line.length > QUOTED ? `${line.slice(0, QUOTED).replace(/\s+\S{0,15}$/u, "")}…` : line; // at the end of a word
}
