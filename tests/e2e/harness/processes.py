"""Runs the real programs as child processes, with logs in files, and makes the configuration of a gateway."""
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time
from urllib.parse import quote, urlencode

from . import GATEWAY, ROOT, SANDBOX
from .client import Caller, Operator, Terminal, plain_request
from .waiting import LIMIT_S, eventually

# No other program writes these texts, so that a test can look for them in everything that the gateway writes.
APP_KEY = "app-key-9f31c7"
APP_SECRET = "app-secret-5d20b8e4"
LOJA_A = "12345678"
LOJA_B = "87654321"
# Each has an id, an establishment of its own, and families.
TERMINALS = [
    ("caixa-01", None, None),
    ("caixa-02", None, None),
    ("loja-b-01", LOJA_B, None),
    ("so-tv", None, ["tv"]),
]


def key_of(terminal):
    return f"terminal-key-of-{terminal}-77ab12"


def _new_log(path):
    """Makes an empty file that is always written at its end, so that it can be cut while a program writes it."""
    return open(path, "wb", opener=lambda name, flags: os.open(name, flags | os.O_APPEND, 0o644))


class Process:
    """A program that runs until it is told to stop. Its output is read from files, so it never blocks on a pipe."""

    def __init__(self, arguments, folder, name, pass_fds=()):
        self.folder = pathlib.Path(folder)
        self.name = name
        self.out = self.folder / f"{name}.out"
        self.err = self.folder / f"{name}.err"
        with _new_log(self.out) as out, _new_log(self.err) as err:
            # It has a session of its own, so that kill() also reaches a program that another one wraps.
            self.child = subprocess.Popen(arguments, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=self.folder,
                                          start_new_session=True, pass_fds=pass_fds)

    def text(self):
        return self.out.read_text(errors="replace")

    def errors(self):
        return self.err.read_text(errors="replace")

    def running(self):
        return self.child.poll() is None

    def signal(self, number):
        self.child.send_signal(number)

    def wait(self):
        try:
            return self.child.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} did not end by itself\n{self.text()[-4000:]}") from None

    def kill(self):
        if self.running():
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()

    def stop(self):
        """Sends SIGTERM. The program must end with 0 and have nothing to complain about, a sanitizer included. It may
        warn about a test's own configuration."""
        self.signal(signal.SIGTERM)
        status = self.wait()
        assert status == 0, f"{self.name} ended with {status}\n{self.text()[-4000:]}\n{self.errors()}"
        complaints = [line for line in self.errors().splitlines() if not line.startswith("warning: /")]
        assert complaints == [], f"{self.name} wrote to standard error:\n{self.errors()}"

    def _line_with(self, pattern):
        def found():
            match = re.search(pattern, self.text())
            assert match or self.running(), f"{self.name} ended at once\n{self.text()}\n{self.errors()}"
            return match

        return eventually(found, f"a line of {self.name} with {pattern}")


class Sandbox(Process):
    """This is the provider's model, and what a test steers it with."""

    def __init__(self, folder, options, listen="127.0.0.1:0", wrapper=()):
        arguments = [*wrapper, SANDBOX, "--listen", listen, "--app-key", APP_KEY, "--app-secret", APP_SECRET]
        for loja in (LOJA_A, LOJA_B):
            arguments += ["--estabelecimento", loja]
        for name, value in options.items():
            arguments += [name] if value is None else [name, value]
        super().__init__(arguments, folder, "sandbox")
        match = self._line_with(r"listening on http://([0-9.]+):(\d+)\n")
        self.address = (match[1], int(match[2]))
        self.url = f"http://{match[1]}:{match[2]}"
        self._caller = Caller(self.address)

    def call(self, method, path, body=None):
        answer = plain_request(self.address, method, path, body)
        assert answer.status == 200, answer
        return answer

    def transactions(self, idExterno=None, history=False):
        query = f"?history={'yes' if history else 'no'}" + (f"&idExterno={idExterno}" if idExterno else "")
        return self.call("GET", "/sandbox/transactions" + query).json["transactions"]

    def transaction(self, idExterno):
        found = self.transactions(idExterno, history=True)
        assert len(found) == 1, found
        return found[0]

    def statement(self, *parameters):
        """Returns the provider's statement of a day as bytes. `parameters` are pairs, for example ("missing", 2)."""
        return self.call("GET", "/sandbox/statement?" + urlencode(parameters, quote_via=quote)).body

    def statement_list(self, *parameters):
        return self.call("GET", "/sandbox/list?" + urlencode(parameters, quote_via=quote)).json

    def requests(self):
        return self.call("GET", "/sandbox/requests").json

    def seen(self, step, family):
        return self.requests()["requests"][family][step]["seen"]

    def faults(self, *rules):
        return self.call("PUT", "/sandbox/faults", list(rules)).json

    def fault_hits(self):
        return [rule["hits"] for rule in self.call("GET", "/sandbox/faults").json]

    def no_faults(self):
        self.call("DELETE", "/sandbox/faults")

    def release(self):
        return self.call("POST", "/sandbox/held/release").json["released"]

    def expire_tokens(self):
        self.call("POST", "/sandbox/tokens/expire")

    def token_counts(self):
        return self.requests()["token"]


