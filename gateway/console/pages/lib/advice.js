// Shows side by side what is known of a sale that needs a person, what is not known, and what to do. It uses the
// reader's words, and the gateway's own for a mark of a later gateway that this page does not know.

import {now} from "./clock.js";
import {explained} from "./details.js";
import {h} from "./dom.js";
import {moment} from "./format.js";
import {foreign} from "./parts.js";
import {providerPhone} from "./provider_phone.js";
import {maySettle} from "./session.js";
import {isFinal} from "./settle.js";
import {has, say, t} from "./words.js";

// No sentence of the gateway is longer than this.
const longest = 900;

export function advice(one) {
  const {mark, known, notKnown, toDo} = one;
  const own = (name) => `advice.${mark}.${name}`;
  const words = (name, text) => (has(own(name)) ? t(own(name)) : foreign(text, longest));
  const part = (name, text, ...more) =>
    h("div", {class: name}, h("h3", t(`advice.${name}`)), h("p", words(name, text)), more);
  const more = [providerPhone(), howTo(one), waitingCosts(one)];
  return h("div.advice", part("known", known), part("not_known", notKnown), part("to_do", toDo, more));
}

// Names the buttons by their own words, so that they are called here as they are there.
function howTo(one) {
  if (!one.family || !one.status || !maySettle()) return null;
  const names = {here: t("settle.here"), look: t("settle.look")};
  if (isFinal(one)) return h("p", say("advice.how_final", {...names, agree: t("settle.as_seen_agree")}));
  return h("p", say("advice.how_open", {...names, sold: t("settle.sold"), not_sold: t("settle.not_sold")}));
}

// Says what becomes of the sale if nobody does anything.
function waitingCosts(one) {
  if (!one.status) return null;
  const cost = t(`advice.waiting_${costOf(one)}`, {time: one.endsAt && moment(one.endsAt)});
  return h("p", h("span.strong", t("advice.waiting")), " ", cost);
}

// For these marks the customer has paid for what did not come.
const unserved = ["undeliverable", "recharge_failed"];

function costOf(one) {
  if (isFinal(one)) return unserved.includes(one.mark) ? "goods" : "final";
  if (!one.endsAt) return "open";
  return Date.parse(one.endsAt) > now() ? "ends" : "ended";
}

export function lastError(error) {
  return (
    error && h("p.faint.small", t("advice.last_error", {step: t(`step.${error.step}`)}), " ", explained(error.text))
  );
}
