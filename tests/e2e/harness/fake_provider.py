"""This is a provider in Python, which a test scripts: for answers that the sandbox cannot give, and to see every byte
sent.

Without a script it sells: tokens, AUTORIZADA, EFETIVADA, CANCELADA. `on(path, script)` puts a script in the place of
the usual answer; a script gets the Request and returns (status, body) or (status, body, headers), or CUT to close the
connection without an answer, or USUAL. It runs on the connection's own thread and may wait for an event.
"""
import itertools
import json
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CUT = object()
USUAL = object()


class Request:
    def __init__(self, method, target, headers, body):
        self.method = method
        self.target = target
        self.path = target.split("?")[0]
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode(), strict_parsing=True))

    @property
    def step(self):
        return self.path.rsplit("/", 1)[-1]


def authorised(request, idTransacao="T-1", **transacao):
    """Returns the documented answer to a sale request; `transacao` has what a test wants to be different."""
    asked = request.json
    told = {
        "valor": int(asked.get("valor", 0)),
        "status": "AUTORIZADA",
        "idTransacao": idTransacao,
        "dataHora": "2024-05-02T10:11:12.000-03:00",
    }
    if not request.path.startswith("/venda/egift/"):  # the e-gift's goods come with the confirm
        told["instrucao"] = json.dumps({"recargaTV": {"nsuFornecedor": "000123"}})
    told |= transacao
    return {
        "venda": {
            "estabelecimento": {"cnpjCpf": "00.000.000/0001-00", "nome": "Loja Teste"},
            "produto": {"fornecedor": {"nome": "Operadora Norte"}},
            "transacao": told,
            "idExterno": asked["idExterno"],
        }
    }


def after(event, said=USUAL):
    """Returns a script that waits for the event before it answers."""

    def script(_):
        event.wait(120)
        return said

    return script


class FakeProvider:
    def __init__(self, tls=None):
        """`tls` is the ssl.SSLContext to serve with, where it is to be HTTPS."""
        self.requests = []
        self.close_after_each = False
        self.clock_ahead_s = 0  # by how much the Date of its answers is ahead of this machine's clock
        self.resumed = []  # for each request over TLS, whether its connection resumed a session
        self._scripts = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                if tls:
                    provider.resumed.append(self.connection.session_reused)
                provider._serve(self, Request(self.command, self.path, self.headers, self.rfile.read(length)))

            do_GET = do_POST = do_PUT = answer

            def date_time_string(self, timestamp=None):
                return super().date_time_string((timestamp or time.time()) + provider.clock_ahead_s)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls:
            # The handshake is left to the connection's own thread, so that a caller that gives up does not end the
            # server.
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._server.handle_error = lambda *_: None  # a caller went away
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def address(self):
        return ("127.0.0.1", self._server.server_port)

    def on(self, path, script):
        """`script` may also be a list, of which each call takes one; then the usual answer follows."""
        if not callable(script):
            left = list(script)
            script = lambda request: left.pop(0)(request) if left else USUAL  # noqa: E731
        self._scripts[path] = script

    def clear(self):
        self._scripts.clear()
        with self._lock:
            self.requests.clear()

    def sent(self, path):
        with self._lock:
            return [request for request in self.requests if request.path == path]

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler, request):
        with self._lock:
            self.requests.append(request)
        script = self._scripts.get(request.path)
        said = script(request) if script else USUAL
        if said is USUAL:
            said = self._usual(request)
        if said is CUT:
            handler.close_connection = True
            return
        status, body, *headers = said
        data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        handler.send_response(status)
        named = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        if self.close_after_each:
            named["Connection"] = "close"
        for name, value in (named | (headers[0] if headers else {})).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def _usual(self, request):
        if request.path == "/authorization/token":
            return 200, self.token()
        if request.method == "GET":
            return 404, {"mensagem": "nada"}
        if request.step == "solicitar":
            return 200, authorised(request, f"T-{next(self._numbers)}")
        if request.step == "confirmar":
            return 200, {"transacao": {"status": "EFETIVADA", "idTransacao": request.json["idTransacao"]}}
        return 200, {"transacao": {"status": "CANCELADA"}}

    def token(self, lifetime_s=300):
        number = next(self._numbers)
        return {
            "access_token": f"access-token-{number}",
            "token_type": "Bearer",
            "expires_in": lifetime_s,
            "refresh_token": f"refresh-token-{number}",
            "scope": "Venda_TvPrePaga",
        }
