// The history of a sale as a time line of both sides: what the store and the gateway did, and what the provider said. The
// gateway has folded it into passages: a round of events, and how often it came, or tries that a long history leaves out.

import {exactTime, fullMoment, milliseconds, number} from "./format.js";
import {explained} from "./details.js";
import {h} from "./dom.js";
import {dotted, foreign, pill} from "./parts.js";
import {has, t, word} from "./words.js";

const steps = ["solicitar", "confirmar", "cancelar", "consultar"];
// These events say something that the provider told without having been asked.
const saidByProvider = ["callback", "statement"];

const tones = {
  authorised: "good",
  sold: "good",
  EFETIVADA: "good",
  cancelled: "off",
  CANCELADA: "off",
  refused: "off",
  NEGADA: "off",
  unknown: "bad",
  unsent: "warn",
  unauthorised: "warn",
  throttled: "warn",
  declined: "warn",
};

export function saleHistory({events, passages}) {
  const attempts = [...new Set(events.map(({idExterno}) => idExterno).filter(Boolean))];
  const numberOf = ({idExterno}) => (attempts.length > 1 ? attempts.indexOf(idExterno) + 1 : 0);
  const entries = passages.map((passage, index) => {
    const round = events.slice(passage.first, passage.first + passage.length);
    if (round.length === 0) return leftOut(events[passage.first], passage, index);
    return round.map((event, place) => {
      const run = place === 0 ? {...passage, isRound: round.length > 1} : {times: 1};
      return line(event, numberOf(event), run, `${index}-${place}`);
    });
  });
  return h("ol.history", heads(), entries);
}

function heads() {
  const titles = [h("span"), h("span", t("history.here")), h("span"), h("span", t("history.there"))];
  return h("li.history-head", {"aria-hidden": "true"}, titles);
}

const verdictOf = (event) => event.verdict ?? event.known ?? null;
const isExchange = ({event}) => steps.includes(event);
const isTheirs = ({event}) => saidByProvider.includes(event);
const isMarked = ({mark}) => mark && mark !== "none";

function line(event, attempt, run, key) {
  const tone = tones[verdictOf(event)] ?? (isMarked(event) ? "warn" : "off");
  return h(
    "li",
    {class: tone, "data-key": key},
    h("span.history-time", time(event), run.times > 1 && h("span.faint", t("history.until", {time: exactTime(run.until)}))),
    h("div.history-here", !isTheirs(event) && here(event, attempt), often(run), marked(event)),
    h("span.history-dot", {"aria-hidden": "true"}),
    h("div.history-there", (isExchange(event) || isTheirs(event)) && there(event)),
  );
}

// Shows that further tries are only in the log.
function leftOut(event, {leftOut: count, until}, index) {
  const end = until ? t("history.until", {time: exactTime(until)}) : t("history.until_now");
  return h(
    "li.off",
    {"data-key": `${index}`},
    h("span.history-time", time(event), h("span.faint", end)),
    h("div.history-here", h("p.faint.small", t("history.left_out", {count, number: number(count)}))),
    h("span.history-dot", {"aria-hidden": "true"}),
    h("div.history-there"),
  );
}

const time = ({at}) => h("time", {datetime: at, title: fullMoment(at)}, exactTime(at));

function often({times, isRound}) {
  const words = isRound ? "history.rounds" : "history.times";
  return times > 1 && h("p.small", t(words, {count: times, number: number(times)}));
}

// Shows what a person decided, together with the note. The detail of an exchange belongs to the provider's side.
function here(event, attempt) {
  const verdict = verdictOf(event);
  const isResolved = event.event === "resolved";
  return [
    h(
      "p",
      word("event", event.event),
      " ",
      attempt > 0 && h("span.faint.small", t("history.attempt", {number: attempt})),
    ),
    isResolved && verdict && h("p", pill("off", word("status", verdict))),
    event.by && h("p.faint", t("history.by"), " ", foreign(event.by)),
    event.detail &&
      !isExchange(event) &&
      (isResolved ? h("blockquote", foreign(event.detail)) : h("p.faint.small", explained(event.detail))),
  ];
}

function there(event) {
  const verdict = verdictOf(event);
  const took = event.durationMs !== undefined && milliseconds(event.durationMs);
  const answered = event.httpStatus && `HTTP ${event.httpStatus}`;
  return [
    h(
      "p",
      isTheirs(event) && h("span.faint", t(`event.${event.event}`), " "),
      pill(tones[verdict] ?? "wait", said(event)),
    ),
    h("p.faint.small", dotted(took, answered)),
    event.detail && h("p.faint.small", explained(event.detail)),
  ];
}

function said(event) {
  const verdict = verdictOf(event);
  if (verdict === null) return t("history.under_way");
  if (verdict === "unknown") return t(event.httpStatus ? "verdict.unusable" : "verdict.unknown");
  return verdictWords(verdict);
}

const verdictWords = (verdict) => (has(`verdict.${verdict}`) ? t(`verdict.${verdict}`) : word("status", verdict));

function marked({mark}) {
  if (!mark) return null;
  return h("p", mark === "none" ? pill("good", t("history.unmarked")) : pill("warn", word("mark", mark)));
}
