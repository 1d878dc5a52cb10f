// Tells the time at the gateway. The reader's clock may be wrong, and the day decides what is closed.

// The time in an answer has whole seconds, and the answer takes a while to come. So much difference is ignored.
const toleratedMs = 5_000;

let aheadMs = 0;

export const now = () => Date.now() + aheadMs;

// `date` is the Date header of an answer.
export function setClock(date) {
  const difference = Date.parse(date) - Date.now();
  if (Number.isFinite(difference)) aheadMs = Math.abs(difference) > toleratedMs ? difference : 0;
}
