
"use strict";

const form = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const copy = (id) => $(id).content.firstElementChild.cloneNode(true);

let rater = 0; // 1 is the first; 0 before the start
let place = 0; // in the rater's order of documents; one past the last is the end screen
let answers = {}; // summary id -> question -> points
let saved = true;

// What the browser saves.

const slot = (name) => `tersely-form-${form.id}-${name}`;

function recall(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(slot(name))) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function keep() {
  try {
    localStorage.setItem(slot("rater"), JSON.stringify(rater));
    localStorage.setItem(slot(`place-${rater}`), JSON.stringify(place));
    localStorage.setItem(slot(`answers-${rater}`), JSON.stringify(answers));
    saved = true;
  } catch {
    saved = false;
    $("warning").textContent = "This browser cannot save your answers: download them before you close the page.";
  }
  $("warning").hidden = saved;
}

// Counting.

const order = () => form.orders[rater - 1];
const answered = (id) => form.questions.filter(({ name }) => answers[id]?.[name]).length;
const given = (ids) => ids.reduce((sum, id) => sum + answered(id), 0);
const wanted = (ids) => ids.length * form.questions.length;
const all = () => order().flatMap(([, ids]) => ids);

function showCounts() {
  $("progress").max = wanted(all());
  $("progress").value = given(all());
  $("status").textContent = `${given(all())} of ${wanted(all())} ratings given${saved ? ", all saved" : ""}.`;
  if (place === order().length) return;
  const ids = order()[place][1];
  $("here").textContent = `${given(ids)} of ${wanted(ids)} rated`;
  for (const id of ids) $(id).classList.toggle("done", answered(id) === form.questions.length);
}

// The three screens.

function show(screen) {
  for (const id of ["start", "rate", "end"]) $(id).hidden = id !== screen;
  $("bar").hidden = screen === "start";
  $("change").textContent = `Rater ${rater} (change)`;
  scrollTo(0, 0);
  $(screen).querySelector("h1").focus();
}

function showStart() {
  rater = 0;
  show("start");
}

function showPlace(to) {
  place = to;
  keep();
  if (place === order().length) return showEnd();
  const [number, ids] = order()[place];
  const { source, language } = form.documents[number];
  $("heading").textContent = `Document ${place + 1} of ${order().length}`;
  $("source").open = true;
  $("text").textContent = source;
  $("text").lang = language;
  $("text").scrollTop = 0;
  $("cards").replaceChildren(...ids.map((id, at) => card(id, String.fromCharCode(65 + at), language)));
  $("previous").disabled = place === 0;
  $("next").textContent = place + 1 < order().length ? "Next" : "Finish";
  showCounts();
  show("rate");
}

function showEnd() {
  const unfinished = order().map(([, ids], at) => [at, ids]).filter(([, ids]) => given(ids) < wanted(ids));
  $("end").querySelector("h1").textContent = unfinished.length ? "Not quite finished" : "All done, thank you";
  $("open").textContent = unfinished.length
    ? "Some questions are still open. Answer them, or hand in what you have."
    : "Every summary is rated. Download your answers and hand them in.";
  $("places").replaceChildren(...unfinished.map(([at]) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Document ${at + 1}`;
    button.addEventListener("click", () => showPlace(at));
    item.append(button);
    return item;
  }));
  showCounts();
  show("end");
}

// One summary and its questions. Texts are only ever set as text.

function card(id, letter, language) {
  const element = copy("card");
  const text = element.querySelector(".text");
  element.id = id;
  element.querySelector("h2").textContent = `Summary ${letter}`;
  text.textContent = form.summaries[id].trim() || "(This summary is empty.)";
  text.classList.toggle("empty", !form.summaries[id].trim());
  text.lang = language;
  element.append(...form.questions.map((question) => fieldset(id, letter, question)));
  return element;
}

function fieldset(id, letter, { name, words }) {
  const element = copy("question");
  element.setAttribute("aria-label", `Summary ${letter}, ${name}: ${words}`);
  element.querySelector("strong").textContent = name;
  element.querySelector("legend span").textContent = words;
  element.querySelectorAll(".ends span").forEach((span, end) => (span.textContent = form.ends[end]));
  element.querySelector(".scale").append(...form.points.map((points, at) => {
    const label = copy("point");
    const input = label.querySelector("input");
    const meaning = { 0: form.ends[0], [form.points.length - 1]: form.ends[1] }[at];
    input.name = `${id}-${name}`;
    input.value = points;
    input.checked = answers[id]?.[name] === points;
    input.setAttribute("aria-label", meaning ? `${points}, ${meaning}` : points);
    label.querySelector("span").textContent = points;
    input.addEventListener("change", () => rate(id, name, points));
    return label;
  }));
  element.addEventListener("keydown", (event) => pressed(event, element));
  return element;
}

function rate(id, name, points) {
  answers[id] = { ...answers[id], [name]: points };
  keep();
  showCounts();
}

// A digit rates the question in focus and moves on to the next one.
function pressed(event, element) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const input = [...element.querySelectorAll("input")].find(({ value }) => value === event.key);
  if (!input) return;
  event.preventDefault();
  input.click();
  const questions = [...document.querySelectorAll("fieldset")];
  const following = questions[questions.indexOf(element) + 1];
  if (!following) return $("next").focus();
  const card = following.parentElement;
  (following.querySelector("input:checked") ?? following.querySelector("input")).focus();
  // The next summary has to be read first.
  if (card !== element.parentElement) card.scrollIntoView();
}

function download() {
  const kept = Object.fromEntries(all().filter((id) => answered(id)).map((id) => [id, answers[id]]));
  const content = JSON.stringify({ form: form.id, rater, answers: kept }, null, 1) + "\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = `answers-${form.id}-rater-${rater}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Wiring.

function enter(number) {
  rater = number;
  answers = recall(`answers-${rater}`, {});
  showPlace(Math.min(recall(`place-${rater}`, 0), order().length));
}

const count = (things, one, many) => `${things.length} ${things.length === 1 ? one : many}`;
$("size").textContent = [
  count(form.documents, "document", "documents"),
  count(Object.keys(form.summaries), "summary", "summaries"),
].join(" with ");
[$("low").textContent, $("high").textContent] = form.ends;
for (const { name, words } of form.questions) {
  const term = document.createElement("dt");
  const meaning = document.createElement("dd");
  term.textContent = name;
  meaning.textContent = words;
  $("asked").append(term, meaning);
}
form.orders.forEach((_, at) => $("rater").add(new Option(at + 1, at + 1)));
$("who").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(Number($("rater").value));
});
$("change").addEventListener("click", showStart);
$("previous").addEventListener("click", () => showPlace(place - 1));
$("next").addEventListener("click", () => showPlace(place + 1));
$("up").addEventListener("click", () => ($("source").open = true));
$("back").addEventListener("click", () => showPlace(order().length - 1));
$("download").addEventListener("click", download);

const last = recall("rater", 0);
if (form.orders[last - 1]) enter(last);
else showStart();
