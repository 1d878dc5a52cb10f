#!/usr/bin/python3
"""Measures what a provider that hangs does to the gateway: thousands of sales are under way at once, each with its
terminal connected and its request at the provider, and nothing is answered.

The benchmark measures the resident memory that each sale takes, and compares it with nginx forwarding and nginx with
Lua in the same place. Then, while the provider hangs, it looks for every sale by its key and by its id; one more sale
is refused, because limits.in_flight are under way; and it asks for everything that needs no provider, such as the
health and known options, and measures the time of each answer. Then the provider answers, and every sale has to be
sold.

    tests/bench/hanging_provider.py [--sales 10000] [--tls] [--only NAME ...]

Each sale takes two descriptors of the process that is measured. If the system's limit (ulimit -Hn) has room for fewer
sales, the benchmark takes that number and says so.
"""
import contextlib
import pathlib
import re
import shutil
import threading
import time

from lab import peers, program
from lab.caller import Caller
from lab.rig import Rig, free_port

KINDS = {"gateway": peers.Gateway, "lua": peers.NginxLua, "forwarding": peers.NginxForwarding}
SALES = 10_000
# A process has these descriptors besides the two of each sale: its open files, and the callers that ask meanwhile.
OTHER_DESCRIPTORS = 1_000
PATIENCE_S = 60
# This is longer than everything below takes, and than the longest wait that a terminal may ask for.
REQUEST_TIMEOUT, WAIT_S = "110s", 120
OPTIONS = "/v1/options?family=tv&produto=TV%20Livre"


def resident_kib(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def gateway_changes(sales):
    return {"limits.in_flight": sales, "provider.request_timeout": REQUEST_TIMEOUT}


class Hanging:
    """This is a peer whose provider hangs with all the sales, once it has been entered."""

    def __init__(self, kind, folder, sales, tls):
        self.kind, self.folder, self.sales = kind, folder, sales
        provider = free_port()
        changes = {"changes": gateway_changes(sales)} if kind is peers.Gateway else {}
        self.peer = kind(folder, provider, authority=tls.authority, **changes)
        self.options = dict(provider=provider, hang=True, target=self.peer.port, shape=kind.shape, connections=sales,
                            once=True, wait=WAIT_S, name="hang", key=peers.KEY, warm_up=0, seconds=0.2,
                            stretches=10_000, drain=0, **tls.rig)
        self.sold, self.others = 0, {}

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.rig = stack.enter_context(Rig(**self.options))
            stack.enter_context(self.peer)
            if self.kind is peers.Gateway:
                ask(self.peer.port, OPTIONS, 200)  # with this, the gateway knows them
            self.idle_kib = resident_kib(self.peer.process)
            began = time.monotonic()
            self.rig.begin(self.peer.process)
            self.turn_until(lambda line: line["held"] == self.sales, "sales at the provider", "held")
            self.seconds = time.monotonic() - began
            self.kib = self.line()["residentKib"] - self.idle_kib
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure):
        self.rig.stop()  # it watches the process of the peer for as long as it lives
        self._stack.__exit__(*failure)
        shutil.rmtree(self.folder)

    def line(self):
        found = self.rig.next()
        self.sold += found["terminals"]["sales"]
        for status, count in found["terminals"]["others"].items():
            self.others[status] = self.others.get(status, 0) + count
        return found

    def turn_until(self, done, what, field):
        until = time.monotonic() + PATIENCE_S
        while not done(found := self.line()):
            assert not self.others, f"{self.kind.name}: answers while the provider hung, by status: {self.others}"
            assert time.monotonic() < until, (
                f"{self.kind.name}: {found[field]} {what} after {PATIENCE_S} s, not {self.sales}")

    def release(self):
        """Lets the provider answer, and returns how long it takes until every terminal has its answer."""
        began = time.monotonic()
        self.rig.release()
        self.turn_until(lambda line: line["busy"] == 0, "terminals without an answer", "busy")
        assert self.sold == self.sales and not self.others, (
            f"{self.kind.name}: {self.sold} of {self.sales} were sold, others by status: {self.others}")
        return time.monotonic() - began


def ask(port, target, status):
    """Returns the answer to one question; it must have this status."""
    with Caller(port) as caller:
        answer = caller.get(target)
    assert answer.status == status, f"GET {target}: {answer.status} {answer.body[:300]!r}"
    return answer


