// Sets the clock of a process two hours forward.
const HOURS = 2 * 60 * 60 * 1000;
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + HOURS);
    else super(...args);
  }

  static now() {
    return Real.now() + HOURS;
  }
};
