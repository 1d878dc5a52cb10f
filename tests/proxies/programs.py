"""This runs Debian's proxies as ordinary processes of a test, each with a configuration of its own and free ports."""
import socket

from harness.processes import Process
from harness.waiting import eventually

# The front proxies call the gateway from these addresses, and callers call the proxies from those.
FRONT = "127.0.0.2"
TILLS = ("127.0.0.5", "127.0.0.6")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Proxy:
    """This is a proxy that listens at `port`. `configuration` is the text of its file; `command` gets the file's
    path."""

    def __init__(self, folder, name, port, configuration, command):
        self.folder, self.name, self.port = folder, name, port
        file = folder / f"{name}.conf"
        file.write_text(configuration)
        self.command = command(str(file))
        self.process = None

    def start(self):
        self.process = Process(self.command, self.folder, self.name)
        eventually(self._listens, f"{self.name} listens")
        return self

    def _listens(self):
        assert self.process.running(), self.process.text() + self.process.errors()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=10).close()
            return True
        except OSError:
            return False

    def kill(self):
        if self.process:
            self.process.kill()


def tinyproxy(folder, *more):
    port = free_port()
    lines = [f"Port {port}", "Listen 127.0.0.1", "Timeout 600", "MaxClients 100", f'PidFile "{folder}/tinyproxy.pid"',
             *more]
    return Proxy(folder, "tinyproxy", port, "\n".join(lines) + "\n", lambda file: ["tinyproxy", "-d", "-c", file])


def haproxy(folder, target, mode="http", backend=(), server=""):
    """This stands in front of `target`, a port of the loopback."""
    port = free_port()
    text = f"""global
    maxconn 200
    stats socket {folder}/haproxy.sock mode 600
defaults
    mode {mode}
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend tills
    bind 127.0.0.1:{port}
    default_backend gateways
backend gateways
""" + "".join(f"    {line}\n" for line in backend) + f"    server gateway 127.0.0.1:{target} source {FRONT} {server}\n"
    return Proxy(folder, "haproxy", port, text, lambda file: ["haproxy", "-db", "-f", file])


def state_at_haproxy(folder):
    """Returns what HAProxy has found out about the gateway: "UP" or "DOWN"."""
    with socket.socket(socket.AF_UNIX) as stats:
        stats.connect(f"{folder}/haproxy.sock")
        stats.sendall(b"show stat gateways 4 -1\n")
        rows = [line.split(",") for line in stats.makefile().read().splitlines() if line]
    names = rows[0]
    return dict(zip(names, rows[1]))["status"].split()[0]


def nginx(folder, target, stream=False):
    port = free_port()
    before, inner = "", f"""
http {{
    access_log off;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    upstream gateways {{
        server 127.0.0.1:{target};
        keepalive 4;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://gateways;
            proxy_bind {FRONT};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
}}
"""
    if stream:
        before, inner = "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\n", f"""
stream {{
    server {{
        listen 127.0.0.1:{port};
        proxy_pass 127.0.0.1:{target};
        proxy_bind {FRONT};
        proxy_protocol on;
    }}
}}
"""
    text = f"""{before}daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
events {{
    worker_connections 100;
}}
""" + inner
    return Proxy(folder, "nginx", port, text,
                 lambda file: ["nginx", "-p", str(folder), "-e", f"{folder}/nginx-error.log", "-c", file])