class Lookers:
    """Looks for every sale, over a few connections: each by its key, and by the id that was found there."""

    def __init__(self, port, sales, callers, outcome):
        self.port, self.sales, self.outcome = port, sales, outcome
        self.slowest_s = 0.0
        self.ids = set()
        self.wrong = []
        threads = [threading.Thread(target=self._run, args=(first + 1, callers)) for first in range(callers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not self.wrong, f"{len(self.wrong)} sales were not found as {outcome}, one of them: {self.wrong[0]}"
        assert len(self.ids) == sales, f"{len(self.ids)} sales were found, not {sales}"

    def _run(self, first, step):
        try:
            with Caller(self.port) as caller:
                for number in range(first, self.sales + 1, step):
                    self._look(caller, f"hang-{number}")
        except (AssertionError, OSError, LookupError) as failure:
            self.wrong.append(repr(failure))

    def _look(self, caller, key):
        listed = caller.get(f"/v1/sales?key={key}")
        found = listed.json.get("sales", [])
        if len(found) != 1 or found[0]["outcome"] != self.outcome:
            self.wrong.append(f"{key}: {listed.status} {listed.body[:300]!r}")
            return
        one = caller.get(f"/v1/sales/{found[0]['id']}")
        if one.status != 200 or one.json["id"] != found[0]["id"]:
            self.wrong.append(f"{found[0]['id']}: {one.status} {one.body[:300]!r}")
        self.ids.add(found[0]["id"])
        self.slowest_s = max(self.slowest_s, listed.seconds, one.seconds)


def ask_while_it_hangs(hanging, callers):
    """Lists everything that needs no answer of the provider, in the order in which it is printed."""
    gateway = hanging.peer
    with Caller(gateway.port) as caller:
        refused = caller.sell("one-more")
    assert (refused.status, refused.json["code"]) == (503, "overloaded"), f"one sale more: {refused.body[:300]!r}"
    print(f"  one sale more: 503 overloaded in {refused.seconds * 1000:.1f} ms")
    admin = gateway.program.ports["admin"][1]
    for name, port, target in (("health", admin, "/healthz"), ("readiness", admin, "/readyz"),
                               ("metrics", admin, "/metrics"), ("options", gateway.port, OPTIONS),
                               ("a list", gateway.port, "/v1/sales?limit=50")):
        print(f"  {name}: 200 in {ask(port, target, 200).seconds * 1000:.1f} ms")
    began = time.monotonic()
    lookers = Lookers(gateway.port, hanging.sales, callers, "pending")
    print(f"  all {hanging.sales} found by key and by id in {time.monotonic() - began:.1f} s, the slowest answer in "
          f"{lookers.slowest_s * 1000:.1f} ms", flush=True)


def release(hanging, callers):
    gateway = hanging.peer
    seconds = hanging.release()
    left = gateway.await_settled(PATIENCE_S)
    final = gateway.metric("gateway_sales_final_total", family="tv", status="EFETIVADA")
    assert left == 0 and final == hanging.sales, f"{left} sales are not settled, {final:.0f} are EFETIVADA"
    Lookers(gateway.port, hanging.sales, callers, "sold")
    print(f"  the provider answers: all sold in {seconds:.1f} s, nothing left open; resident memory then "
          f"{(resident_kib(gateway.process) - hanging.idle_kib) / 1024:.1f} MiB above idle", flush=True)


def measure(name, folder, sales, arguments, tls):
    with Hanging(KINDS[name], folder / name, sales, tls) as hanging:
        kib = hanging.kib / sales
        print(f"{hanging.kind.name}: {kib:.1f} KiB a sale ({hanging.idle_kib / 1024:.1f} MiB idle), all at the provider "
              f"after {hanging.seconds:.1f} s", flush=True)
        if name == "gateway":
            ask_while_it_hangs(hanging, arguments.callers)
            release(hanging, arguments.callers)
    return kib


def main():
    parser = program.options(__doc__)
    parser.add_argument("--sales", type=int, default=SALES)
    parser.add_argument("--callers", type=int, default=4, help="connections that look for the sales")
    parser.add_argument("--tls", action="store_true", help="the provider speaks TLS, and its certificate is verified")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    room = (program.descriptors() - OTHER_DESCRIPTORS) // 2
    sales = min(arguments.sales, room)
    assert sales > 0, "too few files may be opened here: raise the limit (ulimit -Hn)"
    print(f"{sales} sales under way" + ("" if sales == arguments.sales else ", as many as descriptors allow here"))
    with program.folder("hanging-provider") as folder:
        tls = program.ProviderTls(folder, arguments.tls)
        results = {name: measure(name, folder, sales, arguments, tls) for name in arguments.only}
    for name, kib in results.items():
        if name != "gateway" and "gateway" in results:
            print(f"gateway : {KINDS[name].name:26} memory a sale {results['gateway'] / kib:.2f}")


if __name__ == "__main__":
    program.run(main)
