/** The settings in the address, after the hash so that no server sees them; the text is never there. */

import { UNITS } from "./lengths.js";

/** Whatever in the address makes sense. */
export function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const budget = Number(said.get("budget"));
  return {
    unit: Object.hasOwn(UNITS, said.get("unit") ?? "") ? said.get("unit") : undefined,
    budget: Number.isSafeInteger(budget) && budget > 0 ? budget : undefined,
    model: said.get("model") || undefined,
  };
}

export function writeAddress({ unit, budget, model }) {
  const settings = new URLSearchParams({ unit, budget, ...(model && { model }) });
  history.replaceState(null, "", `#${settings}`);
}
