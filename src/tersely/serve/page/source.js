/** The text, sentence by sentence: chosen ones are marked, the rest shaded by score, and each can be pinned. */

import { placesOf } from "./lengths.js";

const SHADES = 5;
const DRAG = 5; // pixels; moving further between press and release means selecting
const SAID = { in: "kept", out: "left out" };
const LINE_END = /\r\n|[\n\r\v\f\x85\u2028\u2029]/; // office programs use several

export class Source {
  constructor(box, pins) {
    this.box = box;
    this.pins = pins;
    this.clear();
    pins.onClear = (indices) => indices.forEach((index) => this.#showPin(index));
    box.addEventListener("pointerdown", ({ clientX, clientY }) => (this.pressed = [clientX, clientY]));
    box.addEventListener("click", (event) => this.#clicked(event));
    box.addEventListener("keydown", (event) => this.#pressed(event));
  }

  clear() {
    this.text = "";
    this.sentences = [];
    this.chosen = new Set();
    this.box.replaceChildren();
  }

  /** Show a text before its answer arrives. */
  preview(text) {
    this.clear();
    this.box.textContent = text;
  }

  /** Lay out a text and its scored sentences. */
  render({ source: text, sentences, language }) {
    this.clear();
    const places = placesOf(sentences.flatMap(({ start, end }) => [start, end]), text);
    const shades = shadesOf(sentences);
    const blocks = document.createDocumentFragment();
    let block = null;
    sentences.forEach((_, index) => {
      const [start, end] = places.slice(2 * index, 2 * index + 2);
      const gap = text.slice(index ? places[2 * index - 1] : 0, start);
      const breaks = gap.split(LINE_END).length - 1;
      if (block && breaks > 1) block.className = "paragraph"; // so that a copy of the text has the empty line, too
      if (!block || breaks) block = blocks.appendChild(newBlock());
      else block.append(gap);
      this.sentences.push(block.appendChild(newSentence(index, text.slice(start, end), shades[index])));
    });
    this.box.lang = language === "other" ? "" : language;
    this.box.append(blocks);
    this.text = text;
    if (this.sentences.length) this.sentences[0].tabIndex = 0;
  }

  /** Update the shades to new scores. */
  shade(sentences) {
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

  #showPin(index) {
    const sentence = this.sentences[index];
    const pin = this.pins.get(index);
    if (pin) {
      sentence.dataset.pin = pin;
      sentence.setAttribute("aria-description", SAID[pin]);
    } else {
      delete sentence.dataset.pin;
      sentence.removeAttribute("aria-description");
    }
  }

  #cycle(sentence) {
    const index = Number(sentence.dataset.index);
    this.pins.cycle(index);
    this.#showPin(index);
  }

  #clicked(event) {
    const sentence = event.target.closest("[role=option]");
    const [x, y] = this.pressed ?? [event.clientX, event.clientY]; // no pointer, no press
    const dragged = Math.hypot(event.clientX - x, event.clientY - y) > DRAG;
    this.pressed = null;
    if (!sentence || dragged || !getSelection().isCollapsed) return; // a selection is for copying
    this.#focus(sentence);
    this.#cycle(sentence);
  }

  #pressed(event) {
    const sentence = event.target.closest("[role=option]");
    if (!sentence || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = Number(sentence.dataset.index);
    const last = this.sentences.length - 1;
    const moves = {
      ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1, Home: 0, End: last,
    };
    if (event.key === "Enter" || event.key === " ") this.#cycle(sentence);
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

function newBlock() {
  const block = document.createElement("p");
  block.setAttribute("role", "none");
  block.dir = "auto";
  return block;
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
