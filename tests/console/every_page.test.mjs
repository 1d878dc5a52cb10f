// This holds for every page: its rules forbid nothing on it, it has no barrier for anybody, every text is in a language
// file, and no text takes room beyond the window.
import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {isThorough, languages, scene, t, words} from "./harness.mjs";
import {situations} from "./situations.mjs";

// Trouble shows the most; the others run if there is time.
const looked = Object.entries(situations).filter(([name]) => isThorough || name === "trouble");

const stores = {};
before(async () => {
    for (const [name, make] of looked) stores[name] = await make();
});
after(() => Promise.all(Object.values(stores).map(({shop}) => shop.close())));

test("both languages have the same texts, with the same forms and the same gaps", () => {
    const [one, other] = languages.map((name) => words[name]);
    assert.deepEqual(Object.keys(one), Object.keys(other));
    const gaps = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort().filter((name, at, all) => name !== all[at - 1]).join();
    for (const key of Object.keys(one)) {
        const [mine, theirs] = [one[key], other[key]];
        assert.equal(typeof mine, typeof theirs, key);
        if (typeof mine === "string") assert.equal(gaps(mine), gaps(theirs), key);
        else assert(mine.other && theirs.other && mine.one && theirs.one, key);
    }
});

for (const [situation] of looked) {
    scene(`${situation}: no barrier on any page, light or dark, and no rule of the page broken`, async (enter) => {
        const {shop, pages} = stores[situation];
        for (const theme of ["light", "dark"]) {
            const one = await enter(shop, {as: "link", theme});
            for (const page of pages) {
                await one.visit(page);
                await one.page.$$eval("#main details", (all) => all.forEach((details) => (details.open = true)));
                // Of everything that axe checks, only contrast differs in the dark.
                await one.accessible(`${situation}, ${theme}, ${page}`, theme === "dark" ? ["color-contrast"] : null);
            }
        }
        const door = await enter(shop);
        await door.open("");
        await door.page.waitForSelector("main.signin");
        await door.accessible(`${situation}: the door`);
    });

    scene(`${situation}: every page fits a window of 320 pixels`, async (enter) => {
        const {shop, pages} = stores[situation];
        const one = await enter(shop, {as: "link", width: 320, height: 640});
        for (const page of pages) {
            await one.visit(page);
            await one.fits(page);
            await one.page.$$eval("#main details", (all) => all.forEach((details) => (details.open = true)));
            await one.fits(`${page}, unfolded`);
        }
    });

    scene(`${situation}: every text comes from the words, or is data`, async (enter) => {
        const {shop, pages} = stores[situation];
        for (const language of languages) {
            const one = await enter(shop, {as: "link", language});
            const data = [];
            one.page.on("requestfinished", (request) => {
                const answer = request.response();
                if (/json/.test(answer.headers()["content-type"] ?? "") && !/\/words\//.test(answer.url())) data.push(answer.json().catch(() => null));
            });
            await one.page.reload();
            for (const page of pages) {
                await one.visit(page);
                const strange = strangeTexts(await one.page.evaluate(textsOfPage), language, await Promise.all(data));
                assert.deepEqual(strange, [], `${situation}, ${language}, ${page}`);
            }
        }
    });
}

scene("what strangers write is shown as they wrote it, and nothing of it is run", async (enter) => {
    const {shop, pages} = stores.trouble;
    const one = await enter(shop, {as: "link"});
    let shown = "";
    for (const page of pages) {
        await one.visit(page);
        shown += await one.page.evaluate(() => document.body.textContent);
        assert.equal(await one.page.evaluate(() => window.hostile), undefined, `${page} runs it`);
        assert.equal(await one.page.$$eval("#app script, #app img[src=x]", (all) => all.length), 0, `${page} makes elements of it`);
    }
    for (const where of ["<script>window.hostile=1</script>", "caixa ", "W".repeat(100)]) assert(shown.includes(where), `${where} is nowhere: the test tries nothing`);
});

// This store has neither a name, a CNPJ and a colour, nor the provider's telephone.
scene("what the configuration leaves out leaves no hole on any page", async (enter) => {
    const {shop, pages} = stores.trouble;
    const one = await enter(shop, {as: "link"});
    const door = await enter(shop);
    await door.open("");
    await door.page.waitForSelector("main.signin");
    assert.deepEqual(await door.page.evaluate(holesOfPage, t("advice.phone")), [], "the door");
    for (const page of pages) {
        await one.visit(page);
        assert.equal(await one.text(".head .brand"), t("shell.name"), page);
        assert.deepEqual(await one.page.evaluate(holesOfPage, t("advice.phone")), [], page);
    }
});

// Returns what stands on the page for nothing: a label without what it names, and a part of the store's own.
function holesOfPage(phone) {
    const isEmpty = (element) => element.textContent.trim() === "" && !element.querySelector("input, button, svg, img");
    const empty = [...document.querySelectorAll("dt, dd, h1, h2, h3, th, summary, label")].filter(isEmpty);
    const own = [...document.querySelectorAll(".brand-cnpj, .letterhead, .monogram, .phone, [data-colour]")];
    const labels = [...document.querySelectorAll("p, span")].filter(({textContent}) => [phone, "CNPJ"].includes(textContent.trim()));
    const texts = /\b(undefined|null|NaN)\b/.exec(document.body.textContent) ?? [];
    return [...[...empty, ...own, ...labels].map((element) => element.outerHTML.slice(0, 200)), ...texts.slice(0, 1)];
}

// Returns every text of the page, and every attribute that is read or shown.
function textsOfPage() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [document.title];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    for (const one of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
        texts.push(...["aria-label", "title", "placeholder", "alt"].map((name) => one.getAttribute(name)).filter(Boolean));
    }
    return [...new Set(texts.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text)))];
}

