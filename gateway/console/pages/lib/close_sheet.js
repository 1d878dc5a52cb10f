// Shows one close as a sheet: on the screen, on A4, on a roll of 80 mm, and as CSV.

import {getText, path} from "./api.js";
import {offerCsv} from "./csv.js";
import {h} from "./dom.js";
import {day, money, number} from "./format.js";
import {button, card, cardWith, counted, facts, family, foreign, foreignShort} from "./parts.js";
import {notice, numeric, strong, table, whenInFull} from "./parts.js";
import {problemNotice} from "./problem.js";
import {printPage, printRoll} from "./print.js";
import {show} from "./dialog.js";
import {href} from "./route.js";
import {t, word} from "./words.js";

const columns = ["sold", "cancelled", "refused"];

// On paper, an ordinary day is one page of A4, below whatever stands at the head of every page.
export function drawClose(close) {
  const {families, terminals, cashiers, total} = close.totals;
  return h(
    "div.page.close-sheet",
    h("p.back", h("a", {href: href("close")}, t("close.back"))),
    papers(close),
    cardWith(
      day(close.day, "full"),
      h("span.amount", money(total.sold.valor)),
      close.unreadable > 0 && notice("bad", h("p", t("close.unreadable", {count: close.unreadable}))),
      closeFacts(close),
      sums("family", Object.entries(families), family, total),
      sums("terminal", Object.entries(terminals), foreignShort, total),
      cashiers && sums("cashier", Object.entries(cashiers), cashierName, total),
    ),
    named(t("close.open_then"), t("close.open_then_means"), close.open),
    named(t("close.late_title", {count: close.late}), t("close.late_means"), close.lateSales),
    check(close),
    signatures(),
  );
}

const cashierName = (name) => (name ? foreignShort(name) : t("close.nobody"));

function papers(close) {
  return h(
    "div.actions.no-print",
    button(t("action.print_roll"), () => guarded(() => roll(close)), {sign: "print"}),
    button(t("action.print_a4"), printPage, {sign: "print"}),
    button(t("action.csv"), () => guarded(() => download(close)), {sign: "download"}),
  );
}

// Returns the key of the text that stands in the place of a missing name.
export const unnamed = ({automatic}) => (automatic ? "close.by_itself" : "close.by_somebody");

function closeFacts(close) {
  return facts([
    [t("sale.store"), foreign(close.estabelecimento)],
    [t("close.made"), whenInFull(close.madeAt)],
    [t("close.by"), close.by ? foreign(close.by) : t(unnamed(close))],
    [t("close.sales"), number(close.sales)],
    [t("close.first"), whenInFull(close.first)],
    [t("close.last"), whenInFull(close.last)],
  ]);
}

function sums(by, groups, nameOf, total) {
  const cells = (counts) => columns.map((name) => counted(counts[name]));
  const caption = t(`close.by_${by}`);
  const titles = [t(`close.${by}`), ...columns.map((name) => numeric(t(`close.${name}`)))];
  const rows = groups.map(([name, counts]) => ({key: `of-${name}`, cells: [nameOf(name), ...cells(counts)]}));
  const last = {key: "total", cells: [strong(t("close.total")), ...cells(total).map(strong)]};
  return h("div", h("h3", caption), table(caption, titles, [...rows, last]));
}

function named(title, means, sales) {
  if (sales.length === 0) return null;
  const titles = [t("sale.id_externo"), t("close.family"), numeric(t("sales.amount")), t("sales.state")];
  const link = ({id, idExterno}) => h("a.wrap", {href: href("sale", [id])}, h("code", idExterno));
  const row = (sale) => ({
    key: sale.id,
    cells: [link(sale), family(sale.family), money(sale.valor), word("status", sale.status)],
  });
  return card(title, h("p.faint", means), table(title, titles, sales.map(row)));
}

// Two people sign on paper: the one who closed the day, and the one who looked it over.
function signatures() {
  const line = (name) => h("p", h("span.sign-line"), t(name));
  const person = (role) =>
    h("div", h("p.strong", t(role)), line("close.sign_name"), line("close.sign_signature"), line("close.sign_date"));
  return h("section.signatures.print-only", person("close.sign_closed"), person("close.sign_checked"));
}

function check({digest, previous}) {
  return card(
    t("close.check"),
    h("p.faint.no-print", t("close.check_means")),
    h("p", h("code.wrap", digest)),
    previous && h("p.faint.small", t("close.previous"), " ", h("code.wrap", previous)),
  );
}

async function roll({estabelecimento, name}) {
  const text = await getText(path`/v1/closes/${estabelecimento}/${name}/receipt`);
  printRoll(text.replace(/\n$/, "").split("\n"));
}

// Offers the gateway's CSV as a file, in the page's language. A plain link would ask for it in the browser's language.
async function download({estabelecimento, name}) {
  const text = await getText(path`/v1/closes/${estabelecimento}/${`${name}.csv`}`);
  offerCsv(`${t("close.file")}-${estabelecimento}-${name}`, text);
}

async function guarded(act) {
  try {
    await act();
  } catch (problem) {
    show({title: t("problem.title"), body: problemNotice(problem)});
  }
}
