// The page of who is not signed in.

import {h, patch} from "../lib/dom.js";
import {notice} from "../lib/parts.js";
import {problemNotice} from "../lib/problem.js";
import {languageButtons} from "../lib/switches.js";
import {t} from "../lib/words.js";

export function drawSignIn({problem, why, signIn, chooseLanguage}) {
  const shown = why === "link" && problem ? asLink(problem) : problem;
  const trouble = h("div", {role: "alert"}, shown && problemNotice(shown));
  const said = why && why !== "link" && notice("off", h("p", t(`signin.${why}`)));
  const page = h(
    "main.signin",
    {"data-key": "signin", id: "main"},
    h("img", {src: "/icon.svg", alt: "", width: 48, height: 48}),
    h("h1", t("signin.title")),
    said,
    trouble,
    form(signIn, trouble),
    h("p.faint.small", t("signin.link")),
    h("p", languageButtons(chooseLanguage)),
  );
  patch(document.getElementById("app"), [page]);
  document.querySelector("input[name=name]").focus();
}

function form(signIn, trouble) {
  const submit = h("button.button.primary", {type: "submit"}, t("signin.enter"));
  const enter = async (event) => {
    event.preventDefault();
    submit.disabled = true;
    await attempt(event.target, signIn, trouble);
    submit.disabled = false;
  };
  const name = {name: "name", autocomplete: "username", autocapitalize: "none", required: true};
  const password = {name: "password", type: "password", autocomplete: "current-password", required: true};
  return h(
    "form",
    {submit: enter},
    h("label", t("signin.name"), h("input", name)),
    h("label", t("signin.password"), h("input", password)),
    submit,
  );
}

async function attempt({elements}, signIn, trouble) {
  try {
    await signIn({name: elements.name.value.trim(), password: elements.password.value});
  } catch (problem) {
    patch(trouble, problemNotice(problem));
    elements.password.select();
  }
}

// A link that was used, or is too old, is refused with the same words as a wrong password.
function asLink(problem) {
  return problem.code === "unauthorized" ? Object.assign(problem, {code: "link_used"}) : problem;
}
