/** The whole text as a narrow strip at its margin: what is chosen, kept and left out, and what is on the screen. */

const HEIGHT = 1000;
const KINDS = ["chosen", "in", "out", "lit"];

export class Minimap {
  /** `onChoose(index)` gets the sentence at the place of a click. */
  constructor(svg, box, onChoose) {
    this.svg = svg;
    this.box = box;
    this.view = add(svg, "rect", { class: "view", x: 0, width: 10 });
    this.paths = Object.fromEntries(KINDS.map((kind) => [kind, add(svg, "path", { class: kind })]));
    this.clear();
    svg.addEventListener("click", ({ clientY }) => {
      const { top, height } = svg.getBoundingClientRect();
      const place = (HEIGHT * (clientY - top)) / height;
      const index = this.places.findIndex(([, end]) => end >= place);
      if (this.places.length) onChoose(index < 0 ? this.places.length - 1 : index);
    });
    addEventListener("scroll", () => this.look(), { passive: true });
    addEventListener("resize", () => this.look());
  }

  clear() {
    this.places = [];
    for (const path of Object.values(this.paths)) path.setAttribute("d", "");
  }

  /** Lay out the sentences of a text by their lengths. */
  render({ sentences }) {
    const total = sentences.reduce((sum, { text }) => sum + text.length, 0) || 1;
    let at = 0;
    this.places = sentences.map(({ text }) => {
      const start = at;
      at += text.length;
      return [(HEIGHT * start) / total, (HEIGHT * at) / total];
    });
    this.look();
  }

  /** Show which sentences are chosen, and the pins. */
  mark(chosen, pins) {
    this.paths.chosen.setAttribute("d", this.#bars(chosen, 3));
    for (const pin of ["in", "out"]) this.paths[pin].setAttribute("d", this.#bars([...pins.keys()].filter((index) => pins.get(index) === pin), pin === "in" ? 0 : 6));
  }

  light(index) {
    this.paths.lit.setAttribute("d", index === null ? "" : this.#bars([index], 0));
  }

  /** Show which part of the text is on the screen. */
  look() {
    const { top, height } = this.box.getBoundingClientRect();
    if (!height) return;
    const from = Math.min(Math.max(-top / height, 0), 1);
    const to = Math.min(Math.max((innerHeight - top) / height, 0), 1);
    this.view.setAttribute("y", HEIGHT * from);
    this.view.setAttribute("height", Math.max(0, HEIGHT * (to - from)));
  }

  #bars(indices, x) {
    return indices.filter((index) => this.places[index]).map((index) => {
      const [start, end] = this.places[index];
      const height = Math.max(3, end - start - 2);
      return `M${x} ${start + 1}H10V${start + 1 + height}H${x}Z`;
    }).join("");
  }
}

function add(parent, name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return parent.appendChild(element);
}
