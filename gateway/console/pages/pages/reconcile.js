// The provider's statements: bringing one, those that were read, and what in them does not agree with our books.

import {get} from "../lib/api.js";
import {h} from "../lib/dom.js";
import {bringStatement} from "../lib/bring_statement.js";
import {day, number} from "../lib/format.js";
import {findingGroups} from "../lib/findings.js";
import {button, card, cardWith, empty, foreignShort, notice, pill, table, when} from "../lib/parts.js";
import {href} from "../lib/route.js";
import {t, word} from "../lib/words.js";

const shownStatements = 60;
const shownFindings = 100;

export default {
  title: () => t("page.reconcile"),
  topics: ["findings"],

  async load(view) {
    const options = {signal: view.signal};
    const {statement, all} = view.route.query;
    const asked = {statement, open: all ? undefined : "true"};
    // News must not fold up what a person unfolded: as much is read again as was shown.
    const limit = Math.min(500, Math.max(shownFindings, view.state.shown ?? 0));
    const [statements, found] = await Promise.all([
      get("/v1/statements", {limit: shownStatements}, options),
      get("/v1/findings", {...asked, limit}, options),
    ]);
    return {statements: statements.statements, found, asked};
  },

  draw({statements, found, asked}, view) {
    return [bringStatement(view), findingsCard(found, asked, view), statementsCard(statements, view)];
  },
};

function findingsCard(found, asked, view) {
  const {statement, all} = view.route.query;
  const which = h(
    "div.segments",
    {role: "group", "aria-label": t("finding.which")},
    h("a", {href: href("reconcile", [], {statement}), "aria-current": !all && "true"}, t("finding.open_only")),
    h("a", {href: href("reconcile", [], {statement, all: 1}), "aria-current": all && "true"}, t("finding.all")),
  );
  return cardWith(
    t("finding.title"),
    which,
    statement &&
      h(
        "p",
        t("finding.of_statement", {id: statement}),
        " ",
        h("a", {href: href("reconcile", [], {all})}, t("finding.of_all")),
      ),
    found.findings.length === 0
      ? empty(t("finding.none"), t("finding.none_more"))
      : findingGroups(found.findings, view),
    found.next &&
      h(
        "p.more",
        button(t("sales.more"), () => more(found, asked, view)),
      ),
  );
}

async function more(found, asked, view) {
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
  view.redraw();
}

function statementsCard(statements, view) {
  if (statements.length === 0)
    return card(t("statement.title"), empty(t("statement.none"), t("statement.none_more"), "reconcile"));
  const columns = [
    {title: t("statement.day")},
    {title: t("statement.state")},
    {title: t("statement.rows"), numeric: true},
    {title: t("statement.matched"), numeric: true},
    {title: t("statement.findings"), numeric: true},
    {title: t("statement.read")},
  ];
  return card(
    t("statement.title"),
    table(
      t("statement.title"),
      columns,
      statements.map((one) => ({
        key: String(one.id),
        cells: [
          h(
            "a",
            {
              href: href("reconcile", [], {statement: one.id, all: 1}),
              "aria-current": String(one.id) === view.route.query.statement && "true",
            },
            day(one.day),
          ),
          stateOf(one),
          number(one.rows),
          number(one.matched),
          one.findings > 0 ? h("span.strong", number(one.findings)) : number(0),
          [when(one.readAt), " ", h("span.faint", word("source", one.source), one.by && [", ", foreignShort(one.by)])],
        ],
      })),
    ),
    statements.some(({supersededBy}) => supersededBy) && notice("off", h("p", t("statement.superseded_means"))),
  );
}

function stateOf({supersededBy, findings}) {
  if (supersededBy) return pill("off", t("statement.superseded"));
  return findings > 0 ? pill("warn", t("statement.differs")) : pill("good", t("statement.agrees"));
}
