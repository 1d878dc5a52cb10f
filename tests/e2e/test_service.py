"""Tests the gateway as a service of systemd: what it tells and when, the sockets that it is given, and its journal's
priorities."""
import contextlib
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import threading

import pytest
from harness import orders
from harness.client import Background, Terminal
from harness.fake_provider import after
from harness.manager import Manager
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually

# The period is short, so that a test is quick: the watchdog is fed every 100 ms, and is hungry after ten times this
# long without a commit.
PERIOD_S = 0.3
LISTENERS = ("terminals", "callbacks", "admin")


@pytest.fixture
def systemd(tmp_path):
    manager = Manager(tmp_path)
    yield manager
    manager.close()


def test_it_is_ready_when_it_serves_and_not_before(new_shop, systemd):
    shop = new_shop()
    systemd.starts(shop.gateway)
    shop.gateway.launch()
    systemd.await_line("READY=1")
    listening = shop.gateway.await_event("listening", listener="terminals")
    Terminal((listening["address"], listening["port"]), key_of("caixa-01")).get("/v1/sales").of(200)
    systemd.await_status("Takes sales.")
    assert systemd.times("READY=1") == 1 and systemd.times("STOPPING=1") == 0


def test_a_gateway_that_cannot_start_is_never_ready(new_shop, systemd):
    shop = new_shop()
    (shop.folder / "journal.db").write_text("another program's file, and rather a long one, to be sure of that")
    systemd.starts(shop.gateway)
    run = shop.gateway.launch()
    assert run.wait() == 1 and "journal.db" in run.errors()
    assert systemd.hear() == []


def test_the_status_says_why_no_sale_is_taken(new_shop, systemd):
    shop = new_shop()
    shop.gate.shut()
    systemd.starts(shop.gateway)
    shop.gateway.start()
    systemd.await_status("Takes no sales: ")
    shop.gate.open()
    systemd.await_status("Takes sales.")


def test_that_the_first_token_has_come_is_told_at_once(new_shop, provider, systemd):
    shop = new_shop(provider=provider)
    go_on = threading.Event()
    provider.on("/authorization/token", [after(go_on)])
    systemd.starts(shop.gateway)
    shop.gateway.launch()
    systemd.await_status("Takes no sales: no token has come yet.")
    go_on.set()
    shop.gateway.await_event("token.obtained")
    shop.gateway.run.signal(signal.SIGHUP)
    systemd.await_line("RELOADING=1")
    told = [line for message in systemd.hear() for line in message]
    assert told.index("STATUS=Takes sales.") < told.index("RELOADING=1")


def test_the_first_status_tells_what_the_start_has_found(new_shop, systemd):
    shop = new_shop()
    shop.start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal, journal:
        journal.execute("UPDATE sales SET updated_at = updated_at + 3 * 3600 * 1000")
    systemd.starts(shop.gateway)
    shop.gateway.start()
    systemd.await_line("READY=1")
    told = [line for message in systemd.hear() for line in message]
    assert "the journal's newest record" in told[0] and told[0].startswith("STATUS=Takes sales. Note: "), told
    assert told.index("READY=1") == 1


def test_a_reload_is_told_from_its_beginning_to_its_end(new_shop, systemd):
    shop = new_shop()
    systemd.starts(shop.gateway)
    shop.start()
    shop.gateway.run.signal(signal.SIGHUP)
    systemd.await_line("READY=1", times=2)
    begun = [message for message in systemd.hear() if "RELOADING=1" in message]
    assert len(begun) == 1 and begun[0][1].startswith("MONOTONIC_USEC=")
    shop.gateway.config.write_text("[[[")
    shop.gateway.run.signal(signal.SIGHUP)
    systemd.await_line("READY=1", times=3)  # a broken file changes nothing, and the gateway still serves
    assert systemd.times("RELOADING=1") == 2


def test_a_stop_is_told(new_shop, systemd):
    shop = new_shop()
    systemd.starts(shop.gateway)
    shop.start()
    shop.gateway.stop()
    assert systemd.times("STOPPING=1") == 1


# --- the watchdog ---


@pytest.fixture
def watched(new_shop, systemd):
    systemd.environment["WATCHDOG_USEC"] = str(int(PERIOD_S * 1_000_000))
    shop = new_shop()
    systemd.starts(shop.gateway)
    return shop.start()


def test_the_watchdog_is_fed_while_nothing_is_sold(watched, systemd):
    systemd.await_line("WATCHDOG=1", times=10)


def test_without_a_watchdog_nothing_is_fed(new_shop, systemd):
    shop = new_shop()
    systemd.starts(shop.gateway)
    shop.start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    assert systemd.times("WATCHDOG=1") == 0


