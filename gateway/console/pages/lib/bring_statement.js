// Lets a person bring a statement: the file is dropped on the page or chosen, and the person says which day it must be
// of.

import {post} from "./api.js";
import {h} from "./dom.js";
import {bytes, day, dayAfter, number, today} from "./format.js";
import {icon} from "./icons.js";
import {card, foreignShort, notice} from "./parts.js";
import {problemNotice} from "./problem.js";
import {href} from "./route.js";
import {maySettle} from "./session.js";
import {t} from "./words.js";

// These are the gateway's limits. Matching that many rows may take minutes.
const largestBytes = 128 * 1024 * 1024;
const patienceMs = 15 * 60_000;

export function bringStatement(view) {
  if (!maySettle()) return h("p.faint", t("role.may_not_bring"));
  const {state} = view;
  const take = (file) => {
    Object.assign(state, {file: file ?? null, result: null, isOver: false});
    view.redraw();
  };
  catchDrops(view, take);
  const label = t(state.isBringing ? "bring.reading" : "bring.read");
  const button = h("button.button.primary", {type: "submit", disabled: state.isBringing}, label);
  return card(
    t("bring.title"),
    h("p.faint", t("bring.means")),
    h("form.bring", {submit: (event) => submit(event, view)}, dropZone(state, take), dayAndAgain(), h("p", button)),
    h("div", {role: "status"}, state.result && outcome(state.result)),
  );
}

// A file that is dropped anywhere on the page is taken. Otherwise the browser would leave the page and open the file.
function catchDrops(view, take) {
  if (view.state.isCatching) return;
  view.state.isCatching = true;
  const over = (isOver) => (event) => {
    event.preventDefault();
    if (view.state.isOver === isOver) return;
    view.state.isOver = isOver;
    view.redraw();
  };
  const drop = (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  const options = {signal: view.signal};
  addEventListener("dragover", over(true), options);
  addEventListener("dragleave", (event) => event.relatedTarget === null && over(false)(event), options);
  addEventListener("drop", drop, options);
}

function dropZone({file, isOver}, take) {
  return h(
    "label.drop",
    {class: isOver && "over"},
    icon("upload"),
    h("span.strong", file ? foreignShort(file.name) : t("bring.drop")),
    h("span.faint", file ? bytes(file.size) : t("bring.choose")),
    h("input", {type: "file", name: "file", change: ({target}) => takeFrom(target, take)}),
  );
}

// The field is emptied, because it would not report the same file chosen again while it still holds it.
function takeFrom(field, take) {
  take(field.files[0]);
  field.value = "";
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
    if (!state.result.alreadyImported) state.file = null;
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
