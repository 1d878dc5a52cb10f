"""Runs the commands of docs/certificates.md and docs/sqlite.md as they stand, with the test's folders and values in the
place of the machine's."""
import contextlib
import os
import re
import signal
import sqlite3
import ssl
import subprocess
from datetime import date, timedelta

import pytest
from harness import orders
from harness.client import Terminal
from harness.orders import new_key
from harness.processes import GATEWAY, ROOT, key_of, run_to_end
from harness.waiting import eventually


def commands(page):
    """Returns the blocks of commands of a page, each as a text."""
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    return [re.sub(r"^\$ ", "", block, flags=re.MULTILINE) for block in blocks]


def run(script, folder):
    # Only root may say to whom the files belong, and no service runs here.
    script = "chown() { :; }\nsystemctl() { :; }\n" + script
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def tls(tmp_path):
    """Runs the commands of the page, and returns the folder that they make, the command that renews the certificate,
    the settings that were added, and the call from a till."""
    here = tmp_path / "etc"
    _, values, authority, certificate, settings, _, till = [
        one.replace("/etc/sales-gateway", str(here)).replace("192.168.10.5", "127.0.0.1")
        for one in commands("docs/certificates.md")]
    assert "openssl req -x509" in authority and "openssl x509" in certificate
    assert "[listen.tls]" in settings and till.startswith("curl --cacert ca.pem")
    run(values + authority, tmp_path)
    run(values + certificate, tmp_path)
    run(settings, tmp_path)
    return here / "tls", values + certificate, (here / "gateway.toml").read_text(), till


def test_a_certificate_of_the_stores_own(new_shop, tls):
    folder, certificate, settings, till = tls
    named = dict(re.findall(r'^(\w+) = "(.*)"$', settings, re.MULTILINE))
    shop = new_shop({"listen.tls.cert": named["cert"], "listen.tls.key": named["key"]}).start()
    assert not shop.gateway.events("reload.warning") and shop.gateway.run.errors() == "", "nothing to warn of"
    address, port = shop.gateway.ports["terminals"]
    call = till.replace("the-key", key_of("caixa-01")).replace("https://gateway.store.example:8080",
                                                               f"https://gateway.store.example:{port}")
    call = call.replace("curl ", f"curl -sS --resolve gateway.store.example:{port}:{address} ")
    assert '"sells":true' in run(call, folder)
    code, _, errors = run_to_end(["curl", "-sS", f"https://{address}:{port}/v1/status"], folder)
    assert code == 60 and "certificate" in errors, "nobody else vouches for it"
    context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    by_address = Terminal((address, port), key_of("caixa-01"), context)
    by_address.sell(orders.tv(), new_key()).of(200)

    before = ssl.get_server_certificate((address, port))
    run(certificate, folder)  # the certificate is renewed
    shop.gateway.run.signal(signal.SIGHUP)
    eventually(lambda: ssl.get_server_certificate((address, port)) != before, "the new certificate")
    assert '"sells":true' in run(call, folder)


def test_the_command_for_the_console_makes_what_the_page_says(tmp_path):
    command = commands("docs/certificates.md")[0].replace("/etc/sales-gateway", str(tmp_path))
    (tmp_path / "gateway.toml").write_text("# a store's\n")
    run(f'sales-gateway() {{ {GATEWAY} "$@" --config {tmp_path}/gateway.toml; }}\n' + command, tmp_path)
    page = (ROOT / "docs/certificates.md").read_text()
    made = sorted(file.name for file in (tmp_path / "tls").iterdir())
    assert made == ["authority.crt", "authority.key", "console.crt", "console.key"]
    assert all(f"`{name}`" in page for name in made)
    assert "[listen.console_tls]" in (tmp_path / "gateway.toml").read_text()


@pytest.fixture
def sold(new_shop):
    shop = new_shop().start()
    sale = shop.sell(orders.tv()).of(200).json
    return shop, sale


