// The event stream that a page listens to is cut, is refused, and ends with the gateway; the page goes on.
import assert from "node:assert/strict";
import http from "node:http";
import {after, before} from "node:test";
import {openStore, orders, scene, t} from "./harness.mjs";

let shop;
before(async () => (shop = await openStore()));
after(() => shop.close());

// Returns what stands before the time in a text.
const beginning = (key) => t(key, {time: "|"}).split("|")[0].trim();

scene("a stream that is cut goes on, and what happened meanwhile appears", async (enter) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("sales");
    await one.see(t("live.live"));
    one.isCut = true;
    shop.wire.cut({forGood: true});
    await one.page.waitForFunction((words) => !document.body.innerText.includes(words), {}, t("live.live"));
    await shop.sell(orders.tv(11100));
    shop.wire.tie();
    await one.see("R$ 111,00", t("live.live"));
    await shop.sell(orders.tv(22200));
    await one.see("R$ 222,00");
});

scene("an answer that stalls in the middle is waited for no longer than one that never begins, and nothing is left behind", async (enter) => {
    const one = await enter(shop, {as: "link"});
    const [code, listeners] = await one.page.evaluate(async () => {
        const {get} = await import("/lib/api.js");
        const page = new AbortController();
        let count = 0;
        const counted = (name, change) => (...content) => {
            count += change;
            return AbortSignal.prototype[name].apply(page.signal, content);
        };
        Object.assign(page.signal, {addEventListener: counted("addEventListener", 1), removeEventListener: counted("removeEventListener", -1)});
        const real = window.fetch;
        const stalled = ({signal}) => new Response(new ReadableStream({start: (body) => signal.addEventListener("abort", () => body.error(signal.reason))}));
        window.fetch = async (address, how) => (address === "/stalled" ? stalled(how) : real(address, how));
        const {code} = await get("/stalled", {}, {signal: page.signal, patienceMs: 50}).catch((problem) => problem);
        return [code, count];
    });
    assert.deepEqual([code, listeners], ["unreachable", 0]);
});

scene("a gateway that is killed is said to be away; its return signs nobody out and leads on", async (enter) => {
    const one = await enter(shop, {as: "ana"});
    await one.visit("close");
    one.isCut = true;
    await shop.gateway.end("SIGKILL");
    await one.see(beginning("live.lost"), beginning("state.old"));
    await one.accessible("what was read before", ["color-contrast"]);
    await shop.start();
    await one.see(t("page.close"), t("live.live"));
    await one.visit("sales");
    await shop.sell(orders.tv(33300));
    await one.see("R$ 333,00");
});

scene("a page that gets no stream any more asks now and then", async (enter) => {
    const first = await enter(shop, {as: "link"});
    const [{name, value}] = await first.context.cookies();
    // Others hold all the streams that there are; a browser would not open so many.
    const others = Array.from({length: 8}, () => http.get({host: "127.0.0.1", port: new URL(shop.url).port, path: "/console/events", headers: {Cookie: `${name}=${value}`}}));
    others.forEach((one) => one.on("error", () => null));
    await Promise.all(others.map((one) => new Promise((go) => one.once("response", go))));
    const late = await enter(shop);
    late.expected.add(503);
    await late.page.goto(await shop.link());
    await late.see(t("live.polling"));
    await shop.sell(orders.tv(44400));
    await late.see("R$ 444,00");
    others.forEach((one) => one.destroy());
});
