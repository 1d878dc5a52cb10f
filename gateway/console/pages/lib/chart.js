// Draws charts as inline SVG, shapes only. Their words are ordinary text beside them, so that it has the same size on
// every screen. Each chart comes with a table for people who listen instead of looking.

import {h, svg} from "./dom.js";

// This is the height in pixels.
const high = 160;
// This is the room above the highest bar for its figure.
const figureHigh = 44;

// Draws upright bars, one for each item {label, tick, value, text, isNow}. The value stands on the bar, and the tick
// below it.
export function bars({caption, head, items}) {
  const top = Math.max(1, ...items.map(({value}) => value));
  const width = 100 / items.length;
  // Where the figures of neighbours would touch on a narrow page, they stand upright.
  const letters = items.length * (String(top).length + 0.5);
  return h(
    "figure.chart",
    {class: letters > 40 ? "crowded" : ""},
    svg(
      "svg.bars",
      {width: "100%", height: high, "aria-hidden": "true"},
      items.map((item, index) => bar(item, index * width, width, top)),
    ),
    h(
      "div.chart-ticks",
      {"aria-hidden": "true"},
      items.map(({tick}) => h("span", tick)),
    ),
    hiddenTable(
      caption,
      head,
      items.map(({label, text}) => [label, text]),
    ),
  );
}

function bar({label, value, text, isNow}, x, width, top) {
  const height = value === 0 ? 2 : Math.max(3, (value / top) * (high - figureHigh));
  const shape = {x: `${x + width * 0.12}%`, width: `${width * 0.76}%`, y: high - height, height, rx: 2};
  return svg(
    "g",
    {class: value === 0 ? "none" : isNow ? "now" : "some"},
    svg("title", `${label}: ${text}`),
    svg("rect.reach", {x: `${x}%`, width: `${width}%`, y: 0, height: high}),
    svg("rect", shape),
    value > 0 && svg("text", {x: `${x + width / 2}%`, y: high - height - 5}, value),
  );
}

// Draws horizontal bars in a list: {label, value, text, aside, isMain}.
export function shares({items}) {
  const top = Math.max(1, ...items.map(({value}) => value));
  return h(
    "ul.shares",
    items.map(({label, value, text, aside, isMain}) =>
      h(
        "li",
        {class: isMain && "main"},
        h("span.share-label", label),
        h("span.share-text", text, aside && h("span.faint", " ", aside)),
        svg(
          "svg",
          {width: "100%", height: 8, "aria-hidden": "true"},
          svg("rect.track", {width: "100%", height: 8, rx: 4}),
          value > 0 && svg("rect.part", {width: `${Math.max(1, (value / top) * 100)}%`, height: 8, rx: 4}),
        ),
      ),
    ),
  );
}

// Draws lines over the last `minutes`, one for each series {name, points: [{x, y}]}, where x is the minute. A minute
// without a point breaks the line; a single point is drawn as a dot.
export function lines({caption, head, rows, series, marks, minutes, top, format, from, to}) {
  const plain = {
    viewBox: `0 0 ${minutes} 100`,
    preserveAspectRatio: "none",
    width: "100%",
    height: high,
    "aria-hidden": "true",
  };
  return h(
    "figure.chart",
    h("div.chart-top", {"aria-hidden": "true"}, format(top)),
    svg(
      "svg.lines",
      plain,
      svg("path.grid", {d: `M0 50H${minutes}M0 100H${minutes}`}),
      marks.map((x) => svg("path.mark", {d: `M${x} 100V92`})),
      series.map(({name, points}) => svg("path", {class: name, d: pathOf(points, top)})),
    ),
    h("div.chart-ends", {"aria-hidden": "true"}, h("span", from), h("span", to)),
    hiddenTable(caption, head, rows),
  );
}

// A single minute is drawn as a line that is one minute long.
function pathOf(points, top) {
  return points
    .map(({x, y}, index) => {
      const height = (100 - (Math.min(y, top) / top) * 96).toFixed(1);
      if (points[index - 1]?.x === x - 1) return `L${x} ${height}`;
      return points[index + 1]?.x === x + 1 ? `M${x} ${height}` : `M${x - 1} ${height}h1`;
    })
    .join("");
}

// Returns the next round number, so that people can read the scale.
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

function hiddenTable(caption, head, rows) {
  return h(
    "div.hidden",
    h(
      "table",
      h("caption", caption),
      h(
        "thead",
        h(
          "tr",
          head.map((title) => h("th", {scope: "col"}, title)),
        ),
      ),
      h(
        "tbody",
        rows.map((cells) =>
          h(
            "tr",
            cells.map((cell) => h("td", cell)),
          ),
        ),
      ),
    ),
  );
}
