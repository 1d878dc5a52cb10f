// Shows the page for people who are not signed in.

import {h, patch} from "../lib/dom.js";
import {brand, isNamed} from "../lib/looks.js";
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
    isNamed()
      ? h("div.brand.signin-brand", brand(40))
      : h("img", {src: "/icon.svg", alt: "", width: 48, height: 48}),
    h("h1", t("signin.title")),
    said,
    trouble,
    form(signIn),
    h("p.faint.small", t("signin.link")),
    h("p", languageButtons(chooseLanguage)),
  );
  patch(document.getElementById("app"), [page]);
  // If a person is typing in a form, the focus stays there.
  if (!document.activeElement.closest("form")) document.querySelector("input[name=name]").focus();
}

function form(signIn) {
  const enter = async (event) => {
    event.preventDefault();
    const submit = event.target.querySelector("[type=submit]");
    submit.disabled = true;
    await attempt(event.target, signIn);
    submit.disabled = false;
  };
  const name = {name: "name", autocomplete: "username", autocapitalize: "none", required: true};
  const password = {name: "password", type: "password", autocomplete: "current-password", required: true};
  return h(
    "form",
    {submit: enter},
    h("label", t("signin.name"), h("input", name)),
    h("label", t("signin.password"), h("input", password)),
    h("button.button.primary", {type: "submit"}, t("signin.enter")),
  );
}

// The elements are looked up on the page, because after a drawing in another language they are still those of the first
// one.
async function attempt(form, signIn) {
  const {elements} = form;
  try {
    await signIn({name: elements.name.value.trim(), password: elements.password.value});
  } catch (problem) {
    patch(form.closest("main").querySelector("[role=alert]"), problemNotice(problem));
    elements.password.select();
  }
}

// A used or expired link is refused with the same words as a wrong password, so the page tells the two apart here.
function asLink(problem) {
  return problem.code === "unauthorized" ? Object.assign(problem, {code: "link_used"}) : problem;
}
