/** The ways to enter a text: typed, pasted, dropped, opened, or an example. */

import { askExample, Problem } from "./api.js";

const $ = (id) => document.getElementById(id);
const PAUSE = 350; // milliseconds without a keystroke before typed text is sent

/** `onText(text, whole)` gets each text, `whole` if it came all at once; `onProblem` gets what cannot be read. */
export function prepareInput(onText, onProblem) {
  const take = (reading) => reading.then((text) => onText(text, true), onProblem);
  let pause = 0;
  let pasted = false;

  $("input").addEventListener("paste", () => (pasted = $("input").value === ""));
  $("input").addEventListener("input", () => {
    clearTimeout(pause);
    const whole = pasted;
    pasted = false;
    if (whole) onText($("input").value, true);
    else pause = setTimeout(() => onText($("input").value, false), PAUSE);
  });
  $("open").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", () => {
    if ($("file").files.length) take(read($("file").files[0]));
    $("file").value = "";
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => take(askExample(button.dataset.example)));
  }
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (!event.target.closest?.("input, textarea") && text.trim()) onText(text, true);
  });
  prepareDrop((data) => {
    if (data.files.length) take(read(data.files[0]));
    else if (data.getData("text/plain")) onText(data.getData("text/plain"), true);
  });
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

async function read(file) {
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => refuse(file, "cannot be read")));
  const utf16 = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()];
  try {
    const text = new TextDecoder(utf16 ?? "utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // refused below
  }
  return refuse(file, "is not plain text in UTF-8. Save it as UTF-8, or paste the text");
}

function refuse(file, why) {
  throw new Problem(415, `“${file.name}” ${why}.`);
}
