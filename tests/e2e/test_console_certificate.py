"""Tests `new-certificate` and `listen.console_tls`: the console gets TLS of its own, with an authority that telephones
install, and the tills are not touched."""
import os
import re
import signal
import ssl
import subprocess

import pytest
from harness import orders
from harness.certificates import make_certificate, openssl
from harness.client import Terminal
from harness.console import Browser, operator
from harness.orders import new_key
from harness.processes import GATEWAY, key_of, run_to_end
from harness.waiting import eventually

NAME = "console.store"
CONFIG = {"listen.console": "127.0.0.1:0", "listen.console_names": [NAME], "operators": [operator("Ana", "settle")],
          "store.name": "Mercadinho da Praça"}


def new_certificate(shop, *arguments):
    return run_to_end([GATEWAY, "new-certificate", "--config", str(shop.gateway.config), *arguments], shop.folder)


def use(shop, lines):
    """Takes what the command printed into the configuration."""
    named = dict(re.findall(r"^(\w+) = [\"'](.*)[\"']$", lines, re.MULTILINE))
    assert lines.startswith("[listen.console_tls]\n") and set(named) == {"cert", "key"}
    shop.gateway.document["listen.console_tls"] = named
    shop.gateway.write_config()


def curl(shop, path, *arguments):
    host, port = shop.gateway.ports["console"]
    return run_to_end(["curl", "-sS", "--resolve", f"{NAME}:{port}:{host}", *arguments, f"https://{NAME}:{port}{path}"],
                      shop.folder)


@pytest.fixture
def store(new_shop):
    """Returns a store whose console has a certificate of new-certificate's, and whose tills speak plain HTTP."""
    shop = new_shop(CONFIG)
    status, lines, told = new_certificate(shop, NAME, "127.0.0.1")
    assert status == 0, told
    use(shop, lines)
    return shop.start()


def tls(shop):
    return shop.gateway.config.parent / "tls"


def fingerprint(cert, form="PEM"):
    said = openssl("x509", "-inform", form, "-in", cert, "-noout", "-fingerprint", "-sha256").decode()
    return said.strip().partition("=")[2]


def test_the_console_is_trusted_by_who_installs_the_authority_and_the_tills_go_on_in_clear(store):
    authority = str(tls(store) / "authority.crt")
    subject = openssl("x509", "-in", authority, "-noout", "-subject", "-nameopt", "utf8").decode()
    assert "sales-gateway Mercadinho da Praça" in subject, "this is how the telephone lists it"
    status, page, _ = curl(store, "/", "--cacert", authority)
    assert status == 0 and "<!doctype html>" in page.lower()
    status, _, error = curl(store, "/")
    assert status == 60 and "certificate" in error, "nobody else vouches for it"
    store.sell(orders.tv()).of(200)
    assert not store.gateway.events("reload.warning") and store.gateway.run.errors() == "", "nothing to warn of"
    browser = Browser(store, ssl.create_default_context(cafile=authority)).sign_in("Ana")
    assert browser.cookie.startswith("__Host-"), "the session is one of TLS"


def test_the_chain_is_right_by_the_strictest_rules(store):
    folder = tls(store)
    for name in (NAME, "localhost"):
        openssl("verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", name, "-CAfile",
                folder / "authority.crt", folder / "console.crt")
    openssl("verify", "-x509_strict", "-verify_ip", "127.0.0.1", "-CAfile", folder / "authority.crt",
            folder / "console.crt")
    text = openssl("x509", "-in", folder / "authority.crt", "-noout", "-text").decode()
    assert "X509v3 Name Constraints: critical" in text and f"DNS:{NAME}" in text and "pathlen:0" in text
    # A certificate that its thief makes for another site is refused.
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=thief", "-keyout",
            store.folder / "thief.key", "-out", store.folder / "thief.csr")
    (store.folder / "thief.ext").write_text("subjectAltName=DNS:bank.example\n")
    openssl("x509", "-req", "-in", store.folder / "thief.csr", "-CA", folder / "authority.crt", "-CAkey",
            folder / "authority.key", "-CAcreateserial", "-extfile", store.folder / "thief.ext", "-out",
            store.folder / "thief.crt")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        openssl("verify", "-CAfile", folder / "authority.crt", store.folder / "thief.crt")
    assert b"permitted subtree violation" in refused.value.stderr + refused.value.stdout


