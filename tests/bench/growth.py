#!/usr/bin/python3
"""Measures whether anything takes longer once the journal is full: the processor time of a sale with 64 terminals, a
look-up of one sale by id, key and idExterno, the first page of a list (a terminal's, the operator's, and that of sales
that need a person), and a start. The journals have more and more finished sales, and the ratios are to the smallest.

The journals have real rows, multiplied. Every turn begins with the journal as it was filled (the largest ones are not
copied for that, and grow by the few sales of each turn). Medians are over the rounds; those of the look-ups are over
all of them. The benchmark also prints how much of the journal a sale takes, and the largest size of the write-ahead log
while sales were made.

    tests/bench/growth.py [--sales 10000 1000000] [--most 10000000] [--rounds 3] [--seconds 3] [--look-ups 500]
"""
import os
import random
import statistics

from lab import disk, peers, program
from lab.caller import Caller
from lab.fill import fill
from lab.first_sale import first_sale
from lab.rig import Rig, free_port
from lab.starting import start_and_sell

# Above this size, a copy for each turn takes longer than the turn, and a turn adds only a few sales to those that are
# there.
COPIED_SALES = 2_000_000
SALE_BYTES = 1300  # about so much room the disk must have for a sale
COLUMNS = {
    "start": "start until a sale is sold, ms", "sale": "processor time of a sale, µs",
    "id": "a sale by its id, µs", "key": "a sale by its key, µs", "idExterno": "a sale by idExterno, µs",
    "page": "first page, a terminal's, µs", "all": "first page, the operator's, µs",
    "attention": "sales that need a person, µs",
}


class Filled:
    """This is a gateway on a journal with so many finished sales."""

    def __init__(self, folder, sales, template, base):
        self.sales, self.template = sales, template
        self.provider = free_port()
        self.gateway = peers.Gateway(folder, self.provider)
        self.keep = folder / "filled.db" if sales <= COPIED_SALES else None
        filled = self.keep or self.gateway.journal
        disk.copy_journal(base, filled)
        fill(filled, (template, sales - 1))
        self.sale_bytes = disk.size(filled) / sales
        self.turns = 0
        self.figures = {column: [] for column in COLUMNS}
        self.log_bytes = 0

    def turn(self, arguments):
        if self.keep:
            disk.copy_journal(self.keep, self.gateway.journal)
        os.sync()  # else the measurement would wait for the copying itself
        self.turns += 1
        name = f"turn{self.turns}"
        with Rig(provider=self.provider, target=self.gateway.port, connections=arguments.terminals, name=name,
                 key=peers.KEY, spread_keys=True, warm_up=arguments.warm_up, seconds=arguments.seconds, at_least=1,
                 drain=60) as rig:
            try:
                seconds = start_and_sell(self.gateway.program, lambda: sell(self.gateway.port, name))
                self.figures["start"].append(seconds * 1e3)
                self.look_up(arguments.look_ups)
                self.sell(rig)
                self.gateway.stop()
            finally:
                self.gateway.kill()

    def look_up(self, times):
        template, gateway = self.template, self.gateway
        admin = gateway.program.ports["admin"][1]
        with Caller(gateway.port) as terminal, Caller(admin) as operator:
            for i in (random.randint(1, self.sales - 1) for _ in range(times)):
                wanted = template.id_of(i)
                self.ask("id", terminal, f"/v1/sales/{wanted}", lambda found: [found], wanted)
                self.ask("key", terminal, f"/v1/sales?key={template.key_of(i)}", sales_of, wanted)
                self.ask("idExterno", terminal, f"/v1/sales?idExterno={template.id_externo_of(i)}", sales_of, wanted)
            for _ in range(max(1, times // 10)):
                self.ask("page", terminal, "/v1/sales?limit=50", sales_of)
                self.ask("all", operator, "/v1/sales?limit=50", sales_of)
                self.ask("attention", operator, "/v1/sales?attention=true&limit=50", sales_of)

    def ask(self, column, caller, target, found_in, wanted=None):
        answer = caller.get(target)
        assert answer.status == 200, f"GET {target}: {answer.status} {answer.body[:300]!r}"
        if wanted:
            ids = [sale["id"] for sale in found_in(answer.json)]
            assert ids == [wanted], f"GET {target}: found {ids}, not {wanted}"
        self.figures[column].append(answer.seconds * 1e6)

    def sell(self, rig):
        with disk.Largest(f"{self.gateway.journal}-wal") as log:
            rig.begin(self.gateway.process)
            result, end = rig.next(), rig.next()
        sold = result["terminals"]
        assert sold["sales"] and not sold["others"] and not end["unanswered"], f"not every sale was sold: {result} {end}"
        self.figures["sale"].append(result["processorSeconds"] / sold["sales"] * 1e6)
        self.log_bytes = max(self.log_bytes, log.bytes)

    def median(self, column):
        return statistics.median(self.figures[column])


def sales_of(page):
    return page["sales"]


def sell(port, key):
    try:
        with Caller(port) as caller:
            return caller.sell(f"first-of-{key}").status
    except ConnectionRefusedError:
        return "not at all"


def report(journals):
    smallest = journals[0]
    print(f"{'finished sales in the journal':36}" + "".join(f"{journal.sales:>22,}" for journal in journals))
    for column, words in COLUMNS.items():
        cells = [f"{smallest.median(column):22.1f}"]
        cells += [f"{journal.median(column):14.1f} ({journal.median(column) / smallest.median(column):4.2f}×)"
                  for journal in journals[1:]]
        print(f"  {words:34}" + "".join(cells))
    print(f"  {'a sale in the journal, bytes':34}" + "".join(f"{journal.sale_bytes:22.0f}" for journal in journals))
    print(f"  {'write-ahead log at most, MiB':34}"
          + "".join(f"{journal.log_bytes / 2**20:22.1f}" for journal in journals), flush=True)


def main():
    parser = program.options(__doc__)
    parser.add_argument("--sales", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--most", type=int, default=0, help="a larger journal besides")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--terminals", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--warm-up", type=float, default=1)
    parser.add_argument("--look-ups", type=int, default=500, help="of each kind, in each turn")
    arguments = parser.parse_args()
    sizes = sorted({max(2, sales) for sales in (*arguments.sales, arguments.most) if sales > 0})
    with program.folder("growth") as folder:
        copies = sum(sales * (2 if sales <= COPIED_SALES else 1) for sales in sizes)
        program.need_room(folder, SALE_BYTES * copies / 2**30 + 1)
        base, template = first_sale(folder / "first")
        journals = []
        for sales in sizes:
            print(f"filling a journal with {sales} finished sales ...", flush=True)
            journals.append(Filled(folder / str(sales), sales, template, base))
        for _ in range(arguments.rounds):
            for journal in journals:
                journal.turn(arguments)
        report(journals)


if __name__ == "__main__":
    program.run(main)
