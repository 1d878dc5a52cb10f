// A question before something is done that cannot be undone, and papers to look at. Escape closes it, and the browser
// gives the focus back to what had it.

import {h, patch} from "./dom.js";
import {problemNotice} from "./problem.js";
import {t} from "./words.js";

let count = 0;

// The title has the focus first: a long question is read from its beginning, and Enter does nothing yet.
function open(title, makeContent) {
  const id = `dialog-title-${++count}`;
  const dialog = h(
    "dialog",
    {"aria-labelledby": id, close: () => dialog.remove()},
    h("h2", {id, tabindex: -1, autofocus: true}, title),
  );
  dialog.append(makeContent(dialog));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// A question belongs to the page that asked it, and to the person who was signed in then.
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}

// Asks, and does `act` where the person agrees; its problem is shown in the dialog, where it can be tried again. The
// promise says whether it was done.
export function ask({title, body, agree, tone = "primary", act}) {
  return new Promise((resolve) => {
    let done = false;
    const trouble = h("div", {role: "alert"});
    const yes = h("button.button", {type: "button", class: tone, click: () => attempt()}, agree);
    const no = h("button.button", {type: "button", click: () => dialog.close()}, t("action.back"));
    const attempt = async () => {
      yes.disabled = true;
      try {
        await act();
        done = true;
        dialog.close();
      } catch (problem) {
        patch(trouble, problemNotice(problem));
      } finally {
        yes.disabled = false;
      }
    };
    const dialog = open(title, () => h("div.dialog-body", body, trouble, h("div.actions", yes, no)));
    dialog.addEventListener("close", () => resolve(done));
  });
}

// Shows something to look at, with buttons of its own.
export function show({title, body, buttons = []}) {
  return open(title, (dialog) =>
    h(
      "div.dialog-body",
      body,
      h("div.actions", buttons, h("button.button", {type: "button", click: () => dialog.close()}, t("action.close"))),
    ),
  );
}
