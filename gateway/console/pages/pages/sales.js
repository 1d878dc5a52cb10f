// Finds sales: with one box that understands what is typed, filters, and a list that stays fast with ten thousand rows.

import {get, isAborted} from "../lib/api.js";
import {h, later} from "../lib/dom.js";
import {firstDay, fullMoment, moment, money, number, today} from "../lib/format.js";
import {button, empty, family, foreignShort, notice, saleState} from "../lib/parts.js";
import {problemNotice} from "../lib/problem.js";
import {go, href} from "../lib/route.js";
import {sumOf} from "../lib/sales_sum.js";
import {Search} from "../lib/search.js";
import {codes, t, word} from "../lib/words.js";

const statuses = ["EFETIVADA", "open", "AUTORIZADA", "PENDENTE", "CANCELADA", "NEGADA"];
// This is the gateway's limit for a text that is searched for.
const longestText = 64;
const columns = ["when", "product", "amount", "state", "terminal", "id"];
// So many rows stay fluent. Who wants more of them narrows the filters.
const mostAtOnce = 10_000;

export default {
  title: () => t("page.sales"),
  topics: ["sales", "attention"],

  async load(view) {
    const {state, route} = view;
    state.terminals ??= await knownTerminals(view.signal);
    const asked = JSON.stringify(route.query);
    if (state.asked !== asked) Object.assign(state, {asked, search: new Search(route.query)});
    const {search} = state;
    await search.renew(view.readSignal);
    return search;
  },

  draw(search, view) {
    writeAnew(search, view.state);
    const isOld = view.state.asked !== JSON.stringify(view.route.query) || view.state.search !== search;
    return [
      form(view),
      heading(search),
      daysAre(view.route.query),
      h("div.results", {class: isOld && "old", "aria-busy": String(isOld)}, results(search, view)),
    ];
  },
};

// A time without a date means today. So at midnight every row is drawn again.
function writeAnew(search, state) {
  if (state.day !== today()) search.pages = search.pages.map((page) => [...page]);
  state.day = today();
}

// The filter is only a help, so the sales are shown without it, too.
async function knownTerminals(signal) {
  const answer = await get("/v1/terminals", {}, {signal}).catch(() => ({terminals: []}));
  return answer.terminals;
}

function form(view) {
  const {query} = view.route;
  const submit = (event) => {
    event.preventDefault();
    go("sales", [], Object.fromEntries(new FormData(event.target)));
  };
  // While a year is typed, its first digits are a year of the first centuries, which the field does not accept.
  const change = ({target}) => target.name !== "q" && target.validity.valid && target.form.requestSubmit();
  return h(
    "form.search",
    {submit, change, role: "search"},
    searchBox(query),
    h("p.hint", {id: "search-hint"}, t("sales.search_hint")),
    filters(view.state.terminals, query),
  );
}

function searchBox({q = ""}) {
  const told = {placeholder: t("sales.search_example"), "aria-describedby": "search-hint"};
  return h(
    "div.search-box",
    h("label.hidden", {for: "q"}, t("sales.search")),
    h("input", {id: "q", name: "q", type: "search", value: q, maxlength: longestText, autocomplete: "off", spellcheck: "false", ...told}),
    h("button.button.primary", {type: "submit"}, t("sales.find")),
  );
}

function filters(terminals, query) {
  const isFiltered = Object.keys(query).some((name) => name !== "q");
  const select = (name, options) => selectField(name, query[name], options);
  const fields = [
    select(
      "status",
      optionsOf(statuses, (status) => (status === "open" ? t("today.open") : word("status", status))),
    ),
    select("family", optionsOf(codes("family"), family)),
    select(
      "terminal",
      optionsOf(
        terminals.map(({id}) => id),
        String,
      ),
    ),
    storeField(terminals, query.estabelecimento),
    cashierField(query.cashier),
    dayField("from", query.from),
    dayField("until", query.until),
    attentionField(query.attention),
  ];
  const none = h("p", h("a", {href: href("sales", [], {q: query.q})}, t("sales.no_filters")));
  const summary = h("summary", t("sales.filters"));
  return h("details.filters", {open: isFiltered}, summary, h("div.filter-fields", fields), isFiltered && none);
}

const optionsOf = (values, name) => values.map((value) => [value, name(value)]);

