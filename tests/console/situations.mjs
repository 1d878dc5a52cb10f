// These are stores in the situations that the console is looked at in, and the addresses of all its pages there.
import {openStore, orders, store} from "./harness.mjs";

const columns = {idExterno: 2, idTransacao: 3, nsu: 4, estabelecimento: 5, valor: 6, status: 7, dataHora: 8};
// The sandbox writes its statements so. The store's day is the provider's, by clocks three hours behind UTC.
export const statements = {
    "store.timezone": "America/Sao_Paulo", "statement.covers": "this", "statement.detail.column": 1, "statement.detail.text": "1",
    "statement.words.AUTORIZADA": ["AUTORIZADA", "PENDENTE"], ...Object.fromEntries(Object.entries(columns).map(([name, column]) => [`statement.columns.${name}`, column])),
};

// This has a script, an end of every markup, a change of the direction of writing, and ten thousand letters without a
// space.
const markup = `"'><script>window.hostile=1</script><img src=x onerror="window.hostile=1">&lt;b&gt;`;
const turned = "\u202egnp.exe\u2066\u200f\u061c";
export const hostile = {short: `${markup}`.slice(0, 60), turned: `caixa ${turned}`, long: `${markup} ${turned} ${"W".repeat(10_000)}`};

const bring = (shop, text) => fetch(`http://127.0.0.1:${shop.ports.admin}/v1/statements`, {method: "POST", headers: {"Content-Type": "text/plain"}, body: text}).then(async (answer) => {
    if (answer.status !== 201) throw new Error(await answer.text());
});

async function close(shop, more = {}) {
    const {json} = await shop.admin("POST", "/v1/closes", {day: shop.today, ...more});
    const [{estabelecimento, name}] = json.closes;
    return `close/${estabelecimento}/${name}`;
}

const always = ["today", "attention", "sales", "close", "reconcile", "terminals", "health", "help"];

export const situations = {
    async nothing() {
        return {shop: await openStore({config: statements}), pages: always};
    },

    async ordinary() {
        const shop = await openStore({config: {...statements, "console.help": "Suporte: Maria, (11) 98765-4321", "provider.open_sales_end": "48h"}});
        const sold = await shop.sell(orders.tv(4900, {cashier: "Rita"}));
        for (const order of [orders.egift(), orders.transit(), orders.health(), orders.tv(4901), orders.esim()]) await shop.sell(order, {terminal: "caixa-02"});
        await shop.sell(orders.tv(9900), {terminal: "caixa-b-01"});
        await bring(shop, await shop.statement({}));
        return {shop, pages: [...always, `sale/${sold.id}`, await close(shop)]};
    },

    // Here everything goes wrong, and an attacker has written everything that others may write.
    async trouble() {
        const shop = await openStore({config: {...statements, "statement.covers": "network", "statement.any_id": true, "provider.open_sales_end": "48h"}});
        const text = (limit) => hostile.long.slice(0, limit);
        const refusal = {erro: text(200), mensagem: hostile.long};
        await shop.sandbox("PUT", "/sandbox/faults", [{step: "solicitar", behaviour: "answer", family: "tv", status: 422, body: JSON.stringify(refusal), times: 1}]);
        const refused = await shop.sell(orders.tv(4900, {cashier: hostile.turned}));
        await shop.sandbox("DELETE", "/sandbox/faults");
        const [doubtful] = await Promise.all(Array.from({length: 5}, () => shop.sellDoubtful({cashier: hostile.short})));
        const failed = await shop.sell(orders.esim(2939));
        await shop.saleUntil(failed.id, "for a person", ({attention}) => attention);
        const sold = await shop.sell(orders.tv(99_999_900));
        const unknown = await shop.sell(orders.tv(4900, {produto: hostile.short, cashier: hostile.short}));
        await shop.till("no-such-till", "GET", "/v1/sales", undefined, {"User-Agent": markup});
        await shop.till("caixa-02", "POST", "/v1/sell", {family: markup}, {"Idempotency-Key": "x1", "User-Agent": Buffer.from(text(4000)).toString("latin1")});
        const [row] = (await shop.statement({})).split("\n").filter((line) => line.includes(sold.idExterno));
        const fields = row.split(";");
        fields[3] = hostile.short.replaceAll(";", "");
        const others = ["x", "y"].map((name) => ["1", `${name}${markup.replaceAll(";", "")}`.slice(0, 60), turned, hostile.short.replaceAll(";", ""), store.main, "100", "EFETIVADA", fields[7], ""].join(";"));
        const head = (await shop.statement({})).split("\n")[0].split(";");
        [head[6], head[7]] = ["3", String(Number(fields[5]) + 200)];
        await bring(shop, [head.join(";"), fields.join(";"), ...others, ""].join("\n"));
        await shop.admin("POST", `/v1/sales/${failed.id}/resolve`, {note: text(4000)});
        const page = await close(shop, {by: hostile.short});
        await shop.providerGoesAway();
        await shop.sell(orders.tv(5900), {wait: 1});
        return {shop, pages: [...always, ...[refused, doubtful, failed, sold, unknown].map(({id}) => `sale/${id}`), page, "reconcile?all=1", "sales?q=nada"]};
    },
};
