#!/usr/bin/python3
"""Reconciles a statement of a million rows while sales go on. It measures how long that takes, how much memory the
gateway takes for it at most, and how long a terminal's sales take meanwhile, compared with sales without it in the same
run.

The statement is of a day whose sales the journal has: real rows, multiplied. Three statements are brought, one after
the other:

    right     every row agrees; the rows that are not ours are of other stores of the network
    findings  the same, and of as many rows as findings are kept of one statement the amount is another
    refused   as long as a statement may be, rows of other stores, and its last line is no row

Terminals sell at a steady pace together; each sale's time is counted from when it was due. The peak of the resident
memory is the kernel's (VmHWM).

    tests/bench/million_rows.py [--rows 1000000] [--ours 50] [--findings 10000] [--refused-mib 128]
                                [--terminals 20] [--per-second 50] [--seconds 20] [--only NAME ...]
"""
import contextlib
import datetime
import os
import pathlib
import threading
import time

from lab import OTHERS, disk, peers, program
from lab.caller import ORDER, Caller
from lab.fill import Template, day_of, fill
from lab.first_sale import first_sale
from lab.rig import Rig, free_port
from harness.processes import LOJA_A

KINDS = ("right", "findings", "refused")
COLUMNS = ("idExterno", "idTransacao", "nsu", "estabelecimento", "valor", "status", "dataHora")
CHANGES = {
    "store.timezone": "America/Sao_Paulo",
    "statement.detail.column": 1,
    "statement.detail.text": "1",
} | {f"statement.columns.{name}": number for number, name in enumerate(COLUMNS, 2)}
OTHER_STORE = "99999999"
VALOR = 4900
SALE_BYTES = 1300  # about so much room the disk must have for a sale
PATIENCE_S = 3600
MOMENTS = 5  # so many of the moments in which sales were slow are printed
assert f'"valor": {VALOR}' in ORDER.decode()


class Day:
    """Makes what the provider has of a day: `ours` of a hundred rows are copies of a sale in the journal."""

    def __init__(self, date, template, id_transacao, ours):
        self.date, self.template, self.ours = date, template, ours
        self.id_transacao = id_transacao
        self.stranger = Template(template.id, template.id_externo, template.key, "9")

    def ours_of(self, rows):
        return rows * self.ours // 100

    def row(self, number, other_amounts=0):
        """Our rows come evenly among the others; the first ones of ours have another amount."""
        before = self.ours_of(number - 1)
        is_ours = self.ours_of(number) > before
        id_externo = self.template.id_externo_of(before + 1) if is_ours else self.stranger.id_externo_of(number)
        id_transacao, store = (self.id_transacao, LOJA_A) if is_ours else (f"x{number:09}", OTHER_STORE)
        valor = VALOR + (is_ours and before < other_amounts)
        second = number % 86_400
        at = f"{self.date}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}-03:00"
        return f"1;{id_externo};{id_transacao};{number:09};{store};{valor};EFETIVADA;{at}\n"

    def statement(self, rows, other_amounts):
        lines = [self.header(rows, rows * VALOR + other_amounts)]
        lines += (self.row(number, other_amounts) for number in range(1, rows + 1))
        return "".join(lines).encode()

    def refused(self, size):
        """Makes so many bytes, and returns how many lines they are."""
        end = "1;this is no row\n"
        stranger = Day(self.date, self.template, self.id_transacao, ours=0)
        header = stranger.header(0, 0)
        rows = (size - len(header) - len(end)) // len(stranger.row(1))
        lines = [header, *(stranger.row(number) for number in range(1, rows + 1)), end]
        return "".join(lines).encode(), len(lines)

    def header(self, rows, total):
        written, movement = (day.strftime("%d%m%Y") for day in (self.date + datetime.timedelta(days=1), self.date))
        return f"0;1234;REDE;;{written};{movement};{rows};{total};0;0;\n"


