/** A small plot of value against length, on the slider's scale and right above it. */

import { POSITIONS } from "./scale.js";

const HEIGHT = 100;
const TOP = 8;

export class Plot {
  constructor(svg) {
    this.svg = svg;
    this.all = add(svg, "path", "all");
    this.window = add(svg, "svg", "window"); // shows the part within the budget
    this.window.setAttribute("height", HEIGHT);
    this.window.setAttribute("aria-hidden", "true");
    this.within = add(this.window, "path", "within");
    this.line = add(svg, "path", "line");
    this.here = add(svg, "path", "here");
  }

  /** Draw a frontier. */
  draw(frontier, scale) {
    this.scale = scale;
    this.best = frontier.best || 1;
    const points = frontier.steps.map(({ length, value }) => [this.#x(length), this.#y(value)]);
    points.sort(([a], [b]) => a - b); // a larger budget may give a shorter summary
    for (const path of [this.all, this.within]) path.setAttribute("d", area(points));
    this.line.setAttribute("d", stairs(points));
  }

  clear() {
    for (const path of [this.all, this.within, this.line, this.here]) path.setAttribute("d", "");
  }

  /** Show the current point. */
  show({ length, value, chosen }, budget, said) {
    this.window.setAttribute("width", this.#x(budget));
    // A line of no length with a round cap is a dot that stays round when the plot is stretched.
    this.here.setAttribute("d", chosen.length ? `M${this.#x(length)} ${this.#y(value)}h.001` : "");
    this.svg.setAttribute("aria-label", said);
  }

  #x(length) {
    return Math.round(this.scale.position(length) * 10) / 10;
  }

  #y(value) {
    return Math.round((HEIGHT - (HEIGHT - TOP) * Math.max(0, value / this.best)) * 10) / 10;
  }
}

function stairs(points) {
  if (!points.length) return "";
  const [[x, y], ...rest] = points;
  return `M${x} ${y}${rest.map(([x2, y2]) => `H${x2}V${y2}`).join("")}H${POSITIONS}`;
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