def toml(document):
    """Writes the few shapes that the configuration has: sections of scalars and lists, and the lists of terminals and
    products."""
    lines = []
    for section, keys in document.items():
        tables = keys if isinstance(keys, list) else [keys]
        for table in tables:
            lines.append(f"[[{section}]]" if isinstance(keys, list) else f"[{section}]")
            lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def configuration(folder, provider_url, callback_url, changes=None):
    """Makes a configuration without a warning: loopback, port 0, short times. `changes` are dotted keys; None removes
    one."""
    if "listen.tls.cert" in (changes or {}):  # which the callbacks' listener speaks too
        callback_url = callback_url.replace("http:", "https:")
    secret = pathlib.Path(folder) / "app-secret"
    if not secret.exists():
        secret.touch(0o600)
        secret.write_text(APP_SECRET + "\n")
    terminals = []
    for name, loja, families in TERMINALS:
        terminal = {"id": name, "key_sha256": hashlib.sha256(key_of(name).encode()).hexdigest()}
        if loja:
            terminal["estabelecimento"] = loja
        if families:
            terminal["families"] = families
        terminals.append(terminal)
    document = {
        "listen": {"terminals": "127.0.0.1:0", "callbacks": "127.0.0.1:0", "admin": "127.0.0.1:0"},
        "provider": {
            "base_url": provider_url,
            "auth_url": provider_url,
            "app_key": APP_KEY,
            "app_secret_file": str(secret),
            "scopes": ["Venda_TvPrePaga", "Venda_Egift", "Venda_Transit", "Venda_Voucher", "Venda_Telecom"],
            "estabelecimento": LOJA_A,
            "connect_timeout": "1s",
            "request_timeout": "3s",
            "callback_url": callback_url,
        },
        "sale": {"confirm_window": "4s", "late_arrival": "100ms", "attention_after": "1m"},
        "limits": {"sell_wait": "30s", "per_terminal_rate": 1000, "drain": "5s"},
        "journal": {"path": str(pathlib.Path(folder) / "journal.db")},
        "terminals": terminals,
    }
    for key, value in (changes or {}).items():
        section, _, name = key.rpartition(".")
        if not section:
            document[name] = value
        elif value is None:
            document[section].pop(name)
        else:
            document.setdefault(section, {})[name] = value
    return document


class Gateway:
    """The gateway on one journal, over any number of runs."""

    def __init__(self, folder, document, wrapper=()):
        self.folder = pathlib.Path(folder)
        self.document = document
        self.wrapper = list(wrapper)
        self.pass_fds = ()
        self.config = self.folder / "gateway.toml"
        self.runs = []
        self.on_start = []  # each is called with the gateway whenever it has new ports
        self.write_config()

    def reload(self, event="reload.done"):
        """Writes the configuration, sends SIGHUP and waits until the log says how it went."""
        before = len(self.events(event))
        self.write_config()
        self.run.signal(signal.SIGHUP)
        eventually(lambda: len(self.events(event)) > before, f"a further {event}")

    def write_config(self):
        self.config.touch(0o600)
        self.config.chmod(0o600)
        self.config.write_text(toml(self.document))

    @property
    def run(self):
        return self.runs[-1]

    def launch(self):
        """Starts it without waiting for anything."""
        arguments = self.wrapper + [GATEWAY, "--config", str(self.config)]
        self.runs.append(Process(arguments, self.folder, f"gateway-{len(self.runs) + 1}", self.pass_fds))
        return self.run

    def start(self):
        """Starts it and waits until it listens."""
        self.launch()
        return self.await_listening()

    def await_listening(self):
        run = self.run
        if self.document.get("log", {}).get("format") == "text":
            run._line_with(r"sales-gateway \S+ (has started|iniciou)")
            listening = re.findall(r"(?:the|a porta) (\w+) (?:listener takes calls at|atende em) (\S+), porta? (\d+)\n",
                                   run.text())
            self.ports = {name: (address, int(port)) for name, address, port in listening}
        else:
            run._line_with(r'"event":"started"')
            self.ports = {
                line["listener"]: (line["address"], line["port"])
                for line in self.lines(run)
                if line["event"] == "listening"
            }
        for tell in self.on_start:
            tell(self)
        return self

    def start_ready(self):
        """Starts it and waits until it is ready to sell."""
        self.start()
        eventually(lambda: self.admin.get("/readyz").status == 200, "the gateway is ready")
        return self

    def stop(self):
        self.run.stop()

    def kill(self):
        self.run.kill()
        assert self.run.errors() == "", self.run.errors()

    def lines(self, run=None):
        """Returns the lines of the log so far, of one run or of all. A last line that is not complete is left out."""
        text = run.text() if run else "".join(one.text() for one in self.runs)
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def events(self, name, **fields):
        return [
            line
            for line in self.lines()
            if line["event"] == name and all(line.get(field) == value for field, value in fields.items())
        ]

    def await_event(self, name, **fields):
        return eventually(lambda: self.events(name, **fields), f"a log line {name} with {fields}")[0]

    def terminal(self, name="caixa-01"):
        return Terminal(self.ports["terminals"], key_of(name))

    @property
    def admin(self):
        return Operator(self.ports["admin"])

    @property
    def callbacks(self):
        return Caller(self.ports["callbacks"])

    def metric(self, name, **labels):
        """Returns one sample; 0 where there is none."""
        for line in self.admin.get("/metrics").body.decode().splitlines():
            match = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
            if match and match[1] == name and dict(re.findall(r'(\w+)="([^"]*)"', match[2] or "")) == labels:
                return float(match[3])
        return 0.0


def run_to_end(arguments, folder, timeout=LIMIT_S, typed="", **environment):
    """Runs a program that ends by itself. Returns exit code, standard output and standard error."""
    done = subprocess.run(arguments, cwd=folder, capture_output=True, timeout=timeout, input=typed.encode(),
                          env=os.environ | environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def now_rfc3339(offset_s=0.0):
    at = time.time() + offset_s
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03}Z"
