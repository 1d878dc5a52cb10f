// Shows what does not agree with a statement, the most serious kind first: one explanation for each kind, followed by
// its findings.

import {path, post} from "./api.js";
import {ask} from "./dialog.js";
import {h} from "./dom.js";
import {day, money} from "./format.js";
import {foreign, foreignShort, idText, notice, pill, when} from "./parts.js";
import {href} from "./route.js";
import {maySettle, session} from "./session.js";
import {announce} from "./toast.js";
import {has, say, t, word} from "./words.js";

const severities = ["alarm", "warning", "note"];
const tones = {alarm: "bad", warning: "warn", note: "off"};
const longestNote = 4000;

export function findingGroups(findings, view) {
  return severities.map((severity) => {
    const kinds = byKind(findings.filter((finding) => finding.severity === severity));
    if (kinds.size === 0) return null;
    return h(
      "section.severity",
      {"data-key": severity},
      h("h3", pill(tones[severity], t(`severity.${severity}`))),
      [...kinds].map(([kind, found]) =>
        h(
          "div.kind",
          {"data-key": kind},
          h("h4", word("finding_kind", kind), " ", h("span.times", found.length)),
          h("p", whatToDo(kind, found[0].detail)),
          h(
            "ul.findings",
            found.map((finding) => oneFinding(finding, view)),
          ),
        ),
      ),
    );
  });
}

// The gateway's own sentence is for a reader with a shell. It is shown only for a kind of a later gateway that this
// page does not know.
function whatToDo(kind, detail) {
  const own = `finding_do.${kind}`;
  return has(own) ? t(own) : foreign(detail, 1000);
}

function byKind(findings) {
  const kinds = new Map();
  for (const finding of findings) kinds.set(finding.kind, [...(kinds.get(finding.kind) ?? []), finding]);
  return kinds;
}

function oneFinding(finding, view) {
  return h(
    "li.finding",
    {"data-key": String(finding.id), class: finding.open ? "" : "closed"},
    h("div.finding-sides", side("finding.here", finding.ours), side("finding.there", finding.theirs)),
    h(
      "div.finding-what",
      h(
        "p",
        day(finding.day),
        finding.line && [" · ", t("finding.line", {line: finding.line})],
        finding.nsu && [" · NSU ", foreignShort(finding.nsu)],
        finding.idTransacao && [" · idTransacao ", foreignShort(finding.idTransacao)],
      ),
      finding.idExterno && idText(finding.idExterno),
      finding.found && h("p.small", foreign(finding.found, 400)),
      effect(finding),
      end(finding),
      finding.sale && h("p", h("a", {href: href("sale", [finding.sale])}, t("finding.sale"))),
      view.state.cases.has(finding.sale) && h("p", t("finding.is_case"), " ", caseLink(finding.sale)),
    ),
    finding.open && resolver(finding, view),
  );
}

const caseLink = (sale) => h("a", {href: href("attention", [sale])}, t("finding.to_case"));

function side(title, saying) {
  return h(
    "p",
    h("span.faint", t(title)),
    h("br"),
    saying ? [h("span.strong", money(saying.valor)), " ", word("status", saying.status)] : t("finding.not_known"),
  );
}

function effect({pending, effect: came}) {
  if (pending) return h("p", pill("wait", t("finding.pending")));
  return came && came !== "nothing" ? h("p", pill("off", word("finding_effect", came))) : null;
}

function end({closed, note}) {
  if (closed)
    return h(
      "p.faint",
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

function resolver(finding, view) {
  if (!maySettle()) return null;
  const submit = (event) => {
    event.preventDefault();
    resolve(finding, new FormData(event.target).get("note").trim(), view);
  };
  return h(
    "details.unfold",
    h("summary.button", t("finding.resolve")),
    h(
      "form.settle",
      {submit},
      h("label", t("finding.note"), h("textarea", {name: "note", rows: 2, required: true, maxlength: longestNote})),
      h("p.hint", t("finding.note_hint")),
      h("button.button.primary", {type: "submit"}, t("settle.look")),
    ),
  );
}

async function resolve(finding, note, view) {
  if (!note) return announce(t("settle.note_missing"), "bad");
  const wasDone = await ask({
    title: t("finding.as_resolved"),
    body: [
      h("p", word("finding_kind", finding.kind), " · ", day(finding.day)),
      h("blockquote", foreign(note, longestNote)),
      notice("off", h("p", t("finding.resolve_means"))),
      h("p.faint", say("settle.by", {name: session.name})),
    ],
    agree: t("finding.agree"),
    act: async () => {
      await post(path`/v1/findings/${finding.id}/resolve`, {note});
      announce(t("settle.done"));
    },
  });
  if (wasDone) view.refresh();
  return undefined;
}