def test_a_journal_that_hangs_starves_the_watchdog(watched, systemd):
    systemd.await_line("WATCHDOG=1")
    # The disk takes a minute for every flush, while the event loop goes on.
    pid = watched.gateway.run.child.pid
    with subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync",
                           "-e", "inject=fdatasync,fsync:delay_enter=60s", "-p", str(pid)]) as disk:
        eventually(lambda: systemd.hungry_for(5 * PERIOD_S), "the watchdog is hungry")
        watched.gateway.admin.get("/healthz").of(200)
        disk.kill()
        watched.gateway.kill()


def test_an_event_loop_that_stands_still_starves_the_watchdog(watched, systemd):
    systemd.await_line("WATCHDOG=1")
    # Only the event loop's thread waits a minute before it looks for what has happened.
    pid = watched.gateway.run.child.pid
    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-e", "trace=epoll_wait",
                           "-e", "inject=epoll_wait:delay_enter=60s", "-p", str(pid)]) as loop:
        eventually(lambda: systemd.hungry_for(5 * PERIOD_S), "the watchdog is hungry")
        loop.kill()
        watched.gateway.kill()


def test_a_journal_that_cannot_be_written_starves_it_after_a_while_and_feeds_it_once_healed(watched, systemd):
    for _ in range(20):  # makes the journal's log the longer one, and the gateway's the shorter
        watched.sell(orders.tv()).of(200)
    pid = watched.gateway.run.child.pid
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    fed = systemd.times("WATCHDOG=1")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (65536, hard))
    systemd.await_line("WATCHDOG=1", times=fed + 3)  # a disk that is full for a moment restarts nothing
    systemd.await_status("the journal cannot be written")
    eventually(lambda: systemd.hungry_for(5 * PERIOD_S), "the watchdog is hungry")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
    eventually(lambda: not systemd.hungry_for(PERIOD_S), "the watchdog is fed again")
    watched.sell(orders.tv()).of(200)


