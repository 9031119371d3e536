/** The page: texts, one answer from the server, and a slider through all its summaries. */

import { bookmarklet, linkOf, readAddress, unpack, writeAddress } from "./address.js";
import { alone, askExample, askModels, Problem } from "./api.js";
import { Asker } from "./asker.js";
import { prepareInput } from "./input.js";
import { Minimap } from "./minimap.js";
import { hideProblem, hideToast, prepareNotice, showProblem, toast } from "./notice.js";
import { Panel } from "./panel.js";
import { Presets } from "./presets.js";
import { Scale } from "./scale.js";
import { Source } from "./source.js";
import { amount, preferred, say, speak, spoken } from "./speech.js";
import { cycled, draft, newDocument, Store } from "./state.js";
import { copy, prepareTake } from "./take.js";
import { Terms } from "./terms.js";
import { Texts } from "./texts.js";

const $ = (id) => document.getElementById(id);
const SETTLE = 300; // milliseconds after a move
const EXAMPLES = { en: "mine.en", zh: "wetland.zh" };
const DEFAULTS = {
  en: { chars: 280, words: 50, sentences: 3, bytes: 280, tokens: 100 },
  zh: { chars: 100, words: 100, sentences: 3, bytes: 300, tokens: 100 },
};

const store = new Store(changed);
const asker = new Asker({ answer: showAnswer, busy: showBusy, problem: showFailure });
const light = (index) => [source, panel, minimap].forEach((each) => each.light(index));
const source = new Source($("source"), {
  pin: (index) => !alone && frontier && store.change({ pins: cycled(store.now.pins, frontier.keys[index]) }),
  focus: (index) => panel.explain(index),
  light,
});
const panel = new Panel({ light, choose, complete, grow: setBudget });
const presets = new Presets({
  length: (unit, wanted) => store.change({ unit, budgets: { ...store.now.budgets, [unit]: wanted }, ...(unit !== store.now.unit && { second: null }) }),
  sections: (keys) => {
    const out = Object.entries(store.now.pins).filter(([, pin]) => pin === "out");
    const pins = Object.fromEntries([...out, ...keys.map((key) => [key, "in"])]);
    store.change({ unit: "sentences", budgets: { ...store.now.budgets, sentences: keys.length }, second: null, pins });
  },
});
const texts = new Texts(store, { view: showControls, goTo: (id) => source.revealDocument(id) });
const minimap = new Minimap($("minimap"), $("source"), (index) => source.reveal(index));
let frontier = null; // the last answer
let scale = new Scale(20, 3000);
let chosenLanguage = ""; // by the reader, for the page
let counted = ""; // what counts tokens, if the server can
let isFresh = true; // whether nothing of the text was shown yet

/** The user's budget in this unit, or the default. */
function budget() {
  const { budgets, unit, documents } = store.now;
  const language = frontier?.language ?? (/\p{Script=Han}/u.test(documents[0].text.slice(0, 200)) ? "zh" : "en");
  return budgets[unit] ?? (DEFAULTS[language] ?? DEFAULTS.en)[unit];
}

function ask() {
  const documents = texts.all;
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
  if (!alone) presets.learn(frontier); // without a server, there are no pins
  $("unpin").hidden = !frontier.pins.size || alone;
  scale = new Scale(frontier.least, frontier.capacity);
  if (!frontier.partial) panel.draw(frontier, scale);
  const { unit, sentences, length, by } = frontier;
  $("facts").textContent = amount(sentences.length, "sentences") + (unit === "sentences" ? "" : ` · ${amount(length, unit)}`);
  show();
  if (isFresh && !texts.isWriting) source.begin();
  isFresh = texts.isWriting;
  settle();
  if (!alone) listModels(by.name).catch(showProblem);
}

function showBusy(is) {
  document.body.classList.toggle("asking", is);
  $("result").ariaBusy = is;
}

