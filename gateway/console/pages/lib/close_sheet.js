// One close as a sheet: on the screen, on A4, on a roll of 80 mm, and as CSV.

import {getText, path} from "./api.js";
import {h} from "./dom.js";
import {day, money, number} from "./format.js";
import {button, cardWith, card, facts, family, foreign, foreignShort, notice, table, when} from "./parts.js";
import {problemNotice} from "./problem.js";
import {printPage, printRoll} from "./print.js";
import {show} from "./dialog.js";
import {href} from "./route.js";
import {t, word} from "./words.js";

const counted = ["sold", "cancelled", "refused"];

export function drawClose(close) {
  return [
    h("p.back", h("a", {href: href("close")}, t("close.back"))),
    h(
      "div.actions.no-print",
      button(t("action.print_roll"), () => guarded(() => roll(close)), {sign: "print"}),
      button(t("action.print_a4"), printPage, {sign: "print"}),
      button(t("action.csv"), () => guarded(() => download(close)), {sign: "download"}),
    ),
    cardWith(
      day(close.day, "full"),
      h("span.amount", money(close.totals.total.sold.valor)),
      close.unreadable > 0 && notice("bad", h("p", t("close.unreadable", {count: close.unreadable}))),
      facts([
        [t("sale.store"), foreign(close.estabelecimento)],
        [t("close.made"), when(close.madeAt)],
        [t("close.by"), close.by ? foreign(close.by) : t("close.by_itself")],
        [t("close.sales"), number(close.sales)],
        [t("close.first"), when(close.first)],
        [t("close.last"), when(close.last)],
      ]),
      sums(
        t("close.by_family"),
        t("close.family"),
        Object.entries(close.totals.families).map(([name, counts]) => [family(name), counts]),
        close.totals.total,
      ),
      sums(
        t("close.by_terminal"),
        t("close.terminal"),
        Object.entries(close.totals.terminals).map(([name, counts]) => [foreignShort(name), counts]),
        close.totals.total,
      ),
    ),
    named(t("close.open_then"), t("close.open_then_means"), close.open),
    named(t("close.late_title", {count: close.late}), t("close.late_means"), close.lateSales),
    card(
      t("close.check"),
      h("p.faint", t("close.check_means")),
      h("p", h("code.wrap", close.digest)),
      close.previous && h("p.faint.small", t("close.previous"), " ", h("code.wrap", close.previous)),
    ),
  ];
}

function sums(caption, head, groups, total) {
  const cells = (counts) =>
    counted.map((name) => [money(counts[name].valor), " ", h("span.times", number(counts[name].count))]);
  const columns = [{title: head}, ...counted.map((name) => ({title: t(`close.${name}`), numeric: true}))];
  const rows = groups.map(([title, counts], index) => ({key: String(index), cells: [title, ...cells(counts)]}));
  return h(
    "div",
    h("h3", caption),
    table(caption, columns, [
      ...rows,
      {
        key: "total",
        cells: [h("span.strong", t("close.total")), ...cells(total).map((cell) => h("span.strong", cell))],
      },
    ]),
  );
}

function named(title, means, sales) {
  if (sales.length === 0) return null;
  const columns = [
    {title: t("sale.id_externo")},
    {title: t("close.family")},
    {title: t("sales.amount"), numeric: true},
    {title: t("sales.state")},
  ];
  return card(
    title,
    h("p.faint", means),
    table(
      title,
      columns,
      sales.map((sale) => ({
        key: sale.id,
        cells: [
          h("a.wrap", {href: href("sale", [sale.id])}, h("code", sale.idExterno)),
          family(sale.family),
          money(sale.valor),
          word("status", sale.status),
        ],
      })),
    ),
  );
}

async function roll({estabelecimento, name}) {
  const text = await getText(path`/v1/closes/${estabelecimento}/${name}/receipt`);
  printRoll(text.replace(/\n$/, "").split("\n"));
}

// The gateway's own CSV, in the page's language, as a file. The page fetches it: a plain link would not say the language.
async function download({estabelecimento, name}) {
  const text = await getText(path`/v1/closes/${estabelecimento}/${`${name}.csv`}`);
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  const address = URL.createObjectURL(new Blob(["\ufeff", text], {type: "text/csv;charset=utf-8"}));
  h("a", {href: address, download: `${t("close.file")}-${estabelecimento}-${name}.csv`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function guarded(act) {
  try {
    await act();
  } catch (problem) {
    show({title: t("problem.title"), body: problemNotice(problem)});
  }
}
