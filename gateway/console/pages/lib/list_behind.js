// Leads from a figure to the sales that it counts.

import {href} from "./route.js";

// Any other name stands for all of them.
const statuses = {sold: "EFETIVADA", cancelled: "CANCELADA", refused: "NEGADA", open: "open", held: "AUTORIZADA"};

// Returns the address of the sales of one day that count as `name`; `more` are further filters.
export const salesOf = (name, day, more = {}) =>
  href("sales", [], {status: statuses[name], ...more, from: day, until: day});
