// A person finds sales, and opens the page of one sale.
import assert from "node:assert/strict";
import {after, before} from "node:test";
import {byHand, openStore, orders, scene, t, until} from "./harness.mjs";

let shop;
let sold;
let refused;
let gift;
before(async () => {
    shop = await openStore();
    sold = await shop.sell(orders.tv(4900, {cashier: "Rita"}));
    refused = await shop.sell(orders.tv(7701), {terminal: "caixa-02"});
    gift = await shop.sell(orders.egift(3000, {cashier: "1042"}));
});
after(() => shop.close());

const rows = (one) => one.page.$$eval("table.sales tbody tr", (all) => all.map((row) => row.dataset.key));
const shows = (one, ...sales) => until(`only ${sales.map(({id}) => id)} are shown`, async () => {
    const [shown, wanted] = [await rows(one), sales.map(({id}) => id)];
    return String([...shown].sort()) === String(wanted.sort());
});

byHand("a sale is found by whatever a person has of it", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    one.expected.add(404);
    await one.visit("sales");
    await shows(one, sold, refused, gift);
    const {nsuFornecedor: nsu} = sold.instrucao.recargaTV;
    const questions = [
        [sold.idExterno, "id_externo"], [sold.idTransacao, "id_externo"], [sold.id, "id_externo"], [nsu, "nsu"], ["49,00", "amount"], ["49,0", "amount"], ["R$ 49", "amount"], ["49", "amount"], ["Rita", "cashier"],
    ];
    for (const [text, meaning] of questions) {
        await hand.write(one, await one.page.waitForSelector("#q"), text);
        await hand.press(one, await one.find("button", t("sales.find")));
        await one.see(t(`meaning.${meaning}`));
        await shows(one, sold);
    }
    await hand.write(one, await one.page.waitForSelector("#q"), "caixa-02");
    await one.page.keyboard.press("Enter");
    await shows(one, refused);
    await hand.write(one, await one.page.waitForSelector("#q"), "1042");
    await one.page.keyboard.press("Enter");
    await shows(one, gift);
    await hand.write(one, await one.page.waitForSelector("#q"), "nada disso");
    await one.page.keyboard.press("Enter");
    await one.see(t("sales.none_found"), t("sales.none_found_more"));
});

scene("what is found far back stays found, is looked for once, and shows what became of it", async (enter) => {
    const one = await enter(shop, {as: "link"});
    const looks = await one.page.evaluate(async (id) => {
        const {Search} = await import("/lib/search.js");
        // The journal is so long that the first look ends before it comes to the sale, which is open when it is found.
        const asked = [];
        const answer = (address) => {
            asked.push(address);
            if (address === `/v1/sales/${id}`) return {id, status: "EFETIVADA", final: true};
            return address.includes("cursor") ? {sales: [{id, status: "PENDENTE", final: false}], next: null} : {sales: [], next: `${id.slice(0, -1)}Z`};
        };
        const real = window.fetch;
        window.fetch = async (address, how) => (address.includes("valor=77700") || address.endsWith(id) ? Response.json(answer(address)) : real(address, how));
        const search = new Search({q: "777,00"});
        const found = [];
        for (let look = 0; look < 4; ++look) {
            await search.renew(new AbortController().signal);
            found.push([search.pages.flat().map(({status}) => status).join(), asked.splice(0).length]);
        }
        return found;
    }, "01HZZZZZZZZZZZZZZZZZZZZZZ0");
    assert.deepEqual(looks, [["PENDENTE", 2], ["EFETIVADA", 2], ["EFETIVADA", 1], ["EFETIVADA", 1]]);
});

scene("a search that takes long holds up no other one", async (enter) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("sales");
    await one.page.evaluate(() => {
        const real = window.fetch;
        const never = ({signal}) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        window.fetch = (address, how) => (address.includes("valor=77700") ? never(how) : real(address, how));
        location.hash = "#/sales?q=777,00";
    });
    await one.page.waitForSelector(".results.old");
    await one.page.evaluate(() => (location.hash = "#/sales?q=caixa-02"));
    await shows(one, refused);
});

