// Shows the close of a day: what it comes to now, a button to close it, and the closes that were made.

import {get, path} from "../lib/api.js";
import {closeButton, openLeft, shownOpen} from "../lib/close_day.js";
import {drawClose, unnamed} from "../lib/close_sheet.js";
import {h} from "../lib/dom.js";
import {day, exactTime, firstDay, money, today} from "../lib/format.js";
import {salesOf} from "../lib/list_behind.js";
import {card, cardWith, counted, empty, family, foreignShort, notice} from "../lib/parts.js";
import {numeric, saleState, segments, strong, table, when} from "../lib/parts.js";
import {go, href} from "../lib/route.js";
import {forgottenNotice, totalsOf, unclosedNotice} from "../lib/unclosed.js";
import {say, t} from "../lib/words.js";

const groupings = ["family", "terminal", "cashier", "estabelecimento"];
const columns = ["sold", "cancelled", "refused", "open", "held"];
const shownCloses = 60;

export default {
  title: ({route}) => (route.parameters.length === 2 ? t("close.one", {name: route.parameters[1]}) : t("page.close")),
  topics: ["sales", "closes"],

  // Without a day in the address it is the last day that is over and that nobody closed; where there is none, today at
  // the gateway, whatever the reader's clock says.
  async load(view) {
    const options = {signal: view.readSignal};
    const [store, name] = view.route.parameters;
    if (name) return {close: await get(path`/v1/closes/${store}/${name}`, {}, options)};
    const made = await get("/v1/closes", {limit: shownCloses}, options);
    const asked = view.route.query.day ?? lastOpenDay(made);
    const [{terminals}, ...totals] = await Promise.all([
      get("/v1/terminals", {}, options),
      ...groupings.map((by) => get("/v1/totals", {day: asked, by}, options)),
    ]);
    const unclosed = await totalsOf(made.unclosed, options);
    return {asked, made, totals, unclosed, stores: storesOf(terminals, totals)};
  },

  draw({close, asked: read, made, totals, unclosed, stores}, view) {
    if (close) return drawClose(close);
    // This is the day that was asked for, even while the answer is still about the day before: a person may be typing
    // it.
    const asked = view.route.query.day ?? totals[0].from;
    const isShown = totals[0].from === unclosed?.from; // with the same button below
    const leads = !view.route.query.day && read;
    return [
      leads && notice("warn", h("p", t("close.leads", {day: day(read, "full")}))),
      !isShown && unclosedNotice(made.unclosed, unclosed, view),
      forgottenNotice(made.forgotten, unclosed ?? (leads && totals[0])),
      dayForm(asked),
      totalsCard(totals, stores, leads, view),
      openCard(totals[0]),
      closesCard(made),
    ];
  },
};

function lastOpenDay({unclosed, forgotten}) {
  return [...unclosed, ...forgotten].map((one) => one.day).sort().at(-1);
}

// Lists each store that a terminal sells for or that sold on the day: what it sold, and whether its day is closed.
function storesOf(terminals, totals) {
  const {groups, closes} = totals[groupings.indexOf("estabelecimento")];
  const names = new Set([...terminals, ...groups].map(({estabelecimento}) => estabelecimento));
  const isOf = (name) => (one) => one.estabelecimento === name;
  return [...names].sort().map((name) => ({
    name,
    sold: groups.find(isOf(name))?.sold ?? {count: 0, valor: 0},
    isClosed: closes.some(isOf(name)),
  }));
}

function dayForm(shown) {
  // While a year is typed, its first digits are a year of the first centuries, which the field does not accept.
  const change = ({target}) => target.validity.valid && go("close", [], {day: target.value});
  const field = h("input", {type: "date", name: "day", value: shown, min: firstDay, max: today(), required: true, change});
  const back = shown !== today() && h("a", {href: href("close", [], {day: today()})}, t("close.today"));
  return h("form.day-form", {submit: (event) => event.preventDefault()}, h("label", t("close.day"), field), back);
}

function totalsCard(totals, stores, leads, view) {
  const [first] = totals;
  const unclosed = stores.filter(({isClosed}) => !isClosed);
  const by = view.state.by ?? "family";
  return cardWith(
    day(first.from, "full"),
    tabs(by, stores, view),
    closedNotice(first, unclosed, leads),
    groupTable(totals[groupings.indexOf(by)], by),
    lateNotice(first),
    first.unreadable > 0 && notice("bad", h("p", t("close.unreadable", {count: first.unreadable}))),
    closeButton(first, unclosed, view),
  );
}

