// Prints on a roll of 80 mm, or on A4: the page itself, or a sheet of its own. Only a style sheet can set the size of
// the paper, so a separate one is filled for each print, and is empty otherwise.

import {h, patch} from "./dom.js";

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

const lineMm = 4;
const marginMm = 4;

// Prints lines of at most 40 columns. The page is as high as its lines, so that a roll is cut after the last one.
export function printRoll(lines) {
  const high = Math.ceil(lines.length * lineMm + 4 * marginMm);
  const content = lines.map((line) => h("bdi.paper-line", line === "" ? "\u00a0" : line));
  print("roll", `@page { size: 80mm ${Math.max(high, 80)}mm; margin: ${marginMm}mm; }`, content);
}

export function printPage() {
  print("page", "@page { size: A4; margin: 12mm 15mm; }");
}

// Prints something wide that stands on no page.
export function printSheet(content) {
  print("sheet", "@page { size: A4 landscape; margin: 12mm; }", content);
}

function print(kind, rule, content = null) {
  patch(document.getElementById("paper"), [content]);
  sheet.replaceSync(rule);
  document.documentElement.dataset.print = kind;
  addEventListener(
    "afterprint",
    () => {
      delete document.documentElement.dataset.print;
      sheet.replaceSync("");
      patch(document.getElementById("paper"), []);
    },
    {once: true},
  );
  window.print();
}
