#!/usr/bin/python3
"""tests/clients/run.sh runs this: the clients' programs, and the checks of each.

A client is a program in stacks/. It is called with an address and with folders. Each folder is a request: the files
`method`, `path`, `fields` (a line each), and `body` if there is one. The client asks in that order, on one connection
if it can, and leaves `answer-status`, `answer-fields` and `answer-body` in each folder. What it saw is compared with
what passed a relay between it and the gateway.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import orders  # noqa: E402
from harness.processes import key_of  # noqa: E402
from harness.shop import Shop  # noqa: E402
from relay import Relay  # noqa: E402

# This only ends a program that hangs.
LIMIT_S = 60
# This is far beyond limits.body and what sockets take: the answer comes while the client still sends.
TOO_LARGE_BYTES = 4 << 20
# These fields are about the connection and not the answer; some clients take the length for the connection's too.
NOT_COMPARED = {"connection", "keep-alive", "content-length"}
PYTHON = "/usr/bin/python3"


class Stack:
    """This is a client: its program, the command that tells its version, how many connections one run of it takes at
    most (None: one for each request), and the answers of which it keeps no body, by the name of the request, with the
    reason."""

    def __init__(self, program, version, connections=1, bodiless=None):
        self.program = HERE / "stacks" / program
        self.name = self.program.stem.replace("_", " ")
        self.version = version
        self.connections = connections
        self.bodiless = bodiless or {}

    def found(self):
        """Returns its version; nothing if it is not installed."""
        if not shutil.which(self.version[0]):
            return None
        done = subprocess.run(self.version, capture_output=True, text=True, timeout=LIMIT_S)
        match = re.search(r"\d+(\.\d+)+", done.stdout)
        return match[0] if done.returncode == 0 and match else None

    def command(self, folder):
        if self.program.suffix == ".go":
            built = folder / "programs" / self.program.stem
            if not built.exists():
                built.parent.mkdir()
                subprocess.run(["go", "build", "-o", built, self.program], check=True, cwd=folder, timeout=10 * LIMIT_S,
                               env=os.environ | {"GOCACHE": str(folder / "go-cache"), "GO111MODULE": "auto"})
            return [built]
        interpreter = {".sh": "bash", ".py": PYTHON, ".mjs": "node", ".php": "php", ".pl": "perl", ".rb": "ruby"}
        return [interpreter[self.program.suffix], self.program]


def python(module):
    return [PYTHON, "-c", f"import {module}; print({module}.__version__)"]


def perl(module):
    return ["perl", f"-M{module}", "-e", f"print ${module}::VERSION"]


STACKS = [
    Stack("curl.sh", ["curl", "--version"]),
    Stack("wget.sh", ["wget", "--version"], None, {"no key": "it throws the body of a 401 away"}),
    Stack("httpie.sh", ["http", "--version"], None),
    Stack("bash_dev_tcp.sh", ["bash", "--version"]),
    Stack("python_http_client.py", [PYTHON, "--version"]),
    Stack("python_urllib3.py", python("urllib3")),
    Stack("python_requests.py", python("requests")),
    Stack("python_httpx.py", python("httpx")),
    Stack("python_aiohttp.py", python("aiohttp")),
    # Two connections take turns, and one ends with every HEAD.
    Stack("node_fetch.mjs", ["node", "--version"], 3),
    Stack("node_http.mjs", ["node", "--version"]),
    Stack("go_net_http.go", ["go", "version"]),
    Stack("php_curl.php", ["php", "-r", "echo curl_version()['version'];"]),
    Stack("php_streams.php", ["php", "-r", "echo PHP_VERSION;"], None),
    Stack("perl_lwp.pl", perl("LWP")),
    Stack("perl_http_tiny.pl", perl("HTTP::Tiny")),
    Stack("ruby_net_http.rb", ["ruby", "--version"]),
]


class Seen:
    """This is what a client told about an answer."""

    def __init__(self, folder):
        self.status = int((folder / "answer-status").read_text())
        lines = (folder / "answer-fields").read_text().splitlines()
        self.fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        self.body = (folder / "answer-body").read_bytes()

    @property
    def json(self):
        return json.loads(self.body)


class Request:
    """This is a request of a till, and what its answer has to be. `wants` checks what was seen."""

    def __init__(self, name, method, path, status, wants, order=None, key=None, authorized=True, body=None):
        self.name = name
        self.method = method
        self.path = path
        self.status = status
        self.wants = wants
        self.id = f"{name.replace(' ', '-')}.{uuid.uuid4().hex[:12]}"
        self.body = json.dumps(order, ensure_ascii=False).encode() if order else body
        self.fields = {"X-Request-Id": self.id}
        if authorized:
            self.fields["Authorization"] = f"Bearer {key_of('caixa-01')}"
        if key:
            self.fields["Idempotency-Key"] = key
        if self.body:
            self.fields["Content-Type"] = "application/json"

    def write(self, folder):
        folder.mkdir(parents=True)
        (folder / "method").write_text(self.method)
        (folder / "path").write_text(self.path)
        (folder / "fields").write_text("".join(f"{name}: {value}\n" for name, value in self.fields.items()))
        if self.body is not None:
            (folder / "body").write_bytes(self.body)


def sell(name, status, wants, key, **order):
    return Request(name, "POST", "/v1/sell", status, wants, orders.tv(**order), key)


def a_tills_day():
    key, *others = (orders.new_key() for _ in range(5))
    return [
        sell("sold", 200, lambda seen: seen.json["outcome"] == "sold", key),
        sell("repeated", 200, lambda seen: seen.fields["idempotency-replayed"] == "true", key),
        Request("no key", "GET", "/v1/sales", 401, lambda seen: seen.fields["www-authenticate"] == "Bearer",
                authorized=False),
        sell("wrong field", 422, lambda seen: seen.json["errors"][0]["pointer"] == "/valor", others[0], valor=0),
        sell("refused", 402, lambda seen: seen.json["sale"]["reason"]["code"] == "refused", others[1], valor=4901),
        # The provider never calls back. No client may follow Location, or ask a second time, on its own.
        Request("pending", "POST", "/v1/sell", 202, lambda seen: seen.fields["location"].startswith("/v1/sales/"),
                orders.esim(2935), others[2]),
        Request("listed", "GET", "/v1/sales?limit=3", 200, lambda seen: len(seen.json["sales"]) == 3),
        Request("head", "HEAD", "/v1/sales?limit=3", 200, lambda seen: seen.body == b""),
        Request("wrong method", "DELETE", "/v1/sell", 405, lambda seen: seen.fields["allow"] == "POST"),
        sell("held", 200, lambda seen: seen.json["outcome"] == "held", others[3], confirm="manual"),
    ]


def confirm(sale_id):
    return [Request("confirmed", "POST", f"/v1/sales/{sale_id}/confirm", 200, lambda seen: seen.json["outcome"] == "sold")]


def too_large():
    return [
        Request("too large", "POST", "/v1/sell", 413, lambda seen: seen.json["code"] == "payload_too_large",
                key=orders.new_key(), body=b" " * TOO_LARGE_BYTES),
        Request("goes on", "GET", "/v1/sales?limit=1", 200, lambda seen: len(seen.json["sales"]) == 1),
    ]


def fault_of(request, seen, sent, bodiless):
    """Returns what is wrong with what was seen of an answer; nothing if all is well. `sent` is what the relay saw, if
    anything."""
    if seen.status != request.status:
        return f"status {seen.status}, not {request.status}"
    if sent and seen.status != sent.status:
        return f"status {seen.status}, sent was {sent.status}"
    for name, value in (sent.fields.items() if sent else ()):
        if name not in NOT_COMPARED and seen.fields.get(name) != value:
            return f"{name} is {seen.fields.get(name)!r}, sent was {value!r}"
    if sent and not bodiless and seen.body != sent.body:
        return f"a body of {len(seen.body)} bytes, sent were {len(sent.body)}: {seen.body[:80]!r}"
    try:
        return None if request.wants(seen) else f"not what was asked for: {seen.fields} {seen.body[:200]!r}"
    except (KeyError, ValueError) as failure:
        return f"{failure!r} in {seen.fields} {seen.body[:200]!r}"


class Trial:
    """Runs one client from the first request to the last, and returns the checks that it passed and those that it
    failed, with the reason."""

    def __init__(self, stack, folder):
        self.stack = stack
        self.folder = folder
        self.passed = 0
        self.failed = {}

    def note(self, name, fault):
        if fault is None:
            self.passed += 1
        else:
            self.failed[name] = fault

    def run(self, requests, address, relay=None):
        """Lets the program ask, and notes each answer; returns what it saw of the last one, if that is as it must
        be."""
        folders = [self.folder / self.stack.program.stem / request.id for request in requests]
        for request, folder in zip(requests, folders):
            request.write(folder)
        command = [*self.stack.command(self.folder), address, *folders]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                self.note("its program", f"it ended with {done.returncode}: {done.stderr.strip()[-1000:]}")
        except subprocess.TimeoutExpired:
            self.note("its program", f"it did not end within {LIMIT_S} s")
        connections, sent = relay.take({request.id: request.method for request in requests}.get) if relay else (0, {})
        last = None
        for request, folder in zip(requests, folders):
            seen = Seen(folder) if (folder / "answer-status").exists() else None
            fault = "no answer was seen"
            if seen:
                fault = fault_of(request, seen, sent.get(request.id), request.name in self.stack.bodiless)
            self.note(request.name, fault)
            last = None if fault else seen
        if self.stack.connections and len(requests) > 1 and relay:
            right = 1 <= connections <= self.stack.connections
            self.note("uses its connection again", None if right else f"it used {connections}")
        return last

    def day(self, shop, relay):
        held = self.run(a_tills_day(), relay.url, relay)
        self.run(confirm(held.json["id"] if held else "none"), relay.url, relay)
        # This does not go through the relay, which would accept what the gateway refuses.
        host, port = shop.gateway.ports["terminals"]
        self.run(too_large(), f"http://{host}:{port}")


def try_all(stacks, some, folder):
    shop = Shop(folder)
    failed = False
    try:
        shop.start()
        relay = Relay(shop.gateway.ports["terminals"])
        print(f"{'client':<20}{'version':<12}checks")
        for stack in stacks:
            version = stack.found()
            if version is None:
                failed = failed or not some
                print(f"{stack.name:<20}{'-':<12}{'skipped' if some else 'FAILED'}: it is not installed", flush=True)
                continue
            trial = Trial(stack, folder)
            trial.day(shop, relay)
            print(f"{stack.name:<20}{version:<12}{trial.passed} of {trial.passed + len(trial.failed)}", flush=True)
            for name, why in stack.bodiless.items():
                print(f"    {name}: without its body, since {why}")
            for name, fault in trial.failed.items():
                failed = True
                print(f"    FAILED {name}: {fault}", flush=True)
        relay.close()
    finally:
        shop.close()
    return not failed


def main():
    names = {stack.name.replace(" ", "_"): stack for stack in STACKS}
    parser = argparse.ArgumentParser(description="See tests/clients/run.sh.")
    parser.add_argument("--some", action="store_true", help="skip the clients that are not installed")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    options = parser.parse_args()
    if unknown := set(options.names) - names.keys():
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(names)}")
    with tempfile.TemporaryDirectory() as folder:
        stacks = [names[name] for name in options.names] or STACKS
        sys.exit(0 if try_all(stacks, options.some, pathlib.Path(folder)) else 1)


if __name__ == "__main__":
    main()
