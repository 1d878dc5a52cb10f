"""These are measured side by side: the gateway, and others that could stand in its place. Each is a process on a port
that is there while the peer is entered (`with peer:`).

nginx forwards each call, or makes both from one with a Lua script, as a store might have it without a gateway. Neither
keeps a journal or writes a log, so both are as cheap as possible.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from . import MEASURED
from .rig import free_port
from harness.processes import Gateway as Program, configuration, key_of

TERMINAL = "caixa-01"
KEY = key_of(TERMINAL)
PINNED = ["taskset", "-c", MEASURED] if MEASURED else []


def total(program, name):
    """Returns the sum of a metric's samples, whatever their labels are."""
    text = program.admin.get("/metrics").body.decode()
    return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))


def unsettled(program):
    """Returns how many sales are not settled: those that the gateway counts or, once it counts none, those that it
    lists for the operator."""
    if counted := int(total(program, "gateway_sales_open")):
        return counted
    return sum(len(program.admin.get(f"/v1/sales?limit=200&{which}").of(200).json["sales"])
               for which in ("status=PENDENTE", "status=AUTORIZADA", "attention=true"))


class Peer:
    """`process` is the peer's process while it is entered."""

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, failure, *_):
        if failure:
            self.kill()
        else:
            self.stop()


class Nothing:
    """Nothing stands between: the terminals make both calls to the provider themselves."""

    name = "nothing between them"
    shape = "two-calls"

    def __init__(self, folder, provider_port):
        self.port = provider_port
        self.process = os.getpid()  # some process has to be named

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Gateway(Peer):
    """This is the gateway as a store runs it: its journal flushes every commit, and its log is at info."""

    name = "gateway"
    shape = "sell"

    def __init__(self, folder, provider_port, authority=None, changes=None, wrapper=PINNED):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        scheme = "https" if authority else "http"
        url = f"{scheme}://127.0.0.1:{provider_port}"
        self.port = free_port()
        document = configuration(self.folder, url, "http://127.0.0.1:1", {
            "listen.terminals": f"127.0.0.1:{self.port}",
            "limits.per_terminal_rate": 100_000,
            "limits.in_flight": 100_000,
            "limits.connections_per_address": 12_000,
            "provider.request_timeout": "15s",
            "sale.late_arrival": "2s",
            "sale.confirm_window": "2m",
        } | ({"provider.ca_file": str(authority)} if authority else {}) | (changes or {}))
        self.journal = pathlib.Path(document["journal"].get("path", ""))  # only if it is a file
        self.program = Program(self.folder, document, wrapper)

    @property
    def process(self):
        return self.program.run.child.pid

    def start(self):
        self.program.start_ready()

    def stop(self):
        self.program.stop()

    def kill(self):
        for run in self.program.runs:
            run.kill()

    def metric(self, name, **labels):
        return self.program.metric(name, **labels)

    def await_settled(self, limit_s):
        """Returns how many sales are not settled in the end."""
        until = time.monotonic() + limit_s
        while (left := unsettled(self.program)) and time.monotonic() < until:
            time.sleep(0.2)
        return left