def test_a_renewed_certificate_is_taken_by_a_reload_and_the_telephones_keep_the_authority(store):
    folder = tls(store)
    address = store.gateway.ports["console"]
    authority = (folder / "authority.crt").read_bytes()
    before = ssl.get_server_certificate(address)
    status, lines, told = new_certificate(store, NAME, "127.0.0.1")
    assert (status, lines) == (0, "") and "systemctl reload" in told, "the configuration names the files already"
    assert (folder / "authority.crt").read_bytes() == authority
    store.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: ssl.get_server_certificate(address) != before, "the new certificate")
    status, _, _ = curl(store, "/", "--cacert", str(folder / "authority.crt"))
    assert status == 0
    # With another authority, a telephone that has the old one refuses the console.
    (folder / "old.crt").write_bytes(authority)
    status, _, told = new_certificate(store, "--new-authority", NAME)
    assert status == 0 and "authority.crt" in told
    before = ssl.get_server_certificate(address)
    store.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: ssl.get_server_certificate(address) != before, "that of the new authority")
    assert curl(store, "/", "--cacert", str(folder / "old.crt"))[0] == 60
    assert curl(store, "/", "--cacert", str(folder / "authority.crt"))[0] == 0


def test_the_authority_is_given_to_telephones_and_its_key_to_nobody(store):
    folder = tls(store)
    status, _, error = curl(store, "/console/authority.crt", "--cacert", str(folder / "authority.crt"), "-o", "got.crt",
                            "-D", "head")
    assert status == 0, error
    assert "application/x-x509-ca-cert" in (store.folder / "head").read_text().lower()
    given = fingerprint(store.folder / "got.crt", "DER")
    assert given == fingerprint(folder / "authority.crt")
    _, _, told = new_certificate(store, "--new-authority", NAME)
    assert fingerprint(folder / "authority.crt") in told and given not in told, "the command prints the new one"
    secret = [line for line in (folder / "authority.key").read_text().splitlines() if "-" not in line]
    log = "".join(map(str, store.gateway.lines()))
    assert secret and not any(line in told + log for line in secret)
    assert (folder / "authority.key").stat().st_mode & 0o777 == 0o600
    assert (folder / "console.key").stat().st_mode & 0o777 == 0o640


def test_where_there_is_no_authority_the_answer_is_empty(new_shop, tmp_path):
    shop = new_shop(CONFIG).start()
    assert Browser(shop).get("/console/authority.crt").status == 204
    cert, key = make_certificate(tmp_path, "console")
    other = new_shop(CONFIG | {"listen.console_tls.cert": str(cert), "listen.console_tls.key": str(key)}).start()
    context = ssl.create_default_context(cafile=str(cert))
    assert Browser(other, context).get("/console/authority.crt").status == 204


def test_its_own_certificate_and_that_of_the_tills_are_two(new_shop, tmp_path):
    of_tills, key_of_tills = make_certificate(tmp_path, "tills")
    shop = new_shop(CONFIG | {"listen.tls.cert": str(of_tills), "listen.tls.key": str(key_of_tills)})
    use(shop, new_certificate(shop, "127.0.0.1")[1])
    shop.start()
    trusted = ssl.create_default_context(cafile=str(of_tills))
    till = Terminal(shop.gateway.ports["terminals"], key_of("caixa-01"), trusted)
    till.sell(orders.tv(), new_key()).of(200)
    authority = ssl.create_default_context(cafile=str(tls(shop) / "authority.crt"))
    Browser(shop, authority).get("/").of(200)
    shown = {shop.gateway.metric("gateway_certificate_expires_at_seconds", listener=name)
             for name in ("terminals", "console")}
    assert len(shown) == 2


def test_one_that_is_not_for_a_name_of_the_console_is_warned_of(new_shop):
    shop = new_shop(CONFIG)
    use(shop, new_certificate(shop, "other.store")[1])
    status, out, err = run_to_end([GATEWAY, "check-config", "--config", str(shop.gateway.config)], shop.folder)
    assert (status, out) == (0, "ok\n") and f'is not for "{NAME}"' in err


def test_a_name_that_is_none_makes_no_file(new_shop):
    shop = new_shop(CONFIG)
    for name in ("https://console.store", "console.store:9091"):
        status, out, err = new_certificate(shop, name)
        assert (status, out) == (2, "") and "neither the name of a host" in err, name
    assert not os.path.exists(tls(shop))
    assert run_to_end([GATEWAY, "new-certificate", "--config", "absent.toml", NAME], shop.folder)[0] != 0
