// Shows the provider's statements: a form to bring one, those that were read, and what does not agree with our books.

import {get} from "../lib/api.js";
import {h} from "../lib/dom.js";
import {bringStatement} from "../lib/bring_statement.js";
import {day, number} from "../lib/format.js";
import {findingGroups} from "../lib/findings.js";
import {button, card, cardWith, empty, foreignShort, notice} from "../lib/parts.js";
import {numeric, pill, segments, strong, table, when} from "../lib/parts.js";
import {href} from "../lib/route.js";
import {t, word} from "../lib/words.js";

const shownStatements = 60;
const shownFindings = 100;
const mostFindings = 500;
// This is the only kind with the severity "alarm".
const alarmKind = "sold_there";

export default {
  title: () => t("page.reconcile"),
  topics: ["findings", "attention"],

  async load(view) {
    const options = {signal: view.readSignal};
    const {statement, all} = view.route.query;
    const asked = {statement, open: all ? undefined : "true"};
    // New data must not fold what a person has unfolded, so as much is read again as was shown.
    const limit = Math.min(mostFindings, Math.max(shownFindings, view.state.shown ?? 0));
    const [statements, found, attention] = await Promise.all([
      get("/v1/statements", {limit: shownStatements}, options),
      get("/v1/findings", {...asked, limit}, options),
      get("/v1/attention", {}, options),
    ]);
    view.state.cases = new Set(attention.sales.map(({id}) => id));
    // The findings come newest first. The urgent ones are read separately, so that they are not hidden behind the
    // others.
    const urgent = found.next ? await get("/v1/findings", {...asked, kind: alarmKind, limit: mostFindings}, options) : found;
    return {statements: statements.statements, found, urgent: urgent.findings, asked};
  },

  draw({statements, ...findings}, view) {
    return [
      bringStatement(view),
      (statements.length > 0 || findings.found.findings.length > 0) && findingsCard(findings, view),
      statementsCard(statements, view),
    ];
  },
};

function findingsCard({found, urgent, asked}, view) {
  const {statement, all} = view.route.query;
  const show = (query, text, isShown) =>
    h("a", {href: href("reconcile", [], query), "aria-current": isShown && "true"}, text);
  const which = segments(t("finding.which"), [
    show({statement}, t("finding.open_only"), !all),
    show({statement, all: 1}, t("finding.all"), all),
  ]);
  const ofOne = () => h("p", t("finding.of_statement", {id: statement}), " ", show({all}, t("finding.of_all")));
  const next = () => button(t("sales.more"), () => more(found, asked, view), {disabled: view.state.isReading});
  const shown = new Map([...found.findings, ...urgent].map((finding) => [finding.id, finding]));
  return cardWith(
    t("finding.title"),
    which,
    statement && ofOne(),
    shown.size > 0 ? findingGroups([...shown.values()], view) : empty(t("finding.none"), t("finding.none_more")),
    found.next && h("p.more", next()),
  );
}

async function more(found, asked, view) {
  view.state.isReading = true;
  view.redraw();
  try {
    const answer = await get(
      "/v1/findings",
      {...asked, limit: shownFindings, cursor: found.next},
      {signal: view.signal},
    );
    found.findings.push(...answer.findings);
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
