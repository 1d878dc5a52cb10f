// Other pages of the same browser try to reach the console while a person is signed in: none of them succeeds.
import assert from "node:assert/strict";
import http from "node:http";
import {after, before} from "node:test";
import {openStore, scene, until} from "./harness.mjs";

let shop;
let stranger;
before(async () => {
    shop = await openStore();
    stranger = http.createServer((request, response) => response.writeHead(200, {"Content-Type": "text/html"}).end("<!doctype html><title>a stranger's page</title>"));
    await new Promise((go) => stranger.listen(0, "127.0.0.1", go));
});
after(async () => {
    stranger.closeAllConnections();
    stranger.close();
    await shop.close();
});

// Signs a person in, and opens a stranger's page in another tab. `host` is the name of the stranger's page.
async function lure(enter, host) {
    const one = await enter(shop, {as: "ana"});
    const page = await one.context.newPage();
    await page.goto(`http://${host}:${stranger.address().port}/`);
    return {one, page};
}

// Returns the result: the status, or that the browser let nothing through.
const send = (page, address, options) => page.evaluate((to, how) => fetch(to, {credentials: "include", ...how}).then((answer) => answer.status || answer.type, (error) => error.name), address, options);

// A browser does send the cookie to the same site, such as another port of the machine; it does not send it to another
// site.
for (const host of ["127.0.0.1", "localhost", "rebound.example"]) {
    scene(`a page of ${host}, on another port, changes nothing and reads nothing`, async (enter) => {
        const sale = await shop.sellDoubtful();
        const {page} = await lure(enter, host);
        const plain = {method: "POST", mode: "no-cors", headers: {"Content-Type": "text/plain"}};
        for (const address of [`/v1/sales/${sale.id}/resolve`, "/v1/closes", "/v1/statements", "/console/session", `/v1/sales/${sale.id}/receipt-view`]) {
            const body = JSON.stringify({day: shop.today, status: "EFETIVADA", note: "x", name: "ana", password: "x"});
            assert.equal(await send(page, shop.url + address, {...plain, body}), "TypeError", "not even an empty answer is let through");
            const typed = {method: "POST", headers: {"Content-Type": "application/json"}, body};
            assert.equal(await send(page, shop.url + address, typed), "TypeError", "no leave to send JSON is given to other pages");
        }
        assert.equal(await send(page, `${shop.url}/console/session`, {method: "DELETE"}), "TypeError");
        for (const address of ["/v1/status", "/v1/sales", "/console/session", "/words/en.json"]) {
            assert.equal(await send(page, shop.url + address, {}), "TypeError", `${address} is read by another page`);
        }
        assert.equal((await shop.sale(sale.id)).final, false);
        assert.deepEqual((await shop.admin("GET", "/v1/closes")).json.closes, []);
        await shop.admin("POST", `/v1/sales/${sale.id}/resolve`, {status: "CANCELADA", note: "visto"});
    });
}

scene("a form of another page that is sent to the console changes nothing", async (enter) => {
    const {one, page} = await lure(enter, "127.0.0.1");
    const sale = await shop.sellDoubtful();
    const [answer] = await Promise.all([page.waitForNavigation(), page.evaluate((action) => {
        const form = Object.assign(document.createElement("form"), {method: "post", action, enctype: "text/plain"});
        form.append(Object.assign(document.createElement("input"), {name: '{"status":"EFETIVADA","note":"x', value: '"}'}));
        document.body.append(form);
        form.submit();
    }, `${shop.url}/v1/sales/${sale.id}/resolve`)]);
    assert.equal(answer.status(), 403);
    assert.equal((await shop.sale(sale.id)).final, false);
    one.expected.add(403);
});

scene("a name that leads here without being the console's gets nothing, from the console and from the admin listener", async (enter) => {
    const {page} = await lure(enter, "rebound.example");
    for (const port of [new URL(shop.url).port, shop.ports.admin]) {
        const answer = await page.goto(`http://rebound.example:${port}/`);
        assert.equal(answer.status(), 421);
        // From here on, the stranger is on the same origin, but only by its name.
        for (const [address, how] of [["/v1/status", {}], ["/v1/sales", {}], ["/v1/closes", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({day: shop.today})}], ["/console/session", {}]]) {
            assert.equal(await send(page, `http://rebound.example:${port}${address}`, how), 421, `${port}${address}`);
        }
    }
    assert.deepEqual((await shop.admin("GET", "/v1/closes")).json.closes, []);
});

scene("no other page shows the console in a frame", async (enter) => {
    const {page} = await lure(enter, "127.0.0.1");
    const refused = new Promise((heard) => page.on("console", (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()) && heard(true)));
    await page.evaluate((src) => document.body.append(Object.assign(document.createElement("iframe"), {src})), shop.url);
    await refused;
    await until("the frame has come to its end", () => page.frames().some((frame) => /^chrome-error/.test(frame.url())));
});

scene("no other page keeps a hold on the console that it opens", async (enter) => {
    const {page} = await lure(enter, "127.0.0.1");
    const [opened] = await Promise.all([
        new Promise((heard) => page.once("popup", heard)), page.evaluate((address) => void (window.opened = window.open(address)), shop.url),
    ]);
    await opened.waitForSelector("h1");
    assert.equal(await opened.evaluate(() => window.opener), null);
    assert.equal(await page.evaluate(() => window.opened.closed), true);
});
