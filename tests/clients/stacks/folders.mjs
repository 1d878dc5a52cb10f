// This tells the Node stacks what to ask, and takes what they saw. See tests/clients/checks.py.
import fs from "node:fs";

export const base = process.argv[2];

export const requests = process.argv.slice(3).map((folder) => ({
    method: fs.readFileSync(`${folder}/method`, "utf8"),
    url: base + fs.readFileSync(`${folder}/path`, "utf8"),
    headers: Object.fromEntries(
        fs.readFileSync(`${folder}/fields`, "utf8").trimEnd().split("\n").map((line) => line.split(/: (.*)/, 2))),
    body: fs.existsSync(`${folder}/body`) ? fs.readFileSync(`${folder}/body`) : undefined,
    answered(status, fields, body) {
        fs.writeFileSync(`${folder}/answer-body`, body);
        fs.writeFileSync(`${folder}/answer-fields`, fields.map(([name, value]) => `${name}: ${value}\n`).join(""));
        fs.writeFileSync(`${folder}/answer-status`, String(status));
    },
}));
