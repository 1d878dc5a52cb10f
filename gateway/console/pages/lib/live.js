// Tells pages that something has changed at the gateway. It listens to the event stream; where there is none, it asks
// every few seconds while the page can be seen. Pages are told the topics, and read again what they show.

import {network} from "./api.js";

export const topics = ["sales", "attention", "closes", "findings", "health"];

const pollMs = 5_000;
const reconnectMs = 2_000;
// After this many failures in a row the page polls, and tries the stream again from time to time.
const mostFailures = 3;
const streamAgainMs = 60_000;

class Live extends EventTarget {
  #stream = null;
  #timers = {};
  #failures = 0;
  #running = false;
  // The state is "live", "polling" or "lost"; `since` is when the gateway last answered.
  state = "polling";
  since = Date.now();

  start() {
    this.#running = true;
    this.#failures = 0;
    this.#connect();
  }

  stop() {
    this.#running = false;
    this.#rest();
  }

  // A page that cannot be seen has no stream, because the gateway has only a few, and a browser opens only six
  // connections to a host. What the page shows may therefore be old when it is seen again.
  seen(isSeen) {
    if (!this.#running) return;
    if (isSeen) this.#connect();
    else this.#rest();
    this.catchUp();
  }

  catchUp() {
    if (this.#running && !document.hidden) this.#tell(topics);
  }

  #rest() {
    this.#close();
    for (const name of Object.keys(this.#timers)) this.#clear(name);
  }

  heard(isReached) {
    if (!isReached) return this.#become("lost");
    this.since = Date.now();
    if (this.state !== "lost") return undefined;
    const isOpen = this.#stream?.readyState === EventSource.OPEN;
    this.#become(isOpen ? "live" : "polling");
    // The gateway can be reached again, so the stream is tried at once.
    if (this.#running && !isOpen) this.#connect();
    return undefined;
  }

  #connect() {
    this.#close();
    const stream = new EventSource("/console/events");
    this.#stream = stream;
    stream.addEventListener("open", () => this.#opened());
    stream.addEventListener("changed", (event) => this.#changed(event));
    stream.addEventListener("error", () => this.#failed());
  }

  #close() {
    this.#stream?.close();
    this.#stream = null;
  }

  #opened() {
    this.#failures = 0;
    this.#clear("poll");
    this.since = Date.now();
    this.#become("live");
    // A stream tells only what changes from now on, and what was read before may be older.
    this.catchUp();
  }

  #changed(event) {
    this.since = Date.now();
    this.#become("live");
    this.#tell(topicsIn(event.data));
  }

  // A broken stream connects again by itself, and names the last event that it had. One that was refused is closed, and
  // has to be opened again.
  #failed() {
    ++this.#failures;
    const isClosed = this.#stream?.readyState === EventSource.CLOSED;
    if (this.#failures >= mostFailures) this.#fallBack();
    else if (isClosed) this.#after("connect", reconnectMs, () => this.#connect());
    if (this.state === "live") this.#become("polling");
  }

  #fallBack() {
    this.#close();
    this.#after("connect", streamAgainMs, () => this.#connect());
    if (!this.#timers.poll) this.#poll();
  }

  #poll() {
    this.catchUp();
    this.#after("poll", pollMs, () => this.#poll());
  }

  #tell(named) {
    this.dispatchEvent(new CustomEvent("changed", {detail: named}));
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  #after(name, delay, action) {
    this.#clear(name);
    this.#timers[name] = setTimeout(() => {
      this.#timers[name] = 0;
      if (this.#running) action();
    }, delay);
  }

  #clear(name) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = 0;
  }
}

// An event that cannot be read still means that something has changed.
function topicsIn(data) {
  try {
    const named = JSON.parse(data).topics;
    return Array.isArray(named) && named.length > 0 ? named : topics;
  } catch {
    return topics;
  }
}

export const live = new Live();

network.addEventListener("reach", (event) => live.heard(event.detail));
document.addEventListener("visibilitychange", () => live.seen(!document.hidden));
addEventListener("online", () => live.catchUp());
