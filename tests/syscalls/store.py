"""Makes a store whose gateway runs under the injector, with tills, and compares the three books: what tills were told,
the journal as SQL reads it, and the provider's."""
import contextlib
import json
import pathlib
import re
import sqlite3
import time

import wire
from harness import orders
from harness.client import Operator
from harness.gate import bound
from harness.processes import Gateway, Sandbox, configuration, key_of
from harness.shop import QUICK
from harness.waiting import eventually
from history import Call as Told
from injector import LIMIT_S, Injector
from judge import fault_of
from record import answer_of, request_of

TERMINAL = "caixa-01"
wire.LIMIT_S = LIMIT_S
# The gateway's times are short, so that every sale comes to rest soon.
CHANGES = {
    "provider.connect_timeout": "500ms",
    "provider.request_timeout": "500ms",
    "sale.confirm_window": "2s",
    "sale.late_arrival": "50ms",
    "limits.sell_wait": "3s",
    "limits.drain": "1s",
    "limits.per_terminal_rate": 100000,
    "store.timezone": "America/Sao_Paulo",
    "statement.covers": "this",
    "statement.detail.column": 1,
    "statement.detail.text": "1",
    "statement.words.AUTORIZADA": ["AUTORIZADA", "PENDENTE"],
}
_COLUMNS = ("idExterno", "idTransacao", "nsu", "estabelecimento", "valor", "status", "dataHora")
CHANGES |= {f"statement.columns.{name}": column for column, name in enumerate(_COLUMNS, 2)}
FINAL = ("sold", "not_sold")


class Violation(AssertionError):
    """The gateway has broken a promise."""


def law(holds, what):
    if not holds:
        raise Violation(what)


class Till:
    """This is one sale of the till, with every call that it made about it."""

    def __init__(self, place, order):
        self.key, self.till, self.order, self.id = orders.new_key(), TERMINAL, order, None
        self.calls = []
        self._line = wire.Line(place)

    @property
    def outcome(self):
        """Returns what the last call was told."""
        return self.calls[-1].answer and self.calls[-1].answer.outcome

    def decide(self, kind):
        """Confirms or cancels the sale, if it is held."""
        answer = self.call("sell")
        if answer and answer.outcome == "held":
            self.call(kind)

    def ask_only(self, kind):
        """Makes a call, and hangs up without waiting for its answer."""
        begin = time.monotonic_ns()
        self._line.connect()
        self._line.send(request_of(kind, self, key_of(TERMINAL), 3, self.order))
        self._line.hang_up()
        self.calls.append(Told(TERMINAL, self.key, kind, begin))

    def call(self, kind):
        """Makes a call on a connection of its own. Returns the answer, or nothing where none came."""
        request = request_of(kind, self, key_of(TERMINAL), 3, self.order)
        begin = time.monotonic_ns()
        try:
            self._line.connect()
            came = self._line.exchange(request)
        except wire.NotSent:
            came = None
        except AssertionError as failure:
            raise Violation(f"the gateway hangs: {kind} was not answered in {LIMIT_S} s") from failure
        self._line.hang_up()
        answer = came and answer_of(kind, *came)
        is_sell = kind == "sell"
        end, order = time.monotonic_ns() if answer else None, self.key if is_sell else None
        is_manual = is_sell and self.order.get("confirm") == "manual"
        self.calls.append(Told(TERMINAL, self.key, kind, begin, end, order, is_manual, answer))
        if answer and answer.id:
            self.id = answer.id
        return answer


