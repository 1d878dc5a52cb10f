"""Makes a store for a test: a provider, a gateway on its own journal, and a network between them that can be made to
lie."""
import contextlib
import sqlite3

from . import books
from .client import Background
from .gate import Gate
from .orders import new_key
from .processes import Gateway, Sandbox, configuration
from .waiting import eventually

# The sandbox's delays are short, so that a test is quick.
QUICK = {
    "--slow": "300ms",
    "--late-arrival": "30ms",
    "--callback-delay": "20ms",
    "--callback-late": "300ms",
    "--callback-retry": "50ms",
}


class Shop:
    def __init__(self, folder, changes=None, sandbox=None, provider=None, wrapper=()):
        self.folder = folder
        self.sandbox = None if provider else Sandbox(folder, QUICK | (sandbox or {}))
        self.provider = provider or self.sandbox
        self.gate = Gate(self.provider.address)  # between the gateway and the provider
        self.callback_gate = Gate()  # between the provider and the callbacks listener, wherever that is
        document = configuration(folder, self.gate.url, self.callback_gate.url, changes)
        self.gateway = Gateway(folder, document, wrapper)
        self.gateway.on_start.append(self._moved)

    def _moved(self, gateway):
        self.callback_gate.target = gateway.ports.get("callbacks")

    def start(self):
        self.gateway.start_ready()
        return self

    # --- selling ---

    @property
    def till(self):
        return self.gateway.terminal()

    def sell(self, order, key=None, wait=None, terminal="caixa-01", **headers):
        return self.gateway.terminal(terminal).sell(order, key or new_key(), wait, **headers)

    def sell_esim(self, order, key=None):
        """Sells an eSIM whose callback does not get through before the sell has its answer, which is 202."""
        self.callback_gate.shut()
        try:
            return self.sell(order, key).of(202)
        finally:
            self.callback_gate.open()

    def start_selling(self, order, key=None, wait=None, terminal="caixa-01"):
        return Background(self.sell, order, key, wait, terminal)

    def sale(self, sale_id, wait=None):
        return self.till.sale(sale_id, wait)

    def sale_of_key(self, key):
        """Returns the sale that the key of caixa-01 led to, as soon as there is one."""
        return eventually(lambda: self.till.get(f"/v1/sales?key={key}").of(200).json["sales"], "a sale of the key")[0]

    def until(self, sale_id, what, **wanted):
        """Returns the operator's view of a sale, once it has what is wanted."""

        def look():
            sale = self.gateway.admin.get(f"/v1/sales/{sale_id}").of(200).json
            return sale if all(sale[name] == value for name, value in wanted.items()) else None

        return eventually(look, f"the sale {sale_id} is {what}: {wanted}")

    def settled(self, sale_id):
        return self.until(sale_id, "settled", settled=True)

    def in_books(self, sale):
        """Returns the provider's status of the sale's latest attempt; nothing where it knows none."""
        found = self.sandbox.transactions(sale["idExterno"])
        return found[0]["status"] if found else None

    # --- the promises, at any moment ---

    def all_sales(self):
        """Returns every sale of the journal with its attempts, as the operator sees them."""
        return books.all_sales(self.gateway.admin)

    def check_books(self, settled=True, file=None):
        """Compares the gateway's journal with the provider's books."""
        books.agree(self.gateway.admin, self.sandbox, settled)
        self.check_file(file or self.folder / "journal.db")

    @staticmethod
    def check_file(file):
        """Checks that the journal's file is sound, reading it beside the gateway that writes it."""
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as journal:
            assert journal.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    def settled_or_for_a_person(self, sale_id):
        books.settled_or_for_a_person(self.gateway.admin, sale_id)

    # --- the end ---

    def close(self):
        """Stops everything, and only then says what was wrong with it."""
        failures = []
        steps = []
        if self.gateway.runs and self.gateway.run.running():
            steps.append(self.gateway.stop)
        if self.sandbox:
            steps.append(self.sandbox.stop)
        for step in steps:
            try:
                step()
            except AssertionError as failure:
                failures.append(failure)
        for process in (*self.gateway.runs, *([self.sandbox] if self.sandbox else [])):
            process.kill()
        self.gate.close()
        self.callback_gate.close()
        if failures:
            raise failures[0]
