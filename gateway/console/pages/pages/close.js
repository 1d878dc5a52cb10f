// The close of a day: what it comes to now, closing it, and the closes that were made.

import {get, path, post} from "../lib/api.js";
import {drawClose} from "../lib/close_sheet.js";
import {ask} from "../lib/dialog.js";
import {h} from "../lib/dom.js";
import {day, money, number} from "../lib/format.js";
import {button, card, cardWith, empty, family, foreignShort, notice, saleState, table, when} from "../lib/parts.js";
import {go, href} from "../lib/route.js";
import {maySettle, session} from "../lib/session.js";
import {announce} from "../lib/toast.js";
import {t} from "../lib/words.js";

const groupings = ["family", "terminal", "cashier"];
const counted = ["sold", "cancelled", "refused", "open", "held"];
const shownCloses = 60;
// More open sales than these are counted, and found on the page of the sales.
const shownOpen = 20;

export default {
  title: ({route}) => (route.parameters.length === 2 ? t("close.one", {name: route.parameters[1]}) : t("page.close")),
  topics: ["sales", "closes"],

  async load(view) {
    const options = {signal: view.signal};
    const [store, name] = view.route.parameters;
    if (name) return {close: await get(path`/v1/closes/${store}/${name}`, {}, options)};
    const asked = view.route.query.day || session.store.today;
    const [closes, ...totals] = await Promise.all([
      get("/v1/closes", {limit: shownCloses}, options),
      ...groupings.map((by) => get("/v1/totals", {day: asked, by}, options)),
    ]);
    return {closes: closes.closes, totals, day: asked};
  },

  draw(data, view) {
    if (data.close) return drawClose(data.close);
    return [dayForm(data.day), totalsCard(data, view), openCard(data.totals[0]), closesCard(data.closes)];
  },
};

function dayForm(shown) {
  const change = (event) => event.target.value && go("close", [], {day: event.target.value});
  return h(
    "form.day-form",
    {submit: (event) => event.preventDefault()},
    h(
      "label",
      t("close.day"),
      h("input", {type: "date", name: "day", value: shown, max: session.store.today, required: true, change}),
    ),
    shown !== session.store.today && h("a", {href: href("close")}, t("close.today")),
  );
}

function totalsCard({totals, day: asked, closes}, view) {
  const [first] = totals;
  const by = view.state.by ?? "family";
  const choose = (name) => () => {
    view.state.by = name;
    view.redraw();
  };
  const tabs = h(
    "div.segments",
    {role: "group", "aria-label": t("close.group_by")},
    groupings.map((name) =>
      h("button", {type: "button", "aria-pressed": String(by === name), click: choose(name)}, t(`close.by_${name}`)),
    ),
  );
  return cardWith(
    t("close.totals_of", {day: day(asked, "full")}),
    tabs,
    closedNotice(first, asked),
    groupTable(totals[groupings.indexOf(by)], by),
    first.late.count > 0 &&
      notice("off", h("p", t("close.late", {count: first.late.count, valor: money(first.late.valor)}))),
    first.unreadable > 0 && notice("bad", h("p", t("close.unreadable", {count: first.unreadable}))),
    closeButton(first, asked, closes, view),
  );
}

function closedNotice({closes}, asked) {
  if (closes.length === 0) return asked < session.store.today ? notice("warn", h("p", t("close.not_closed"))) : null;
  return notice(
    "good",
    h(
      "p",
      t("close.is_closed"),
      " ",
      closes.map(({estabelecimento, name}, index) => [
        index > 0 && ", ",
        h("a", {href: href("close", [estabelecimento, name])}, t("close.one", {name})),
      ]),
    ),
  );
}

function groupTable({groups, total}, by) {
  const shown =
    by === "family"
      ? groups.map((group) => ({...group, title: family(group.family)}))
      : groups.map((group) => ({
          ...group,
          title: group[by] ? foreignShort(group[by]) : h("span.faint", t("close.nobody")),
        }));
  const cell = ({count, valor}) =>
    count === 0 ? null : [h("span", money(valor)), " ", h("span.times", number(count))];
  const columns = [{title: t(`close.${by}`)}, ...counted.map((name) => ({title: t(`close.${name}`), numeric: true}))];
  if (shown.length === 0) return empty(t("close.no_sales"), t("close.no_sales_more"), "close");
  const rows = shown.map((group, index) => ({
    key: `${by}-${index}`,
    cells: [group.title, ...counted.map((name) => cell(group[name]))],
  }));
  return table(t(`close.by_${by}`), columns, [
    ...rows,
    {key: "total", cells: [h("span.strong", t("close.total")), ...counted.map((name) => strong(cell(total[name])))]},
  ]);
}

