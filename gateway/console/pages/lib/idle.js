// Tells an attended screen from an unattended one. Only the page can do that, because it reads by itself as long as it
// is open. What it reads unattended is marked as such, and does not put off the end of the session at the gateway. The
// tabs of a browser share a session, and tell each other about the person's activity.

const signs = ["pointerdown", "keydown", "wheel", "touchstart"];
const lookMs = 15_000;
const attendedMs = 60_000;
// A wheel sends many events in a second, so they are reported at most this often.
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

// Calls `tell` again and again, once nobody has been there for as long as the session may be idle.
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
    // Where the session has no idle limit, there is none here either.
    this.#limitMs = minutes > 0 ? minutes * 60_000 : Infinity;
    lastSign = Date.now();
    this.#timer = setInterval(() => this.isIdle && this.#tell(), lookMs);
  }

  stop() {
    clearInterval(this.#timer);
  }
}
