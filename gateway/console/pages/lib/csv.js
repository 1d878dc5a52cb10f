// Writes a list as CSV for the reader's spreadsheet, and offers it as a file.

import {h} from "./dom.js";
import {language} from "./words.js";

// A spreadsheet takes a cell that begins with one of these for a formula.
const formulaMarks = "=+-@\t\r";
// A cell begins after one of these, for a spreadsheet of one language or the other.
const cellEnds = ",;\t\r\n";
const isPortuguese = () => language === "pt-BR";

// Returns an amount as this language's spreadsheets read it: no thousands, and no sign of the currency.
export function amountCell(cents) {
  return {plain: (cents / 100).toFixed(2).replace(".", isPortuguese() ? "," : ".")};
}

// `rows` are lists of cells: texts, and amounts by amountCell().
export function csvOf(heads, rows) {
  const line = (cells) => cells.map(cellOf).join(isPortuguese() ? ";" : ",");
  return [heads, ...rows].map((cells) => `${line(cells)}\r\n`).join("");
}

function cellOf(cell) {
  if (cell?.plain !== undefined) return cell.plain;
  let text = "";
  let begins = true;
  for (const letter of String(cell ?? "")) {
    if (begins && formulaMarks.includes(letter)) text += "'";
    begins = cellEnds.includes(letter) || (begins && letter === '"');
    text += letter === '"' ? '""' : letter;
  }
  return `"${text}"`;
}

export function offerCsv(name, text) {
  // The byte order mark tells spreadsheets that the file is UTF-8.
  const address = URL.createObjectURL(new Blob(["\ufeff", text], {type: "text/csv;charset=utf-8"}));
  h("a", {href: address, download: `${name}.csv`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
