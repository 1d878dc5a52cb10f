// Goods and customers appear nowhere on the console, except on the receipt that a person opens, and that is written
// down.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, card, customer, openStore, orders, printed, scene, t} from "./harness.mjs";

let shop;
before(async () => (shop = await openStore()));
after(() => shop.close());

// Returns every text of a till's answer that a customer pays for, or that is about the customer.
function textsOf(value) {
    if (value === null || typeof value !== "object") return [String(value)];
    return Object.values(value).flatMap(textsOf);
}
const ids = (sale) => [sale.id, sale.idExterno, sale.idTransacao];
const secretsOf = (sale) => {
    const goods = [sale.instrucao, sale.esim, sale.complemento].flatMap(textsOf).filter((text) => /\d{6}|https?:/.test(text) && !ids(sale).includes(text));
    return goods.filter((text) => text !== sale.estabelecimento && !/^\d\d\/\d\d\/\d{4}/.test(text));
};

scene("goods and personal data are in no page and in no answer", async (enter) => {
    const sales = [];
    for (const order of [orders.tv(), orders.egift(), orders.transit(), orders.health(), orders.tv(4901), orders.tv(4902), orders.esim(2939)]) sales.push(await shop.sell(order));
    const esim = await shop.saleUntil(sales.at(-1).id, "sold", ({status}) => status === "EFETIVADA");
    const chip = (await shop.till("caixa-01", "GET", `/v1/sales/${esim.id}`)).json;
    await shop.admin("POST", "/v1/closes", {day: shop.today});
    const {nsuFornecedor} = sales[0].instrucao.recargaTV;
    const secrets = [...sales, chip].flatMap(secretsOf).filter((text) => text !== nsuFornecedor);
    const own = [...Object.values(customer), customer.cpf.replace(/\D/g, ""), card, "Ladeira do Esconderijo", "Vila Oculta", "20040-321"].map(String);
    assert(secrets.length >= 5, secrets.join());
    assert(chip.esim.msisdn && chip.esim.url && secrets.includes(chip.esim.url), JSON.stringify(chip.esim));
    shop.wire.forget();
    const one = await enter(shop, {as: "ana"});
    let shown = "";
    const {json: {closes}} = await shop.admin("GET", "/v1/closes");
    const pages = ["today", "attention", "sales", ...sales.map(({id}) => `sale/${id}`), "close", `close/${closes[0].estabelecimento}/${closes[0].name}`, "reconcile", "terminals", "health", "help"];
    for (const page of pages) {
        await one.visit(page);
        shown += await one.page.content();
    }
    assert(shop.wire.said.includes(sales[0].idTransacao), "the wire was not listened to");
    for (const text of [...secrets, ...own]) {
        assert(!shown.includes(text), `a page shows ${text}`);
        assert(!shop.wire.said.includes(text), `an answer has ${text}`);
    }
});

byHand("the receipt opens after a click that is written down, and says that it is a reprint", async (enter, hand) => {
    const sale = await shop.sell(orders.health());
    const {pin} = sale.instrucao;
    const one = await enter(shop, {as: "ana"});
    await one.visit(`sale/${sale.id}`);
    const open = await one.find("button", t("receipt.show"));
    await hand.press(one, open);
    await one.see(t("receipt.is_copy"), t("receipt.is_noted", {name: "ana"}));
    await hand.refuse(one, t("action.back"));
    await one.gone("dialog");
    const told = async () => (await shop.admin("GET", `/v1/sales/${sale.id}/events`)).json.events.filter(({event}) => event === "receipt_shown");
    assert.equal((await told()).length, 0);
    await hand.press(one, open);
    await hand.press(one, await one.find("button", t("receipt.open")));
    await one.see("2ª VIA", pin);
    await one.accessible("the receipt");
    assert.deepEqual((await told()).map(({by}) => by), ["ana"]);
    const paper = await printed(one, async () => hand.press(one, await one.find("button", t("action.print_roll"))));
    assert(paper.text.includes(pin) && paper.text.includes("2ª VIA"), paper.text);
    assert.equal(paper.widthMm, 80);
    await hand.refuse(one, t("action.close"));
    await one.gone("dialog");
    assert(!(await one.page.content()).includes(pin), "the goods stay in the page after the receipt is closed");
    await one.see(t("event.receipt_shown"), "ana");
    assert(shop.gateway.text.includes("sale.receipt_shown"));
    assert(!shop.gateway.text.includes(pin));
});

scene("looking at a receipt counts as no copy of it", async (enter) => {
    const sale = await shop.sell(orders.health());
    const copies = async () => (await shop.till("caixa-01", "GET", `/v1/sales/${sale.id}/receipt?format=text`)).text;
    const one = await enter(shop, {as: "ana"});
    await one.visit(`sale/${sale.id}`);
    await (await one.find("button", t("receipt.show"))).click();
    await (await one.find("button", t("receipt.open"))).click();
    await one.see("2ª VIA");
    assert(!(await copies()).includes("2ª VIA"), "the till's first print is no reprint");
});