class Store:
    def __init__(self, folder, tool, changes):
        self.folder, self.tool = pathlib.Path(folder), tool
        # A callback is repeated for longer than a start takes.
        self.sandbox = Sandbox(self.folder, QUICK | {"--callback-retry": "150ms"})
        document = configuration(self.folder, self.sandbox.url, self.sandbox.url, CHANGES | changes)
        self.gateway = Gateway(self.folder, document)
        self._kept = {name: bound() for name in ("terminals", "callbacks", "admin")}  # the ports stay the same
        self.gateway.ports = {name: kept.getsockname() for name, kept in self._kept.items()}
        for name, (address, port) in self.gateway.ports.items():
            document["listen"][name] = f"{address}:{port}"
        document["provider"]["callback_url"] = "http://" + document["listen"]["callbacks"]
        self.gateway.write_config()
        self.place = wire.Place()
        self.injector = None
        self.tills = []  # their sales have not been compared yet
        self._said = 0

    # --- the gateway ---

    @property
    def runs(self):
        return bool(self.gateway.runs) and self.gateway.run.running()

    def launch(self, injector=None):
        """Starts the gateway without waiting for anything, perhaps under an injector that has its first command."""
        self._forget_runs()
        self.injector = injector
        self.gateway.wrapper = injector.wrapper if injector else []
        self.gateway.pass_fds = injector.pass_fds if injector else ()
        self.gateway.launch()
        if injector:
            injector.started()

    def _forget_runs(self):
        for old in self.gateway.runs:
            old.out.unlink(missing_ok=True)
        self.gateway.runs.clear()
        if self.injector:
            self.injector.close()
        self.injector = None

    def is_up(self):
        """Waits until the gateway takes calls. Returns whether it does; it may have ended instead."""
        end = time.monotonic() + LIMIT_S / 4  # then the line may be lost, with a write that failed

        def look():
            has_said = '"event":"started"' in self.gateway.run.text()
            return not self.runs or has_said or (time.monotonic() > end and not self._reasons())

        with hanging("the gateway neither starts nor ends"):
            eventually(look, "it has started", LIMIT_S)
        if self.runs:
            self.place.move(self.gateway.ports["terminals"])
        return self.runs

    def start(self, names=()):
        """Starts it and waits until it is ready. The injector will look at the calls with these names; None: at all."""
        injector = None if names == () else Injector(self.tool, names)
        if injector:
            injector.go()
        self.launch(injector)
        law(self.is_up(), f"the gateway does not start any more: {self.last_words()}")
        self.await_ready()

    @property
    def admin(self):
        return Operator(self.gateway.ports["admin"])

    def _reasons(self):
        try:
            answer = self.admin.request("GET", "/readyz", timeout=LIMIT_S)
        except TimeoutError as failure:
            raise Violation("the gateway hangs: /readyz is not answered") from failure
        except OSError as failure:
            return [repr(failure)] if self.runs else ["it has ended"]
        return [] if answer.status == 200 else answer.json.get("reasons") or [answer.json["detail"]]

    def await_ready(self, limit=LIMIT_S):
        """Waits until it is ready. Returns the reasons that it gives, if it is not ready in the end."""
        with contextlib.suppress(AssertionError):
            eventually(lambda: not self.runs or not self._reasons(), "it is ready", limit)
        return self._reasons()

    def last_words(self):
        run = self.gateway.run
        return f"status {run.child.poll()}; {run.errors()[-600:]!r}; {run.text()[-600:]!r}"

    def mark(self):
        """Forgets what the gateway has said until now."""
        self._said = len(self.gateway.lines(self.gateway.run))

    def explanation(self):
        """Returns what the run says about itself since the mark: its errors, what it warns of in the log, and each step
        of a sale that did not go well."""
        lines = self.gateway.lines(self.gateway.run)[self._said :]
        loud = [line["event"] for line in lines if line["level"] in ("warn", "error") or line.get("known") == "unknown"]
        return self.gateway.run.errors().splitlines() + loud

    def alter_notes(self, boot=False, log=False):
        """Alters in the lock file on which boot the gateway ran, or on which file the log of the journal stands."""
        file = self.folder / "journal.db.lock"
        notes = file.read_text()
        for wanted, before in ((boot, r"(?<= on boot )\S+"), (log, r"(?<= on file )\S+")):
            altered, found = re.subn(before, lambda one: one[0][::-1], notes)
            law(found == 1, f"the lock file has no {before}: {notes}")
            notes = altered if wanted else notes
        file.write_text(notes)

    def end_window(self, kills):
        """Ends the injector's window. Returns its report. If the fault `kills` and was met, the gateway is dead."""
        report = self.injector.end()
        if report.status >= 0 or (kills and report.hits):
            self.gateway.run.child.wait(LIMIT_S)
        return report

    def end(self):
        """Kills the gateway."""
        self.place.leave()
        if self.gateway.runs:
            self.gateway.run.kill()

    def close(self):
        self.end()
        self._forget_runs()
        self.sandbox.kill()
        for kept in self._kept.values():
            kept.close()

    # --- tills ---

    def till(self, order=None):
        self.tills.append(Till(self.place, order or orders.tv()))
        return self.tills[-1]

    def sell(self):
        """Sells one without a fault."""
        till = Till(self.place, orders.tv())
        answer = till.call("sell")
        law(answer and answer.outcome == "sold", f"without any fault a sell is answered with {answer}")
        return till

    # --- the three books ---

    @contextlib.contextmanager
    def _journal(self):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/journal.db?mode=ro", uri=True)) as journal:
            journal.row_factory = sqlite3.Row
            yield journal

    def ask(self, question, *parameters):
        with self._journal() as journal:
            return journal.execute(question, parameters).fetchall()

    def _provider(self):
        return {entry["idExterno"]: entry for entry in self.sandbox.transactions(history=True)}

    def row_of(self, till):
        rows = self.ask("SELECT * FROM sales WHERE key = ?1", till.key)
        law(len(rows) <= 1, f"the key {till.key} has {len(rows)} sales")
        return rows[0] if rows else None

    def compare(self):
        """Waits until everything that tills have sold is at rest, and compares the books."""
        for till in self.tills:
            with hanging("a sale does not come to rest"):
                eventually(lambda: self._is_at_rest(till), f"the sale of {till.key} is settled", LIMIT_S)
            wrong = fault_of(till.calls)
            law(not wrong, f"{wrong} {[call.answer for call in till.calls]}")
        provider = self._provider()
        known = {row["id_externo"] for row in self.ask("SELECT id_externo FROM id_externos")}
        law(provider.keys() <= known, f"the provider knows what the journal does not: {provider.keys() - known}")
        rows = {row["key"]: row for row in self.ask("SELECT * FROM sales")}
        for row in rows.values():
            _compare_with_provider(row, _at_provider(row, provider))
        for till in self.tills:
            law(till.key in rows, f"{till.key} was told {till.outcome}, and there is no sale")
            _compare_with_told(rows[till.key], till, _at_provider(rows[till.key], provider))
        law(self.ask("PRAGMA quick_check")[0][0] == "ok", "the journal is damaged")
        departures = self.sandbox.requests()["departures"]
        law(departures["count"] == 0, json.dumps(departures))
        self.tills.clear()

    def _is_at_rest(self, till):
        """Repeats the sell, as a till does that was not told how it ended. Returns whether it is told, and nothing is
        left to do."""
        answer, row = till.call("sell"), self.row_of(till)
        if row is not None and row["attention"] != "none" and not _at_provider(row, self._provider()):
            return True
        return answer and answer.outcome in FINAL and (row is None or row["settled"])


