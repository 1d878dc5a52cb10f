// Shows the state of the gateway and its machine: each thing in green, amber or red, with its meaning and what to do.

import {get} from "../lib/api.js";
import {now} from "../lib/clock.js";
import {h} from "../lib/dom.js";
import {bytes, day, dayOf, moment, number, percent, span} from "../lib/format.js";
import {card, facts, foreign, notice, pill, when, whenAgo} from "../lib/parts.js";
import {refusesNewSecret} from "../lib/selling.js";
import {t, word} from "../lib/words.js";

const dayMs = 86_400_000;
// A month is enough time to get a new certificate, but a week is not.
const certificateSoonMs = 30 * dayMs;
const certificateNowMs = 7 * dayMs;
// A copy is made each night. One that failed once is no alarm yet.
const backupOldMs = 26 * 3_600_000;
const backupTooOldMs = 3 * dayMs;
const diskLow = 0.15;
const diskTooLow = 0.05;

export default {
  title: () => t("page.health"),
  topics: ["health"],

  async load(view) {
    const options = {signal: view.signal};
    const [health, status] = await Promise.all([get("/v1/health", {}, options), get("/v1/status", {}, options)]);
    return {health, status};
  },

  draw({health, status}) {
    const checks = [
      ...health.certificates.map(certificate),
      token(health.token),
      provider(status.provider, "provider"),
      provider(status.tokenService, "token_service", refusesNewSecret(status)),
      ...(health.disk.freeBytes === null ? [] : [disk(health.disk, status)]),
      clock(health.clock, status),
      ...(status.journal.database
        ? [database(status.journal.database, health.journal)]
        : [backup(health.backup), journal(health.journal)]),
    ];
    return [
      overall(checks, health),
      h("div.grid.cards", checks.map(oneCheck)),
      configuration(health.configuration),
      about(health),
    ];
  },
};

const order = ["bad", "warn", "good"];

function overall(checks, {configuration: {warnings}}) {
  const worst = order.find((tone) => checks.some((check) => check.tone === tone)) ?? "good";
  const tone = worst === "good" && warnings.length > 0 ? "warn" : worst;
  return notice(tone, h("p.strong", t(`health.overall_${tone}`)));
}

function oneCheck({name, tone, state, text, act, more}) {
  return h(
    "section.card.check-card",
    {class: tone, "data-key": name},
    h("div.card-head", h("h2", name), h("div.card-aside", pill(tone, t(`health.tone_${tone}`)))),
    h("p.strong", state),
    text && h("p.faint", text),
    tone !== "good" && act && h("p", act),
    more,
  );
}

function certificate({listener, file, endsAt, refused, lastRefusedAt, lastRefusedFor}) {
  const left = Date.parse(endsAt) - now();
  const tone = left < certificateNowMs ? "bad" : left < certificateSoonMs ? "warn" : "good";
  const state = left <= 0 ? t("health.ended") : t("health.ends_in", {time: span(left)});
  return {
    name: t("health.certificate", {listener: word("listener", listener)}),
    tone,
    state,
    text: [day(dayOf(endsAt), "long"), " · ", h("code.wrap", foreign(file))],
    act: t("health.certificate_do"),
    more:
      refused > 0 &&
      h(
        "p",
        t("health.certificate_refused", {count: refused, number: number(refused), when: moment(lastRefusedAt)}),
        " ",
        foreign(lastRefusedFor),
      ),
  };
}

function token({valid, expiresAt}) {
  return {
    name: t("health.token"),
    tone: valid ? "good" : "bad",
    state: t(valid ? "health.token_valid" : "health.token_none"),
    text: expiresAt && [t("health.token_until"), " ", when(expiresAt)],
    act: t("health.token_do"),
  };
}

// A single exchange that failed is no outage.
function provider({reached, asked, since, lastFailure}, what, isOfNewSecret = false) {
  const away = isOfNewSecret ? "health.new_secret_refused" : "health.not_reached";
  const failed = lastFailure && [" · ", t("health.last_failure"), " ", when(lastFailure.at)];
  return {
    name: word("service", what),
    tone: failed ? "warn" : reached || !asked ? "good" : "bad",
    state: t(!asked ? "health.not_asked" : reached ? "health.reached" : away),
    text: asked ? [t("health.since"), " ", when(since), failed] : t("health.not_asked_means"),
    act: t(`reason.${what}.do`),
  };
}

const concerned = ({degraded}, name) => degraded.some(({what}) => what === name);