byHand("filters narrow the list, and are taken off together", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("sales");
    await hand.press(one, await one.page.waitForSelector(".filters summary"));
    await hand.pick(one, await one.page.waitForSelector("select[name=status]", {visible: true}), "NEGADA");
    await shows(one, refused);
    await hand.press(one, await one.find("link", t("sales.no_filters")));
    await shows(one, sold, refused, gift);
    await hand.pick(one, await one.page.waitForSelector("select[name=family]", {visible: true}), "egift");
    await shows(one, gift);
    await hand.press(one, await one.find("link", t("sales.no_filters")));
    await hand.pick(one, await one.page.waitForSelector("select[name=terminal]", {visible: true}), "caixa-02");
    await shows(one, refused);
    await hand.choose(one, await one.page.waitForSelector("input[name=attention]"));
    await one.see(t("sales.none_found"));
});

byHand("what is listed is added up by what became of it, and leaves as CSV as the filters stand", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("sales");
    await one.see(t("sales.sum.other", {number: "3"}));
    assert.match(await one.text(".sum .sold"), /R\$ 79,00 2$/);
    assert.match(await one.text(".sum .refused"), /R\$ 77,01 1$/);
    await hand.press(one, await one.page.waitForSelector(".filters summary"));
    await hand.pick(one, await one.page.waitForSelector("select[name=status]", {visible: true}), "EFETIVADA");
    await one.see(t("sales.sum.other", {number: "2"}));
    assert(!(await one.has(".sum .refused")));
    await one.page.evaluate(() => (URL.createObjectURL = (file) => ((window.file = file), "data:,")));
    await hand.press(one, await one.find("button", t("action.csv")));
    // Without the mark of its encoding a spreadsheet would not read its letters right.
    assert.deepEqual(await one.page.evaluate(async () => [...new Uint8Array(await window.file.arrayBuffer()).slice(0, 3)]), [0xef, 0xbb, 0xbf]);
    const lines = (await one.page.evaluate(() => window.file.text())).split("\r\n");
    assert.equal(lines[0], ["sales.when", "sales.product", "sales.family", "sales.amount", "sales.state", "sales.terminal", "sale.cashier", "sale.store", "sale.id_externo", "sale.id_transacao"].map((head) => `"${t(head)}"`).join(";"));
    assert.equal(lines.length, 4, lines.join("\n"));
    const [of] = lines.filter((line) => line.includes(sold.idExterno));
    assert.match(of, /^"\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d";"TV Mensal";/);
    for (const cell of [";49,00;", `"${t("status.EFETIVADA")}"`, '"Rita"', `"${sold.idTransacao}"`]) assert(of.includes(cell), `${cell} in ${of}`);
});

scene("no cell of a spreadsheet becomes a formula", async (enter) => {
    const one = await enter(shop, {as: "link", language: "en"});
    const text = await one.page.evaluate(async () => {
        const {amountCell, csvOf} = await import("/lib/csv.js");
        return csvOf(["=1+1"], [["a;-2", '"@x', "a=b", amountCell(123450)]]);
    });
    assert.equal(text, `"'=1+1"\r\n"a;'-2","""'@x","a=b",1234.50\r\n`);
});

byHand("the days of the store bound the list", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("sales");
    await hand.press(one, await one.page.waitForSelector(".filters summary"));
    await one.typeDay("input[name=from]", shop.today);
    await one.page.waitForFunction((day) => location.hash.includes(`from=${day}`), {}, shop.today);
    await one.see(t("sales.days_are_of_begin"));
    await shows(one, sold, refused, gift);
    await one.typeDay("input[name=until]", shop.dayAt(Date.now() - 86_400_000));
    await one.see(t("sales.none_found"));
    await hand.press(one, await one.find("link", t("sales.no_filters")));
    await shows(one, sold, refused, gift);
});

byHand("a sale tells its history from both sides", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    await one.visit("sales");
    await hand.press(one, await one.page.waitForSelector(`table.sales a[href="#/sale/${sold.id}"]`));
    await one.see(t("outcome.sold"), "R$ 49,00", t("event.solicitar"), t("verdict.authorised"), t("event.confirmar"), t("verdict.sold"), "Rita", sold.idTransacao);
    await hand.press(one, await one.find("link", t("sale.back")));
    await hand.press(one, await one.page.waitForSelector(`table.sales a[href="#/sale/${refused.id}"]`));
    await one.see(t("outcome.not_sold"), t("reason_code.refused"), "operacao recusada", t("sale.not_delivered"));
});

