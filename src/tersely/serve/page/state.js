/** What the user has made: texts, pins, question and budgets. Each change can be undone, and a draft stays in the tab. */

const DRAFT = "tersely.draft";
const TOGETHER = 1000; // milliseconds; changes of one kind that follow this closely are one
const MOST_STEPS = 200;
const MOST_CHARACTERS = 20_000_000;

let made = 0;
/** A text with a name of its own, which pins refer to. */
export const newDocument = (text, name = "", { places = [], blocks = null } = {}) => ({ id: `${Date.now().toString(36)}.${made++}`, name, text, places, blocks });

export const START = {
  documents: [newDocument("")], active: 0, example: null, question: "", unit: "chars", budgets: {}, second: null, steady: false, bullets: false, model: null, pins: {},
};

export class Store {
  #past = [];
  #future = [];
  #last = { kind: "", time: 0 };

  constructor(onChange) {
    this.now = START;
    this.onChange = onChange;
  }

  /** Begin with a state; there is nothing to undo. */
  begin(state) {
    this.now = { ...START, ...state };
  }

  /** Change something. Quick changes of the same kind, such as the moves of one drag, are undone together. */
  change(changes, kind = "") {
    const before = this.now;
    this.now = { ...before, ...changes };
    const time = Date.now();
    const same = kind && kind === this.#last.kind && time - this.#last.time < TOGETHER && this.#past.length;
    if (!same) this.#past.push(before);
    this.#future = [];
    this.#last = { kind, time };
    this.#forget();
    this.onChange(before);
  }

  /** Change something that is not worth undoing. */
  set(changes) {
    this.now = { ...this.now, ...changes };
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo = () => this.#step(this.#past, this.#future);
  redo = () => this.#step(this.#future, this.#past);

  #step(from, to) {
    if (!from.length) return;
    const before = this.now;
    to.push(before);
    this.now = from.pop();
    this.#last = { kind: "", time: 0 };
    this.onChange(before);
  }

  /** Drop the oldest steps when there are many, or many long texts. */
  #forget() {
    const texts = () => [...new Set(this.#past.flatMap(({ documents }) => documents.map(({ text }) => text)))];
    while (this.#past.length > MOST_STEPS) this.#past.shift();
    while (this.#past.length > 1 && texts().reduce((sum, text) => sum + text.length, 0) > MOST_CHARACTERS) this.#past.shift();
  }

  /** Keep a draft for this tab; one that is too large for the browser is not kept. */
  keep(spoken) {
    try {
      sessionStorage.setItem(DRAFT, JSON.stringify({ ...this.now, spoken }));
    } catch {
      sessionStorage.removeItem(DRAFT);
    }
  }
}

/** The draft of this tab, if there is one. */
export function draft() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(DRAFT));
    return Array.isArray(kept?.documents) && kept.documents.length ? kept : null;
  } catch {
    return null;
  }
}

/** The texts that are not empty, each with a name that no other has. */
export function named(documents, call) {
  const taken = new Set();
  return documents.map((each, index) => {
    const wanted = (each.name || call(index + 1)).slice(0, 200);
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted} (${number})`;
    taken.add(name);
    return { ...each, name };
  }).filter(({ text }) => text.trim());
}

/** What a pin refers to, for each sentence: its text and how often that came before, so that edits elsewhere do not matter. */
export function pinKeys(sentences) {
  const times = new Map();
  return sentences.map(({ document, text }) => {
    const sentence = `${document}\n${text}`;
    const before = times.get(sentence) ?? 0;
    times.set(sentence, before + 1);
    return `${before}\n${sentence}`;
  });
}

/** The text of the sentence that a pin refers to. */
export function textOf(key) {
  return key.split("\n").slice(2).join("\n");
}

/** In, then out, then neither. */
export function cycled(pins, key) {
  const { [key]: now, ...others } = pins;
  if (now === "out") return others;
  return { ...others, [key]: now ? "out" : "in" };
}
