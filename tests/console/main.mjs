// Runs files of tests, two at a time, because a browser waits for a gateway, and a gateway for a browser.
import path from "node:path";
import process from "node:process";
import {run} from "node:test";
import {spec} from "node:test/reporters";

const files = process.argv.slice(2).map((file) => path.resolve(file));
run({files, concurrency: 2}).on("test:fail", () => (process.exitCode = 1)).compose(spec).pipe(process.stdout);