scene("the whole row of a sale leads to it", async (enter) => {
    for (const width of [360, 1280]) {
        const one = await enter(shop, {as: "link", width});
        await one.visit("sales");
        const row = await one.page.waitForSelector(`tr[data-key="${sold.id}"]`);
        await row.scrollIntoView();
        const box = await row.boundingBox();
        assert(box.height >= 44, `${box.height}`);
        await one.page.mouse.click(box.x + box.width - 8, box.y + box.height - 8);
        await one.see(t("history.title"), sold.idTransacao);
    }
});

byHand("an identifier is copied with one press", async (enter, hand) => {
    const one = await enter(shop, {as: "link"});
    await one.context.overridePermissions(shop.url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
    await one.visit(`sale/${sold.id}`);
    await hand.press(one, await one.find("button", t("action.copy_id", {id: sold.idTransacao})));
    await one.see(t("action.copied"));
    assert.equal(await one.page.evaluate(() => navigator.clipboard.readText()), sold.idTransacao);
});

scene("more than a page of sales is read on, and news do not lose the place", async (enter) => {
    const many = await openStore();
    after(() => many.close());
    for (let at = 0; at < 210; at += 15) await Promise.all(Array.from({length: 15}, () => many.sell(orders.egift(2500))));
    const one = await enter(many, {as: "link"});
    await one.visit("sales");
    await one.see(t("sales.found_more.other", {number: "200"}), t("sales.sum_of_shown.other", {number: "200"}), t("sales.csv_of_shown.other", {number: "200"}));
    assert.match(await one.text(".sum .sold"), /R\$ 5\.000,00 200$/);
    await (await one.find("button", t("sales.all"))).click();
    await one.see(t("sales.found.other", {number: "210"}), t("sales.sum.other", {number: "210"}));
    const place = await one.page.evaluate(() => {
        document.querySelector("table.sales tbody:last-of-type tr:last-child a").focus();
        return document.activeElement.hash;
    });
    await many.sell(orders.egift(9900));
    await one.see(t("sales.found.other", {number: "211"}));
    assert.match(await one.page.$eval("table.sales tbody tr", (row) => row.textContent), /99,00/);
    assert.equal(await one.page.evaluate(() => document.activeElement.hash), place);
});

scene("open sales are one outcome to look for, whichever status they have", async (enter) => {
    const open = await shop.sellDoubtful({cashier: "Iara"});
    const one = await enter(shop, {as: "link"});
    await one.visit("sales?status=open");
    await shows(one, open);
    await one.visit("sales?cashier=Iara");
    await shows(one, open);
    assert.equal(await one.page.$eval("input[name=cashier]", ({value}) => value), "Iara");
    await shop.admin("POST", `/v1/sales/${open.id}/resolve`, {status: "CANCELADA", note: "visto"});
    await one.visit("sales?status=open");
    await one.see(t("sales.none_found"));
});

scene("no part of a row lies over its neighbour at any width, and a finger hits what it means on a telephone", async (enter) => {
    const doubtful = await shop.sellDoubtful({cashier: "Maria Aparecida dos Santos"});
    const one = await enter(shop, {as: "link"});
    await one.visit("sales?status=open");
    await one.page.waitForSelector(`tr[data-key="${doubtful.id}"] .pill.warn`);
    for (const width of [320, 360, 480, 600, 768, 1000, 1280, 1440, 1920]) {
        await one.page.setViewport({width, height: 900});
        assert.deepEqual(await one.page.$$eval(".sales tbody tr", overlaps), [], `${width}`);
        if (width > 480) continue;
        const low = await one.page.$$eval("#main .button, #main summary, #main .sales tr", (all) => all.filter((part) => part.checkVisibility() && part.offsetHeight && part.offsetHeight < 44).map((part) => part.textContent));
        assert.deepEqual(low, [], `${width}`);
    }
    await shop.admin("POST", `/v1/sales/${doubtful.id}/resolve`, {status: "CANCELADA", note: "visto"});
});

// Returns the cells of each row whose content lies over that of another cell.
function overlaps(rows) {
    const boxOf = (cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return [...cell.querySelectorAll(".pill")].map((pill) => pill.getBoundingClientRect()).concat(...range.getClientRects());
    };
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return rows.flatMap((row) => {
        const cells = [...row.cells].filter((cell) => cell.offsetHeight > 0);
        return cells.flatMap((cell, index) => cells.slice(index + 1).filter((other) => boxOf(cell).some((a) => boxOf(other).some((b) => meet(a, b)))).map((other) => `${cell.className} ${other.className}`));
    });
}
