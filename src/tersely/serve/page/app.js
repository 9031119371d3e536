/** The page: one text, one answer from the server, and a slider through all its summaries. */

import { readAddress, writeAddress } from "./address.js";
import { askModels, Problem } from "./api.js";
import { Asker } from "./asker.js";
import { prepareInput } from "./input.js";
import { amount } from "./lengths.js";
import { hideProblem, prepareNotice, showProblem } from "./notice.js";
import { Pins } from "./pins.js";
import { Plot } from "./plot.js";
import { Result } from "./result.js";
import { Scale } from "./scale.js";
import { Source } from "./source.js";

const $ = (id) => document.getElementById(id);
const SETTLE = 300; // milliseconds after a move
const DEFAULTS = {
  en: { chars: 280, words: 50, sentences: 3, bytes: 280 },
  zh: { chars: 100, words: 100, sentences: 3, bytes: 300 },
};

const state = { text: "", unit: "chars", model: null, budgets: {}, language: "en", frontier: null };
let scale = new Scale(20, 3000);
const pins = new Pins($("unpin"), ask);
const source = new Source($("source"), pins);
const result = new Result();
const plot = new Plot($("plot"));
const asker = new Asker({
  answer: showAnswer,
  busy: (is) => {
    document.body.classList.toggle("asking", is);
    $("result").ariaBusy = is;
  },
  problem: showFailure,
});

/** The user's budget in this unit, or the default. */
const budget = () => state.budgets[state.unit] ?? (DEFAULTS[state.language] ?? DEFAULTS.en)[state.unit];

function ask() {
  if (state.text.trim()) asker.ask({ ...state, include: pins.all("in"), exclude: pins.all("out") });
  else showNothing();
}

// Showing.

function showAnswer(frontier) {
  hideProblem();
  const { unit, sentences, language } = frontier;
  if (source.text !== frontier.source) source.render(frontier);
  else source.shade(sentences);
  Object.assign(state, { frontier, language });
  scale = new Scale(frontier.least, frontier.capacity);
  plot.draw(frontier, scale);
  const size = unit === "sentences" ? "" : `, ${amount(frontier.length, unit)}`;
  $("facts").textContent = amount(sentences.length, "sentences") + size;
  show();
  settle();
  listModels(frontier.model.name).catch(showProblem);
}

function showFailure(problem) {
  if (!(problem instanceof Problem)) throw problem;
  if (state.model && problem.fields.includes("model")) setSettings({ model: null }); // the address may come from another server
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
  state.frontier = null;
  result.clear();
  plot.clear();
  $("facts").textContent = "";
}

function showBudget() {
  if ($("budget").valueAsNumber !== budget()) $("budget").value = budget();
  $("slider").value = scale.position(budget());
  $("slider").setAttribute("aria-valuetext", amount(budget(), state.unit));
}

/** Show the summary for the budget, using only the last answer. */
function show() {
  showBudget();
  const { frontier, unit } = state;
  if (frontier?.unit !== unit) return;
  const point = frontier.at(budget());
  source.mark(point.chosen);
  result.show(frontier, point, budget());
  plot.show(point, budget(), `Value against length: ${$("share").textContent} at ${amount(point.length, unit)}`);
}

let settling = 0;
/** Do what can wait until the slider rests. */
function settle() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    writeAddress({ ...state, budget: budget() });
    if (state.frontier?.unit === state.unit) asker.refine(state.frontier, budget());
  }, SETTLE);
}

// Listening.

let frame = 0;
function setBudget(wanted) {
  state.budgets[state.unit] = wanted;
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    show();
    settle();
  });
}

function setSettings({ unit, budget: wanted, model }) {
  state.unit = unit ?? state.unit;
  if (model !== undefined) state.model = model;
  if (wanted) state.budgets[state.unit] = wanted;
  $("unit").value = state.unit;
  showBudget();
  settle();
  ask();
}

/** Take a text; one that came whole is shown for reading, one being typed stays in the editor. */
function setText(written, whole) {
  const text = written.toWellFormed?.() ?? written; // half a character cannot be sent
  if (text !== state.text) {
    state.text = text;
    pins.clear();
    source.preview(text);
    forget();
  }
  if ($("input").value !== text) $("input").value = text;
  document.body.classList.toggle("empty", !text.trim());
  if (whole && text.trim()) {
    write(false);
    $("slider").focus({ preventScroll: true });
  }
  ask();
}

function write(is) {
  document.body.classList.toggle("writing", is);
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

prepareInput(setText, showProblem);
prepareNotice(() => {
  hideProblem();
  ask();
});
$("slider").addEventListener("input", () => setBudget(scale.budget($("slider").valueAsNumber)));
$("slider").addEventListener("keydown", (event) => {
  const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (!direction || !state.frontier) return;
  event.preventDefault();
  setBudget(state.frontier.next(budget(), direction));
});
$("budget").addEventListener("input", () => {
  if ($("budget").value && $("budget").validity.valid) setBudget($("budget").valueAsNumber);
});
$("budget").addEventListener("blur", showBudget);
$("unit").addEventListener("change", () => setSettings({ unit: $("unit").value }));
$("model").addEventListener("change", () => setSettings({ model: $("model").value }));
$("unpin").addEventListener("click", () => $("edit").focus()); // the button itself disappears
$("edit").addEventListener("click", () => {
  write(true);
  $("input").setSelectionRange(0, 0);
  $("input").focus();
});
$("read").addEventListener("click", () => {
  write(false);
  $("edit").focus();
});
$("new").addEventListener("click", () => {
  write(true);
  $("input").focus();
  $("input").select();
  document.execCommand("delete"); // unlike a new value, this can be undone
  setText("", false);
});
addEventListener("hashchange", () => setSettings(readAddress()));
addEventListener("pageshow", () => {
  // The browser restores the text for a returning user.
  if ($("input").value && !state.text) setText($("input").value, document.activeElement !== $("input"));
});
setSettings(readAddress());
