/** A summary on the page: each sentence leads to its place in the text. */

const PLENTY = 12_000; // characters; laying out more in each frame would stutter
const AT_REST = 150; // milliseconds

export class SummaryView {
  #spans = new Map();
  #shown = "";
  #rest = 0;
  #frontier = null;

  /** `hear.light(index or null)` and `hear.choose(index)` get what the user does. */
  constructor(box, hear) {
    this.box = box;
    this.hear = hear;
    const index = ({ target }) => (target.closest("[data-index]") ? Number(target.closest("[data-index]").dataset.index) : null);
    box.addEventListener("pointerover", (event) => hear.light(index(event)));
    box.addEventListener("pointerleave", () => hear.light(null));
    box.addEventListener("focusin", (event) => hear.light(index(event)));
    box.addEventListener("focusout", () => hear.light(null));
    box.addEventListener("click", (event) => {
      if (index(event) === null || !getSelection().isCollapsed) return; // a selection is for copying
      this.#focusable(event.target.closest("[data-index]"));
      hear.choose(index(event));
    });
    box.addEventListener("keydown", (event) => this.#pressed(event));
  }

  clear() {
    this.#frontier = null;
    this.#spans.clear();
    this.#shown = "";
    clearTimeout(this.#rest);
    this.box.replaceChildren();
  }

  /** Show one point of a frontier. */
  show(frontier, point) {
    if (this.#frontier?.documents !== frontier.documents) this.clear();
    this.#frontier = frontier;
    const wanted = `${point.isWhole} ${point.chosen} ${point.text}`;
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    clearTimeout(this.#rest);
    this.box.lang = frontier.language === "other" ? "" : frontier.language;
    this.#write(point, PLENTY);
    if (point.text.length > PLENTY) this.#rest = setTimeout(() => this.#write(point, Infinity), AT_REST);
  }

  light(index) {
    this.lit?.classList.remove("lit");
    this.lit = this.#spans.get(index);
    this.lit?.classList.add("lit");
  }

  /** Mark what the other summary does not have, and nothing if there is no other. */
  contrast(other) {
    const has = other && new Set(other);
    for (const [index, span] of this.#spans) span.classList.toggle("only", Boolean(has) && !has.has(index));
  }

  #write({ chosen, isWhole }, most) {
    const { sentences, separator, documents } = this.#frontier;
    const nodes = [];
    const lacking = new Set(this.#frontier.lacking(chosen));
    let length = 0;
    let before = null;
    for (const index of chosen) {
      const sentence = sentences[index];
      if (length > most) {
        nodes.push("…");
        break;
      }
      if (before) nodes.push(isWhole ? sentence.before : separator);
      const line = document.createElement("span");
      line.className = "line";
      const lead = isWhole ? "" : this.#frontier.lead(index, before?.index);
      if (lead) line.append(Object.assign(document.createElement("b"), { className: "speaker", textContent: lead }));
      const changes = documents.length > 1 && before?.document !== sentence.document;
      if (changes) line.dataset.from = documents.find(({ id }) => id === sentence.document).name;
      const span = this.#span(index);
      const text = isWhole ? this.#frontier.original(index) : sentence.text; // the whole text is as it is
      if (span.textContent !== text) span.textContent = text;
      span.classList.toggle("lacks", lacking.has(index));
      line.append(span);
      nodes.push(line);
      length += sentence.text.length;
      before = sentence;
    }
    const focused = this.box.contains(document.activeElement) ? document.activeElement : null;
    this.box.replaceChildren(...nodes);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    if (!this.box.querySelector("[tabindex]")) this.box.querySelector("[data-index]")?.setAttribute("tabindex", "0");
  }

  #span(index) {
    if (!this.#spans.has(index)) {
      const span = document.createElement("span");
      span.dataset.index = index;
      span.setAttribute("role", "link");
      this.#spans.set(index, span);
    }
    return this.#spans.get(index);
  }

  #pressed(event) {
    const span = event.target.closest("[data-index]");
    if (!span || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = [...this.box.querySelectorAll("[data-index]")];
    const at = all.indexOf(span);
    const moves = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 };
    if (event.key === "Enter" || event.key === " ") this.hear.choose(Number(span.dataset.index));
    else if (event.key in moves) this.#focusable(all[Math.min(Math.max(moves[event.key], 0), all.length - 1)]).focus();
    else return;
    event.preventDefault();
  }

  /** One sentence is in the tab order, and the arrow keys reach the others. */
  #focusable(span) {
    for (const each of this.box.querySelectorAll("[tabindex]")) each.removeAttribute("tabindex");
    span.tabIndex = 0;
    return span;
  }
}