def test_another_program_that_has_the_journal_locked_does_not_starve_it(watched, systemd):
    watched.sell(orders.tv()).of(200)
    with contextlib.closing(sqlite3.connect(watched.folder / "journal.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        systemd.await_status("another program has the journal locked")
        fed = systemd.times("WATCHDOG=1")
        # Each feeding waited for a try of the journal, which is longer than six periods.
        systemd.await_line("WATCHDOG=1", times=fed + 4)
    eventually(lambda: watched.gateway.admin.get("/readyz").status == 200, "ready again by itself")
    watched.sell(orders.tv()).of(200)


# --- socket activation ---


def test_it_listens_on_the_sockets_that_it_is_passed(new_shop, systemd):
    systemd.listen(*LISTENERS)
    shop = new_shop({"listen.terminals": "192.0.2.1:1", "listen.admin": "127.0.0.1:1"})  # these are not used
    systemd.starts(shop.gateway)
    shop.start()
    for name in LISTENERS:
        assert shop.gateway.ports[name] == systemd.port(name)
    shop.sell(orders.tv()).of(200)
    shop.settled(shop.sell_esim(orders.esim()).json["id"])
    shop.check_books()


def test_a_socket_elsewhere_than_the_configuration_says_is_warned_of(new_shop, systemd):
    systemd.listen("terminals", "admin")
    port = systemd.port("admin")[1]
    shop = new_shop({"listen.terminals": "0.0.0.0:8080", "listen.admin": f"127.0.0.1:{port}"})
    systemd.starts(shop.gateway)
    shop.start()
    (told,) = shop.gateway.events("listener.elsewhere", level="warn")
    address, port = systemd.port("terminals")
    assert (told["listener"], told["address"], told["port"]) == ("terminals", address, port)
    assert told["configured"] == "0.0.0.0:8080" and "sales-gateway-terminals.socket" in told["detail"]


def test_a_socket_at_its_port_of_any_address_is_none(new_shop, systemd):
    """Tests systemd's ListenStream=8080, which is IPv6 and accepts callers of both, with "0.0.0.0:8080"."""
    systemd.listening["terminals"] = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    systemd.listen("callbacks")
    port = systemd.port("terminals")[1]
    shop = new_shop({"listen.terminals": f"0.0.0.0:{port}"})  # the callbacks are at 127.0.0.1, whatever the port
    systemd.starts(shop.gateway)
    shop.start()
    assert shop.gateway.ports["terminals"] == ("::", port)
    assert not shop.gateway.events("listener.elsewhere")


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_a_restart_loses_no_connection_attempt(new_shop, systemd, ending):
    systemd.listen("terminals")
    shop = new_shop()
    systemd.starts(shop.gateway)
    shop.start()
    getattr(shop.gateway, ending)()
    selling = [Background(shop.sell, orders.tv(), new_key()) for _ in range(20)]  # connected, although nobody is there
    shop.start()
    for one in selling:
        assert one.result().of(200).json["outcome"] == "sold"
    shop.check_books()


def test_callers_that_come_while_it_stops_are_served_by_the_next(new_shop, systemd, provider):
    systemd.listen("terminals")
    shop = new_shop({"limits.drain": "60s"}, provider=provider)
    systemd.starts(shop.gateway)
    shop.start()
    till = shop.till
    shop.gateway.stop()
    waiting = Background(till.get, "/v1/sales")
    shop.start()
    waiting.result().of(200)


def test_a_socket_in_clear_that_others_reach_is_not_the_consoles(new_shop, systemd):
    systemd.listening["console"] = socket.create_server(("0.0.0.0", 0))
    shop = new_shop({"listen.console": "127.0.0.1:9091"})
    systemd.starts(shop.gateway)
    run = shop.gateway.launch()
    assert run.wait() == 1
    assert "listen.console_tls.cert" in run.errors() and "sales-gateway-console.socket" in run.errors()


@pytest.mark.parametrize("names", [("terminals", "kitchen"), ("callbacks",)])
def test_a_socket_that_no_listener_takes_is_said(new_shop, systemd, names):
    systemd.listen(*names)
    shop = new_shop({"listen.callbacks": None, "provider.callback_url": None})
    systemd.starts(shop.gateway)
    run = shop.gateway.launch()
    assert run.wait() == 1
    assert f'"{names[-1]}"' in run.errors() and "FileDescriptorName=" in run.errors()


# --- its output in systemd's journal, and credentials ---


def test_every_line_carries_its_priority_where_the_journal_reads(new_shop, systemd):
    systemd.environment["JOURNAL_STREAM"] = "standard output"
    shop = new_shop()
    systemd.starts(shop.gateway)
    run = shop.gateway.launch()
    run._line_with(r'(?m)^<6>\{.*"event":"started"')
    shop.gateway.config.write_text("[[[")
    run.signal(signal.SIGHUP)
    run._line_with(r'(?m)^<3>\{.*"event":"reload.refused"')
    run.stop()
    for line in run.text().splitlines():
        assert line.startswith("<") and line[1] in "3467" and line[2] == ">", line


def test_the_journal_gets_every_line_with_its_fields(new_shop, systemd):
    systemd.keep_journal()
    shop = new_shop()
    systemd.starts(shop.gateway)
    run = shop.gateway.launch()
    listening = systemd.await_entry(EVENT="listening", LISTENER="terminals")
    assert listening["PRIORITY"] == "6" and listening["SYSLOG_IDENTIFIER"] == "sales-gateway"
    systemd.await_line("READY=1")
    till = Terminal(("127.0.0.1", int(listening["PORT"])), key_of("caixa-01"))
    sold = eventually(lambda: (answer := till.sell(orders.tv(), new_key())).status == 200 and answer.json, "a sale")
    closed = systemd.await_entry(EVENT="sale.closed", SALE=sold["id"], ID_EXTERNO=sold["idExterno"])
    ids = f"sale={sold['id']} idExterno={sold['idExterno']} idTransacao={sold['idTransacao']} request="
    assert re.match(r"caixa-01 sold TV Mensal for R\$ 49,00 in \S+ m?s  " + ids, closed["MESSAGE"])
    assert closed["VALOR"] == "4900" and not any(one["MESSAGE"].startswith("{") for one in systemd.entries)
    steps = [one["STEP"] for one in systemd.entries if one.get("SALE") == sold["id"] and "STEP" in one]
    assert steps == ["solicitar", "confirmar"]
    shop.gateway.config.write_text("[[[")
    run.signal(signal.SIGHUP)
    assert systemd.await_entry(EVENT="reload.refused")["PRIORITY"] == "3"
    run.stop()
    systemd.await_entry(EVENT="stopped")
    assert run.text() == "", "nothing is said twice"


def test_what_the_journal_does_not_take_is_a_line(new_shop, systemd):
    systemd.keep_journal()
    shop = new_shop()
    systemd.starts(shop.gateway)
    run = shop.gateway.launch()
    systemd.await_entry(EVENT="started")
    systemd.journal.close()
    run.signal(signal.SIGHUP)
    run._line_with(r"(?m)^<6>the configuration was read again: ")
    run.stop()


def test_elsewhere_no_line_does(new_shop, systemd):
    systemd.environment["JOURNAL_STREAM"] = "1:2"
    shop = new_shop()
    systemd.starts(shop.gateway)
    shop.start()
    assert all(line.startswith("{") for line in shop.gateway.run.text().splitlines())


def test_a_credential_stands_in_for_the_file_of_its_name(new_shop, systemd, tmp_path):
    credentials = tmp_path / "credentials"
    credentials.mkdir(0o700)
    shop = new_shop({"provider.app_secret_file": "/etc/sales-gateway/no-such-secret"})
    os.rename(shop.folder / "app-secret", credentials / "no-such-secret")
    systemd.environment["CREDENTIALS_DIRECTORY"] = str(credentials)
    systemd.starts(shop.gateway)
    shop.start()
    shop.sell(orders.tv()).of(200)
