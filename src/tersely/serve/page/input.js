/** The ways to enter a text: typed, pasted, dropped, opened, or an example. */

import { askExample, askExtract, Problem } from "./api.js";
import { say } from "./speech.js";
import { newDocument } from "./state.js";

const $ = (id) => document.getElementById(id);
const PAUSE = 350; // milliseconds without a keystroke before typed text is sent
const PLAIN = /(^[^.]*|\.(txt|text|log))$/i; // the page reads these itself, in UTF-8 or UTF-16
const OTHER = /^\s*(?:[<{%]|WEBVTT|\d+\s*[\n\r]+\s*\d+:\d|From |[!-9;-~]{1,60}:)/; // unless they begin like another kind

/** `hear.typed(text)`, `hear.came(documents)` and `hear.example(name, example)` get texts; `hear.problem` gets what cannot be read. */
export function prepareInput(hear) {
  const take = (reading) => reading.then((documents) => hear.came(documents), hear.problem);
  const text = (pasted) => hear.came([newDocument(pasted)]);
  let pause = 0;
  let pasted = false;
  const send = () => {
    pause = 0;
    hear.typed($("input").value);
  };

  $("input").addEventListener("paste", () => (pasted = $("input").value === ""));
  $("input").addEventListener("input", () => {
    clearTimeout(pause);
    pause = 0;
    const whole = pasted;
    pasted = false;
    if (whole) text($("input").value);
    else pause = setTimeout(send, PAUSE);
  });
  $("open").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", () => {
    if ($("file").files.length) take(readAll([...$("file").files], hear));
    $("file").value = "";
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    const { example } = button.dataset;
    button.addEventListener("click", () => askExample(example).then((found) => hear.example(example, found), hear.problem));
  }
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    if (event.clipboardData.files.length) take(readAll([...event.clipboardData.files], hear));
    else if (event.clipboardData.getData("text/plain").trim()) text(event.clipboardData.getData("text/plain"));
  });
  prepareDrop((data) => {
    if (data.files.length) take(readAll([...data.files], hear));
    else if (data.getData("text/plain").trim()) text(data.getData("text/plain"));
  });
  /** Send without waiting what was typed and not sent yet. */
  return () => {
    clearTimeout(pause);
    if (pause) send();
  };
}

function prepareDrop(onDrop) {
  const over = (is) => document.body.classList.toggle("dropping", is);
  let own = false;
  const fromHere = ({ dataTransfer }) => own && !dataTransfer.types.includes("Files"); // so it is not a new text
  document.addEventListener("dragstart", () => (own = true));
  document.addEventListener("dragend", () => (own = false));
  document.addEventListener("dragover", (event) => {
    if (fromHere(event)) return;
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget ?? over(false));
  document.addEventListener("drop", (event) => {
    if (fromHere(event)) return;
    event.preventDefault();
    over(false);
    onDrop(event.dataTransfer);
  });
}

/** All files or none: if one cannot be read, everything stays as it was. */
async function readAll(files, hear) {
  const documents = [];
  for (const file of files) {
    hear.reading(file.name);
    documents.push(await read(file).finally(() => hear.reading(null)));
  }
  return documents;
}

async function read(file) {
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => refuse(file, "file.unread")));
  const plain = PLAIN.test(file.name) ? decoded(bytes) : null;
  const isOther = plain === null || OTHER.test(plain.slice(0, 4000));
  const { form = "text", text, places, blocks, notes = [] } = isOther ? await extracted(file) : { text: plain };
  if (!text.trim()) refuse(file, "file.empty");
  // The blocks of a plain text are found again by its lines.
  return { ...newDocument(text, file.name, form === "text" ? {} : { places, blocks }), notes };
}

/** The text of a file in UTF-8 or UTF-16, or none. */
function decoded(bytes) {
  const utf16 = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()];
  try {
    const text = new TextDecoder(utf16 ?? "utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

async function extracted(file) {
  try {
    return await askExtract(file);
  } catch (error) {
    if (error.status === 404) refuse(file, "file.kind");
    if (error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 408 && error.status !== 429) {
      const { length } = file.name;
      const named = error.message.slice(0, length).toLowerCase() === file.name.toLowerCase();
      throw new Problem(error.status, say(named ? "file.is" : "file.noted", { name: file.name, notes: named ? error.message.slice(length).trim() : error.message }));
    }
    throw error;
  }
}

function refuse({ name }, why) {
  throw new Problem(415, say(why, { name }));
}
