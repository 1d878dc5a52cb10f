// These tests take too long for every day: see long.sh.
import assert from "node:assert/strict";
import path from "node:path";
import {after} from "node:test";
import {languages, openStore, orders, scene, t, until} from "./harness.mjs";
import {situations} from "./situations.mjs";

const sales = 10_000;
const atOnce = 20;

scene(`with ${sales} sales the list is read to its end, and news do not hold up who types`, async (enter) => {
    const shop = await openStore();
    after(() => shop.close());
    for (let at = 0; at < sales; at += atOnce) await Promise.all(Array.from({length: atOnce}, () => shop.sell(orders.egift(2500))));
    const one = await enter(shop, {as: "link"});
    await one.page.evaluate(() => {
        window.tasks = [];
        new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({duration}) => duration))).observe({type: "longtask", buffered: true});
    });
    await one.visit("sales");
    const rows = () => one.page.$$eval("table.sales tbody tr", (all) => all.length);
    for (let shown = await rows(); shown < sales; shown = await rows()) {
        await one.page.$eval(".more button", (button) => button.click());
        await until("more rows are there", async () => (await rows()) > shown);
    }
    const told = await one.page.evaluate(() => window.tasks.splice(0));
    await one.page.type("#q", "caixa-");
    for (let at = 0; at < 20; ++at) {
        await shop.sell(orders.egift(2500));
        await one.page.keyboard.type("0");
    }
    await until("the news are there", async () => (await rows()) === sales + 20);
    assert.equal(await one.page.$eval("#q", ({value}) => value), `caixa-${"0".repeat(20)}`);
    const news = await one.page.evaluate(() => window.tasks);
    const longest = (all) => (all.length > 0 ? `${Math.round(Math.max(...all))} ms, of ${all.length} above 50 ms` : "below 50 ms");
    console.log(`The page was busy at a stretch: reading ${sales} sales ${longest(told)}; with news among them ${longest(news)}.`);
    await one.visit("today");
    await one.see(t("sales.count.other", {number: "10.020"}));
});

for (const [situation, make] of Object.entries(situations)) {
    scene(`pictures: ${situation}`, async (enter) => {
        const {shop, pages} = await make();
        after(() => shop.close());
        for (const language of languages) {
            for (const width of [320, 1920]) {
                for (const theme of ["light", "dark"]) {
                    const look = {language, width, theme, height: width === 320 ? 640 : 1080};
                    const file = (name) => path.join(process.env.PICTURES, situation, `${language}-${width}-${theme}`, `${name}.png`);
                    const door = await enter(shop, look);
                    await door.open("");
                    await door.page.waitForSelector("main.signin");
                    await door.shoot(file("door"));
                    const one = await enter(shop, {...look, as: "link"});
                    for (const [index, page] of pages.entries()) {
                        await one.visit(page);
                        await one.fits(page);
                        await one.shoot(file(`${index + 1}-${page.replace(/\W.*/, "")}`));
                    }
                }
            }
        }
    });
}
