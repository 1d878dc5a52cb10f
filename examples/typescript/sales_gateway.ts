// This is a client of the sales gateway for tills. Copy it: it needs Node.js 18 or newer and nothing besides.
//     const gateway = new SalesGateway(["http://192.168.1.2:8080"], key, "open-sales", print);
//     await gateway.settle();                         // at every start: finishes what is on disk
//     const result = await gateway.sell({ family: "tv", produto: "TV Mensal", valor: 4990, cpf: "529.982.247-25" });
//     if (result.outcome === "sold") …                // and the receipt has been printed
// A sale is a file in the folder before the gateway hears of it, and until its receipt is printed. After a crash or a
// power cut the next settle() goes on with it under the same key, so it is sold once. If the folder is empty, nothing
// is open. It belongs to one running program. NODE_EXTRA_CA_CERTS names a private authority for https.
// Copyright 2026 The sales-gateway authors. Apache License 2.0.

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, truncate } from "node:fs/promises";
import * as http from "node:http";
import * as https from "node:https";
import { dirname, join, parse, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const CONNECT_MS = 5_000, CALL_MS = 40_000, WAIT = "wait=25";  // a call may take longer than the gateway's wait
const TRIES = 12, FIRST_PAUSE_MS = 200, LONGEST_PAUSE_MS = 5_000;  // tries are rounds; settle() goes on later

// This is what is sold, in the provider's words. Amounts are cents.
export type Cents = number | string;
type Common = { produto: string; estabelecimento?: string; cashier?: string; repeat?: boolean };
type Holdable = Common & { confirm?: "auto" | "manual" };  // manual: the sale is held until paid() has answered
export type Order =
    | Holdable & { family: "tv"; valor: Cents; cpf: string; fornecedor?: string }
    | Holdable & { family: "tv"; id_valor: string; fornecedor?: string }
    | Holdable & { family: "egift"; fornecedor: string; valor: Cents; tipoNegocio: number;
        chaveProduto: string; configuracaoId: string; nomeMenu?: string }
    | Holdable & { family: "transit"; numeroCartao: string; tipoCredito: string; tipoProduto: string;
        descricao: string; valor: Cents; quantidade?: number | string; transit?: string }
    | Holdable & { family: "health"; produtoIdParceiro: string; valor: Cents; health?: string }
    | Common & { family: "esim"; consumidor: Customer; endereco: Address; servicoId: string; valorRecarga: number;
        valor: Cents; confirm?: "auto" };
export type Address = { tipoEnderecoId: number; cep: string; uf: string; cidade: string; bairro: string;
    tipoLogradouroId: number; logradouro: string; numeroLogradouro: number; complemento?: string };
export type Customer = { cpf: string; nome: string; email: string; nascimento: string; telefone: number;
    endereco?: Address };

// This is the gateway's answer as far as a till reads it; /openapi.json has all. Only a Problem has `code`.
export type Family = Order["family"];
export type Outcome = "sold" | "not_sold" | "held" | "pending";
export type NotSold = { outcome: "not_sold" };  // it was cancelled by its key, before it was a sale
export type Sale = { id: string; outcome: Outcome; family: Family; produto: string; valor: number; idExterno: string;
    status: string; reason: { code: string; detail: string } | null; receipt: string[] | null };
export type Problem = { status: number; code: string; detail: string; sale?: Sale;
    errors?: { pointer: string; detail: string }[]; existing?: { id: string; outcome: Outcome; createdAt: string } };
export type Options = { family: Family; stale: boolean; options: {
    label: string; sell: Partial<Order>; needs: string[];  // `needs` names what has to be added to `sell`
    valor: { fixed: number } | { min: number; max: number } | { unit: number; minQuantity: number; maxQuantity: number }
}[] };
export type Menu = { detail: string; families: { family: Family; options: string;
    products: { label: string; options?: string; sell?: Partial<Order>; needs: string[] }[] }[] };

// `printed` says whether the receipt is on paper, `detail` explains the outcome, and `answer` is the JSON that does so.
export type Result = { key: string; outcome: Exclude<Outcome, "held">; saleId: string | null; printed: boolean;
    detail: string; answer: Sale | Problem | NotSold | null };
export type Paid = (held: Sale | null) => boolean | Promise<boolean>;  // whether the customer has paid for it

export class NotSent extends Error {}  // nothing was sent or will be; if it names a file, remove that first
export class NoAnswer extends Error {}  // no gateway gave what it was asked for
type Wanted = ".sell" | ".confirm" | ".cancel";  // how the name of a sale's file ends
type Answer = { status: number; outcome: string | null; saleId: string | null; refused: boolean;
    retryAfterMs: number | null; body: Buffer };

export class SalesGateway {
    #preferred = 0;  // the address that answered last
    #underWay = new Set<string>();  // the keys that a sell() works on; a settle() beside it leaves them alone

    // print() returns, or its promise is fulfilled, when the printer has the bytes; it throws if it does not get them.
    constructor(private readonly addresses: readonly string[], private readonly key: string,
        private readonly folder: string, private readonly print: (receipt: Buffer) => void | Promise<void>,
        private readonly receiptQuery = "format=text") {
        if (!addresses.length || !addresses.every((at) => /^https?:\/\/[^/\s]/.test(at)) || !/^\S+$/.test(key))
            throw new TypeError("An address is http://… or https://…, and a key has no white space in or around it");
    }

    // Returns what can be sold: the menu, or what the query asks for, such as "family=tv&produto=TV%20Livre".
    async options(query = ""): Promise<Options | Menu> {
        return JSON.parse((await this.get(`/v1/options${query && "?"}${query}`)).toString());
    }

    // A text is sent as it is. If the order has confirm: "manual", paid() is asked once the sale is held.
    sell(order: Partial<Order> | string, paid?: Paid): Promise<Result> {
        const key = randomUUID(), text = typeof order === "string" ? order : JSON.stringify(order);
        const body = Buffer.from(text.replace(/[\r\n]/g, " ") + "\n");
        this.#underWay.add(key);
        return this.note(this.file(key, ".sell"), body).then(() => this.carry(key, ".sell", body, paid))
            .finally(() => this.#underWay.delete(key));
    }

    // Carries every sale on disk to its end; a held sale without a note that it was paid is cancelled.
    async settle(): Promise<Result[]> {
        let results: Result[] = [], tries = TRIES;
        for (const name of existsSync(this.folder) ? (await readdir(this.folder)).sort() : []) {
            const { name: key, ext } = parse(name);
            if (this.#underWay.has(key) || ext !== ".sell" && ext !== ".confirm" && ext !== ".cancel") continue;
            const body = await readFile(this.file(key, ext)).catch(() => null);
            if (!body) continue;  // a sell() beside this has finished it
            if (body.toString().endsWith("\n")) results.push(await this.carry(key, ext, body, undefined, tries));
            else await this.remove(this.file(key, ext));  // it was never whole, so nothing was ever sent
            if (results.at(-1)?.outcome === "pending") tries = 1;  // nobody waits for all of them
        }
        return results;
    }

    // Returns another copy, which says that it is one.
    receipt(saleId: string, query = this.receiptQuery): Promise<Buffer> {
        return this.get(`/v1/sales/${encodeURIComponent(saleId)}/receipt?${query}`);
    }

    // Calls until there is an outcome.
    private async carry(key: string, wanted: Wanted, body: Buffer, paid?: Paid, tries = TRIES): Promise<Result> {
        let refusal: Answer | null = null, answer: Answer | null = null, pause = FIRST_PAUSE_MS;
        for (let left = tries - 1; left >= 0; --left) {
            answer = await this.send(key, wanted, body);
            let decision: Wanted | null = null;
            if (answer?.outcome === "sold") {
                const trouble = await this.printAndRemove(this.file(key, wanted), answer.saleId!);
                return { ...result(key, "sold", answer), printed: !trouble, detail: trouble };
            } else if (answer?.outcome === "not_sold") {
                await this.remove(this.file(key, wanted));
                return { ...result(key, "not_sold", refusal ?? answer), saleId: answer.saleId };
            } else if (answer?.outcome === "held" && wanted === ".sell") {
                decision = (await paid?.(json<Sale>(answer))) ? ".confirm" : ".cancel";
            } else if (answer?.refused && wanted === ".sell") {
                // The sale is cancelled by its key, so that no copy of it that is still under way can be sold later.
                [refusal, decision] = [answer, ".cancel"];
            }
            if (answer?.refused && !decision) break;  // only a person can change that, such as a wrong key
            if (decision) {
                const trouble = await rename(this.file(key, wanted), this.file(key, decision))
                    .then(() => flush(this.folder)).then(() => "", (error) => `The decision is not on disk: ${error}`);
                if (trouble) return { ...result(key, "pending", answer), detail: trouble };
                wanted = decision;
            } else if (left) {
                const least = answer?.outcome ? 1_000 : 0;  // the gateway has waited already
                await sleep(Math.min(Math.max(answer?.retryAfterMs ?? pause, least), LONGEST_PAUSE_MS));
                pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
            }
        }
        return result(key, "pending", refusal ?? answer);
    }

    // Makes the call that the file's name says. A repetition is the same call to the gateway.
    private async send(key: string, wanted: Wanted, body: Buffer): Promise<Answer | null> {
        if (wanted === ".cancel") return this.ask("POST", "/v1/cancel", key);
        const answer = await this.ask("POST", "/v1/sell", key, body);
        if (wanted === ".sell" || answer?.outcome !== "held") return answer;
        return this.ask("POST", `/v1/sales/${answer.saleId}/confirm`, key);
    }

    // Prints first, then removes the file: a crash in between leads to a copy, which is marked as one. Says what fails.
    private async printAndRemove(file: string, saleId: string): Promise<string> {
        const done = async () => { await this.print(await this.receipt(saleId)); await this.remove(file); return ""; };
        return done().catch((error) => `${error}`);
    }

    // Notes the sale on the disk, not only in its cache, before the first byte leaves.
    private async note(file: string, body: Buffer): Promise<void> {
        try {
            await mkdir(this.folder, { recursive: true, mode: 0o700 });
            await flush(dirname(resolve(this.folder)));
            const made = await open(file, "wx", 0o600);
            await made.writeFile(body).then(() => made.sync()).finally(() => made.close());
            await flush(this.folder);
        } catch (error) {
            throw new NotSent(`Nothing was sent: ${error}${await this.takeBack(file)}`);
        }
    }

    // Empties the order on the disk, so it is never sent, even if its name stays; else says what a person has to do.
    private takeBack(file: string): Promise<string> {
        const ask = `; remove ${file}, also if a power cut brings it back, or it is sold later`;
        const emptied = truncate(file).then(() => flush(file, "r+"));
        return emptied.then(() => "", () => existsSync(file) ? ask : "").finally(() => this.remove(file));
    }

    // If this fails, the next settle() only repeats what is done already.
    private remove(file: string): Promise<void> { return rm(file, { force: true }).catch(() => {}); }
    private file(key: string, wanted: Wanted): string { return join(this.folder, key + wanted); }

    private async get(path: string): Promise<Buffer> {
        const answer = await this.ask("GET", path);
        if (answer?.status === 200) return answer.body;
        throw new NoAnswer(answer ? detailOf(answer) : `no gateway answered at ${this.addresses.join(", ")}`);
    }

    // Asks the addresses in a round up to the first useful answer; else returns the last useless one, or null.
    private async ask(method: string, path: string, key?: string, body?: Buffer): Promise<Answer | null> {
        let useless: Answer | null = null;
        for (let tried = 0; tried < this.addresses.length; ++tried) {
            const answer = await this.call(this.addresses[this.#preferred]!, method, path, key, body);
            if (answer && (answer.outcome || answer.refused || (!key && answer.status === 200))) return answer;
            useless = answer ?? useless;
            this.#preferred = (this.#preferred + 1) % this.addresses.length;
        }
        return useless;
    }

    // Makes one call on a connection of its own; null if no whole answer came. Redirects are not followed.
    private call(address: string, method: string, path: string, key?: string, body?: Buffer) {
        const url = address.replace(/\/+$/, "") + path;
        const headers: http.OutgoingHttpHeaders = { Authorization: `Bearer ${this.key}` };
        if (key) Object.assign(headers, { "Idempotency-Key": key, Prefer: WAIT, "Content-Length": body?.length ?? 0 });
        if (body) headers["Content-Type"] = "application/json";
        return new Promise<Answer | null>((done) => {
            const request = (url.startsWith("https:") ? https : http).request(url, { method, headers, agent: false });
            const limits = [CONNECT_MS, CALL_MS].map((limit) => setTimeout(() => request.destroy(), limit));
            request.on("socket", (socket) => socket.on("connect", () => clearTimeout(limits[0])));
            request.on("error", () => {}).on("close", () => { limits.forEach(clearTimeout); done(null); });
            request.on("response", (response) => {
                const parts: Uint8Array[] = [];
                response.on("data", (part: Uint8Array) => parts.push(part)).on("error", () => {});
                response.on("end", () => done(response.complete ? read(response, Buffer.concat(parts)) : null));
            });
            request.end(body);
        });
    }
}

function read({ statusCode: status = 0, headers }: http.IncomingMessage, body: Buffer): Answer {
    const field = (name: string) => headers[name]?.toString() || null;
    const seconds = field("retry-after"), word = field("sale-outcome") ?? "";
    const outcome = ["sold", "not_sold", "held", "pending"].includes(word) ? word : null;
    const problem = field("content-type")?.startsWith("application/problem+json");  // no other server's answer
    const refused = !!problem && !outcome && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
    return { status, outcome, saleId: field("sale-id"), refused, body,
        retryAfterMs: seconds && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : null };
}

async function flush(path: string, flags = "r"): Promise<void> {
    if (flags === "r" && process.platform === "win32") return;  // it has no such call for folders; NTFS does it itself
    const opened = await open(path, flags);
    await opened.sync().finally(() => opened.close());
}

function result(key: string, outcome: Result["outcome"], answer: Answer | null): Result {
    return { key, outcome, saleId: answer?.saleId ?? null, printed: false,
        detail: answer ? detailOf(answer) : "no gateway answered", answer: answer && json(answer) };
}

function json<T>(answer: Answer): T | null { try { return JSON.parse(`${answer.body}`); } catch { return null; } }

function detailOf(answer: Answer): string {
    const told = json<Partial<Problem & Pick<Sale, "reason">>>(answer);
    const otherwise = answer.outcome === "not_sold" ? "cancelled by its key" : `HTTP status ${answer.status}`;
    return told?.detail || told?.reason?.detail || otherwise;
}
