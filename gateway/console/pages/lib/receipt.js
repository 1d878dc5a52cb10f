// Opens the receipt of a sale for a person. It asks before, because the gateway records who looked.

import {path, post} from "./api.js";
import {ask, show} from "./dialog.js";
import {h} from "./dom.js";
import {letterheadLines} from "./looks.js";
import {button} from "./parts.js";
import {printRoll} from "./print.js";
import {session} from "./session.js";
import {say, t} from "./words.js";

export async function openReceipt(sale, view) {
  let lines = null;
  await ask({
    title: t("receipt.title"),
    body: [h("p", t("receipt.is_copy")), h("p", say("receipt.is_noted", {name: session.name}))],
    agree: t("receipt.open"),
    act: async () => {
      const receipt = await post(path`/v1/sales/${sale.id}/receipt-view`, {});
      lines = [...letterheadLines(), ...receipt.lines];
    },
  });
  if (!lines || view.signal.aborted) return;
  view.refresh();
  show({
    title: t("receipt.title"),
    body: paper(lines),
    buttons: button(t("action.print_roll"), () => printRoll(lines), {tone: "primary", sign: "print"}),
  });
}

export function paper(lines) {
  return h(
    "div.paper",
    {tabindex: 0, role: "group", "aria-label": t("receipt.paper")},
    lines.map((line) => h("bdi.paper-line", line === "" ? "\u00a0" : line)),
  );
}
