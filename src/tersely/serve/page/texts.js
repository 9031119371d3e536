/** How texts come and go: typed, dropped, removed, an example, and several of them in a list. */

import { alone } from "./api.js";
import { toast } from "./notice.js";
import { say, spoken, told } from "./speech.js";
import { named, newDocument } from "./state.js";

const $ = (id) => document.getElementById(id);
const isFilled = ({ text }) => text.trim();

export class Texts {
  /** `hear.view()` shows the controls anew, and `hear.goTo(id)` shows a text. */
  constructor(store, hear) {
    this.store = store;
    this.hear = hear;
    $("edit").addEventListener("click", () => {
      this.write(true);
      $("input").setSelectionRange(0, 0);
      $("input").focus();
    });
    $("new").addEventListener("click", () => this.#clear());
    $("add").addEventListener("click", () => this.#add());
  }

  /** The texts that are not empty, each with its own name. */
  get all() {
    return named(this.store.now.documents, (number) => say("document", { number }));
  }

  get isWriting() {
    return document.body.classList.contains("writing");
  }

  /** Show the editor, or the texts for reading. */
  write(is) {
    document.body.classList.toggle("writing", is);
    const { documents } = this.store.now;
    const filled = documents.filter(isFilled);
    if (!is && filled.length && filled.length < documents.length) this.store.set({ documents: filled, active: 0 });
    this.hear.view();
  }

  read() {
    this.write(false);
    $("slider").focus({ preventScroll: true });
  }

  /** Texts that came whole: they fill an empty place, join several others, or replace a single one. */
  came(documents) {
    const { now } = this.store;
    const filled = now.example ? [] : now.documents.filter(isFilled);
    const joins = filled.length > 1 || (filled.length && filled.length < now.documents.length);
    const whole = documents.map((each) => ({ ...each, text: wellFormed(each.text) }));
    const others = now.example ? { question: "", budgets: {}, pins: {} } : {};
    this.store.change({ documents: joins ? [...filled, ...whole] : whole, active: 0, example: null, ...others });
    this.read();
    const names = this.all.slice(-documents.length).map(({ name }) => name).join(", ");
    const done = joins ? say("added", { name: names }) : filled.length ? say("replaced") : "";
    const notes = documents.flatMap((each) => (each.notes ?? []).map((note) => say("file.noted", { name: each.name, notes: `${told(note)}${spoken === "zh" ? "。" : "."}` })));
    if (done || notes.length) toast([done, ...notes].filter(Boolean).join(" "), Boolean(done));
  }

  typed(text) {
    const { documents, active } = this.store.now;
    const written = wellFormed(text);
    if (documents[active].text === written) return;
    const now = documents.map((each, index) => (index === active ? { ...each, text: written, places: [], blocks: null } : each));
    this.store.change({ documents: now, example: null }, "typing");
  }

  example(name, { question, documents }) {
    const texts = documents.map((each) => newDocument(each.text, each.name));
    this.store.change({ documents: texts, question, active: 0, pins: {}, budgets: {}, second: null, example: name });
    this.read();
  }

  #clear() {
    const had = this.all.length > 0;
    this.store.change({ documents: [newDocument("")], active: 0, question: "", pins: {}, second: null, example: null });
    this.write(true);
    if (had) toast(say("cleared"), true);
    $("input").focus();
  }

  #add() {
    const filled = this.store.now.documents.filter(isFilled);
    this.store.set({ documents: [...filled, newDocument("")], active: filled.length, example: null });
    this.write(true);
    $("input").focus();
  }

  #remove(removed, name) {
    this.store.change({ documents: this.store.now.documents.filter((_, index) => index !== removed), active: 0, example: null });
    toast(say("removed", { name }), true);
    $("add").focus();
  }

  /** Show the text to edit, and the list of texts. */
  show() {
    const { documents, active } = this.store.now;
    const { text } = documents[active] ?? documents[0];
    if (text !== this.shown && $("input").value !== text.replace(/\r\n?/g, "\n")) $("input").value = text;
    this.shown = text;
    const listed = JSON.stringify([documents.map(({ name }) => name), this.isWriting && active, spoken]);
    if (listed !== this.listed) this.#list(documents, active);
    this.listed = listed;
  }

  /** List the texts, if there are several. */
  #list(documents, active) {
    $("documents").hidden = documents.length < 2;
    $("documents").replaceChildren(...documents.map((each, index) => {
      const name = each.name || say("document", { number: index + 1 });
      const item = document.createElement("li");
      const go = newButton(name, () => this.#goTo(index));
      go.setAttribute("aria-current", this.isWriting && index === active);
      const remove = newButton("×", () => this.#remove(index, name));
      remove.ariaLabel = say("remove", { name });
      item.append(go, ...(alone ? [] : [remove]));
      return item;
    }));
  }

  #goTo(active) {
    if (!this.isWriting) return this.hear.goTo(this.store.now.documents[active].id);
    this.store.set({ active });
    this.hear.view();
    $("input").focus();
  }
}

function newButton(text, onClick) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = text;
  button.addEventListener("click", onClick);
  return button;
}

/** Half a character cannot be sent. */
function wellFormed(text) {
  return text.toWellFormed?.() ?? text;
}
