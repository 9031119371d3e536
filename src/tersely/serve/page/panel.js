/** The panel beside the text: the summary, perhaps a second one, their lengths, and the reasons. */

import { Plot } from "./plot.js";
import { amount, causeName, grouped, kindName, say } from "./speech.js";
import { SummaryView } from "./summary.js";
import { quote, whyLength, whySentence } from "./why.js";

const $ = (id) => document.getElementById(id);
const SAY = 700; // milliseconds until a screen reader announces it
const WORDS = 9;
const LISTED = 40; // sentences that were left out
const COPIED = 1500; // milliseconds
const LACKING = 3; // sentences whose lack is told

export class Panel {
  #saying = 0;
  #explained = null;
  #shares = new WeakMap();

  /** `hear.light(index or null)`, `hear.choose(index)`, `hear.complete(index)` and `hear.grow(budget)` get what the user does. */
  constructor(hear) {
    this.hear = hear;
    $("grow").addEventListener("click", () => hear.grow(Number($("grow").dataset.budget)));
    for (const id of ["lacks", "why-lines"]) $(id).addEventListener("click", ({ target }) => target.dataset.completes && hear.complete(Number(target.dataset.completes)));
    this.first = new SummaryView($("summary"), hear);
    this.second = new SummaryView($("summary2"), hear);
    this.plot = new Plot($("plot"), $("ticks"));
    this.terms = null;
    $("rest").addEventListener("toggle", () => this.rest());
    $("rest-list").addEventListener("click", ({ target }) => target.dataset.index && hear.choose(Number(target.dataset.index)));
    $("rest-list").addEventListener("pointerover", ({ target }) => hear.light(target.dataset.index ? Number(target.dataset.index) : null));
    $("rest-list").addEventListener("pointerleave", () => hear.light(null));
  }

  clear() {
    this.frontier = null;
    this.terms = null;
    this.#explained = null;
    this.first.clear();
    this.second.clear();
    this.plot.clear();
    for (const id of ["used", "used1", "used2", "reason", "share", "main-words", "rest-list", "lacks"]) $(id).replaceChildren();
    for (const id of ["grow", "lacks", "honest"]) $(id).hidden = true;
    $("why").hidden = true;
    $("rest").hidden = true;
    $("copy").disabled = true;
    $("compare").disabled = true;
    $("take").inert = true;
  }

