/** The page: texts, one answer from the server, and a slider through all its summaries. */

import { linkOf, readAddress, unpack, writeAddress } from "./address.js";
import { alone, askExample, askModels, Problem } from "./api.js";
import { Asker } from "./asker.js";
import { prepareInput } from "./input.js";
import { Minimap } from "./minimap.js";
import { hideProblem, hideToast, prepareNotice, showProblem, toast } from "./notice.js";
import { Panel } from "./panel.js";
import { Scale } from "./scale.js";
import { Source } from "./source.js";
import { amount, preferred, say, speak, spoken } from "./speech.js";
import { cycled, draft, named, newDocument, Store } from "./state.js";
import { copy, curl, download, fileName, json, markdown, python, quotations } from "./take.js";
import { Terms } from "./terms.js";

const $ = (id) => document.getElementById(id);
const SETTLE = 300; // milliseconds after a move
const EXAMPLES = { en: "mine.en", zh: "wetland.zh" };
const DEFAULTS = {
  en: { chars: 280, words: 50, sentences: 3, bytes: 280 },
  zh: { chars: 100, words: 100, sentences: 3, bytes: 300 },
};

const store = new Store(changed);
const asker = new Asker({ answer: showAnswer, busy: showBusy, problem: showFailure });
const light = (index) => [source, panel, minimap].forEach((each) => each.light(index));
const source = new Source($("source"), {
  pin: (index) => !alone && frontier && store.change({ pins: cycled(store.now.pins, frontier.keys[index]) }),
  focus: (index) => panel.explain(index),
  light,
});
const panel = new Panel({ light, choose });
const minimap = new Minimap($("minimap"), $("source"), (index) => source.reveal(index));
let frontier = null; // the last answer
let scale = new Scale(20, 3000);
let chosenLanguage = ""; // by the reader, for the page

/** The texts that are not empty. */
const texts = () => named(store.now.documents, (number) => say("document", { number }));
const isWriting = () => document.body.classList.contains("writing");
/** The user's budget in this unit, or the default. */
function budget() {
  const { budgets, unit, documents } = store.now;
  const language = frontier?.language ?? (/\p{Script=Han}/u.test(documents[0].text.slice(0, 200)) ? "zh" : "en");
  return budgets[unit] ?? (DEFAULTS[language] ?? DEFAULTS.en)[unit];
}

function ask() {
  const documents = texts();
  if (!documents.length) return showNothing();
  const { unit, model, question, steady, pins } = store.now;
  asker.ask({ documents, unit, model, query: question.trim(), steady, pins, budget: budget() });
}

// Showing.

function showAnswer(answer) {
  hideProblem();
  frontier = answer;
  const isNew = source.render(frontier);
  if (isNew) minimap.render(frontier);
  if (isNew || !panel.terms) panel.terms = new Terms(frontier);
  source.pin(frontier.pins);
  $("unpin").hidden = !frontier.pins.size || alone;
  scale = new Scale(frontier.least, frontier.capacity);
  if (!frontier.partial) panel.draw(frontier, scale);
  const { unit, sentences, length, by } = frontier;
  $("facts").textContent = amount(sentences.length, "sentences") + (unit === "sentences" ? "" : ` · ${amount(length, unit)}`);
  show();
  settle();
  if (!alone) listModels(by.name).catch(showProblem);
}

function showBusy(is) {
  document.body.classList.toggle("asking", is);
  $("result").ariaBusy = is;
}

function showFailure(problem) {
  if (!(problem instanceof Problem)) throw problem;
  // The address may come from another server, which has other models or can grow steadily.
  if (store.now.model && problem.fields.includes("model")) store.set({ model: null }, ask);
  else showProblem(problem);
}

function showNothing() {
  asker.stop();
  hideProblem();
  forget();
  source.clear();
  showBudget();
}

/** Clear what was shown for another text. */
function forget() {
  frontier = null;
  panel.clear();
  minimap.clear();
  $("unpin").hidden = true;
  $("facts").textContent = "";
}

