"""Has the scenarios, in which a system call of the gateway fails. A scenario prepares the store, does something in the
window in which the fault comes, and afterwards brings the store to rest and compares the books."""
import contextlib
import datetime
import json
import sqlite3
import subprocess

from harness import orders
from harness.client import plain_request
from harness.processes import GATEWAY
from harness.waiting import eventually
from injector import Injector
from store import LIMIT_S, Violation, hanging, law

KILLS = ("before", "after")
MEMORY = ("madvise", "mmap", "mprotect", "munmap")
# So many starts may fail, one after the other, before the books are compared.
MOST_DEATHS = 10
STORE_ZONE = datetime.timezone(datetime.timedelta(hours=-3))  # the provider has the same zone


class Scenario:
    """This is what all scenarios have in common in which a gateway runs already."""

    changes = {}  # the configuration differs in these keys
    loop = 48  # if there are more calls of a kind than this, only some of them are tried
    only_files_of_the_store = False  # another scenario tries the other calls
    deaths = 0  # so many starts have failed since the last comparison
    told = None  # the answer to a call of an operator

    def __init__(self, store):
        self.store = store

    def prepare(self, fault):
        """Makes sure that the gateway sells, and that the injector looks at its calls."""
        names = fault and (fault.name,)
        if self.store.runs and (not self.store.injector or self.store.injector.names != names):
            self.store.end()
        if not self.store.runs:
            self.store.start(names)
        self.before = self.store.sell()

    def run(self, fault):
        """Does what the scenario is about, and returns the tool's report. Without a fault, all calls are noted."""
        self.fault = fault
        self.store.mark()
        self.store.injector.begin(fault)
        try:
            self.act()
        finally:
            report = self.store.end_window(fault and fault.action in KILLS)
        return report

    def act(self):
        raise NotImplementedError

    def finish(self):
        """Brings the store to rest after the fault, and compares the books. Returns what was necessary for that."""
        store = self.store
        names = store.injector.names if store.injector else ()
        self.check_words()
        if not store.runs:
            store.end()
            store.start(names)
            done = "started again"
        elif store.await_ready(limit=5) and (reasons := store.await_ready()):
            law(store.runs, "the gateway was not ready, and has ended")
            self.stop()
            store.start(names)
            done = f"stopped, because: {reasons}"
        else:
            done = ""
        self.check()
        store.compare()
        return done

    def stop(self):
        store = self.store
        store.gateway.run.signal(15)
        with hanging("the gateway does not end when it is told to"):
            eventually(lambda: not store.runs, "it has ended", LIMIT_S)
        store.end()

    def check_words(self):
        """Looks for the reason in what the gateway says, where it has ended or refused something."""
        store = self.store
        answers = [call.answer for till in store.tills for call in till.calls if call.answer]
        refused = [answer for answer in answers if answer.http >= 500]
        refused += [self.told] if self.told and self.told.status >= 500 else []
        if (refused or not store.runs) and not self.is_silent_death():
            with hanging(f"the gateway does not say why it ended or refused {refused}: {store.last_words()}"):
                eventually(store.explanation, "it is said", LIMIT_S)  # a thread of its own writes the log

    def is_silent_death(self):
        """Says whether the fault was a kill, or a signal ended the gateway because there was no memory."""
        by_signal = (self.store.gateway.run.child.poll() or 0) > 128
        return self.fault and (self.fault.action in KILLS or (self.fault.name in MEMORY and by_signal))

    def check(self):
        """Checks what only this scenario is about."""

    def compare_at_last(self):
        """Compares the books, if the last fault left that to the next one."""


class Sell(Scenario):
    """A till sells from the beginning to the end."""

    def act(self):
        self.buyer = self.store.till()
        self.buyer.call("sell")
        if self.buyer.id:
            self.buyer.call("get")


class Confirm(Scenario):
    """A till has a sale held, and confirms it."""

    decision = "confirm"

    def act(self):
        self.buyer = self.store.till(orders.tv(confirm="manual"))
        self.buyer.call("sell")
        if self.buyer.id:
            self.buyer.call(self.decision)

    def check(self):
        self.buyer.decide(self.decision)


class Cancel(Confirm):
    """A till has a sale held, and cancels it."""

    decision = "cancel"


class Esim(Scenario):
    """The provider decides a sale with a callback. If it was never asked, no callback comes, and a person must look."""

    changes = {"sale.attention_after": "6s"}

    def act(self):
        self.buyer = self.store.till(orders.esim())
        if self.buyer.call("sell") and self.buyer.id:
            self.buyer.call("get")


