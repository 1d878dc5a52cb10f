"""Runs the probe over the real programs, and checks whether it names what a sandbox provider of some personality
does."""
import json
import pathlib
import socket
import subprocess

from .gate import Gate
from .processes import GATEWAY, Process, Sandbox, configuration, toml
from .waiting import LIMIT_S

HEALTH = "/venda/{health}/cancelar"
STATUS = "/venda/transacao/{idExterno}"
CARD = "1000000002"
CPF = "529.982.247-25"
CUSTOMER = {
    "consumidor": {"cpf": CPF, "nome": "Fulana Reconhecivel", "email": "fulana@reconhecivel.example",
                   "nascimento": "01021990", "telefone": 11987654321},
    "endereco": {"tipoEnderecoId": 1, "cep": "01310-100", "uf": "SP", "cidade": "Cidade Reconhecivel",
                 "bairro": "Bairro Reconhecivel", "tipoLogradouroId": 1, "logradouro": "Rua Reconhecivel",
                 "numeroLogradouro": 77, "complemento": ""},
}
PRODUCTS = [
    {"family": "tv", "produto": "TV Livre", "price_list": True},
    {"family": "egift", "nomeMenu": "Jogos", "produto": "Moedas do Jogo", "fornecedor": "Estudio Um", "tipoNegocio": 1},
    {"family": "transit", "produto": "Bilhete"},
    {"family": "health", "produto": "Consulta"},
    {"family": "esim", "produto": "Chip Virtual"},
]
# A connection that ends soon saves the probe the longer waits for it.
SANDBOX = {"--keep-alive-idle": "1s", "--health-cancel-path": HEALTH, "--status-path": STATUS}


class Probe:
    """A sandbox, a configuration for the probe, and the folder that its runs leave. With `gated` there is a network
    between the two that a test can steer."""

    def __init__(self, folder, sandbox_options=None, gated=False, **changes):
        self.folder = pathlib.Path(folder)
        options = sandbox_options or {}
        # A separate option would replace what a personality says of the same point.
        self.sandbox = Sandbox(folder, options if "--personality" in options else {**SANDBOX, **options})
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.gate = Gate(self.sandbox.address) if gated else None
        self.document = configuration(folder, (self.gate or self.sandbox).url, f"http://127.0.0.1:{self.port}")
        self.document["listen"]["callbacks"] = f"127.0.0.1:{self.port}"
        self.document["provider"].update({"environment": "homologation", "health_cancel_path": HEALTH, **changes})
        self.document["products"] = PRODUCTS
        self.out = self.folder / "homologacao"
        self.write()

    def close(self):
        self.sandbox.kill()
        if self.gate:
            self.gate.close()

    def write(self):
        config = self.folder / "probe.toml"
        config.touch(0o600)
        config.write_text(toml(self.document))

    def words(self, *arguments):
        return [GATEWAY, "probe", "--config", str(self.folder / "probe.toml"), "--out", str(self.out), "--card", CARD,
                "--cpf", CPF, "--status-path", STATUS, *arguments]

    def run(self, *arguments, typed="", wrapper=(), limit=10 * LIMIT_S):
        return subprocess.run([*wrapper, *self.words(*arguments)], input=typed, capture_output=True, text=True,
                              timeout=limit, cwd=self.folder)

    def begin(self, *arguments):
        return Process(self.words(*arguments), self.folder, "probe")

    def begin_up_to(self, sale, *arguments):
        """Begins a run, and returns when the request for its sale of that number waits in the gate, together with the
        Pause that lets it on. Everything that a run asks for may be asked for in less time than a busy machine takes to
        look."""
        pause = self.gate.pause(b"/solicitar", passing=sale - 1)
        running = self.begin(*arguments)
        pause.wait_until_reached()
        return running, pause

    def customer_file(self):
        customer = self.folder / "consumidor.json"
        customer.write_text(json.dumps(CUSTOMER))
        return str(customer)

    def report(self):
        return json.loads((self.out / "report.json").read_text())

    def value(self, point):
        return {reading["value"] for reading in self.report()["points"][point]["readings"] if reading["answered"]}

    def open_at_provider(self):
        return {one["idExterno"] for one in self.sandbox.transactions() if one["status"] == "AUTORIZADA"}

    def listed(self):
        return {one["idExterno"] for one in self.report()["mayBeOpen"]}

    def listed_without_need(self):
        """Returns the listed sales except those that nobody can know about: where two requests carried one idExterno
        and the answer of one was lost, there may have been two sales, of which a cancel ends one."""
        return [one for one in self.report()["mayBeOpen"] if "dois pedidos" not in one["last"]]

    def asked(self):
        ledger = self.out / "ledger.jsonl"
        return ledger.read_text().count('"asking"') if ledger.exists() else 0

    def left(self):
        """Returns everything that it has left in its folder, which only the owner may read."""
        assert self.out.stat().st_mode & 0o077 == 0
        text = ""
        for path in self.out.rglob("*"):
            assert path.stat().st_mode & 0o077 == 0, path
            if path.is_file():
                text += path.read_text()
        return text


