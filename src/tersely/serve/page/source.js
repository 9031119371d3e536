/** The texts, sentence by sentence: chosen ones are marked, the rest shaded by score, and each can be pinned. */

import { say } from "./speech.js";

const SHADES = 5;
const DRAG = 5; // pixels; moving further between press and release means selecting
const SAID = { in: "kept", out: "leftOut" };
const LINE_END = /\r\n|[\n\r\v\f\x85\u2028\u2029]/; // office programs use several

export class Source {
  /** `hear.pin(index)`, `hear.focus(index)` and `hear.light(index or null)` get what the user does. */
  constructor(box, hear) {
    this.box = box;
    this.hear = hear;
    this.clear();
    box.addEventListener("pointerdown", ({ clientX, clientY }) => (this.pressed = [clientX, clientY]));
    box.addEventListener("click", (event) => this.#clicked(event));
    box.addEventListener("keydown", (event) => this.#pressed(event));
    box.addEventListener("focusin", ({ target }) => target.matches("[role=option]") && hear.focus(Number(target.dataset.index)));
    box.addEventListener("pointerover", ({ target }) => hear.light(target.closest("[role=option]") ? Number(target.dataset.index) : null));
    box.addEventListener("pointerleave", () => hear.light(null));
    // A ring shows where the keyboard is; a pointer needs none.
    const pointing = (is) => () => document.body.classList.toggle("pointing", is);
    document.addEventListener("pointerdown", pointing(true), true);
    document.addEventListener("keydown", pointing(false), true);
  }

  clear() {
    this.shown = null;
    this.sentences = [];
    this.chosen = new Set();
    this.pins = new Map();
    this.lit = null;
    this.box.replaceChildren();
  }

  /** Show texts before their answer arrives, each line where it will stay. */
  preview(documents) {
    this.clear();
    this.#fill(documents.map((each) => {
      const group = newGroup(each, documents.length > 1);
      group.append(...linesOf(each.text));
      return group;
    }));
  }

  /** The groups of several texts, or what the only one has. */
  #fill(groups) {
    this.box.append(...(groups.length > 1 ? groups : groups[0]?.childNodes ?? []));
  }

  /** Lay out the texts of a frontier and their scored sentences; returns whether they were not here already. */
  render(frontier) {
    const { sentences, documents, language } = frontier;
    const wanted = JSON.stringify(documents.map(({ id, name, text }) => [id, name, text]));
    if (this.shown === wanted) {
      this.#shade(sentences);
      return false;
    }
    this.clear();
    const shades = shadesOf(sentences);
    const groups = new Map(documents.map((each) => [each.id, newGroup(each, documents.length > 1)]));
    let block = null;
    sentences.forEach(({ document: id, before }, index) => {
      const isFirst = sentences[index - 1]?.document !== id;
      const breaks = before.split(LINE_END).length - 1;
      if (!isFirst && breaks > 1) block.className = "paragraph"; // so that a copy of the text has the empty line, too
      if (isFirst || breaks) block = groups.get(id).appendChild(newBlock());
      else block.append(before);
      this.sentences.push(block.appendChild(newSentence(index, frontier.original(index), shades[index])));
    });
    this.box.lang = language === "other" ? "" : language;
    this.#fill([...groups.values()]);
    this.shown = wanted;
    if (this.sentences.length) this.sentences[0].tabIndex = 0;
    return true;
  }

  /** Update the shades to new scores. */
  #shade(sentences) {
    shadesOf(sentences).forEach((shade, index) => {
      const { dataset } = this.sentences[index];
      if (dataset.shade !== String(shade)) dataset.shade = shade;
    });
  }

  /** Mark the chosen sentences, touching only those that change. */
  mark(chosen) {
    const now = new Set(chosen);
    for (const index of this.chosen) if (!now.has(index)) this.sentences[index].ariaSelected = "false";
    for (const index of now) if (!this.chosen.has(index)) this.sentences[index].ariaSelected = "true";
    this.chosen = now;
  }

  /** Show the pins, a map from index to "in" or "out". */
  pin(pins) {
    for (const index of new Set([...this.pins.keys(), ...pins.keys()])) {
      const sentence = this.sentences[index];
      const pin = pins.get(index);
      if (!sentence || (pin === this.pins.get(index) && sentence.dataset.pin === pin)) continue;
      if (pin) sentence.dataset.pin = pin;
      else delete sentence.dataset.pin;
      if (pin) sentence.setAttribute("aria-description", say(SAID[pin]));
      else sentence.removeAttribute("aria-description");
    }
    this.pins = pins;
  }

  /** Light one sentence, or none. */
  light(index) {
    this.lit?.classList.remove("lit");
    this.lit = this.sentences[index] ?? null;
    this.lit?.classList.add("lit");
  }

  /** Bring a sentence into view. */
  reveal(index) {
    this.sentences[index]?.scrollIntoView({ block: "center", behavior: still() ? "auto" : "smooth" });
  }

  /** Bring the beginning of a text into view. */
  revealDocument(id) {
    this.box.querySelector(`[data-document="${CSS.escape(id)}"]`)?.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
  }

  #clicked(event) {
    const sentence = event.target.closest("[role=option]");
    const [x, y] = this.pressed ?? [event.clientX, event.clientY]; // no pointer, no press
    const dragged = Math.hypot(event.clientX - x, event.clientY - y) > DRAG;
    this.pressed = null;
    if (!sentence || dragged || !getSelection().isCollapsed) return; // a selection is for copying
    this.#focus(sentence);
    this.hear.pin(Number(sentence.dataset.index));
  }

  #pressed(event) {
    const sentence = event.target.closest("[role=option]");
    if (!sentence || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = Number(sentence.dataset.index);
    const last = this.sentences.length - 1;
    const moves = {
      ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1, Home: 0, End: last,
    };
    if (event.key === "Enter" || event.key === " ") this.hear.pin(index);
    else if (event.key in moves) this.#focus(this.sentences[Math.min(Math.max(moves[event.key], 0), last)]);
    else return;
    event.preventDefault();
  }

  /** Only one sentence at a time is focusable: Chromium would not select text where a press moves the focus. */
  #focus(sentence) {
    this.box.querySelector("[tabindex]").removeAttribute("tabindex");
    sentence.tabIndex = 0;
    sentence.focus();
  }
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function newGroup({ id, name }, titled) {
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  group.dataset.document = id;
  group.ariaLabel = name;
  if (titled) group.dataset.name = name;
  return group;
}

function newBlock() {
  const block = document.createElement("p");
  block.setAttribute("role", "none");
  block.dir = "auto";
  return block;
}

function linesOf(text) {
  const lines = [];
  for (const line of text.trim().split(LINE_END)) {
    if (line.trim()) lines.push(Object.assign(newBlock(), { textContent: line }));
    else lines.at(-1).className = "paragraph";
  }
  return lines;
}

function newSentence(index, text, shade) {
  const sentence = document.createElement("span");
  sentence.setAttribute("role", "option");
  sentence.ariaSelected = "false";
  sentence.dataset.index = index;
  sentence.dataset.shade = shade;
  sentence.textContent = text;
  return sentence;
}

/** From 0 for the lowest fifth of the scores to 4 for the highest. */
function shadesOf(sentences) {
  const shades = new Array(sentences.length);
  const byScore = sentences.map((_, index) => index).sort((a, b) => sentences[a].score - sentences[b].score);
  byScore.forEach((index, rank) => (shades[index] = Math.floor((rank * SHADES) / sentences.length)));
  return shades;
}
