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

// Beyond this number open sales are only counted. A person finds them on the page of the sales.
export const shownOpen = 20;

// `stores` are those whose day is not closed. Where there is none, there is no button.
export function closeButton(totals, stores, view) {
  if (!maySettle()) return h("p.faint", t("role.may_not_close"));
  if (stores.length === 0) return null;
  const label = t("close.do", {day: day(totals.from)});
  return h(
    "p.actions",
    button(label, () => closeDay(totals, stores, view), {tone: "primary", sign: "close"}),
  );
}

async function closeDay(totals, stores, view) {
  let made = [];
  const wasDone = await ask({
    title: t("close.do", {day: day(totals.from)}),
    body: question(totals, stores),
    agree: t("close.agree"),
    tone: "danger",
    act: async () => {
      made = [];
      for (const {name} of stores) made.push(await closeStore(totals.from, name));
    },
  });
  if (wasDone) tell(made, view);
}

// A day that is closed already stays as it is, so a failed attempt is simply repeated as a whole.
async function closeStore(on, estabelecimento) {
  const {closes} = await post("/v1/closes", {day: on, estabelecimento});
  return closes[0];
}

function question(totals, stores) {
  const isTheirs = ({estabelecimento}) => stores.some(({name}) => name === estabelecimento);
  return [
    h("p", t("close.sure")),
    h("ul.compact", stores.map(soldIn)),
    h("p", t("close.late_too")),
    totals.from === today() && notice("warn", h("p", t("close.not_over"))),
    openNames({...totals, openSales: totals.openSales.filter(isTheirs)}),
    h("p.strong", t("close.never_undone")),
  ];
}

function soldIn({name, sold: {count, valor}}) {
  const sales = t("sales.count", {count, number: number(count)});
  return h("li", dotted([t("sale.store"), " ", foreignShort(name)], sales, count > 0 && money(valor)));
}

function tell(closes, view) {
  announce(t("close.done", {count: closes.length}));
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

// Returns how many open sales are not listed.
export function openLeft({openSales, openLeftOut}) {
  const count = openLeftOut + Math.max(0, openSales.length - shownOpen);
  return count > 0 && h("p.faint", t("close.open_more", {count}));
}