class Till(threading.Thread):
    """This terminal sells at a steady pace until it is told to stop. It keeps when each sale was due, and how long it
    took since."""

    def __init__(self, port, key, begin, pause):
        super().__init__(daemon=True)
        self.port, self.key, self.due, self.pause = port, key, begin, pause
        self.times = []
        self.refusal = None
        self.over = threading.Event()

    def run(self):
        with Caller(self.port) as caller:
            while not self.over.wait(max(0, self.due - time.monotonic())):
                answer = caller.sell(f"{self.key}-{len(self.times)}")
                if answer.status != 200:
                    self.refusal = f"a sell is answered {answer.status} {answer.body[:300]!r}"
                    return
                self.times.append((self.due, time.monotonic() - self.due))
                self.due += self.pause


class Store:
    """Its terminals sell so often in a second together, one after the other."""

    def __init__(self, port, name, terminals, per_second):
        begin = time.monotonic()
        self.pause = terminals / per_second
        self.tills = [Till(port, f"{name}-{number}", begin + number / per_second, self.pause)
                      for number in range(terminals)]

    def __enter__(self):
        for till in self.tills:
            till.start()
        return self

    def __exit__(self, *_):
        for till in self.tills:
            till.over.set()
        for till in self.tills:
            till.join()

    def watch(self, work):
        """Returns its result, and the sales that were waited for meanwhile, the quickest first: when each was due, in
        seconds from the beginning, and the milliseconds that it took."""
        began = time.monotonic()
        result = work()
        ended = max(time.monotonic(), began + self.pause)  # each terminal has one
        found = []
        for till in self.tills:
            while till.due < ended:  # the last one that is due meanwhile has no answer yet
                assert till.is_alive(), till.refusal or "a terminal has stopped"
                time.sleep(0.01)
            found += [(took * 1e3, due - began) for due, took in till.times if began < due + took and due < ended]
        return result, [(due, ms) for ms, due in sorted(found)]


