// A statement brought by hand: dropped on the page or chosen, with the day that it must be of.

import {post} from "./api.js";
import {h} from "./dom.js";
import {bytes, day, dayAfter, number, today} from "./format.js";
import {icon} from "./icons.js";
import {card, notice} from "./parts.js";
import {problemNotice} from "./problem.js";
import {href} from "./route.js";
import {maySettle} from "./session.js";
import {t} from "./words.js";

// As the gateway takes it; matching as many rows may take minutes.
const largestBytes = 128 * 1024 * 1024;
const patienceMs = 15 * 60_000;

export function bringStatement(view) {
  if (!maySettle()) return null;
  const {state} = view;
  const take = (file) => {
    state.file = file ?? null;
    state.result = null;
    view.redraw();
  };
  return card(
    t("bring.title"),
    h("p.faint", t("bring.means")),
    h(
      "form.bring",
      {submit: (event) => submit(event, view)},
      dropZone(state, take, view),
      dayAndAgain(),
      h(
        "p.actions",
        h(
          "button.button.primary",
          {type: "submit", disabled: state.isBringing},
          t(state.isBringing ? "bring.reading" : "bring.read"),
        ),
      ),
    ),
    h("div", {role: "status"}, state.result && outcome(state.result)),
  );
}

function dropZone(state, take, view) {
  const over = (isOver) => (event) => {
    event.preventDefault();
    if (state.isOver === isOver) return;
    state.isOver = isOver;
    view.redraw();
  };
  const drop = (event) => {
    event.preventDefault();
    state.isOver = false;
    take(event.dataTransfer.files[0]);
  };
  return h(
    "label.drop",
    {class: state.isOver && "over", dragover: over(true), dragleave: over(false), drop},
    icon("upload"),
    h("span.strong", state.file ? h("bdi", state.file.name) : t("bring.drop")),
    h("span.faint", state.file ? bytes(state.file.size) : t("bring.choose")),
    h("input", {type: "file", name: "file", change: (event) => take(event.target.files[0])}),
  );
}

function dayAndAgain() {
  return h(
    "div.filter-fields",
    h(
      "label",
      t("bring.day"),
      h("input", {type: "date", name: "day", value: dayAfter(today(), -1), max: today(), required: true}),
    ),
    h(
      "label.check",
      h("input", {type: "checkbox", name: "again"}),
      h("span", t("bring.again"), h("br"), h("span.faint.small", t("bring.again_means"))),
    ),
  );
}

async function submit(event, view) {
  event.preventDefault();
  const form = new FormData(event.target);
  const {state} = view;
  const wrong = !state.file ? "bring.no_file" : state.file.size > largestBytes ? "bring.too_large" : null;
  if (wrong) {
    state.result = {wrong};
    return view.redraw();
  }
  state.isBringing = true;
  state.result = null;
  view.redraw();
  try {
    const query = new URLSearchParams({day: form.get("day"), ...(form.get("again") ? {again: "true"} : {})});
    state.result = await post(`/v1/statements?${query}`, state.file, {type: "text/plain", patienceMs});
    state.file = null;
  } catch (problem) {
    state.result = {problem};
  }
  state.isBringing = false;
  return view.refresh().then(() => view.redraw());
}

function outcome({wrong, problem, alreadyImported, statement}) {
  if (wrong) return notice("warn", h("p", t(wrong)));
  if (problem) return problemNotice(problem);
  if (alreadyImported) return notice("off", h("p", t("bring.known", {day: day(statement.day)})));
  const words = {
    day: day(statement.day),
    rows: number(statement.rows),
    matched: number(statement.matched),
    count: statement.findings,
    number: number(statement.findings),
  };
  return notice(
    statement.findings > 0 ? "warn" : "good",
    h("p", t("bring.done", words), " ", t("bring.findings", words)),
    statement.findings > 0 && h("p", h("a", {href: href("reconcile", [], {statement: statement.id})}, t("bring.look"))),
  );
}
