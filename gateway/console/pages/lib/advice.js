// Shows side by side what is known of a sale that needs a person, what is not known, and what to do. It uses the
// reader's words, and the gateway's own for a mark of a later gateway that this page does not know.

import {explained} from "./details.js";
import {h} from "./dom.js";
import {foreign} from "./parts.js";
import {has, t} from "./words.js";

// No sentence of the gateway is longer than this.
const longest = 900;

export function advice({mark, known, notKnown, toDo}) {
  const own = (name) => `advice.${mark}.${name}`;
  const part = (name, text) =>
    h("div", {class: name}, h("h3", t(`advice.${name}`)), h("p", has(own(name)) ? t(own(name)) : foreign(text, longest)));
  return h("div.advice", part("known", known), part("not_known", notKnown), part("to_do", toDo));
}

export function lastError(error) {
  return (
    error && h("p.faint.small", t("advice.last_error", {step: t(`step.${error.step}`)}), " ", explained(error.text))
  );
}
