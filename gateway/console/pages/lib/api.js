// Calls the gateway. A call that fails throws a Problem. The rest of the page learns three things by events:
// "signedout", that the session has ended; "reach", whether the gateway could be reached; and "wrote", that this page
// has changed something.

import {setClock} from "./clock.js";
import {isAttended} from "./idle.js";
import {language} from "./words.js";

export const network = new EventTarget();

// A gateway that says nothing for this long counts as one that cannot be reached. Writing takes longer: a sale that is
// settled waits for the provider, a close for the disk. Only the reading of a statement may take even longer.
const patienceMs = {GET: 20_000, POST: 45_000, DELETE: 20_000};

// This is what went wrong, as the gateway's problem+json says it. The page has sentences for `code`.
export class Problem extends Error {
  constructor(facts) {
    super(facts.detail ?? facts.code);
    this.name = "Problem";
    this.errors = [];
    Object.assign(this, facts);
  }
}

export const get = (path, query, options = {}) => call("GET", path, {query, ...options});
export const post = (path, body, options = {}) => call("POST", path, {body, ...options});
export const remove = (path) => call("DELETE", path, {});
// Returns a document as text: paper or CSV.
export const getText = (path, query) => call("GET", path, {query, accept: "text/plain, text/csv"});

// Returns a file as an ArrayBuffer; null where the answer has none.
export const getBytes = (path) => call("GET", path, {accept: "*/*", isBinary: true});

// Encodes values that come from elsewhere for use in a path.
export const path = (strings, ...values) => String.raw({raw: strings}, ...values.map(encodeURIComponent));

export const isAborted = (error) => error?.name === "AbortError";

// The time limit covers the whole answer, because its content may stall, too.
async function call(method, address, options) {
  const giveUp = new AbortController();
  const abort = () => giveUp.abort();
  const timer = setTimeout(abort, options.patienceMs ?? patienceMs[method]);
  options.signal?.addEventListener("abort", abort);
  if (options.signal?.aborted) abort();
  try {
    const answer = await send(method, address + queryText(options.query), options, giveUp.signal);
    if (!answer.ok) throw await problemOf(answer, address);
    if (method === "POST") network.dispatchEvent(new Event("wrote"));
    return await contentOf(answer, options);
  } catch (error) {
    if (error instanceof Problem || options.signal?.aborted) throw error;
    reached(false);
    throw new Problem({code: "unreachable", status: 0, detail: String(error)});
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

async function send(method, address, options, signal) {
  const answer = await fetch(address, {method, signal, cache: "no-store", redirect: "error", ...content(options)});
  reached(true);
  setClock(answer.headers.get("Date"));
  return answer;
}

async function contentOf(answer, {accept, isBinary}) {
  if (answer.status === 204) return null;
  if (isBinary) return answer.arrayBuffer();
  const text = await answer.text();
  if (accept) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem({code: "unusable_answer", status: answer.status, detail: String(error)});
  }
}

function content({body, type, accept}) {
  const headers = {"Accept-Language": language, Accept: accept ?? "application/json"};
  if (!isAttended()) headers["Console-Refresh"] = "1";
  if (body === undefined) return {headers};
  if (type) return {headers: {...headers, "Content-Type": type}, body};
  return {headers: {...headers, "Content-Type": "application/json"}, body: JSON.stringify(body)};
}

function queryText(query = {}) {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return set.length > 0 ? `?${new URLSearchParams(set)}` : "";
}

async function problemOf(answer, address) {
  const facts = await answer.json().catch(() => ({}));
  if (answer.status === 401 && address !== "/console/session") network.dispatchEvent(new Event("signedout"));
  return new Problem({
    code: "unusable_answer",
    ...facts,
    status: answer.status,
    retryAfter: Number(answer.headers.get("Retry-After")) || null,
  });
}

function reached(isReached) {
  network.dispatchEvent(new CustomEvent("reach", {detail: isReached}));
}
