import { requests } from "./folders.mjs";

for (const request of requests) {
    const answer = await fetch(request.url, { method: request.method, headers: request.headers, body: request.body });
    request.answered(answer.status, [...answer.headers], Buffer.from(await answer.arrayBuffer()));
}