function showBudget() {
  if ($("budget").valueAsNumber !== budget()) $("budget").value = budget();
  $("slider").value = scale.position(budget());
  $("slider").setAttribute("aria-valuetext", amount(budget(), store.now.unit));
}

/** Show the summary for the budget, using only the last answer. */
function show() {
  showBudget();
  if (frontier?.unit !== store.now.unit) return;
  const { chosen } = panel.show(frontier, budget(), store.now.second);
  source.mark(chosen);
  minimap.mark(chosen, frontier.pins);
}

let settling = 0;
/** Do what can wait until the slider rests. */
function settle() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    writeAddress(settings());
    store.keep(chosenLanguage);
    if (frontier?.unit !== store.now.unit) return;
    panel.rest();
    for (const wanted of [budget(), store.now.second]) if (wanted) asker.refine(frontier, wanted);
  }, SETTLE);
}

const settings = () => ({ unit: store.now.unit, budget: budget(), model: store.now.model, steady: store.now.steady, language: chosenLanguage });

let frame = 0;
function changed(before) {
  const { now } = store;
  hideToast();
  const isOther = now.documents !== before.documents;
  if (isOther) {
    source.preview(texts());
    forget();
  }
  else if (frontier) source.pin(new Map(frontier.keys.map((key, index) => [index, now.pins[key]]).filter(([, pin]) => pin)));
  showControls();
  settle();
  if (["documents", "unit", "model", "question", "steady", "pins"].some((name) => now[name] !== before[name])) return ask();
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    show();
  });
}

function showControls() {
  const { now } = store;
  const { text } = now.documents[now.active] ?? now.documents[0];
  if ($("input").value !== text) $("input").value = text;
  if ($("question").value !== now.question) $("question").value = now.question;
  $("unit").value = now.unit;
  $("steady").checked = now.steady;
  $("undo").disabled = !store.canUndo;
  $("redo").disabled = !store.canRedo;
  document.body.classList.toggle("empty", !texts().length);
  document.body.classList.toggle("example", Boolean(now.example));
  for (const button of document.querySelectorAll("[data-example]")) button.hidden = button.dataset.example === now.example;
  panel.compare(now.second);
  listDocuments();
}

function listDocuments() {
  const { documents, active } = store.now;
  $("documents").hidden = documents.length < 2;
  $("documents").replaceChildren(...documents.map((each, index) => {
    const name = each.name || say("document", { number: index + 1 });
    const item = document.createElement("li");
    const [go, remove] = [newButton(name), newButton("×")];
    go.setAttribute("aria-current", isWriting() && index === active);
    go.addEventListener("click", () => goTo(each, index));
    remove.ariaLabel = say("remove", { name });
    remove.addEventListener("click", () => {
      store.change({ documents: documents.filter((other) => other !== each), active: 0, example: null });
      toast(say("removed", { name }), true);
      $("add").focus();
    });
    item.append(go, ...(alone ? [] : [remove]));
    return item;
  }));
}

function newButton(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = text;
  return button;
}

function goTo({ id }, active) {
  if (isWriting()) store.set({ active }, showControls);
  else source.revealDocument(id);
}

/** Show a sentence of the summary in its text, and say why it is there. */
function choose(index) {
  if (isWriting()) write(false);
  source.reveal(index);
  source.light(index);
  panel.explain(index);
}

/** Offer the server's models, once it has answered with one of them. */
async function listModels(current) {
  if (!$("model").options.length) {
    const { models } = await askModels();
    $("model").replaceChildren(...models.map(({ name }) => new Option(name, name)));
    $("which").hidden = models.length < 2;
  }
  $("model").value = current;
}

// Listening.

function setBudget(wanted) {
  store.change({ budgets: { ...store.now.budgets, [store.now.unit]: wanted } }, "budget");
}

function write(is) {
  document.body.classList.toggle("writing", is);
  const kept = store.now.documents.filter(({ text }) => text.trim());
  if (!is && kept.length && kept.length < store.now.documents.length) store.set({ documents: kept, active: 0 }, () => {});
  showControls();
}

