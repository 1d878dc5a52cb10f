// "Does it sell?": the answer first and large, then what was sold, and what needs somebody.

import {get, isAborted} from "../lib/api.js";
import {bars, lines, roundUp, shares} from "../lib/chart.js";
import {h} from "../lib/dom.js";
import {clockTime, day, hourMinute, hourOf, milliseconds, money, number, span} from "../lib/format.js";
import {icon} from "../lib/icons.js";
import {card, cardWith, empty, family, foreignShort, pill, saleState, when} from "../lib/parts.js";
import {problemNotice} from "../lib/problem.js";
import {href} from "../lib/route.js";
import {summary} from "../lib/selling.js";
import {markTitle} from "../lib/settle.js";
import {timeLeft} from "../lib/time_left.js";
import {t, word} from "../lib/words.js";

const hours = Array.from({length: 24}, (_, hour) => String(hour).padStart(2, "0"));
const minuteMs = 60_000;
const latencyMinutes = 60;

export default {
  title: () => t("page.today"),
  topics: ["sales", "attention", "health"],

  // Whether it sells is told even where another part of the page cannot be read.
  async load(view) {
    const part = (address, query) => attempt(get(address, query, {signal: view.signal}));
    const [status, ...parts] = await Promise.all([
      get("/v1/status", {}, {signal: view.signal}),
      part("/v1/totals", {by: "family,hour"}),
      part("/v1/latency"),
      part("/v1/attention"),
      part("/v1/terminals"),
    ]);
    return {status, parts};
  },

  draw({status, parts: [totals, latency, attention, terminals]}) {
    return [
      sentence(status),
      h(
        "div.grid",
        whole(totals, sold, "span-3"),
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

function whole({value, problem}, draw, size = "") {
  return h("div", {class: size}, problem ? card(t("today.part_missing"), problemNotice(problem)) : draw(value));
}

// One sentence, green or red, with the reasons and what to do below it.
function sentence(status) {
  const {tone, title, reasons} = summary(status);
  return h(
    "section.hero",
    {class: tone, "aria-live": "polite"},
    h("span.hero-sign", icon(tone === "good" ? "ok" : tone)),
    h(
      "div",
      h("p.hero-title", title),
      reasons.map(({what, act, detail}) =>
        h(
          "div.hero-reason",
          h("p.strong", what),
          act && h("p", act),
          detail && h("details.small", h("summary", t("problem.technical")), h("p.wrap", h("bdi", detail))),
        ),
      ),
      reasons.length === 0 && h("p", t("today.sells_since", {time: span(Date.now() - Date.parse(status.startedAt))})),
    ),
  );
}

function sold({total, from}) {
  const figure = (name, {count, valor}, tone = "") =>
    h(
      "div.figure",
      {class: tone},
      h("p.figure-name", t(`today.${name}`)),
      h("p.figure-value", money(valor)),
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

// What was sold, added up by one of the members that the groups have.
function soldBy(groups, member) {
  const sums = new Map();
  for (const group of groups) sums.set(group[member], added(sums.get(group[member]) ?? nothing, group.sold));
  return sums;
}

function byHour({groups}) {
  const sums = soldBy(
    groups.filter(({sold: {count}}) => count > 0),
    "hour",
  );
  if (sums.size === 0) return card(t("today.by_hour"), empty(t("today.no_sales"), t("today.no_sales_more"), "sales"));
  const now = hourOf(Date.now());
  const items = hours.map((hour, index) => {
    const {count, valor} = sums.get(hour) ?? nothing;
    return {
      label: t("today.hour", {hour}),
      tick: index % 3 === 0 ? hour : "",
      value: count,
      isNow: index === now,
      text: soldText({count, valor}),
    };
  });
  const best = [...sums].filter(([hour]) => hour).sort(([, a], [, b]) => b.count - a.count)[0];
  return cardWith(
    t("today.by_hour"),
    best && t("today.best_hour", {hour: best[0]}),
    bars({
      caption: t("today.by_hour"),
      head: [t("today.hour_head"), t("today.sold")],
      items,
      format: (top) => t("sales.count", {count: top, number: number(top)}),
    }),
  );
}

const soldText = ({count, valor}) => `${t("sales.count", {count, number: number(count)})}, ${money(valor)}`;

function byFamily({groups}, {families}) {
  const sums = soldBy(groups, "family");
  const items = Object.keys(families)
    .filter((name) => families[name] || sums.get(name)?.count > 0)
    .map((name) => ({name, ...(sums.get(name) ?? nothing)}))
    .sort((a, b) => (b.valor ?? 0) - (a.valor ?? 0))
    .map(({name, count, valor}) => ({
      label: family(name),
      value: valor ?? 0,
      text: money(valor),
      aside: number(count),
    }));
  return card(t("today.by_family"), items.length > 0 ? shares({items}) : empty(t("today.no_sales"), ""));
}

function needsYou({sales: cases}) {
  const shown = cases.slice(0, 4);
  return cardWith(
    t("page.attention"),
    cases.length > 0 && pill("warn", number(cases.length)),
    cases.length === 0
      ? empty(t("attention.none"), t("attention.none_more"))
      : h(
          "ul.rows",
          shown.map((one) =>
            h(
              "li",
              {"data-key": one.id},
              h(
                "a.row",
                {href: href("attention", [one.id])},
                h(
                  "span.row-main",
                  h("span.strong", markTitle(one)),
                  h("br"),
                  h("span.faint", family(one.family), " · ", when(one.createdAt)),
                ),
                h("span.row-end", h("span.strong", money(one.valor)), h("br"), timeLeft(one.endsAt)),
              ),
            ),
          ),
        ),
    cases.length > shown.length &&
      h("p", h("a", {href: href("attention")}, t("today.all_cases", {count: cases.length}))),
  );
}

function lastSales({terminals}) {
  const rows = terminals.map(({id, lastSale, lastSeenAt}) =>
    h(
      "li",
      {"data-key": id},
      lastSale
        ? h(
            "a.row",
            {href: href("sale", [lastSale.id])},
            h(
              "span.row-main",
              h("span.strong", foreignShort(id)),
              h("br"),
              h("span.faint", family(lastSale.family), " · ", when(lastSale.createdAt)),
            ),
            saleState(lastSale),
            h("span.row-end.strong", money(lastSale.valor)),
          )
        : h(
            "div.row",
            h("span.row-main", h("span.strong", foreignShort(id)), h("br"), h("span.faint", t("today.no_sale_yet"))),
            h("span.faint", lastSeenAt ? when(lastSeenAt) : t("terminals.never")),
          ),
    ),
  );
  return cardWith(
    t("today.last_sales"),
    h("a", {href: href("terminals")}, t("page.terminals")),
    rows.length > 0 ? h("ul.rows", rows) : empty(t("terminals.none"), t("terminals.none_more"), "terminals"),
  );
}

// What the provider took to answer in the last hour. A minute without a usable answer has a red mark.
function provider(status, {minutes: told}) {
  const now = Date.now();
  const minutes = told.filter(({at}) => now - Date.parse(at) < latencyMinutes * minuteMs);
  const state = h("div.pills", reach("provider", status.provider), reach("token_service", status.tokenService));
  if (minutes.length === 0)
    return cardWith(t("today.provider"), state, empty(t("today.no_exchanges"), t("today.no_exchanges_more"), "wait"));
  const place = (at) => latencyMinutes - Math.floor((now - Date.parse(at)) / minuteMs);
  const points = (member) =>
    minutes.filter((minute) => minute[member] !== null).map((minute) => ({x: place(minute.at), y: minute[member]}));
  const latest = minutes.at(-1);
  const count = minutes.reduce((sum, minute) => sum + minute.count, 0);
  const unknown = minutes.reduce((sum, minute) => sum + minute.unknown, 0);
  return cardWith(
    t("today.provider"),
    state,
    h(
      "p.legend",
      h("span.p50", t("today.p50", {time: milliseconds(latest.p50Ms)})),
      h("span.p95", t("today.p95", {time: milliseconds(latest.p95Ms)})),
      h("span.faint", t("today.exchanges", {count, number: number(count)})),
      unknown > 0 && h("span.unknown", t("today.unknown", {count: unknown, number: number(unknown)})),
    ),
    lines({
      caption: t("today.provider"),
      minutes: latencyMinutes,
      top: roundUp(Math.max(...minutes.map(({p95Ms}) => p95Ms))),
      format: milliseconds,
      head: [t("today.minute"), "p50", "p95", t("today.exchanges_head"), t("today.unknown_head")],
      rows: minutes.map((minute) => [
        clockTime(minute.at),
        milliseconds(minute.p50Ms),
        milliseconds(minute.p95Ms),
        minute.count,
        minute.unknown,
      ]),
      series: [
        {name: "p95", points: points("p95Ms")},
        {name: "p50", points: points("p50Ms")},
      ],
      marks: minutes.filter((minute) => minute.unknown > 0).map((minute) => place(minute.at)),
      from: hourMinute(now - latencyMinutes * minuteMs),
      to: t("today.now"),
    }),
  );
}

function reach(what, {reached, since}) {
  return h(
    "span.reach-state",
    pill(reached ? "good" : "bad", word("service", what)),
    h("span.faint.small", reached ? t("today.up_since") : t("today.down_since"), " ", when(since)),
  );
}
