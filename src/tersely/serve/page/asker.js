/** Requests to the server about one text; a newer request cancels the older one. */

import { askFrontier, askSummary } from "./api.js";
import { Frontier } from "./frontier.js";

const CLOSER = 8; // in a long text the server tries evenly spread budgets, so small ones get another request
const FEW = 4; // sentences; no need to look closer than that

export class Asker {
  #question = new AbortController();
  #answered = null;

  /** `hear.answer(frontier)` gets the answer, and again each time it is refined; `hear.problem(error)` gets errors. */
  constructor(hear) {
    this.hear = hear;
  }

  stop() {
    this.#question.abort();
    this.hear.busy(false);
  }

  /** Ask for all budgets of a text at once. */
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

  /** If the answer has only some of the summaries, ask for the one with this budget. */
  async refine(frontier, budget) {
    if (frontier !== this.#answered || !frontier.isSampled(budget)) return; // it belongs to other pins
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

/** The limits, smallest first, below which a closer look is worth a request. */
function closer({ capacity, sentences, known, least: shortest }) {
  const limits = [];
  const least = Math.max(shortest, (FEW * capacity) / sentences.length);
  for (let limit = capacity / CLOSER; known < capacity && limit > least; limit /= CLOSER) limits.unshift(Math.round(limit));
  return limits;
}
