// One page while it is shown: reads its data, draws it, and reads it again when something of it changed. Where there is
// nothing to draw, every page shows the same: that it loads, or the problem and a way out.
//
// A page is {title(view), topics, load(view), draw(data, view)}; `view` is the Screen: where the page is (`route`),
// what it keeps for itself while it is shown (`state`), and how it asks to be drawn or read again.

import {isAborted} from "./api.js";
import {h, patch} from "./dom.js";
import {exactTime} from "./format.js";
import {live} from "./live.js";
import {problemNotice} from "./problem.js";
import {t} from "./words.js";

// Ages and times left go on without any news, and not everything that a page shows has a topic.
const redrawMs = 20_000;
const refreshMs = 60_000;
// In a busy store something changes all the time. However long a page takes to read, it keeps the gateway busy for
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

  // When what is shown was read, where it could not be read since; nothing: it is news.
  get oldSince() {
    return this.problem && this.data !== null ? this.#readAt : null;
  }

  get signal() {
    return this.#isOver.signal;
  }

  // Of what is being read. Where the page is to show something else, nobody waits for it any more.
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

  // Where only the query of the address became another, the page stays and reads anew: a person may be typing in it.
  follow(page, route) {
    const isSame = page === this.#page && String(route.parameters) === String(this.route.parameters);
    if (!isSame) return false;
    this.route = route;
    this.#isOutdated.abort();
    this.redraw();
    this.refresh();
    return true;
  }

  // Reads again. What is asked for while it reads is read once more afterwards, not at the same time.
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

  // A defect of the page, or an answer that it does not understand, is told like any other problem.
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

  // What was read before is shown on, with the problem above it: old news beats none, if it says so.
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
