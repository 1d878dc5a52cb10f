// Says that yesterday is not closed, and what was sold on it, with a button that leads to the close. Says also which
// earlier days are not closed.

import {get} from "./api.js";
import {closeButton} from "./close_day.js";
import {h} from "./dom.js";
import {day, exactTime, money, number} from "./format.js";
import {dotted, foreignShort, notice} from "./parts.js";
import {href} from "./route.js";
import {t} from "./words.js";

// Reads what a close of that day has to show first; nothing where there is nothing to close.
export async function totalsOf(unclosed, options) {
  if (unclosed.length === 0) return null;
  return get("/v1/totals", {day: unclosed[0].day, by: "estabelecimento"}, options);
}

export function unclosedNotice(unclosed, totals, view) {
  if (!totals) return null;
  const stores = unclosed.map(({estabelecimento, sold}) => ({name: estabelecimento, sold}));
  const of = ({name}) => stores.length > 1 && [" (", foreignShort(name), ")"];
  const one = (store) => {
    const {count, valor} = store.sold;
    return h("p", dotted(t("sales.count", {count, number: number(count)}), money(valor)), of(store));
  };
  const at = unclosed.find(({closesAt}) => closesAt)?.closesAt;
  return notice(
    "warn",
    h("p.strong", t("unclosed.title", {day: day(totals.from, "full")})),
    stores.map(one),
    at && h("p", t("unclosed.by_itself", {time: exactTime(at)})),
    closeButton(totals, stores, view),
  );
}

// Lists the days that a store has not closed, the oldest first, without the day of the notice above.
export function forgottenNotice(forgotten, totals) {
  const days = [...new Set(forgotten.map((one) => one.day))].filter((one) => one !== totals?.from).sort();
  if (days.length === 0) return null;
  const link = (one, index) => [index > 0 && ", ", h("a", {href: href("close", [], {day: one})}, day(one))];
  return notice("warn", h("p", t("close.forgotten"), " ", days.map(link)));
}
