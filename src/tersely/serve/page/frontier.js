/** Every budget, from one answer of the server. */

import { measure, placesOf } from "./lengths.js";
import { pinKeys } from "./state.js";
import { unwrapped } from "./structure.js";

const NOTHING = { budget: 0, length: 0, value: 0, chosen: [] };
const DENSE = ["zh", "ja"]; // no space between sentences

export class Frontier {
  /** `question` has the texts, and the indices of the sentences to `include` and `exclude`. */
  constructor(answer, question) {
    Object.assign(this, answer, question, { by: answer.model });
    this.#locate();
    const { unit, sentences } = this;
    this.lengths = answer.lengths ?? sentences.map(({ text }, index) => measure(this.lead(index, index ? index - 1 : undefined) + text, unit));
    this.gap = unit === "sentences" || unit === "tokens" ? 0 : measure(this.separator, unit);
    this.whole = sentences.map(({ text, before }, index) => (index ? before : this.#opening()) + (this.#own(index) ?? text)).join("");
    this.length = unit === "sentences" ? sentences.length : unit === "tokens" ? this.capacity ?? 0 : measure(this.whole, unit);
    this.capacity ??= this.length;
    this.least = this.lengths.reduce((a, b) => Math.min(a, b), this.capacity);
    this.complete = this.points === null || this.points >= this.capacity; // no step is missing
    this.pins = new Map([...this.include.map((index) => [index, "in"]), ...this.exclude.map((index) => [index, "out"])]);
  }

  /** What one summary alone says, until the rest comes. */
  static ofSummary(summary, question) {
    const { language, budget, length, ranking, sentences, model } = summary;
    const step = { budget: budget.capacity, length, value: 0, chosen: sentences.map(({ index }) => index) };
    const all = ranking.toSorted((a, b) => a.index - b.index).map((each) => ({ ...each, text: unwrapped(each.text) }));
    const separator = DENSE.includes(language) ? "" : " ";
    const capacity = question.unit === "tokens" ? budget.capacity : undefined;
    const answer = { capacity, unit: question.unit, separator, language, sentences: all, steps: [step], points: 0, model, partial: true };
    const partial = new Frontier(answer, question);
    partial.heed(summary);
    return partial;
  }

  /** What a summary says of all sentences, and whether any answers the question. */
  heed({ ranking, reason, answered = true }) {
    this.noise = new Map(ranking.filter(({ noise }) => noise).map(({ index, noise }) => [index, noise]));
    this.repeats = new Set(ranking.filter(({ rejected }) => rejected === "redundant").map(({ index }) => index));
    this.answered = answered && reason !== "nothing-answers";
  }

  /** Whether there is a question that nothing in the text answers. */
  get isUnanswered() {
    return Boolean(this.query) && this.answered === false;
  }

  /** The label of the first sentence as it stands in the text, if a conversation begins with it. */
  #opening() {
    const [first] = this.sentences;
    return (first?.label && /[^\n]*\S[^\n]*\s*$/.exec(first.before)?.[0]) || "";
  }

  /** What comes right before a sentence in a summary: who speaks, if that is somebody else than in the sentence before. */
  lead(index, before) {
    const { label, turn } = this.sentences[index];
    return before === undefined || this.sentences[before].turn !== turn ? label : "";
  }

  /** Find each sentence in its text, and what stands between it and the one before. */
  #locate() {
    const byName = new Map(this.documents.map((each) => [each.name, each]));
    const own = this.sentences.map(({ source }) => byName.get(source) ?? this.documents[0]);
    const places = new Map();
    for (const each of this.documents) {
      const offsets = this.sentences.filter((_, index) => own[index] === each).flatMap(({ start, end }) => [start, end]);
      places.set(each, placesOf(offsets, each.text));
    }
    const next = new Map();
    const colon = DENSE.includes(this.language) ? "：" : ": ";
    let turn = 0;
    this.sentences = this.sentences.map((sentence, index, all) => {
      const text = own[index];
      const speaker = sentence.speaker ?? "";
      if (index && (own[index - 1] !== text || (all[index - 1].speaker ?? "") !== speaker)) turn += 1;
      const at = next.get(text) ?? 0;
      next.set(text, at + 2);
      const [from, to] = places.get(text).slice(at, at + 2);
      const outside = !at && index > 0 ? own[index - 1].text.slice(places.get(own[index - 1]).at(-1)) + "\n\n" : "";
      const before = outside + text.text.slice(at ? places.get(text)[at - 1] : 0, from);
      return { ...sentence, document: text.id, from, to, before, turn, label: speaker && speaker + colon };
    });
    this.keys = pinKeys(this.sentences);
    this.byId = new Map(this.documents.map((each) => [each.id, each]));
  }

