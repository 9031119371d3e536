/** Why a summary is as long as it is: the server's keyword, and a sentence. */

import { amount, grouped, UNITS } from "./lengths.js";

export function reasonFor(frontier, { chosen, length }, budget) {
  const { sentences, lengths, exclude, unit, gap, steps } = frontier;
  if (!sentences.length) return ["empty-input", "The text has no sentences."];
  if (frontier.place(budget) < 0) return ["pins", `The sentences you keep need ${amount(steps[0].budget, unit)}.`];
  if (chosen.length === sentences.length) return ["whole-text-fits", "The whole text fits."];
  const taken = new Set([...chosen, ...exclude]);
  const left = lengths.filter((_, index) => !taken.has(index));
  const least = left.reduce((a, b) => Math.min(a, b), Infinity);
  const needs = least + (chosen.length ? gap : 0);
  if (needs <= budget - length && frontier.isSampled(budget)) return ["unknown", "Looking closer…"];
  if (needs <= budget - length) return ["no-gain", "More would fit, but would add too little."];
  if (!left.length && chosen.length) return ["selected", "Every sentence that you did not leave out is in."];
  if (!left.length) return ["nothing-fits", "Every sentence is left out."];
  if (!chosen.length) return ["nothing-fits", `No sentence is short enough: the shortest needs ${amount(least, unit)}.`];
  if (length === budget) return ["selected", `Filled to the last ${UNITS[unit]}.`];
  return ["selected", `Nothing else fits: the shortest needs ${grouped(needs)} more.`];
}
