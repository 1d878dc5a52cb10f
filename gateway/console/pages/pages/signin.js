// The page of who is not signed in.

import {h, patch} from "../lib/dom.js";
import {notice} from "../lib/parts.js";
import {problemNotice} from "../lib/problem.js";
import {language, languages, t} from "../lib/words.js";

export function drawSignIn({problem, why, signIn, chooseLanguage}) {
  const trouble = h("div", {role: "alert"}, problem && problemNotice(why === "link" ? asLink(problem) : problem));
  const submit = h("button.button.primary", {type: "submit"}, t("signin.enter"));
  const enter = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    submit.disabled = true;
    try {
      await signIn({name: form.get("name").trim(), password: form.get("password")});
    } catch (found) {
      patch(trouble, problemNotice(found));
      form.get("name") ? event.target.elements.password.select() : event.target.elements.name.focus();
    } finally {
      submit.disabled = false;
    }
  };
  const page = h(
    "main.signin",
    {"data-key": "signin", id: "main"},
    h("img", {src: "/icon.svg", alt: "", width: 48, height: 48}),
    h("h1", t("signin.title")),
    why && why !== "link" && notice("off", h("p", t(`signin.${why}`))),
    trouble,
    h(
      "form",
      {submit: enter},
      h(
        "label",
        t("signin.name"),
        h("input", {name: "name", autocomplete: "username", autocapitalize: "none", required: true, autofocus: true}),
      ),
      h(
        "label",
        t("signin.password"),
        h("input", {name: "password", type: "password", autocomplete: "current-password", required: true}),
      ),
      submit,
    ),
    h("p.faint.small", t("signin.link")),
    h(
      "p",
      languages
        .filter((name) => name !== language)
        .map((name) =>
          h("button.quiet", {type: "button", lang: name, click: () => chooseLanguage(name)}, t(`language.${name}`)),
        ),
    ),
  );
  patch(document.getElementById("app"), [page]);
  page.querySelector("input").focus();
}

// A link that was used, or is too old, is refused with the same words as a wrong password.
function asLink(problem) {
  return problem.code === "unauthorized" ? Object.assign(problem, {code: "link_used"}) : problem;
}
