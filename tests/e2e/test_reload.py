"""On SIGHUP, terminals, certificates and the log level are read again."""
import hashlib
import os
import signal
import ssl

import pytest
from harness import orders
from harness.certificates import expired, make_authority, make_certificate, signed
from harness.client import Terminal
from harness.fake_provider import FakeProvider
from harness.orders import new_key
from harness.processes import LOJA_A, key_of
from harness.waiting import eventually


def terminal(name, key=None, **more):
    return {"id": name, "key_sha256": hashlib.sha256((key or key_of(name)).encode()).hexdigest()} | more


def test_terminals_come_go_and_change(new_shop):
    shop = new_shop().start()
    shop.gateway.terminal("caixa-09").get("/v1/sales").of(401, "unauthorized")
    shop.gateway.document["terminals"] = [
        terminal("caixa-01", "another-key-of-caixa-01"),
        terminal("caixa-02", families=["egift"]),
        terminal("caixa-09"),
    ]
    shop.gateway.reload()
    assert not shop.gateway.events("reload.needs_restart")
    shop.gateway.terminal("caixa-09").sell(orders.tv(), new_key()).of(200)
    shop.gateway.terminal("loja-b-01").get("/v1/sales").of(401, "unauthorized")
    shop.gateway.terminal("caixa-01").get("/v1/sales").of(401, "unauthorized")
    Terminal(shop.till.address, "another-key-of-caixa-01").sell(orders.tv(), new_key()).of(200)
    shop.gateway.terminal("caixa-02").sell(orders.tv(), new_key()).of(403, "forbidden")


def test_a_terminals_key_is_changed_without_a_moment_in_which_it_has_none(new_shop):
    shop = new_shop().start()
    old, new = (Terminal(shop.till.address, key) for key in (key_of("caixa-01"), "another-key-of-caixa-01"))
    before, after = terminal("caixa-01"), terminal("caixa-01", new.key)
    key = new_key()
    sale = old.sell(orders.tv(), key).of(200).json
    new.get("/v1/sales").of(401, "unauthorized")
    shop.gateway.document["terminals"] = [before | {"key_sha256": [before["key_sha256"], after["key_sha256"]]}]
    shop.gateway.reload()
    for till in (old, new):
        assert till.sell(orders.tv(), key).of(200).json["id"] == sale["id"], "it is the same terminal"
    shop.gateway.document["terminals"] = [after]
    shop.gateway.reload()
    new.sell(orders.tv(), new_key()).of(200)
    old.get("/v1/sales").of(401, "unauthorized")


def test_esim_and_the_establishment_are_those_of_the_start(new_shop):
    shop = new_shop({"listen.callbacks": None, "provider.callback_url": None}).start()
    document = shop.gateway.document
    document["listen"]["callbacks"] = "127.0.0.1:0"
    document["provider"] |= {"callback_url": shop.callback_gate.url, "estabelecimento": "99999999"}
    document["terminals"] = [terminal("caixa-01"), terminal("caixa-02", families=["tv", "esim"])]
    shop.gateway.reload()
    said = shop.gateway.events("reload.needs_restart", level="warn")
    assert [line["keys"] for line in said] == [
        "listen.callbacks, provider.estabelecimento, provider.callback_url"
    ]
    for name in ("caixa-01", "caixa-02"):
        shop.sell(orders.esim(), terminal=name).of(403, "forbidden")
    assert shop.sell(orders.tv()).of(200).json["estabelecimento"] == LOJA_A
    document["provider"].pop("estabelecimento")
    document["terminals"] = [terminal("caixa-01", estabelecimento=LOJA_A)]
    shop.gateway.reload()
    shop.sell(orders.tv()).of(200)


def test_a_reload_in_the_first_moments_is_obeyed_when_the_gateway_has_started(new_shop, provider):
    gateway = new_shop(provider=provider).gateway
    text = gateway.config.read_bytes()
    gateway.config.unlink()
    os.mkfifo(gateway.config, 0o600)
    run = gateway.launch()
    with gateway.config.open("wb") as file:  # the gateway has begun to read
        gateway.config.unlink()
        gateway.config.write_text("[[[")
        run.signal(signal.SIGHUP)
        file.write(text)
    eventually(lambda: any(line["event"] == "reload.refused" for line in gateway.lines(run)), "the new file was read")
    events = [line["event"] for line in gateway.lines(run)]
    assert events.index("started") < events.index("reload.refused")
    run.stop()


