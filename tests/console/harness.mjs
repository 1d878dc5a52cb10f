// This makes a store for a test, and people in front of its console. The store is the real sandbox provider and the
// real gateway; the person is Debian's Chromium, with a mouse or with only a keyboard. Everything between the browser
// and the console goes over a wire that a test can read, cut and connect again.

import assert from "node:assert/strict";
import {execFile, execFileSync, spawn, spawnSync} from "node:child_process";
import {createHash, randomUUID} from "node:crypto";
import {closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import net from "node:net";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, test} from "node:test";
import {fileURLToPath} from "node:url";
import {promisify} from "node:util";

const {GATEWAY_BIN, SANDBOX_BIN, CHROMIUM, PACKAGES} = process.env;
assert(PACKAGES, "These tests are begun by tests/console/run.sh, which fetches what they need.");
const require = createRequire(path.join(PACKAGES, "package.json"));
const puppeteer = require("puppeteer-core");
const axe = require("axe-core").source;

// Nothing is timed here: this only ends a test that waits for something that never comes.
const patienceMs = 60_000;

// --- waiting ---

// Waiting does not help against this.
class Hopeless extends Error {}

// Returns the result of `look` as soon as it is something.
export async function until(what, look) {
    const end = Date.now() + patienceMs;
    let failure = null;
    while (Date.now() < end) {
        try {
            const found = await look();
            if (found) return found;
        } catch (error) {
            if (error instanceof Hopeless) throw error;
            failure = error;
        }
        await new Promise((go) => setTimeout(go, 50));
    }
    throw new Error(`never: ${what}${failure ? `; ${failure.stack}` : ""}`);
}

// --- the words of the pages ---

const folder = fileURLToPath(new URL("../../gateway/words/", import.meta.url));
export const languages = ["pt-BR", "en"];
export const words = Object.fromEntries(languages.map((name) => [name, JSON.parse(readFileSync(path.join(folder, `${name}.json`), "utf8"))]));

