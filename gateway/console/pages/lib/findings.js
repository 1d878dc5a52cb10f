// Shows what does not agree with a statement as one table, the most serious kind first: for each kind one explanation,
// followed by its findings. An empty statement is one sentence, and not as many findings as the store has sales.

import {h} from "./dom.js";
import {day, dayOf, hourMinute, moment, money, number} from "./format.js";
import {family, foreign, foreignShort, idText, numeric, pill, tableCell, when} from "./parts.js";
import {href} from "./route.js";
import {maySettle} from "./session.js";
import {has, t, word} from "./words.js";

const severities = ["alarm", "warning", "note"];
const tones = {alarm: "bad", warning: "warn", note: "off"};
const columns = ["when", "product", "terminal", "cashier", "here", "there", "difference"];

// Returns the findings in groups, the most serious first. `emptyDays` are the days whose statement has no sale of the
// store: what is missing there makes one group for each of these days.
export function grouped(findings, emptyDays) {
  const groups = new Map();
  for (const finding of findings) {
    const emptyDay = isOfEmpty(finding, emptyDays) ? finding.day : null;
    const key = emptyDay ? `empty-${emptyDay}` : finding.kind;
    if (!groups.has(key)) groups.set(key, {key, emptyDay, kind: finding.kind, severity: finding.severity, all: []});
    groups.get(key).all.push(finding);
  }
  const rank = ({severity}) => severities.indexOf(severity);
  return [...groups.values()].sort((one, other) => rank(one) - rank(other));
}

export const isOfEmpty = ({kind, day: on, open}, emptyDays) => open && kind === "missing_there" && emptyDays.has(on);

// Sums up by how much the provider's books are above ours.
export const sumOf = (findings) => findings.reduce((sum, {difference}) => sum + (difference ?? 0), 0);

// Writes a difference with its sign, because it is too much there or too little.
export const signed = (cents) => (cents > 0 ? `+${money(cents)}` : money(cents));

export function findingsTable(groups, view) {
  const title = (name) => t(`finding.${name}`);
  const titles = columns.map((name) => (name === "difference" ? numeric(title(name)) : {title: title(name)}));
  const head = titles.map((one) => h("th", {scope: "col", class: one.isNumeric && "numeric"}, one.title));
  return h(
    "div.table-frame",
    h(
      "table.findings",
      h("caption.hidden", t("finding.title")),
      h("thead", h("tr", head)),
      groups.map((group) => groupBody(group, titles, view)),
    ),
  );
}

function groupBody(group, titles, view) {
  const isShown = !group.emptyDay || view.state.unfolded?.has(group.key);
  return h(
    "tbody.kind",
    {"data-key": group.key},
    h("tr.kind-head", h("th", {scope: "rowgroup", colspan: columns.length}, groupHead(group, isShown, view))),
    isShown && group.all.map((finding) => row(finding, titles, view)),
  );
}

function groupHead({key, kind, severity, all, emptyDay}, isShown, view) {
  const open = all.filter((finding) => finding.open);
  const title = emptyDay ? t("finding.empty_title", {day: day(emptyDay)}) : word("finding_kind", kind);
  const total = sumOf(all);
  return h(
    "div.kind-title",
    h(
      "p",
      pill(tones[severity], t(`severity.${severity}`)),
      " ",
      h("strong", title),
      " ",
      h("span.times", number(all.length)),
    ),
    h("p.what", emptyDay ? emptySentence(emptyDay, all) : whatToDo(kind, all[0].detail)),
    h(
      "p.actions",
      !emptyDay && all.length > 1 && total !== 0 && h("span", t("finding.sum"), " ", h("strong", signed(total))),
      emptyDay && unfolder(key, isShown, view),
      maySettle() && open.length > 1 && selectAll(open, view),
    ),
  );
}

function emptySentence(emptyDay, all) {
  const valor = all.reduce((sum, {ours}) => sum + (ours?.valor ?? 0), 0);
  return t("finding.empty", {day: day(emptyDay), count: all.length, number: number(all.length), valor: money(valor)});
}