  #own(index) {
    const { document, from, to } = this.sentences[index];
    return this.byId.get(document).text.slice(from, to);
  }

  /** A sentence exactly as it stands in its text. */
  original(index) {
    return this.#own(index);
  }

  /** The index of the last step within a budget, or -1. */
  place(budget) {
    let low = 0;
    let high = this.steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.steps[middle].budget <= budget) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The nearest budget with a different summary, up (1) or down (-1). */
  next(budget, direction) {
    if (direction > 0) return this.steps[this.place(budget) + 1]?.budget ?? Math.max(budget, this.capacity);
    return Math.max(1, this.steps[this.place(budget - 1)]?.budget ?? 1);
  }

  /** The nearest budget at or below this one for which the summary here is the answer. */
  snap(budget) {
    const place = this.place(budget);
    return this.isSampled(budget) ? Math.max(1, this.steps[place].budget) : budget;
  }

  /** The summary for one budget, the same as the server would give. */
  at(budget) {
    const step = this.steps[this.place(budget)] ?? NOTHING;
    const chosen = step.chosen.toSorted((a, b) => a - b);
    const everything = chosen.length > 0 && chosen.length === this.sentences.length;
    if (everything && this.length <= budget) return { ...step, step, chosen, length: this.length, text: this.whole, isWhole: true };
    return { ...step, step, chosen, text: chosen.map((index, place) => this.lead(index, chosen[place - 1]) + this.sentences[index].text).join(this.separator), isWhole: false };
  }

  /** Whether the server may have a better summary for this budget. */
  isSampled(budget) {
    const place = this.place(budget);
    if (this.complete || this.steady || this.partial || place < 0) return false;
    return budget < this.capacity && Math.max(1, this.steps[place].budget) !== budget;
  }

  /** Add the summary of one budget, unless its sentences are here already. */
  learn(summary) {
    const { budget: { capacity: budget }, length, sentences } = summary;
    this.heed(summary);
    if (!this.isSampled(budget)) return;
    const chosen = sentences.map(({ index }) => index);
    const value = sentences.reduce((sum, { score }) => sum + score, 0);
    this.steps.splice(this.place(budget) + 1, 0, { budget, length, value, chosen });
    this.entered = null;
  }

  /** Which of these sentences cannot be understood, because what they need is not among them. */
  lacking(chosen) {
    const inside = new Set(chosen);
    return chosen.filter((index) => {
      const { needs } = this.sentences[index];
      return needs !== null && needs !== undefined && !inside.has(needs) && !this.pins.has(needs);
    });
  }

  /** Where a sentence stands in its file, as far as it is known: a page, a time, a row. */
  placeOf(index) {
    const { document, start } = this.sentences[index];
    const { places = [] } = this.byId.get(document);
    const place = places.findLast((each) => each.start <= start && start < each.end);
    return Object.entries(place?.label ?? {}).filter(([kind]) => kind !== "section").map(([kind, value]) => (kind === "page" ? `p. ${value}` : String(value))).join(", ");
  }

  /** The spans of budgets, [from, to], in which a sentence is in; the last one may have no end. */
  spans(index) {
    const spans = [];
    this.steps.forEach(({ budget, chosen }) => {
      const open = spans.length && spans.at(-1)[1] === null;
      const isIn = chosen.includes(index);
      if (isIn && !open) spans.push([Math.max(1, budget), null]);
      else if (!isIn && open) spans.at(-1)[1] = budget - 1;
    });
    return spans;
  }

  /** From which budget on each sentence is first in; those that never are have none. */
  get firsts() {
    if (!this.entered) {
      this.entered = new Map();
      for (const { budget, chosen } of this.steps) for (const index of chosen) if (!this.entered.has(index)) this.entered.set(index, Math.max(1, budget));
    }
    return this.entered;
  }

  /** The indices of all sentences, the best first. */
  get ranking() {
    return (this.ranked ??= this.sentences.map((_, index) => index).sort((a, b) => this.sentences[b].score - this.sentences[a].score || a - b));
  }
}