def _at_provider(row, provider):
    """Returns what the provider's books have of the attempts of a sale."""
    attempts = [attempt["idExterno"] for attempt in json.loads(row["attempts"])]
    return [provider[one] for one in attempts if one in provider]


def _compare_with_provider(row, theirs):
    law(all(one["calls"]["solicitar"] <= 1 for one in theirs), f"an idExterno was used twice: {theirs}")
    for step in ("confirmar", "cancelar"):
        bodies = [{seen["body"] for seen in one["history"] if seen["step"] == step} for one in theirs]
        law(all(len(one) <= 1 for one in bodies), f"the repeats of a {step} differ: {bodies}")
    states = [one["status"] for one in theirs]
    is_settled = row["settled"] and row["attention"] == "none"
    law(not is_settled or "AUTORIZADA" not in states, f"{row['key']} is settled, and left {states}")
    law(not is_settled or states.count("EFETIVADA") == (row["status"] == "EFETIVADA"),
        f"{row['key']} is {row['status']} here, and {states} there")


def _compare_with_told(row, till, theirs):
    if row["attention"] != "none":
        never_sent = row["family"] == "esim" and not theirs  # there is no call that would ask for it again
        law(never_sent and till.outcome == "pending", f"{till.key} needs a person: {row['attention']}, {theirs}")
        return
    is_sold = row["status"] == "EFETIVADA"
    is_true = till.outcome == ("sold" if is_sold else "not_sold")
    law(is_true, f"{till.key} was told {till.outcome}, and is {row['status']}")
    goods = [call.answer.goods for call in till.calls if call.answer and call.answer.outcome == "sold"]
    law(all(goods), f"{till.key} was sold without its goods")


@contextlib.contextmanager
def hanging(what):
    try:
        yield
    except Violation:
        raise
    except AssertionError as failure:
        raise Violation(f"{what}: {failure}") from failure
