// Finds sales: one box that understands what is typed, filters, and a list that stays fluent with ten thousand rows.

import {get, isAborted} from "../lib/api.js";
import {h, later} from "../lib/dom.js";
import {fullMoment, moment, money, number} from "../lib/format.js";
import {button, empty, family, foreignShort, notice, saleState} from "../lib/parts.js";
import {problemNotice} from "../lib/problem.js";
import {go, href} from "../lib/route.js";
import {Search} from "../lib/search.js";
import {session} from "../lib/session.js";
import {t, word} from "../lib/words.js";

const statuses = ["EFETIVADA", "AUTORIZADA", "PENDENTE", "CANCELADA", "NEGADA"];
const families = ["tv", "egift", "transit", "health", "esim"];
const columns = ["when", "product", "amount", "state", "terminal", "id"];

export default {
  title: () => t("page.sales"),
  topics: ["sales", "attention"],

  async load(view) {
    view.state.terminals ??= (
      await get("/v1/terminals", {}, {signal: view.signal}).catch(() => ({terminals: []}))
    ).terminals;
    const asked = JSON.stringify(view.route.query);
    if (view.state.asked !== asked) {
      view.state.search = new Search(view.route.query);
      view.state.asked = asked;
    }
    const {search} = view.state;
    await search.renew(view.signal);
    return search;
  },

  draw(search, view) {
    const isOld = view.state.asked !== JSON.stringify(view.route.query) || view.state.search !== search;
    return [
      form(view),
      heading(search),
      h("div.results", {class: isOld && "old", "aria-busy": String(isOld)}, results(search, view)),
    ];
  },
};

function form(view) {
  const {query} = view.route;
  const submit = (event) => {
    event.preventDefault();
    go("sales", [], Object.fromEntries(new FormData(event.target)));
  };
  const change = (event) => event.target.name !== "q" && event.target.form.requestSubmit();
  const isFiltered = Object.keys(query).some((name) => name !== "q");
  return h(
    "form.search",
    {submit, change, role: "search"},
    h(
      "div.search-box",
      h("label.hidden", {for: "q"}, t("sales.search")),
      h("input", {
        id: "q",
        name: "q",
        type: "search",
        value: query.q ?? "",
        placeholder: t("sales.search_example"),
        autocomplete: "off",
        spellcheck: "false",
        "aria-describedby": "search-hint",
      }),
      h("button.button.primary", {type: "submit"}, t("sales.find")),
    ),
    h("p.hint", {id: "search-hint"}, t("sales.search_hint")),
    h(
      "details.filters",
      {open: isFiltered},
      h("summary", t("sales.filters")),
      h("div.filter-fields", filterFields(view, query)),
      isFiltered && h("p", h("a", {href: href("sales", [], {q: query.q})}, t("sales.no_filters"))),
    ),
  );
}

function filterFields({state}, query) {
  const select = (name, label, options) =>
    h(
      "label",
      label,
      h(
        "select",
        {name},
        h("option", {value: ""}, t("sales.any")),
        options.map(([value, text]) => h("option", {value, selected: query[name] === value}, text)),
      ),
    );
  const day = (name, label) =>
    h("label", label, h("input", {type: "date", name, value: query[name] ?? "", max: session?.store.today}));
  return [
    select(
      "status",
      t("sales.status"),
      statuses.map((status) => [status, word("status", status)]),
    ),
    select(
      "family",
      t("sales.family"),
      families.map((name) => [name, family(name)]),
    ),
    select(
      "terminal",
      t("sales.terminal"),
      (state.terminals ?? []).map(({id}) => [id, id]),
    ),
    day("from", t("sales.from")),
    day("until", t("sales.until")),
    h(
      "label.check",
      h("input", {type: "checkbox", name: "attention", value: "1", checked: Boolean(query.attention)}),
      t("sales.attention_only"),
    ),
  ];
}

// What was understood, and how much of it is here.
function heading(search) {
  const understood =
    search.meanings[0].name === "all"
      ? ""
      : t("sales.understood", {what: search.meanings.map(({name}) => t(`meaning.${name}`)).join(` ${t("sales.or")} `)});
  return h(
    "p.lead",
    {role: "status"},
    t(search.hasMore ? "sales.found_more" : "sales.found", {count: search.count, number: number(search.count)}),
    " ",
    understood,
  );
}

function results(search, view) {
  if (search.count === 0) return h("section.card", nothing(view.route.query));
  return [
    search.unreadable > 0 && notice("warn", h("p", t("sales.unreadable", {count: search.unreadable}))),
    h(
      "table.sales",
      {role: "table"},
      h("caption.hidden", t("page.sales")),
      h(
        "thead",
        {role: "rowgroup"},
        h(
          "tr",
          {role: "row"},
          columns.map((name) => h("th", {scope: "col", role: "columnheader", class: name}, t(`sales.${name}`))),
        ),
      ),
      search.pages.map((page, index) =>
        later("tbody", {role: "rowgroup", "data-key": `page-${index}`}, page, () => page.map(row)),
      ),
    ),
    view.state.moreProblem && problemNotice(view.state.moreProblem),
    search.hasMore &&
      h(
        "p.more",
        button(t("sales.more"), () => more(search, view), {disabled: view.state.isReading}),
      ),
  ];
}

function nothing(query) {
  return Object.keys(query).length > 0
    ? empty(t("sales.none_found"), t("sales.none_found_more"), "search")
    : empty(t("sales.none"), t("sales.none_more"), "sales");
}

function row(sale) {
  const cell = (name, ...content) => h("td", {class: name, role: "cell", "data-title": t(`sales.${name}`)}, content);
  return h(
    "tr",
    {"data-key": sale.id, role: "row"},
    h(
      "th.when",
      {scope: "row", role: "rowheader"},
      h(
        "a",
        {href: href("sale", [sale.id])},
        h("time", {datetime: sale.createdAt, title: fullMoment(sale.createdAt)}, moment(sale.createdAt)),
      ),
    ),
    cell("product", h("span", foreignShort(sale.produto, 40)), " ", h("span.faint", family(sale.family))),
    cell("amount", money(sale.valor)),
    cell("state", saleState(sale)),
    cell(
      "terminal",
      foreignShort(sale.terminal, 24),
      sale.cashier && [" ", h("span.faint", foreignShort(sale.cashier, 24))],
    ),
    cell("id", h("code.faint", sale.idExterno)),
  );
}

async function more(search, view) {
  view.state.isReading = true;
  view.state.moreProblem = null;
  view.redraw();
  try {
    await search.more(view.signal);
  } catch (problem) {
    if (!isAborted(problem)) view.state.moreProblem = problem;
  }
  view.state.isReading = false;
  view.redraw();
}
