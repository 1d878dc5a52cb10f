// What is known of a sale that needs a person, what is not, and what to do, side by side: in the reader's words, and in
// the gateway's own where a later gateway has a mark that this page does not know.

import {explained} from "./details.js";
import {h} from "./dom.js";
import {foreign} from "./parts.js";
import {has, t} from "./words.js";

// Longer than any sentence of the gateway's.
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
