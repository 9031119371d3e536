/** Lengths that people often need, beside the number; and one sentence per section, as pins. */

import { amount, say, spoken } from "./speech.js";
import { structureOf } from "./structure.js";

const $ = (id) => document.getElementById(id);
const USUAL = {
  en: [["message", "chars", 160], ["post", "chars", 280], ["abstract", "words", 150]],
  zh: [["message", "chars", 70], ["post", "chars", 140], ["abstract", "chars", 300]],
};
const TOKENS = ["prompt", "tokens", 1000];
const MOST_SECTIONS = 100;

export class Presets {
  #listed = "";
  #keys = [];
  #isDigest = false; // whether there are several texts

  /** `hear.length(unit, budget)` and `hear.sections(keys)`, the pins of one sentence per section, get what is chosen. */
  constructor(hear) {
    $("preset").addEventListener("change", () => {
      const [unit, budget] = $("preset").value.split(":");
      if (unit === "sections") hear.sections(this.#keys);
      else hear.length(unit, Number(budget));
    });
  }

  /** Offer the presets; those in tokens if the server counts them. */
  show(counted) {
    const usual = [...USUAL[spoken], ...(counted ? [TOKENS] : [])].map(([name, of, most]) => [`${of}:${most}`, `${say(`preset.${name}`)} · ${amount(most, of)}`]);
    const sections = this.#keys.length > 1 ? [["sections", say(this.#isDigest ? "preset.texts" : "preset.sections", { number: this.#keys.length })]] : [];
    const all = [["", say("presets")], ...usual, ...sections];
    if (JSON.stringify(all) !== this.#listed) $("preset").replaceChildren(...all.map(([value, line]) => new Option(line, value)));
    this.#listed = JSON.stringify(all);
    $("preset").value = "";
  }

  /** Find the best sentence of each section, or of each text if there are several. */
  learn(frontier) {
    this.#isDigest = frontier.documents.length > 1;
    this.#keys = frontier.partial ? [] : bestOf(frontier).map((index) => frontier.keys[index]);
  }

  clear() {
    this.#keys = [];
  }
}

/** The best sentence of each section, or of each text if there are several; one that can be understood alone comes first. */
function bestOf({ sentences, documents, noise }) {
  const best = [];
  for (const each of documents) {
    const heads = structureOf(each).blocks.filter(({ kind }) => kind === "heading");
    const groups = new Map();
    const number = (section) => (documents.length > 1 ? 0 : section);
    let section = 0;
    for (const sentence of sentences.filter(({ document }) => document === each.id)) {
      while (heads[section] && heads[section].to <= sentence.from) section++;
      const isHead = heads[section] && sentence.from >= heads[section].from;
      if (isHead || noise?.has(sentence.index) || sentence.role === "noise") continue;
      if (!groups.has(number(section))) groups.set(number(section), []);
      groups.get(number(section)).push(sentence);
    }
    const better = (a, b) => (a.cause ? 1 : 0) - (b.cause ? 1 : 0) || b.score - a.score;
    for (const group of groups.values()) best.push(group.sort(better)[0].index);
  }
  return best.length <= MOST_SECTIONS ? best : [];
}