def test_a_broken_file_logs_every_error_and_keeps_the_old_configuration(new_shop):
    shop = new_shop().start()
    good = shop.gateway.document
    shop.gateway.document = good | {
        "sale": good["sale"] | {"max_attempts": 0},
        "limits": good["limits"] | {"hodl": "1s"},
        "terminals": [terminal("caixa-01"), terminal("caixa-01", "x")],
    }
    shop.gateway.reload("reload.refused")
    told = " ".join(line["detail"] for line in shop.gateway.events("reload.error"))
    for name in ("sale.max_attempts", "limits.hodl", "terminals[2].id"):
        assert name in told
    for name in ("caixa-01", "caixa-02", "loja-b-01"):
        shop.sell(orders.tv(), terminal=name).of(200)
    shop.gateway.config.write_text("[[[")
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: len(shop.gateway.events("reload.refused")) == 2, "a second refusal")
    shop.gateway.config.unlink()
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: len(shop.gateway.events("reload.refused")) == 3, "a third refusal")
    shop.sell(orders.tv()).of(200)
    shop.gateway.document = good
    shop.gateway.reload()


def test_status_says_that_a_reload_was_refused_until_a_good_one(new_shop):
    shop = new_shop().start()
    good = shop.gateway.document

    def concerns():
        return {one["what"]: one["lastError"] for one in shop.gateway.admin.get("/readyz").of(200).json["degraded"]}

    assert concerns() == {}
    shop.gateway.document = good | {"sale": good["sale"] | {"max_attempts": 0}, "nonsense": {"a": 1}}
    shop.gateway.reload("reload.refused")
    told = shop.gateway.admin.get("/v1/status").of(200).json
    assert told["sells"] and told["detail"].startswith("Takes sales. Note: the last reload, at ")
    assert ", was refused, and the gateway runs with the settings of before: " in told["detail"]
    assert "sale.max_attempts" in told["detail"]
    assert told["detail"].endswith("(sales-gateway check-config names 1 more).")
    assert list(concerns()) == ["reload"] and concerns()["reload"] in told["detail"]
    shop.gateway.document = good
    shop.gateway.reload()
    assert concerns() == {} and shop.gateway.admin.get("/v1/status").of(200).json["detail"] == "Takes sales."


def test_status_names_what_waits_for_a_restart_until_it_waits_no_more(new_shop):
    shop = new_shop().start()
    sale = dict(shop.gateway.document["sale"])

    def detail():
        return shop.gateway.admin.get("/v1/status").of(200).json["detail"]

    shop.gateway.document["sale"] = sale | {"max_attempts": 4}
    shop.gateway.reload("reload.done")
    assert "these settings were changed in the file, which was read at " in detail()
    assert detail().endswith(" and wait for a restart: sale.max_attempts.")
    assert [one["what"] for one in shop.gateway.admin.get("/readyz").of(200).json["degraded"]] == ["restart"]
    shop.gateway.config.write_text("[[[")
    shop.gateway.run.signal(signal.SIGHUP)
    shop.gateway.await_event("reload.refused")
    assert "was refused" in detail() and "wait for a restart: sale.max_attempts" in detail()
    shop.gateway.document["sale"] = sale
    shop.gateway.reload()
    assert detail() == "Takes sales."


def test_the_log_level_follows(new_shop):
    shop = new_shop({"log.level": "debug"}).start()
    shop.till.get("/v1/sales", X_Request_Id="while-debug").of(200)
    shop.gateway.await_event("http.request", request="while-debug")
    shop.gateway.document["log"] = {"level": "info"}
    shop.gateway.reload()
    shop.till.get("/v1/sales", X_Request_Id="while-info").of(200)
    shop.gateway.await_event("sale.closed", sale=shop.sell(orders.tv()).of(200).json["id"])
    assert not shop.gateway.events("http.request", request="while-info")


def test_another_app_secret_is_taken_and_a_wrong_one_costs_no_sale(new_shop):
    shop = new_shop().start()
    secret = shop.folder / "app-secret"
    right = secret.read_text()
    secret.write_text("another-secret\n")
    shop.gateway.reload()
    assert not shop.gateway.events("reload.needs_restart")
    assert "Unknown credentials" in shop.gateway.await_event("token.failed")["detail"]
    shop.sell(orders.tv()).of(200)
    health = shop.gateway.admin.get("/readyz").of(200).json
    assert health["degraded"], "the operator is told before the token of the old secret ends"
    told = shop.gateway.admin.get("/v1/status").of(200).json
    assert told["degraded"][0]["ofNewSecret"] and "gives no token for the new app_secret" in told["detail"]
    assert "as long as the token of the app_secret before lasts or can be refreshed" in told["detail"]
    secret.write_text(right)
    shop.gateway.reload()
    eventually(lambda: len(shop.gateway.events("token.obtained", how="client_credentials")) == 2, "a second token")
    assert shop.gateway.admin.get("/readyz").of(200).json["degraded"] == []
    shop.sell(orders.tv()).of(200)


