// Ends a session that nobody uses. The page reads by itself for as long as it is open, so the gateway cannot tell a
// person from an unattended screen; only the page can.

const signs = ["pointerdown", "keydown", "wheel", "touchstart"];
const lookMs = 15_000;

export class IdleWatch {
  #end;
  #limitMs = 0;
  #last = 0;
  #timer = 0;

  constructor(end) {
    this.#end = end;
    for (const sign of signs) addEventListener(sign, () => (this.#last = Date.now()), {passive: true});
  }

  start(minutes) {
    this.stop();
    // A session without an idle end has none here either.
    if (!(minutes > 0)) return;
    this.#limitMs = minutes * 60_000;
    this.#last = Date.now();
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    if (Date.now() - this.#last < this.#limitMs) return;
    this.stop();
    this.#end();
  }
}
