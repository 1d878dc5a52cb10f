// Understands what a person types to find a sale, and asks the gateway for it. A text may mean several things: a row of
// digits is the name of a transaction or an NSU. Then each is asked for, and what comes is one list.

import {get, isAborted, path} from "./api.js";
import {now} from "./clock.js";
import {dayAfter, startOfDay} from "./format.js";

const ulid = /\b[0-9A-HJKMNP-TV-Z]{26}$/i;
const amount = /^(?:R\$)?\s*(\d{1,3}(?:[.,]\d{3})+|\d{1,6})(?:[.,](\d{1,2}))?$/i;
const digits = /^\d+$/;
const pageSize = 200;
// As of a sale.
const mostCents = 99_999_999;
// A sale may be told of so much later than it was begun, by clocks that differ a little.
const slackMs = 15_000;
// Of the sales behind the newest page that are still open so many are read again, one by one.
const mostAgain = 50;

// What the text means: the parameters of each question, and the word for it.
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

// "R$ 1.234,50", "49,90", "49,9" or "50"; nothing where it is no amount of a sale.
function centsIn(text) {
  const [, whole, cents = ""] = text.match(amount) ?? [];
  const valor = whole && Number(whole.replace(/[.,]/g, "") + cents.padEnd(2, "0"));
  return valor > 0 && valor <= mostCents ? valor : null;
}

// The filters beside the text, as parameters of the call. Days are the store's, and `until` is a day too.
function filters({status, family, terminal, attention, from, until}) {
  return {
    status,
    family,
    terminal,
    attention: attention ? "true" : undefined,
    from: from && startOfDay(from),
    to: until && startOfDay(dayAfter(until)),
  };
}

// Pages of sales, the newest first: each page is a list that stays the same object while its sales do, so that only
// what is new is drawn.
export class Search {
  #questions;
  #isWanted;
  // When the newest sales were looked at last.
  #readAt = 0;
  pages = [];
  unreadable = 0;

  constructor(query) {
    const common = filters(query);
    // A terminal that was typed and another one that was chosen have no sale together.
    const isPossible = ({terminal}) => !terminal || !common.terminal || terminal === common.terminal;
    this.meanings = meanings(query.q ?? "").filter(({query: own}) => isPossible(own));
    this.#questions = this.meanings.map(({query: own}) => ({query: {...common, ...own}, next: undefined}));
    this.#isWanted = ({status, attention}) =>
      (!query.status || status === query.status) && (!query.attention || attention);
  }

  get hasMore() {
    return this.#questions.some(({next}) => next !== null);
  }

  get count() {
    return this.pages.reduce((sum, page) => sum + page.length, 0);
  }

  // The page that follows. One call looks at a limited number of sales: an empty page may have others behind it.
  async more(signal) {
    const waiting = this.#questions.filter(({next}) => next !== null);
    const answers = await Promise.all(waiting.map((question) => ask(question, signal)));
    answers.forEach(({next}, index) => (waiting[index].next = next));
    this.unreadable += unreadableIn(answers);
    const sales = this.#unseen(answers.flatMap((answer) => answer.sales));
    if (sales.length > 0) this.pages = [...this.pages, newestFirst(sales)];
    else if (this.hasMore && !signal.aborted) await this.more(signal);
  }

  // Looks at the newest sales again and puts what it finds before the rest. A page in which nothing changed stays the
  // same object.
  async renew(signal) {
    const readAt = now();
    if (this.#questions.every(({next}) => next !== undefined)) {
      const answers = await Promise.all(this.#questions.map(({query}) => ask({query}, signal)));
      const fresh = newestFirst(distinct(answers.flatMap(({sales}) => sales)));
      const known = new Set(fresh.map(({id}) => id));
      const reach = reachOf(answers);
      // What is newer than that and was not found again is none of these sales any more.
      const isBehind = ({id}) => !known.has(id) && id < reach;
      if (this.#hasGap(known, reach)) this.#beginAnew(fresh, answers);
      else this.#putBefore(fresh, isBehind, await this.#readAgain(isBehind, signal));
    }
    this.#readAt = readAt;
    if (this.pages.length === 0 && this.hasMore) await this.more(signal);
  }

  // Whether sales may stand, unseen, between what was just looked at and what was looked at before.
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

  // Where the answers do not reach, only those sales can have changed that are open or need a person.
  async #readAgain(isBehind, signal) {
    const open = this.pages.flat().filter((sale) => isBehind(sale) && (!sale.final || sale.attention));
    return new Map(await Promise.all(open.slice(0, mostAgain).map(async ({id}) => [id, await bySaleId(id, signal)])));
  }

  #unseen(sales) {
    const seen = new Set(this.pages.flat().map(({id}) => id));
    return distinct(sales).filter(({id}) => !seen.has(id));
  }
}

// Twenty-six characters may as well be the sale's own name at the gateway.
async function ask({query, next}, signal) {
  const answer = await listed({...query, limit: pageSize, cursor: next}, signal);
  if (next || !query.idExterno || answer.sales.length > 0) return answer;
  return {...answer, sales: await bySaleId(query.idExterno, signal)};
}

// What was typed is asked for as each thing that it may be; as what it cannot be there is nothing to find.
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

// How far back the answers go without a gap: each goes as far as the next one begins, however few sales it found.
function reachOf(answers) {
  const ends = answers.map(({next}) => next ?? "");
  return ends.sort().at(-1) ?? "";
}

// The name of a sale begins with the time at which it was begun: forty-eight bits in ten characters.
function timeOf(id) {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return [...id.slice(0, 10)].reduce((time, letter) => time * 32 + letters.indexOf(letter), 0);
}

const unreadableIn = (answers) => answers.reduce((sum, {unreadable = []}) => sum + unreadable.length, 0);
const newestFirst = (sales) => [...sales].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
const distinct = (sales) => [...new Map(sales.map((sale) => [sale.id, sale])).values()];
const same = (old, wanted) => (JSON.stringify(old) === JSON.stringify(wanted) ? old : wanted);
