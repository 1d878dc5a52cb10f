"""The certificate that callers are shown: anyone who asks how the gateway is learns that it ends, has ended or is refused."""
import datetime
import signal
import socket
import ssl
import zoneinfo

import pytest
from harness import orders
from harness.certificates import expired, make_authority, make_certificate, openssl
from harness.client import Terminal
from harness.manager import Manager
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually


def end_of(cert):
    """Returns when it ends, as a person reads it in the store's zone."""
    text = openssl("x509", "-in", cert, "-noout", "-enddate").decode().strip().partition("=")[2]
    end = datetime.datetime.strptime(text, "%b %d %H:%M:%S %Y %Z").replace(tzinfo=datetime.UTC)
    return end.astimezone(zoneinfo.ZoneInfo("America/Sao_Paulo")).strftime("%Y-%m-%d %H:%M:%S")


def shop_with(new_shop, cert, key):
    return new_shop({"listen.tls.cert": str(cert), "listen.tls.key": str(key)})


def status(shop):
    return shop.gateway.admin.get("/v1/status").of(200).json


def degraded(shop):
    return shop.gateway.admin.get("/readyz").of(200).json["degraded"]


def refuse(shop):
    """Calls as a till that checks certificates, and has no reason to trust this one."""
    with socket.create_connection(shop.gateway.ports["terminals"]) as plain, pytest.raises(ssl.SSLError):
        ssl.create_default_context().wrap_socket(plain, server_hostname="127.0.0.1")


def test_one_that_ends_soon_is_named_by_all_who_are_asked(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "store", days=13)
    shop = shop_with(new_shop, cert, key).start()
    told = shop.gateway.await_event("certificate.ends")
    assert told["level"] == "warn" and told["file"] == str(cert) and end_of(cert) in told["detail"]
    state = status(shop)
    assert state["sells"] and state["detail"].startswith("Takes sales. Note: ")
    assert str(cert) in state["detail"] and end_of(cert) in state["detail"]
    trouble = next(one for one in degraded(shop) if one["what"] == "certificate")
    assert trouble["kind"] == "ends" and trouble["file"] == str(cert) and end_of(cert) in trouble["lastError"]
    left = shop.gateway.metric("gateway_certificate_remaining_seconds", listener="terminals", file=str(cert))
    assert 12 * 86400 < left < 13 * 86400
    # Another one is put in its place.
    make_certificate(tmp_path, "store", days=30)
    shop.gateway.run.signal(signal.SIGHUP)
    shop.gateway.await_event("certificate.renewed", file=str(cert))
    assert status(shop)["detail"] == "Takes sales." and degraded(shop) == []
    # By a reload, even one that has ended is put in its place.
    old, old_key = expired(tmp_path, "old", make_authority(tmp_path), "IP:127.0.0.1")
    cert.write_bytes(old.read_bytes())
    key.write_bytes(old_key.read_bytes())
    shop.gateway.run.signal(signal.SIGHUP)
    shop.gateway.await_event("certificate.not_accepted", file=str(cert), level="error")
    state = status(shop)
    assert not state["sells"] and "Takes sales" not in state["detail"]
    assert str(cert) in state["reasons"][0] and "it ended on 2020-12-31" in state["reasons"][0]
    assert shop.gateway.metric("gateway_certificate_remaining_seconds", listener="terminals", file=str(cert)) < 0


def test_the_service_manager_is_told_that_it_has_ended(new_shop, tmp_path):
    cert, key = expired(tmp_path, "old", make_authority(tmp_path), "IP:127.0.0.1")
    shop = shop_with(new_shop, cert, key)
    manager = Manager(tmp_path)
    try:
        manager.starts(shop.gateway)
        shop.gateway.launch()
        manager.await_status(f"{cert} (listeners: terminals, callbacks) has expired: it ended on 2020-12-31")
        shop.gateway.await_listening()
        assert not any("Takes sales." in told for told in manager.statuses())
    finally:
        manager.close()


def test_tills_that_refuse_it_are_one_line_and_a_count(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "store")
    shop = shop_with(new_shop, cert, key).start()
    for _ in range(25):
        refuse(shop)
    told = shop.gateway.await_event("http.certificate_refused")
    assert told["level"] == "warn" and told["file"] == str(cert) and told["listener"] == "terminals"
    eventually(lambda: shop.gateway.metric("gateway_certificate_refusals_total", listener="terminals") == 25,
               "all are counted")
    assert len(shop.gateway.events("http.certificate_refused")) == 1 and not shop.gateway.events("http.refused")
    assert f"{cert} (listener: terminals) was refused by callers (25 in all)" in status(shop)["detail"]
    assert next(one for one in degraded(shop) if one["what"] == "certificate")["kind"] == "refused"
    # A caller that trusts it can sell.
    context = ssl.create_default_context(cafile=str(cert))
    till = Terminal(shop.gateway.ports["terminals"], key_of("caixa-01"), context)
    assert till.sell(orders.tv(), new_key()).of(200).json["outcome"] == "sold"
