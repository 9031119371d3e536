/** The texts, sentence by sentence: chosen ones are marked, the rest shaded by score, and each can be pinned. */

import { say } from "./speech.js";
import { inline, structureOf, unwrapped } from "./structure.js";

const SHADES = 5;
const DRAG = 5; // pixels; moving further between press and release means selecting
const SAID = { in: "kept", out: "leftOut" };

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
      this.#lay(group, each, []);
      return group;
    }));
  }

  /** Show a text block by block: its sentences, and between them what belongs to none. */
  #lay(group, each, sentences, shades = []) {
    const { text } = each;
    const { blocks, markdown } = structureOf(each);
    const nodes = (part, kind) => (markdown && kind !== "code" ? inline(unwrapped(part, kind)) : [unwrapped(part, kind)]);
    let next = 0;
    let done = 0; // up to here, everything is shown
    let before = ""; // who speaks in the block before
    const last = { kind: "prose", from: text.length, to: Infinity, mark: 0 };
    for (const block of [...blocks, last]) {
      const element = newBlock(block);
      let at = Math.max(done, block.from);
      for (; next < sentences.length && sentences[next].from < block.to; next++) {
        const { index, from, to, speaker } = sentences[next];
        const gap = text.slice(Math.min(at, from), from);
        if (at > block.from) element.append(unwrapped(text.slice(at - 1, from + 1), block.kind).slice(1, -1)); // as its neighbors want it
        else if (speaker && gap.trim()) element.append(labelOf(unwrapped(gap), speaker));
        else if (block.speaker && block.speaker !== before) element.append(labelOf(`${block.speaker}: `, block.speaker));
        else element.append(...nodes(gap.slice(block.mark), block.kind));
        const own = from === block.from ? text.slice(from + block.mark, to) : text.slice(from, to);
        const sentence = newSentence(index, shades[index]);
        sentence.append(...nodes(own, block.kind));
        this.sentences[index] = element.appendChild(sentence);
        at = to;
      }
      const left = at < block.to ? text.slice(at === block.from ? at + block.mark : at, block.to) : "";
      if (block.kind !== "rule" && left.trim()) element.append(...nodes(left.trimEnd(), block.kind));
      before = block.speaker;
      done = Math.max(at, Math.min(block.to, text.length));
      if (element.hasChildNodes() || (block.kind === "rule" && at === block.from)) group.append(element);
    }
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
    const groups = documents.map((each) => {
      const group = newGroup(each, documents.length > 1);
      this.#lay(group, each, sentences.filter(({ document: id }) => id === each.id), shades);
      return group;
    });
    this.box.lang = language === "other" ? "" : language;
    this.#fill(groups);
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

  /** Begin at the top, or where the first mark is if that is not in sight. */
  begin() {
    const first = this.sentences[[...this.chosen].sort((a, b) => a - b)[0]];
    if (!first || !matchMedia("(min-width: 48rem)").matches) return; // where the summary comes first, it stays in sight
    scrollTo({ top: 0, behavior: "instant" });
    if (first.getBoundingClientRect().bottom > innerHeight) first.scrollIntoView({ block: "center", behavior: "instant" });
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

function newBlock({ kind, level, bullet, apart }) {
  const block = document.createElement("p");
  block.setAttribute("role", "none");
  block.dir = "auto";
  block.className = [kind, bullet && "bullet", apart && "paragraph"].filter(Boolean).join(" "); // a copy of the text has the empty line, too
  if (kind === "heading") block.dataset.level = Math.min(level || 2, 4);
  return block;
}

/** Who speaks, and when: the name stands out. */
function labelOf(label, speaker) {
  const [before, ...after] = label.split(speaker);
  const name = document.createElement("b");
  name.textContent = speaker;
  const box = document.createElement("span");
  box.className = "label";
  box.append(...(after.length ? [before, name, after.join(speaker)] : [label]));
  return box;
}

function newSentence(index, shade) {
  const sentence = document.createElement("span");
  sentence.setAttribute("role", "option");
  sentence.ariaSelected = "false";
  sentence.dataset.index = index;
  sentence.dataset.shade = shade;
  return sentence;
}

/** From 0 for the lowest fifth of the scores to 4 for the highest. */
function shadesOf(sentences) {
  const shades = new Array(sentences.length);
  const byScore = sentences.map((_, index) => index).sort((a, b) => sentences[a].score - sentences[b].score);
  byScore.forEach((index, rank) => (shades[index] = Math.floor((rank * SHADES) / sentences.length)));
  return shades;
}
