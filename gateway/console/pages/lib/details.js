// Why a call to the provider had no usable answer. The gateway says it in English, for its engineers; what it says
// often has words here.

import {foreign} from "./parts.js";
import {has, t} from "./words.js";

// A verdict that stands beside the detail says as much.
const openings = /^(the answer was lost|nothing was sent): /;

export function explained(detail) {
  const cause = detail.replace(openings, "");
  return has(`detail.${cause}`) ? t(`detail.${cause}`) : foreign(cause);
}