function showFailure(problem) {
  if (!(problem instanceof Problem)) throw problem;
  const { model, steady } = store.now;
  if (model && problem.fields.includes("model")) store.set({ model: null }); // the address may come from another server
  else if (steady && problem.fields.includes("nested")) {
    store.set({ steady: false }); // the text is too long for it
    showControls();
    toast(say("steadyMost"));
  } else if (store.now.unit === "tokens" && problem.fields.some((field) => ["unit", "max_tokens"].includes(field))) {
    store.set({ unit: "chars" }); // the address may come from a server that counts them
    showControls();
  } else return showProblem(problem);
  ask();
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
  presets.clear();
  $("unpin").hidden = true;
  $("facts").textContent = "";
}

function showBudget() {
  presets.show(counted);
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
  if (now.documents !== before.documents) {
    source.preview(texts.all);
    isFresh = true;
    forget();
  } else if (frontier && now.pins !== before.pins) source.pin(new Map(frontier.keys.map((key, index) => [index, now.pins[key]]).filter(([, pin]) => pin)));
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
  texts.show();
  if ($("question").value !== now.question) $("question").value = now.question;
  if (now.unit === "tokens") offerTokens();
  $("unit").value = now.unit;
  $("steady").checked = now.steady;
  $("bullets").checked = document.body.classList.toggle("bullets", now.bullets);
  $("undo").disabled = !store.canUndo;
  $("redo").disabled = !store.canRedo;
  document.body.classList.toggle("empty", !texts.all.length);
  document.body.classList.toggle("example", Boolean(now.example));
  for (const button of document.querySelectorAll("[data-example]")) button.hidden = button.dataset.example === now.example;
  panel.compare(now.second);
}

/** Show a sentence of the summary in its text, and say why it is there. */
function choose(index) {
  if (texts.isWriting) texts.write(false);
  source.reveal(index);
  source.light(index);
  panel.explain(index);
}

/** Add what a sentence needs, and make room for both if there is none. */
function complete(index) {
  const { keys, sentences, lengths, gap, unit } = frontier;
  const { needs } = sentences[index];
  const pins = { ...store.now.pins, [keys[index]]: "in", [keys[needs]]: "in" };
  const kept = keys.flatMap((key, at) => (pins[key] === "in" ? [lengths[at]] : []));
  const least = kept.reduce((sum, length) => sum + length, gap * (kept.length - 1));
  const wanted = Math.max(budget(), least);
  const isLonger = wanted > budget();
  store.change({ pins, ...(isLonger && { budgets: { ...store.now.budgets, [unit]: wanted } }) });
  if (isLonger) toast(say("addedIt", { amount: amount(wanted, unit) }), true);
  $("slider").focus({ preventScroll: true }); // the button itself disappears
}

function offerTokens() {
  if (![...$("unit").options].some(({ value }) => value === "tokens")) $("unit").add(new Option(say("unit.tokens"), "tokens"));
  $("unit").options[$("unit").options.length - 1].dataset.say = "unit.tokens";
}

/** Offer the server's models, once it has answered with one of them. */
async function listModels(current) {
  if (!$("model").options.length) {
    const { models, tokenizer } = await askModels();
    counted = tokenizer ?? "";
    if (counted) offerTokens();
    showBudget();
    $("model").replaceChildren(...models.map(({ name }) => new Option(name, name)));
    $("which").hidden = models.length < 2;
  }
  $("model").value = current;
}

// Listening.

function setBudget(wanted) {
  store.change({ budgets: { ...store.now.budgets, [store.now.unit]: wanted } }, "budget");
}

function step(way) {
  flush();
  way();
  texts.write(!texts.all.length || (texts.isWriting && document.activeElement === $("input")));
}

async function setLanguage(code) {
  chosenLanguage = code;
  hideToast(); // it speaks the other language
  speak(code);
  const other = EXAMPLES[code];
  if (Object.values(EXAMPLES).includes(store.now.example) && store.now.example !== other) texts.example(other, await askExample(other));
  else if (frontier) showAnswer(frontier);
  showControls();
}

