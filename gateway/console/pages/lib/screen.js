// Shows one page: reads its data, draws it, and reads it again when something of it has changed. Where there is nothing
// to draw, every page shows the same: that it is loading, or the problem and a way out.
//
// A page is {title(view), topics, load(view), draw(data, view)}. `view` is the Screen: where the page is (`route`),
// what it remembers while it is shown (`state`), and how it asks to be drawn or read again.

import {isAborted} from "./api.js";
import {h, patch} from "./dom.js";
import {exactTime} from "./format.js";
import {live} from "./live.js";
import {problemNotice} from "./problem.js";
import {t} from "./words.js";

// Ages and remaining times change without any news, and not everything that a page shows has a topic.
const redrawMs = 20_000;
const refreshMs = 60_000;
// In a busy store something changes all the time. However long a page takes to read, it may occupy the gateway only for
// this small part of the time.
const restFactor = 20;

export class Screen {
  #page;
  #host;
  #reading = null;
  #isAskedAgain = false;
  #isOver = new AbortController();
  #isOutdated = new AbortController();
  #timers = [];
  #pause = 0;
  #restsUntil = 0;
  #readAt = 0;
  data = null;
  problem = null;
  state = {};

  constructor(page, route, host) {
    this.#page = page;
    this.#host = host;
    this.route = route;
  }

  get title() {
    return this.#page.title(this);
  }

  // Returns when the shown data was read, if it could not be read again since then; null: it is up to date.
  get oldSince() {
    return this.problem && this.data !== null ? this.#readAt : null;
  }

  get signal() {
    return this.#isOver.signal;
  }

  // Returns the signal of the present reading. It aborts as soon as the page is to show something else.
  get readSignal() {
    return this.#isOutdated.signal;
  }

  start() {
    this.redraw();
    live.addEventListener("changed", (event) => this.#changed(event.detail), {signal: this.signal});
    this.#timers = [
      setInterval(() => document.hidden || this.redraw(), redrawMs),
      setInterval(() => document.hidden || this.#refreshAfterRest(), refreshMs),
    ];
    return this.refresh();
  }

  stop() {
    this.#isOver.abort();
    this.#isOutdated.abort();
    this.#timers.forEach(clearInterval);
    clearTimeout(this.#pause);
  }

  // Where only the query of the address has changed, the page stays and reads again, because a person may be typing in
  // it.
  follow(page, route) {
    const isSame = page === this.#page && String(route.parameters) === String(this.route.parameters);
    if (!isSame) return false;
    this.route = route;
    this.#isOutdated.abort();
    this.redraw();
    this.refresh();
    return true;
  }

  // Reads again. A call that comes during a reading leads to one more reading afterwards.
  async refresh() {
    if (this.#reading) {
      this.#isAskedAgain = true;
      return this.#reading;
    }
    this.#reading = this.#read();
    await this.#reading;
    this.#reading = null;
    if (!this.#isAskedAgain || this.signal.aborted) return undefined;
    this.#isAskedAgain = false;
    return this.refresh();
  }

  // A defect of the page, or an answer that it does not understand, is reported like any other problem.
  redraw() {
    if (this.signal.aborted) return;
    try {
      patch(this.#host, this.#content());
    } catch (defect) {
      patch(this.#host, [h("h1", {tabindex: -1}, this.title), problemNotice(defect, () => this.refresh())]);
    }
  }

  #changed(topics) {
    if (topics.some((topic) => this.#page.topics.includes(topic))) this.#refreshAfterRest();
  }

  #refreshAfterRest() {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.refresh(), Math.max(0, this.#restsUntil - Date.now()));
  }

  async #read() {
    const began = Date.now();
    this.#isOutdated = new AbortController();
    try {
      this.data = await this.#page.load(this);
      this.#readAt = Date.now();
      this.#restsUntil = this.#readAt + restFactor * (this.#readAt - began);
      this.problem = null;
    } catch (problem) {
      if (isAborted(problem) || this.readSignal.aborted) return;
      this.problem = problem;
    }
    this.redraw();
  }

  // What was read before stays visible, with the problem above it: old news is better than none, if it is marked as
  // old.
  #content() {
    return [
      h("h1", {tabindex: -1}, this.title),
      this.problem && problemNotice(this.problem, () => this.refresh()),
      this.oldSince && h("p.strong", t("state.old", {time: exactTime(this.oldSince)})),
      this.data !== null
        ? h("div.page", {class: this.oldSince && "old"}, this.#page.draw(this.data, this))
        : !this.problem && loading(),
    ];
  }
}

function loading() {
  return h(
    "div.loading",
    {"aria-busy": "true"},
    h("p.hidden", t("state.loading")),
    h("div.bone"),
    h("div.bone"),
    h("div.bone"),
  );
}
