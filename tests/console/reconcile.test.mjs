// The provider's statements are brought by hand; these tests look at what does not agree, and at what becomes of it.
import assert from "node:assert/strict";
import {writeFileSync} from "node:fs";
import {after, before} from "node:test";
import {byHand, openStore, orders, scene, t} from "./harness.mjs";
import {statements} from "./situations.mjs";

let shop;
let day;
let sold;
before(async () => {
    shop = await openStore({config: statements});
    // If a day ended meanwhile, the sales of a statement would be on two days.
    for (day = null; day !== shop.today;) {
        await shop.sandbox("POST", "/sandbox/reset");
        day = shop.today;
        sold = [await shop.sell(orders.tv(4900)), await shop.sell(orders.tv(5900))];
    }
});
after(() => shop.close());

// A finding that a person has closed stays closed, so mouse and keyboard each have a row of their own.
const wrongFile = (hand) => {
    const [missing, wrong] = hand.name === "mouse" ? sold : [...sold].reverse();
    return shop.statement({day, missing: missing.idExterno, amount: `${wrong.idExterno}:1`});
};
let files = 0;
// The statement counts as a new one: the first line says when it was written.
async function statementFile(text) {
    const file = `${shop.folder}/extrato-${++files}.txt`;
    writeFileSync(file, text);
    return file;
}

const dayInWords = () => new Intl.DateTimeFormat("pt-BR", {timeZone: "UTC", dateStyle: "medium"}).format(new Date(`${day}T00:00:00Z`));
const setDay = (one) => one.page.$eval("input[name=day]", (field, value) => (field.value = value), day);

byHand("a statement is chosen, what differs is shown, and one difference is closed with a note", async (enter, hand) => {
    const one = await enter(shop, {as: "ana"});
    await one.visit("reconcile");
    await setDay(one);
    const [chooser] = await Promise.all([one.page.waitForFileChooser(), hand.press(one, await one.page.waitForSelector(hand.name === "mouse" ? ".drop" : ".drop input"))]);
    const file = await statementFile(await wrongFile(hand));
    await chooser.accept([file]);
    await one.see(file.split("/").at(-1));
    await hand.choose(one, await one.page.waitForSelector("input[name=again]"));
    await hand.press(one, await one.find("button", t("bring.read")));
    await one.see(t("bring.findings.other", {number: "2"}), t("finding_kind.amount_differs"), t("finding_do.amount_differs"), t("finding_kind.missing_there"), t("finding_do.missing_there"));
    await hand.press(one, await one.find("link", t("bring.look")));
    await one.see("R$ 0,01", hand.name === "mouse" ? "R$ 59,00" : "R$ 49,00");
    const finding = ".kind[data-key=amount_differs] .finding:not(.closed)";
    await hand.press(one, await one.page.waitForSelector(`${finding} summary.button`));
    await hand.write(one, await one.page.waitForSelector(`${finding} textarea`, {visible: true}), "provedor estornou, protocolo 4711");
    const look = await one.page.waitForSelector(`${finding} button[type=submit]`);
    await hand.press(one, look);
    await one.see(t("finding.as_resolved"));
    await hand.refuse(one, t("action.back"));
    await one.gone("dialog");
    assert(await look.evaluate((button) => button === document.activeElement), "the focus is back on what asked");
    await hand.press(one, look);
    await hand.press(one, await one.find("button", t("finding.agree")));
    await one.gone(finding);
    await hand.press(one, await one.find("link", t("finding.all")));
    await one.see("protocolo 4711", "ana", t("finding_end.resolved"));
    await hand.press(one, await one.find("link", t("finding.open_only")));
    await one.gone(".kind[data-key=amount_differs]");
});

scene("a statement that is dropped on the page is read, and one that agrees says so", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    await one.visit("reconcile");
    const drop = (text) => one.page.evaluate((content) => {
        const data = new DataTransfer();
        data.items.add(new File([content], "extrato.txt", {type: "text/plain"}));
        const zone = document.querySelector(".drop");
        for (const type of ["dragover", "drop"]) zone.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
    }, text);
    const agreeing = await shop.statement({day});
    for (const [text, said] of [
        [await shop.statement({day, count: 9}), t("problem.count_differs")], [await shop.statement({day, html: "yes"}), t("problem.unreadable_line")], ["", null],
        [agreeing, t("bring.findings.none")], [agreeing, t("bring.known", {day: dayInWords()})],
    ]) {
        one.expected.add(422).add(400);
        await drop(text);
        await one.see("extrato.txt");
        await setDay(one);
        await (await one.find("button", t("bring.read"))).click();
        if (said) await one.see(said);
        else await one.page.waitForSelector(".bring + [role=status] .notice");
    }
    await (await one.page.waitForSelector("input[name=again]")).click();
    await (await one.find("button", t("bring.read"))).click();
    await one.see(t("bring.findings.none"), t("statement.agrees"), t("statement.superseded"));
});

scene("what is urgent stands first, however old, and what follows is asked for once", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    const finding = (id, kind, severity) => ({id, kind, severity, detail: kind, day, open: true, pending: false, ours: null, theirs: null});
    await one.pretend("GET /v1/findings?", {findings: [finding(9, "missing_there", "warning")], next: 9});
    await one.pretend("GET /v1/findings?open=true&kind=sold_there", {findings: [finding(1, "sold_there", "alarm")], next: null});
    await one.pretend("GET /v1/findings?open=true&limit=100&cursor=9", {findings: [finding(8, "missing_there", "warning")], next: null});
    await one.visit("reconcile");
    await one.see(t("finding_kind.sold_there"), t("finding_kind.missing_there"));
    assert.deepEqual(await one.page.$$eval(".severity", (all) => all.map(({dataset}) => dataset.key)), ["alarm", "warning"]);
    const next = await one.find("button", t("sales.more"));
    assert(await next.evaluate((button) => [button.click(), button.disabled][1]));
    await one.page.waitForFunction(() => document.querySelector(".kind[data-key=missing_there] .times").textContent === "2");
});

scene("a wrong day, and no file at all, are said before anything is read", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    await one.visit("reconcile");
    await (await one.find("button", t("bring.read"))).click();
    await one.see(t("bring.no_file"));
    const [chooser] = await Promise.all([one.page.waitForFileChooser(), one.page.click(".drop")]);
    await chooser.accept([await statementFile(await shop.statement({day}))]);
    one.expected.add(422);
    await (await one.find("button", t("bring.read"))).click();
    await one.see(t("problem.wrong_day"));
});

scene("a sale that needs a person and differs from a statement is one matter, on either page", async (enter) => {
    const {id, idExterno} = await shop.sellUncancelled();
    const lines = (await shop.statement({day})).split("\n");
    assert(lines.some((line) => line.includes(idExterno)), "the provider has it");
    const brought = await fetch(`http://127.0.0.1:${shop.ports.admin}/v1/statements?day=${day}&again=true`, {method: "POST", headers: {"Content-Type": "text/plain"}, body: lines.join("\n")});
    assert.equal(brought.status, 201, await brought.text());
    const one = await enter(shop, {as: "ana"});
    await one.visit("attention");
    await one.see(t("attention.stated", {day: dayInWords(), status: t("status.AUTORIZADA"), valor: "R$ 59,90"}));
    await (await one.find("link", t("attention.to_reconcile"))).click();
    await one.see(t("finding.is_case"));
    await (await one.find("link", t("finding.to_case"))).click();
    await one.see(t("mark.no_cancel_path"));
});
