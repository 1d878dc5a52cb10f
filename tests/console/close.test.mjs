// A day ends: these tests look at its totals, the close, and the paper.
import assert from "node:assert/strict";
import {readFileSync, readdirSync} from "node:fs";
import {after, before} from "node:test";
import {byHand, openStore, orders, printed, scene, store, t, until} from "./harness.mjs";

// There is one store for each way to close its day, because a day is closed once.
const shops = [];
const newShop = async () => {
    const shop = await openStore();
    shops.push(shop);
    await shop.sell(orders.tv(4900, {cashier: "Rita"}));
    await shop.sell(orders.egift(3000), {terminal: "caixa-02"});
    await shop.sell(orders.tv(9901));
    return shop;
};
after(() => Promise.all(shops.map((shop) => shop.close())));

const dayIn = (language, day, style) => new Intl.DateTimeFormat(language, {timeZone: "UTC", dateStyle: style}).format(new Date(`${day}T00:00:00Z`));

// No sale of a test belongs to a past day. So the browser puts a forgotten day into the list of closes, until it is
// closed.
function forgetting(day) {
    const {fetch} = window;
    window.fetch = async (address, how) => {
        const answer = await fetch(address, how);
        if (!String(address).startsWith("/v1/closes?")) return answer;
        const told = await answer.json();
        return Response.json({...told, forgotten: told.closes.some((close) => close.day === day.day) ? [] : [day]});
    };
}

byHand("a day is closed after a last look, and says what it came to", async (enter, hand) => {
    const shop = await newShop();
    const one = await enter(shop, {as: "ana"});
    await one.visit("close");
    await one.see("R$ 79,00", t("family.tv"), t("family.egift"));
    await hand.press(one, await one.find("button", t("close.by_cashier")));
    await one.see("Rita", t("close.nobody"));
    await hand.press(one, await one.find("button", t("close.by_terminal")));
    await one.see("caixa-02");
    const close = await one.find("button", t("close.do", {day: dayIn("pt-BR", shop.today, "medium")}));
    await hand.press(one, close);
    await one.see(t("close.never_undone"), t("close.not_over"), t("close.late_too"));
    await one.see(`${t("sale.store")} ${store.main} · ${t("sales.count.other", {number: "2"})} · R$ 79,00`, `${t("sale.store")} ${store.other} · ${t("sales.count.none")}`);
    await hand.refuse(one, t("action.back"));
    await one.gone("dialog");
    assert(await close.evaluate((button) => button === document.activeElement), "the focus is back on what asked");
    assert.deepEqual((await shop.admin("GET", "/v1/closes")).json.closes, []);
    await one.visit(`close?day=${shop.today}`);
    const yesterday = shop.dayAt(Date.now() - 86_400_000);
    await one.page.evaluate(forgetting, {estabelecimento: store.main, day: yesterday});
    await hand.press(one, close);
    await hand.press(one, await one.find("button", t("close.agree")));
    await one.see(t("close.done.other", {count: 2}), t("close.forgotten"));
    const {closes} = (await shop.admin("GET", "/v1/closes")).json;
    assert.deepEqual(new Set(closes.map(({by}) => by)), new Set(["ana"]));
    await one.see(t("close.is_closed"));
    assert(await one.has(`.notice.warn a[href="#/close?day=${yesterday}"]`));
    await shop.admin("POST", "/v1/closes", {day: yesterday});
    await one.gone(".notice.warn");
    const {name} = closes.find(({estabelecimento}) => estabelecimento === store.main);
    await hand.press(one, await one.page.waitForSelector(`table a[href="#/close/${store.main}/${name}"]`));
    await one.see(t("close.check"), "R$ 79,00", "ana");
    await hand.press(one, await one.find("link", t("close.back")));
    await one.see(t("close.past"));
});

scene("a day that is over and that nobody closed leads, and today is one click away", async (enter) => {
    const shop = shops[0] ?? (await newShop());
    const one = await enter(shop, {as: "ana"});
    const earlier = shop.dayAt(Date.now() - 3 * 86_400_000);
    await one.page.evaluate(forgetting, {estabelecimento: store.main, day: earlier});
    await one.visit("close");
    const leads = t("close.leads", {day: dayIn("pt-BR", earlier, "full")});
    await one.see(leads, t("close.do", {day: dayIn("pt-BR", earlier, "medium")}));
    assert.equal(await one.page.$eval("input[name=day]", (field) => field.value), earlier);
    await (await one.find("link", t("close.today"))).click();
    await one.see(dayIn("pt-BR", shop.today, "full"));
    assert(!(await one.text()).includes(leads));
    await one.visit("close");
    await one.see(leads);
});

scene("when a day is closed by itself is said before it is", async (enter) => {
    const shop = await openStore({config: {"close.at": "23:45"}});
    shops.push(shop);
    const one = await enter(shop, {as: "link"});
    await one.visit("close");
    const {automatic} = (await shop.admin("GET", "/v1/closes")).json;
    assert.equal(automatic.day, shop.today);
    await one.see(t("close.automatic", {day: dayIn("pt-BR", shop.today, "medium"), time: "23:45:00"}));
});

scene("of another day, what it came to is one date away", async (enter) => {
    const shop = shops[0] ?? (await newShop());
    const one = await enter(shop, {as: "link"});
    // The gateway's clock says what day it is, however wrong the browser's is.
    await one.page.evaluateOnNewDocument(() => {
        const now = Date.now;
        Date.now = () => now() + 3 * 86_400_000;
    });
    await one.page.reload();
    await one.visit("close");
    const earlier = shop.dayAt(Date.now() - 2 * 86_400_000);
    await one.see(dayIn("pt-BR", shop.today, "full"));
    assert(!(await one.has(".day-form a")));
    await one.typeDay("input[name=day]", earlier);
    await one.see(dayIn("pt-BR", earlier, "full"), t("close.no_sales"), t("close.not_closed"));
    await (await one.find("link", t("close.today"))).click();
    await one.see(dayIn("pt-BR", shop.today, "full"));
});

