/** Why a summary is as long as it is, in the server's word and in a sentence. */

import { amount, grouped, UNITS } from "./lengths.js";

export function reasonFor(frontier, { chosen, length }, budget) {
  const { sentences, lengths, exclude, unit, gap, steps } = frontier;
  if (!sentences.length) return ["empty-input", "The text has no sentence."];
  if (frontier.place(budget) < 0) return ["pins", `What you keep in needs ${amount(steps[0].budget, unit)}.`];
  if (chosen.length === sentences.length) return ["whole-text-fits", "The whole text fits."];
  const taken = new Set([...chosen, ...exclude]);
  const left = lengths.filter((_, index) => !taken.has(index));
  const least = left.reduce((a, b) => Math.min(a, b), Infinity);
  const needs = least + (chosen.length ? gap : 0);
  if (needs <= budget - length && frontier.isSampled(budget)) return ["unknown", "Looking closer…"];
  if (needs <= budget - length) return ["no-gain", "More would fit, but adds too little."];
  if (!left.length && chosen.length) return ["selected", "All that you did not leave out is in."];
  if (!left.length) return ["nothing-fits", "Every sentence is left out."];
  if (!chosen.length) return ["nothing-fits", `No sentence is short enough: the shortest needs ${amount(least, unit)}.`];
  if (length === budget) return ["selected", `Filled to the last ${UNITS[unit]}.`];
  return ["selected", `What is left does not fit: the shortest needs ${grouped(needs)} more.`];
}