const plain = (text) => text.normalize().replace(/\s+/g, " ").toLowerCase();
const lettersOf = (text) => plain(text).match(/\p{L}+/gu) ?? [];

// Returns the texts of an answer. The name of a member counts only if it is a terminal's or the like, and not a word of
// the interface.
function stringsIn(value) {
    if (typeof value === "string") return [value];
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([name, one]) => [...(/[\d-]/.test(name) ? [name] : []), ...stringsIn(one)]);
}

// These are the letters of dates, times, amounts and lengths of time.
function wordsOfDates(language) {
    const found = new Set(["R$", "HTTP", "NSU", "idTransacao", "p50", "GMT", "BRT"]);
    // These are every month, and every day of the week.
    const times = Array.from({length: 12}, (_, month) => new Date(Date.UTC(2026, month, 1, 15))).concat(Array.from({length: 7}, (_, day) => new Date(Date.UTC(2026, 1, 1 + day, 15))));
    for (const style of ["full", "long", "medium"]) {
        for (const time of times) found.add(new Intl.DateTimeFormat(language, {dateStyle: style, timeStyle: "long", timeZone: "America/Sao_Paulo"}).format(time)).add(new Intl.DateTimeFormat(language, {dateStyle: style, timeZone: "UTC"}).format(time));
    }
    for (const hour12 of [3, 15]) found.add(new Intl.DateTimeFormat(language, {day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit"}).format(new Date(2026, 4, 2, hour12)));
    for (const unit of ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "millisecond", "second", "minute", "hour", "day"]) {
        for (const value of [1, 2]) found.add(new Intl.NumberFormat(language, {style: "unit", unit, unitDisplay: "short"}).format(value));
    }
    for (const unit of ["second", "minute", "hour", "day"]) {
        for (const value of [0, -1, 1, -2, 2, -9, 9]) found.add(new Intl.RelativeTimeFormat(language, {numeric: "auto"}).format(value, unit));
    }
    return [...found].flatMap(lettersOf);
}

// Says whether the piece stands by itself, and is no part of a longer word.
function whole(piece) {
    const [before, behind] = [/^\p{L}/u.test(piece) ? "(?<!\\p{L})" : "", /\p{L}$/u.test(piece) ? "(?!\\p{L})" : ""];
    return new RegExp(before + piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + behind, "gu");
}

// Returns what is left of each text when everything allowed is removed: pieces of the words, whole texts of the data or
// their beginnings, and the words of dates.
function strangeTexts(texts, language, data) {
    const pieces = Object.values(words[language]).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry))).flatMap((text) => text.split(/\{\w+\}/)).map((piece) => plain(piece).trim());
    const known = [...new Set(pieces)].filter((piece) => /\p{L}/u.test(piece)).sort((a, b) => b.length - a.length).map(whole);
    const others = languages.filter((name) => name !== language).map((name) => plain(words[language][`language.${name}`]));
    const told = plain(data.flatMap(stringsIn).join("\n"));
    const allowed = new Set([...wordsOfDates(language), ...lettersOf(told)]);
    return texts.filter((text) => {
        let left = plain(text);
        if (told.includes(left.replace(/…$/, "")) || others.includes(left)) return false;
        for (const piece of known) left = left.replaceAll(piece, " ");
        return lettersOf(left).some((word) => !allowed.has(word));
    });
}
