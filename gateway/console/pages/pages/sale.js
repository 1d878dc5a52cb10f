// This is one sale: what became of it in one sentence, what is being done, and its whole history.

import {get, path} from "../lib/api.js";
import {advice, lastError} from "../lib/advice.js";
import {explained} from "../lib/details.js";
import {h} from "../lib/dom.js";
import {exactTime, money} from "../lib/format.js";
import {button, card, cardWith, dotted, facts, family, foreign, idText, notice, pill} from "../lib/parts.js";
import {saleState, waiting, when} from "../lib/parts.js";
import {openReceipt} from "../lib/receipt.js";
import {href} from "../lib/route.js";
import {maySettle} from "../lib/session.js";
import {markTitle, settleHere} from "../lib/settle.js";
import {saleHistory} from "../lib/history.js";
import {endOf, timeLeft} from "../lib/time_left.js";
import {has, t, word} from "../lib/words.js";

export default {
  title: () => t("page.sale"),
  topics: ["sales", "attention"],

  async load(view) {
    const [id = ""] = view.route.parameters;
    const options = {signal: view.signal};
    const [sale, told] = await Promise.all([
      get(path`/v1/sales/${id}`, {}, options),
      get(path`/v1/sales/${id}/events`, {}, options),
    ]);
    return {sale, told};
  },

  draw({sale, told}, view) {
    return [
      h("p.back", h("a", {href: href("sales")}, t("sale.back"))),
      head(sale, told, view),
      told.marked && caseOf({...sale, mark: told.marked.mark}, told, view),
      h(
        "div.sale-columns",
        h("div", card(t("history.title"), told.events.length > 0 ? saleHistory(told) : h("p.faint", t("history.none")))),
        h("div", factsCard(sale), attemptsCard(sale)),
      ),
    ];
  },
};

function head(sale, told, view) {
  return h(
    "section.hero.sale-hero",
    {class: toneOf(sale)},
    h(
      "div.sale-hero-main",
      h("p.hero-title", {"aria-live": "polite"}, t(`outcome.${sale.outcome}`)),
      h("p.sale-amount", money(sale.valor), " ", h("span", dotted(family(sale.family), foreign(sale.produto)))),
      delivery(sale),
      reason(sale, told),
      now(told),
    ),
    h("div.sale-hero-side", saleState(sale), sale.delivered && receiptButton(sale, view)),
  );
}

// For a sale that needs a person, it may be unknown what the customer has; the case says more about it.
function delivery({attention, delivered}) {
  return !attention && h("p", t(delivered ? "sale.delivered" : "sale.not_delivered"));
}

const toneOf = ({outcome, attention}) =>
  attention ? "warn" : outcome === "sold" ? "good" : outcome === "not_sold" ? "off" : "wait";

function receiptButton(sale, view) {
  if (!maySettle()) return h("p.faint.small", t("role.may_not_receipt"));
  return button(t("receipt.show"), () => openReceipt(sale, view), {sign: "close"});
}

// Says why the sale is not sold. The texts of people and of the provider are shown as they were written.
function reason(sale, told) {
  const {code, detail, said} = sale.reason ?? {};
  const words = told.providerSaid ?? said;
  if (!code) return null;
  return h(
    "div",
    h("p", word("reason_code", code)),
    words && h("p", t("sale.provider_said"), " ", h("q", foreign(words))),
    code === "operator" && detail && h("blockquote", foreign(detail)),
    code !== "operator" &&
      detail &&
      h("details.small", h("summary", t("problem.technical")), h("p", explained(detail))),
  );
}

// Says in the reader's words what is being done, because the gateway's own sentence is English.
function now({now: current, open = [current]}) {
  if (!current) return null;
  return h("div.doing", h("p.strong", t("doing.title")), open.map(doing));
}

function doing(item) {
  const isIdle = !item.underWay && !item.step && !item.nextAt && item.state !== "awaiting";
  const state = item.waitsForJournal ? "waits_for_journal" : isIdle ? "nothing" : item.state;
  const what = has(`doing.${state}`) ? t(`doing.${state}`) : item.text;
  const asked = item.attentionAt && t("doing.attention", {time: exactTime(item.attentionAt)});
  const words = [what, nextStep(item), asked].filter(Boolean).join(" ");
  return h("p", {"data-key": item.idExterno}, words);
}

function nextStep({underWay, step, nextAt, try: count}) {
  if (underWay) return t("doing.under_way", {count});
  if (!nextAt) return "";
  return t(step ? "doing.next" : "doing.until", {count, time: exactTime(nextAt)});
}

function caseOf(sale, told, view) {
  const {since} = told.marked;
  return h(
    "section.card.case",
    h(
      "div.card-head",
      h("h2", markTitle(sale)),
      h("div.card-aside", timeLeft(endOf(sale)), " ", since && waiting(since)),
    ),
    advice({...sale, ...told.marked, endsAt: endOf(sale)}),
    lastError(told.lastError),
    settleHere(sale, view),
  );
}

// Shows the provider's time as it was written, where it does not name a zone.
function providerTime(text) {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text) && Number.isFinite(Date.parse(text)) ? when(text) : foreign(text);
}

function factsCard(sale) {
  return card(
    t("sale.facts"),
    facts([
      [t("sale.id_externo"), idText(sale.idExterno)],
      [t("sale.id_transacao"), sale.idTransacao ? idText(sale.idTransacao) : foreign(null)],
      [t("sale.id"), idText(sale.id)],
      [t("sale.begun"), when(sale.createdAt)],
      [t("sale.changed"), when(sale.updatedAt)],
      [t("sale.provider_time"), providerTime(sale.dataHora)],
      [t("sale.terminal"), foreign(sale.terminal)],
      [t("sale.cashier"), foreign(sale.cashier)],
      [t("sale.store"), foreign(sale.estabelecimento)],
      [t("sale.supplier"), foreign(sale.fornecedor)],
      [t("sale.settled"), sale.settled ? pill("good", t("sale.settled_yes")) : pill("wait", t("sale.settled_no"))],
    ]),
    sale.final && !sale.settled && notice("off", h("p", t(sale.attention ? "sale.settled_by_you" : "sale.settled_no_means"))),
  );
}

// The latest attempt comes first, because it decides what becomes of the sale.
function attemptsCard({attempts}) {
  if (attempts.length < 2) return null;
  const one = ({idExterno, state, at}, index) =>
    h(
      "li.attempt",
      {"data-key": idExterno},
      h("p", h("span.strong", `${index + 1}. `), word("state", state), " ", h("span.faint", exactTime(at))),
      idText(idExterno),
    );
  return cardWith(t("sale.attempts"), t("sale.attempts_means"), h("ol.rows", attempts.map(one).reverse()));
}