class Nginx(Peer):
    """This nginx has one worker. `locations` says what it does with a request; the provider is its upstream, with kept
    connections."""

    # The provider has a name here: nginx looks for no address in a certificate.
    tls_upstream = """
            proxy_ssl_trusted_certificate {authority};
            proxy_ssl_verify on;
            proxy_ssl_name provider;
            proxy_ssl_session_reuse on;"""

    def __init__(self, folder, provider_port, authority=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.port = free_port()
        upstream = "proxy_pass https://provider;" if authority else "proxy_pass http://provider;"
        if authority:
            upstream += self.tls_upstream.format(authority=authority)
        upstream += ' proxy_http_version 1.1; proxy_set_header Connection "";'
        self.file = self.folder / "nginx.conf"
        self.file.write_text(f"""
{self.modules()}
worker_processes 1;
daemon off;
pid {self.folder}/nginx.pid;
error_log {self.folder}/error.log error;
events {{ worker_connections 50000; multi_accept on; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    proxy_read_timeout 2m;
    client_body_temp_path {self.folder}/body;
    proxy_temp_path {self.folder}/proxy;
    fastcgi_temp_path {self.folder}/fastcgi;
    uwsgi_temp_path {self.folder}/uwsgi;
    scgi_temp_path {self.folder}/scgi;
    upstream provider {{
        server 127.0.0.1:{provider_port};
        keepalive 20000;
        keepalive_requests 1000000000;
    }}
    {self.before()}
    server {{
        listen 127.0.0.1:{self.port} backlog=4096;
        {self.locations(upstream)}
    }}
}}
""")

    def modules(self):
        return ""

    def before(self):
        return ""

    def start(self):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            sys.exit("nginx is not installed: tests/bench/run.sh installs what is missing")
        errors = self.folder / "error.log"
        self.child = subprocess.Popen(PINNED + [program, "-c", self.file, "-p", self.folder, "-e", errors])
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.child.poll() is None:
            found = subprocess.run(["pgrep", "-P", str(self.child.pid)], capture_output=True, text=True)
            if found.stdout:
                self.process = int(found.stdout.split()[0])
                return
            time.sleep(0.05)
        raise AssertionError("nginx has no worker: " + errors.read_text())

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait()

    def kill(self):
        if hasattr(self, "child"):
            self.stop()


class NginxForwarding(Nginx):
    name = "nginx, forwarding two calls"
    shape = "two-calls"

    def locations(self, upstream):
        return f"location / {{ {upstream} }}"


class NginxLua(Nginx):
    """A script makes both steps from one call: it decodes the call, makes the request, and confirms what is
    authorised."""

    name = "nginx with Lua, no journal"
    shape = "sell"
    script = """
    local cjson = require 'cjson.safe'
    local count = 0
    local function refuse(status, code)
        ngx.status = status
        ngx.header['Content-Type'] = 'application/problem+json'
        ngx.print(cjson.encode({status = status, code = code}))
    end
    local function ask(path, body)
        local answer = ngx.location.capture(path, {method = ngx.HTTP_POST, body = cjson.encode(body)})
        local decoded = answer.status == 200 and cjson.decode(answer.body)
        local sale = decoded and (decoded.venda or decoded)
        return sale and sale.transacao, sale
    end
    local function sell()
        if ngx.var.http_authorization ~= 'Bearer TERMINAL_KEY' then return refuse(401, 'unauthorized') end
        if not ngx.var.http_idempotency_key then return refuse(400, 'missing_idempotency_key') end
        ngx.req.read_body()
        local order = cjson.decode(ngx.req.get_body_data() or '')
        if not order or type(order.valor) ~= 'number' then return refuse(422, 'invalid_request') end
        count = count + 1
        local id = string.format('%x-%d-%d', ngx.now() * 1000, ngx.worker.pid(), count)
        local now = os.date('!%Y-%m-%dT%H:%M:%S.000Z', ngx.time())
        local asked, sale = ask('/provider/venda/tv/solicitar', {estabelecimento = '12345678', idExterno = id,
            produto = order.produto, tipoProduto = 'ONLINE', dataHoraCliente = now, cpf = order.cpf,
            valor = tostring(order.valor)})
        if not asked or asked.status ~= 'AUTORIZADA' then return refuse(502, 'provider_error') end
        local confirmed = ask('/provider/venda/tv/confirmar', {estabelecimento = '12345678',
            idTransacao = asked.idTransacao, produto = order.produto, dataHoraCliente = now})
        if not confirmed or confirmed.status ~= 'EFETIVADA' then return refuse(502, 'provider_error') end
        ngx.header['Content-Type'] = 'application/json'
        local text = cjson.encode({id = id, outcome = 'sold', status = confirmed.status, final = true,
            family = order.family, produto = order.produto, valor = order.valor, idExterno = id,
            idTransacao = asked.idTransacao, dataHora = asked.dataHora,
            estabelecimentoNome = sale.estabelecimento.nome, cnpjCpf = sale.estabelecimento.cnpjCpf,
            instrucao = cjson.decode(asked.instrucao)})
        ngx.header['Content-Length'] = #text
        ngx.print(text)
    end
    return sell
"""

    def modules(self):
        return ("load_module /usr/lib/nginx/modules/ndk_http_module.so;\n"
                "load_module /usr/lib/nginx/modules/ngx_http_lua_module.so;")

    def before(self):
        (self.folder / "sell.lua").write_text(self.script.replace("TERMINAL_KEY", KEY))
        return f"lua_package_path '{self.folder}/?.lua;;'; init_by_lua_block {{ sell = require 'sell' }}"

    def locations(self, upstream):
        return f"""
        location = /v1/sell {{ content_by_lua_block {{ sell() }} }}
        location /provider/ {{
            internal;
            rewrite ^/provider(/.*)$ $1 break;
            proxy_pass_request_headers off;
            proxy_set_header Authorization "Bearer token";
            proxy_set_header Content-Type "application/json";
            proxy_set_header Accept "application/json";
            {upstream}
        }}"""
