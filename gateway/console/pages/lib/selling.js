// Says in the reader's words whether the gateway sells, and why not. The gateway's own sentences are English and for
// its engineers; they stand folded behind each reason.

import {moment} from "./format.js";
import {t} from "./words.js";

export function summary(status) {
  const reasons = [...hindrances(status), ...status.degraded.map(away)];
  const unexplained =
    status.sells || reasons.length > 0
      ? []
      : status.reasons.map((detail) => ({what: t("reason.other"), act: t("reason.other.do"), detail}));
  const tone = !status.sells ? "bad" : reasons.length > 0 ? "warn" : "good";
  return {tone, title: t(`today.sells_${tone}`), reasons: [...reasons, ...unexplained]};
}

// Tells whether the only trouble of the token service is that it refuses the new app-secret.
export const refusesNewSecret = ({degraded}) => degraded.some(({ofNewSecret}) => ofNewSecret === true);

function hindrances(status) {
  const own = status.reasons.join(" · ");
  const found = [];
  if (status.journal.damaged) found.push("damaged");
  else if (!status.journal.writable) found.push("journal");
  const isAway = status.degraded.some(({what}) => what === "provider" || what === "token_service");
  if (!status.sells && !status.token.valid && !isAway) found.push("token");
  return found.map((name) => ({what: t(`reason.${name}`), act: t(`reason.${name}.do`), detail: own}));
}

function away({what, since, lastError, refused, kind, endsAt, ofNewSecret}) {
  if (what === "certificate")
    return {
      what: t(`reason.certificate_${kind}`, {until: moment(endsAt)}),
      act: t(`reason.certificate_${kind}.do`),
      detail: lastError,
    };
  const reason = ofNewSecret ? `${what}_new_secret` : what;
  return {
    what: t(`reason.${reason}`, {since: moment(since)}),
    act: [t(`reason.${reason}.do`), refused > 0 ? t("reason.refused", {count: refused}) : ""].join(" "),
    detail: lastError,
    tellsToCall: ["provider", "token_service"].includes(reason),
  };
}
