// This is a till on the command line, on top of sales_gateway.ts.
//
//     node till.js options [QUERY]     what can be sold: the menu, or what a query such as "family=tv&…" asks for
//     node till.js sell ORDER          finishes what is on disk, then sells ORDER, which is JSON text
//     node till.js settle              only finishes what is on disk; run it at every start
//     node till.js receipt SALE-ID     prints another copy
//
// It exits 0: sold, or nothing is open any more; 1: not sold; 2: not known yet, or something is still open, run settle
// again; 64: wrong usage; 69: no gateway gave what was asked for; 70: the disk does not take the sale, nothing was
// sent. The environment may set SALES_GATEWAY (addresses with commas between them), SALES_GATEWAY_KEY,
// SALES_GATEWAY_FOLDER (of open sales), SALES_GATEWAY_PRINTER (a file or device; else standard output) and
// SALES_GATEWAY_RECEIPT (its query).
//
// Copyright 2026 The sales-gateway authors. Apache License 2.0.

import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { NotSent, SalesGateway, type Result } from "./sales_gateway.js";

const EXIT = { sold: 0, not_sold: 1, pending: 2 };
const WRONG_USAGE = 64, NO_ANSWER = 69, NOT_SENT = 70;
const USAGE = "usage: node till.js options [QUERY] | sell ORDER | settle | receipt SALE-ID";

function say(bytes: string | Uint8Array): Promise<void> {
    return new Promise((done, failed) => process.stdout.write(bytes, (error) => (error ? failed(error) : done())));
}

// Appends the receipt to the printer. A device has it after the write, and a file when it is on the disk.
async function print(receipt: Uint8Array): Promise<void> {
    const name = process.env["SALES_GATEWAY_PRINTER"];
    if (!name) return say(receipt);
    const printer = await open(name, "a");
    try {
        await printer.writeFile(receipt);
        if ((await printer.stat()).isFile()) await printer.sync();
    } finally {
        await printer.close();
    }
}

async function paid(): Promise<boolean> {
    process.stderr.write("Paid? [y/n] ");
    for await (const line of createInterface({ input: process.stdin })) return /^\s*y(es)?\s*$/i.test(line);
    return false;
}

async function report({ key, outcome, saleId, printed, detail }: Result): Promise<void> {
    let line = `${outcome} ${key} ${outcome === "pending" ? "-" : (saleId ?? "-")}`;
    if (outcome === "not_sold") line += ` ${detail.replace(/\s+/g, " ")}`;
    if (outcome === "sold" && !printed) line += " (receipt not printed yet: run settle)";
    await say(line + "\n");
    if (outcome === "sold" && !printed) console.error(`The receipt is not printed: ${detail}`);
    if (outcome === "pending") console.error(`It is not known yet whether this is sold (${detail}): run settle again`);
}

async function run(command: string | undefined, value: string | undefined, count: number): Promise<number> {
    const gateway = new SalesGateway((process.env["SALES_GATEWAY"] || "http://127.0.0.1:8080").split(","),
        process.env["SALES_GATEWAY_KEY"] || "demo-key-caixa-01", process.env["SALES_GATEWAY_FOLDER"] || "open-sales",
        print, process.env["SALES_GATEWAY_RECEIPT"] || "format=text");
    if (command === "options" && count <= 1) {
        await say(JSON.stringify(await gateway.options(value), null, 1) + "\n");
        return 0;
    }
    if (command === "receipt" && value !== undefined && count === 1) {
        await print(await gateway.receipt(value));
        return 0;
    }
    if (!(command === "settle" && count === 0) && !(command === "sell" && count === 1)) {
        console.error(USAGE);
        return WRONG_USAGE;
    }
    const open_sales = await gateway.settle();
    for (const result of open_sales) await report(result);
    if (value === undefined) return open_sales.every((one) => one.outcome === "not_sold" || one.printed) ? 0 : 2;
    const result = await gateway.sell(value, paid);
    await report(result);
    return EXIT[result.outcome];
}

try {
    const [command, value, ...more] = process.argv.slice(2);
    process.exitCode = await run(command, value, more.length + (value === undefined ? 0 : 1));
} catch (error) {
    const sentence = error instanceof Error ? error.message : `${error}`;
    if (error instanceof NotSent) {
        console.error(`${sentence}. Make room on the disk or mend it, then sell again.`);
        process.exitCode = NOT_SENT;
    } else {
        console.error(`It did not work: ${sentence}`);
        process.exitCode = NO_ANSWER;
    }
}
