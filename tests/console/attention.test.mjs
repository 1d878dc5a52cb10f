// Some sales need a person, who settles them here.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, openStore, orders, scene, t} from "./harness.mjs";
import {statements} from "./situations.mjs";

let shop;
before(async () => (shop = await openStore({config: {"provider.open_sales_end": "48h"}})));
after(() => shop.close());

const inCase = (one, sale, what) => one.page.waitForSelector(`[data-key="${sale.id}"] ${what}`, {visible: true});

scene("a case says what is known, what is not, what to do and how much time is left, in the reader's language", async (enter) => {
    const sale = await shop.sellDoubtful();
    for (const language of ["pt-BR", "en"]) {
        const one = await enter(shop, {as: "link", language});
        await one.visit("attention");
        await one.see(sale.idExterno, t("status.awaiting", {}, language), ...["known", "not_known", "to_do"].map((part) => t(`advice.${part}`, {}, language)));
        assert.match(await one.text(`[data-key="${sale.id}"] .left`), /23/);
        await one.see(...["known", "not_known", "to_do"].map((part) => t(`advice.no_callback.${part}`, {}, language)));
    }
    await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
});

scene("a case names its buttons as they are called, and says what waiting costs", async (enter) => {
    const sale = await shop.sellDoubtful();
    for (const language of ["pt-BR", "en"]) {
        const one = await enter(shop, {as: "ana", language});
        await one.visit("attention");
        await (await inCase(one, sale, "summary.button")).click();
        const names = {here: await one.text(`[data-key="${sale.id}"] summary.button`), look: await one.text(`[data-key="${sale.id}"] button[type=submit]`)};
        [names.sold, names.not_sold] = await one.page.$$eval(".choice .strong", (all) => all.map((choice) => choice.textContent));
        await one.see(t("advice.how_open", names, language), t("advice.waiting", {}, language), t("advice.waiting_ends", {time: "\n"}, language).split("\n")[0].trim());
    }
    const {id} = await shop.sellUncancelled();
    const one = await enter(shop, {as: "leo"});
    await one.visit(`attention/${id}`);
    await one.see(t("advice.waiting_final"));
    assert(!(await one.text()).includes(t("settle.look")), "who may not settle is told of no button");
    await shop.admin("POST", `/v1/sales/${id}/resolve`, {note: "visto"});
    await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
});

byHand("a sale is settled as the statement says, after the same last look", async (enter, hand) => {
    const books = await openStore({config: statements});
    after(() => books.close());
    const sale = await books.sellDoubtful();
    const answer = await fetch(`http://127.0.0.1:${books.ports.admin}/v1/statements`, {method: "POST", headers: {"Content-Type": "text/plain"}, body: await books.statement({day: books.today})});
    assert.equal(answer.status, 201, await answer.text());
    const one = await enter(books, {as: "ana"});
    await one.visit("attention");
    const button = await one.find("button", t("settle.as_stated"));
    await hand.press(one, button);
    await one.see(t("settle.as_sold"), t("settle.by", {name: "ana"}), t("settle.without_number", {here: t("settle.here")}));
    await one.accessible("the last look at what the statement says");
    await hand.refuse(one, t("action.back"));
    await one.gone("dialog");
    assert.equal((await books.sale(sale.id)).final, false);
    await hand.press(one, button);
    await hand.press(one, await one.find("button", t("settle.as_sold_agree")));
    await one.see(t("settle.done"));
    assert.equal((await books.saleUntil(sale.id, "settled", ({attention}) => !attention)).status, "EFETIVADA");
    await one.visit(`sale/${sale.id}`);
    await one.see(t("attention.stated", {day: "\n", status: "", valor: ""}).split("\n")[0], "R$ 29,35.", "ana");
});

