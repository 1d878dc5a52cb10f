// Tells a person from an unattended screen, which only the page can do: it reads by itself for as long as it is open.
// What it reads unattended says so, and does not put off the end of the session at the gateway. The tabs of a browser
// share a session, and tell each other what they see of a person.

const signs = ["pointerdown", "keydown", "wheel", "touchstart"];
const lookMs = 15_000;
const attendedMs = 60_000;
// A wheel turns many times a second.
const tellMs = 1_000;

const tabs = new BroadcastChannel("signs of a person");
let lastSign = Date.now();
let lastTold = 0;
for (const sign of signs) addEventListener(sign, seen, {passive: true});
tabs.addEventListener("message", ({data}) => (lastSign = Math.max(lastSign, data)));

function seen() {
  lastSign = Date.now();
  if (lastSign - lastTold < tellMs) return;
  lastTold = lastSign;
  tabs.postMessage(lastSign);
}

export const isAttended = () => Date.now() - lastSign < attendedMs;

// Says again and again that nobody is there, once that has been so for as long as the session may be idle.
export class IdleWatch {
  #tell;
  #limitMs = Infinity;
  #timer = 0;

  constructor(tell) {
    this.#tell = tell;
  }

  get isIdle() {
    return Date.now() - lastSign >= this.#limitMs;
  }

  start(minutes) {
    this.stop();
    // A session without an idle end has none here either.
    this.#limitMs = minutes > 0 ? minutes * 60_000 : Infinity;
    lastSign = Date.now();
    this.#timer = setInterval(() => this.isIdle && this.#tell(), lookMs);
  }

  stop() {
    clearInterval(this.#timer);
  }
}