/** Texts that came whole: they fill an empty place, join several others, or replace a single one. */
function came(documents) {
  const { now } = store;
  const filled = now.example ? [] : now.documents.filter(({ text }) => text.trim());
  const joins = filled.length > 1 || (filled.length && filled.length < now.documents.length);
  const well = documents.map((each) => ({ ...each, text: each.text.toWellFormed?.() ?? each.text })); // half a character cannot be sent
  const others = now.example ? { question: "", budgets: {}, pins: {} } : {};
  store.change({ documents: joins ? [...filled, ...well] : well, active: 0, example: null, ...others });
  read();
  const notes = documents.flatMap((each) => (each.notes ?? []).map((note) => say("file.noted", { name: each.name, notes: note })));
  const done = joins ? say("added", { name: texts().slice(-documents.length).map(({ name }) => name).join(", ") }) : filled.length ? say("replaced") : "";
  if (done || notes.length) toast([done, ...notes].filter(Boolean).join(" "), Boolean(done));
}

function typed(text) {
  const { documents, active } = store.now;
  const well = text.toWellFormed?.() ?? text;
  if (documents[active].text === well) return;
  store.change({ documents: documents.map((each, index) => (index === active ? { ...each, text: well } : each)), example: null }, "typing");
}

function showExample(name, { question, documents }) {
  store.change({ documents: documents.map((each) => newDocument(each.text, each.name)), question, active: 0, pins: {}, budgets: {}, second: null, example: name });
  read();
}

/** Show the texts for reading. */
function read() {
  write(false);
  $("slider").focus({ preventScroll: true });
}

function newText() {
  const had = texts().length > 0;
  store.change({ documents: [newDocument("")], active: 0, question: "", pins: {}, second: null, example: null });
  write(true);
  if (had) toast(say("cleared"), true);
  $("input").focus();
}

function addText() {
  const filled = store.now.documents.filter(({ text }) => text.trim());
  store.set({ documents: [...filled, newDocument("")], active: filled.length, example: null }, () => {});
  write(true);
  $("input").focus();
}

function step(way) {
  flush();
  way();
  write(!texts().length || (isWriting() && document.activeElement === $("input")));
}

async function setLanguage(code) {
  chosenLanguage = code;
  speak(code);
  offerLanguage();
  const other = EXAMPLES[code];
  if (Object.values(EXAMPLES).includes(store.now.example) && store.now.example !== other) showExample(other, await askExample(other));
  else if (frontier) showAnswer(frontier);
  showControls();
}

/** Offer the other language, in that language. */
function offerLanguage() {
  const [code, name, line] = spoken === "zh" ? ["en", "English", "Read this page in English"] : ["zh", "中文", "用中文阅读本页"];
  Object.assign($("language"), { lang: code, textContent: name, ariaLabel: `${name}: ${line}` });
}

const takes = {
  markdown: (point) => copy(markdown(frontier, point)),
  quotations: (point) => copy(quotations(frontier, point)),
  curl: () => copy(curl(frontier, budget())),
  python: () => copy(python(frontier, budget())),
  json: (point) => download(json(frontier, point, budget()), fileName(budget(), frontier.unit)),
  link: async () => {
    const link = await linkOf(settings(), { ...store.now, documents: texts() });
    await copy(link);
    toast(say("linkSize", { size: link.length.toLocaleString("en") }));
  },
};

async function take(kind) {
  $("take").open = false;
  await takes[kind](frontier.at(budget()));
  if (kind !== "json") panel.copied();
}