const strong = (cell) => cell && h("span.strong", cell);

function closeButton(totals, asked, closes, view) {
  if (!maySettle()) return h("p.faint", t("role.may_not_close"));
  if (totals.closes.length > 0) return null;
  return h(
    "p.actions",
    button(t("close.do", {day: day(asked)}), () => closeDay(totals, asked, closes, view), {
      tone: "primary",
      sign: "close",
    }),
  );
}

async function closeDay(totals, asked, closes, view) {
  let made = null;
  await ask({
    title: t("close.do", {day: day(asked)}),
    body: [
      h(
        "p",
        t("close.sure", {
          sold: t("sales.count", {count: totals.total.sold.count, number: number(totals.total.sold.count)}),
          valor: money(totals.total.sold.valor),
        }),
      ),
      asked === session.store.today && notice("warn", h("p", t("close.not_over"))),
      openNames(totals),
      h("p.strong", t("close.never_undone")),
    ],
    agree: t("close.agree"),
    tone: "danger",
    act: async () => {
      made = await post("/v1/closes", {day: asked});
    },
  });
  if (!made) return;
  announce(t("close.done", {count: made.closes.length}));
  if (made.forgotten.length > 0)
    announce(t("close.forgotten", {days: made.forgotten.map((one) => day(one.day)).join(", ")}), "warn");
  const [only, ...others] = made.closes;
  if (only && others.length === 0) go("close", [only.estabelecimento, only.name]);
  else view.refresh();
}

function openNames({openSales, openLeftOut}) {
  if (openSales.length === 0) return null;
  const left = openLeftOut + Math.max(0, openSales.length - shownOpen);
  return h(
    "div",
    h("p", t("close.open_now", {count: openSales.length + openLeftOut})),
    h(
      "ul.compact",
      openSales
        .slice(0, shownOpen)
        .map((sale) =>
          h(
            "li",
            money(sale.valor),
            " · ",
            foreignShort(sale.produto, 30),
            " · ",
            foreignShort(sale.terminal, 24),
            " · ",
            when(sale.createdAt),
          ),
        ),
    ),
    left > 0 && h("p.faint", t("close.open_more", {count: left})),
  );
}

function openCard({openSales, openLeftOut}) {
  if (openSales.length === 0) return null;
  const columns = [
    {title: t("sales.when")},
    {title: t("sales.product")},
    {title: t("sales.amount"), numeric: true},
    {title: t("sales.state")},
    {title: t("sales.terminal")},
  ];
  const left = openLeftOut + Math.max(0, openSales.length - shownOpen);
  return card(
    t("close.open_title"),
    h("p.faint", t("close.open_means")),
    table(
      t("close.open_title"),
      columns,
      openSales.slice(0, shownOpen).map((sale) => ({
        key: sale.id,
        cells: [
          h("a", {href: href("sale", [sale.id])}, when(sale.createdAt)),
          [foreignShort(sale.produto, 40), " ", h("span.faint", family(sale.family))],
          money(sale.valor),
          saleState(sale),
          foreignShort(sale.terminal, 24),
        ],
      })),
    ),
    left > 0 && h("p.faint", t("close.open_more", {count: left})),
  );
}

function closesCard(closes) {
  if (closes.length === 0) return card(t("close.past"), empty(t("close.none"), t("close.none_more"), "close"));
  const columns = [
    {title: t("close.close")},
    {title: t("close.day")},
    {title: t("close.sold"), numeric: true},
    {title: t("close.by")},
    {title: t("sale.store")},
  ];
  return card(
    t("close.past"),
    table(
      t("close.past"),
      columns,
      closes.map((close) => ({
        key: `${close.estabelecimento}/${close.name}`,
        cells: [
          h("a", {href: href("close", [close.estabelecimento, close.name])}, t("close.one", {name: close.name})),
          day(close.day),
          [money(close.totals.total.sold.valor), " ", h("span.times", number(close.totals.total.sold.count))],
          close.by ? foreignShort(close.by) : h("span.faint", t("close.by_itself")),
          foreignShort(close.estabelecimento),
        ],
      })),
    ),
  );
}
