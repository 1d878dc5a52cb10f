#!/usr/bin/python3
"""Measures whether the cost of a day's totals and close depends on the day or on the journal. It asks for the totals of
one past day, by family and terminal, and closes that day, with journals of more and more finished sales, each with the
same number of sales a day, and prints ratios to the smallest journal.

The journals have real rows, multiplied, with days that go back from yesterday. Each round has a day of its own, the
oldest first, as a store closes them: its totals are asked for several times, and then it is closed, in each journal in
turns. Medians are over the rounds; those of the totals are over all of them.

    tests/bench/day_totals.py [--sales 10000 1000000] [--most 10000000] [--a-day 2000] [--rounds 5] [--asks 20]
"""
import datetime
import json
import os
import statistics

from lab import disk, peers, program
from lab.caller import ORDER, Caller
from lab.fill import day_of, fill
from lab.first_sale import first_sale
from lab.rig import Rig, free_port

SALE_BYTES = 1300  # about so much room the disk must have for a sale
VALOR = json.loads(ORDER)["valor"]
COLUMNS = {"totals": "totals of a day, ms", "close": "a close of it, ms"}


class Filled:
    """This is a gateway on a journal with so many finished sales."""

    def __init__(self, folder, sales, template, base, a_day):
        self.sales, self.a_day = sales, a_day
        self.provider = free_port()
        self.gateway = peers.Gateway(folder, self.provider)
        disk.copy_journal(base, self.gateway.journal)
        fill(self.gateway.journal, (template, sales), sales_a_day=a_day)
        self.figures = {column: [] for column in COLUMNS}

    def turn(self, day, asks):
        with Rig(provider=self.provider, name="none"), self.gateway:
            assert not self.gateway.program.events("journal.dated"), "the copies have no movement days"
            with Caller(self.gateway.program.ports["admin"][1]) as operator:
                for _ in range(asks):
                    self.ask(operator, day)
                self.close(operator, day)

    def ask(self, operator, day):
        answer = operator.get(f"/v1/totals?day={day}&by=family,terminal")
        assert answer.status == 200, f"totals of {day}: {answer.status} {answer.body[:300]!r}"
        groups = answer.json["groups"]
        assert len(groups) == 1, f"totals of {day}: {groups}"
        self.check(day, groups[0]["sold"])
        self.figures["totals"].append(answer.seconds * 1e3)

    def close(self, operator, day):
        answer = operator.post("/v1/closes", "application/json", json.dumps({"day": str(day)}).encode())
        assert answer.status == 201, f"close of {day}: {answer.status} {answer.body[:300]!r}"
        # The other establishment sold nothing on that day.
        totals = [close["totals"]["total"]["sold"] for close in answer.json["closes"]]
        self.check(day, max(totals, key=lambda sold: sold["count"]))
        self.figures["close"].append(answer.seconds * 1e3)

    def check(self, day, sold):
        expected = {"count": self.a_day, "valor": self.a_day * VALOR}
        assert sold == expected, f"{day} has {sold} with {self.sales} sales in the journal, and not {expected}"

    def median(self, column):
        return statistics.median(self.figures[column])


def report(journals, a_day):
    smallest = journals[0]
    print(f"{f'finished sales, {a_day:,} of them a day':36}" + "".join(f"{journal.sales:>22,}" for journal in journals))
    for column, words in COLUMNS.items():
        cells = [f"{smallest.median(column):22.2f}"]
        cells += [f"{journal.median(column):14.2f} ({journal.median(column) / smallest.median(column):4.2f}×)"
                  for journal in journals[1:]]
        print(f"  {words:34}" + "".join(cells), flush=True)


def main():
    parser = program.options(__doc__)
    parser.add_argument("--sales", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--most", type=int, default=0, help="a larger journal besides")
    parser.add_argument("--a-day", type=int, default=2_000, help="sales of each day")
    parser.add_argument("--rounds", type=int, default=5, help="days, one after the other")
    parser.add_argument("--asks", type=int, default=20, help="how often the totals of each day are asked for")
    arguments = parser.parse_args()
    sizes = sorted({max(arguments.rounds * arguments.a_day, sales)
                    for sales in (*arguments.sales, arguments.most) if sales > 0})
    with program.folder("day-totals") as folder:
        program.need_room(folder, SALE_BYTES * sum(sizes) / 2**30 + 1)
        base, template = first_sale(folder / "first")
        today = day_of(base, template)
        journals = []
        for sales in sizes:
            print(f"filling a journal with {sales} finished sales ...", flush=True)
            journals.append(Filled(folder / str(sales), sales, template, base, arguments.a_day))
        os.sync()  # else the measurement would wait for the filling itself
        for back in range(arguments.rounds, 0, -1):
            for journal in journals:
                journal.turn(today - datetime.timedelta(days=back), arguments.asks)
        report(journals, arguments.a_day)


if __name__ == "__main__":
    program.run(main)