// Most gateways serve one store, and then nothing is grouped by store.
function tabs(by, stores, view) {
  const choose = (name) => () => {
    view.state.by = name;
    view.redraw();
  };
  const shown = groupings.filter((name) => name !== "estabelecimento" || stores.length > 1);
  const tab = (name) =>
    h("button", {type: "button", "aria-pressed": String(by === name), click: choose(name)}, t(`close.by_${name}`));
  return segments(t("close.group_by"), shown.map(tab));
}

// Each store is closed separately.
function closedNotice({closes, from}, unclosed, leads) {
  if (closes.length === 0) return from < today() && !leads ? notice("warn", h("p", t("close.not_closed"))) : null;
  const store = (name) => closes.length + unclosed.length > 1 && [" (", foreignShort(name), ")"];
  const link = ({estabelecimento, name}, index) => [
    index > 0 && ", ",
    closeLink(estabelecimento, name),
    store(estabelecimento),
  ];
  if (unclosed.length === 0) return notice("good", h("p", t("close.is_closed"), " ", closes.map(link)));
  const names = unclosed.map(({name}) => name).join(", ");
  return notice(
    "warn",
    h("p", t("close.is_partly_closed"), " ", closes.map(link)),
    h("p", say("close.unclosed", {count: unclosed.length, stores: names})),
  );
}

const closeLink = (store, name) => h("a", {href: href("close", [store, name])}, t("close.one", {name}));

function lateNotice({late: {count, valor}}) {
  return count > 0 && notice("off", h("p", t("close.late", {count, valor: money(valor)})));
}

function groupTable({groups, total, from}, by) {
  if (groups.length === 0) return empty(t("close.no_sales"), t("close.no_sales_more"), "close");
  // Sales without a cashier cannot be asked for.
  const list = (name, of) => (of?.[by] === "" ? null : salesOf(name, from, of));
  const cells = (counts, of) => columns.map((name) => counted(counts[name], list(name, of)));
  const titles = [t(`close.${by}`), ...columns.map((name) => numeric(t(`close.${name}`)))];
  const rows = groups.map((group) => ({key: `${by}-${group[by]}`, cells: [groupName(group, by), ...cells(group, {[by]: group[by]})]}));
  const last = {key: "total", cells: [strong(t("close.total")), ...cells(total).map(strong)]};
  return table(t(`close.by_${by}`), titles, [...rows, last]);
}

function groupName(group, by) {
  if (by === "family") return family(group.family);
  return group[by] ? foreignShort(group[by]) : h("span.faint", t("close.nobody"));
}

function openCard(totals) {
  const sales = totals.openSales.slice(0, shownOpen);
  if (sales.length === 0) return null;
  const titles = [
    t("sales.when"),
    t("sales.product"),
    numeric(t("sales.amount")),
    t("sales.state"),
    t("sales.terminal"),
  ];
  const cells = (sale) => [
    h("a", {href: href("sale", [sale.id])}, when(sale.createdAt)),
    [foreignShort(sale.produto, 40), " ", h("span.faint", family(sale.family))],
    money(sale.valor),
    saleState(sale),
    foreignShort(sale.terminal, 24),
  ];
  return card(
    t("close.open_title"),
    h("p.faint", t("close.open_means")),
    table(
      t("close.open_title"),
      titles,
      sales.map((sale) => ({key: sale.id, cells: cells(sale)})),
    ),
    openLeft(totals),
  );
}

function closesCard({closes, automatic}) {
  const title = t("close.past");
  const next = automatic && h("p.faint", t("close.automatic", {day: day(automatic.day), time: exactTime(automatic.at)}));
  if (closes.length === 0) return card(title, next, empty(t("close.none"), t("close.none_more"), "close"));
  const titles = [t("close.close"), t("close.day"), numeric(t("close.sold")), t("close.by"), t("sale.store")];
  const cells = (close) => [
    h("span.whole", closeLink(close.estabelecimento, close.name)),
    day(close.day),
    counted(close.totals.total.sold),
    close.by ? foreignShort(close.by) : h("span.faint", t(unnamed(close))),
    h("span.whole", foreignShort(close.estabelecimento)),
  ];
  const key = ({estabelecimento, name}) => `${estabelecimento}/${name}`;
  return card(
    title,
    next,
    table(
      title,
      titles,
      closes.map((close) => ({key: key(close), cells: cells(close)})),
    ),
  );
}
