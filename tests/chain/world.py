"""This is the chain of docs/chain.md: every machine of it in a network namespace, and on each the real program."""
import re
import signal

from harness import books
from harness.chain import Chain
from harness.postgres import PASSWORD
from harness.processes import ROOT, Gateway, Process, Sandbox, configuration
from harness.waiting import LIMIT_S, eventually

from cluster import Cluster
from network import Network

BOXES = ("box-1", "box-2")
BALANCER = ("10.0.0.10", 8080)
_PORTS = {"terminals": 8080, "callbacks": 8081, "admin": 9090}
# These options make the store's provider here; a cut is always shorter than a request may be late.
_CHANGES = {
    "provider.base_url": "http://provider.example:8090",
    "provider.auth_url": "http://provider.example:8090",
    "provider.callback_url": "http://balancer.example:8081",
    "provider.allow_plaintext": True,
    "provider.health_cancel_path": "/venda/{health}/cancelar",
    "listen.trusted_proxies": ["10.0.0.10"],
    "journal.path": None,
}
_SANDBOX = {
    "--slow": "1s",
    "--late-arrival": "3s",
    "--callback-delay": "50ms",
    "--callback-late": "2s",
    "--callback-retry": "200ms",
    "--health-cancel-path": "/venda/{health}/cancelar",
}


def _balancer_configuration():
    """Returns the configuration in the document."""
    text = (ROOT / "docs/chain.md").read_text()
    return re.search(r"^```text\n(global\n.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def complaints(run):
    """Returns what it wrote to standard error, without the warnings about this network, where only the way to the
    databases is encrypted."""
    return "".join(line for line in run.errors().splitlines(keepends=True) if not line.startswith("warning: "))


class World(Chain):
    """`changes` change the gateways' configuration, `sandbox` are options of the provider, and `initdb` those of the
    primary."""

    def __init__(self, folder, changes=None, sandbox=None, initdb=(), prepare=None):
        self.folder = folder
        folder.chmod(0o755)
        self.network = Network()
        self.cluster = Cluster(self.network, folder / "databases")
        self.gateways = {}
        self.by_hand = 0
        self.sandbox = self.balancer = None
        try:
            if prepare:
                prepare(self)
            self.cluster.begin(*initdb)
            self.sandbox = Sandbox(folder, _SANDBOX | (sandbox or {}), "10.0.0.30:8090",
                                   self.network["provider"].wrapper)
            for name in BOXES:
                self.add(folder / name, name, changes)
            (folder / "haproxy.cfg").write_text(_balancer_configuration())
        except BaseException:
            self.close()
            raise

    def add(self, folder, name, changes=None):
        folder.mkdir()
        password = folder / "journal-password"
        password.touch(0o600)
        password.write_text(PASSWORD + "\n")
        machine = self.network[name]
        own = {
            "journal.url": self.cluster.url,
            "journal.password_file": str(password),
            "journal.gateway": name,
            "journal.tally_file": str(folder / "tally"),
        }
        own |= {f"listen.{listener}": f"{machine.address}:{port}" for listener, port in _PORTS.items()}
        document = configuration(folder, "", "", _CHANGES | own | (changes or {}))
        gateway = Gateway(folder, document, machine.wrapper)
        gateway.ports = {listener: (machine.address, port) for listener, port in _PORTS.items()}
        self.gateways[name] = gateway
        return gateway

    def start(self):
        gateways = super().start()
        self.start_balancer()
        return gateways

    def start_balancer(self):
        words = ["haproxy", "-db", "-f", str(self.folder / "haproxy.cfg")]
        self.balancer = Process([*self.network["balancer"].wrapper, *words], self.folder, "haproxy")

    def sql(self, commands):
        return self.cluster.sql(commands)

    # --- what befalls it ---

    def kill_primary(self):
        """The primary's machine dies, which fences the primary off."""
        self.cluster.primary.kill_all()

    def fail_over(self, rewind=False):
        """The primary is fenced off, the standby takes its place, and the old primary comes back as its standby."""
        self.kill_primary()
        self.cluster.promote()
        self.cluster.remake(rewind)
        self.cluster.await_synchronous()

    # --- the end ---

    def everything_settled(self, limit=5 * LIMIT_S):
        """Waits until no sale waits for anything but a person, and no machine may have sent anything late."""
        open_ones = ("SELECT id, status, owner, taken_from FROM sales WHERE settled = 0 OR taken_from IS NOT NULL"
                     " OR id IN (SELECT sale FROM forwarded_commands) LIMIT 5")  # fmt: skip
        left = []

        def none_left():
            left[:] = self.sql(open_ones)
            self._settle_by_hand()
            return not left

        try:
            eventually(none_left, "every sale is settled", limit)
        except AssertionError as failure:  # this is about the time, or about what was asked meanwhile
            raise AssertionError(f"these are not settled: {left}") from failure

    def _settle_by_hand(self):
        """Does what a person does about an eSIM whose request was lost on its way: nothing cancels it, so it waits for
        a callback, and for somebody who looks it up in the provider's portal."""
        for line in self.sql("SELECT id FROM sales WHERE settled = 0 AND attention <> 'none' AND family = 'esim'"):
            known = self.in_books(self.a_living_one.admin.get(f"/v1/sales/{line}").of(200).json)
            decision = {"status": "EFETIVADA" if known == "EFETIVADA" else "CANCELADA", "note": "looked up"}
            self.a_living_one.admin.post(f"/v1/sales/{line}/resolve", decision)
            self.by_hand += 1

    def check_both_databases(self):
        """Stops the gateways normally, and checks that the standby has everything that the primary has, to the last
        row."""
        for gateway in self.gateways.values():
            gateway.run.signal(signal.SIGTERM)
            status = gateway.run.wait()
            assert (status, complaints(gateway.run)) == (0, ""), (status, complaints(gateway.run), gateway.run.out)
        self.cluster.must_be_the_same()

    def check_all(self, ledger):
        """Checks the promises: the provider's books, the journal, both databases, and what tills were told."""
        self.everything_settled()
        books.agree(self.a_living_one.admin, self.sandbox)
        # A gateway that died while it had claimed a settled sale for a message keeps that sale from nobody.
        living = "SELECT run FROM gateways WHERE ended = 0"
        assert self.sql(f"SELECT id FROM sales WHERE settled = 1 AND owner IN ({living})") == []
        ledger.check(books.all_sales(self.a_living_one.admin), self.sandbox.transactions())
        self.check_both_databases()

    def close(self):
        for gateway in self.gateways.values():
            if gateway.runs and gateway.run.running():
                gateway.run.signal(signal.SIGCONT)
                gateway.run.kill()
        for process in (self.balancer, self.sandbox):
            if process:
                process.kill()
        self.cluster.close()
        self.network.remove()

