// Shows the provider's statements: a form to bring one, those that were read, and what does not agree with our books.

import {get} from "../lib/api.js";
import {h} from "../lib/dom.js";
import {bringStatement} from "../lib/bring_statement.js";
import {claimButtons} from "../lib/claim_sheet.js";
import {closeFindings} from "../lib/close_findings.js";
import {day, number} from "../lib/format.js";
import {findingsTable, grouped, isOfEmpty, signed, sumOf} from "../lib/findings.js";
import {button, card, cardWith, empty, foreignShort, notice} from "../lib/parts.js";
import {numeric, pill, segments, strong, table, when} from "../lib/parts.js";
import {href} from "../lib/route.js";
import {maySettle} from "../lib/session.js";
import {t, word} from "../lib/words.js";

const shownStatements = 60;
const shownFindings = 100;
// One answer of the gateway has at most so many.
const mostFindings = 500;
// What is claimed is read as a whole, but nobody works through more than this on a page.
const mostRead = 2_000;
// This is the only kind with the severity "alarm".
const alarmKind = "sold_there";

export default {
  title: () => t("page.reconcile"),
  topics: ["findings", "attention"],

  async load(view) {
    const options = {signal: view.readSignal};
    const {statement, all, claim} = view.route.query;
    const asked = {statement, open: all ? undefined : "true"};
    const [{statements}, attention] = await Promise.all([
      get("/v1/statements", {limit: shownStatements}, options),
      get("/v1/attention", {}, options),
    ]);
    view.state.cases = new Set(attention.sales.map(({id}) => id));
    const emptyDays = all ? new Set() : daysOfEmpty(statements);
    const isWhole = claim || emptyDays.size > 0;
    const found = isWhole ? await everyFinding(asked, options) : await newestFindings(asked, view, options);
    if (claim) found.findings = found.findings.filter((finding) => finding.claim);
    select(found.findings, view);
    return {statements, found, emptyDays, asked};
  },

  draw({statements, ...findings}, view) {
    return [
      bringStatement(view),
      (statements.length > 0 || findings.found.findings.length > 0) && findingsCard(findings, view),
      statementsCard(statements, view),
    ];
  },
};

// Returns the days whose last statement has no row of this store. The answers about single sales are no list of a day.
function daysOfEmpty(statements) {
  const last = new Map();
  for (const one of statements) if (one.source !== "status" && !last.has(one.day)) last.set(one.day, one);
  return new Set([...last.values()].filter(({rows, others}) => rows === others).map((one) => one.day));
}

async function everyFinding(asked, options) {
  const found = {findings: [], next: null};
  do {
    const query = {...asked, limit: mostFindings, cursor: found.next};
    const page = await get("/v1/findings", query, options);
    found.findings.push(...page.findings);
    found.next = page.next;
  } while (found.next && found.findings.length < mostRead);
  return found;
}

// The findings come newest first. The urgent ones are read separately, so that they are not hidden behind the others.
async function newestFindings(asked, view, options) {
  // New data must not take away what a person has looked at, so as much is read again as was shown.
  const limit = Math.min(mostFindings, Math.max(shownFindings, view.state.shown ?? 0));
  const found = await get("/v1/findings", {...asked, limit}, options);
  if (!found.next) return found;
  const urgent = await get("/v1/findings", {...asked, kind: alarmKind, limit: mostFindings}, options);
  const known = new Set(found.findings.map(({id}) => id));
  found.findings.push(...urgent.findings.filter(({id}) => !known.has(id)));
  return found;
}

// What is closed meanwhile, or not shown any more, is no longer selected.
function select(findings, view) {
  const before = view.state.selected ?? new Set();
  view.state.selected = new Set(findings.filter(({id, open}) => open && before.has(id)).map(({id}) => id));
}