// Returns a text of the pages with its values. For a text that counts, the key ends with the form: "close.done.one".
export function t(key, values = {}, language = "pt-BR") {
    const form = key.slice(key.lastIndexOf(".") + 1);
    const found = words[language][key] ?? words[language][key.slice(0, -form.length - 1)]?.[form];
    assert.equal(typeof found, "string", `there is no text ${key}`);
    return found.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// --- what tills sell; the last two digits of an amount choose what the sandbox does ---

export const customer = {
    cpf: "111.444.777-35", nome: "Genoveva Tupinamba", email: "genoveva@segredo.example", nascimento: "13051977", telefone: 21998761234,
};
const address = {
    tipoEnderecoId: 1, cep: "20040-321", uf: "SP", cidade: "São Paulo", bairro: "Vila Oculta", tipoLogradouroId: 2,
    logradouro: "Ladeira do Esconderijo", numeroLogradouro: 1578, complemento: "conjunto 11",
};
export const card = "1000000002";
export const orders = {
    tv: (valor = 4900, more = {}) => ({family: "tv", produto: "TV Mensal", valor, cpf: customer.cpf, ...more}),
    egift: (valor = 5000, more = {}) => ({
        family: "egift", produto: "Moedas do Jogo", fornecedor: "Estudio Um", valor, tipoNegocio: 1, chaveProduto: "EG-MOEDAS", configuracaoId: "cfg-moedas-01", ...more,
    }),
    transit: (valor = 2000, more = {}) => ({
        family: "transit", produto: "Bilhete", numeroCartao: card, tipoCredito: "2", tipoProduto: "502", descricao: "Recarga livre", valor, ...more,
    }),
    health: (more = {}) => ({family: "health", produto: "Consulta", produtoIdParceiro: "7001", valor: 5990, ...more}),
    esim: (valor = 2990, more = {}) => ({
        family: "esim", produto: "Chip Virtual", consumidor: customer, endereco: address, servicoId: "301", valorRecarga: 1500, valor, ...more,
    }),
};

// --- programs ---

class Program {
    constructor(folder, name, command, args, environment = {}) {
        this.file = path.join(folder, `${name}.out`);
        const out = openSync(this.file, "a");
        this.child = spawn(command, args, {cwd: folder, stdio: ["ignore", out, out], env: {...process.env, ...environment}});
        closeSync(out);
        this.ended = new Promise((resolve) => this.child.once("exit", (code, signal) => resolve(signal ?? code)));
        this.ended.then((how) => (this.how = how));
        running.add(this);
        this.ended.then(() => running.delete(this));
    }

    get text() {
        return readFileSync(this.file, "utf8");
    }

    async says(pattern) {
        return until(`${this.file} says ${pattern}`, () => {
            if (this.how !== undefined) throw new Hopeless(`${this.file} has ended: ${this.text.slice(-2000)}`);
            return this.text.match(pattern);
        });
    }

    async end(signal = "SIGTERM") {
        this.child.kill(signal);
        return this.ended;
    }
}

const running = new Set();
process.on("exit", () => running.forEach((program) => program.child.kill("SIGKILL")));

// Connections to one address are passed on to another, which may change; all of them can be cut.
class Wire {
    #sockets = new Set();
    #isTied = true;
    #said = [];
    target = 0;

    async open() {
        this.server = net.createServer((near) => this.#join(near));
        await new Promise((go) => this.server.listen(0, "127.0.0.1", go));
        this.url = `http://127.0.0.1:${this.server.address().port}`;
        return this;
    }

    #join(near) {
        if (!this.#isTied) return near.destroy();
        const far = net.connect(this.target, "127.0.0.1");
        for (const [socket, other] of [[near, far], [far, near]]) {
            this.#sockets.add(socket);
            socket.on("error", () => other.destroy());
            socket.on("close", () => this.#sockets.delete(socket) && other.destroy());
        }
        far.on("data", (bytes) => this.#said.push(bytes));
        near.pipe(far);
        far.pipe(near);
        return undefined;
    }

    // Returns everything that was sent to the browser, as it was sent.
    get said() {
        return Buffer.concat(this.#said).toString("utf8");
    }

    forget() {
        this.#said = [];
    }

    cut({forGood = false} = {}) {
        this.#isTied = !forGood;
        for (const socket of this.#sockets) socket.destroy();
    }

    tie() {
        this.#isTied = true;
    }

    close() {
        this.cut({forGood: true});
        return new Promise((go) => this.server.close(go));
    }
}

// --- the store ---

const keyOf = (terminal) => `terminal-key-of-${terminal}-77ab12`;
export const store = {main: "12345678", other: "87654321"};
export const people = {ana: {password: "a senha da Ana", role: "settle"}, leo: {password: "o segredo do Leo", role: "look"}};
const quick = {"--slow": "300ms", "--late-arrival": "30ms", "--callback-delay": "20ms", "--callback-late": "300ms", "--callback-retry": "50ms"};

// This is a zone in which it is about noon, so that no test meets midnight.
const zone = () => {
    const ahead = new Date().getUTCHours() - 12;
    return ahead === 0 ? "Etc/GMT" : `Etc/GMT${ahead > 0 ? "+" : "-"}${Math.abs(ahead)}`;
};

const toml = (document) => Object.entries(document).flatMap(([section, tables]) => [tables].flat().map((table) => [
    Array.isArray(tables) ? `[[${section}]]` : `[${section}]`,
    ...Object.entries(table).map(([key, value]) => `${JSON.stringify(key)} = ${JSON.stringify(value)}`), "",
].join("\n"))).join("\n");

const stores = new Set();

class Store {
    constructor(folder) {
        stores.add(this);
        this.folder = folder;
        this.file = path.join(folder, "gateway.toml");
    }

    async open(config, sandbox) {
        this.callbacks = await new Wire().open();
        this.wire = await new Wire().open();
        this.sandboxOptions = {...quick, ...sandbox};
        await this.startProvider("127.0.0.1:0");
        writeFileSync(path.join(this.folder, "secret"), "app-secret-5d20b8e4\n", {mode: 0o600});
        const document = {
            listen: {terminals: "127.0.0.1:0", callbacks: "127.0.0.1:0", admin: "127.0.0.1:0", console: "127.0.0.1:0"},
            provider: {
                base_url: this.provider, auth_url: this.provider, app_key: "app-key-9f31c7", app_secret_file: path.join(this.folder, "secret"),
                scopes: ["Venda_TvPrePaga", "Venda_Egift", "Venda_Transit", "Venda_Voucher", "Venda_Telecom"], estabelecimento: store.main,
                connect_timeout: "1s", request_timeout: "3s", callback_url: this.callbacks.url,
            },
            store: {timezone: zone()},
            sale: {confirm_window: "4s", late_arrival: "50ms", attention_after: "100ms"},
            limits: {sell_wait: "30s", per_terminal_rate: 1000, drain: "5s"},
            journal: {path: path.join(this.folder, "journal.db")},
            terminals: ["caixa-01", "caixa-02", "caixa-b-01"].map((id) => ({
                id, key_sha256: createHash("sha256").update(keyOf(id)).digest("hex"), ...(id === "caixa-b-01" ? {estabelecimento: store.other} : {}),
            })),
            operators: Object.entries(people).map(([name, {password, role}]) => ({name, password: hashOf(password), role})),
        };
        for (const [key, value] of Object.entries(config)) {
            const [section, name] = [key.slice(0, key.lastIndexOf(".")), key.slice(key.lastIndexOf(".") + 1)];
            document[section] = {...document[section], [name]: value};
        }
        this.timezone = document.store.timezone;
        writeFileSync(this.file, toml(document), {mode: 0o600});
        await this.start();
        return this;
    }

    async startProvider(listen) {
        const args = ["--listen", listen, "--app-key", "app-key-9f31c7", "--app-secret", "app-secret-5d20b8e4", ...Object.values(store).flatMap((one) => ["--estabelecimento", one])];
        this.sandboxProgram = new Program(this.folder, `sandbox-${randomUUID()}`, SANDBOX_BIN, [...args, ...Object.entries(this.sandboxOptions).flat()]);
        [, this.provider] = await this.sandboxProgram.says(/listening on (http:\/\/\S+)/);
    }

    async providerGoesAway() {
        await this.sandboxProgram.end("SIGKILL");
    }

    async start() {
        this.gateway = new Program(this.folder, `gateway-${randomUUID()}`, GATEWAY_BIN, ["--config", this.file]);
        await this.gateway.says(/"event":"started"/);
        this.ports = Object.fromEntries(this.log.filter(({event}) => event === "listening").map(({listener, port}) => [listener, port]));
        this.callbacks.target = this.ports.callbacks;
        this.wire.target = this.ports.console;
        await until("the gateway is ready", async () => (await this.admin("GET", "/readyz")).status === 200);
    }

    async restart(signal = "SIGKILL") {
        await this.gateway.end(signal);
        await this.start();
    }

    get log() {
        return this.gateway.text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    }

    // This is the console's address for the browser.
    get url() {
        return this.wire.url;
    }

    get today() {
        return this.dayAt(new Date());
    }

    dayAt(time) {
        return new Intl.DateTimeFormat("en-CA", {timeZone: this.timezone, year: "numeric", month: "2-digit", day: "2-digit"}).format(time);
    }

    async link() {
        const {stdout} = await promisify(execFile)(GATEWAY_BIN, ["console", "--admin", `127.0.0.1:${this.ports.admin}`]);
        return `${this.url}/${stdout.trim().match(/#.*/)[0]}`;
    }

    admin(method, address, body) {
        return call(`http://127.0.0.1:${this.ports.admin}`, method, address, body);
    }

    // Returns the cookie of a new session, as a browser gets it: for a name of `people`, or by a link of the box. It
    // uses the browser's address, whose port is in the cookie's name.
    async session(as, origin) {
        const shown = as === "link" ? {link: (await this.link()).split("=")[1]} : {name: as, password: people[as].password};
        const answer = await call(origin, "POST", "/console/session", shown, {Origin: origin});
        const [pair, ...rules] = answer.headers.get("Set-Cookie").split("; ");
        const [name, value] = pair.split("=");
        const [, path] = rules.join(" ").match(/Path=(\S+)/) ?? [];
        const [, sameSite] = rules.join(" ").match(/SameSite=(\S+)/) ?? [];
        return {name, value, domain: "127.0.0.1", path, sameSite, httpOnly: rules.includes("HttpOnly")};
    }

    // Asks the console as a program other than a browser would.
    console(method, address, body, headers, signal) {
        return call(`http://127.0.0.1:${this.ports.console}`, method, address, body, headers, signal);
    }

    till(terminal, method, address, body, headers = {}) {
        return call(`http://127.0.0.1:${this.ports.terminals}`, method, address, body, {Authorization: `Bearer ${keyOf(terminal)}`, ...headers});
    }

    // Waits for the sale to be final, whatever became of it.
    async sell(order, {terminal = "caixa-01", wait} = {}) {
        const headers = {"Idempotency-Key": randomUUID(), ...(wait === undefined ? {} : {Prefer: `wait=${wait}`})};
        const {status, json} = await this.till(terminal, "POST", "/v1/sell", order, headers);
        assert(json.sale ?? json.id, `${status} ${JSON.stringify(json)}`);
        return json.sale ?? json;
    }

    async sale(id) {
        return (await this.admin("GET", `/v1/sales/${id}`)).json;
    }

    async saleUntil(id, what, holds) {
        return until(`the sale ${id} is ${what}`, async () => {
            const sale = await this.sale(id);
            return holds(sale) && sale;
        });
    }

    // Makes a sale that the provider sold and never told about: it waits for a person.
    async sellDoubtful(more) {
        const {id} = await this.sell(orders.esim(2935, more));
        return this.saleUntil(id, "for a person", ({attention}) => attention);
    }

    // Makes a sale whose answer was lost, of a family that has no cancel: the provider may keep it, so it waits for a
    // person.
    async sellUncancelled() {
        await this.sandbox("PUT", "/sandbox/faults", [{step: "solicitar", behaviour: "lose_answer", family: "health", times: 1}]);
        const {id} = await this.sell(orders.health());
        return this.saleUntil(id, "for a person", ({attention}) => attention);
    }

    sandbox(method, address, body) {
        return call(this.provider, method, address, body);
    }

    async statement(query) {
        return (await this.sandbox("GET", `/sandbox/statement?${new URLSearchParams(query)}`)).text;
    }

    async drop() {
        stores.delete(this);
        const how = await this.gateway?.end();
        await Promise.all([this.sandboxProgram?.end(), this.wire?.close(), this.callbacks?.close()]);
        return how;
    }

    async close() {
        const how = await this.drop();
        assert.equal(how, 0, `the gateway ended with ${how}: ${this.gateway.text.slice(-2000)}`);
        rmSync(this.folder, {recursive: true, force: true});
    }
}

const hashes = new Map();
function hashOf(password) {
    if (!hashes.has(password)) {
        const {stdout} = spawnSync(GATEWAY_BIN, ["new-operator", "x"], {input: `${password}\n`, encoding: "utf8"});
        hashes.set(password, stdout.match(/password = "(.*)"/)[1]);
    }
    return hashes.get(password);
}

async function call(origin, method, address, body, headers = {}, signal = undefined) {
    const type = body === undefined ? {} : {"Content-Type": "application/json"};
    const answer = await fetch(origin + address, {method, headers: {...type, ...headers}, body: body === undefined ? undefined : JSON.stringify(body), signal});
    const text = await answer.text();
    return {status: answer.status, headers: answer.headers, text, json: /json/.test(answer.headers.get("Content-Type") ?? "") ? JSON.parse(text) : null};
}

// Makes the store of a file of tests: `config` are dotted keys of its configuration, and `sandbox` options of the
// provider.
export async function openStore({config = {}, sandbox = {}} = {}) {
    const shop = new Store(mkdtempSync(path.join(tmpdir(), "console-")));
    try {
        return await shop.open(config, sandbox);
    } catch (failure) {
        await shop.drop();
        throw failure;
    }
}

// --- the browser ---

const flags = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    // An attacker leads this name to this machine; no other name is found.
    "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

let browser = null;
// The browser's zone is not the store's: a page must show the store's time.
async function openBrowser() {
    browser ??= await puppeteer.launch({
        executablePath: CHROMIUM, args: flags, env: {...process.env, TZ: "Asia/Tokyo", LANGUAGE: "en_US"}, protocolTimeout: 3 * patienceMs,
        ignoreDefaultArgs: ["--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints,ProcessPerSiteUpToMainFrameThreshold,IsolateSandboxedIframes"],
    });
    return browser;
}

// If a test could not close its store, node would never end.
after(async () => {
    await browser?.close();
    await Promise.all([...stores].map((shop) => shop.drop()));
});

// This is a person before the console. It notes everything that must never be seen on any page, and check() reports it.
export class Visitor {
    complaints = [];
    // This visitor brings about these statuses. A search asks for whatever a text may mean, and is refused where it
    // means nothing.
    expected = new Set([401, 422]);

    constructor(context, page, origin) {
        Object.assign(this, {context, page, origin});
        page.setDefaultTimeout(patienceMs);
        page.on("console", (message) => this.#heard(message));
        page.on("pageerror", (error) => this.complaints.push(`error of the page: ${error?.stack ?? error}`));
        page.on("request", (request) => this.#asked(request));
    }

    #heard(message) {
        if (!["error", "warn"].includes(message.type())) return;
        const text = message.text();
        const status = text.match(/status of (\d+)/)?.[1];
        if (status && this.expected.has(Number(status))) return;
        if (this.isCut && /net::ERR_/.test(text)) return;
        this.complaints.push(`console: ${text} (${message.location().url})`);
    }

    #asked(request) {
        const {protocol, origin} = new URL(request.url());
        if (!["data:", "blob:", "about:"].includes(protocol) && origin !== this.origin) this.complaints.push(`request elsewhere: ${request.url()}`);
    }

    check() {
        assert.deepEqual(this.complaints, []);
    }

    // --- where the person goes ---

    async open(address) {
        await this.page.goto(`${this.origin}/${address}`);
    }

    // Opens a page by its address, and waits until it shows what it is about.
    async visit(address) {
        await this.page.goto(`${this.origin}/#/${address}`);
        await this.settled();
    }

    async settled() {
        await this.page.waitForFunction(() => document.querySelector(".shell #main h1") && !document.querySelector("[aria-busy=true]"));
    }

    // --- what the person sees ---

    // Returns the element with this role and this name, as a screen reader finds it.
    async find(role, name, within = "") {
        return this.page.waitForSelector(`${within}::-p-aria([name="${name.replaceAll('"', '\\"')}"][role="${role}"])`, {visible: true});
    }

    async see(...texts) {
        for (const text of texts) {
            const wanted = String(text);
            await this.page.waitForFunction((looked) => document.body.innerText.replace(/\s+/g, " ").includes(looked), {}, wanted.replace(/\s+/g, " ")).catch(async (error) => {
                throw new Error(`never seen: ${wanted}; but: ${await this.text()} (${error.message})`);
            });
        }
    }

    // Answers for the gateway what it cannot be made to say in a test: the answer to a call that begins so, such as
    // "GET /v1/sales".
    async pretend(beginning, body, status = 200) {
        await this.page.evaluate((wanted, text, code) => {
            const real = window.fetch;
            window.fetch = (address, how) => (`${how?.method} ${address}`.startsWith(wanted) ? Promise.resolve(new Response(text, {status: code})) : real(address, how));
        }, beginning, JSON.stringify(body), status);
    }

    async text(selector = "body") {
        return this.page.$eval(selector, (element) => element.innerText.replace(/\s+/g, " "));
    }

    has(selector) {
        return this.page.$(selector).then(Boolean);
    }

    async gone(selector) {
        await this.page.waitForFunction((looked) => !document.querySelector(looked), {}, selector);
    }

    // Types a day into the field, digit by digit, in the order of a date in English, the browser's own language.
    async typeDay(selector, date) {
        const [year, month, day] = date.split("-");
        await (await this.page.waitForSelector(selector, {visible: true})).focus();
        await this.page.keyboard.type(`${month}${day}${year}`);
    }

    focused() {
        return this.page.evaluate(() => document.activeElement.innerText || document.activeElement.name || document.activeElement.tagName);
    }

    // --- what no page may have ---

    // Returns what seriously hinders people, by all rules of axe or by some.
    async accessible(what, rules = null) {
        await this.page.evaluate(`window.axe ?? (() => { ${axe} })()`);
        const found = await this.page.evaluate((runOnly) => window.axe.run(document, {resultTypes: ["violations"], ...(runOnly && {runOnly})}), rules);
        const serious = found.violations.filter(({impact}) => ["serious", "critical"].includes(impact));
        assert.deepEqual(serious.map(({id, help, nodes}) => `${what}: ${id}: ${help}: ${nodes.map(({html}) => html.slice(0, 200)).join(" | ")}`), []);
    }

    // Checks that nothing reaches out of the page to the right.
    async fits(what) {
        const wide = await this.page.evaluate(() => {
            const limit = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= limit) return [];
            return [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > limit + 1)
                .map((one) => `${one.tagName}.${one.getAttribute("class") ?? ""}: ${one.textContent.slice(0, 60)}`).slice(-5);
        });
        assert.deepEqual(wide, [], `${what} is wider than the window`);
    }

    // Makes a picture of the page, or of the part of it that the window shows.
    async shoot(file, fullPage = true) {
        mkdirSync(path.dirname(file), {recursive: true});
        await this.page.screenshot({path: file, fullPage});
    }
}

// Opens the console's address in a browser of one's own. `as` is a name of `people`, or "link", and has signed in
// already; without it nobody is signed in. The language is chosen before, as by a person who was here earlier.
export async function visitor(shop, {as = null, language = "pt-BR", width = 1280, height = 900, theme = "light", origin = shop.url} = {}) {
    const context = await (await openBrowser()).createBrowserContext();
    const page = await context.newPage();
    const one = new Visitor(context, page, origin);
    await page.setViewport({width, height});
    await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: theme}]);
    if (language) await page.evaluateOnNewDocument((name) => localStorage.getItem("language") ?? localStorage.setItem("language", name), language);
    if (as) {
        await context.setCookie(await shop.session(as, origin));
        await one.open("");
        await one.settled();
    }
    return one;
}

export async function signIn(one, name, password, language = "pt-BR") {
    await (await one.find("textbox", t("signin.name", {}, language))).type(name);
    await one.page.type("input[type=password]", password);
    await one.page.keyboard.press("Enter");
}

// Returns what the printer would get: the words on the paper, and how wide it is.
export async function printed(one, press) {
    await one.page.evaluate(() => Object.assign(window, {isPrinted: false, print: () => (window.isPrinted = true)}));
    await press();
    await one.page.waitForFunction(() => window.isPrinted);
    const file = path.join(mkdtempSync(path.join(tmpdir(), "console-paper-")), "paper.pdf");
    await one.page.pdf({path: file, preferCSSPageSize: true});
    const [text, facts] = [execFileSync("pdftotext", ["-layout", file, "-"]), execFileSync("pdfinfo", [file])].map(String);
    rmSync(path.dirname(file), {recursive: true});
    const [, width] = facts.match(/Page size: +([\d.]+) x/);
    return {text: text.replace(/\s+/g, " "), widthMm: Math.round((Number(width) * 25.4) / 72), pages: Number(facts.match(/Pages: +(\d+)/)[1])};
}

// --- mouse and keyboard ---

// Mouse and keyboard do the same things, so a flow that is written once is run with each.
export const mouse = {
    name: "mouse",
    async press(one, element) {
        await element.scrollIntoView();
        await element.click();
    },
    async write(one, element, text) {
        await element.click({count: 3});
        await one.page.keyboard.type(text);
    },
    choose: (one, element) => element.click(),
    pick: (one, element, value) => element.select(value),
    // Cancels a dialog.
    async refuse(one, label) {
        await (await one.find("button", label, "dialog ")).click();
    },
};

export const keyboard = {
    name: "keyboard",
    async press(one, element) {
        await reach(one, element);
        await one.page.keyboard.press("Enter");
    },
    async write(one, element, text) {
        await reach(one, element);
        await one.page.keyboard.down("Control");
        await one.page.keyboard.press("a");
        await one.page.keyboard.up("Control");
        await one.page.keyboard.type(text);
    },
    async choose(one, element) {
        await reach(one, element);
        if (await isFocused(element)) await one.page.keyboard.press("Space");
        // Tab reaches one of the radio buttons, and arrows lead to the others.
        else while (!(await isFocused(element))) await one.page.keyboard.press("ArrowDown");
    },
    async pick(one, element, value) {
        await reach(one, element);
        const label = await element.evaluate((list, wanted) => [...list.options].find((option) => option.value === wanted).text, value);
        await one.page.keyboard.type(label);
    },
    refuse: (one) => one.page.keyboard.press("Escape"),
};

const isFocused = (element) => element.evaluate((wanted) => wanted === document.activeElement);

// Presses Tab as often as needed; the focus must be visible wherever it comes to.
async function reach(one, element) {
    const isThere = () => element.evaluate((wanted) => {
        const {activeElement: now} = document;
        return now === wanted || (now.type === "radio" && wanted.type === "radio" && now.name === wanted.name && now.form === wanted.form);
    });
    for (let presses = 0; !(await isThere()); ++presses) {
        assert(presses < 300, `Tab never comes to ${await element.evaluate((wanted) => wanted.outerHTML.slice(0, 200))}`);
        await one.page.keyboard.press("Tab");
    }
    const isSeen = await element.evaluate(() => {
        const ring = getComputedStyle(document.activeElement);
        const around = getComputedStyle(document.activeElement.closest("label") ?? document.activeElement);
        return [ring, around].some(({outlineStyle, boxShadow}) => outlineStyle !== "none" || boxShadow !== "none");
    });
    assert(isSeen, `the focus is not seen on ${await element.evaluate((wanted) => wanted.outerHTML.slice(0, 200))}`);
}

// --- tests ---

// Runs a test with people in it, who must not see what nobody may see. If it fails, the last thing that they saw is
// kept.
export function scene(name, play) {
    test(name, async () => {
        const people = [];
        const enter = async (...how) => {
            people.push(await visitor(...how));
            return people.at(-1);
        };
        try {
            await play(enter);
            people.forEach((one) => one.check());
        } catch (failure) {
            const folder = path.join(PACKAGES, "..", "failed");
            await Promise.all(people.map((one, index) => one.shoot(path.join(folder, `${name.replace(/\W+/g, "-")}-${index}.png`), false).catch(() => null)));
            failure.message += `\nWhat was on the screen is in ${folder}. ${people.map(({complaints}) => complaints.join("; ")).join("; ")}`;
            throw failure;
        } finally {
            await Promise.all(people.map(({context}) => context.close().catch(() => null)));
        }
    });
}

// long.sh asks for this, which takes longer than an everyday test may.
export const isThorough = Boolean(process.env.THOROUGH);

// Runs the same test with only the keyboard, the stricter of the two, and also with the mouse if there is time.
export function byHand(name, play) {
    for (const hand of isThorough ? [mouse, keyboard] : [keyboard]) scene(`${name}, by ${hand.name}`, (enter) => play(enter, hand));
}
