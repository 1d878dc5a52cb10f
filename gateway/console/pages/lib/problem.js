// Says what went wrong and what to do. The gateway's own sentence is for the people who are called: it stands below,
// folded, where the page has its own sentence for the code.

import {h} from "./dom.js";
import {number} from "./format.js";
import {icon} from "./icons.js";
import {has, t} from "./words.js";

export function problemNotice(problem, retry = null) {
  const code = codeOf(problem);
  return h(
    "div.notice.bad",
    icon("bad"),
    h(
      "div",
      h("p.strong", problemTitle(problem)),
      h("p", has(`problem.${code}.do`) ? t(`problem.${code}.do`) : t("problem.do")),
      problem.line && h("p", t("problem.line", {line: number(problem.line)})),
      fieldErrors(problem),
      technical(problem),
      retry && h("p", h("button.button", {type: "button", click: retry}, t("action.retry"))),
    ),
  );
}

export function problemTitle(problem) {
  const key = `problem.${codeOf(problem)}`;
  return has(key) ? t(key, {seconds: problem.retryAfter ?? 60}) : t("problem.other");
}

const codeOf = ({code}) => code ?? "defect";

function fieldErrors({errors}) {
  if (!errors?.length) return null;
  return h(
    "ul",
    errors.map(({pointer, detail}) => h("li", h("code", String(pointer).replace(/^\//, "")), " ", h("bdi", detail))),
  );
}

function technical(problem) {
  const facts = [problem.status, problem.code, problem.detail ?? problem.message, problem.requestId].filter(Boolean);
  if (facts.length === 0) return null;
  return h("details.small", h("summary", t("problem.technical")), h("p.wrap", h("bdi", facts.join(" · "))));
}
