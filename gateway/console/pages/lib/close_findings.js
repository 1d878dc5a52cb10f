// Closes findings with one note for all of them: the gateway is told one after the other, and what it did not take is
// said and can be tried again.

import {path, post} from "./api.js";
import {ask} from "./dialog.js";
import {h, patch} from "./dom.js";
import {number} from "./format.js";
import {dotted, notice} from "./parts.js";
import {grouped, signed, sumOf} from "./findings.js";
import {session} from "./session.js";
import {announce} from "./toast.js";
import {say, t, word} from "./words.js";

const longestNote = 4000;
// After one of these the following calls would fail, too.
const hopeless = ["unauthorized", "unreachable", "unusable_answer", "forbidden"];

export async function closeFindings(findings, view) {
  const progress = h("p", {role: "status"});
  const field = h("textarea", {name: "note", rows: 3, required: true, maxlength: longestNote});
  field.value = view.state.note ?? "";
  const work = {left: findings, done: 0, before: 0, all: findings.length};
  const wasDone = await ask({
    title: t("finding.as_resolved", {count: findings.length, number: number(findings.length)}),
    body: [
      h("ul.compact", grouped(findings, new Set()).map(ofKind)),
      h("label", t("finding.note"), field),
      h("p.hint", t("finding.note_hint")),
      notice("off", h("p", t("finding.resolve_means"))),
      h("p.faint", say("settle.by", {name: session.name})),
      progress,
    ],
    agree: t("finding.agree"),
    isReady: () => {
      view.state.note = field.value = field.value.trim();
      return field.reportValidity();
    },
    act: () => closeAll(work, view.state.note, (text) => patch(progress, text)),
  });
  if (wasDone) view.state.note = "";
  tell(work, wasDone);
  if (work.done > 0) await view.refresh();
}

function ofKind({kind, all}) {
  const total = sumOf(all);
  return h("li", dotted(word("finding_kind", kind), number(all.length), total !== 0 && signed(total)));
}

async function closeAll(work, note, show) {
  const failed = [];
  let problem = null;
  for (const finding of work.left) {
    if (hopeless.includes(problem?.code)) {
      failed.push(finding);
      continue;
    }
    show(t("finding.closing", {number: number(work.done + 1), all: number(work.all)}));
    try {
      const {closed} = await post(path`/v1/findings/${finding.id}/resolve`, {note});
      ++work.done;
      if (closed.note !== note) ++work.before;
    } catch (failure) {
      problem = failure;
      failed.push(finding);
    }
  }
  work.left = failed;
  if (!problem) return;
  show(t("finding.closed_some", {number: number(work.done), all: number(work.all)}));
  throw problem;
}

// A finding that was closed already has the note of whoever closed it.
function tell({done, before, all}, wasDone) {
  if (before > 0) announce(t("finding.closed_before", {count: before, number: number(before)}), "warn");
  else if (wasDone) announce(t("finding.closed_all", {count: done, number: number(done)}));
  else if (done > 0) announce(t("finding.closed_some", {number: number(done), all: number(all)}), "warn");
}
