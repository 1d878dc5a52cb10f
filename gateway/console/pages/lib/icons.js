// These are the page's icons, drawn with lines on a grid of 20. Everything that they say is also written beside them.

import {svg} from "./dom.js";

const drawings = {
  today: "M3 10.5 10 4l7 6.5M5 9v7.5h10V9",
  attention: "M10 3 2 17h16zM10 8v4M10 14.5v.1",
  sales: "M3 5h14M3 10h14M3 15h9",
  close: "M5 3h10v14l-2-1.5-1.5 1.5-1.5-1.5-1.5 1.5L7 15.5 5 17zM8 7h4M8 10h4",
  reconcile: "M4 7h11l-3-3M16 13H5l3 3",
  terminals: "M3 4h14v9H3zM7 17h6M10 13v4",
  health: "M2 10h4l2-5 4 10 2-5h4",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M8 8a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.4M10 13.8v.1",
  ok: "m4 10.5 4 4 8-9",
  bad: "m5 5 10 10M15 5 5 15",
  warn: "M10 4v8M10 15.5v.1",
  wait: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 6v4l2.5 2",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12m4.2-1.8L17 17",
  menu: "M3 6h14M3 10h14M3 14h14",
  sun: "M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6M10 2v2M10 16v2M2 10h2M16 10h2M4 4l2 2M14 14l2 2M4 16l2-2M14 6l2-2",
  moon: "M16 11.5A6.5 6.5 0 0 1 8.5 4 6.5 6.5 0 1 0 16 11.5",
  leave: "M8 4H4v12h4M8 10h9M14 7l3 3-3 3",
  print: "M6 8V3h8v5M6 14H3V8h14v6h-3M6 12h8v5H6z",
  download: "M10 3v9M6.5 8.5 10 12l3.5-3.5M4 16h12",
  upload: "M10 12V3M6.5 6.5 10 3l3.5 3.5M4 12v4h12v-4",
  copy: "M7 7h9v10H7zM13 4H4v9",
};

export function icon(name) {
  return svg(
    "svg.icon",
    {viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false"},
    svg("path", {d: drawings[name]}),
  );
}
