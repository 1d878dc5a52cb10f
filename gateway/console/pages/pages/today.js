// Answers "Does it sell?" first and in large letters, then shows what was sold, and what needs a person.

import {get, isAborted} from "../lib/api.js";
import {bars, shares} from "../lib/chart.js";
import {now} from "../lib/clock.js";
import {comparison, earlierDays} from "../lib/compare.js";
import {h} from "../lib/dom.js";
import {day, exactTime, hourOf, moment, money, number, span} from "../lib/format.js";
import {icon} from "../lib/icons.js";
import {latencyChart} from "../lib/latency.js";
import {salesOf} from "../lib/list_behind.js";
import {card, cardWith, empty, family, foreignShort, pill, saleState, toList, when} from "../lib/parts.js";
import {problemNotice} from "../lib/problem.js";
import {providerPhone} from "../lib/provider_phone.js";
import {href} from "../lib/route.js";
import {refusesNewSecret, summary} from "../lib/selling.js";
import {markTitle} from "../lib/settle.js";
import {timeLeft} from "../lib/time_left.js";
import {forgottenNotice, totalsOf, unclosedNotice} from "../lib/unclosed.js";
import {t, word} from "../lib/words.js";

const hours = Array.from({length: 24}, (_, hour) => String(hour).padStart(2, "0"));
// So many hours are shown at least. Up to so many, each has its name below it.
const fewestHours = 12;
const namedHours = 16;
// Further cases are only shown on their own page.
const shownCases = 4;

export default {
  title: () => t("page.today"),
  topics: ["sales", "attention", "closes", "health"],

  // Whether the gateway sells is shown even where another part of the page cannot be read.
  async load(view) {
    const part = (address, query) => attempt(get(address, query, {signal: view.signal}));
    const [status, ...parts] = await Promise.all([
      get("/v1/status", {}, {signal: view.signal}),
      part("/v1/totals", {by: "family,hour"}),
      part("/v1/latency"),
      part("/v1/attention"),
      part("/v1/terminals"),
      attempt(earlierDays({signal: view.signal})),
    ]);
    const unclosed = await attempt(totalsOf(status.unclosed, {signal: view.signal}));
    return {status, unclosed, parts};
  },

  draw({status, unclosed, parts: [totals, latency, attention, terminals, earlier]}, view) {
    const {oldSince} = view;
    return [
      oldSince ? unknown(status, oldSince) : sentence(status),
      unclosedNotice(status.unclosed, unclosed.value, view),
      forgottenNotice(status.forgotten, unclosed.value),
      h(
        "div.grid",
        whole(totals, sold, "span-3"),
        whole(beside(totals, earlier), ([value, days]) => comparison(value, days), "span-3"),
        whole(totals, byHour, "span-2"),
        whole(totals, (value) => byFamily(value, status)),
        whole(attention, needsYou),
        whole(terminals, lastSales, "span-2"),
        whole(latency, (value) => provider(status, value), "span-3"),
      ),
    ];
  },
};

const attempt = (reading) =>
  reading.then(
    (value) => ({value}),
    (problem) => {
      if (isAborted(problem)) throw problem;
      return {problem};
    },
  );

// Two parts that are drawn as one are whole where both are.
const beside = (one, other) =>
  one.problem || other.problem ? {problem: one.problem ?? other.problem} : {value: [one.value, other.value]};

function whole({value, problem}, draw, size = "") {
  return h("div", {class: size}, problem ? card(t("today.part_missing"), problemNotice(problem)) : draw(value));
}

// Shows one green or red sentence, and below it the reasons and what to do.
function sentence(status) {
  const {tone, title, reasons} = summary(status);
  const allWell = () => h("p", t("today.sells_since", {time: span(now() - Date.parse(status.startedAt))}));
  return h(
    "section.hero",
    {class: tone},
    h("span.hero-sign", icon(tone === "good" ? "ok" : tone)),
    h(
      "div",
      h("p.hero-title", {"aria-live": "polite"}, title),
      reasons.length > 0 ? reasons.map(oneReason) : allWell(),
    ),
  );
}

// What was true a while ago is no verdict, so it is only shown as such.
function unknown(status, since) {
  const before = t("today.was", {time: exactTime(since), before: summary(status).title});
  return h(
    "section.hero.wait",
    h("span.hero-sign", icon("wait")),
    h("div", h("p.hero-title", {"aria-live": "polite"}, t("today.sells_unknown")), h("p", before), h("p", t("today.may_be_off"))),
  );
}

function oneReason({what, act, detail, tellsToCall}) {
  const technical = h("details.small", h("summary", t("problem.technical")), h("p.wrap", h("bdi", detail)));
  return h("div.hero-reason", h("p.strong", what), act && h("p", act), tellsToCall && providerPhone(), detail && technical);
}

function sold({total, from}) {
  const figure = (name, {count, valor}, tone = "") =>
    h(
      "div.figure",
      {class: tone},
      h("p.figure-name", t(`today.${name}`)),
      h("p.figure-value", toList(count > 0 && salesOf(name, from), money(valor))),
      h("p.faint", t("sales.count", {count, number: number(count)})),
    );
  return cardWith(
    t("today.sold_today"),
    day(from, "full"),
    h(
      "div.figures",
      figure("sold", total.sold, "main"),
      figure("cancelled", total.cancelled),
      figure("refused", total.refused),
      figure("open", added(total.open, total.held)),
    ),
  );
}

