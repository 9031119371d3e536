/** The sentences that the user keeps or leaves out. */

export class Pins {
  #pins = new Map(); // sentence -> "in" or "out"

  /** `button` removes all pins; `onChange` is called for each change by the user. */
  constructor(button, onChange) {
    this.button = button;
    this.onChange = onChange;
    this.onClear = () => {};
    button.addEventListener("click", () => {
      this.clear();
      onChange();
    });
  }

  get(index) {
    return this.#pins.get(index);
  }

  all(pin) {
    return [...this.#pins.keys()].filter((index) => this.#pins.get(index) === pin);
  }

  /** In, then out, then neither. */
  cycle(index) {
    const now = this.#pins.get(index);
    if (now === "out") this.#pins.delete(index);
    else this.#pins.set(index, now ? "out" : "in");
    this.button.hidden = !this.#pins.size;
    this.onChange();
  }

  clear() {
    const were = [...this.#pins.keys()];
    this.#pins.clear();
    this.button.hidden = true;
    this.onClear(were);
  }
}