function unfolder(key, isShown, view) {
  const click = () => {
    view.state.unfolded ??= new Set();
    if (!view.state.unfolded.delete(key)) view.state.unfolded.add(key);
    view.redraw();
  };
  const properties = {type: "button", click, "aria-expanded": String(isShown)};
  return h("button.quiet", properties, t(isShown ? "finding.fold" : "finding.unfold"));
}

// The gateway's own sentence is for a reader with a shell. It is shown only for a kind of a later gateway that this
// page does not know.
function whatToDo(kind, detail) {
  const own = `finding_do.${kind}`;
  return has(own) ? t(own) : foreign(detail, 1000);
}

function selectAll(open, view) {
  const {selected} = view.state;
  const isAll = open.every(({id}) => selected.has(id));
  const change = () => choose(open, !isAll, view);
  return h("label.check", h("input", {type: "checkbox", checked: isAll, change}), t("finding.select_all"));
}

function choose(findings, isChosen, view) {
  for (const {id} of findings) {
    if (isChosen) view.state.selected.add(id);
    else view.state.selected.delete(id);
  }
  view.redraw();
}

function row(finding, titles, view) {
  const cells = [
    timeOf(finding, view),
    what(finding, view),
    finding.terminal && h("span.till", foreignShort(finding.terminal, 24)),
    finding.cashier && h("span.who", foreignShort(finding.cashier, 24)),
    side(finding.ours),
    side(finding.theirs),
    finding.difference === null ? null : h("span.strong", signed(finding.difference)),
  ];
  return h(
    "tr.finding",
    {"data-key": String(finding.id), class: finding.open ? "" : "closed"},
    cells.map((cell, index) => tableCell(titles[index], cell ?? null, index === 0)),
  );
}

function timeOf(finding, view) {
  const {createdAt} = finding;
  const hour = createdAt && (dayOf(createdAt) === finding.day ? hourMinute(createdAt) : moment(createdAt));
  const time = h("span.whole", day(finding.day), hour && [h("br"), h("time.faint", {datetime: createdAt}, hour)]);
  if (!finding.open || !maySettle()) return time;
  const checked = view.state.selected.has(finding.id);
  const change = () => choose([finding], !view.state.selected.has(finding.id), view);
  return h("label.check", h("input", {type: "checkbox", checked, change}), time);
}

function what(finding, view) {
  const {line, nsu, idTransacao, idExterno, sale, produto, found} = finding;
  const ids = [idTransacao && ["idTransacao ", foreignShort(idTransacao)], nsu && ["NSU ", foreignShort(nsu)]];
  const where = [...ids, line && t("finding.line", {line})].filter(Boolean);
  const attempt = sale
    ? h("a.wrap", {href: href("sale", [sale])}, h("code", idExterno ?? t("finding.sale")))
    : idExterno && idText(idExterno);
  return h(
    "div.finding-what",
    produto && h("p", foreignShort(produto), " ", h("span.faint", family(finding.family))),
    attempt,
    where.length > 0 && h("p.small.faint", where.map((one, index) => [index > 0 && " · ", one])),
    found && h("p.small", foreign(found, 400)),
    effect(finding),
    end(finding),
    view.state.cases.has(sale) &&
      h("p.small", t("finding.is_case"), " ", h("a", {href: href("attention", [sale])}, t("finding.to_case"))),
  );
}

function side(saying) {
  if (!saying) return h("span.faint", t("finding.not_known"));
  return [h("span.money", money(saying.valor)), " ", h("br"), h("span.small.faint", word("status", saying.status))];
}

function effect({pending, effect: came}) {
  if (pending) return h("p", pill("wait", t("finding.pending")));
  return came && came !== "nothing" ? h("p", pill("off", word("finding_effect", came))) : null;
}

function end({closed, note}) {
  if (closed)
    return h(
      "p.small.faint",
      t("finding.closed"),
      " ",
      when(closed.at),
      ": ",
      word("finding_end", closed.as),
      closed.by && [", ", foreignShort(closed.by)],
      closed.note && [" — ", foreign(closed.note)],
    );
  return note && h("blockquote", foreign(note));
}
