/** What can be taken away: the summary in several forms, and the commands that make it. */

import { aboutOf } from "./asker.js";
import { amount, say } from "./speech.js";

/** The chosen sentences as a list, under the names of their texts if there are several. */
export function markdown(frontier, { chosen }) {
  const lines = [];
  let before = null;
  for (const index of chosen) {
    const { document, text } = frontier.sentences[index];
    const { name } = frontier.byId.get(document);
    if (frontier.documents.length > 1 && document !== before) lines.push(...(before ? [""] : []), `## ${escaped(name)}`, "");
    lines.push(`- ${escaped(text)}`);
    before = document;
  }
  return `${lines.join("\n")}\n`;
}

/** Each sentence as it stands in the text, with its place: characters counted from 0, the end not included. */
export function quotations(frontier, { chosen }) {
  return chosen.map((index) => {
    const { document, start, end } = frontier.sentences[index];
    const { name, places } = frontier.byId.get(document);
    const place = places?.findLast((each) => each.start <= start && start < each.end);
    const where = [name, ...labels(place), `${start}–${end}`].filter(Boolean).join(", ");
    return `“${frontier.original(index)}” (${where})\n`;
  }).join("\n");
}

/** Where something stands in its file: a page, a time, a row, a section. */
function labels(place) {
  return Object.entries(place?.label ?? {}).map(([kind, value]) => (kind === "page" ? `p. ${value}` : kind === "section" ? `§ ${value}` : `${kind} ${value}`));
}

/** The request that the server answers with this summary. */
function request(frontier, budget) {
  const { include, exclude, unit } = frontier;
  const pins = { ...(include.length && { include }), ...(exclude.length && { exclude }) };
  return { ...aboutOf(frontier), [`max_${unit}`]: budget, ...pins };
}

export function curl(frontier, budget) {
  const body = JSON.stringify(request(frontier, budget)).replaceAll("'", "'\\''");
  return `curl -s ${new URL("v1/summarize", location.href.split("#")[0])} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'\n`;
}

export function python(frontier, budget) {
  const { text, model, ...how } = request(frontier, budget);
  const options = Object.entries(how).map(([name, value]) => `, ${name}=${JSON.stringify(value)}`).join("");
  const [imported, call] = model
    ? ["Summarizer", `Summarizer.load(${JSON.stringify(model)}).summarize`]
    : ["summarize", "summarize"];
  return `from tersely import ${imported}\n\ntext = ${JSON.stringify(text, null, typeof text === "string" ? 0 : 4)}\n\nsummary = ${call}(text${options})\nprint(summary.text)\n`;
}

/** The summary as data, with the places of its sentences. */
export function json(frontier, { chosen, length, text }, budget) {
  const { query, language, unit, by, sentences } = frontier;
  const data = {
    text, ...(query && { query }),
    sentences: chosen.map((index) => {
      const { source, start, end, score, needs } = sentences[index];
      return { ...(source && { source }), index, start, end, text: sentences[index].text, score, needs };
    }),
    language, budget: { limit: budget, unit, capacity: budget }, length, model: by,
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** Put a text into the clipboard. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Over plain HTTP a page cannot write to the clipboard, but a selection can still be copied.
    const box = document.body.appendChild(document.createElement("textarea"));
    box.className = "unseen";
    box.value = text;
    const focused = document.activeElement;
    box.select();
    document.execCommand("copy");
    box.remove();
    focused?.focus({ preventScroll: true });
  }
}

export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function fileName(budget, unit) {
  return `${say("summary")} ${amount(budget, unit)}.json`.replaceAll(/[\s,]+/g, "-").toLowerCase();
}

/** A text that Markdown shows as it is. */
function escaped(text) {
  return text.replace(/\s+/gu, " ").replace(/[\\`*_[\]<>#|]/g, "\\$&");
}
