// Says how long a case can still be settled before the provider ends it by itself.

import {now} from "./clock.js";
import {h} from "./dom.js";
import {fullMoment, span} from "./format.js";
import {session} from "./session.js";
import {t} from "./words.js";

const hourMs = 3_600_000;

// Returns when the provider ends a sale by itself; nothing where the sale is final, or where the provider never does.
export function endOf({final, createdAt}) {
  const seconds = session.openSalesEnd;
  return final || !seconds ? null : new Date(Date.parse(createdAt) + seconds * 1000).toISOString();
}

export function timeLeft(endsAt) {
  if (!endsAt) return null;
  const left = Date.parse(endsAt) - now();
  if (left <= 0) return h("span.left.bad", t("attention.over"));
  const tone = left < 4 * hourMs ? "bad" : left < 12 * hourMs ? "warn" : "off";
  return h("span.left", {class: tone, title: fullMoment(endsAt)}, t("attention.left", {time: span(left)}));
}