scene("where nothing can be done from here, nothing is said to be done", async (enter) => {
    const {id} = await shop.sellUncancelled();
    const one = await enter(shop, {as: "link"});
    await one.visit(`sale/${id}`);
    await one.see(t("doing.nothing"), t("sale.settled_by_you"));
    await shop.admin("POST", `/v1/sales/${id}/resolve`, {note: "cancelada pelo provedor"});
    await one.gone(".case");
    await one.see(t("sale.settled_yes"));
    assert(!(await one.text()).includes(t("doing.nothing")));
});

byHand("a sale is settled as sold, with a last look that can be taken back", async (enter, hand) => {
    const sale = await shop.sellDoubtful();
    const one = await enter(shop, {as: "ana"});
    await one.visit("attention");
    await hand.press(one, await inCase(one, sale, "summary.button"));
    await hand.choose(one, await inCase(one, sale, "input[value=EFETIVADA]"));
    await hand.write(one, await inCase(one, sale, "input[name=msisdn]"), "11987654321");
    await hand.write(one, await inCase(one, sale, "textarea"), "portal do provedor, protocolo 4711");
    const look = await inCase(one, sale, "button[type=submit]");
    await hand.press(one, look);
    await one.see(t("settle.as_sold"), t("settle.by", {name: "ana"}));
    await one.accessible("the last look");
    await hand.refuse(one, t("action.back"));
    await one.gone("dialog");
    assert(await look.evaluate((button) => button === document.activeElement), "the focus is back where the question was asked");
    assert.equal((await shop.sale(sale.id)).final, false);
    await hand.press(one, look);
    await hand.press(one, await one.find("button", t("settle.as_sold_agree")));
    await one.see(t("settle.done"));
    await one.gone(`article[data-key="${sale.id}"]`);
    assert.equal((await shop.saleUntil(sale.id, "settled", ({attention}) => !attention)).status, "EFETIVADA");
    await one.visit(`sale/${sale.id}`);
    await one.see("protocolo 4711", "ana", t("event.resolved"));
});

byHand("a sale is settled as not sold from the page of the sale", async (enter, hand) => {
    const sale = await shop.sellDoubtful();
    const one = await enter(shop, {as: "ana"});
    await one.visit(`sale/${sale.id}`);
    await hand.press(one, await one.page.waitForSelector(".case summary.button"));
    await hand.choose(one, await one.page.waitForSelector("input[value=CANCELADA]", {visible: true}));
    await hand.write(one, await one.page.waitForSelector("textarea"), "o provedor não conhece a venda");
    await hand.press(one, await one.find("button", t("settle.look")));
    await hand.press(one, await one.find("button", t("settle.as_not_sold_agree")));
    await one.see(t("settle.done"));
    assert.equal((await shop.saleUntil(sale.id, "settled", ({attention}) => !attention)).status, "CANCELADA");
    await one.see("o provedor não conhece a venda", t("outcome.not_sold"));
});

byHand("of a sale whose outcome stands only the mark is cleared", async (enter, hand) => {
    const {id} = await shop.sell(orders.esim(2939));
    const sale = await shop.saleUntil(id, "for a person", ({attention}) => attention);
    const one = await enter(shop, {as: "ana"});
    await one.visit(`attention/${id}`);
    await one.see(t("settle.final", {status: t("status.EFETIVADA")}));
    await hand.write(one, await inCase(one, sale, "textarea"), "o cliente foi avisado");
    await hand.press(one, await inCase(one, sale, "button[type=submit]"));
    await hand.press(one, await one.find("button", t("settle.as_seen_agree")));
    await one.gone(`article[data-key="${id}"]`);
    assert.equal((await shop.saleUntil(id, "seen", ({attention}) => !attention)).status, "EFETIVADA");
});

scene("news leave alone what a person is typing", async (enter) => {
    const sale = await shop.sellDoubtful();
    const one = await enter(shop, {as: "link"});
    await one.visit(`attention/${sale.id}`);
    const note = await inCase(one, sale, "textarea");
    await note.type("a meio de uma ");
    const other = await shop.sellDoubtful();
    await one.page.waitForSelector(`article[data-key="${other.id}"]`);
    await one.page.keyboard.type("frase");
    assert.equal(await note.evaluate(({value}) => value), "a meio de uma frase");
    assert(await note.evaluate((field) => field === document.activeElement && field.isConnected));
    for (const {id} of [sale, other]) await shop.admin("POST", `/v1/sales/${id}/resolve`, {status: "CANCELADA", note: "visto"});
    await one.see(t("attention.none"));
});

