"""Tests GET /metrics, the numbers that a monitoring system reads."""
import calendar
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

from harness import orders
from harness.certificates import make_authority, make_certificate, openssl, signed
from harness.client import Terminal
from harness.orders import new_key
from harness.processes import GATEWAY
from harness.waiting import eventually


def samples(text):
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r'(\w+)(\{(?:\w+="[^"\\]*",?)*\})? (\S+)', line)
        assert match, line
        found[match[1] + (match[2] or "")] = float(match[3])
    return found


def test_metrics_are_prometheus_text(shop):
    answer = shop.gateway.admin.get("/metrics").of(200)
    assert answer.header("Content-Type").startswith("text/plain; version=0.0.4")
    text = answer.body.decode()
    assert text.endswith("\n")
    helped = re.findall(r"^# HELP (\w+) \S.*$", text, re.M)
    typed = dict(re.findall(r"^# TYPE (\w+) (counter|gauge|histogram)$", text, re.M))
    assert len(helped) == len(set(helped)) and set(helped) == set(typed)
    values = samples("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    for name in values:
        base = re.sub(r"_(bucket|sum|count)$", "", name.split("{")[0])
        assert base in typed or name.split("{")[0] in typed, name
    for name, kind in typed.items():
        assert (kind == "counter") == name.endswith("_total"), name


def test_numbers_follow_what_happens(shop):
    gateway = shop.gateway
    final = lambda status: gateway.metric("gateway_sales_final_total", family="tv", status=status)  # noqa: E731
    before = [final(status) for status in ("EFETIVADA", "CANCELADA", "NEGADA")]
    begun = gateway.metric("gateway_sales_begun_total", family="tv")
    replays = gateway.metric("gateway_sale_replays_total")
    key = new_key()
    shop.sell(orders.tv(4900), key).of(200)
    shop.sell(orders.tv(4900), key).of(200)
    shop.sell(orders.tv(4901)).of(402, "sale_refused")
    shop.sell(orders.tv(4902)).of(504, "sale_cancelled")
    after = [final(status) for status in ("EFETIVADA", "CANCELADA", "NEGADA")]
    assert [new - old for new, old in zip(after, before)] == [1, 1, 1]
    assert gateway.metric("gateway_sales_begun_total", family="tv") == begun + 3
    assert gateway.metric("gateway_sale_replays_total") == replays + 1
    assert gateway.metric("gateway_token_valid") == 1
    assert gateway.metric("gateway_journal_writable") == 1


def test_answers_are_counted_by_listener_and_status(shop):
    def answers(listener, status):
        return shop.gateway.metric("gateway_http_answers_total", listener=listener, status=str(status))

    sold, refused, callbacks = answers("terminals", 200), answers("terminals", 402), answers("callbacks", 404)
    shop.sell(orders.tv(4900)).of(200)
    shop.sell(orders.tv(4901)).of(402, "sale_refused")
    shop.gateway.callbacks.post("/callbacks/esim/of-nobody/sale", {}).of(404, "not_found")
    assert answers("terminals", 200) == sold + 1
    assert answers("terminals", 402) == refused + 1
    assert answers("callbacks", 404) == callbacks + 1
    assert shop.gateway.metric("gateway_http_connections", listener="admin") >= 1


def test_a_held_sale_shows_as_open(shop):
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    assert shop.gateway.metric("gateway_sales_open", state="held") == 1
    shop.till.cancel(held["id"]).of(200)
    eventually(lambda: shop.gateway.metric("gateway_sales_open", state="held") == 0, "no longer open")


# --- how long callers waited ---


def counted(shop, call, listener="terminals"):
    return shop.gateway.metric("gateway_http_request_seconds_count", listener=listener, call=call)


def test_callers_waits_are_counted_by_listener_and_call(shop):
    calls = ["/v1/sell", "/v1/sales/{id}", "/v1/sales/{id}/receipt", "/v1/status", "other"]
    before = {call: counted(shop, call) for call in calls}
    scrapes = counted(shop, "/metrics", "admin")
    sale = shop.sell(orders.tv(4900)).of(200).json
    shop.sell(orders.tv(4901)).of(402, "sale_refused")
    shop.sale(sale["id"])
    shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(200)
    shop.till.get("/v1/status").of(200)
    shop.till.get("/v1/nothing/of/the/kind").of(404, "not_found")
    shop.till.get("/v1/nothing/of/another").of(404, "not_found")
    Terminal(shop.gateway.ports["terminals"], "a-guess").get("/v1/status").of(401, "unauthorized")
    after = {call: counted(shop, call) - before[call] for call in calls}
    assert after == {"/v1/sell": 2, "/v1/sales/{id}": 1, "/v1/sales/{id}/receipt": 1, "/v1/status": 1, "other": 3}
    assert counted(shop, "/metrics", "admin") > scrapes
    text = shop.gateway.admin.get("/metrics").of(200).body.decode()
    assert sale["id"] not in text and "nothing" not in text, "a path is no label"


def test_a_sell_that_was_answered_in_time_is_below_the_bucket_of_its_wait(shop):
    def below(bound):
        return shop.gateway.metric("gateway_http_request_seconds_bucket", listener="terminals", call="/v1/sell",
                                   le=bound)

    before = below("25")
    shop.sell(orders.tv(4900)).of(200)
    assert below("25") == before + 1
    assert below("+Inf") == counted(shop, "/v1/sell")


# --- the program and its machine ---


def test_the_build_names_its_versions(shop):
    text = shop.gateway.admin.get("/metrics").of(200).body.decode()
    version = subprocess.run([GATEWAY, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    build = re.search(r"^gateway_build_info\{(.*)\} 1$", text, re.M)
    labels = dict(re.findall(r'(\w+)="([^"]*)"', build[1]))
    assert labels["version"] == version and labels["sqlite"] == sqlite3.sqlite_version
    assert re.fullmatch(r"3\.\d+\.\d+", labels["openssl"])


def test_the_process_is_told_as_the_system_sees_it(new_shop):
    begun = time.time()
    shop = new_shop().start()
    metric = shop.gateway.metric
    proc = pathlib.Path(f"/proc/{shop.gateway.run.child.pid}")
    assert begun - 1 < metric("process_start_time_seconds") < time.time() + 1
    assert metric("process_cpu_seconds_total") > 0
    assert metric("process_virtual_memory_bytes") > metric("process_resident_memory_bytes") > 1 << 20
    limits = re.search(r"Max open files +(\d+)", (proc / "limits").read_text())
    assert metric("process_max_fds") == int(limits[1])
    before = metric("process_open_fds")
    held = [socket.create_connection(shop.gateway.ports["terminals"]) for _ in range(20)]
    eventually(lambda: metric("process_open_fds") == before + 20, "a connection is a descriptor")
    for one in held:
        one.close()


def test_the_journals_file_and_its_disk_are_told(shop):
    file = shop.folder / "journal.db"
    size = shop.gateway.metric("gateway_journal_bytes")
    assert size >= file.stat().st_size > 0
    free = shutil.disk_usage(file).free
    assert abs(shop.gateway.metric("gateway_journal_disk_free_bytes") - free) < 0.2 * free


# --- what a person has to see to ---


def test_wrong_keys_are_counted(shop):
    before = shop.gateway.metric("gateway_terminals_wrong_keys_total")
    Terminal(shop.gateway.ports["terminals"], "a-guess").get("/v1/status").of(401, "unauthorized")
    shop.till.get("/v1/status").of(200)
    assert shop.gateway.metric("gateway_terminals_wrong_keys_total") == before + 1


def test_a_reload_that_fails_is_a_number_until_one_succeeds(new_shop):
    shop = new_shop().start()
    metric = shop.gateway.metric
    assert metric("gateway_config_reload_successful") == 1
    first = metric("gateway_config_reload_timestamp_seconds")
    whole = shop.gateway.config.read_text()
    shop.gateway.config.write_text(whole.replace("[listen]", "[listen"))
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: metric("gateway_config_reload_successful") == 0, "the failure shows")
    assert metric("gateway_config_reload_timestamp_seconds") == first
    shop.gateway.config.write_text(whole)
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: metric("gateway_config_reload_successful") == 1, "all is well again")
    assert metric("gateway_config_reload_timestamp_seconds") > first


def ends(cert):
    """Returns when a certificate ends, in seconds since 1970."""
    text = openssl("x509", "-in", cert, "-noout", "-enddate").decode().strip().partition("=")[2]
    return calendar.timegm(time.strptime(text, "%b %d %H:%M:%S %Y %Z"))


def test_the_end_of_every_certificate_is_told(new_shop, tmp_path):
    authority = make_authority(tmp_path)
    cert, key = make_certificate(tmp_path, "store")
    own, own_key = signed(tmp_path, "gateway", authority)
    shop = new_shop({"listen.tls.cert": str(cert), "listen.tls.key": str(key), "provider.client_cert": str(own),
                     "provider.client_key": str(own_key), "provider.base_url": "https://127.0.0.1:1"})
    shop.gateway.document["provider"]["callback_url"] = shop.callback_gate.url.replace("http:", "https:")
    shop.gateway.write_config()
    shop.gateway.start()
    metric = shop.gateway.metric
    for listener in ("terminals", "callbacks"):
        assert metric("gateway_certificate_expires_at_seconds", listener=listener) == ends(cert)
    assert metric("gateway_provider_client_certificate_expires_at_seconds") == ends(own)
    # This file cannot be used: the old certificate is still shown, and the reload did not succeed.
    cert.write_text("no certificate")
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: metric("gateway_config_reload_successful") == 0, "the failure shows")


def test_without_tls_no_certificate_ends(shop):
    text = shop.gateway.admin.get("/metrics").of(200).body.decode()
    assert "certificate_expires_at_seconds{" not in text and "client_certificate" not in text
