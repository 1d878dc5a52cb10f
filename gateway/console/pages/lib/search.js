// Understands what a person types to find a sale, and asks the gateway for it. A text may mean several things: a row of
// digits can be a transaction's id or an NSU. Then each meaning is asked for, and the results become one list.

import {get, isAborted, path} from "./api.js";
import {now} from "./clock.js";
import {dayAfter, startOfDay} from "./format.js";

const ulid = /\b[0-9A-HJKMNP-TV-Z]{26}$/i;
const amount = /^(?:R\$)?\s*(\d{1,3}(?:[.,]\d{3})+|\d{1,6})(?:[.,](\d{1,2}))?$/i;
const digits = /^\d+$/;
const pageSize = 200;
// This is the highest amount of a sale.
const mostCents = 99_999_999;
// News about a sale may be this much later than its beginning, because clocks differ a little.
const slackMs = 15_000;
// At most this many open sales beyond the newest page are read again, one by one.
const mostAgain = 50;

// Returns what the text may mean: for each meaning, the parameters of the call and the word for it.
export function meanings(text) {
  const typed = text.trim();
  if (typed === "") return [{name: "all", query: {}}];
  if (ulid.test(typed)) {
    const [id] = typed.match(ulid);
    return [{name: "id_externo", query: {idExterno: id.toUpperCase()}}, {name: "id_transacao", query: {idTransacao: id}}];
  }
  const valor = centsIn(typed);
  const money = valor ? [{name: "amount", query: {valor}}] : [];
  if (valor && !digits.test(typed)) return money;
  return [
    {name: "id_transacao", query: {idTransacao: typed}},
    ...(digits.test(typed) ? [{name: "nsu", query: {nsu: typed}}] : []),
    ...money,
    {name: "terminal", query: {terminal: typed}},
    {name: "cashier", query: {cashier: typed}},
  ];
}

// Reads "R$ 1.234,50", "49,90", "49,9" or "50"; returns nothing where the text is no amount of a sale.
function centsIn(text) {
  const [, whole, cents = ""] = text.match(amount) ?? [];
  const valor = whole && Number(whole.replace(/[.,]/g, "") + cents.padEnd(2, "0"));
  return valor > 0 && valor <= mostCents ? valor : null;
}

// Makes the call's parameters from the filters beside the text. Days are the store's, and `until` is a day, too.
function filters({family, terminal, cashier, estabelecimento, attention, from, until}) {
  return {
    family,
    terminal,
    cashier,
    estabelecimento,
    attention: attention ? "true" : undefined,
    from: from && startOfDay(from),
    to: until && startOfDay(dayAfter(until)),
  };
}

// The gateway is asked for one status at a time, and an open sale has one of two.
const statusesOf = (status) => (status === "open" ? ["AUTORIZADA", "PENDENTE"] : [status || undefined]);

// Holds pages of sales, the newest first. Each page is a list, and stays the same object as long as its sales are the
// same, so that only what is new is drawn.
export class Search {
  #questions;
  #isWanted;
  // The time of the last look at the newest sales.
  #readAt = 0;
  pages = [];
  unreadable = 0;