class Memory:
    """Measures the resident memory of a process, in MiB. Its peak counts from here or, if that is not allowed, from its
    start."""

    def __init__(self, process):
        self.folder = pathlib.Path("/proc") / str(process)
        with contextlib.suppress(PermissionError):
            (self.folder / "clear_refs").write_text("5")
        self.before = self.now()

    def now(self):
        return self._read("VmRSS")

    def peak(self):
        return self._read("VmHWM")

    def _read(self, name):
        for line in (self.folder / "status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
        raise AssertionError(f"{self.folder}/status says nothing of {name}")


class Bench:
    def __init__(self, arguments, gateway, day):
        self.arguments, self.gateway, self.day = arguments, gateway, day

    def bring(self, kind):
        arguments = self.arguments
        rows, differing = arguments.rows, arguments.findings if kind == "findings" else 0
        if kind == "refused":
            file, lines = self.day.refused(arguments.refused_mib * 2**20)
            words = f"a statement of {lines:,} lines whose last one is no row"
        else:
            file, lines = self.day.statement(rows, differing), rows + 1
            words = (f"a statement of {rows:,} rows, {self.day.ours_of(rows):,} of them ours, {differing:,} with another "
                     "amount")
        print(f"{kind}: {words}, {len(file) / 2**20:.1f} MiB")
        with Store(self.gateway.port, kind, arguments.terminals, arguments.per_second) as store:
            time.sleep(arguments.warm_up)
            _, quiet = store.watch(lambda: time.sleep(arguments.seconds))
            memory = Memory(self.gateway.process)
            with Caller(self.gateway.program.ports["admin"][1], PATIENCE_S) as operator:
                answer, meanwhile = store.watch(
                    lambda: operator.post(f"/v1/statements?day={self.day.date}", "text/plain", file))
            peak = memory.peak()
            time.sleep(arguments.warm_up)
            after = memory.now()
        self.check(kind, answer, lines)
        print(f"  taken after {answer.sent:.2f} s, answered after {answer.seconds:.2f} s: "
              f"{lines / answer.seconds:,.0f} lines a second")
        print(f"  resident memory: {memory.before:.1f} MiB before, at most {peak:.1f} ({peak - memory.before:+.1f}, "
              f"{(peak - memory.before) / (len(file) / 2**20):.2f} of the statement's size), {after:.1f} afterwards")
        report(arguments.per_second, quiet, meanwhile)

    def check(self, kind, answer, lines):
        told = f"{kind}: answered {answer.status} {answer.body[:300]!r}"
        if kind == "refused":
            assert answer.status == 422, told
            assert (answer.json["code"], answer.json["line"]) == ("unreadable_line", lines), told
            return
        assert answer.status == 201, told
        kept, rows = answer.json["statement"], self.arguments.rows
        findings = self.arguments.findings if kind == "findings" else 0
        ours = self.day.ours_of(rows)
        found = tuple(kept[name] for name in ("rows", "matched", "others", "findings"))
        assert found == (rows, ours - findings, rows - ours, findings), told


def report(per_second, quiet, meanwhile):
    print(f"  {f'{per_second:g} sales a second, ms':28} {'p50':>9} {'p99':>9} {'slowest':>9}")
    figures = [[took_at(sales, part) for part in (0.5, 0.99, 1)] for sales in (quiet, meanwhile)]
    for words, row in zip(("without a statement", "meanwhile"), figures):
        print(f"  {words:28} " + " ".join(f"{ms:9.2f}" for ms in row))
    print(f"  {'ratio':28} " + " ".join(f"{after / before:9.2f}" for before, after in zip(*figures)))
    moments = [f"at {due:.1f} s ({took:.0f} ms)" for due, took in slow_moments(meanwhile)]
    print("  the slowest were due " + ", ".join(moments), flush=True)


def slow_moments(sales):
    """Returns the slowest sale, and others that are a second away from every slower one: they waited for something
    else."""
    moments = []
    for due, took in reversed(sales):
        if all(abs(due - other) >= 1 for other, _ in moments):
            moments.append((due, took))
        if len(moments) == MOMENTS:
            break
    return sorted(moments)


def took_at(sales, part):
    return sales[min(len(sales) - 1, int(part * len(sales)))][1]


def main():
    parser = program.options(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of a statement")
    parser.add_argument("--ours", type=int, default=50, help="of a hundred rows, which the journal has")
    parser.add_argument("--findings", type=int, default=10_000, help="rows with another amount")
    parser.add_argument("--refused-mib", type=int, default=128, help="size of the statement that is refused")
    parser.add_argument("--terminals", type=int, default=20)
    parser.add_argument("--per-second", type=float, default=50, help="sales of all terminals")
    parser.add_argument("--seconds", type=float, default=20, help="of sales without a statement, before each")
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    ours = arguments.rows * arguments.ours // 100
    if not arguments.findings <= ours:
        parser.error("--findings must be among the rows that are ours")
    if OTHERS:
        os.sched_setaffinity(0, {int(OTHERS)})
    with program.folder("million-rows") as folder:
        program.need_room(folder, SALE_BYTES * ours / 2**30 + 1)
        base, template = first_sale(folder / "first")
        provider = free_port()
        gateway = peers.Gateway(folder / "gateway", provider, changes=CHANGES)
        disk.copy_journal(base, gateway.journal)
        print(f"filling a journal with {ours} sales of the day ...", flush=True)
        fill(gateway.journal, (template, ours), sales_a_day=max(1, ours))
        os.sync()  # else the measurement would wait for the filling itself
        with Rig(provider=provider, name="none"), gateway:
            with Caller(gateway.port) as caller:
                first = caller.get(f"/v1/sales/{template.id}").json
            yesterday = day_of(base, template) - datetime.timedelta(days=1)
            bench = Bench(arguments, gateway, Day(yesterday, template, first["idTransacao"], arguments.ours))
            for kind in arguments.only:
                bench.bring(kind)


if __name__ == "__main__":
    program.run(main)