def ask_sqlite(shop, number, **values):
    """Runs the numbered block of docs/sqlite.md with these values in the place of those of its first block."""
    first, *blocks = commands("docs/sqlite.md")
    first = first.replace("/var/lib/sales-gateway", str(shop.folder))
    for name, value in values.items():
        first, count = re.subn(rf"\b{name}=\S+", f"{name}={value}", first)
        assert count == 1, name
    return run(first + blocks[number], shop.folder)


def test_the_questions_to_the_journal_are_answered_while_the_gateway_runs(sold):
    shop, sale = sold
    said = ask_sqlite(shop, 0, ID_EXTERNO=sale["idExterno"])
    now, history = said.split("\nsale ", 1)
    assert sale["idExterno"] in now and "EFETIVADA" in now and "49.00" in now
    assert history.count(sale["id"]) == 3 and "confirmar" in history


def test_a_days_sales_are_told_by_sqlite(sold):
    shop, sale = sold
    day = shop.gateway.admin.get("/v1/totals").of(200).json["to"]
    said = ask_sqlite(shop, 1, DAY=day)
    assert said.splitlines()[-1].split() == ["12345678", "tv", "EFETIVADA", "1", "49.00"]
    header, row = (shop.folder / "sales.csv").read_text().splitlines()
    assert header.startswith("day,late_day,estabelecimento,") and sale["idExterno"] in row and "49.00" in row


def test_a_closes_digest_is_recomputed_and_tells_of_an_altered_sale(sold):
    shop, sale = sold
    today = date.fromisoformat(shop.gateway.admin.get("/v1/totals").of(200).json["to"])
    closes = {}
    for day in (str(today), str(today - timedelta(days=1))):
        asked = {"day": day, "estabelecimento": "12345678"}
        (closes[day],) = shop.gateway.admin.post("/v1/closes", asked).of(201).json["closes"]

    def recomputed(day):
        return ask_sqlite(shop, 2, DAY=day, STORE="12345678").split()[0]

    assert all(recomputed(day) == close["digest"] for day, close in closes.items())
    shop.gateway.stop()
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db", isolation_level=None)) as rows:
        rows.execute("UPDATE sales SET valor = valor + 1 WHERE id = ?", (sale["id"],))
    assert recomputed(str(today)) != closes[str(today)]["digest"]


def test_a_copy_by_sqlite_has_what_a_copy_by_cp_lacks(sold):
    shop, sale = sold
    for command in ('sqlite3 -readonly journal.db ".backup copy.db"', "sqlite3 -readonly journal.db \"VACUUM INTO 'into.db'\"",
                    "cp journal.db by-cp.db"):
        run(command, shop.folder)

    def sales_in(copy):
        with sqlite3.connect(shop.folder / copy) as rows:
            assert rows.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            return [id for (id,) in rows.execute("SELECT id FROM sales")]

    assert sales_in("copy.db") == sales_in("into.db") == [sale["id"]]
    assert sales_in("by-cp.db") == []


@pytest.mark.parametrize("statement", ["VACUUM", "REINDEX", "PRAGMA integrity_check"])
def test_what_is_said_to_be_allowed_costs_no_sale(sold, statement):
    shop, _ = sold
    run(f"sqlite3 journal.db '{statement}'", shop.folder)
    shop.sell(orders.tv()).of(200)
    shop.check_books()


def test_a_reader_that_stays_delays_no_sale(sold):
    shop, _ = sold
    with sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True, isolation_level=None) as reader:
        reader.execute("BEGIN")
        (count,) = reader.execute("SELECT count(*) FROM sales").fetchone()
        shop.sell(orders.tv()).of(200)
        assert reader.execute("SELECT count(*) FROM sales").fetchone() == (count,), "it still sees its moment"
        reader.execute("COMMIT")


def test_the_journal_mode_is_kept(sold):
    shop, _ = sold
    code, said, _ = run_to_end(["sqlite3", "journal.db", "PRAGMA journal_mode = DELETE"], shop.folder)
    assert code != 0 and "delete" not in said
    shop.sell(orders.tv()).of(200)
    assert os.path.exists(shop.folder / "journal.db-wal")