function selectField(name, chosen, options, label = `sales.${name}`) {
  const option = ([value, text]) => h("option", {value, selected: chosen === value}, text);
  return h("label", t(label), h("select", {name}, [["", t("sales.any")], ...options].map(option)));
}

// Most gateways serve one store, which needs no filter.
function storeField(terminals, chosen) {
  const stores = [...new Set([...terminals.map(({estabelecimento}) => estabelecimento), chosen].filter(Boolean))].sort();
  return stores.length > 1 && selectField("estabelecimento", chosen, optionsOf(stores, String), "sale.store");
}

function cashierField(value = "") {
  return h("label", t("sale.cashier"), h("input", {name: "cashier", value, maxlength: longestText, autocomplete: "off"}));
}

function dayField(name, value = "") {
  return h("label", t(`sales.${name}`), h("input", {type: "date", name, value, min: firstDay, max: today()}));
}

function attentionField(chosen) {
  const box = h("input", {type: "checkbox", name: "attention", value: "1", checked: Boolean(chosen)});
  return h("label.check", box, t("sales.attention_only"));
}

// Says what was understood, and how much of it is shown.
function heading(search) {
  const names = search.meanings.map(({name}) => t(`meaning.${name}`));
  const isAll = search.meanings[0].name === "all";
  const understood = isAll ? "" : t("sales.understood", {what: names.join(` ${t("sales.or")} `)});
  const found = {count: search.count, number: number(search.count)};
  return h("p.lead", {role: "status"}, t(search.hasMore ? "sales.found_more" : "sales.found", found), " ", understood);
}

// Days are chosen by hand, or by the link of a day's figure, which counts otherwise.
const daysAre = ({from, until}) => (from || until) && h("p.hint", t("sales.days_are_of_begin"));

function results(search, view) {
  if (search.count === 0) return h("section.card", nothing(view.route.query));
  const {isReading} = view.state;
  const next = (key, most) => button(t(key), () => more(search, view, most), {disabled: isReading});
  return [
    sumOf(search.pages.flat(), search.hasMore, view.route.query),
    search.unreadable > 0 && notice("warn", h("p", t("sales.unreadable", {count: search.unreadable}))),
    list(search.pages),
    view.state.moreProblem && problemNotice(view.state.moreProblem),
    search.hasMore && h("p.more", next("sales.more", 0), next("sales.all", mostAtOnce)),
  ];
}

// Makes a table that is laid out as a grid. The roles say that it is a table all the same.
function list(pages) {
  const title = (name) => h("th", {scope: "col", role: "columnheader", class: name}, t(`sales.${name}`));
  const body = (page, index) =>
    later("tbody", {role: "rowgroup", "data-key": `page-${index}`}, page, () => page.map(row));
  return h(
    "table.sales",
    {role: "table"},
    h("caption.hidden", t("page.sales")),
    h("thead", {role: "rowgroup"}, h("tr", {role: "row"}, columns.map(title))),
    pages.map(body),
  );
}

function nothing(query) {
  return Object.keys(query).length > 0
    ? empty(t("sales.none_found"), t("sales.none_found_more"), "search")
    : empty(t("sales.none"), t("sales.none_more"), "sales");
}

function row(sale) {
  const cell = (name, ...content) => h("td", {class: name, role: "cell"}, content);
  const at = h("time", {datetime: sale.createdAt, title: fullMoment(sale.createdAt)}, moment(sale.createdAt));
  const link = h("a", {href: href("sale", [sale.id])}, at);
  return h(
    "tr",
    {"data-key": sale.id, role: "row"},
    h("th.when", {scope: "row", role: "rowheader"}, link),
    cell("product", foreignShort(sale.produto, 40), " ", h("span.faint", family(sale.family))),
    cell("amount", money(sale.valor)),
    cell("state", saleState(sale)),
    cell(
      "terminal",
      foreignShort(sale.terminal, 24),
      " ",
      h("span.faint", sale.cashier && foreignShort(sale.cashier, 24)),
    ),
    cell("id", h("code.faint", sale.idExterno)),
  );
}

// Reads the next page, and further ones up to so many sales.
async function more(search, view, most) {
  view.state.isReading = true;
  view.state.moreProblem = null;
  view.redraw();
  try {
    do {
      await search.more(view.signal);
      view.redraw();
    } while (search.hasMore && search.count < most && view.state.search === search);
  } catch (problem) {
    if (!isAborted(problem)) view.state.moreProblem = problem;
  }
  view.state.isReading = false;
  view.redraw();
}