def test_a_token_is_not_kept_for_a_secret_that_did_not_get_it(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    (shop.folder / "app-secret").write_text("another-secret\n")
    shop.gateway.reload()
    shop.gateway.await_event("token.failed")
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    shop.gateway.start()
    shop.gateway.await_event("token.not_used")
    shop.sell(orders.tv()).of(503, "provider_unavailable")
    told = shop.gateway.admin.get("/v1/status").of(200).json
    assert not told["sells"] and not told["token"]["valid"] and not told["tokenService"]["reached"]


def test_an_app_secret_that_cannot_be_read_changes_nothing(new_shop):
    shop = new_shop().start()
    (shop.folder / "app-secret").write_text("")
    shop.gateway.reload("reload.refused")
    assert "app_secret_file" in shop.gateway.events("reload.error")[0]["detail"]
    shop.sell(orders.tv()).of(200)
    assert len(shop.gateway.events("token.obtained")) == 1 and not shop.gateway.events("token.failed")


def test_sales_under_way_go_on(new_shop, provider):
    shop = new_shop(provider=provider).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gateway.reload()
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"


def test_certificates_follow_and_a_broken_one_does_not(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "live")
    shop = new_shop({"listen.tls.cert": str(cert), "listen.tls.key": str(key)}).start()
    address = shop.gateway.ports["terminals"]

    def served():
        return ssl.get_server_certificate(address)

    first = served()
    assert first.strip() == cert.read_text().strip()
    make_certificate(tmp_path, "live")
    shop.gateway.reload()
    second = served()
    assert second.strip() == cert.read_text().strip() and second != first
    context = ssl.create_default_context(cafile=str(cert))
    Terminal(address, key_of("caixa-01"), context).sell(orders.tv(), new_key()).of(200)
    cert.write_text("not a certificate")
    shop.gateway.reload("reload.refused")
    assert served() == second


def test_what_check_config_warns_of_is_told_at_a_reload_too(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "live")
    shop = new_shop({"listen.tls.cert": str(cert), "listen.tls.key": str(key)}).start()
    old_cert, old_key = expired(tmp_path, "old", make_authority(tmp_path), names="IP:127.0.0.1")
    key.write_bytes(old_key.read_bytes())
    cert.write_bytes(old_cert.read_bytes())
    shop.gateway.reload()
    (warning,) = shop.gateway.events("reload.warning")
    assert "listen.tls.cert" in warning["detail"] and "has expired" in warning["detail"]


def test_a_renewed_certificate_is_shown_to_the_provider(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "provider")
    authority, other = make_authority(tmp_path, "authority"), make_authority(tmp_path, "other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(cert), str(key))
    context.load_verify_locations(str(authority[0]))
    context.verify_mode = ssl.CERT_REQUIRED
    provider = FakeProvider(context)
    try:
        url = provider.url.replace("http:", "https:")
        own_cert, own_key = signed(tmp_path, "box", other)  # no longer accepted
        shop = new_shop({"provider.base_url": url, "provider.auth_url": url, "provider.ca_file": str(cert),
                         "provider.client_cert": str(own_cert), "provider.client_key": str(own_key)}, provider=provider)
        shop.gateway.start()
        # In TLS 1.3 a certificate is refused after the handshake, so it may or may not be known that what is written by
        # then is lost.
        assert shop.sell(orders.tv(), wait=1).status in (202, 503)
        assert provider.requests == []
        signed(tmp_path, "box", authority)  # the files have the same names
        shop.gateway.reload()
        eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "there is a token")
        shop.sell(orders.tv()).of(200)
        own_key.write_text("not a key")
        shop.gateway.reload("reload.refused")
        shop.sell(orders.tv()).of(200)
    finally:
        provider.close()


@pytest.mark.parametrize("times", [5])
def test_many_signals_do_no_harm(new_shop, times):
    shop = new_shop().start()
    for _ in range(times):
        shop.gateway.run.signal(signal.SIGHUP)
        shop.sell(orders.tv()).of(200)
    shop.gateway.reload()
    shop.check_books()
