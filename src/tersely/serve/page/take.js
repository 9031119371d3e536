/** What can be taken away: the summary in several forms, and the commands that make it. */

import { aboutOf } from "./asker.js";
import { exported } from "./export.js";
import { measure } from "./lengths.js";
import { toast } from "./notice.js";
import { amount, grouped, say } from "./speech.js";

const $ = (id) => document.getElementById(id);

/** `hear.now()` has the frontier, the point and the budget, `hear.link()` makes a link; `hear.copied()` is told. */
export function prepareTake(hear) {
  const takes = {
    text: ({ frontier, point }) => (hear.isList() ? copyList(frontier, point) : copy(point.text)),
    html: ({ frontier, point, budget }) => download(exported(frontier, point, $("summary"), $("source"), $("used").textContent), fileName(budget, frontier.unit, "html"), "text/html"),
    markdown: ({ frontier, point }) => copy(markdown(frontier, point)),
    quotations: ({ frontier, point }) => copy(quotations(frontier, point)),
    curl: ({ frontier, budget }) => copy(curl(frontier, budget)),
    python: ({ frontier, budget }) => copy(python(frontier, budget)),
    json: ({ frontier, point, budget }) => download(json(frontier, point, budget), fileName(budget, frontier.unit, "json"), "application/json"),
    link: async () => {
      const link = await hear.link();
      await copy(link);
      toast(say("linkSize", { size: grouped(link.length) }));
    },
  };
  for (const button of document.querySelectorAll("[data-take]")) {
    button.addEventListener("click", async () => {
      $("take").open = false;
      await takes[button.dataset.take](hear.now());
      if (!["json", "html"].includes(button.dataset.take)) hear.copied();
    });
  }
  $("take").addEventListener("toggle", () => {
    const menu = $("take").lastElementChild;
    menu.classList.remove("up");
    menu.classList.toggle("up", menu.getBoundingClientRect().bottom > innerHeight && $("take").getBoundingClientRect().top > menu.offsetHeight);
  });
  document.addEventListener("click", ({ target }) => target.closest?.("#take") ?? ($("take").open = false));
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !$("take").open) return;
    $("take").open = false;
    $("take").firstElementChild.focus();
  });
}

/** Copy the sentences line by line; the marks count, too, which the budget does not know. */
async function copyList(frontier, { chosen }) {
  const lines = chosen.map((index, place) => `• ${frontier.lead(index, chosen[place - 1])}${frontier.sentences[index].text}`);
  await copy(lines.join("\n"));
  toast(say("listed", { amount: amount(measure(lines.join("\n"), "chars"), "chars") }));
}

/** The chosen sentences as a list, under the names of their texts if there are several. */
function markdown(frontier, { chosen }) {
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
function quotations(frontier, { chosen }) {
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

/** The address and the body of the request whose answer has this summary; if it only grows, that is about all budgets. */
function request(frontier, budget) {
  const { include, exclude, unit, steady } = frontier;
  const pins = { ...(include.length && { include }), ...(exclude.length && { exclude }) };
  const how = steady ? { unit, nested: true } : { [`max_${unit}`]: budget };
  return [steady ? "v1/frontier" : "v1/summarize", { ...aboutOf(frontier), ...how, ...pins }];
}

function curl(frontier, budget) {
  const [path, asked] = request(frontier, budget);
  const body = JSON.stringify(asked).replaceAll("'", "'\\''");
  return `curl -s ${new URL(path, location.href.split("#")[0])} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'\n`;
}

function python(frontier, budget) {
  const [, { text, blocks, model, nested, ...how }] = request(frontier, budget);
  const options = Object.entries(how).map(([name, value]) => `, ${name}=${JSON.stringify(value)}`).join("");
  const loaded = `Summarizer.load(${model ? JSON.stringify(model) : ""})`;
  const imported = model || nested ? "Summarizer" : "summarize";
  const [given, reading] = told(frontier, text);
  const call = nested
    ? `${loaded}.frontier(text${options}, nested=True).at(${Math.min(budget, frontier.capacity)})`
    : `${model ? `${loaded}.` : ""}summarize(text${options})`;
  return `${reading}from tersely import ${imported}\n\ntext = ${given}\n\nsummary = ${call}\nprint(summary.text)\n`;
}

/** The text as a Python program has it: a file with its blocks, as the server found them. */
function told({ documents, language }, text) {
  if (!documents.some(({ blocks }) => blocks)) return [JSON.stringify(text, null, typeof text === "string" ? 0 : 4), ""];
  const split = ({ text: own, blocks }) => `Document.split(${JSON.stringify(own)}, tuple(Block(**each) for each in ${JSON.stringify(blocks)}), ${JSON.stringify(language)})`;
  const parts = documents.map((each) => (each.blocks ? split(each) : JSON.stringify(each.text)));
  const several = `[\n${parts.map((part, index) => `    {"id": ${JSON.stringify(documents[index].name)}, "text": ${part}},\n`).join("")}]`;
  return [parts.length > 1 ? several : parts[0], "from tersely import Document\nfrom tersely.text.blocks import Block\n"];
}

/** The summary as data, with the places of its sentences. */
function json(frontier, { chosen, length, text }, budget) {
  const { query, language, unit, by, sentences } = frontier;
  const data = {
    text, ...(query && { query }),
    sentences: chosen.map((index) => {
      const { source, start, end, text: words, score, needs, cause, role } = sentences[index];
      return { ...(source && { source }), index, start, end, text: words, score, needs, cause, role };
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

function download(text, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function fileName(budget, unit, ending) {
  return `${say("summary")} ${amount(budget, unit)}.${ending}`.replaceAll(/[\s,]+/g, "-").toLowerCase();
}

/** A text that Markdown shows as it is. */
function escaped(text) {
  return text.replace(/\s+/gu, " ").replace(/[\\`*_[\]<>#|]/g, "\\$&");
}
