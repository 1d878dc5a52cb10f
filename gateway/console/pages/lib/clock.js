// The time at the gateway. The clock of the reader's machine may be wrong, and what day it is decides what is closed.

// The time of an answer is told in whole seconds, and the answer takes a while to come: so much is no difference.
const toleratedMs = 5_000;

let aheadMs = 0;

export const now = () => Date.now() + aheadMs;

// `date`: the Date of an answer.
export function setClock(date) {
  const difference = Date.parse(date) - Date.now();
  if (Number.isFinite(difference)) aheadMs = Math.abs(difference) > toleratedMs ? difference : 0;
}
