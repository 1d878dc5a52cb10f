"""A person's browser, as far as the console can tell: a cookie, an Origin, and a stream of events."""
import http.client
import json
import subprocess

from .client import Caller
from .processes import GATEWAY

PASSWORD = "a bela e a fera"


def operator(name, role="look", password=PASSWORD):
    """Returns the lines of new-operator for a configuration, as the harness writes one."""
    done = subprocess.run([GATEWAY, "new-operator", name, "--role", role], input=password + "\n", text=True,
                          capture_output=True, check=True)
    values = dict(line.split(" = ", 1) for line in done.stdout.splitlines() if " = " in line)
    return {key: json.loads(value) for key, value in values.items()}


class Browser(Caller):
    def __init__(self, shop, context=None):
        super().__init__(shop.gateway.ports["console"], context=context)
        scheme = "https" if context else "http"
        self.origin = f"{scheme}://{self.address[0]}:{self.address[1]}"
        self.cookie = None

    def request(self, method, path, body=None, headers=None, timeout=30):
        sent = {"Cookie": self.cookie} | ({"Origin": self.origin} if method not in ("GET", "HEAD") else {})
        return super().request(method, path, body, sent | (headers or {}), timeout)

    def post(self, path, body=None, **headers):
        return self.request("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def sign_in(self, name, password=PASSWORD):
        return self._keep(self.post("/console/session", {"name": name, "password": password}).of(200))

    def follow(self, secret):
        return self._keep(self.post("/console/session", {"link": secret}).of(200))

    def _keep(self, answer):
        self.cookie = answer.header("Set-Cookie").split(";")[0]
        return self

    def stream(self, last_event=None):
        return Stream(self, last_event)


class Stream:
    """Reads GET /console/events, and ignores heartbeats."""

    def __init__(self, browser, last_event=None):
        self._connection = http.client.HTTPConnection(*browser.address, timeout=60)
        headers = {"Cookie": browser.cookie} | ({"Last-Event-ID": last_event} if last_event else {})
        self._connection.request("GET", "/console/events", headers=headers)
        self.answer = self._connection.getresponse()
        self.id = None

    def next(self):
        """Returns the topics of the next event; nothing where the stream has ended."""
        fields = {}
        for line in iter(self.answer.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if not name and "data" in fields:
                self.id = fields["id"]
                return json.loads(fields["data"])["topics"]
            if name:
                fields[name] = value
        return None

    def until(self, topic):
        """Reads events until one names the topic."""
        while True:
            topics = self.next()
            assert topics is not None, "the stream has ended"
            if topic in topics:
                return topics

    def close(self):
        self.answer.close()
        self._connection.close()
