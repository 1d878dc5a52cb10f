// These are the tests of the tills, the machine, and the page that explains.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, openStore, orders, scene, t} from "./harness.mjs";

let shop;
before(async () => (shop = await openStore({config: {"console.help": "Suporte: Maria, (11) 98765-4321"}})));
after(() => shop.close());

byHand("a till is shown with its last sale, its program and what was refused", async (enter, hand) => {
    const sale = await shop.sell(orders.tv(4900), {terminal: "caixa-02"});
    await shop.till("caixa-02", "POST", "/v1/sell", {family: "tv"}, {"Idempotency-Key": "x1"});
    await shop.till("no-such-till", "GET", "/v1/sales");
    const one = await enter(shop, {as: "link"});
    await one.visit("terminals");
    await one.see("caixa-01", "caixa-02", "caixa-b-01", "127.0.0.1", "87654321", t("terminals.state_never"), t("refused_with.422"), t("terminals.unknown_keys_do"));
    await hand.press(one, await one.page.waitForSelector(`#main a[href="#/sale/${sale.id}"]`));
    await one.see(sale.idExterno);
});

scene("a till that is refused something appears by itself", async (enter) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("terminals");
    await shop.sell(orders.tv(123400), {terminal: "caixa-b-01"});
    await one.see("R$ 1.234,00");
});

scene("every part of the machine has a state, and what to do about it where it is not well", async (enter) => {
    for (const language of ["pt-BR", "en"]) {
        const one = await enter(shop, {as: "link", language});
        await one.visit("health");
        for (const key of ["token", "disk", "clock", "backup", "journal"]) await one.see(t(`health.${key}`, {}, language));
        await one.see(t("health.backup_never", {}, language), t("health.backup_do", {}, language), shop.file);
        const cards = await one.page.$$eval(".check-card", (all) => all.map((card) => card.innerText));
        const tones = ["good", "warn", "bad"].map((tone) => t(`health.tone_${tone}`, {}, language));
        assert(cards.length >= 7 && cards.every((card) => tones.some((tone) => card.includes(tone))), cards.join(" | "));
    }
});

byHand("help says whom to call, and answers its questions where they stand", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("help");
    await one.see("Suporte: Maria, (11) 98765-4321", t("term.sale"), t("term.gateway_means"));
    await hand.press(one, await one.page.waitForSelector("details.question summary"));
    await one.see(t("help.no_sales_answer"));
    await one.see(t("help.phone_none"));
});

byHand("every page is reached from every other, in both languages, light and dark", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    for (const name of ["attention", "sales", "close", "reconcile", "terminals", "health", "help", "today"]) {
        await hand.press(one, await one.page.waitForSelector(`.navigation a[href="#/${name}"]`));
        await one.page.waitForFunction((title) => document.activeElement.matches("h1") && document.activeElement.innerText === title && document.title.startsWith(title), {}, t(`page.${name}`));
        assert.equal(await one.page.$eval("[aria-current=page]", (link) => link.hash), `#/${name}`);
    }
    await hand.press(one, await one.find("button", t("language.en")));
    await one.see(t("page.today", {}, "en"), t("today.sells_good", {}, "en"));
    assert.equal(await one.page.$eval("html", ({lang}) => lang), "en");
    await hand.press(one, await one.find("button", t("shell.dark", {}, "en")));
    await one.page.waitForSelector("html[data-theme=dark]");
    await one.page.reload();
    await one.see(t("today.sells_good", {}, "en"));
    await one.page.waitForSelector("html[data-theme=dark]");
});

scene("where the window is narrow the menu opens and closes, by Escape too", async (enter) => {
    const one = await enter(shop, {as: "link", width: 320, height: 640});
    const menu = await one.find("button", t("shell.menu"));
    await menu.click();
    await one.page.waitForSelector(".navigation a[href='#/help']", {visible: true});
    await one.page.keyboard.press("Escape");
    await one.page.waitForSelector(".navigation a[href='#/help']", {hidden: true});
    await menu.click();
    await (await one.page.waitForSelector(".navigation a[href='#/help']", {visible: true})).click();
    await one.see(t("help.call"));
    await one.page.waitForSelector(".navigation a[href='#/help']", {hidden: true});
});

scene("the first Tab of a page leads past the navigation", async (enter) => {
    const one = await enter(shop, {as: "link"});
    await one.page.reload();
    await one.see(t("today.sells_good"));
    await one.page.evaluate(() => document.activeElement.blur());
    await one.page.keyboard.press("Tab");
    assert.equal(await one.focused(), t("shell.skip"));
    await one.page.keyboard.press("Enter");
    assert.equal(await one.focused(), t("page.today"));
});

scene("the browser's own language is the page's until one is chosen", async (enter) => {
    const one = await enter(shop, {language: null});
    await one.open("");
    await one.see(t("signin.title", {}, "en"));
    await (await one.find("button", t("language.pt-BR", {}, "en"))).click();
    await one.see(t("signin.title"));
    await one.page.reload();
    await one.see(t("signin.title"));
});
