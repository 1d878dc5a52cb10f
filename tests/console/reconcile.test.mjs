// The provider's statements are brought by hand; these tests look at what does not agree, and at what becomes of it.
import assert from "node:assert/strict";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {after, before} from "node:test";
import {byHand, openStore, orders, printed, scene, store, t, until} from "./harness.mjs";
import {statements} from "./situations.mjs";

let shop;
let day;
let sold;
before(async () => {
    shop = await openStore({config: {...statements, "store.name": "Mercadinho da Praça", "store.cnpj": "12.345.678/0001-95"}});
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
    const [, wrong] = hand.name === "mouse" ? sold : [...sold].reverse();
    const facts = await one.text(finding);
    for (const text of ["TV Mensal", "caixa-01", `-${hand.name === "mouse" ? "R$ 58,99" : "R$ 48,99"}`, wrong.idExterno]) assert(facts.includes(text), `${text} is not in ${facts}`);
    await hand.choose(one, await one.page.waitForSelector(`${finding} input`));
    await one.see(t("finding.selected.one", {number: "1"}));
    const look = await one.find("button", t("finding.resolve"));
    await hand.press(one, look);
    await one.see(t("finding.as_resolved.one"));
    await hand.press(one, await one.find("button", t("finding.agree")));
    assert(await one.has("dialog textarea:invalid"), "without a note nothing is closed");
    await hand.write(one, await one.page.waitForSelector("dialog textarea", {visible: true}), "provedor estornou, protocolo 4711");
    await hand.refuse(one, t("action.back"));
    await one.gone("dialog");
    assert(await look.evaluate((button) => button === document.activeElement), "the focus is back on what asked");
    await hand.press(one, look);
    await hand.write(one, await one.page.waitForSelector("dialog textarea", {visible: true}), "provedor estornou, protocolo 4711");
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

const finding = (id, kind, severity, more = {}) => ({
    id, kind, severity, detail: kind, day, open: true, pending: false, ours: null, theirs: null, difference: null, claim: false, family: null, produto: null, terminal: null, cashier: null,
    createdAt: null, idExterno: `E${id}`, idTransacao: null, nsu: null, line: null, sale: null, estabelecimento: store.main, found: null, closed: null, note: null, effect: null, ...more,
});
const sale = (valor, status = "EFETIVADA") => ({valor, status});
// Notes in the page which findings it closes from now on.
const noteClosed = (one) => one.page.evaluate(() => {
    const {fetch} = window;
    window.resolved = [];
    window.fetch = (address, how) => {
        const [, id] = String(address).match(/findings\/(\d+)\/resolve/) ?? [];
        if (id) window.resolved.push(id);
        return fetch(address, how);
    };
});

scene("several are closed at once with one note, and what the gateway did not take is said and tried again", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    const all = [1, 2, 3].map((id) => finding(id, "missing_there", "warning", {ours: sale(4900), difference: -4900}));
    await one.pretend("GET /v1/findings?", {findings: [...all, finding(4, "other_day", "note")], next: null});
    const closed = (note) => ({closed: {note}});
    await one.pretend("POST /v1/findings/1/resolve", closed("protocolo 12"));
    await one.pretend("POST /v1/findings/2/resolve", {code: "journal_unavailable", detail: "x"}, 503);
    await one.pretend("POST /v1/findings/3/resolve", closed("another"));
    one.expected.add(503);
    await one.visit("reconcile");
    await (await one.page.waitForSelector(".kind[data-key=missing_there] .kind-head input")).click();
    await one.see(t("finding.selected.other", {number: "3"}), `${t("finding.sum")} -R$ 147,00`);
    await (await one.find("button", t("finding.resolve"))).click();
    await one.see(t("finding.as_resolved.other", {number: "3"}));
    await one.page.type("dialog textarea", "protocolo 12");
    await (await one.find("button", t("finding.agree"))).click();
    await one.see(t("finding.closed_some", {number: "2", all: "3"}));
    await one.pretend("POST /v1/findings/2/resolve", closed("protocolo 12"));
    await noteClosed(one);
    await (await one.find("button", t("finding.agree"))).click();
    await one.see(t("finding.closed_before.one", {number: "1"}));
    assert.deepEqual(await one.page.evaluate(() => window.resolved), ["2"], "only what was not taken is told once more");
    await one.gone("dialog");
});

scene("what is to be claimed is printed, comes as CSV and is copied, with the ids that the provider needs", async (enter) => {
    const sold = {produto: "TV; Mensal", family: "tv", terminal: "caixa-07", cashier: "=Rita", createdAt: `${day}T15:20:00.000Z`, idTransacao: "778", claim: true};
    const all = [
        finding(1, "missing_there", "warning", {...sold, ours: sale(4900), difference: -4900}), finding(2, "sold_there", "alarm", {...sold, ours: sale(9900, "CANCELADA"), theirs: sale(9900), difference: 9900}),
        finding(3, "store_differs", "warning", {...sold, ours: sale(100), theirs: sale(100), difference: 0}), finding(4, "other_day", "note", {idExterno: "not-claimed"}),
    ];
    for (const [language, money, cents] of [["pt-BR", "+R$ 99,00", ";99,00\r\n"], ["en", "+R$99.00", ",99.00\r\n"]]) {
        const one = await enter(shop, {as: "ana", language});
        const press = (key) => async () => (await one.find("button", t(key, {}, language))).click();
        await one.pretend("GET /v1/findings?", {findings: all, next: null});
        await one.visit("reconcile");
        await (await one.find("link", t("finding.to_claim", {}, language))).click();
        await one.see(t("finding.to_claim_means", {}, language));
        const sheet = await printed(one, press("finding.print"));
        const parts = ["too_much", "not_counted", "otherwise"].map((name) => t(`finding.${name}.one`, {number: "1"}, language));
        for (const text of [t("finding.claim_title", {}, language), store.main, "ana", money, "E1", "E2", "778", "caixa-07", "=Rita", ...parts]) assert(sheet.text.includes(text), `${text} is not on the paper: ${sheet.text}`);
        assert(/^\s*Mercadinho da Praça\s+CNPJ 12\.345\.678\/0001-95\s/.test(sheet.text), sheet.text);
        assert(!sheet.text.includes("not-claimed") && !sheet.text.includes(t("page.health", {}, language)), sheet.text);
        assert.deepEqual([sheet.widthMm, sheet.pages], [297, 1]);
        const client = await one.page.createCDPSession();
        await client.send("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: shop.folder, browserContextId: one.context.id});
        await press("action.csv")();
        const name = await until("the CSV is there", () => readdirSync(shop.folder).find((file) => file.startsWith(t("finding.file", {}, language)) && file.endsWith(".csv")));
        const csv = await until("all of it", () => readFileSync(`${shop.folder}/${name}`, "utf8"));
        assert(csv.startsWith("\ufeff") && csv.includes(cents) && csv.includes(`"${day}"`) && csv.includes('"TV; Mensal (') && csv.includes(`"'=Rita"`) && !csv.includes("not-claimed"), csv);
        await (await one.page.waitForSelector(".kind[data-key=sold_there] .finding input")).click();
        const some = await printed(one, press("finding.print"));
        assert(some.text.includes("E2") && !some.text.includes("E1"), `only what was selected: ${some.text}`);
        await one.context.overridePermissions(shop.url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
        await press("finding.copy")();
        await one.see(t("action.copied", {}, language));
        const copied = await one.page.evaluate(() => navigator.clipboard.readText());
        assert(copied.includes("\tE2\t778\t") && !copied.includes("E1"), copied);
    }
});

scene("a statement without any sale of the store is one sentence", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    const missing = Array.from({length: 53}, (_, index) => finding(100 + index, "missing_there", "warning", {ours: sale(100), difference: -100, claim: true}));
    const read = {id: 1, day, source: "file", rows: 2, matched: 0, others: 2, findings: 53, readAt: `${day}T15:20:00.000Z`, by: null, supersededBy: null};
    await one.pretend("GET /v1/statements?", {statements: [{...read, id: 2, source: "status", rows: 1, others: 0}, read], next: null});
    await one.pretend("GET /v1/findings?", {findings: missing.slice(0, 50), next: "150"});
    await one.pretend("GET /v1/findings?open=true&limit=500&cursor=150", {findings: missing.slice(50), next: null});
    await one.visit("reconcile");
    await one.see(t("finding.empty.other", {day: dayInWords(), number: "53", valor: "R$ 53,00"}));
    assert.equal((await one.page.$$(".finding")).length, 0);
    await (await one.find("button", t("finding.unfold"))).click();
    await one.page.waitForFunction(() => document.querySelectorAll(".finding").length === 53);
    await (await one.find("link", t("finding.to_claim"))).click();
    await one.see(t("finding.empty_title", {day: dayInWords()}));
    assert(!(await one.text()).includes(t("finding.print")), "the statement is claimed, and not its sales one by one");
});

scene("what is urgent stands first, however old, and what follows is asked for once", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    await one.pretend("GET /v1/findings?", {findings: [finding(9, "missing_there", "warning")], next: 9});
    await one.pretend("GET /v1/findings?open=true&kind=sold_there", {findings: [finding(1, "sold_there", "alarm")], next: null});
    await one.pretend("GET /v1/findings?open=true&limit=100&cursor=9", {findings: [finding(8, "missing_there", "warning")], next: null});
    await one.visit("reconcile");
    await one.see(t("finding_kind.sold_there"), t("finding_kind.missing_there"));
    assert.deepEqual(await one.page.$$eval(".kind", (all) => all.map(({dataset}) => dataset.key)), ["sold_there", "missing_there"]);
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
