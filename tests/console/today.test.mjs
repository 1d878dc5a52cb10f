// The first page answers "Does it sell?", and all pages hear of what happens.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, openStore, orders, scene, t, until} from "./harness.mjs";

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

scene("a figure of what is open today leads to what is open, whenever it was begun", async (enter) => {
    const one = await enter(shop, {as: "link"});
    const address = (name, day) => one.page.evaluate((...of) => import("/lib/list_behind.js").then(({salesOf}) => salesOf(...of)), name, day);
    assert.equal(await address("open", shop.today), "#/sales?status=open");
    assert.equal(await address("sold", shop.today), `#/sales?status=EFETIVADA&from=${shop.today}&until=${shop.today}`);
    assert.equal(await address("open", "2026-01-02"), "#/sales?status=open&from=2026-01-02&until=2026-01-02");
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

scene("a till's last sale that the provider has only authorised is called under way, and not authorised", async (enter) => {
    const sale = await shop.sellDoubtful();
    for (const language of ["pt-BR", "en"]) {
        const one = await enter(shop, {as: "link", language});
        await one.visit("today");
        const row = await one.text(`[data-key="caixa-01"] a[href$="${sale.id}"]`);
        assert(row.includes(t("status.PENDENTE", {}, language)) && !row.includes(t("status.AUTORIZADA", {}, language)), row);
    }
    await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
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

byHand("a figure leads to the sales that it counts", async (enter, hand) => {
    const sale = await shop.sell(orders.transit(3300));
    const one = await enter(shop, {as: "link"});
    await hand.press(one, await one.page.waitForSelector(".figure.main a"));
    await one.page.waitForSelector(`table.sales tr[data-key="${sale.id}"]`);
    assert.deepEqual(await one.page.$$eval(".filters select[name=status], .filters input[type=date]", (all) => all.map(({value}) => value)), ["EFETIVADA", shop.today, shop.today]);
    await one.visit("today");
    await hand.press(one, await one.find("link", t("family.transit")));
    await one.page.waitForSelector(`table.sales tr[data-key="${sale.id}"]`);
    assert.equal(await one.page.$eval(".filters select[name=family]", ({value}) => value), "transit");
    await one.visit("terminals");
    await hand.press(one, await one.page.waitForSelector(`.card[data-key="caixa-01"] a[href*="terminal=caixa-01"]`));
    await one.page.waitForSelector(`table.sales tr[data-key="${sale.id}"]`);
    await one.visit("close");
    await hand.press(one, await one.page.waitForSelector(`tr[data-key="family-transit"] a`));
    await one.page.waitForSelector(`table.sales tr[data-key="${sale.id}"]`);
});

scene("today stands beside yesterday and the same weekday, each until the time of day that it is", async (enter) => {
    const [yesterday, week] = [1, 7].map((days) => shop.dayAt(Date.now() - days * 86_400_000));
    const one = await enter(shop, {as: "link"});
    const total = (count, valor) => ({from: "", total: {sold: {count, valor}}});
    await one.pretend(`GET /v1/totals?day=${yesterday}&begunBefore=`, {...total(2, 12300), from: yesterday});
    await one.pretend(`GET /v1/totals?day=${week}&begunBefore=`, {...total(3, 45600), from: week});
    await shop.sell(orders.tv());
    const weekday = new Intl.DateTimeFormat("pt-BR", {timeZone: "UTC", weekday: "long", day: "2-digit", month: "2-digit"}).format(new Date(`${week}T00:00:00Z`));
    await one.see(t("today.beside"), "R$ 123,00 2 vendas", "R$ 456,00 3 vendas", `${t("today.yesterday")} `, weekday);
    assert.match(await one.text(), new RegExp(t("today.until", {time: "\\d\\d:\\d\\d"})));
    // The gateway itself counts nothing of a time before its first sale.
    const hour = new Date(Date.now() - 86_400_000).toISOString();
    const {json} = await shop.admin("GET", `/v1/totals?day=${shop.today}&begunBefore=${hour}`);
    assert.deepEqual(json.total.sold, {count: 0, valor: 0});
});

scene("each bar has its figure, and no figure lies over another on a telephone", async (enter) => {
    await shop.sell(orders.tv());
    const one = await enter(shop, {as: "link", width: 360});
    await one.page.waitForSelector(".bars text");
    // A store that sells around the clock, four figures an hour.
    const groups = Array.from({length: 24}, (_, hour) => ({family: "tv", hour: String(hour).padStart(2, "0"), sold: {count: 1000 + hour, valor: 100}}));
    const {json} = await shop.admin("GET", "/v1/totals?by=family,hour");
    await one.pretend("GET /v1/totals?by=family%2Chour", {...json, groups});
    await shop.sell(orders.tv());
    await until("all hours are shown", async () => (await one.page.$$(".bars text")).length === 24);
    const boxes = await one.page.$$eval(".bars text", (all) => all.map((text) => text.getBoundingClientRect()).map(({left, right}) => [left, right]));
    for (const [index, [left]] of boxes.entries()) if (index > 0) assert(left >= boxes[index - 1][1] - 1, `${index}: ${boxes[index - 1]} and ${boxes[index]}`);
    assert(boxes.at(-1)[1] <= 360);
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
