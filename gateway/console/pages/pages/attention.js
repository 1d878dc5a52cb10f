// Shows every sale that needs a person, the oldest first, each with a form to settle it there.

import {get} from "../lib/api.js";
import {advice, lastError} from "../lib/advice.js";
import {h} from "../lib/dom.js";
import {day, money} from "../lib/format.js";
import {card, dotted, empty, family, foreignShort, idText, notice, saleState, waiting, when} from "../lib/parts.js";
import {href} from "../lib/route.js";
import {markTitle, settleAsStated, settleHere} from "../lib/settle.js";
import {timeLeft} from "../lib/time_left.js";
import {t, word} from "../lib/words.js";

// The gateway returns at most this many at once.
const mostFindings = 500;

export default {
  title: () => t("page.attention"),
  topics: ["attention", "findings"],

  async load(view) {
    const options = {signal: view.signal};
    const [{sales, total}, {findings}] = await Promise.all([
      get("/v1/attention", {}, options),
      get("/v1/findings", {open: "true", limit: mostFindings}, options),
    ]);
    return {cases: sales, total, findings};
  },

  draw({cases, total, findings}, view) {
    if (cases.length === 0) return card(t("attention.all_well"), empty(t("attention.none"), t("attention.none_more")));
    const asked = view.route.parameters[0];
    // The case that a link names comes first. The others keep their order.
    const ordered = [...cases].sort((a, b) => (b.id === asked) - (a.id === asked));
    return [
      h("p.lead", t("attention.lead", {count: total}), " ", total > cases.length && t("attention.first", {count: cases.length})),
      ordered.map((one) => oneCase(one, findings.filter(({sale}) => sale === one.id), view, one.id === asked)),
    ];
  },
};

function oneCase(one, findings, view, isAsked) {
  // The gateway takes no decision about a record that it cannot read.
  const isReadable = one.family && one.status;
  const begun = [t("attention.sold_at"), " ", when(one.createdAt)];
  return h(
    "article.card.case",
    {"data-key": one.id, class: isAsked && "asked"},
    h("div.card-head", h("h2", markTitle(one)), h("div.card-aside", timeLeft(one.endsAt))),
    h("p.case-sale", amount(one), h("span", dotted(family(one.family), foreignShort(one.produto))), saleState(one)),
    h("p.faint", dotted(foreignShort(one.terminal), begun, one.since && waiting(one.since))),
    advice(one),
    findings.map((finding) => stated(one, finding, view)),
    h("p.case-ids", h("span.faint", t("sale.id_externo")), idText(one.idExterno), historyLink(one)),
    lastError(one.lastError),
    isReadable && settleHere(one, view, isAsked),
  );
}

// Shows what a statement says about the sale, and a button that settles it so. Settling does not correct the statement.
function stated(one, finding, view) {
  const {day: of, theirs} = finding;
  const said = theirs
    ? t("attention.stated", {day: day(of), status: word("status", theirs.status), valor: money(theirs.valor)})
    : t("attention.not_stated", {day: day(of)});
  const link = h("a", {href: href("reconcile")}, t("attention.to_reconcile"));
  return notice("off", h("p", said, " ", link), settleAsStated(one, finding, view));
}

const amount = ({valor}) => h("span.amount", money(valor));
const historyLink = ({id}) => h("a", {href: href("sale", [id])}, t("attention.history"));
