// Has the small pieces that every page is made of.

import {now} from "./clock.js";
import {ago, fullMoment, moment, money, number, span} from "./format.js";
import {h} from "./dom.js";
import {icon} from "./icons.js";
import {announce} from "./toast.js";
import {t, word} from "./words.js";

// Shows a text of a provider, a terminal or a file. It is isolated from the sentence around it, because it may be
// written from right to left, and is folded where it is long.
export function foreign(text, limit = 160) {
  if (text === null || text === undefined || text === "") return h("span.faint", "—");
  const characters = [...String(text)];
  if (characters.length <= limit) return h("bdi.foreign", text);
  const beginning = h("bdi.foreign", `${characters.slice(0, limit).join("")}…`);
  return h("details.foreign-long", h("summary", beginning), h("bdi.foreign", {tabindex: 0}, text));
}

// Does the same where there is room for one line only. The page of the sale shows the whole text.
export function foreignShort(text, limit = 60) {
  if (text === null || text === undefined || text === "") return h("span.faint", "—");
  const characters = [...String(text)];
  return h("bdi.foreign", characters.length > limit ? `${characters.slice(0, limit).join("")}…` : text);
}

export function card(title, ...content) {
  return h("section.card", h("div.card-head", h("h2", title)), content);
}

// Makes a card with something at the right of its title.
export function cardWith(title, aside, ...content) {
  return h("section.card", h("div.card-head", h("h2", title), h("div.card-aside", aside)), content);
}

const toneIcons = {good: "ok", bad: "bad", warn: "warn", wait: "wait"};

// Colour is never used alone: there is always a sign and a word beside it.
export function pill(tone, text) {
  return h("span.pill", {class: tone}, toneIcons[tone] && icon(toneIcons[tone]), text);
}

export function notice(tone, ...content) {
  return h("div.notice", {class: tone}, icon(toneIcons[tone] ?? "help"), h("div", content));
}

export function button(label, click, {tone, sign, disabled} = {}) {
  return h("button.button", {type: "button", click, class: tone, disabled}, sign && icon(sign), label);
}

export function when(at) {
  if (!at) return h("span.faint", "—");
  return h("time", {datetime: at, title: fullMoment(at)}, moment(at));
}

// Does the same for paper, which is read on another day.
export function whenInFull(at) {
  return at ? h("time", {datetime: at}, fullMoment(at)) : h("span.faint", "—");
}

export function whenAgo(at) {
  if (!at) return h("span.faint", "—");
  return h("time", {datetime: at, title: fullMoment(at)}, ago(at));
}

export function waiting(since) {
  return h(
    "time",
    {datetime: since, title: fullMoment(since)},
    t("attention.waits", {time: span(now() - Date.parse(since))}),
  );
}

// Shows pairs of a name and a value. A pair whose value is null is left out.
export function facts(pairs) {
  return h(
    "dl.facts",
    pairs
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => h("div", h("dt", name), h("dd", value))),
  );
}

export function empty(title, text, sign = "ok") {
  return h("div.empty", icon(sign), h("p.strong", title), text && h("p", text));
}

const statusTones = {EFETIVADA: "good", CANCELADA: "off", NEGADA: "off", AUTORIZADA: "wait", PENDENTE: "wait"};

// Says what became of a sale in one or two words. To a store, "authorised" would sound like sold.
export function stateWord(sale) {
  if (sale.outcome === "held") return word("status", "held");
  const isOverdue = (sale.mark ?? sale.attention) === "no_callback";
  const isAwaiting = isOverdue || (!sale.final && sale.attempts?.at(-1)?.state === "awaiting");
  return word("status", isAwaiting ? "awaiting" : sale.status === "AUTORIZADA" ? "PENDENTE" : sale.status);
}

// Does the same as a pill, with the mark where the sale needs a person.
export function saleState(sale) {
  return h(
    "span.pills",
    sale.status && pill(statusTones[sale.status] ?? "off", stateWord(sale)),
    sale.attention && pill("warn", t("sale.attention")),
  );
}

// Returns nothing where the sale's record is damaged.
export const family = (code) => code && word("family", code);

// Shows an id of a sale, the gateway's or the provider's, with a button that copies it. A browser lets a page copy only
// where the page was loaded with encryption or from this machine.
export function idText(text) {
  if (!text) return h("span.faint", "—");
  return h(
    "span.id",
    h("code", foreignShort(text)),
    navigator.clipboard &&
      h(
        "button.copy",
        {
          type: "button",
          title: t("action.copy"),
          "aria-label": t("action.copy_id", {id: text}),
          click: () => copy(text),
        },
        icon("copy"),
      ),
  );
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce(t("action.copied"));
  } catch {
    announce(t("action.not_copied"), "bad");
  }
}

// Puts parts on one line with a dot between them. Missing parts leave no dot.
export function dotted(...parts) {
  return parts.filter(Boolean).map((part, index) => [index > 0 && " · ", part]);
}

// Shows an amount, which may lead to the list behind it, and in small print the number of its sales; nothing where there
// are no sales.
export function counted({count, valor}, address = null) {
  return count === 0 ? null : [toList(address, money(valor)), " ", h("span.times", number(count))];
}

// Makes a figure a link to what it counts. Without an address it stays what it is.
export const toList = (address, content) => (address ? h("a.to-list", {href: address}, content) : content);

export const strong = (content) => content && h("span.strong", content);

// Shows a choice of one among several: buttons or links beside each other.
export function segments(label, choices) {
  return h("div.segments", {role: "group", "aria-label": label}, choices);
}

// Makes the title of a column of numbers.
export const numeric = (title) => ({title, isNumeric: true});

// Makes a table whose rows become cards on a narrow page. Each cell of a card then names its column, and an empty cell
// (null) is left out. A row is {key, cells}.
export function table(caption, titles, rows) {
  const columns = titles.map((title) => (title.isNumeric ? title : {title, isNumeric: false}));
  const head = columns.map(({title, isNumeric}) => h("th", {scope: "col", class: isNumeric && "numeric"}, title));
  const cellsOf = (cells) => cells.map((cell, index) => tableCell(columns[index], cell, index === 0));
  const body = rows.map(({key, cells}) => h("tr", {"data-key": key}, cellsOf(cells)));
  return h("div.table-frame", h("table", h("caption.hidden", caption), h("thead", h("tr", head)), h("tbody", body)));
}

// Makes a cell of such a table, for one whose rows are grouped.
export function tableCell({title, isNumeric}, content, isFirst) {
  const classes = [isNumeric && "numeric", content === null && "nothing"].filter(Boolean).join(" ");
  const properties = {scope: isFirst && "row", class: classes, "data-title": title};
  return h(isFirst ? "th" : "td", properties, h("div.cell", content ?? "—"));
}
