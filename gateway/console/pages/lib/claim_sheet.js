// Makes of findings what the store sends to the provider: a sheet to print, a file for a spreadsheet, and a table to
// paste into a mail. All of them have the ids by which the provider finds a sale.

import {now} from "./clock.js";
import {amountCell, csvOf, offerCsv} from "./csv.js";
import {h} from "./dom.js";
import {day, dayOf, hourMinute, moment, money, number} from "./format.js";
import {button, family, foreign, whenInFull} from "./parts.js";
import {grouped, signed, sumOf} from "./findings.js";
import {letterhead} from "./looks.js";
import {printSheet} from "./print.js";
import {session} from "./session.js";
import {announce} from "./toast.js";
import {t, word} from "./words.js";

// The first column of each row is the kind, which on paper stands above the rows.
const columns = {
  kind: ({kind}) => word("finding_kind", kind),
  day: (finding) => day(finding.day),
  hour: ({createdAt, day: on}) => createdAt && (dayOf(createdAt) === on ? hourMinute(createdAt) : moment(createdAt)),
  product: ({produto, family: code}) => produto && `${produto} (${family(code)})`,
  terminal: ({terminal}) => terminal,
  cashier: ({cashier}) => cashier,
  store: ({estabelecimento}) => estabelecimento,
  idExterno: ({idExterno}) => idExterno,
  idTransacao: ({idTransacao}) => idTransacao,
  nsu: ({nsu}) => nsu,
  here: ({ours}) => ours && {cents: ours.valor, status: word("status", ours.status)},
  there: ({theirs}) => theirs && {cents: theirs.valor, status: word("status", theirs.status)},
  difference: ({difference}) => (difference === null ? null : {cents: difference}),
};
const amounts = ["here", "there", "difference"];
const title = (name) => (name.startsWith("id") ? name : name === "nsu" ? "NSU" : t(`finding.${name}`));

export function claimButtons(findings) {
  return h(
    "div.actions",
    button(t("finding.print"), () => printSheet(claimSheet(findings)), {sign: "print"}),
    button(t("action.csv"), () => download(findings), {sign: "download"}),
    navigator.clipboard && button(t("finding.copy"), () => copy(findings), {sign: "copy"}),
  );
}

function download(findings) {
  const head = Object.keys(columns).flatMap((name) =>
    name === "here" || name === "there" ? [title(name), t("finding.status_of", {side: title(name)})] : [title(name)],
  );
  const cells = (finding) =>
    Object.entries(columns).flatMap(([name, of]) => {
      const cell = of(finding);
      // A spreadsheet reads a day in no other form in every language.
      if (name === "day") return [finding.day];
      const shown = amounts.includes(name) && cell ? amountCell(cell.cents) : cell;
      return name === "here" || name === "there" ? [shown, cell?.status] : [shown];
    });
  offerCsv(`${t("finding.file")}-${dayOf(now())}`, csvOf(head, findings.map(cells)));
}

// A mail program that shows tables takes the table, and any other one lines with tabs between the cells.
async function copy(findings) {
  const rows = findings.map((finding) => Object.values(columns).map((of) => plain(of(finding))));
  const lines = [Object.keys(columns).map(title), ...rows];
  const table = h("table", {border: 1}, lines.map((cells) => h("tr", cells.map((cell) => h("td", cell)))));
  const kinds = {"text/plain": lines.map((cells) => cells.join("\t")).join("\n"), "text/html": table.outerHTML};
  const blobs = Object.entries(kinds).map(([type, text]) => [type, new Blob([text], {type})]);
  try {
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
    announce(t("action.copied"));
  } catch {
    announce(t("action.not_copied"), "bad");
  }
}

// A tab or a line break within a text would begin another cell.
function plain(cell) {
  if (cell === null || cell === undefined) return "";
  const text = typeof cell === "object" ? `${amountCell(cell.cents).plain} ${cell.status ?? ""}` : String(cell);
  return text.replace(/\s+/g, " ").trim();
}

export function claimSheet(findings) {
  const shown = Object.keys(columns).filter((name) => name !== "kind" && !(name === "store" && isOneStore(findings)));
  const head = shown.map((name) => h("th", {scope: "col", class: amounts.includes(name) && "numeric"}, title(name)));
  const stores = [...new Set(findings.map(({estabelecimento}) => estabelecimento).filter(Boolean))];
  return h(
    "section.claim",
    letterhead(),
    h("h1", t("finding.claim_title")),
    h("p", t("sale.store"), " ", stores.map((name, index) => [index > 0 && ", ", foreign(name)])),
    h("p", whenInFull(new Date(now()).toISOString()), " · ", t("close.by"), " ", foreign(session.name)),
    h(
      "table",
      h("thead", h("tr", head)),
      grouped(findings, new Set()).map((group) => kindOnPaper(group, shown)),
    ),
    totals(findings),
    h("p.sign", h("span.sign-line"), t("close.sign_name"), " · ", t("close.sign_date")),
  );
}

const isOneStore = (findings) => new Set(findings.map(({estabelecimento}) => estabelecimento)).size === 1;

function kindOnPaper({kind, all}, shown) {
  const cells = (finding) => shown.map((name) => paperCell(name, columns[name](finding)));
  const sum = h("span.kind-sum", signed(sumOf(all)));
  const head = [`${word("finding_kind", kind)} (${number(all.length)}) `, sum];
  return h(
    "tbody",
    h("tr", h("th", {scope: "rowgroup", colspan: shown.length}, head)),
    all.map((finding) => h("tr", cells(finding))),
  );
}

function paperCell(name, cell) {
  if (!amounts.includes(name)) return h("td", {class: `of-${name}`}, cell && h("bdi", cell));
  if (!cell) return h("td.numeric", name === "difference" ? "" : t("finding.not_known"));
  const amount = name === "difference" ? signed(cell.cents) : money(cell.cents);
  return h("td.numeric", amount, cell.status && h("small", cell.status));
}

// What is charged too much and what is not counted are claimed separately: the one does not pay for the other.
function totals(findings) {
  const part = (name, isPart) => {
    const some = findings.filter(({difference}) => isPart(difference ?? 0));
    const sum = sumOf(some);
    const words = {count: some.length, number: number(some.length)};
    return some.length > 0 && h("p.strong", t(name, words), sum !== 0 && [" ", money(Math.abs(sum))]);
  };
  return h(
    "div.claim-totals",
    part("finding.too_much", (cents) => cents > 0),
    part("finding.not_counted", (cents) => cents < 0),
    part("finding.otherwise", (cents) => cents === 0),
  );
}