scene("the close of a day with twelve tills, ten cashiers and all families is one page, with lines to sign", async (enter) => {
    const shop = shops[0] ?? (await newShop());
    const {closes} = (await shop.admin("POST", "/v1/closes", {day: shop.today, estabelecimento: store.main})).json;
    const {json: made} = await shop.admin("GET", `/v1/closes/${store.main}/${closes[0].name}`);
    const sums = {sold: {count: 1234, valor: 123_456_789}, cancelled: {count: 123, valor: 1_234_567}, refused: {count: 123, valor: 1_234_567}};
    const named = (count, name) => Object.fromEntries(Array.from({length: count}, (_, index) => [`${name}-${index + 1}`, sums]));
    const families = Object.fromEntries(["tv", "egift", "transit", "health", "esim"].map((name) => [name, sums]));
    const totals = {total: sums, families, terminals: named(12, "caixa"), cashiers: {"": sums, ...named(9, "Joana Aparecida da Silva")}};
    for (const language of ["pt-BR", "en"]) {
        const one = await enter(shop, {as: "link", language});
        await one.pretend(`GET /v1/closes/${store.main}/`, {...made, by: "Maria", previous: made.digest, totals});
        await one.visit(`close/${store.main}/${made.name}`);
        await one.see("Joana Aparecida da Silva-9", t("close.nobody", {}, language));
        assert(!(await one.text()).includes(t("close.sign_checked", {}, language)), "nobody signs on the screen");
        // A store's name and number at the head take some of the room.
        await one.page.evaluate(() => {
            const letterhead = document.createElement("div");
            letterhead.style.height = "25mm";
            document.querySelector("#main").before(letterhead);
        });
        const sheet = await printed(one, async () => (await one.find("button", t("action.print_a4", {}, language))).click());
        for (const key of ["close.by_family", "close.by_terminal", "close.by_cashier", "close.sign_closed", "close.sign_checked", "close.sign_name", "close.sign_date"]) {
            assert(sheet.text.includes(t(key, {}, language)), `${key} is not on the paper: ${sheet.text}`);
        }
        assert.equal(sheet.pages, 1, sheet.text);
    }
});

scene("a close is printed on A4, on a roll, and comes as CSV, in each language", async (enter) => {
    const shop = await newShop();
    const {closes} = (await shop.admin("POST", "/v1/closes", {day: shop.today, estabelecimento: store.main})).json;
    const inks = [];
    for (const [language, money] of [["pt-BR", "R$ 79,00"], ["en", "R$79.00"]]) {
        const one = await enter(shop, {as: "link", language, theme: language === "en" ? "dark" : "light"});
        await one.visit(`close/${store.main}/${closes[0].name}`);
        const press = (key) => async () => (await one.find("button", t(key, {}, language))).click();
        const sheet = await printed(one, press("action.print_a4"));
        const madeAt = new Intl.DateTimeFormat(language, {timeZone: shop.timezone, dateStyle: "full", timeStyle: "long"}).format(new Date(closes[0].madeAt)).replace(/\s+/g, " ");
        for (const text of [money, store.main, closes[0].digest.slice(0, 16), dayIn(language, shop.today, "full"), madeAt, t("family.egift", {}, language)]) {
            assert(sheet.text.includes(text), `${text} is not on the paper: ${sheet.text}`);
        }
        assert(!sheet.text.includes(t("page.health", {}, language)) && !sheet.text.includes(t("action.csv", {}, language)), sheet.text);
        assert.equal(sheet.widthMm, 210);
        await one.page.emulateMediaType("print");
        inks.push(await one.page.$eval("html", (root) => ["--ink", "--accent", "--good", "--warn"].map((name) => getComputedStyle(root).getPropertyValue(name)).join()));
        await one.page.emulateMediaType(null);
        const roll = await printed(one, press("action.print_roll"));
        assert(roll.text.includes("79,00") && roll.text.includes(closes[0].name), roll.text);
        assert.deepEqual([roll.widthMm, roll.pages], [80, 1]);
        const client = await one.page.createCDPSession();
        await client.send("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: shop.folder, browserContextId: one.context.id});
        await press("action.csv")();
        const name = await until("the CSV is there", () => readdirSync(shop.folder).find((file) => file.startsWith(t("close.file", {}, language)) && file.endsWith(".csv")));
        const csv = await until("all of it", () => readFileSync(`${shop.folder}/${name}`, "utf8"));
        assert(csv.startsWith("\ufeff") && csv.includes(language === "en" ? "49.00" : "49,00"), csv);
    }
    assert.equal(inks[0], inks[1], "paper is as white for one who looks at the console in the dark");
    const last = await enter(shop, {as: "ana"});
    await last.visit("close");
    await last.see(t("close.is_partly_closed"), t("close.unclosed.one", {stores: store.other}));
    await (await last.find("button", t("close.do", {day: dayIn("pt-BR", shop.today, "medium")}))).click();
    await last.see(t("close.sure"));
    assert(!(await last.text("dialog")).includes(store.main), "a store that has closed the day is closed once more");
    await (await last.find("button", t("close.agree"))).click();
    await last.see(t("close.check"), store.other);
});
