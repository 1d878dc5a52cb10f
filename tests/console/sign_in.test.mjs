// A person signs in at the console, and signs out.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, openStore, orders, people, scene, signIn, t, until} from "./harness.mjs";

let shop;
before(async () => (shop = await openStore()));
after(() => shop.close());

const form = async (one) => ({
    name: await one.find("textbox", t("signin.name")), password: await one.page.waitForSelector("input[type=password]"), enter: await one.find("button", t("signin.enter")),
});

scene("the link of the box lets in once, and leaves the address", async (enter) => {
    const link = await shop.link();
    const one = await enter(shop);
    await one.page.goto(link);
    await one.see(t("role.settle"), t("page.today"));
    const secret = link.split("=")[1];
    const addresses = await one.page.evaluate(() => [location.href, document.referrer, ...performance.getEntries().map(({name}) => name)]);
    assert(!(await one.page.evaluate(() => location.href)).includes(secret));
    assert(!addresses.slice(1).some((address) => address.includes(secret) && !address.startsWith(shop.url)), addresses);
    assert(!shop.gateway.text.includes(secret), "the log has the secret of a link");
    const other = await enter(shop);
    await other.page.goto(link);
    await other.see(t("problem.link_used"));
    assert(!(await other.page.evaluate(() => location.href)).includes(secret));
});

byHand("a name and its password let in, and the way out leads back to the door", async (enter, hand) => {
    const one = await enter(shop);
    await one.open("");
    const {name, password, enter: button} = await form(one);
    await hand.write(one, name, "ana");
    await hand.write(one, password, people.ana.password);
    await hand.press(one, button);
    await one.see(t("page.today"), "ana", t("role.settle"));
    await hand.press(one, await one.find("button", t("shell.leave")));
    await one.see(t("signin.left"));
    assert.equal((await one.page.evaluate(() => fetch("/v1/status").then(({status}) => status))), 401);
});

scene("who leaves while the gateway is away is told so, and has left once it is back", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    one.isCut = true;
    shop.wire.cut({forGood: true});
    await (await one.find("button", t("shell.leave"))).click();
    await one.see(t("signin.not_left"));
    shop.wire.tie();
    await one.see(t("signin.left"));
    assert.equal((await one.page.evaluate(() => fetch("/v1/status").then(({status}) => status))), 401);
});

scene("a tab that nobody uses takes the session from no other one, and says when it is over", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    const forgotten = await one.context.newPage();
    await forgotten.evaluateOnNewDocument(() => {
        const [now, every] = [Date.now, setInterval];
        window.aheadMs = 0;
        Date.now = () => now() + window.aheadMs;
        window.setInterval = (act, delay) => every(act, delay / 100);
    });
    await forgotten.goto(shop.url);
    await forgotten.waitForSelector(".shell h1");
    const asked = forgotten.waitForResponse((answer) => answer.url().endsWith("/console/session"));
    await forgotten.evaluate(() => (window.aheadMs = 31 * 60_000));
    assert.deepEqual([(await asked).status(), (await asked).request().method()], [200, "GET"]);
    assert(await forgotten.$(".shell"));
    await one.page.evaluate(() => fetch("/console/session", {method: "DELETE"}));
    await forgotten.waitForFunction((words) => document.body.innerText.includes(words), {}, t("signin.idle"));
});

scene("the cookie is out of the reach of scripts", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    const [cookie] = await one.context.cookies();
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, "Strict");
    assert.equal(await one.page.evaluate(() => document.cookie), "");
});

scene("a wrong password is said, and what was typed as a name stays", async (enter) => {
    const one = await enter(shop);
    await one.open("");
    // A page that is drawn again still says it.
    await (await one.find("button", t("language.en"))).click();
    await (await one.find("button", t("language.pt-BR", {}, "en"))).click();
    await signIn(one, "ana", "not hers");
    await one.see(t("problem.unauthorized"));
    assert.equal(await one.page.$eval("input[name=name]", ({value}) => value), "ana");
    assert.equal(await one.focused(), "password");
    await one.page.keyboard.type(people.ana.password);
    await one.page.keyboard.press("Enter");
    await one.see(t("page.today"));
});

scene("a session that ends leads to the door, and the door back to where the person was", async (enter) => {
    const sale = await shop.sell(orders.tv());
    const one = await enter(shop, {as: "ana"});
    await one.visit(`sale/${sale.id}`);
    one.isCut = true;
    await one.page.evaluate(() => fetch("/console/session", {method: "DELETE"}));
    await one.see(t("signin.ended"));
    one.isCut = false;
    await signIn(one, "ana", people.ana.password);
    await one.see(t("history.title"), sale.idExterno);
    assert((await one.page.evaluate(() => location.hash)).includes(sale.id));
});

scene("a restart signs nobody out", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    one.isCut = true;
    await shop.restart();
    one.isCut = false;
    await one.visit("sales");
    assert(await one.page.$(".shell"));
    assert.equal((await one.page.evaluate(() => fetch("/v1/status").then(({status}) => status))), 200);
});

scene("who only looks has no way to settle, and is refused where they make one", async (enter) => {
    const doubtful = await shop.sellDoubtful();
    const sold = await shop.sell(orders.tv());
    const one = await enter(shop, {as: "leo"});
    await one.see(t("role.look"));
    await one.visit(`attention/${doubtful.id}`);
    await one.see(t("role.may_not_settle"));
    assert(!(await one.has("textarea")));
    await one.visit(`sale/${sold.id}`);
    await one.see(t("role.may_not_receipt"));
    await one.visit("close");
    await one.see(t("role.may_not_close"));
    await one.visit("reconcile");
    await one.see(t("role.may_not_bring"));
    assert(!(await one.has("input[type=file]")));
    one.expected.add(403);
    const statuses = await one.page.evaluate(async (doubtfulId, soldId, day) => {
        const write = (address, body) => fetch(address, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)}).then(({status}) => status);
        return [
            await write(`/v1/sales/${doubtfulId}/resolve`, {status: "EFETIVADA", note: "x"}), await write(`/v1/sales/${soldId}/receipt-view`, {}),
            await write("/v1/closes", {day}), await write("/v1/findings/1/resolve", {note: "x"}),
            await fetch("/v1/statements", {method: "POST", headers: {"Content-Type": "text/plain"}, body: "x"}).then(({status}) => status),
        ];
    }, doubtful.id, sold.id, shop.today);
    assert.deepEqual(statuses, [403, 403, 403, 403, 403]);
    assert.equal((await shop.sale(doubtful.id)).final, doubtful.final);
});

scene("who guesses is answered late, and then turned away", async (enter) => {
    const one = await enter(shop);
    await one.open("");
    const enough = new AbortController();
    const headers = {Origin: `http://127.0.0.1:${shop.ports.console}`};
    // These use links, because a busy machine takes longer to check a password than a person who types may take.
    const guess = async () => {
        while (!enough.signal.aborted) await shop.console("POST", "/console/session", {link: "a guess"}, headers, enough.signal);
    };
    const guesses = Array.from({length: 20}, () => guess().catch(() => null));
    await until("the log says that somebody guesses", () => shop.log.some(({event}) => event === "console.guessing"));
    one.expected.add(429);
    await signIn(one, "ana", "another guess");
    await one.see(t("problem.rate_limited"));
    enough.abort();
    await Promise.all(guesses);
});
