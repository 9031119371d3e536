/** How much of the text's main words a summary covers, against its length; on the slider's scale and right above it. */

import { grouped } from "./speech.js";
import { POSITIONS } from "./scale.js";

const HEIGHT = 100;
const TOP = 6;
const APART = 130; // positions between two ticks

export class Plot {
  constructor(svg, ticks) {
    this.svg = svg;
    this.ticks = ticks;
    this.grid = add(svg, "path", "grid");
    this.grid.setAttribute("d", [1, 0.5].map((part) => `M0 ${y(part)}H${POSITIONS}`).join(""));
    this.all = add(svg, "path", "all");
    this.window = add(svg, "svg", "window"); // shows the part within the budget
    this.window.setAttribute("height", HEIGHT);
    this.window.setAttribute("aria-hidden", "true");
    this.within = add(this.window, "path", "within");
    this.line = add(svg, "path", "line");
    this.stem = add(svg, "path", "stem");
    this.other = add(svg, "path", "other");
    this.here = add(svg, "path", "here");
  }

  /** Draw a frontier; `share(step)` is the part of the main words that a step covers. */
  draw(frontier, scale, share) {
    this.scale = scale;
    const points = frontier.steps.map((step) => [this.#x(step.budget), y(share(step))]);
    for (const path of [this.all, this.within]) path.setAttribute("d", area(points));
    this.line.setAttribute("d", stairs(points));
    this.ticks.replaceChildren(...ticksOf(scale).map((budget) => this.#tick(budget)));
  }

  clear() {
    for (const path of [this.all, this.within, this.line, this.stem, this.other, this.here]) path.setAttribute("d", "");
    this.ticks.replaceChildren();
  }

  /** Show the current budget and the share covered, and those of a second summary. */
  show(budget, share, second, said) {
    const x = this.#x(budget);
    this.window.setAttribute("width", x);
    this.here.setAttribute("d", dot(x, y(share)));
    this.stem.setAttribute("d", `M${x} ${y(share)}V${HEIGHT}`);
    this.other.setAttribute("d", second ? dot(this.#x(second.budget), y(second.share)) : "");
    this.svg.setAttribute("aria-label", said);
  }

  #x(budget) {
    return Math.round(this.scale.position(budget) * 10) / 10;
  }

  #tick(budget) {
    const tick = document.createElement("span");
    tick.textContent = grouped(budget);
    tick.style.setProperty("left", `${this.#x(budget) / 10}%`);
    return tick;
  }
}

/** A few round budgets that are far enough apart. */
function ticksOf(scale) {
  const round = [];
  for (let power = 1; power <= scale.most; power *= 10) for (const times of scale.even ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 2, 5]) round.push(times * power);
  const ticks = [];
  for (const budget of round.filter((each) => each >= scale.least && each <= scale.most)) {
    const before = ticks.length ? scale.position(ticks.at(-1)) : -POSITIONS;
    if (scale.position(budget) - before >= APART) ticks.push(budget);
  }
  return ticks;
}

function y(share) {
  return Math.round((HEIGHT - (HEIGHT - TOP) * share) * 10) / 10;
}

/** A line of no length with a round cap is a dot that stays round when the plot is stretched. */
function dot(x, height) {
  return `M${x} ${height}h.001`;
}

function stairs(points) {
  if (!points.length) return "";
  const [[x, height], ...rest] = points;
  return `M${x} ${height}${rest.map(([x2, y2]) => `H${x2}V${y2}`).join("")}H${POSITIONS}`;
}

function area(points) {
  return points.length ? `${stairs(points)}V${HEIGHT}H${points[0][0]}Z` : "";
}

function add(parent, name, className) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  element.setAttribute("class", className);
  element.setAttribute("vector-effect", "non-scaling-stroke");
  return parent.appendChild(element);
}