const flush = prepareInput({
  came, typed, example: showExample,
  problem: (problem) => (problem instanceof Problem ? showProblem(problem) : Promise.reject(problem)),
  reading: (name) => (name ? toast(say("file.reading", { name })) : hideToast()),
});
prepareNotice(() => {
  hideProblem();
  ask();
});
$("slider").addEventListener("input", () => {
  const wanted = scale.budget($("slider").valueAsNumber);
  setBudget(frontier?.unit === store.now.unit ? frontier.snap(wanted) : wanted);
});
$("slider").addEventListener("keydown", (event) => {
  const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (!direction || !frontier) return;
  event.preventDefault();
  setBudget(frontier.next(budget(), direction));
});
$("budget").addEventListener("input", () => {
  if ($("budget").value && $("budget").validity.valid) setBudget($("budget").valueAsNumber);
});
$("budget").addEventListener("blur", showBudget);
$("budget2").addEventListener("input", () => {
  if ($("budget2").value && $("budget2").validity.valid) store.change({ second: $("budget2").valueAsNumber }, "second");
});
$("compare").addEventListener("click", () => {
  const larger = 2 * budget() <= frontier.capacity ? 2 * budget() : Math.max(1, Math.round(budget() / 2));
  store.change({ second: store.now.second ? null : larger });
});
$("unit").addEventListener("change", () => store.change({ unit: $("unit").value, second: null }));
$("model").addEventListener("change", () => store.change({ model: $("model").value }));
$("steady").addEventListener("change", () => store.change({ steady: $("steady").checked }));
$("question").addEventListener("change", () => store.change({ question: $("question").value }));
$("unpin").addEventListener("click", () => {
  store.change({ pins: {} });
  $("edit").focus(); // the button itself disappears
});
$("edit").addEventListener("click", () => {
  write(true);
  $("input").setSelectionRange(0, 0);
  $("input").focus();
});
$("read").addEventListener("click", () => {
  flush();
  write(false);
  $("edit").focus();
});
$("new").addEventListener("click", newText);
$("add").addEventListener("click", addText);
$("undo").addEventListener("click", () => step(store.undo));
$("redo").addEventListener("click", () => step(store.redo));
$("toast-undo").addEventListener("click", () => step(store.undo));
$("language").addEventListener("click", () => setLanguage(spoken === "zh" ? "en" : "zh"));
$("copy").addEventListener("click", async () => {
  await copy(frontier.at(budget()).text);
  panel.copied();
});
for (const button of document.querySelectorAll("[data-take]")) button.addEventListener("click", () => take(button.dataset.take));
document.addEventListener("click", ({ target }) => target.closest?.("#take") ?? ($("take").open = false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && $("take").open) {
    $("take").open = false;
    $("take").firstElementChild.focus();
  }
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(key) || event.target.id === "token") return;
  event.preventDefault();
  step(key === "y" || event.shiftKey ? store.redo : store.undo);
});
addEventListener("hashchange", () => applyAddress(readAddress()).catch(showProblem));
addEventListener("pagehide", () => store.keep(chosenLanguage));

/** Take over what an address says. */
async function applyAddress({ unit = store.now.unit, budget: wanted, model, steady, packed, language }) {
  const carried = packed ? await unpack(packed).catch(() => toast(say("linkBad"))) : null;
  if (language && language !== spoken) await setLanguage(language);
  const budgets = wanted ? { ...store.now.budgets, [unit]: wanted } : store.now.budgets;
  store.change({ unit, budgets, ...(model && { model }), ...(steady && { steady }), ...(carried && { ...carried, active: 0, example: null }) });
  if (carried) write(false);
}

/** Begin with what the address carries, or the draft of this tab, or an example. */
async function begin() {
  const { unit, budget: wanted, model, steady, packed, language } = readAddress();
  const kept = packed ? null : draft();
  chosenLanguage = language ?? kept?.spoken ?? "";
  speak(chosenLanguage || preferred());
  offerLanguage();
  document.body.classList.toggle("alone", alone);
  let damaged = false;
  const carried = packed ? await unpack(packed).catch(() => void (damaged = true)) : null;
  const opened = kept ?? carried ?? { example: EXAMPLES[spoken], ...(await askExample(EXAMPLES[spoken])) };
  const documents = opened.documents.map((each) => (each.id ? each : newDocument(each.text, each.name)));
  const begun = { ...opened, documents, unit: unit ?? kept?.unit ?? "chars", model: model ?? kept?.model ?? null, steady: steady ?? kept?.steady ?? false };
  begun.budgets = { ...kept?.budgets, ...(wanted && { [begun.unit]: wanted }) };
  store.begin(begun);
  write(!texts().length);
  source.preview(texts());
  ask();
  if (damaged) toast(say("linkBad"));
}

begin().catch(showProblem);
