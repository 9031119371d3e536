/** Questions to the server about one text; what a later question overtakes is dropped. */

import { askFrontier, askSummary } from "./api.js";
import { Frontier } from "./frontier.js";

const CLOSER = 8; // of a long text the server tries budgets evenly spread, so short ones are asked for again
const FEW = 4; // sentences; nobody needs to look closer than that

export class Asker {
  #question = new AbortController();
  #answered = null;

  /** `hear.answer(frontier)` is called for an answer and each time it becomes finer, `hear.problem(error)` else. */
  constructor(hear) {
    this.hear = hear;
  }

  stop() {
    this.#question.abort();
    this.hear.busy(false);
  }

  /** Ask for every budget of a text at once. */
  async ask({ text, unit, model, include, exclude }) {
    this.stop();
    this.#question = new AbortController();
    this.#answered = null;
    this.about = { text, include, exclude, ...(model && { model }) };
    this.hear.busy(true);
    await this.#try(async (signal) => {
      const frontier = new Frontier(await askFrontier({ ...this.about, unit }, signal), this.about);
      this.#answered = frontier;
      this.hear.answer(frontier);
      this.hear.busy(false);
      for (const limit of closer(frontier)) {
        frontier.merge(await askFrontier({ ...this.about, unit, limit }, signal));
        this.hear.answer(frontier);
      }
    });
  }

  /** Where an answer holds only some of all summaries, ask for the one of this budget. */
  async refine(frontier, budget) {
    if (frontier !== this.#answered || !frontier.isSampled(budget)) return; // it is about other pins
    await this.#try(async (signal) => {
      frontier.refine(budget, await askSummary({ ...this.about, [`max_${frontier.unit}`]: budget }, signal));
      this.hear.answer(frontier);
    });
  }

  async #try(task) {
    const { signal } = this.#question;
    try {
      await task(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.hear.busy(false);
      this.hear.problem(error);
    }
  }
}

/** The limits, smallest first, up to which a closer look is worth its time. */
function closer({ capacity, sentences, known, least: shortest }) {
  const limits = [];
  const least = Math.max(shortest, (FEW * capacity) / sentences.length);
  for (let limit = capacity / CLOSER; known < capacity && limit > least; limit /= CLOSER) limits.unshift(Math.round(limit));
  return limits;
}