  constructor(query) {
    const common = filters(query);
    // No sale has both a terminal or a cashier that was typed and another one that was chosen.
    const isSame = (own, name) => !own[name] || !common[name] || own[name] === common[name];
    const isPossible = (own) => isSame(own, "terminal") && isSame(own, "cashier");
    const statuses = statusesOf(query.status);
    this.meanings = meanings(query.q ?? "").filter(({query: own}) => isPossible(own));
    this.#questions = this.meanings.flatMap(({query: own}) =>
      statuses.map((status) => ({query: {...common, status, ...own}, next: undefined})),
    );
    this.#isWanted = ({status, attention}) =>
      (!query.status || statuses.includes(status)) && (!query.attention || attention);
  }

  get hasMore() {
    return this.#questions.some(({next}) => next !== null);
  }

  get count() {
    return this.pages.reduce((sum, page) => sum + page.length, 0);
  }

  // Reads the next page. A call looks at a limited number of sales, so others may follow an empty page.
  async more(signal) {
    const waiting = this.#questions.filter(({next}) => next !== null);
    const answers = await Promise.all(waiting.map((question) => ask(question, signal)));
    answers.forEach(({next}, index) => (waiting[index].next = next));
    this.unreadable += unreadableIn(answers);
    const sales = this.#unseen(answers.flatMap((answer) => answer.sales));
    if (sales.length > 0) this.pages = [...this.pages, newestFirst(sales)];
    else if (this.hasMore && !signal.aborted) await this.more(signal);
  }

  // Reads the newest sales again, and puts the new ones before the rest. A page in which nothing has changed stays the
  // same object.
  async renew(signal) {
    const readAt = now();
    if (this.#questions.every(({next}) => next !== undefined)) {
      const answers = await Promise.all(this.#questions.map(({query}) => ask({query}, signal)));
      const fresh = newestFirst(distinct(answers.flatMap(({sales}) => sales)));
      const known = new Set(fresh.map(({id}) => id));
      const reach = reachOf(answers);
      // A sale that is newer than that, and was not found again, no longer fits the search.
      const isBehind = ({id}) => !known.has(id) && id < reach;
      if (this.#hasGap(known, reach)) this.#beginAnew(fresh, answers);
      else this.#putBefore(fresh, isBehind, await this.#readAgain(isBehind, signal));
    }
    this.#readAt = readAt;
    if (this.pages.length === 0 && this.hasMore) await this.more(signal);
  }

  // Tells whether there may be unseen sales between what was just read and what was read before.
  #hasGap(known, reach) {
    return timeOf(reach) > this.#readAt - slackMs && !this.pages[0]?.some(({id}) => known.has(id));
  }

  #beginAnew(fresh, answers) {
    this.#questions.forEach((question, index) => (question.next = answers[index].next));
    this.unreadable = unreadableIn(answers);
    this.pages = fresh.length > 0 ? [fresh] : [];
  }

  #putBefore(fresh, isBehind, again) {
    const older = this.pages.map((page) => page.filter(isBehind).flatMap((sale) => again.get(sale.id) ?? [sale]));
    const [rest = [], ...others] = older.map((page) => page.filter(this.#isWanted));
    this.pages = [[...fresh, ...rest], ...others]
      .map((page, index) => same(this.pages[index], page))
      .filter((page) => page.length > 0);
  }

  // Beyond the reach of the answers, only sales that are open or need a person can have changed.
  async #readAgain(isBehind, signal) {
    const open = this.pages.flat().filter((sale) => isBehind(sale) && (!sale.final || sale.attention));
    return new Map(await Promise.all(open.slice(0, mostAgain).map(async ({id}) => [id, await bySaleId(id, signal)])));
  }

  #unseen(sales) {
    const seen = new Set(this.pages.flat().map(({id}) => id));
    return distinct(sales).filter(({id}) => !seen.has(id));
  }
}

// A text of twenty-six characters may be the gateway's own id of the sale.
async function ask({query, next}, signal) {
  const answer = await listed({...query, limit: pageSize, cursor: next}, signal);
  if (next || !query.idExterno || answer.sales.length > 0) return answer;
  return {...answer, sales: await bySaleId(query.idExterno, signal)};
}

// The text is tried as each of these. Where it cannot be one of them, nothing is found there.
const guessed = ["/idExterno", "/idTransacao", "/nsu", "/terminal", "/cashier"];

async function listed(query, signal) {
  try {
    return await get("/v1/sales", query, {signal});
  } catch (problem) {
    const isGuess = problem.errors?.every(({pointer}) => guessed.includes(pointer));
    if (isAborted(problem) || problem.status !== 422 || !isGuess) throw problem;
    return {sales: [], next: null};
  }
}

async function bySaleId(id, signal) {
  try {
    return [await get(path`/v1/sales/${id}`, {}, {signal})];
  } catch (problem) {
    if (isAborted(problem) || problem.status !== 404) throw problem;
    return [];
  }
}

// Returns how far back the answers go without a gap: each goes as far as the next page begins, even if it found few
// sales.
function reachOf(answers) {
  const ends = answers.map(({next}) => next ?? "");
  return ends.sort().at(-1) ?? "";
}

// The id of a sale begins with the time at which the sale was begun: 48 bits in ten characters.
function timeOf(id) {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return [...id.slice(0, 10)].reduce((time, letter) => time * 32 + letters.indexOf(letter), 0);
}

const unreadableIn = (answers) => answers.reduce((sum, {unreadable = []}) => sum + unreadable.length, 0);
const newestFirst = (sales) => [...sales].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
const distinct = (sales) => [...new Map(sales.map((sale) => [sale.id, sale])).values()];
const same = (old, wanted) => (JSON.stringify(old) === JSON.stringify(wanted) ? old : wanted);