# These take days, or are about missing answers. The unit tests check them in virtual time.
NOT_IN_REAL_TIME = {"forgets", "open-sales-end-tv", "open-sales-end-egift", "open-sales-end-transit",
                    "open-sales-end-health", "open-sales-end-esim"}
ESIM = {"esim-uuid", "callback-field", "recharge-callback", "callback-tries", "callback-retry", "callback-repeat",
        "callback-until"}
# These other points have to be set so that this one can be seen.
NEEDS = {
    "rate-limit-answer": "rate-limit=5",
    "health-cancel-does": f"health-cancel-path={HEALTH}",
    "status-shape": f"status-path={STATUS}",
    "status-unknown": f"status-path={STATUS}",
}
IDLE = {"75s": "over-20s", "5s": "2s-6s", "1s": "under-2s"}


def means(point, value, said):
    """Tells whether what the probe said of a point is what the sandbox does."""
    if point == "callback-tries" and said == "over-3":
        return value in {"10", "100"}
    if point == "keep-alive-requests" and said.startswith("over-"):
        return value == "unlimited" or int(value) > int(said.removeprefix("over-"))
    if point == "callback-retry":
        return said == {"1m": "60s", "100ms": "0s"}.get(value, value)
    if point == "keep-alive-idle":
        return said == IDLE[value]
    if point == "scopes":
        return set(value.split("+")) == set(said.split("+"))
    if point == "rate-limit" and said.startswith("over-"):
        # This machine was too slow to reach the ceiling.
        return value == "none" or int(value) >= int(said.removeprefix("over-"))
    if point == "rate-limit" and value != "none":
        # A provider that counts by its own clock's seconds may have begun again in between.
        return said.isdigit() and int(value) <= int(said) <= 2 * int(value)
    if point == "statement-rows" and said == "sold":
        return False  # of one day that cannot be known
    return value == said


class Met:
    """Has what a probe said about a personality: `wrong` must be empty, and so must `unlisted`."""

    def __init__(self, probe, ended):
        self.trace = ended.stderr
        self.status = ended.returncode
        self.wrong = []
        self.answered = set()
        personality = probe.sandbox.call("GET", "/sandbox/personality").json
        points = probe.report()["points"] if (probe.out / "report.json").exists() else {}
        for name, said in points.items():
            for reading in said["readings"]:
                if not reading["answered"] or name not in personality:
                    continue
                value = personality[name]["value"]
                if means(name, value, reading["value"]):
                    self.answered.add(name)
                else:
                    self.wrong.append(f"{name} is {value}, and not {reading['value']}")
        self.unlisted = sorted(probe.open_at_provider() - probe.listed()) if points else []


def meet(folder, personality, esim=False, idle="1s"):
    """Runs a probe that sells against a sandbox of the personality, "name=value,name=value"."""
    folder.mkdir()
    usual = [] if idle is None else [f"keep-alive-idle={idle}"]
    if esim:
        usual.append("callback-retry=100ms")
    probe = Probe(folder, {"--personality": ",".join([*usual, personality]), "--callback-delay": "20ms"},
                  health_cancel_path="")
    try:
        arguments = ["--level", "sell", "--may-stay-open", "--status-path", "/venda/transacao/id/{idTransacao}"]
        for path in ("/venda/saude/{health}/cancelar", HEALTH, "/venda/voucher/cancelar"):
            arguments += ["--health-cancel-path", path]
        if esim:
            arguments += ["--family", "esim", "--consumidor", probe.customer_file(), "--callback-field",
                          "urlNotificacao", "--callback-field", "urlVenda"]
        else:
            for family in ("tv", "egift", "transit", "health"):
                arguments += ["--family", family]
        ended = probe.run(*arguments, typed="sim\n", limit=60 * LIMIT_S)
        if not esim and ended.returncode != 2:
            statement = probe.folder / "statement.txt"
            statement.write_bytes(probe.sandbox.call("GET", "/sandbox/statement").body)
            probe.run("--level", "look", "--statement", str(statement))
        met = Met(probe, ended)
        probe.sandbox.stop()
        return met
    finally:
        probe.sandbox.kill()
