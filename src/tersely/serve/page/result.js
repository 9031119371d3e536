/** The summary, its length against the budget, and the reason for it. */

import { amount, grouped } from "./lengths.js";
import { reasonFor } from "./reason.js";

const $ = (id) => document.getElementById(id);
const PLENTY = 12_000; // characters; laying out more in each frame would stutter
const AT_REST = 150; // milliseconds
const SAY = 700; // milliseconds until a screen reader announces it

export class Result {
  #text = "";
  #rest = 0;
  #saying = 0;

  constructor() {
    $("copy").addEventListener("click", () => this.#copy());
  }

  /** Show one point of a frontier. */
  show(frontier, point, budget) {
    const { unit, language, best } = frontier;
    const [reason, why] = reasonFor(frontier, point, budget);
    this.#write(point.text);
    $("summary").lang = language === "other" ? "" : language;
    $("used").textContent = `${grouped(point.length)} of ${amount(budget, unit)}.`;
    $("reason").textContent = why;
    $("reason").dataset.reason = reason;
    $("fill").style.setProperty("width", `${Math.min(100, (100 * point.length) / budget)}%`);
    const share = best > 0 ? Math.round((100 * Math.max(0, point.value)) / best) : 0;
    $("share").textContent = `${share}\u00a0% of\u00a0the\u00a0value`;
    $("copy").disabled = !point.text;
    this.#say(`${amount(point.chosen.length, "sentences")}, ${grouped(point.length)} of ${amount(budget, unit)}. ${why}`);
  }

  clear() {
    this.#write("");
    for (const id of ["used", "reason", "share"]) $(id).textContent = "";
    $("fill").style.setProperty("width", "0");
    $("copy").disabled = true;
  }

  #say(line) {
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => ($("status").textContent = line), SAY);
  }

  #write(text) {
    if (text === this.#text) return;
    this.#text = text;
    clearTimeout(this.#rest);
    $("summary").textContent = text.length > PLENTY ? `${text.slice(0, PLENTY)}…` : text;
    if (text.length > PLENTY) this.#rest = setTimeout(() => ($("summary").textContent = text), AT_REST);
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#text);
    } catch {
      // Over plain HTTP a page cannot write to the clipboard, but a selection can still be copied.
      $("summary").textContent = this.#text;
      getSelection().selectAllChildren($("summary"));
      document.execCommand("copy");
    }
    $("copy").textContent = "Copied";
    this.#say("Copied.");
    setTimeout(() => ($("copy").textContent = "Copy"), 1500);
  }
}
