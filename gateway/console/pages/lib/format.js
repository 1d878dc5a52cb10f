// Writes money, numbers, times and durations in the page's language. Times are those of the store, because the reader
// may sit elsewhere.

import {now} from "./clock.js";
import {language} from "./words.js";

let zone;
const made = new Map();

// Sets the store's zone. A browser that does not know it uses its own.
export function useZone(name) {
  try {
    new Intl.DateTimeFormat("en", {timeZone: name});
    zone = name;
  } catch {
    zone = undefined;
  }
}

// Intl's formatters are slow to make, so each of the few is made once.
function formatter(Kind, options) {
  const key = JSON.stringify([language, zone, Kind.name, options]);
  if (!made.has(key)) made.set(key, new Kind(language, options));
  return made.get(key);
}

const inZone = (options) => formatter(Intl.DateTimeFormat, {timeZone: zone, ...options});

// `cents` is null where the amount is more than fits into a number.
export function money(cents) {
  if (cents === null || cents === undefined) return "—";
  return formatter(Intl.NumberFormat, {style: "currency", currency: "BRL"}).format(cents / 100);
}

export function number(value) {
  return formatter(Intl.NumberFormat, {maximumFractionDigits: 1}).format(value);
}

export function percent(part) {
  return formatter(Intl.NumberFormat, {style: "percent", maximumFractionDigits: 0}).format(part);
}

// The value and its unit stand on one line.
function unit(value, name, digits = 0) {
  const options = {style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits};
  return formatter(Intl.NumberFormat, options).format(value).replace(" ", "\u00a0");
}

export function milliseconds(value) {
  return value < 10_000 ? unit(value, "millisecond") : unit(value / 1000, "second", 1);
}

export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let at = 0;
  while (value >= 1024 && at + 1 < units.length) {
    value /= 1024;
    ++at;
  }
  return unit(value, units[at], value < 10 && at > 0 ? 1 : 0);
}

// Writes a duration in its two largest units: "1 d 4 h", "12 min", "40 s".
export function span(lengthMs) {
  const seconds = Math.max(0, Math.round(lengthMs / 1000));
  const parts = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ];
  const first = Math.max(
    0,
    parts.findIndex(([, size]) => seconds >= size),
  );
  if (seconds === 0) return unit(0, "second");
  let rest = seconds;
  // Hours say nothing beside weeks, and seconds nothing beside minutes.
  const isOne = first >= 2 || seconds >= 7 * 86400;
  const shown = parts.slice(first, first + (isOne ? 1 : 2)).map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? unit(count, name) : "";
  });
  return shown.filter(Boolean).join(" ");
}

// Writes "3 minutes ago" or "in 2 days". Days are counted from now, so 47 hours ago is not "yesterday".
export function ago(at) {
  const seconds = (Date.parse(at) - now()) / 1000;
  const [name, size] = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ].find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  const numeric = name === "day" ? "always" : "auto";
  return formatter(Intl.RelativeTimeFormat, {numeric}).format(Math.trunc(seconds / size), name);
}

export function clockTime(at) {
  return inZone({hour: "2-digit", minute: "2-digit", second: "2-digit"}).format(new Date(at));
}

export function hourMinute(at) {
  return inZone({hour: "2-digit", minute: "2-digit"}).format(new Date(at));
}

// Writes the time of day, and also the date where that is not today in the store.
export function moment(at) {
  if (dayOf(at) === today()) return hourMinute(at);
  return inZone({day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit"}).format(new Date(at));
}

// Does the same to the second.
export function exactTime(at) {
  if (dayOf(at) === today()) return clockTime(at);
  const date = {day: "2-digit", month: "short"};
  return inZone({...date, hour: "2-digit", minute: "2-digit", second: "2-digit"}).format(new Date(at));
}

export function fullMoment(at) {
  return inZone({dateStyle: "full", timeStyle: "long"}).format(new Date(at));
}

// Writes a time as spreadsheets of the page's language read it.
export function sheetTime(at) {
  const [year, month, day] = dayOf(at).split("-");
  const time = inZone({hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23"}).format(new Date(at));
  return `${language === "en" ? `${year}-${month}-${day}` : `${day}/${month}/${year}`} ${time}`;
}

// Writes a day, which is a date without a zone: "2026-11-20".
export function day(text, style = "medium") {
  return formatter(Intl.DateTimeFormat, {timeZone: "UTC", dateStyle: style}).format(new Date(`${text}T00:00:00Z`));
}

// Returns the day in the store at a time.
export function dayOf(at) {
  const parts = new Intl.DateTimeFormat("en-CA", {timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit"});
  return parts.format(new Date(at));
}

// Writes the weekday of a day with its date: "quinta-feira, 23/11".
export function weekday(text) {
  const date = new Date(`${text}T00:00:00Z`);
  return formatter(Intl.DateTimeFormat, {timeZone: "UTC", weekday: "long", day: "2-digit", month: "2-digit"}).format(date);
}

// This day is earlier than any sale.
export const firstDay = "2000-01-01";

export const today = () => dayOf(now());

export function dayAfter(text, count = 1) {
  return new Date(Date.parse(`${text}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

export function hourOf(at) {
  return Number(
    new Intl.DateTimeFormat("en-GB", {timeZone: zone, hour: "2-digit", hourCycle: "h23"}).format(new Date(at)),
  );
}

// Returns when a day begins in the store. The offset is looked up twice, because it may differ between the guess and
// the answer.
export function startOfDay(text) {
  return whenClocksShow(Date.parse(`${text}T00:00:00Z`));
}

// Returns when the store's clocks show on that day what they show at a time.
export function sameTimeOn(text, at) {
  const shown = (at + offsetAt(at)) % 86_400_000;
  return whenClocksShow(Date.parse(`${text}T00:00:00Z`) + shown);
}

// `shown` is what the clocks show, as if the store were in the zone UTC.
function whenClocksShow(shown) {
  const guess = shown - offsetAt(shown);
  return new Date(shown - offsetAt(guess)).toISOString();
}

function offsetAt(time) {
  const read = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const part = Object.fromEntries(read.formatToParts(new Date(time)).map(({type, value}) => [type, Number(value)]));
  return (
    Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - Math.floor(time / 1000) * 1000
  );
}
