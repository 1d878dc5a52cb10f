// Ends a session that nobody uses. The page reads by itself for as long as it is open, and only the page can tell a
// person from an unattended screen: what it reads meanwhile says so, and puts off no end at the gateway either.

const signs = ["pointerdown", "keydown", "wheel", "touchstart"];
const lookMs = 15_000;
const attendedMs = 60_000;

let lastSign = Date.now();
for (const sign of signs) addEventListener(sign, () => (lastSign = Date.now()), {passive: true});

export const isAttended = () => Date.now() - lastSign < attendedMs;

export class IdleWatch {
  #end;
  #limitMs = 0;
  #timer = 0;

  constructor(end) {
    this.#end = end;
  }

  start(minutes) {
    this.stop();
    // A session without an idle end has none here either.
    if (!(minutes > 0)) return;
    this.#limitMs = minutes * 60_000;
    lastSign = Date.now();
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    if (Date.now() - lastSign < this.#limitMs) return;
    this.stop();
    this.#end();
  }
}
