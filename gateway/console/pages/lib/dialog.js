// Asks before something is done that cannot be undone, and shows papers. Escape closes the dialog, and the browser
// returns the focus to the element that had it.

import {h, patch} from "./dom.js";
import {problemNotice, problemTitle} from "./problem.js";
import {announce} from "./toast.js";
import {t} from "./words.js";

let count = 0;

// The title gets the focus first, so that a long question is read from its beginning, and Enter does nothing yet.
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

// Dialogs are closed with the page that opened them, and when the person signs out.
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}

// Asks, and calls `act` where the person agrees. A problem is shown in the dialog, where the person can try again. An
// `act` that is under way is not taken back: the promise tells whether it was done, even where the dialog was closed
// before. Where the body has a field, `isReady` says whether it is filled in.
export function ask({title, body, agree, tone = "primary", isReady = () => true, act}) {
  return new Promise((resolve) => {
    let done = false;
    let attempted = null;
    const trouble = h("div", {role: "alert"});
    const yes = h("button.button", {type: "button", class: tone, click: () => (attempted = attempt())}, agree);
    const no = h("button.button", {type: "button", click: () => dialog.close()}, t("action.back"));
    const attempt = async () => {
      if (!isReady()) return;
      yes.disabled = no.disabled = true;
      try {
        await act();
        done = true;
        dialog.close();
      } catch (failure) {
        const problem = ofWrite(failure);
        if (dialog.open) patch(trouble, problemNotice(problem));
        else if (problem.code !== "unauthorized") announce(problemTitle(problem), "bad");
      } finally {
        yes.disabled = no.disabled = false;
      }
    };
    const dialog = open(title, () => h("div.dialog-body", body, trouble, h("div.actions", yes, no)));
    dialog.addEventListener("cancel", (event) => yes.disabled && event.preventDefault());
    dialog.addEventListener("close", async () => {
      await attempted;
      resolve(done);
    });
  });
}

// Where no readable answer came, the gateway may have done it all the same.
function ofWrite(problem) {
  const isUnknown = ["unreachable", "unusable_answer"].includes(problem.code);
  return isUnknown ? Object.assign(problem, {code: "write_unknown"}) : problem;
}

// Shows something to look at, with its own buttons.
export function show({title, body, buttons = []}) {
  return open(title, (dialog) =>
    h(
      "div.dialog-body",
      body,
      h("div.actions", buttons, h("button.button", {type: "button", click: () => dialog.close()}, t("action.close"))),
    ),
  );
}
