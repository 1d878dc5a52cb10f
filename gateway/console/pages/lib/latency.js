// Shows how long the provider took to answer in the last hour, minute by minute. A minute with an answer that did not
// come, or was of no use, has a red mark.

import {lines, roundUp} from "./chart.js";
import {now} from "./clock.js";
import {h} from "./dom.js";
import {clockTime, hourMinute, milliseconds, moment, number} from "./format.js";
import {empty} from "./parts.js";
import {t} from "./words.js";

const minuteMs = 60_000;
const shownMinutes = 60;

export function latencyChart(told, since) {
  const end = now();
  const minutes = told.filter(({at}) => end - Date.parse(at) < shownMinutes * minuteMs);
  // The clocks of the gateway and of this machine may differ a little.
  const isWhole = end - Date.parse(since) > (shownMinutes - 1) * minuteMs;
  const none = isWhole ? t("today.no_exchanges") : t("today.no_exchanges_since", {time: moment(since)});
  if (minutes.length === 0) return empty(none, t("today.no_exchanges_more"), "wait");
  return [legend(minutes), chart(minutes, end)];
}

// A minute whose answers were all lost has no times.
const isTimed = ({p50Ms, p95Ms}) => Number.isFinite(p50Ms) && Number.isFinite(p95Ms);
const sum = (minutes, member) => minutes.reduce((total, minute) => total + minute[member], 0);
const timeText = (value) => (Number.isFinite(value) ? milliseconds(value) : "—");

// Says how fast the provider answered in the latest minute, and how often it was asked in all.
function legend(minutes) {
  const latest = minutes.filter(isTimed).at(-1);
  const ofLatest = (key, value) => t(key, {time: milliseconds(value), minute: hourMinute(latest.at)});
  const count = sum(minutes, "count");
  const unknown = sum(minutes, "unknown");
  return h(
    "p.legend",
    latest && h("span.p50", ofLatest("today.p50", latest.p50Ms)),
    latest && h("span.p95", ofLatest("today.p95", latest.p95Ms)),
    h("span.faint", t("today.exchanges", {count, number: number(count)})),
    unknown > 0 && h("span.unknown", t("today.unknown", {count: unknown, number: number(unknown)})),
  );
}

function chart(minutes, now) {
  const place = ({at}) => shownMinutes - Math.floor((now - Date.parse(at)) / minuteMs);
  const timed = minutes.filter(isTimed);
  const series = (name, member) => ({name, points: timed.map((minute) => ({x: place(minute), y: minute[member]}))});
  return lines({
    caption: t("today.provider"),
    minutes: shownMinutes,
    top: roundUp(Math.max(0, ...timed.map(({p95Ms}) => p95Ms))),
    format: milliseconds,
    head: [t("today.minute"), "p50", "p95", t("today.exchanges_head"), t("today.unknown_head")],
    rows: minutes.map((one) => [clockTime(one.at), timeText(one.p50Ms), timeText(one.p95Ms), one.count, one.unknown]),
    series: [series("p95", "p95Ms"), series("p50", "p50Ms")],
    marks: minutes.filter(({unknown}) => unknown > 0).map(place),
    from: hourMinute(now - shownMinutes * minuteMs),
    to: t("today.now"),
  });
}
