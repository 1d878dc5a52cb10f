// Explains the words that this console uses, and says whom to call.

import {h} from "../lib/dom.js";
import {card, foreign} from "../lib/parts.js";
import {session} from "../lib/session.js";
import {t} from "../lib/words.js";

const questions = ["no_sales", "customer", "attention", "close", "statement"];
const terms = [
  "gateway",
  "provider",
  "till",
  "terminal",
  "sale",
  "attempt",
  "id_externo",
  "id_transacao",
  "nsu",
  "sold",
  "cancelled",
  "refused",
  "held",
  "open",
  "settled",
  "attention",
  "close",
  "late",
  "statement",
  "finding",
  "day",
];

export default {
  title: () => t("page.help"),
  topics: [],
  load: async () => session.help,

  draw(help) {
    return [
      card(
        t("help.call"),
        help ? h("p.help-line", foreign(help, 500)) : h("p.faint", t("help.nobody")),
      ),
      card(
        t("help.questions"),
        questions.map((name) =>
          h("details.question", h("summary", t(`help.${name}`)), h("p", t(`help.${name}_answer`))),
        ),
      ),
      card(
        t("help.words"),
        h(
          "dl.glossary",
          terms.map((name) => h("div", h("dt", t(`term.${name}`)), h("dd", t(`term.${name}_means`)))),
        ),
      ),
      card(t("help.keyboard"), h("p", t("help.keyboard_means"))),
    ];
  },
};
