"""This is a small HTTP client. Every answer of the gateway is checked against what the contract says of all of them."""
import http.client
import json
import re
import threading

from . import contract

TIMEOUT_S = 90
# RFC 9110 has other words here than Python.
TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}
_MADE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def __repr__(self):
        return f"<{self.status} {self.body[:2000]!r}>"

    def header(self, name):
        return self.headers.get(name)

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """Returns the `code` of a problem; nothing where the answer is none."""
        return self.json["code"] if self.status >= 400 else None

    @property
    def sale(self):
        """Returns the sale of an answer about one, success or problem."""
        return self.json["sale"] if self.status >= 400 else self.json

    def pointers(self):
        return sorted(error["pointer"] for error in self.json["errors"])

    def of(self, status, code=None):
        """Returns the answer itself, if it is the one that was expected."""
        assert (self.status, self.code) == (status, code), self
        return self


def encoded(body, headers):
    """Returns the body as bytes, and the headers that belong to it."""
    headers = dict(headers or {})
    if body is not None and not isinstance(body, (bytes, str)):
        body = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    return body.encode() if isinstance(body, str) else body, headers


def plain_request(address, method, path, body=None, headers=None, timeout=TIMEOUT_S, context=None):
    """Sends one request on a connection of its own. `body` is bytes, text, or anything else to be sent as JSON."""
    body, headers = encoded(body, headers)
    if context is None:
        connection = http.client.HTTPConnection(*address, timeout=timeout)
    else:
        connection = http.client.HTTPSConnection(*address, timeout=timeout, context=context)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def check_answer(answer, proxied):
    """Checks what holds for every answer: a request id, and problem+json from 400 on, unless it is the provider's own
    or is text for people."""
    assert _MADE_REQUEST_ID.fullmatch(answer.header("X-Request-Id") or ""), answer
    if answer.status < 400 or proxied or answer.header("Content-Type").startswith("text/plain"):
        return
    assert answer.header("Content-Type") == "application/problem+json", answer.headers
    problem = answer.json
    assert problem["type"] == "about:blank", problem
    assert problem["title"] == TITLES.get(answer.status, http.client.responses[answer.status]), problem
    assert problem["status"] == answer.status, problem
    assert re.fullmatch(r"[a-z_]+", problem["code"]) and problem["detail"], problem
    assert problem["requestId"] == answer.header("X-Request-Id"), problem
    if "sale" in problem:
        assert problem["outcome"] == problem["sale"]["outcome"], problem


class Caller:
    """This is a caller of one listener, perhaps with a key."""

    document = None  # the listener's OpenAPI document, where it has one: every exchange must be as it says

    def __init__(self, address, key=None, context=None):
        self.address = address
        self.key = key
        self.context = context

    def request(self, method, path, body=None, headers=None, timeout=TIMEOUT_S):
        sent = dict(headers or {})
        if self.key is not None and "Authorization" not in sent:
            sent["Authorization"] = f"Bearer {self.key}"
        sent = {name: value for name, value in sent.items() if value is not None}
        body, sent = encoded(body, sent)
        answer = plain_request(self.address, method, path, body, sent, timeout, self.context)
        if method != "HEAD":
            check_answer(answer, proxied=path.startswith("/v1/provider/"))
        if self.document:
            contract.check(self.document, method, path, sent, body, answer)
        return answer

    def get(self, path, **headers):
        return self.request("GET", path, headers=_named(headers))

    def post(self, path, body=None, **headers):
        return self.request("POST", path, body, headers=_named(headers))


def _named(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}


class Terminal(Caller):
    """This is a terminal of the store."""

    document = "terminals"

    def sell(self, order, key, wait=None, **headers):
        headers = _named(headers) | {"Idempotency-Key": key}
        if wait is not None:
            headers["Prefer"] = f"wait={wait}"
        return self.request("POST", "/v1/sell", order, headers)

    def cancel_key(self, key, wait=None):
        return self.request("POST", "/v1/cancel", headers={"Idempotency-Key": key} | _prefer(wait))

    def confirm(self, sale_id, wait=None):
        return self.request("POST", f"/v1/sales/{sale_id}/confirm", headers=_prefer(wait))

    def cancel(self, sale_id, wait=None):
        return self.request("POST", f"/v1/sales/{sale_id}/cancel", headers=_prefer(wait))

    def sale(self, sale_id, wait=None):
        answer = self.request("GET", f"/v1/sales/{sale_id}", headers=_prefer(wait))
        return answer.of(200).json


class Operator(Caller):
    """This is the operator, and the monitoring."""

    document = "admin"


def _prefer(wait):
    return {} if wait is None else {"Prefer": f"wait={wait}"}


class Background:
    """A call that runs while the test goes on. result() returns its answer or raises what it raised."""

    def __init__(self, call, *arguments, **named):
        self._value = None
        self._failure = None
        self._thread = threading.Thread(target=self._run, args=(call, arguments, named), daemon=True)
        self._thread.start()

    def _run(self, call, arguments, named):
        try:
            self._value = call(*arguments, **named)
        except BaseException as failure:  # result() raises it
            self._failure = failure

    @property
    def done(self):
        return not self._thread.is_alive()

    def result(self, timeout=TIMEOUT_S):
        self._thread.join(timeout)
        assert self.done, "the call was never answered"
        if self._failure is not None:
            raise self._failure
        return self._value
