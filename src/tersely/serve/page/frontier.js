/** Every budget, from one answer of the server. */

import { measure, placesOf } from "./lengths.js";

const NOTHING = { length: 0, value: 0, chosen: [] };

export class Frontier {
  constructor(answer, { text, include, exclude }) {
    Object.assign(this, answer, { source: text, include, exclude });
    const { sentences, unit } = answer;
    this.lengths = sentences.map((sentence) => measure(sentence.text, unit));
    this.gap = unit === "sentences" ? 0 : measure(this.separator, unit);
    this.best = this.steps.reduce((most, step) => Math.max(most, step.value), 0);
    this.whole = text.slice(...placesOf([sentences[0]?.start ?? 0, sentences.at(-1)?.end ?? 0], text));
    this.length = unit === "sentences" ? sentences.length : measure(this.whole, unit);
    this.least = include.length ? this.steps[0].budget : this.lengths.reduce((a, b) => Math.min(a, b), this.capacity);
    this.known = isComplete(answer) ? this.capacity : 0; // up to this budget no step is missing
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

  /** The summary for one budget, the same as the server would give. */
  at(budget) {
    const step = this.steps[this.place(budget)] ?? NOTHING;
    const chosen = [...step.chosen].sort((a, b) => a - b);
    const everything = chosen.length > 0 && chosen.length === this.sentences.length;
    if (everything && this.length <= budget) return { ...step, chosen, length: this.length, text: this.whole };
    return { ...step, chosen, text: chosen.map((index) => this.sentences[index].text).join(this.separator) };
  }

  /** Whether the server may have a better summary for this budget. */
  isSampled(budget) {
    const place = this.place(budget);
    return place >= 0 && this.known < budget && budget < this.capacity && this.steps[place].asked !== budget;
  }

  /** Add the steps of an answer that looks closer at small budgets. */
  merge(answer) {
    const others = this.steps.filter((step) => step.budget > answer.capacity || step.asked);
    this.steps = [...answer.steps, ...others].sort((a, b) => a.budget - b.budget);
    if (isComplete(answer)) this.known = Math.max(this.known, answer.capacity);
  }

  /** Add the summary of one budget. */
  refine(budget, { length, sentences }) {
    const value = sentences.reduce((sum, sentence) => sum + sentence.score, 0);
    const step = { budget, length, value, chosen: sentences.map((sentence) => sentence.index), asked: budget };
    this.steps.splice(this.place(budget) + 1, 0, step);
  }
}

/** Whether the server tried every budget; in a long text it tries only some. */
function isComplete({ points, capacity }) {
  return points === null || points >= capacity;
}