  draw(frontier, scale) {
    this.#shares = new WeakMap();
    this.plot.draw(frontier, scale, (step) => this.#share(step));
  }

  /** Show the summary of one budget, and that of a second one if there is one; returns the first. */
  show(frontier, budget, second) {
    const { unit } = frontier;
    this.frontier = frontier;
    this.budget = budget;
    this.point = frontier.at(budget);
    const { point } = this;
    const [reason, why, needed] = whyLength(frontier, point, budget);
    this.first.show(frontier, point);
    const used = say("used", { used: grouped(point.length), amount: amount(budget, unit) });
    $("used").textContent = $("used1").textContent = used;
    $("reason").textContent = why;
    $("reason").dataset.reason = reason;
    $("grow").hidden = !needed;
    if (needed) Object.assign($("grow"), { textContent: say("grow", { amount: amount(needed, unit) }) }).dataset.budget = needed;
    $("honest").hidden = !frontier.isUnanswered;
    $("copy").disabled = $("compare").disabled = !point.text;
    $("take").inert = !point.text;
    const other = this.#showSecond(second);
    const percent = Math.round(100 * this.#share(point.step));
    $("share").textContent = say("share", { percent });
    if (!frontier.partial) this.plot.show(budget, this.#share(point.step), other, say("covered", { percent, amount: amount(point.length, unit) }));
    this.#showWords();
    this.#showRest();
    this.#showLacks();
    if (this.#explained !== null) this.explain(this.#explained);
    this.#say(`${amount(point.chosen.length, "sentences")}, ${used} ${why}`);
    return point;
  }

  #showSecond(budget) {
    const { frontier, point } = this;
    if (!budget) {
      this.first.contrast(null);
      this.second.clear();
      return null;
    }
    const other = frontier.at(budget);
    this.second.show(frontier, other);
    $("used2").textContent = say("used", { used: grouped(other.length), amount: amount(budget, frontier.unit) });
    this.first.contrast(other.chosen);
    this.second.contrast(point.chosen);
    return { budget, share: this.#share(other.step) };
  }

  /** Show or hide the second summary. */
  compare(second) {
    $("beside").hidden = !second;
    document.body.classList.toggle("comparing", Boolean(second));
    $("compare").ariaPressed = Boolean(second);
    if (second && $("budget2").valueAsNumber !== second) $("budget2").value = second;
  }

  /** The main words of the text; those that the summary has are strong. */
  #showWords() {
    const covered = this.terms.covered(this.point.chosen);
    const words = this.terms.words.slice(0, WORDS).map((word, number) => {
      const shown = document.createElement(covered.has(number) ? "strong" : "span");
      shown.textContent = word;
      return shown;
    });
    $("main-words").replaceChildren(...(words.length ? [say("mainWords"), ...words.flatMap((word) => [word, " "])] : []));
  }

  /** Which sentences of the summary lack what they need, and a way to add it. */
  #showLacks() {
    const { frontier, point } = this;
    const items = frontier.lacking(point.chosen).slice(0, LACKING).map((index) => {
      const { text, needs, cause } = frontier.sentences[index];
      const item = document.createElement("li");
      item.append(say("lacksLine", { quote: quote(text), needed: quote(frontier.sentences[needs].text), cause: causeName(cause) }), " ", adder(index));
      return item;
    });
    const line = items.map((item) => item.textContent).join();
    $("lacks").hidden = !items.length;
    if (line !== $("lacks").textContent.trim() || !items.length) $("lacks").replaceChildren(...items); // a button keeps the focus
  }

  #showRest() {
    const { sentences } = this.frontier;
    const left = sentences.length - this.point.chosen.length;
    $("rest").hidden = !left;
    $("rest-title").textContent = say("rest.title", { amount: amount(left, "sentences") });
  }

  /** Do what can wait until the slider rests: list what was left out, the most important first. */
  rest() {
    if (!$("rest").open || !this.frontier || this.frontier.partial) return;
    const { sentences, ranking, firsts, noise } = this.frontier;
    const chosen = new Set(this.point.chosen);
    const left = ranking.filter((index) => !chosen.has(index));
    const items = left.slice(0, LISTED).map((index) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.dataset.index = index;
      button.dir = "auto";
      button.textContent = quote(sentences[index].text);
      const from = document.createElement("small");
      from.textContent = noise?.has(index) ? kindName(noise.get(index)) : (firsts.has(index) ? say("rest.from", { number: grouped(firsts.get(index)) }) : say("rest.never"));
      item.append(button, " ", from);
      return item;
    });
    if (left.length > LISTED) items.push(Object.assign(document.createElement("li"), { textContent: say("rest.more", { number: grouped(left.length - LISTED) }) }));
    $("rest-list").replaceChildren(...items);
  }

  /** Say why a sentence is in the summary or not. */
  explain(index) {
    if (!this.frontier?.sentences[index]) return;
    this.#explained = index;
    const { isIn, lines, lacks } = whySentence(this.frontier, this.terms, index, this.budget);
    $("why-heading").textContent = say(isIn ? "whyIn" : "whyOut");
    $("why-quote").textContent = quote(this.frontier.sentences[index].text);
    $("why-lines").replaceChildren(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
    const at = isIn && this.frontier.lacking(this.point.chosen).includes(index) ? lines.findIndex((line) => line === lacks) : -1;
    if (at >= 0) $("why-lines").children[at].append(" ", adder(index));
    $("why").hidden = false;
  }

  light(index) {
    this.first.light(index);
    this.second.light(index);
  }

  copied() {
    $("copy").textContent = say("copied");
    this.#say(say("copied"));
    setTimeout(() => ($("copy").textContent = say("copy")), COPIED);
  }

  #share(step) {
    if (!this.#shares.has(step)) this.#shares.set(step, this.terms.share(step.chosen));
    return this.#shares.get(step);
  }

  #say(line) {
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => ($("status").textContent = line), SAY);
  }
}

/** A button that adds what a sentence needs. */
function adder(index) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: say("addIt") });
  button.dataset.completes = index;
  return button;
}
