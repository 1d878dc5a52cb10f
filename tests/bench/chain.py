#!/usr/bin/python3
"""Measures what a journal on PostgreSQL costs beside one in a file, and how soon a dead gateway's sales are taken over.

Three sides take turns in one run, on one machine and one disk: a gateway with its journal in a file, which is the peer;
one on PostgreSQL 15; and two on a PostgreSQL with a synchronous standby, which share the terminals. Nothing is pinned
to a processor: gateways, servers, terminals and provider share all that the machine has. They are measured with
terminals that sell without a pause, with one terminal alone, and with one terminal beside others that sell at a store's
pace. Then one of the two gateways is killed while the provider confirms a sale that it owns, again and again. The
benchmark measures how long it takes until the other one owns that sale, has recorded its first step of it, and tells a
till, which asks at once, that it is sold.

The benchmark prints medians of the rounds, and before them their ratio to the peer's, with the least and the greatest
ratio of a round. Commits are those of the gateways' journals that wrote something, renewals of their leases included;
flushes are those of the primary's write-ahead log. It checks that every sale that a terminal was told is sold is sold
at the provider and in the journal, and the other way round, and all are settled.

    tests/bench/chain.py [--terminals 64 256] [--seconds 5] [--rounds 3] [--per-second 100] [--takeovers 9]
"""
import contextlib
import datetime
import random
import shutil
import sqlite3
import statistics
import time

from lab import disk, peers, processor, program
from lab.rig import Rig, free_port
from lab.servers import Server, Standby
from harness import orders
from harness.chain import Chain, outcome_of, sell_until_told, start_selling
from harness.postgres import PASSWORD
from harness.waiting import eventually

PATIENCE_S = 60
# PostgreSQL's processes report what they did at most this much later.
LATE_S = 1.5
# A gateway renews its lease once in so many seconds, and is killed at any moment between two renewals.
RENEWAL_S = 1
GIB = 4  # for journals, write-ahead logs and their copies, with room to spare
COUNTS = "SELECT count(*) FILTER (WHERE status = 'EFETIVADA'), count(*) FILTER (WHERE settled = 0) FROM sales"
CONFIRM = b"POST /venda/tv/confirmar"
# The other gateway confirms the sale that the dead gateway had begun to confirm.
CHANGES = {"sale.confirm_window": "1m", "provider.request_timeout": "20s"}

# These are the printed lines for a side's turns: the name, whether it is compared with the peer's, and how to get it
# from a turn.
FIGURES = {
    "sales a second": (True, lambda turn: turn["rate"]),
    "p50, ms": (True, lambda turn: turn["p50"]),
    "p99, ms": (True, lambda turn: turn["p99"]),
    "commits a sale": (False, lambda turn: turn["commits"]),
    "flushes a sale": (False, lambda turn: turn["flushes"]),
    "steps a commit": (False, lambda turn: turn["steps"]),
    "processor, µs a sale": (True, lambda turn: sum(turn["spent"])),
}
NAME, COLUMN = 22, 34  # widths


class OnFile:
    """This is a gateway with its journal in a file."""

    name = "SQLite"
    servers = ()

    def gateways(self, folder, provider):
        self.made = peers.Gateway(folder / "box", provider, wrapper=())
        return [self.made]

    def counts(self):
        with contextlib.closing(sqlite3.connect(self.made.journal)) as journal:
            return journal.execute(COUNTS).fetchone()

    def flushes(self):
        return None

    def end_turn(self):
        pass


class OnServers:
    """These are gateways whose journal is on the first of the servers. Each turn has a database of its own."""

    def __init__(self, name, boxes, *servers):
        self.name, self.boxes, self.servers = name, boxes, servers

    def gateways(self, folder, provider):
        self.database = self.servers[0].new_database()
        return [self.gateway(folder / box, provider, box) for box in self.boxes]

    def gateway(self, folder, provider, name):
        folder.mkdir()
        password = folder / "journal-password"
        password.touch(0o600)
        password.write_text(PASSWORD + "\n")
        return peers.Gateway(folder, provider, wrapper=(), changes={
            "journal.path": None,
            "journal.url": self.servers[0].url(self.database),
            "journal.password_file": str(password),
            "journal.gateway": name,
            "journal.tally_file": str(folder / "tally"),
        })

    def counts(self):
        return tuple(map(int, self.servers[0].sql(COUNTS, self.database)[0].split("|")))

    def flushes(self):
        return self.servers[0].flushes()

    def end_turn(self):
        self.servers[0].sql(f"DROP DATABASE {self.database}")
        for server in self.servers:
            server.catch_up()


