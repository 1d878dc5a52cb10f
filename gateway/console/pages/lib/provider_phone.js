// Shows the provider's telephone where a person is told to call.

import {h} from "./dom.js";
import {session} from "./session.js";
import {t} from "./words.js";

// A telephone calls only what is nothing but a number.
const isNumber = (text) => /^[+\d][\d\s().-]*$|^\(\d[\d\s().-]*$/.test(text);

// Returns null where the configuration names no number.
export function providerPhone() {
  const number = session.providerPhone;
  if (!number) return null;
  const shown = isNumber(number)
    ? h("a.phone", {href: `tel:${number.replace(/[^\d+]/g, "")}`}, number)
    : h("bdi.phone", number);
  return h("p", t("advice.phone"), " ", shown);
}
