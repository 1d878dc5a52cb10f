"""A store for a test: a provider, a gateway on its own journal, and a network between them that can be made to lie."""
import contextlib
import json
import sqlite3

from .client import Background
from .gate import Gate
from .orders import new_key
from .processes import Gateway, Sandbox, configuration
from .waiting import eventually

# How the sandbox is slow and late: short, so that a test is quick.
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
        """The sale that the key of caixa-01 led to, as soon as there is one."""
        return eventually(lambda: self.till.get(f"/v1/sales?key={key}").of(200).json["sales"], "a sale of the key")[0]

    def until(self, sale_id, what, **wanted):
        """The operator's view of a sale, once it has what is wanted."""

        def look():
            sale = self.gateway.admin.get(f"/v1/sales/{sale_id}").of(200).json
            return sale if all(sale[name] == value for name, value in wanted.items()) else None

        return eventually(look, f"the sale {sale_id} is {what}: {wanted}")

    def settled(self, sale_id):
        return self.until(sale_id, "settled", settled=True)

    def in_books(self, sale):
        """The provider's word on the sale's latest attempt; nothing where it knows none."""
        found = self.sandbox.transactions(sale["idExterno"])
        return found[0]["status"] if found else None

    # --- the promises, at any moment ---

    def all_sales(self):
        """Every sale of the journal with its attempts, as the operator sees them."""
        admin = self.gateway.admin
        sales, cursor = [], ""
        while True:
            page = admin.get("/v1/sales?limit=200" + cursor).of(200).json
            sales += page["sales"]
            if page["next"] is None:
                return [admin.get(f"/v1/sales/{sale['id']}").of(200).json for sale in sales]
            cursor = f"&cursor={page['next']}"

    def check_books(self, settled=True, file=None):
        """The gateway's journal against the provider's books: the promises of never-lose-a-sale."""
        sales = self.all_sales()
        if settled:
            for sale in sales:
                self.settled_or_for_a_person(sale["id"])
            sales = self.all_sales()
        owners = {attempt["idExterno"]: sale for sale in sales for attempt in sale["attempts"]}
        books = {entry["idExterno"]: entry for entry in self.sandbox.transactions(history=True)}
        for id_externo, entry in books.items():
            assert id_externo in owners, f"the provider knows {id_externo}, the journal does not"
            assert entry["calls"]["solicitar"] <= 1, entry
            sale = owners[id_externo]
            if settled and not sale["attention"]:
                assert entry["status"] != "AUTORIZADA", f"left AUTORIZADA: {entry} of {sale}"
            for step in ("confirmar", "cancelar"):
                bodies = {seen["body"] for seen in entry["history"] if seen["step"] == step}
                assert len(bodies) <= 1, f"the repeats of a {step} differ: {entry}"
        for sale in sales:
            known = [books[a["idExterno"]]["status"] for a in sale["attempts"] if a["idExterno"] in books]
            sold = known.count("EFETIVADA")
            by_operator = sale["reason"] and sale["reason"]["code"] == "operator"
            if sale["attention"] or by_operator:  # a person's word may differ from the provider's
                continue
            assert sold == (1 if sale["status"] == "EFETIVADA" else sold if not sale["final"] else 0), (sale, known)
            assert sold <= 1, (sale, known)
        departures = self.sandbox.requests()["departures"]
        assert departures["count"] == 0, json.dumps(departures, indent=1)
        self.check_file(file or self.folder / "journal.db")

    @staticmethod
    def check_file(file):
        """The journal's file is sound, read beside the gateway that writes it."""
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as journal:
            assert journal.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    def settled_or_for_a_person(self, sale_id):
        def look():
            sale = self.gateway.admin.get(f"/v1/sales/{sale_id}").of(200).json
            return sale["settled"] or sale["attention"]

        eventually(look, f"the sale {sale_id} is settled, or a person is asked to look")

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