class Load:
    """Says what the terminals do: so many of them sell without a pause, and others together at a pace."""

    def __init__(self, name, connections, others=0, per_second=0):
        self.name = name
        self.rig = {"connections": connections}
        if others:
            self.rig |= {"paced_connections": others, "per_second": per_second}


def turn(side, load, folder, arguments):
    """Measures one side under one load, once."""
    folder.mkdir()
    provider = free_port()
    gateways = side.gateways(folder, provider)
    with contextlib.ExitStack() as stack:
        rig = stack.enter_context(Rig(
            provider=provider, target=[gateway.port for gateway in gateways], key=peers.KEY, name="bench",
            delay_ms=arguments.delay_ms, warm_up=arguments.warm_up, seconds=arguments.seconds, at_least=1,
            drain=PATIENCE_S, **load.rig))  # fmt: skip
        for gateway in gateways:
            stack.enter_context(gateway)
        time.sleep(LATE_S if side.servers else 0)
        before = side.flushes(), commits_and_steps(gateways), spent_s(side, gateways)
        rig.begin(gateways[0].process)
        result, end = rig.next(), rig.next()
        spent = spent_s(side, gateways)
        left = gateways[0].await_settled(PATIENCE_S)
        commits, steps = (now - then for now, then in zip(commits_and_steps(gateways), before[1]))
    check(side, load, result, end, left)
    # All connections of the gateways to the servers have ended by now, so nothing is reported late.
    flushes = None if before[0] is None else side.flushes() - before[0]
    side.end_turn()
    shutil.rmtree(folder)
    sales, sold = end["told"], result["terminals"]
    return {
        "rate": sold["perSecond"] + result["paced"]["perSecond"],
        "p50": sold["p50Us"] / 1000,
        "p99": sold["p99Us"] / 1000,
        "commits": commits / sales,
        "steps": steps / commits,
        "flushes": None if flushes is None else flushes / sales,
        "spent": [(now - then) / sales * 1e6 for now, then in zip(spent, before[2])],
    }


def commits_and_steps(gateways):
    """For all gateways together, the journal's commits that wrote something, and how much they wrote."""
    return [sum(gateway.metric(f"gateway_journal_{what}_total") for gateway in gateways) for what in ("commits", "steps")]


def spent_s(side, gateways):
    """Returns the processor time of all gateways together, and that of each server."""
    return [sum(processor.spent_s(gateway.process) for gateway in gateways),
            *(server.spent_s() for server in side.servers)]


def check(side, load, result, end, left):
    what = f"{side.name}, {load.name}"
    for group in ("terminals", "paced"):
        assert not result[group]["others"], f"{what}: not every sale was sold: {result} {end}"
    assert end["told"] and not end["unanswered"], f"{what}: not every sale was answered: {result} {end}"
    assert not end["toldOnly"] and not end["soldOnly"], f"{what}: the provider and the terminals do not agree: {end}"
    assert left == 0, f"{what}: {left} sales are not settled"
    sold, unsettled = side.counts()
    assert (sold, unsettled) == (end["told"], 0), f"{what}: the journal has {sold} sold, {unsettled} not settled: {end}"
    if end["skipped"]:
        print(f"  {what}: {end['skipped']} of the others' sales found all their terminals busy")


def measure(sides, load, folder, arguments):
    turns = {side: [] for side in sides}
    flushes, growing = [], []
    for _ in range(arguments.rounds):
        for side in sides:
            for found, longer in ((flushes, False), (growing, True)):
                found += disk.flushes_s(folder, 0, arguments.flushes, longer)
            turns[side].append(turn(side, load, folder / "turn", arguments))
    print(f"{load.name}, a provider that takes {arguments.delay_ms} ms a call; a flush of the disk takes "
          f"{statistics.median(flushes) * 1000:.2f} ms, one that makes a file longer "
          f"{statistics.median(growing) * 1000:.2f}")
    print(f"  {'':{NAME}}" + "".join(f"{side.name:>{COLUMN}}" for side in sides))
    for name, (compared, value) in FIGURES.items():
        columns = [[value(one) for one in turns[side]] for side in sides]
        print(f"  {name:{NAME}}" + "".join(f"{cell(column, columns[0], compared):>{COLUMN}}" for column in columns))
    spent = (", ".join(f"{statistics.median(part):.0f}" for part in zip(*(one["spent"] for one in turns[side])))
             for side in sides)  # fmt: skip
    print(f"  {'of gateways, servers':{NAME}}" + "".join(f"{parts:>{COLUMN}}" for parts in spent), flush=True)


