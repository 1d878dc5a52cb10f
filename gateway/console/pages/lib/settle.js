// Lets a person settle a sale that needs one: what the person found out, a note, and a last look before it is recorded.

import {path, post} from "./api.js";
import {ask} from "./dialog.js";
import {h} from "./dom.js";
import {day, money} from "./format.js";
import {button, facts, family, foreign, foreignShort, idText, notice, when} from "./parts.js";
import {maySettle, session} from "./session.js";
import {announce} from "./toast.js";
import {say, t, word} from "./words.js";

export const finalStatuses = ["EFETIVADA", "CANCELADA", "NEGADA"];
export const isFinal = ({status}) => finalStatuses.includes(status);
// These are the gateway's limits.
const longestNote = 4000;
const longestMsisdn = 32;
const longestUrl = 250;

export const markTitle = ({mark}) => word("mark", mark);

// Makes the form, folded under a button.
export function settleHere(sale, view, isOpen = false) {
  const summary = h("summary.button", {class: maySettle() && "primary"}, t("settle.here"));
  return h("details.unfold", {open: isOpen}, summary, settleForm(sale, view));
}

// Settles the sale with one press as a statement says, after the same last look as by hand. Returns nothing where the
// statement does not decide the sale.
export function settleAsStated(sale, {asks, theirs, day: of, line}, view) {
  if (asks !== "settle" || isFinal(sale) || !maySettle()) return null;
  const status = theirs.status === "EFETIVADA" ? "EFETIVADA" : "CANCELADA";
  const said = {day: day(of), status: word("status", theirs.status), valor: money(theirs.valor)};
  const note = [t("attention.stated", said), line && t("settle.stated_line", {line})].filter(Boolean).join(" ");
  return button(t("settle.as_stated"), () => confirm(sale, {status, note}, view), {tone: "primary"});
}

// Makes the form for one sale. Its content is kept in the state of the page, so that it survives a new drawing.
function settleForm(sale, view) {
  if (!maySettle()) return notice("off", h("p", t("role.may_not_settle")));
  const chosen = view.state[sale.id] ?? "";
  const choose = (status) => {
    view.state[sale.id] = status;
    view.redraw();
  };
  const submit = (event) => {
    event.preventDefault();
    confirm(sale, decision(new FormData(event.target)), view);
  };
  return h(
    "form.settle",
    {submit, "data-key": `settle-${sale.id}`},
    isFinal(sale) ? h("p", t("settle.final", {status: word("status", sale.status)})) : choice(chosen, choose),
    sale.family === "esim" && (chosen || sale.status) === "EFETIVADA" ? esimFields() : null,
    h(
      "label",
      t("settle.note"),
      h("textarea", {
        name: "note",
        rows: 3,
        required: true,
        maxlength: longestNote,
        "aria-describedby": `hint-${sale.id}`,
      }),
    ),
    h("p.hint", {id: `hint-${sale.id}`}, t(isFinal(sale) ? "settle.note_hint_final" : "settle.note_hint")),
    h("button.button.primary", {type: "submit"}, t("settle.look")),
  );
}

function choice(chosen, choose) {
  const option = (status, name) =>
    h(
      "label.choice",
      {class: chosen === status && "chosen"},
      h("input", {
        type: "radio",
        name: "status",
        value: status,
        required: true,
        checked: chosen === status,
        change: () => choose(status),
      }),
      h("span", h("span.strong", t(`settle.${name}`)), h("br"), h("span.faint", t(`settle.${name}_means`))),
    );
  return h(
    "fieldset.choices",
    h("legend", t("settle.question")),
    option("EFETIVADA", "sold"),
    option("CANCELADA", "not_sold"),
  );
}

function esimFields() {
  return h(
    "fieldset.pair",
    h("legend", t("settle.esim")),
    h(
      "label",
      t("settle.msisdn"),
      h("input", {name: "msisdn", inputmode: "tel", maxlength: longestMsisdn, autocomplete: "off"}),
    ),
    h(
      "label",
      t("settle.url"),
      h("input", {name: "url", inputmode: "url", maxlength: longestUrl, autocomplete: "off"}),
    ),
  );
}

// Makes the body of the call. Empty fields are not sent.
function decision(form) {
  const filled = (name) => form.get(name)?.trim() || undefined;
  const esim = {msisdn: filled("msisdn"), url: filled("url")};
  return {status: filled("status"), note: filled("note"), esim: esim.msisdn || esim.url ? esim : undefined};
}

async function confirm(sale, body, view) {
  if (!body.note) return announce(t("settle.note_missing"), "bad");
  const saying = body.status === "EFETIVADA" ? "as_sold" : body.status === "CANCELADA" ? "as_not_sold" : "as_seen";
  const wasDone = await ask({
    title: t(`settle.${saying}`),
    body: [
      summaryOf(sale),
      h("p", t(`settle.${saying}_means`)),
      isBare(sale, body) && notice("warn", h("p", t("settle.without_number", {here: t("settle.here")}))),
      body.esim && esimFacts(body.esim),
      h("blockquote", foreign(body.note, longestNote)),
      h("p.faint", say("settle.by", {name: session.name})),
    ],
    agree: t(`settle.${saying}_agree`),
    tone: body.status ? "danger" : "primary",
    act: async () => {
      const after = await send(sale, body);
      // For a sale that the gateway is still asking the provider about, the answer has the outcome and nothing else.
      const isLater = after.id === undefined || after.attention;
      announce(t(isLater ? "settle.later" : "settle.done"), isLater ? "warn" : "good");
    },
  });
  if (wasDone) view.refresh();
  return undefined;
}

// An eSIM that is sold has a receipt that says how to use it, which a statement does not know.
const isBare = ({family: of}, {status, esim}) => of === "esim" && status === "EFETIVADA" && !esim;

const esimFacts = ({msisdn, url}) =>
  facts([
    [t("settle.msisdn"), msisdn && foreign(msisdn)],
    [t("settle.url"), url && foreign(url, longestUrl)],
  ]);

// Where a note alone is refused because the outcome stands, the sale had no mark any more: another person was faster.
async function send(sale, body) {
  try {
    return await post(path`/v1/sales/${sale.id}/resolve`, body);
  } catch (problem) {
    if (!body.status && problem.code === "sale_final") problem.code = "no_attention";
    throw problem;
  }
}

function summaryOf(sale) {
  return h(
    "div.quote",
    h("p.strong", money(sale.valor), " · ", family(sale.family)),
    h("p", foreignShort(sale.produto)),
    h("p.faint", foreignShort(sale.terminal), " · ", when(sale.createdAt)),
    idText(sale.idExterno),
  );
}
