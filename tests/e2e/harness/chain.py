"""Several gateways that share one journal on PostgreSQL, in front of one provider, with a network in between that can
be made to lie."""
import http.client
import signal

from . import books
from .client import Background
from .gate import Gate
from .postgres import PASSWORD
from .processes import GATEWAY, Gateway, Sandbox, configuration, run_to_end
from .shop import QUICK
from .waiting import LIMIT_S, eventually


class Chain:
    def __init__(self, folder, postgres, changes=None, names=("box-1", "box-2")):
        self.postgres = postgres
        self.database = postgres.new_database()
        self.sandbox = Sandbox(folder, QUICK)
        self.gate = Gate(self.sandbox.address)  # between every gateway and the provider
        self.callback_gate = Gate()  # between the provider and the callbacks listener of one of them
        self.gateways = {}
        for name in names:
            self.add(folder / name, name, changes)

    def add(self, folder, name, changes=None):
        """Returns a further gateway of that name, which is not started yet."""
        folder.mkdir()
        password = folder / "journal-password"
        password.touch(0o600)
        password.write_text(PASSWORD + "\n")
        shared = {
            "journal.path": None,
            "journal.url": self.postgres.url(self.database),
            "journal.password_file": str(password),
            "journal.gateway": name,
            "journal.tally_file": str(folder / "tally"),
        }
        document = configuration(folder, self.gate.url, self.callback_gate.url, shared | (changes or {}))
        gateway = Gateway(folder, document)
        self.gateways[folder.name] = gateway
        return gateway

    def start(self):
        """Starts the gateways and returns them when all of them are ready to sell."""
        for gateway in self.gateways.values():
            gateway.start_ready()
        return list(self.gateways.values())

    def callbacks_go_to(self, gateway):
        self.callback_gate.target = gateway.ports["callbacks"]

    def sql(self, commands):
        return self.postgres.sql(commands, self.database)

    def command(self, name, *arguments, expected=0):
        """Runs an operator's command that works on the journal itself, beside the gateway of that name. Returns what it
        prints."""
        words = [*self.gateways[name].wrapper, GATEWAY, *arguments, "--config", str(self.gateways[name].config)]
        code, out, err = run_to_end(words, self.gateways[name].config.parent)
        assert code == expected, f"{code}: {out}{err}"
        return out if code == 0 else err

    @property
    def a_living_one(self):
        return next(gateway for gateway in self.gateways.values() if gateway.runs and gateway.run.running())

    def settled(self, sale_id, at=None):
        """Returns the operator's view of the sale at one of the gateways, once it is settled."""
        admin = (at or self.a_living_one).admin

        def look():
            sale = admin.get(f"/v1/sales/{sale_id}").of(200).json
            return sale if sale["settled"] else None

        return eventually(look, f"the sale {sale_id} is settled")

    def in_books(self, sale):
        """Returns the provider's status of the sale's latest attempt; nothing where it knows none."""
        found = self.sandbox.transactions(sale["idExterno"])
        return found[0]["status"] if found else None

    def has_healed(self):
        """Waits until every gateway can sell and read again."""
        for gateway in self.gateways.values():
            for path in ("/readyz", "/v1/sales?limit=1"):
                eventually(lambda: gateway.admin.get(path).status == 200, f"the gateway answers {path}")
        return self

    def check_books(self):
        """Checks the journal against the provider's books, and that nobody owns what is settled."""
        books.agree(self.a_living_one.admin, self.sandbox)
        assert self.sql("SELECT id FROM sales WHERE settled = 1 AND owner <> ''") == []

    def close(self):
        """Stops everything, and only then says what was wrong with it."""
        failures = []
        living = [gateway.run for gateway in self.gateways.values() if gateway.runs and gateway.run.running()]
        for process in (*living, self.sandbox):
            process.signal(signal.SIGCONT)
            try:
                process.stop()
            except AssertionError as failure:
                failures.append(failure)
        for process in (*(run for gateway in self.gateways.values() for run in gateway.runs), self.sandbox):
            process.kill()
        self.gate.close()
        self.callback_gate.close()
        if failures:
            raise failures[0]


def said_of(call, *arguments):
    """Returns what one call of a till came to: its answer, or nothing where none came."""
    try:
        return call(*arguments)
    except (OSError, http.client.HTTPException):
        return None


def outcome_of(answer):
    """Returns the word that a till goes by; "pending" where the answer has none, which says nothing about an earlier
    call."""
    if answer is None:
        return "pending"
    without = answer.status >= 400 and "outcome" not in answer.json
    assert not without or answer.code in ("journal_unavailable", "shutting_down", "not_ready"), answer
    return answer.json.get("outcome", "pending")


def sell_until_told(gateways, order, key, wait=5, limit=LIMIT_S):
    """Tries the same key at one gateway after the other, as a till behind a load balancer does, until one of them knows
    the outcome. Returns that answer."""
    turns = [gateways[i:] + gateways[:i] for i in range(len(gateways))]
    turn = iter(turns * int(limit * 100))

    def ask():
        answer = said_of(next(turn)[0].terminal().sell, order, key, wait)
        return answer if outcome_of(answer) != "pending" else None

    return eventually(ask, f"an outcome of {key}", limit)


def start_selling(gateway, order, key, wait=None):
    return Background(said_of, gateway.terminal().sell, order, key, wait)
