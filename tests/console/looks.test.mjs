// The console looks like the store's: its name, its CNPJ and its colour are on every page and on paper, whatever the
// colour is, and people read them in the font that the program brings.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {openStore, orders, printed, scene, t} from "./harness.mjs";

const named = {"store.name": "Mercadinho da Praça", "store.cnpj": "12345678000195", "console.colour": "#1a5fb4"};
const phone = "0800 123 4567";
const cnpj = t("shell.cnpj", {cnpj: "12.345.678/0001-95"});
const pages = ["today", "attention", "sales", "close", "reconcile", "terminals", "health", "help"];

let shop;
let nameless;
let waiting;
before(async () => {
    shop = await openStore({config: {...named, "provider.phone": phone}});
    nameless = await openStore();
    waiting = await shop.sellUncancelled();
});
after(() => Promise.all([shop.close(), nameless.close()]));

const colourOf = (one, selector, property = "backgroundColor") => one.page.$eval(selector, (element, name) => getComputedStyle(element)[name], property);

scene("every page has the store's name, CNPJ and colour, and so has the door", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    for (const page of pages) {
        await one.visit(page);
        assert.equal(await one.text(".head .brand"), `M ${named["store.name"]} ${cnpj}`, page);
        assert.equal(await colourOf(one, ".head"), "rgb(26, 95, 180)", page);
        assert.equal(await one.page.title(), `(1) ${t(`page.${page}`)} · ${named["store.name"]}`);
    }
    const door = await enter(shop);
    await door.open("");
    await door.see(named["store.name"], cnpj, t("signin.title"));
    assert.equal(await colourOf(door, ".signin-brand"), "rgb(26, 95, 180)");
    assert.equal(await door.page.title(), `${t("signin.title")} · ${named["store.name"]}`);
    assert(!(await door.page.evaluate(() => fetch("/console/looks").then((answer) => answer.text()))).includes(phone));
});

scene("a store that does not name itself leaves no hole", async (enter) => {
    const one = await enter(nameless, {as: "ana"});
    assert.equal(await one.text(".head .brand"), t("shell.name"));
    assert(!(await one.has(".letterhead")) && !(await one.has(".brand-cnpj")) && !(await one.has("[data-colour]")));
    await one.visit("help");
    await one.see(t("help.nobody"));
    const door = await enter(nameless);
    await door.open("");
    await door.page.waitForSelector("main.signin > img");
    assert(!(await door.has(".signin-brand")));
});

scene("what is printed has the name and the CNPJ at its head", async (enter) => {
    const sold = await shop.sell(orders.tv());
    const {json: {closes}} = await shop.admin("POST", "/v1/closes", {day: shop.today});
    const one = await enter(shop, {as: "ana"});
    const head = `${named["store.name"]} ${cnpj}`;
    const press = (label, within) => async () => (await one.find("button", t(label), within)).click();
    await one.visit("close");
    assert(!(await one.text()).startsWith(head), "on the screen it stands above the page only");
    await one.visit(`close/${closes[0].estabelecimento}/${closes[0].name}`);
    for (const paper of ["action.print_a4", "action.print_roll"]) {
        const {text} = await printed(one, press(paper));
        assert(text.trim().startsWith(head), `${paper}: ${text.slice(0, 200)}`);
        assert.equal(text.split(named["store.name"]).length, 2, `${paper} says it once`);
        await one.page.evaluate(() => dispatchEvent(new Event("afterprint")));
    }
    await one.visit(`sale/${sold.id}`);
    await press("receipt.show")();
    await press("receipt.open", "dialog ")();
    await one.page.waitForSelector("dialog .paper-line");
    const {text} = await printed(one, press("action.print_roll", "dialog "));
    assert(text.trim().startsWith(head), text.slice(0, 200));
});

scene("whatever the colour, every text keeps its contrast, light and dark", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    const poor = await one.page.evaluate(async () => {
        const {contrast, shades} = await import("/lib/colour.js");
        const levels = ["00", "33", "66", "80", "99", "cc", "ff"];
        const found = [];
        for (const red of levels) for (const green of levels) for (const blue of levels) for (const theme of ["light", "dark"]) {
            const colour = `#${red}${green}${blue}`;
            const {brand, accent, ...worn} = shades(colour, theme);
            const surface = theme === "light" ? "#ffffff" : "#161b20";
            const pairs = [[worn["brand-ink"], brand], [worn["accent-ink"], accent], [accent, surface], [accent, worn["accent-wash"]]];
            if (pairs.some(([text, ground]) => contrast(text, ground) < 4.5) || contrast(worn.bar, surface) < 3) found.push(`${colour}, ${theme}`);
        }
        return {found, known: contrast("#ffffff", "#000000"), grey: contrast("#777777", "#ffffff").toFixed(2)};
    });
    // These two are the examples that everybody knows: 21 to 1, and the grey that just fails.
    assert.deepEqual(poor, {found: [], known: 21, grey: "4.48"});
    for (const theme of ["light", "dark"]) {
        const other = await enter(shop, {as: "ana", theme});
        for (const colour of ["#ffee00", "#808080", "#101010"]) {
            await other.visit("attention");
            await other.page.evaluate((worn) => import("/lib/colour.js").then(({wear}) => wear(worn)), colour);
            await other.accessible(`${colour}, ${theme}`, ["color-contrast"]);
        }
    }
});

scene("the provider's telephone stands where a person is told to call", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    for (const page of ["attention", `sale/${waiting.id}`]) {
        await one.visit(page);
        assert((await one.text(".advice .to_do")).includes(`${t("advice.phone")} ${phone}`), page);
        assert(await one.has('.advice .to_do a[href="tel:08001234567"]'));
    }
    await one.visit("help");
    await one.see(`${t("advice.phone")} ${phone}`);
    assert(!(await one.text()).includes(t("help.nobody")));
});

scene("people read the font that the program brings", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    await one.page.evaluate(() => document.fonts.ready);
    const session = await one.page.createCDPSession();
    await session.send("DOM.enable");
    await session.send("CSS.enable");
    const {root} = await session.send("DOM.getDocument");
    const {nodeId} = await session.send("DOM.querySelector", {nodeId: root.nodeId, selector: "main"});
    const {fonts} = await session.send("CSS.getPlatformFontsForNode", {nodeId});
    assert(fonts.length > 0 && fonts.every(({familyName, isCustomFont}) => familyName.startsWith("Inter") && isCustomFont), JSON.stringify(fonts));
});
