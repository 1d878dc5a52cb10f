// The first page answers "Does it sell?", and all pages hear of what happens.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, openStore, orders, scene, t} from "./harness.mjs";

let shop;
before(async () => (shop = await openStore()));
after(() => shop.close());

scene("a sale made at a till appears by itself, in the words and figures of each language", async (enter) => {
    const [one, other] = [await enter(shop, {as: "link"}), await enter(shop, {as: "link", language: "en"})];
    await one.see(t("today.sells_good"), t("live.live"));
    await other.see(t("today.sells_good", {}, "en"), t("live.live", {}, "en"));
    await shop.sell(orders.tv(1234567));
    await one.see("R$ 12.345,67", t("family.tv"));
    await other.see("R$12,345.67", t("family.tv", {}, "en"));
    const day = (language) => new Intl.DateTimeFormat(language, {timeZone: shop.timezone, dateStyle: "full"}).format(new Date());
    await one.see(day("pt-BR"));
    await other.see(day("en"));
});

byHand("what happened to a till's last sale is one step away", async (enter, hand) => {
    const sale = await shop.sell(orders.egift(5000), {terminal: "caixa-02"});
    const one = await enter(shop, {as: "link"});
    await hand.press(one, await one.page.waitForSelector(`#main a[href="#/sale/${sale.id}"]`));
    await one.see(t("history.title"), sale.idExterno, t("sale.delivered"));
});

byHand("what needs a person is one step away", async (enter, hand) => {
    const sale = await shop.sellDoubtful();
    const one = await enter(shop, {as: "link"});
    await one.see(t("mark.no_callback"));
    await hand.press(one, await one.page.waitForSelector(`#main a[href="#/attention/${sale.id}"]`));
    await one.see(sale.idExterno, t("advice.known"));
    await one.page.waitForSelector(`.navigation .count`);
    await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
    await one.gone(`[data-key="${sale.id}"]`);
});

scene("the figures of an hour and of the provider stand beside each picture as a table", async (enter) => {
    await shop.sell(orders.tv());
    const one = await enter(shop, {as: "link"});
    await one.see(t("today.by_hour"), t("today.provider"));
    const captions = await one.page.$$eval("#main table caption", (all) => all.map((caption) => caption.textContent));
    assert(captions.includes(t("today.by_hour")) && captions.includes(t("today.provider")), captions.join());
    for (const line of [".p50", ".p95"]) assert.match(await one.text(`.legend ${line}`), /\d\d:\d\d$/, "a minute's figures name the minute");
    const hour = new Intl.DateTimeFormat("en-GB", {timeZone: shop.timezone, hour: "2-digit", hourCycle: "h23"}).format(new Date());
    const rows = await one.page.$$eval("#main table tbody tr", (all) => all.map((row) => row.textContent));
    assert(rows.some((row) => row.startsWith(t("today.hour", {hour})) && /R\$/.test(row)), rows.join(" | "));
});

scene("a provider that is away is said in one red sentence with what to do, and so is its return", async (enter) => {
    const one = await enter(shop, {as: "link"});
    await one.see(t("today.sells_good"));
    const address = new URL(shop.provider).host;
    await shop.providerGoesAway();
    await shop.sell(orders.tv(5900), {wait: 1});  // if nothing is sold, it is noticed within a minute
    await one.see(t("today.sells_bad"), t("reason.provider.do"));
    await shop.startProvider(address);
    await one.see(t("today.sells_good"));
});
