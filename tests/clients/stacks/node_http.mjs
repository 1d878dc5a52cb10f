import http from "node:http";

import { requests } from "./folders.mjs";

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

const ask = (request) => new Promise((resolve, reject) => {
    const asked = http.request(request.url, { method: request.method, headers: request.headers, agent }, (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
            request.answered(answer.statusCode, Object.entries(answer.headers), Buffer.concat(chunks));
            resolve();
        });
    });
    asked.on("error", reject);
    asked.end(request.body);
});

for (const request of requests)
    await ask(request);
agent.destroy();