const added = (a, b) => ({
  count: a.count + b.count,
  valor: a.valor === null || b.valor === null ? null : a.valor + b.valor,
});
const nothing = {count: 0, valor: 0};

// Adds up what was sold by one of the members that the groups have.
function soldBy(groups, member) {
  const sums = new Map();
  for (const group of groups) sums.set(group[member], added(sums.get(group[member]) ?? nothing, group.sold));
  return sums;
}

function byHour({groups}) {
  const sums = soldBy(groups.filter(isSold), "hour");
  if (sums.size === 0) return card(t("today.by_hour"), empty(t("today.no_sales"), t("today.no_sales_more"), "sales"));
  const [best] = [...sums].sort(([, a], [, b]) => b.count - a.count)[0];
  return cardWith(
    t("today.by_hour"),
    t("today.best_hour", {hour: best}),
    bars({
      caption: t("today.by_hour"),
      head: [t("today.hour_head"), t("today.sold")],
      items: shownHours(sums).map((hour, index, all) => hourBar(hour, index, all.length, sums.get(hour) ?? nothing)),
    }),
  );
}

const isSold = ({sold: {count}}) => count > 0;

// Hours before the first sale and after now say nothing, and would make the bars narrow.
function shownHours(sums) {
  const sold = [...sums.keys()].map(Number);
  const last = Math.max(...sold, hourOf(now()));
  const first = Math.min(...sold, hourOf(now()));
  const end = Math.min(24, Math.max(last + 1, first + fewestHours));
  return hours.slice(Math.min(first, end - fewestHours), end);
}

function hourBar(hour, index, count, sum) {
  return {
    label: t("today.hour", {hour}),
    tick: count <= namedHours || index % 3 === 0 ? hour : "",
    value: sum.count,
    isNow: Number(hour) === hourOf(now()),
    text: soldText(sum),
  };
}

const soldText = ({count, valor}) => `${t("sales.count", {count, number: number(count)})}, ${money(valor)}`;

function byFamily({groups, from}, {families}) {
  const sums = soldBy(groups, "family");
  const items = Object.keys(families)
    .filter((name) => families[name] || sums.get(name)?.count > 0)
    .map((name) => ({name, ...(sums.get(name) ?? nothing)}))
    .sort((a, b) => (b.valor ?? 0) - (a.valor ?? 0))
    .map(({name, count, valor}) => ({
      label: toList(count > 0 && salesOf("sold", from, {family: name}), family(name)),
      value: valor ?? 0,
      text: money(valor),
      aside: number(count),
    }));
  return card(t("today.by_family"), items.length > 0 ? shares({items}) : empty(t("today.no_sales"), ""));
}

function needsYou({sales: cases}) {
  const shown = cases.slice(0, shownCases);
  if (cases.length === 0) return card(t("page.attention"), empty(t("attention.none"), t("attention.none_more")));
  return cardWith(
    t("page.attention"),
    pill("warn", number(cases.length)),
    h("ul.rows", shown.map(oneCase)),
    cases.length > shown.length &&
      h("p", h("a", {href: href("attention")}, t("today.all_cases", {count: cases.length}))),
  );
}

function oneCase(one) {
  const what = rowMain(markTitle(one), [family(one.family), " · ", when(one.createdAt)]);
  const end = h("span.row-end", h("span.strong", money(one.valor)), h("br"), timeLeft(one.endsAt));
  return h("li", {"data-key": one.id}, h("a.row", {href: href("attention", [one.id])}, what, end));
}

const rowMain = (title, below) => h("span.row-main", h("span.strong", title), h("br"), h("span.faint", below));

function lastSales({terminals, since}) {
  const rows = terminals.map((terminal) =>
    h("li", {"data-key": terminal.id}, terminal.lastSale ? lastSale(terminal) : noSale(terminal, since)),
  );
  return cardWith(
    t("today.last_sales"),
    h("a", {href: href("terminals")}, t("page.terminals")),
    rows.length > 0 ? h("ul.rows", rows) : empty(t("terminals.none"), t("terminals.none_more"), "terminals"),
  );
}

function lastSale({id, lastSale: sale}) {
  return h(
    "a.row",
    {href: href("sale", [sale.id])},
    rowMain(foreignShort(id), [family(sale.family), " · ", when(sale.createdAt)]),
    saleState(sale),
    h("span.row-end.strong", money(sale.valor)),
  );
}

function noSale({id, lastSeenAt}, since) {
  const seen = h("span.faint", lastSeenAt ? when(lastSeenAt) : t("terminals.never", {time: moment(since)}));
  return h("div.row", rowMain(foreignShort(id), t("today.no_sale_yet")), seen);
}

function provider(status, {minutes, since}) {
  const state = h("div.pills", reach("provider", status.provider), reach("token_service", status.tokenService, refusesNewSecret(status)));
  return cardWith(t("today.provider"), state, latencyChart(minutes, since));
}

function reach(what, {reached, asked, since}, isOfNewSecret = false) {
  const down = isOfNewSecret ? "today.new_secret_refused_since" : "today.down_since";
  const known = asked && [t(reached ? "today.up_since" : down), " ", when(since)];
  return h(
    "span.reach-state",
    pill(!asked ? "off" : reached ? "good" : "bad", word("service", what)),
    h("span.faint.small", known || t("today.not_asked")),
  );
}
