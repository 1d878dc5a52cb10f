// Shows short news at the edge of the page, which is also read aloud: what was done, and what has changed by itself.

import {h} from "./dom.js";

const shownMs = 6_000;

export function announce(text, tone = "good") {
  const toast = h("p.toast", {class: tone}, text);
  document.getElementById("toasts").append(toast);
  setTimeout(() => toast.remove(), shownMs);
}