class Start(Scenario):
    """The gateway starts with sales that a kill has left open: one is held, and the confirm of another and the cancel
    of a third were not answered."""

    loop = 16

    def prepare(self, fault):
        store = self.store
        if self.deaths:  # the sales are open still
            return
        if not store.runs:
            store.start()
        store.sell()
        self.held, confirmed, cancelled = (store.till(orders.tv(confirm="manual")) for _ in range(3))
        for till in (self.held, confirmed, cancelled):
            law(till.call("sell").outcome == "held", "without any fault a sale is not held")
        store.sandbox.faults({"step": "confirmar", "behaviour": "lose_answer"},
                             {"step": "cancelar", "behaviour": "error"})  # fmt: skip
        for till, kind, step in ((confirmed, "confirm", "confirmar"), (cancelled, "cancel", "cancelar")):
            before = store.sandbox.seen(step, "tv")
            till.ask_only(kind)
            eventually(lambda: store.sandbox.seen(step, "tv") > before, f"the provider has seen the {step}")
        self.leave()
        store.sandbox.no_faults()

    def leave(self):
        """Ends the gateway before the start that is tried."""
        self.store.end()

    def run(self, fault):
        store = self.store
        self.fault = fault
        injector = Injector(store.tool, fault and (fault.name,))
        injector.begin(fault)
        store.launch(injector)
        store.mark()
        try:
            if store.is_up():
                store.await_ready(limit=5)
        finally:
            report = store.end_window(fault and fault.action in KILLS)
        return report

    def finish(self):
        if not self.store.runs and self.deaths < MOST_DEATHS:
            self.deaths += 1
            self.check_words()
            self.store.end()
            return "died, and the next one starts on what it has left"
        self.deaths = 0
        done = super().finish()
        self.store.end()
        return done

    def compare_at_last(self):
        if self.deaths:
            self.deaths = MOST_DEATHS
            self.finish()

    def check(self):
        self.held.decide("confirm")


class BootedStart(Start):
    """The machine was booted again since the kill. The power cut has changed the file on which the log stands, so that
    what the lock file says of it is not true any more."""

    only_files_of_the_store = True

    def prepare(self, fault):
        is_new = not self.deaths
        super().prepare(fault)
        if is_new:
            self.store.alter_notes(boot=True, log=True)


class BootedAfterStop(BootedStart):
    """The machine was booted again since the gateway was stopped, which has removed the log."""

    def leave(self):
        self.stop()
        law(not (self.store.folder / "journal.db-wal").exists(), "a gateway that was stopped leaves a log")


class FirstStart(Start):
    """The gateway starts for the first time, and makes the journal."""

    only_files_of_the_store = True

    def prepare(self, fault):
        if self.deaths:
            return
        store = self.store
        store.end()
        store.sandbox.call("POST", "/sandbox/reset")
        for name in store.folder.glob("journal.db*"):
            name.unlink()

    def check(self):
        self.store.sell()


class Stop(Scenario):
    """The gateway is told to stop while a sale is held."""

    def check_words(self):
        """Looks for nothing, because the gateway was told to end."""

    def prepare(self, fault):
        super().prepare(fault)
        self.held = self.store.till(orders.tv(confirm="manual"))
        self.held.call("sell")

    def run(self, fault):
        store = self.store
        self.fault = fault
        store.injector.begin(fault)
        store.gateway.run.signal(15)
        with hanging("the gateway does not end when it is told to"):
            report = store.injector.report()  # the tool reports when the gateway has ended
            store.gateway.run.child.wait()
        return report

    def check(self):
        self.held.decide("confirm")


