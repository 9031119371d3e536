/** Positions of budgets on the slider; the scale is logarithmic, so that small budgets have room. */

export const POSITIONS = 1000;
const FEW = 30; // up to this many budgets are spaced evenly

export class Scale {
  constructor(least, most) {
    this.most = Math.max(1, most);
    this.even = this.most <= FEW;
    this.least = this.even ? 1 : Math.max(1, Math.min(Math.floor(least * 0.8), this.most));
  }

  budget(position) {
    const part = position / POSITIONS;
    if (this.even) return Math.round(1 + (this.most - 1) * part);
    return Math.round(this.least * (this.most / this.least) ** part);
  }

  position(budget) {
    const within = Math.min(Math.max(budget, this.least), this.most);
    if (this.most === this.least) return POSITIONS;
    if (this.even) return ((within - 1) / (this.most - 1)) * POSITIONS;
    return (Math.log(within / this.least) / Math.log(this.most / this.least)) * POSITIONS;
  }
}
