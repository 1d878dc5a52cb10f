#!/usr/bin/python3
"""Stands in for a program that a test cannot have: its name says for which. It refuses what the real one would refuse,
and does what the page needs of it: systemctl starts, stops and reloads the installed gateway as its unit does, and
journalctl shows its log."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

from programs import Misused, check_fields, taken_from, units_of

STATE = pathlib.Path(os.environ.get("PAGES_STATE", "/nonexistent"))
CONFIG = "/etc/sales-gateway/gateway.toml"
GATEWAY = "/usr/bin/sales-gateway"
SERVICE = "sales-gateway.service"
LIMIT_S = 60
PID, LOG, NOTIFY = STATE / "pid", STATE / "log", STATE / "notify"


def running():
    """Returns the number of the service's process, if it runs."""
    with contextlib.suppress(OSError, ValueError):
        pid = int(PID.read_text())
        if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z":
            return pid
    return None


@contextlib.contextmanager
def told_ready():
    """Waits, after what is done within, until the gateway tells systemd that it is ready."""
    NOTIFY.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(NOTIFY))
        told.settimeout(0.2)
        yield
        end = time.monotonic() + LIMIT_S
        while running() and time.monotonic() < end:
            with contextlib.suppress(TimeoutError):
                if b"READY=1" in told.recv(4096):
                    return
    raise Misused("Job for sales-gateway.service failed:\n" + LOG.read_text()[-2000:])


def start():
    if running():
        return
    environment = {"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": str(NOTIFY), "TZ": "America/Sao_Paulo"}
    with told_ready(), LOG.open("ab") as log:
        child = subprocess.Popen([GATEWAY, "--config", CONFIG], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                 env=environment, start_new_session=True)
        PID.write_text(str(child.pid))


def stop():
    if pid := running():
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + LIMIT_S
        while running():
            if time.monotonic() > end:
                raise Misused("the gateway does not stop")
            time.sleep(0.01)


def reload():
    if not (pid := running()):
        raise Misused("sales-gateway.service is not active, cannot reload.")
    found = subprocess.run([GATEWAY, "check-config", "--config", CONFIG], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise Misused(found.stdout + found.stderr)
    with told_ready():
        os.kill(pid, signal.SIGHUP)


def systemctl(arguments):
    command, names = taken_from("systemctl", arguments)
    if command in ("daemon-reload", "list-timers"):
        return 0
    if not names:
        raise Misused(f"systemctl {command}: too few arguments")
    units = [unit.name for unit in units_of(names)]
    enabled = [STATE / f"enabled-{unit}" for unit in units]
    if command == "enable":
        for mark in enabled:
            mark.touch()
    elif command == "is-enabled":
        return 0 if all(mark.exists() for mark in enabled) else 1
    elif command == "status":
        print("\n".join(units), "active (running)" if running() else "inactive (dead)")
        return 0 if running() else 3
    elif SERVICE in units:
        for act in {"restart": (stop, start), "start": (start,), "stop": (stop,), "reload": (reload,)}[command]:
            act()
    return 0


def journalctl(arguments):
    """Shows which events the log has, of those that are asked for."""
    _, fields = taken_from("journalctl", arguments)
    check_fields(fields)
    events = [field.removeprefix("EVENT=") for field in fields if field.startswith("EVENT=")]
    for line in LOG.read_text().splitlines() if LOG.exists() else []:
        with contextlib.suppress(ValueError):
            event = json.loads(line)["event"]
            if not events or event in events:
                print(event)
    return 0


def apt(arguments):
    program = pathlib.Path(sys.argv[0]).name
    _, packages = taken_from(program, arguments)
    for package in packages:
        if "/" in package and not pathlib.Path(package).is_file():
            raise Misused(f"{program}: there is no {package}")
    return 0


def promtool(arguments):
    import yaml  # the other stand-ins are called often, and begin sooner without it
    _, (what, *files) = taken_from("promtool", arguments)
    if what not in ("rules", "config"):
        raise Misused(f"promtool: it checks no {what}")
    for file in files:
        yaml.safe_load(pathlib.Path(file).read_text())
    return 0


def ssh_keyscan(arguments):
    _, hosts = taken_from("ssh-keyscan", arguments)
    for host in hosts:
        print(f"{host} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA")
    return 0


STAND_INS = {"apt": apt, "apt-get": apt, "journalctl": journalctl, "promtool": promtool, "ssh-keyscan": ssh_keyscan,
             "systemctl": systemctl}

if __name__ == "__main__":
    try:
        sys.exit(STAND_INS[pathlib.Path(sys.argv[0]).name](sys.argv[1:]))
    except Misused as wrong:
        sys.exit(str(wrong))
