// Closes a day, after a person has seen what it comes to and what stays out of it.

import {post} from "./api.js";
import {ask} from "./dialog.js";
import {h} from "./dom.js";
import {day, money, number, today} from "./format.js";
import {button, dotted, foreignShort, notice, when} from "./parts.js";
import {go} from "./route.js";
import {maySettle} from "./session.js";
import {announce} from "./toast.js";
import {t} from "./words.js";

// More open sales than these are only counted: they are found on the page of the sales.
export const shownOpen = 20;

// `stores`: how many sold on the day. Each is closed by itself, and a day that is closed for all of them has no button.
export function closeButton(totals, stores, view) {
  if (!maySettle()) return h("p.faint", t("role.may_not_close"));
  if (totals.closes.length >= Math.max(1, stores)) return null;
  const label = t("close.do", {day: day(totals.from)});
  return h(
    "p.actions",
    button(label, () => closeDay(totals, view), {tone: "primary", sign: "close"}),
  );
}

async function closeDay(totals, view) {
  let made = null;
  await ask({
    title: t("close.do", {day: day(totals.from)}),
    body: question(totals),
    agree: t("close.agree"),
    tone: "danger",
    act: async () => {
      made = await post("/v1/closes", {day: totals.from});
    },
  });
  if (made) tell(made, view);
}

function question(totals) {
  const {count, valor} = totals.total.sold;
  const sold = t("sales.count", {count, number: number(count)});
  return [
    h("p", t("close.sure", {sold, valor: money(valor)})),
    totals.from === today() && notice("warn", h("p", t("close.not_over"))),
    openNames(totals),
    h("p.strong", t("close.never_undone")),
  ];
}

function tell({closes, forgotten}, view) {
  announce(t("close.done", {count: closes.length}));
  const days = [...new Set(forgotten.map((one) => day(one.day)))].join(", ");
  if (days) announce(t("close.forgotten", {days}), "warn");
  if (closes.length === 1) go("close", [closes[0].estabelecimento, closes[0].name]);
  else view.refresh();
}

function openNames(totals) {
  const {openSales, openLeftOut} = totals;
  if (openSales.length === 0) return null;
  const one = (sale) => {
    const [product, terminal] = [foreignShort(sale.produto, 30), foreignShort(sale.terminal, 24)];
    return h("li", dotted(money(sale.valor), product, terminal, when(sale.createdAt)));
  };
  const count = openSales.length + openLeftOut;
  const names = h("ul.compact", openSales.slice(0, shownOpen).map(one));
  return h("div", h("p", t("close.open_now", {count})), names, openLeft(totals));
}

// How many open sales are not named.
export function openLeft({openSales, openLeftOut}) {
  const count = openLeftOut + Math.max(0, openSales.length - shownOpen);
  return count > 0 && h("p.faint", t("close.open_more", {count}));
}