class Backup(Scenario):
    """The command copies the journal of a gateway that runs."""

    loop = 16
    runs = 0

    def prepare(self, fault):
        if not self.store.runs:
            self.store.start()
        if self.runs % 20 == 0:
            self.store.sell()
        self.runs += 1
        self.copy = self.store.folder / "copy.db"
        for name in self.store.folder.glob("copy.db*"):
            name.unlink()

    def run(self, fault):
        store = self.store
        self.fault = fault
        injector = Injector(store.tool, fault and (fault.name,))
        injector.begin(fault)
        command = [*injector.wrapper, GATEWAY, "backup", "--config", str(store.gateway.config), "copy.db"]
        with subprocess.Popen(command, cwd=store.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              pass_fds=injector.pass_fds, start_new_session=True) as self.command:  # fmt: skip
            injector.started()
            try:
                with hanging("the backup does not end"):
                    report = injector.report()  # the tool reports when the command has ended
                self.out, self.err = self.command.communicate()
            finally:
                self.command.kill()
        injector.close()
        return report

    def check(self):
        status = self.command.returncode
        is_there = self.copy.exists()
        if status == 0:
            law(is_there, "the backup says that it is done, and there is no copy")
        elif status != 137:
            by_loader = self.fault and self.fault.name in MEMORY and status > 128  # it dies where it has no memory
            law(self.err or by_loader, f"the backup ends with {status}, and does not say why")
            # A copy whose name may not be on the disk is whole, and an error says so.
            law(not is_there or b"cannot be flushed" in self.err, f"there is a copy, and the backup says {self.err}")
            left = [name.name for name in self.store.folder.glob("copy.db?*")]
            law(not left, f"the backup leaves {left}: {self.err}")
        if is_there:
            with sqlite3.connect(f"file:{self.copy}?mode=ro&immutable=1", uri=True) as copy:
                law(copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the copy is damaged")
                copied = copy.execute("SELECT count(*) FROM sales").fetchone()[0]
            law(copied == self.store.ask("SELECT count(*) FROM sales")[0][0], "the copy lacks sales")


class Close(Scenario):
    """An establishment is closed for the second time, for a day with a sale in it."""

    establishments = 0

    def prepare(self, fault):
        store = self.store
        super().prepare(fault)
        now = datetime.datetime.now(STORE_ZONE).date()
        self.establishments += 1
        self.establishment = f"{70000000 + self.establishments}"
        with contextlib.closing(sqlite3.connect(store.folder / "journal.db")) as journal, journal:
            journal.execute("UPDATE sales SET day = ?2, estabelecimento = ?3 WHERE id = ?1",
                            (self.before.id, str(now), self.establishment))
        self.day = now - datetime.timedelta(days=1)
        law(self.close().status == 201, "without any fault a day cannot be closed")
        self.day = now

    def close(self):
        body = {"day": str(self.day), "estabelecimento": self.establishment}
        try:
            return plain_request(self.store.gateway.ports["admin"], "POST", "/v1/closes", body, timeout=LIMIT_S)
        except TimeoutError as failure:
            raise Violation("the gateway hangs: a close is not answered") from failure
        except OSError:
            return None

    def act(self):
        self.told = self.close()

    def check(self):
        again = self.close()
        law(again and again.status in (200, 201), f"without any fault a close is answered with {again}")
        made = again.json["closes"][0]
        if self.told and self.told.status in (200, 201):
            law(self.told.json["closes"] == [made], f"a close was told to be {self.told}, and is {again}")
        law(made["sales"] == 1 and made["totals"]["total"]["sold"]["count"] == 1, f"the close lacks its sale: {made}")
        rows = self.store.ask("SELECT number, digest FROM closes WHERE estabelecimento = ?1 ORDER BY day",
                              self.establishment)
        law([row["number"] for row in rows] == [1, 2], f"the closes have a gap: {[tuple(row) for row in rows]}")
        law(rows[-1]["digest"] == made["digest"], f"the journal has {tuple(rows[-1])}, and {made} was told")


class Statement(Scenario):
    """The gateway reads a statement that has another amount than the journal."""

    def prepare(self, fault):
        super().prepare(fault)
        self.wrong = json.loads(self.store.row_of(self.before)["attempts"])[0]["idExterno"]

    def bring(self, *faults):
        today = ("day", datetime.datetime.now(STORE_ZONE).date())
        file = self.store.sandbox.statement(today, *faults)
        try:
            return plain_request(self.store.gateway.ports["admin"], "POST", "/v1/statements", file,
                                 {"Content-Type": "text/plain"}, timeout=LIMIT_S)  # fmt: skip
        except TimeoutError as failure:
            raise Violation("the gateway hangs: a statement is not answered") from failure
        except OSError:
            return None

    def act(self):
        self.told = self.bring(("amount", f"{self.wrong}:1"))

    def findings(self):
        rows = self.store.ask("SELECT kind, id_externo FROM findings WHERE closed_at IS NULL")
        return [tuple(row) for row in rows]

    def check(self):
        wanted = [("amount_differs", self.wrong)]
        if self.told and self.told.status == 201:
            law(self.findings() == wanted, f"the statement was taken, and the journal has {self.findings()}")
        again = self.bring(("amount", f"{self.wrong}:1"))
        law(again and again.status in (200, 201), f"without any fault a statement is answered with {again}")
        law(self.findings() == wanted, f"the findings are {self.findings()}, and not {wanted}")
        right = self.bring()
        law(right and right.status == 201, f"without any fault a statement is answered with {right}")
        law(self.findings() == [], f"the statement is right, and the journal has {self.findings()}")


SCENARIOS = {"sell": Sell, "confirm": Confirm, "cancel": Cancel, "stop": Stop, "close": Close, "statement": Statement,
             "start": Start, "booted start": BootedStart, "booted after stop": BootedAfterStop, "backup": Backup,
             "first start": FirstStart, "esim": Esim}  # fmt: skip