const flush = prepareInput({
  came: (documents) => texts.came(documents),
  typed: (text) => texts.typed(text),
  example: (name, found) => texts.example(name, found),
  problem: (problem) => (problem instanceof Problem ? showProblem(problem) : Promise.reject(problem)),
  reading: (name) => {
    $("source").ariaBusy = Boolean(name);
    if (name) toast(say("file.reading", { name }));
    else hideToast();
  },
});
prepareTake({
  now: () => ({ frontier, budget: budget(), point: frontier.at(budget()) }),
  link: () => linkOf(settings(), { ...store.now, documents: texts.all }),
  copied: () => panel.copied(),
  isList: () => store.now.bullets,
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
$("bullets").addEventListener("change", () => {
  store.set({ bullets: $("bullets").checked });
  showControls();
  store.keep(chosenLanguage);
});
$("bookmarklet").addEventListener("click", async (event) => {
  event.preventDefault();
  await copy(bookmarklet());
  toast(say("bookmarkletCopied"));
});
$("question").addEventListener("change", () => store.change({ question: $("question").value }));
$("unpin").addEventListener("click", () => {
  store.change({ pins: {} });
  $("edit").focus(); // the button itself disappears
});
$("read").addEventListener("click", () => {
  flush();
  texts.write(false);
  $("edit").focus();
});
$("undo").addEventListener("click", () => step(store.undo));
$("redo").addEventListener("click", () => step(store.redo));
$("toast-undo").addEventListener("click", () => step(store.undo));
$("language").addEventListener("click", () => setLanguage(spoken === "zh" ? "en" : "zh"));
document.addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(key) || event.target.id === "token") return;
  event.preventDefault();
  step(key === "y" || event.shiftKey ? store.redo : store.undo);
});
addEventListener("hashchange", () => applyAddress(readAddress()).catch(showProblem));
addEventListener("pagehide", () => store.keep(chosenLanguage));

/** Take over what an address says. */
async function applyAddress({ unit = store.now.unit, budget: wanted, model, steady, packed, pasted, title, language }) {
  if (pasted) return texts.came([newDocument(pasted, title)]);
  const carried = packed ? await unpack(packed).catch(() => toast(say("linkBad"))) : null;
  if (language && language !== spoken) await setLanguage(language);
  const budgets = wanted ? { ...store.now.budgets, [unit]: wanted } : store.now.budgets;
  store.change({ unit, budgets, ...(model && { model }), ...(steady && { steady }), ...(carried && { ...carried, active: 0, example: null }) });
  if (carried) texts.write(false);
}

/** Begin with what the address carries, or the draft of this tab, or an example. */
async function begin() {
  const { unit, budget: wanted, model, steady, packed, pasted, title, language } = readAddress();
  const kept = packed || pasted ? null : draft();
  chosenLanguage = language ?? kept?.spoken ?? "";
  speak(chosenLanguage || preferred());
  $("bookmarklet").href = bookmarklet();
  $("question").readOnly = document.body.classList.toggle("alone", alone);
  let damaged = false;
  const carried = packed ? await unpack(packed).catch(() => void (damaged = true)) : null;
  const selected = pasted ? { documents: [newDocument(pasted, title)] } : null;
  const opened = kept ?? selected ?? carried ?? { example: EXAMPLES[spoken], ...(await askExample(EXAMPLES[spoken])) };
  const documents = opened.documents.map((each) => (each.id ? each : newDocument(each.text, each.name)));
  const begun = { ...opened, documents, unit: unit ?? kept?.unit ?? "chars", model: model ?? kept?.model ?? null, steady: steady ?? kept?.steady ?? false };
  begun.budgets = { ...kept?.budgets, ...(wanted && { [begun.unit]: wanted }) };
  store.begin(begun);
  texts.write(!texts.all.length);
  source.preview(texts.all);
  ask();
  if (damaged) toast(say("linkBad"));
}

// The panel has no scroll bar of its own: one that is taller than the window moves with the page until its end is in sight.
const aside = document.querySelector("aside");
const place = () => aside.style.setProperty("--top", `${Math.min(16, innerHeight - aside.offsetHeight - 16)}px`);
new ResizeObserver(place).observe(aside);
addEventListener("resize", place);

begin().catch(showProblem).finally(() => document.body.classList.remove("starting"));
