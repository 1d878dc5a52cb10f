// Understands what a person types to find a sale, and asks the gateway for it. A text may mean several things: a row of
// digits is the name of a transaction or an NSU. Then each is asked for, and what comes is one list.

import {get, isAborted, path} from "./api.js";
import {dayAfter, startOfDay} from "./format.js";

const ulid = /[0-9A-HJKMNP-TV-Z]{26}$/i;
const amount = /^(?:R\$)?\s*(\d{1,3}(?:[.,]\d{3})+|\d{1,6})[.,](\d{2})$/i;
const digits = /^\d+$/;
const pageSize = 200;

// What the text means: the parameters of each question, and the word for it.
export function meanings(text) {
  const typed = text.trim();
  if (typed === "") return [{name: "all", query: {}}];
  if (ulid.test(typed)) {
    const [id] = typed.match(ulid);
    return [{name: "id_externo", query: {idExterno: id.toUpperCase()}}, {name: "id_transacao", query: {idTransacao: id}}];
  }
  const money = typed.match(amount);
  if (money) return [{name: "amount", query: {valor: Number(money[1].replace(/[.,]/g, "") + money[2])}}];
  if (digits.test(typed))
    return [
      {name: "id_transacao", query: {idTransacao: typed}},
      {name: "nsu", query: {nsu: typed}},
    ];
  return [
    {name: "terminal", query: {terminal: typed}},
    {name: "cashier", query: {cashier: typed}},
    {name: "id_transacao", query: {idTransacao: typed}},
  ];
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
  pages = [];
  unreadable = 0;

  constructor(query) {
    this.meanings = meanings(query.q ?? "");
    const common = filters(query);
    this.#questions = this.meanings.map(({query: own}) => ({query: {...common, ...own}, next: undefined}));
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
    const found = await Promise.all(waiting.map((question) => this.#ask(question, signal)));
    const sales = this.#unseen(found.flatMap((answer) => answer.sales));
    if (sales.length > 0) this.pages = [...this.pages, newestFirst(sales)];
    else if (this.hasMore && !signal.aborted) await this.more(signal);
  }

  // Reads the newest page again and puts it before the rest. A page in which nothing changed stays the same object.
  async renew(signal) {
    if (this.pages.length === 0) {
      this.#questions.forEach((question) => (question.next = undefined));
      return this.more(signal);
    }
    const answers = await Promise.all(
      this.#questions.map(({query}) => get("/v1/sales", {...query, limit: pageSize}, {signal})),
    );
    const fresh = newestFirst(distinct(answers.flatMap(({sales}) => sales)));
    const known = new Set(fresh.map(({id}) => id));
    const missed = this.pages[0].length > 0 && !this.pages[0].some(({id}) => known.has(id));
    if (missed) this.#questions.forEach((question, index) => (question.next = answers[index].next));
    const older = missed
      ? []
      : this.pages.map((page) =>
          same(
            page,
            page.filter(({id}) => !known.has(id) && id < reachOf(answers)),
          ),
        );
    const [rest = [], ...pages] = older;
    this.pages = [same(this.pages[0], [...fresh, ...rest]), ...pages].filter(
      (page, index) => index === 0 || page.length > 0,
    );
    if (this.pages[0].length === 0) this.pages = [];
    return undefined;
  }

  async #ask(question, signal) {
    const answer = await get("/v1/sales", {...question.query, limit: pageSize, cursor: question.next}, {signal});
    const isFirst = question.next === undefined;
    question.next = answer.next;
    this.unreadable += answer.unreadable?.length ?? 0;
    const wanted = question.query.idExterno;
    if (isFirst && wanted && answer.sales.length === 0) return {sales: await bySaleId(wanted, signal)};
    return answer;
  }

  #unseen(sales) {
    const seen = new Set(this.pages.flat().map(({id}) => id));
    return distinct(sales).filter(({id}) => !seen.has(id));
  }
}

// Twenty-six characters may as well be the sale's own name at the gateway.
async function bySaleId(id, signal) {
  try {
    return [await get(path`/v1/sales/${id}`, {}, {signal})];
  } catch (problem) {
    if (isAborted(problem) || problem.status !== 404) throw problem;
    return [];
  }
}

// How far back the answers go without a gap: what is older was not looked at, what is newer and not in them is gone.
function reachOf(answers) {
  const ends = answers.filter(({next}) => next !== null).map(({sales}) => sales.at(-1)?.id ?? "");
  return ends.sort().at(-1) ?? "";
}

const newestFirst = (sales) => [...sales].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
const distinct = (sales) => [...new Map(sales.map((sale) => [sale.id, sale])).values()];
const same = (old, wanted) => (JSON.stringify(old) === JSON.stringify(wanted) ? old : wanted);