scene("of a record that cannot be read only that is said, and how many cases there are is not cut", async (enter) => {
    const one = await enter(shop, {as: "link"});
    const lost = {id: "01HZZZZZZZZZZZZZZZZZZZZZZZ", mark: "unreadable", family: null, status: null, valor: null, produto: "Bilhete", terminal: "caixa-01", createdAt: null, since: null};
    await one.pretend("GET /v1/attention", {sales: [lost], total: 501});
    await one.visit("attention");
    await one.see(t("advice.unreadable.known"), t("attention.lead.other", {count: 501}), t("attention.first", {count: 1}));
    assert.doesNotMatch(await one.text("article.case"), /null/);
    assert(!(await one.has("form.settle")));
});

scene("a decision that is under way is not taken back, and one whose answer is lost is not called done or undone", async (enter) => {
    const sale = await shop.sellDoubtful();
    const one = await enter(shop, {as: "link"});
    await one.visit(`attention/${sale.id}`);
    await (await inCase(one, sale, "input[value=CANCELADA]")).click();
    await (await inCase(one, sale, "textarea")).type("visto");
    await (await inCase(one, sale, "button[type=submit]")).click();
    await one.page.evaluate(() => {
        const real = window.fetch;
        window.fetch = (address, how) => (how.method === "POST" ? new Promise((_, reject) => (window.loseIt = () => reject(new TypeError("lost")))) : real(address, how));
    });
    const agree = await one.find("button", t("settle.as_not_sold_agree"));
    await agree.click();
    await one.page.keyboard.press("Escape");
    assert(await one.has("dialog[open] .actions button:last-child:disabled"));
    await one.page.evaluate(() => window.loseIt());
    await one.see(t("problem.write_unknown"));
    await one.pretend("POST ", {outcome: "pending"}, 202);
    await agree.click();
    await one.see(t("settle.later"));
    await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
});

scene("what somebody else has settled meanwhile is said where it is tried again", async (enter) => {
    const sale = await shop.sellDoubtful();
    const one = await enter(shop, {as: "link"});
    await one.visit(`attention/${sale.id}`);
    await (await inCase(one, sale, "input[value=EFETIVADA]")).click();
    await (await inCase(one, sale, "textarea")).type("tarde demais");
    await (await inCase(one, sale, "button[type=submit]")).click();
    const agree = await one.find("button", t("settle.as_sold_agree"));
    await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
    await shop.saleUntil(sale.id, "settled", ({settled}) => settled);
    one.expected.add(409);
    await agree.click();
    await one.see(t("problem.sale_final"));
    await one.page.keyboard.press("Escape");
    await one.gone("dialog");
});

scene("of a sale with a mark nothing is said of its goods, and it is told where another person cleared it first", async (enter) => {
    const {id} = await shop.sell(orders.esim(2939));
    await shop.saleUntil(id, "for a person", ({attention}) => attention);
    const one = await enter(shop, {as: "link"});
    await one.visit(`sale/${id}`);
    assert(!(await one.text()).includes(t("sale.delivered")));
    await (await one.page.waitForSelector(".case summary.button")).click();
    await (await one.page.waitForSelector(".case textarea", {visible: true})).type("tarde demais");
    await (await one.find("button", t("settle.look"))).click();
    const agree = await one.find("button", t("settle.as_seen_agree"));
    await shop.admin("POST", `/v1/sales/${id}/resolve`, {note: "visto"});
    one.expected.add(409);
    await agree.click();
    await one.see(t("problem.no_attention"));
    await one.page.keyboard.press("Escape");
    await one.see(t("sale.delivered"));
});
