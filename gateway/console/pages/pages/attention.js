// Every sale that needs a person, the oldest first, each with a way to settle it right there.

import {get} from "../lib/api.js";
import {advice, lastError} from "../lib/advice.js";
import {h} from "../lib/dom.js";
import {money} from "../lib/format.js";
import {card, dotted, empty, family, foreignShort, idText, saleState, waiting, when} from "../lib/parts.js";
import {href} from "../lib/route.js";
import {markTitle, settleHere} from "../lib/settle.js";
import {timeLeft} from "../lib/time_left.js";
import {t} from "../lib/words.js";

export default {
  title: () => t("page.attention"),
  topics: ["attention"],

  async load(view) {
    const {sales, total} = await get("/v1/attention", {}, {signal: view.signal});
    return {cases: sales, total};
  },

  draw({cases, total}, view) {
    if (cases.length === 0) return card(t("attention.all_well"), empty(t("attention.none"), t("attention.none_more")));
    const asked = view.route.parameters[0];
    // The case that a link named comes first; the others keep their order.
    const ordered = [...cases].sort((a, b) => (b.id === asked) - (a.id === asked));
    return [
      h("p.lead", t("attention.lead", {count: total}), " ", total > cases.length && t("attention.first", {count: cases.length})),
      ordered.map((one) => oneCase(one, view, one.id === asked)),
    ];
  },
};

function oneCase(one, view, isAsked) {
  // Of a record that cannot be read the gateway takes no decision.
  const isReadable = one.family && one.status;
  const begun = [t("attention.sold_at"), " ", when(one.createdAt)];
  return h(
    "article.card.case",
    {"data-key": one.id, class: isAsked && "asked"},
    h("div.card-head", h("h2", markTitle(one)), h("div.card-aside", timeLeft(one.endsAt))),
    h("p.case-sale", amount(one), h("span", dotted(family(one.family), foreignShort(one.produto))), saleState(one)),
    h("p.faint", dotted(foreignShort(one.terminal), begun, one.since && waiting(one.since))),
    advice(one),
    h("p.case-ids", h("span.faint", t("sale.id_externo")), idText(one.idExterno), storyLink(one)),
    lastError(one.lastError),
    isReadable && settleHere(one, view, isAsked),
  );
}

const amount = ({valor}) => h("span.amount", money(valor));
const storyLink = ({id}) => h("a", {href: href("sale", [id])}, t("attention.story"));
