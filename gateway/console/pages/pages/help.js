// Explains the words that this console uses, and says whom to call.

import {getBytes} from "../lib/api.js";
import {h} from "../lib/dom.js";
import {card, foreign} from "../lib/parts.js";
import {providerPhone} from "../lib/provider_phone.js";
import {session} from "../lib/session.js";
import {say, t} from "../lib/words.js";

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
  "under_way",
  "open",
  "settled",
  "attention",
  "close",
  "late",
  "statement",
  "finding",
  "day",
];

const telephones = {android: [1, 2, 3], iphone: [1, 2, 3, 4]};
const authorityPath = "/console/authority.crt";

// Returns the SHA-256 of the authority that vouches for this console, as a telephone shows it; null where there is
// none.
async function findFingerprint() {
  const certificate = await getBytes(authorityPath);
  if (!certificate) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", certificate));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}

function telephoneCard(fingerprint) {
  if (!fingerprint) return card(t("help.phone"), h("p", t("help.phone_none")));
  const address = h("code", `${location.origin}/`);
  const isHere = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  return card(
    t("help.phone"),
    isHere && h("p", say("help.phone_here", {address: address.cloneNode(true)})),
    h("p", say("help.phone_get", {address: h("a", {href: authorityPath}, h("code", location.origin + authorityPath))})),
    Object.entries(telephones).map(([name, steps]) =>
      h(
        "details.question",
        h("summary", t(`help.phone_${name}`)),
        h(
          "ol",
          steps.map((step) => h("li", say(`help.phone_${name}_${step}`, {address: address.cloneNode(true)}))),
        ),
      ),
    ),
    h("h3", t("help.phone_compare")),
    h("p", h("code.fingerprint", fingerprint)),
    h("p.faint", t("help.phone_compare_means")),
  );
}

export default {
  title: () => t("page.help"),
  topics: [],
  // Whom to call is shown even where the gateway says nothing.
  load: async () => ({fingerprint: await findFingerprint().catch(() => undefined)}),

  draw({fingerprint}) {
    const {help} = session;
    return [
      card(
        t("help.call"),
        help && h("p.help-line", foreign(help, 500)),
        providerPhone(),
        !help && !session.providerPhone && h("p.faint", t("help.nobody")),
      ),
      card(
        t("help.questions"),
        questions.map((name) =>
          h("details.question", h("summary", t(`help.${name}`)), h("p", t(`help.${name}_answer`)), name === "attention" && providerPhone()),
        ),
      ),
      fingerprint !== undefined && telephoneCard(fingerprint),
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
