// Leads from a figure to the sales that it counts.

import {today} from "./format.js";
import {href} from "./route.js";

// Any other name stands for all of them.
const statuses = {sold: "EFETIVADA", cancelled: "CANCELADA", refused: "NEGADA", open: "open", held: "AUTORIZADA"};

// Today's figures count what is open whenever it was begun.
const isOfAnyDay = (name, day) => (name === "open" || name === "held") && day === today();

// Returns the address of the sales of one day that count as `name`; `more` are further filters.
export const salesOf = (name, day, more = {}) =>
  href("sales", [], {status: statuses[name], ...more, ...(isOfAnyDay(name, day) ? {} : {from: day, until: day})});
