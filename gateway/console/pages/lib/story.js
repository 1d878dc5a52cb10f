// The story of a sale as a time line of both sides: what the store and the gateway did, and what the provider said.

import {clockTime, fullMoment, milliseconds, number} from "./format.js";
import {h} from "./dom.js";
import {foreign, pill} from "./parts.js";
import {has, t, word} from "./words.js";

const steps = ["solicitar", "confirmar", "cancelar"];
// What the provider says without having been asked.
const saidByProvider = ["callback", "statement"];
// Three events that take turns are the longest round that a sale goes in.
const longestRound = 3;

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

export function story(events) {
  const attempts = [...new Set(events.map(({idExterno}) => idExterno).filter(Boolean))];
  const entries = rounds(events);
  return h(
    "ol.story",
    h(
      "li.story-head",
      {"aria-hidden": "true"},
      h("span"),
      h("span", t("story.here")),
      h("span"),
      h("span", t("story.there")),
    ),
    entries.map(({events: round, times, until}, index) =>
      round.map((event, place) =>
        line(event, {
          attempt: attempts.length > 1 ? attempts.indexOf(event.idExterno) + 1 : 0,
          times: place === 0 ? times : 1,
          until,
          key: `${index}-${place}`,
          ofRound: round.length,
        }),
      ),
    ),
  );
}

const verdictOf = (event) => event.verdict ?? event.known ?? null;

function line(event, {attempt, times, until, key, ofRound}) {
  const isExchange = steps.includes(event.event);
  const isTheirs = saidByProvider.includes(event.event);
  const tone = tones[verdictOf(event)] ?? (event.mark && event.mark !== "none" ? "warn" : "off");
  return h(
    "li",
    {class: tone, "data-key": key},
    h(
      "span.story-time",
      h("time", {datetime: event.at, title: fullMoment(event.at)}, clockTime(event.at)),
      times > 1 && h("span.faint", t("story.until", {time: clockTime(until)})),
    ),
    h(
      "div.story-here",
      isTheirs
        ? null
        : [
            h(
              "p",
              t(`event.${event.event}`),
              " ",
              attempt > 0 && h("span.faint.small", t("story.attempt", {number: attempt})),
            ),
            here(event, isExchange),
          ],
      times > 1 && h("p.small", t(ofRound > 1 ? "story.rounds" : "story.times", {count: times, number: number(times)})),
      marked(event),
    ),
    h("span.story-dot", {"aria-hidden": "true"}),
    h("div.story-there", (isExchange || isTheirs) && there(event, isTheirs)),
  );
}

function here(event, isExchange) {
  if (event.event === "resolved") {
    return [
      h(
        "p",
        verdictOf(event) ? pill("off", word("status", verdictOf(event))) : null,
        event.by && h("span.faint", " ", t("story.by"), " ", h("bdi", event.by)),
      ),
      event.detail && h("blockquote", foreign(event.detail)),
    ];
  }
  return [
    event.by && h("p.faint", t("story.by"), " ", h("bdi", event.by)),
    !isExchange && event.detail && h("p.faint.small", foreign(event.detail)),
  ];
}

function there(event, isTheirs) {
  const verdict = verdictOf(event);
  const said =
    verdict === "unknown"
      ? t(event.httpStatus ? "verdict.unusable" : "verdict.unknown")
      : verdict
        ? verdictWords(verdict)
        : t("story.under_way");
  return [
    h("p", isTheirs && h("span.faint", t(`event.${event.event}`), " "), pill(tones[verdict] ?? "wait", said)),
    h(
      "p.faint.small",
      [event.durationMs !== undefined && milliseconds(event.durationMs), event.httpStatus && `HTTP ${event.httpStatus}`]
        .filter(Boolean)
        .join(" · "),
    ),
    event.detail && h("p.faint.small", foreign(event.detail)),
  ];
}

const verdictWords = (verdict) => (has(`verdict.${verdict}`) ? t(`verdict.${verdict}`) : word("status", verdict));

function marked({mark}) {
  if (!mark) return null;
  return h("p", mark === "none" ? pill("good", t("story.unmarked")) : pill("warn", word("mark", mark)));
}

// Equal events that follow each other are told once, with how often they came: a provider that is away for a night is
// asked hundreds of times.
function rounds(events) {
  const told = [];
  for (let at = 0; at < events.length;) {
    const found = roundAt(events, at);
    const last = at + found.length * found.times;
    told.push({
      events: events.slice(at, at + found.length),
      times: triesIn(events.slice(at, last), found),
      until: events[last - 1].at,
    });
    at = last;
  }
  return told;
}

function roundAt(events, at) {
  for (let length = 1; length <= longestRound; ++length) {
    let times = 1;
    while (isRepeated(events, at, length, times)) ++times;
    if (times > 1) return {length, times};
  }
  return {length: 1, times: 1};
}

function isRepeated(events, at, length, times) {
  const from = at + length * times;
  if (from + length > events.length) return false;
  return Array.from({length}, (_, index) => index).every((index) => isSame(events[at + index], events[from + index]));
}

// Everything but when, how long it took, and which try it was.
function isSame(a, b) {
  const told = ({at, durationMs, tries, ...rest}) => JSON.stringify(rest);
  return told(a) === told(b);
}

// Of a long run only some events are recorded, and each of these says which try it was.
function triesIn(run, {length, times}) {
  const [first, last] = [run[0].tries, run.at(-1).tries];
  return length === 1 && first && last ? Math.max(times, last - first + 1) : times;
}
