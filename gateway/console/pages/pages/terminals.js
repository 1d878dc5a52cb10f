// Shows the terminals: when each was last seen, with which program, and whether the gateway had to refuse it.

import {get} from "../lib/api.js";
import {now} from "../lib/clock.js";
import {h} from "../lib/dom.js";
import {moment, money, number, span, today} from "../lib/format.js";
import {salesOf} from "../lib/list_behind.js";
import {card, dotted, empty, facts, family, foreign, notice, pill, saleState, when, whenAgo} from "../lib/parts.js";
import {href} from "../lib/route.js";
import {codes, t, word} from "../lib/words.js";

// A terminal that was quiet for longer than this may be switched off.
const quietMs = 12 * 3_600_000;
const certificateSoonMs = 30 * 86_400_000;

export default {
  title: () => t("page.terminals"),
  topics: ["sales", "health"],

  load: (view) => get("/v1/terminals", {}, {signal: view.signal}),

  draw({terminals, unknownKeys, since}) {
    return [
      h("p.lead", t("terminals.since_start", {time: moment(since)})),
      unknownKeys.count > 0 &&
        notice(
          "warn",
          h("p.strong", t("terminals.unknown_keys", {count: unknownKeys.count, number: number(unknownKeys.count)})),
          h("p", t("terminals.unknown_keys_do")),
          h("p.faint", when(unknownKeys.lastAt), " · ", foreign(unknownKeys.lastAddress)),
        ),
      terminals.length === 0
        ? card(t("page.terminals"), empty(t("terminals.none"), t("terminals.none_more"), "terminals"))
        : h("div.grid.cards", terminals.map((terminal) => oneTerminal(terminal, since))),
    ];
  },
};

function oneTerminal(terminal, since) {
  return h(
    "section.card",
    {"data-key": terminal.id},
    h("div.card-head", h("h2", foreign(terminal.id)), h("div.card-aside", seen(terminal))),
    lastSale(terminal.lastSale),
    h("p", h("a", {href: salesOf("all", today(), {terminal: terminal.id})}, t("terminals.sales_today"))),
    facts([
      [t("terminals.last_seen"), terminal.lastSeenAt ? whenAgo(terminal.lastSeenAt) : t("terminals.never", {time: moment(since)})],
      [t("terminals.address"), foreign(terminal.address)],
      [t("terminals.client"), foreign(terminal.client, 80)],
      [
        t("terminals.families"),
        terminal.families.length < codes("family").length ? terminal.families.map(family).join(", ") : t("terminals.all_families"),
      ],
      [t("sale.store"), foreign(terminal.estabelecimento)],
      [t("terminals.certificate"), terminal.certificateEndsAt ? certificate(terminal.certificateEndsAt) : null],
      [t("terminals.refused"), refused(terminal)],
    ]),
  );
}

function seen({lastSeenAt}) {
  if (!lastSeenAt) return pill("off", t("terminals.state_never"));
  return now() - Date.parse(lastSeenAt) > quietMs
    ? pill("warn", t("terminals.state_quiet"))
    : pill("good", t("terminals.state_seen"));
}

function lastSale(sale) {
  if (!sale) return h("p.faint", t("today.no_sale_yet"));
  return h(
    "a.row",
    {href: href("sale", [sale.id])},
    h(
      "span.row-main",
      h("span.strong", money(sale.valor)),
      h("br"),
      h("span.faint", family(sale.family), " · ", when(sale.createdAt)),
    ),
    saleState(sale),
  );
}

function certificate(at) {
  const left = Date.parse(at) - now();
  const tone = left <= 0 ? "bad" : left < certificateSoonMs ? "warn" : "good";
  return h("span.pills", pill(tone, left <= 0 ? t("health.ended") : t("health.ends_in", {time: span(left)})), when(at));
}

function refused({refused: count, lastRefusedAt, lastRefusedWith}) {
  if (count === 0) return t("terminals.refused_none");
  return dotted(h("span.strong", number(count)), when(lastRefusedAt), word("refused_with", lastRefusedWith));
}