def cell(column, of_peer, compared):
    """Returns the median of a side's turns; for a compared value, after its ratio to the peer's and those of the
    rounds."""
    if None in column:
        return "-"
    figure = statistics.median(column)
    text = f"{figure:.0f}" if figure >= 1000 else f"{figure:.2f}"
    if not compared or column is of_peer:
        return text
    rounds = [here / there for here, there in zip(column, of_peer)]
    return f"{figure / statistics.median(of_peer):.2f} ({min(rounds):.2f} to {max(rounds):.2f})  {text}"


def take_over(folder, server, count):
    """Kills one of two gateways after the other, each while it owns a sale."""
    folder.mkdir()
    chain = Chain(folder, server, CHANGES)
    try:
        dying, heir = chain.start()
        times = []
        for _ in range(count):
            times.append(one_taken_over(chain, dying, heir))
            dying.start_ready()
            dying, heir = heir, dying
        chain.check_books()
    finally:
        chain.close()
    print(f"a gateway killed while the provider confirms a sale of it, {count} times: seconds until")
    for what, column in zip(("another one owns it", "that one has recorded its first step of it",
                             "a till is told that it is sold"), zip(*times)):  # fmt: skip
        print(f"  {what:44} {statistics.median(column):.2f} ({min(column):.2f} to {max(column):.2f})", flush=True)
    print("wanted: of the two gateways 0.5 of the file's sales a second; of a lone sale 3 commits; a takeover within 8 s")


def one_taken_over(chain, dying, heir):
    order, key = orders.tv(), orders.new_key()
    confirmed = chain.sandbox.seen("confirmar", "tv")
    lost = chain.gate.arm(CONFIRM, mute=True)
    call = start_selling(dying, order, key)
    eventually(lambda: lost.hits == 1 and chain.sandbox.seen("confirmar", "tv") > confirmed, "it is being confirmed")
    time.sleep(random.uniform(0, RENEWAL_S))
    killed_at = time.time()
    dying.kill()
    assert outcome_of(call.result()) == "pending"
    sale = sell_until_told([heir], order, key, wait=PATIENCE_S).of(200).json
    told_at = time.time()
    assert sale["outcome"] == "sold", sale
    assert chain.settled(sale["id"], at=heir)["status"] == "EFETIVADA" == chain.in_books(sale), sale
    # The log says when. It has a step once the journal has it, and the provider's yes is the first step.
    steps = [heir.await_event("sale.step", step=step, sale=sale["id"]) for step in ("adopted", "confirmar")]
    known = f"SELECT count(*) FROM story WHERE sale = '{sale['id']}' AND event = 'confirmar'"
    assert chain.sql(known) == ["1"] and not dying.events("sale.step", step="confirmar", sale=sale["id"]), sale
    times = [datetime.datetime.fromisoformat(step["time"]).timestamp() for step in steps]
    return [at - killed_at for at in (*times, told_at)]


def main():
    parser = program.options(__doc__)
    parser.add_argument("--terminals", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--per-second", type=float, default=100, help="a store's pace")
    parser.add_argument("--others", type=int, default=50, help="terminals that share it")
    parser.add_argument("--delay-ms", type=int, default=0, help="what the provider takes for a call")
    parser.add_argument("--flushes", type=int, default=20, help="how often a flush is measured, before each turn")
    parser.add_argument("--takeovers", type=int, default=9)
    arguments = parser.parse_args()
    with program.folder("chain") as folder, contextlib.ExitStack() as stack:
        program.need_room(folder, GIB)
        alone, primary = (stack.enter_context(contextlib.closing(Server())) for _ in range(2))
        standby = stack.enter_context(contextlib.closing(Standby(primary)))
        sides = [
            OnFile(),
            OnServers("PostgreSQL", ["box-1"], alone),
            OnServers("PostgreSQL, standby, 2 gateways", ["box-1", "box-2"], primary, standby),
        ]
        loads = [Load(f"{count} terminals that sell without a pause", count) for count in arguments.terminals]
        loads.append(Load("one terminal alone", 1))
        loads.append(Load(f"one terminal, and {arguments.per_second:g} sales a second by others", 1, arguments.others,
                          arguments.per_second))  # fmt: skip
        for load in loads:
            measure(sides, load, folder, arguments)
        if arguments.takeovers:
            take_over(folder / "taken-over", primary, arguments.takeovers)


if __name__ == "__main__":
    program.run(main, "postgres-client.so")