function findingsCard({found, emptyDays, asked}, view) {
  const {statement, all, claim} = view.route.query;
  const show = (query, text, isShown) =>
    h("a", {href: href("reconcile", [], query), "aria-current": isShown && "true"}, text);
  const which = segments(t("finding.which"), [
    show({statement}, t("finding.open_only"), !all && !claim),
    show({statement, claim: 1}, t("finding.to_claim"), claim),
    show({statement, all: 1}, t("finding.all"), all),
  ]);
  const ofOne = () => h("p", t("finding.of_statement", {id: statement}), " ", show({all}, t("finding.of_all")));
  const next = () => button(t("sales.more"), () => more(found, asked, view), {disabled: view.state.isReading});
  const none = () => (claim ? empty(t("finding.none_to_claim")) : empty(t("finding.none"), t("finding.none_more")));
  return cardWith(
    t("finding.title"),
    which,
    statement && ofOne(),
    claim && claimHead(found.findings, emptyDays, view),
    found.findings.length > 0 ? findingsTable(grouped(found.findings, emptyDays), view) : none(),
    found.next && h("p.more", next()),
    selectionBar(found.findings, view),
  );
}

// The sales that an empty statement lacks are claimed by asking for the statement. They go onto the sheet only where a
// person has selected them.
function claimHead(findings, emptyDays, view) {
  const {selected} = view.state;
  const chosen = findings.filter(({id}) => selected.has(id));
  const claimed = chosen.length > 0 ? chosen : findings.filter((finding) => !isOfEmpty(finding, emptyDays));
  if (claimed.length === 0) return null;
  return [h("p.faint", t("finding.to_claim_means")), claimButtons(claimed)];
}

function selectionBar(findings, view) {
  const chosen = findings.filter(({id}) => view.state.selected.has(id));
  if (!maySettle() || chosen.length === 0) return null;
  const forget = () => {
    view.state.selected.clear();
    view.redraw();
  };
  const sum = sumOf(chosen);
  return h(
    "div.selection",
    h("p", {role: "status"}, t("finding.selected", {count: chosen.length, number: number(chosen.length)})),
    sum !== 0 && h("p", t("finding.sum"), " ", h("strong", signed(sum))),
    h(
      "div.actions",
      button(t("finding.resolve"), () => closeFindings(chosen, view), {tone: "primary"}),
      button(t("finding.select_none"), forget),
    ),
  );
}

async function more(found, asked, view) {
  view.state.isReading = true;
  view.redraw();
  try {
    const query = {...asked, limit: shownFindings, cursor: found.next};
    const answer = await get("/v1/findings", query, {signal: view.signal});
    const known = new Set(found.findings.map(({id}) => id));
    const {claim} = view.route.query;
    found.findings.push(...answer.findings.filter((one) => !known.has(one.id) && (!claim || one.claim)));
    found.next = answer.next;
    view.state.shown = found.findings.length;
  } catch (problem) {
    view.problem = problem;
  }
  view.state.isReading = false;
  view.redraw();
}

function statementsCard(statements, view) {
  const title = t("statement.title");
  if (statements.length === 0) return card(title, empty(t("statement.none"), t("statement.none_more"), "reconcile"));
  const columns = [
    t("statement.day"),
    t("statement.state"),
    numeric(t("statement.rows")),
    numeric(t("statement.matched")),
    numeric(t("statement.findings")),
    t("statement.read"),
  ];
  const isAnyReplaced = statements.some(({supersededBy}) => supersededBy);
  return card(
    title,
    table(
      title,
      columns,
      statements.map((one) => ({key: String(one.id), cells: statementCells(one, view)})),
    ),
    isAnyReplaced && notice("off", h("p", t("statement.superseded_means"))),
  );
}

function statementCells(one, view) {
  const isShown = String(one.id) === view.route.query.statement;
  const address = href("reconcile", [], {statement: one.id, all: 1});
  const reader = [word("source", one.source), one.by && [", ", foreignShort(one.by)]];
  return [
    h("a", {href: address, "aria-current": isShown && "true"}, day(one.day)),
    stateOf(one),
    number(one.rows),
    number(one.matched),
    one.findings > 0 ? strong(number(one.findings)) : number(0),
    [when(one.readAt), " ", h("span.faint", reader)],
  ];
}

function stateOf({supersededBy, findings}) {
  if (supersededBy) return pill("off", t("statement.superseded"));
  return findings > 0 ? pill("warn", t("statement.differs")) : pill("good", t("statement.agrees"));
}
