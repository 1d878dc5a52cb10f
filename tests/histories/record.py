#!/usr/bin/python3
"""Records a history of the real gateway, and judges it: many tills use few keys at once, at a provider that loses
answers, while the gateway is killed and started again.

    tests/histories/record.py [--build build/proof] [--calls 20000] [--tills 40] [--seed N] [--keep FILE] [--chain]

The seed says what each till does; when it does that, the machine says.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

from history import Answer, Call, keys_of  # noqa: E402
from judge import judge  # noqa: E402
from wire import Line, NotSent, Place  # noqa: E402

# The gateway's times are short, so that a till meets their end.
CHANGES = {"provider.request_timeout": "1s", "sale.confirm_window": "2s", "sale.late_arrival": "200ms",
           "limits.hold": "1s", "limits.sell_wait": "2s", "limits.drain": "1s",
           "limits.per_terminal_rate": 100000}  # fmt: skip
# Each till of a key, with one that sees its sales too.
_TILLS = (("caixa-01", "caixa-02"), ("caixa-02", "caixa-01"), ("loja-b-01", "loja-b-01"))
_AMOUNTS = {"tv": 4900, "egift": 5000, "transit": 2000, "esim": 2900}
# What the sandbox does at these cents; of the last ones each costs a whole confirm_window.
_USUAL, _TROUBLES, _LONG = [0], [*range(1, 11), 12, 13, 14, 15, 16, 19, 20, *range(21, 31)], [11, 17, 18]
# The answers without which a history is too poor to say anything.
RICH = {
    ("sell", 200, "sold"), ("sell", 200, "held"), ("sell", 200, "not_sold"), ("sell", 202, "pending"),
    ("sell", 402, "not_sold"), ("sell", 409, "not_sold"), ("sell", 422, "idempotency_key_reused"),
    ("sell", 502, "not_sold"), ("sell", 503, "not_sold"), ("sell", 504, "not_sold"), ("sell", "no answer"),
    ("cancel_key", 200, "not_sold"), ("cancel_key", 409, "sold"), ("cancel_key", "no answer"),
    ("cancel", 200, "not_sold"), ("cancel", 409, "sold"), ("cancel", 409, "pending"), ("confirm", 200, "sold"),
    ("confirm", 409, "not_sold"),
    ("confirm", "no answer"), ("get", 200, "held"), ("get", 200, "sold"), ("find", 200, "sold"),
    ("find", 200, "no sale"),
}  # fmt: skip


class Key:
    """A key, and what its till wants to sell with it."""

    def __init__(self, chance, text):
        from harness import orders

        self.till, self.other = chance.choice(_TILLS)
        self.key = text
        cents = chance.choice(chance.choices([_USUAL, _TROUBLES, _LONG], [60, 38, 2])[0])
        family = chance.choices(["tv", "egift", "health", "esim", "transit"], [40, 38, 10, 8, 4])[0]
        if family == "health":  # of which the catalogue has a product for each of the cents
            self.order = orders.health(cents or None)
        elif family == "esim":
            self.order = orders.esim(_AMOUNTS[family] + cents + chance.choice([0, 0, 30]))
        else:
            more = {"confirm": "manual"} if chance.random() < 0.35 else {}
            self.order = getattr(orders, family)(_AMOUNTS[family] + cents, **more)
        self.id = None
        self.left = chance.randint(1, 14)  # so many calls until it rests

    def order_for(self, chance):
        """Returns the order of a sell, and a digest of what it means."""
        order = self.order
        if chance.random() < 0.08:
            order = order | {"valor": order["valor"] + 100}
        meant = hashlib.sha256(json.dumps(order, sort_keys=True).encode()).hexdigest()[:12]
        if chance.random() < 0.2:  # another spelling of the same
            order = order | chance.choice([{"valor": str(order["valor"])}, {"cashier": "Ana"}, {"repeat": False},
                                           {"confirm": order.get("confirm", "auto")}])  # fmt: skip
        return order, meant


class Recorder:
    """Tills, each a thread, which make calls and write them down."""

    def __init__(self, path, places, calls, tills, seed):
        self._places = places
        self.begun = 0
        self.seen = collections.Counter()
        self._file = open(path, "w", encoding="utf-8")  # finish() closes it
        self._most = calls
        self._lock = threading.Condition()
        chance = random.Random(seed)
        self._numbers = 0
        self._run_name = uuid.uuid4().hex[:8]  # a gateway that was used before knows none of its keys
        self._live = [self._new_key(chance) for _ in range(max(2, tills * 2 // 3))]
        self._past = []
        self._failures = []
        self._threads = [threading.Thread(target=self._run, args=(random.Random(chance.random()),), daemon=True)
                         for _ in range(tills)]  # fmt: skip

    def start(self):
        for thread in self._threads:
            thread.start()

    def finish(self):
        for thread in self._threads:
            thread.join()
        self._file.close()
        if self._failures:
            raise self._failures[0]

    def await_calls(self, number):
        """Waits until so many calls have begun. Returns whether that came to be."""
        with self._lock:
            self._lock.wait_for(lambda: self.begun >= min(number, self._most) or self._failures)
            return self.begun < self._most and not self._failures

    def _new_key(self, chance):
        self._numbers += 1
        # Two orders have one key, perhaps at two tills: there it means something else.
        return Key(chance, f"{self._run_name}-{self._numbers // 2}")

    def _run(self, chance):
        try:
            self._work(chance)
        except BaseException as failure:  # finish() raises it
            with self._lock:
                self._failures.append(failure)
                self._lock.notify_all()

    def _work(self, chance):
        lines = [Line(place) for place in self._places]
        while not self._failures and (key := self._next_key(chance)):
            self._call(chance.choice(lines), key, chance, *self._chosen(key, chance))
        while not self._failures and (key := self._take_last()):  # what became of each in the end
            self._call(chance.choice(lines), key, chance, "get" if key.id else "find")
        for line in lines:
            line.hang_up()

    def _next_key(self, chance):
        with self._lock:
            if self.begun >= self._most:
                return None
            self.begun += 1
            self._lock.notify_all()
            if self._past and chance.random() < 0.08:
                return chance.choice(self._past)
            at = chance.randrange(len(self._live))
            key = self._live[at]
            key.left -= 1
            if key.left == 0:
                self._live[at] = self._new_key(chance)
                self._past.append(key)
            return key

    def _take_last(self):
        with self._lock:
            rest = self._past or self._live
            return rest.pop() if rest else None

    @staticmethod
    def _chosen(key, chance):
        """A kind of call, and of a sell what is sold."""
        kinds = {"sell": 50, "cancel_key": 7, "find": 5}
        if key.id:
            kinds |= {"get": 14, "confirm": 14 if "confirm" in key.order else 2, "cancel": 5}
        (kind,) = chance.choices(list(kinds), list(kinds.values()))
        return (kind, *key.order_for(chance)) if kind == "sell" else (kind,)

    def _call(self, line, key, chance, kind, order=None, meant=None):
        from harness.processes import key_of

        by = key.other if kind in ("get", "confirm", "cancel") and chance.random() < 0.2 else key.till
        request = request_of(kind, key, key_of(by), chance.choice([0, 1, 1, 2]), order)
        hangs_up = chance.random() < 0.03
        while True:
            try:
                line.connect()
                break
            except NotSent:  # it was killed this moment
                continue
        begin = time.monotonic_ns()
        if hangs_up:
            answer = self._sent_only(line, request)
        else:
            answer = line.exchange(request)
        end = time.monotonic_ns()
        told = answer and answer_of(kind, *answer)
        if told and told.id and kind == "sell" and told.code is None:
            key.id = told.id
        manual = order is not None and order.get("confirm") == "manual"
        call = Call(key.till, key.key, kind, begin, end if told else None, meant, manual, told)
        with self._lock:
            self._file.write(call.line())
            self.seen[_class_of(call)] += 1

    @staticmethod
    def _sent_only(line, request):
        try:
            line.send(request)
        except OSError:
            pass
        line.hang_up()


def _class_of(call):
    """What an answer was, for RICH and for people."""
    answer = call.answer
    if answer is None:
        return call.call, "no answer"
    if answer.sales == 0:
        return call.call, answer.http, "no sale"
    if answer.code == "idempotency_key_reused" or answer.outcome is None:
        return call.call, answer.http, answer.code
    return call.call, answer.http, answer.outcome


def request_of(kind, key, secret, wait, order):
    head = [f"Authorization: Bearer {secret}", "Host: gateway", f"Prefer: wait={wait}"]
    body = b""
    if kind in ("sell", "cancel_key"):
        head.append(f"Idempotency-Key: {key.key}")
    if kind == "sell":
        body = json.dumps(order).encode()
        head.append("Content-Type: application/json")
    path = {"sell": "POST /v1/sell", "cancel_key": "POST /v1/cancel", "find": f"GET /v1/sales?key={key.key}",
            "get": f"GET /v1/sales/{key.id}", "confirm": f"POST /v1/sales/{key.id}/confirm",
            "cancel": f"POST /v1/sales/{key.id}/cancel"}[kind]  # fmt: skip
    head.append(f"Content-Length: {len(body)}")
    return "\r\n".join([path + " HTTP/1.1", *head, "", ""]).encode() + body


def answer_of(kind, head, body):
    """Returns what a till reads in an answer."""
    http, document = int(head[9:12]), json.loads(body)
    code = document.get("code")
    if kind == "find" and http == 200:
        sales = document["sales"]
        if not sales:
            return Answer(http, sales=0)
        sale = sales[0]
    else:
        sales = [None]
        sale = document if "id" in document else document.get("existing" if code == "idempotency_key_reused" else "sale", {})
    replayed = b"\r\nidempotency-replayed: true" in head.lower()
    goods = any(sale.get(name) is not None for name in ("instrucao", "complemento", "receipt"))
    outcome = sale.get("outcome") or document.get("outcome")
    return Answer(http, code, outcome, sale.get("id"), sale.get("status"), sale.get("family"), sale.get("idExterno"),
                  replayed, goods, len(sales))  # fmt: skip


def _callbacks_at_a_port_that_stays(gateway, provider):
    """Has the provider and the gateway call each other without anything between them that remembers all of it. Returns
    a socket that keeps the port from everybody else, also while the gateway does not run."""
    from harness.gate import bound

    kept = bound()
    callbacks = f"127.0.0.1:{kept.getsockname()[1]}"
    gateway.document["listen"]["callbacks"] = callbacks
    gateway.document["provider"].update(base_url=provider, auth_url=provider, callback_url=f"http://{callbacks}")
    gateway.write_config()
    return kept


class Store:
    """A provider and a gateway, or two that share a journal on PostgreSQL. Each may be killed and started again."""

    def __init__(self, folder, chain=False):
        from harness.chain import Chain
        from harness.postgres import Postgres
        from harness.processes import Gateway, Sandbox, configuration
        from harness.shop import QUICK

        self._chain = Chain(folder, Postgres(), CHANGES) if chain else None
        self._sandbox = self._chain.sandbox if chain else Sandbox(folder, QUICK | {"--keep": "1000000"})
        self.gateways = list(self._chain.gateways.values()) if chain else [
            Gateway(folder, configuration(folder, self._sandbox.url, self._sandbox.url, CHANGES))]
        self._kept_ports = [_callbacks_at_a_port_that_stays(one, self._sandbox.url) for one in self.gateways]
        self.places = [Place() for _ in self.gateways]
        self.kills = self.stops = 0

    def start(self):
        """Starts what does not run."""
        for gateway, place in zip(self.gateways, self.places):
            if gateway.runs and gateway.run.running():
                continue
            gateway.start()
            for old in gateway.runs[:-1]:
                old.out.unlink(missing_ok=True)  # a long run would fill the disk with them
            place.move(gateway.ports["terminals"])

    def end_run(self, at, by_kill):
        self.places[at].leave()
        if by_kill:
            self.kills += 1
            self.gateways[at].kill()
        else:
            self.stops += 1
            self.gateways[at].stop()

    def close(self):
        if self._chain:
            self._chain.close()
            self._chain.postgres.close()
            return
        for process in (*self.gateways[0].runs[-1:], self._sandbox):
            process.kill()


def record(store, path, calls, tills, seed, places=None, kills=True):
    """Writes a history. The tills call at the places, which are those of the gateways where no others are given."""
    recorder = Recorder(path, places or store.places, calls, tills, seed)
    chance = random.Random(f"{seed} kills")
    recorder.start()
    tenths = 0
    while recorder.await_calls(recorder.begun + chance.randint(200, 3000) if kills else calls):
        store.end_run(chance.randrange(len(store.gateways)), chance.random() < 0.8)
        store.start()
        if recorder.begun * 10 // calls > tenths:
            tenths = recorder.begun * 10 // calls
            print(f"{recorder.begun} of {calls} calls", flush=True)
    recorder.finish()
    return recorder


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/proof", help="a folder with both programs")
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--tills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--chain", action="store_true", help="two gateways that share a journal on PostgreSQL")
    parser.add_argument("--keep", type=pathlib.Path, help="where the history is kept")
    return parser.parse_args()


def main():
    chosen = _arguments()
    os.environ.setdefault("GATEWAY_BIN", str(chosen.build.resolve() / "sales-gateway"))
    os.environ.setdefault("SANDBOX_BIN", str(chosen.build.resolve() / "sandbox-provider"))
    print(f"seed {chosen.seed}: {chosen.calls} calls by {chosen.tills} tills", flush=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = chosen.keep or pathlib.Path(folder) / "history"
        store = Store(pathlib.Path(folder), chosen.chain)
        try:
            begin = time.monotonic()
            store.start()
            recorder = record(store, path, chosen.calls, chosen.tills, chosen.seed)
            for gateway in store.gateways:
                gateway.stop()
            recorded = time.monotonic()
        finally:
            store.close()
        judged = judge(keys_of(path))
    for what, number in sorted(recorder.seen.items(), key=str):
        print(f"{number:8} {' '.join(str(word) for word in what)}")
    print(f"{store.kills} kills and {store.stops} stops; recorded in {recorded - begin:.0f} s, "
          f"judged in {time.monotonic() - recorded:.0f} s")  # fmt: skip
    print("\n".join([*judged.stories, judged.verdict()]))
    missing = RICH - recorder.seen.keys()
    if missing:
        print(f"the history is too poor, it never has {sorted(missing, key=str)}")
    return 1 if judged.broken or missing else 0


if __name__ == "__main__":
    sys.exit(main())