// A disk with too little room for an hour of sales is reported, however large it is.
function disk({freeBytes, totalBytes}, status) {
  const part = totalBytes > 0 ? freeBytes / totalBytes : 0;
  const isLow = concerned(status, "disk");
  const tone = isLow || part < diskTooLow ? "bad" : part < diskLow ? "warn" : "good";
  const {neededBytes, freeInodes, neededInodes} = status.disk ?? {};
  const files = freeInodes !== undefined && {count: freeInodes, number: number(freeInodes)};
  const state =
    isLow && freeInodes < neededInodes
      ? t("health.disk_no_files", files)
      : isLow
        ? t("health.disk_low", {free: bytes(freeBytes), needed: bytes(neededBytes)})
        : t("health.disk_free", {free: bytes(freeBytes), part: percent(part)});
  const text = [t("health.disk_of", {total: bytes(totalBytes)})];
  if (files) text.push(", ", t("health.disk_files", files));
  return {name: t("health.disk"), tone, state, text, act: t("health.disk_do")};
}

function clock({synchronized, at}, status) {
  const isWrong = concerned(status, "clock");
  const tone = isWrong ? "bad" : synchronized ? "good" : "warn";
  const state = synchronized === null ? "unknown" : synchronized ? "right" : "wrong";
  return {
    name: t("health.clock"),
    tone,
    state: isWrong ? howWrong(status.clock) : t(`health.clock_${state}`),
    text: [when(at), !isWrong && status.clock.aheadOfProviderSeconds !== null && [" · ", t("health.clock_agrees")]],
    act: t("health.clock_do"),
  };
}

// Shows the larger of the two differences.
function howWrong({aheadOfProviderSeconds: ahead, behindJournalSeconds: behind}) {
  const time = (seconds) => ({time: span(seconds * 1_000)});
  if ((behind ?? 0) > Math.abs(ahead ?? 0)) return t("health.clock_past", time(behind));
  return ahead > 0 ? t("health.clock_ahead", time(ahead)) : t("health.clock_behind", time(-ahead));
}

function backup({lastAt}) {
  const age = lastAt && now() - Date.parse(lastAt);
  const tone = age > backupTooOldMs ? "bad" : !lastAt || age > backupOldMs ? "warn" : "good";
  return {
    name: t("health.backup"),
    tone,
    state: lastAt ? [t("health.backup_last"), " ", whenAgo(lastAt)] : t("health.backup_never"),
    text: lastAt && when(lastAt),
    act: t("health.backup_do"),
  };
}

function journal({bytes: size, walBytes, writable, damaged, encrypted, sales}) {
  const tone = damaged || !writable ? "bad" : "good";
  const state = damaged ? "damaged" : writable ? "writable" : "not_writable";
  return {
    name: t("health.journal"),
    tone,
    state: t(`health.journal_${state}`),
    act: t(damaged ? "reason.damaged.do" : "reason.journal.do"),
    text: t("health.journal_size", {size: bytes(size), wal: bytes(walBytes)}),
    more: h(
      "p.faint",
      t(encrypted ? "health.journal_encrypted" : "health.journal_plain"),
      sales === null || sales === undefined ? "" : ` ${t("sales.count", {count: sales, number: number(sales)})}`,
    ),
  };
}

// The disk and the copies of such a journal are the database server's.
function database({gateway, server, waitsForStandby, standbys}, {writable, encrypted}) {
  return {
    name: t("health.database"),
    tone: writable ? "good" : "bad",
    state: t(waitsForStandby ? "health.database_waits" : `health.journal_${writable ? "writable" : "not_writable"}`),
    act: t("reason.journal.do"),
    text: server ? t("health.database_at", {server, gateway}) : t("health.database_none"),
    more: h(
      "p.faint",
      t(encrypted ? "health.journal_encrypted" : "health.journal_plain"),
      ...standbys.map(({name, connected}) => ` ${t(`health.standby_${connected ? "connected" : "away"}`, {name})}.`),
    ),
  };
}

function configuration({path, readAt, warnings}) {
  return card(
    t("health.configuration"),
    facts([
      [t("health.file"), h("code.wrap", foreign(path))],
      [t("health.read_at"), when(readAt)],
    ]),
    warnings.length === 0
      ? notice("good", h("p", t("health.no_warnings")))
      : warnings.map(({key, line, message}) =>
          notice(
            "warn",
            h("p.strong", h("code", foreign(key, 80)), line ? ` ${t("health.line", {line})}` : ""),
            h("p", foreign(message, 400)),
          ),
        ),
  );
}

function about({version, startedAt, memoryBytes}) {
  return card(
    t("health.about"),
    facts([
      [t("health.version"), version],
      [t("health.started"), [whenAgo(startedAt), " · ", when(startedAt)]],
      [t("health.memory"), bytes(memoryBytes)],
    ]),
  );
}
