// Adds up the sales that a list shows, by what became of them, and writes them as CSV. Both say of how many sales they
// are where the list goes on.

import {amountCell, csvOf, offerCsv} from "./csv.js";
import {h} from "./dom.js";
import {money, number, sheetTime, today} from "./format.js";
import {button, family, stateWord} from "./parts.js";
import {t} from "./words.js";

const parts = [
  ["sold", ["EFETIVADA"]],
  ["cancelled", ["CANCELADA"]],
  ["refused", ["NEGADA"]],
  ["open", ["AUTORIZADA", "PENDENTE"]],
];
const csvHeads = [
  "sales.when",
  "sales.product",
  "sales.family",
  "sales.amount",
  "sales.state",
  "sales.terminal",
  "sale.cashier",
  "sale.store",
  "sale.id_externo",
  "sale.id_transacao",
];

export function sumOf(sales, hasMore, query) {
  const all = {count: sales.length, number: number(sales.length)};
  const sums = parts.map(([name, statuses]) => onePart(name, sales.filter(({status}) => statuses.includes(status))));
  const download = () => offerCsv(fileName(query), csv(sales));
  return h(
    "div.sum",
    h("p.sum-of", t(hasMore ? "sales.sum_of_shown" : "sales.sum", all)),
    h("dl.sum-parts", sums),
    button(t(hasMore ? "sales.csv_of_shown" : "action.csv", all), download, {sign: "download"}),
  );
}

function onePart(name, sales) {
  if (sales.length === 0) return null;
  const valor = sales.reduce((sum, sale) => sum + (sale.valor ?? 0), 0);
  const count = h("span.times", number(sales.length));
  return h("div", {class: name}, h("dt", t(`today.${name}`)), h("dd", money(valor), " ", count));
}

function csv(sales) {
  const row = (sale) => [
    sheetTime(sale.createdAt),
    sale.produto,
    family(sale.family),
    amountCell(sale.valor),
    stateWord(sale),
    sale.terminal,
    sale.cashier,
    sale.estabelecimento,
    sale.idExterno,
    sale.idTransacao,
  ];
  return csvOf(
    csvHeads.map((head) => t(head)),
    sales.map(row),
  );
}

// The name says which days the sales are of, where days were chosen.
function fileName({from, until}) {
  const days = [from, until ?? (from && today())].filter(Boolean);
  return [t("sales.file"), ...new Set(days.length > 0 ? days : [today()])].join("-");
}
