// Explains why a call to the provider had no usable answer. The gateway says it in English, for its engineers; its
// frequent phrases have words here.

import {foreign} from "./parts.js";
import {has, t} from "./words.js";

// The verdict beside the detail already says this.
const openings = /^(the answer was lost|nothing was sent): /;

export function explained(detail) {
  const cause = detail.replace(openings, "");
  return has(`detail.${cause}`) ? t(`detail.${cause}`) : foreign(cause);
}
