/** Requests to the server about the texts; a newer request cancels the older one, and the last answers are remembered. */

import { alone, askFrontier, askSummary } from "./api.js";
import { Frontier } from "./frontier.js";
import { measure } from "./lengths.js";
import { pinKeys, textOf } from "./state.js";

const REMEMBERED = 12;

export class Asker {
  #asking = new AbortController();
  #answers = new Map(); // by question
  #sentences = new Map(); // by text: what its sentences are, so that pins find theirs

  /** `hear.answer(frontier)` gets each answer, first of one budget and then of all; `hear.problem(error)` gets errors. */
  constructor(hear) {
    this.hear = hear;
  }

  stop() {
    this.#asking.abort();
    this.hear.busy(false);
  }

  /** Ask for the summary at this budget, which is fast, and then for all budgets at once. */
  async ask(question) {
    this.stop();
    this.#asking = new AbortController();
    const key = keyOf(question);
    const known = this.#answers.get(key);
    if (known) this.#remember(this.#answers, key, known);
    if (known) return this.hear.answer(known);
    this.hear.busy(true);
    await this.#try(async (signal) => {
      const about = aboutOf(question);
      const pins = await this.#pins(question, about, signal);
      const asked = { ...question, ...pins };
      let first = null;
      if (!question.steady && !alone && this.#fits(question, pins)) {
        first = await askSummary({ ...about, ...pins, [`max_${question.unit}`]: question.budget }, signal);
        this.hear.answer(Frontier.ofSummary(first, asked));
      }
      const nested = question.steady ? { nested: true } : {};
      const frontier = new Frontier(await askFrontier({ ...about, ...pins, unit: question.unit, ...nested }, signal), asked);
      if (first) frontier.learn(first);
      this.#remember(this.#sentences, textKey(question), frontier.keys);
      this.#remember(this.#answers, key, frontier);
      this.hear.busy(false);
      this.hear.answer(frontier);
    });
  }

  /** If an answer has only some of the budgets, ask for this one, too. */
  async refine(frontier, budget) {
    if (!frontier.isSampled(budget)) return;
    const { include, exclude, unit } = frontier;
    await this.#try(async (signal) => {
      frontier.learn(await askSummary({ ...aboutOf(frontier), include, exclude, [`max_${unit}`]: budget }, signal));
      this.hear.answer(frontier);
    });
  }

  /** The indices of the pinned sentences; if the sentences of a text are not known, they are asked for. */
  async #pins({ pins, ...question }, about, signal) {
    if (!Object.keys(pins).length) return { include: [], exclude: [] };
    const key = textKey(question);
    if (!this.#sentences.has(key)) {
      const { ranking } = await askSummary({ ...about, max_sentences: 1 }, signal);
      const ids = new Map(question.documents.map(({ name, id }) => [name, id]));
      const inOrder = ranking.toSorted((a, b) => a.index - b.index);
      const keys = pinKeys(inOrder.map(({ source, text }) => ({ document: ids.get(source) ?? question.documents[0].id, text })));
      this.#remember(this.#sentences, key, keys);
    }
    const all = this.#sentences.get(key).map((sentence, index) => [index, pins[sentence]]);
    const those = (wanted) => all.filter(([, pin]) => pin === wanted).map(([index]) => index);
    return { include: those("in"), exclude: those("out") };
  }

  /** Whether the sentences to include surely fit; if not, the answer about all budgets says how much they need. */
  #fits(question, { include }) {
    if (!include.length) return true;
    if (question.unit === "tokens") return false; // only the server counts them
    const keys = this.#sentences.get(textKey(question));
    const lengths = include.map((index) => 1 + measure(textOf(keys[index]), question.unit));
    return lengths.reduce((sum, length) => sum + length, 0) <= question.budget;
  }

  #remember(memory, key, value) {
    memory.delete(key);
    memory.set(key, value);
    if (memory.size > REMEMBERED) memory.delete(memory.keys().next().value);
  }

  async #try(task) {
    const { signal } = this.#asking;
    try {
      await task(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.hear.busy(false);
      this.hear.problem(error);
    }
  }
}

/** What the server is told about the texts. */
export function aboutOf({ documents, query, model }) {
  const parts = documents.map(({ text, blocks }) => ({ text, ...(blocks && { blocks: blocks.map(brief) }) }));
  const several = { text: parts.map((part, index) => ({ id: documents[index].name, ...part })) };
  return { ...(parts.length > 1 ? several : parts[0]), ...(query && { query }), ...(model && { model }) };
}

/** A block without what is usual. */
const brief = (block) => Object.fromEntries(Object.entries(block).filter(([name, value]) => value || name === "start"));

const textKey = ({ documents }) => JSON.stringify(documents.map(({ id, text, blocks }) => [id, text, Boolean(blocks)]));
const keyOf = ({ documents, unit, query, model, steady, pins }) =>
  JSON.stringify([documents.map(({ id, name, text, blocks }) => [id, name, text, Boolean(blocks)]), unit, query, model, steady, pins]);
