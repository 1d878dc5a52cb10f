"""A sale that needs a person is never silent: the command that lists it, the numbers and the log show it, on the
journal of a running gateway and on one at rest."""
import json
import os
import secrets
import sqlite3
import stat

import pytest
from harness import orders
from harness.commands import NOTHING_MARKED
from harness.day import OWN
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

CONFIG = {"sale.attention_after": "100ms", "sale.late_arrival": "50ms"}


def attention(shop, *more):
    """Returns the command's exit code, standard output and standard error."""
    return run_to_end([GATEWAY, "attention", "--config", str(shop.gateway.config), *more], shop.folder)


def listed(shop):
    status, out, err = attention(shop, "--json")
    assert (status, err) == (0, ""), (status, out, err)
    return [json.loads(line) for line in out.splitlines()]


def never_called_back(shop):
    sale = shop.sell_esim(orders.esim(2935, consumidor=OWN)).json
    return shop.until(sale["id"], "for a person", attention=True)


def recharge_failed(shop):
    """It is settled: no loop drives it any more, and it is in nobody's memory."""
    answer = shop.sell(orders.esim(2939))
    return shop.until(answer.sale["id"], "for a person", attention=True, settled=True)


def resolve(shop, sale, **body):
    shop.gateway.admin.post(f"/v1/sales/{sale['id']}/resolve", body | {"note": "visto"}).of(200)


def gauge(shop, word):
    return shop.gateway.metric("gateway_sales_attention", attention=word)


def test_where_there_is_none_it_says_so(new_shop):
    shop = new_shop(CONFIG).start()
    shop.sell(orders.tv()).of(200)
    for _ in range(2):
        assert attention(shop) == (0, NOTHING_MARKED, "")
        assert attention(shop, "--json") == (0, "", "")
        if shop.gateway.run.running():
            shop.gateway.stop()


def test_it_lists_what_the_listener_lists_whether_or_not_a_gateway_runs(new_shop):
    shop = new_shop(CONFIG | {"limits.drain": "100ms"}).start()
    shop.sell(orders.tv()).of(200)
    sales = [never_called_back(shop), recharge_failed(shop)]
    running = listed(shop)
    assert [sale["id"] for sale in running] == [sale["id"] for sale in sales]
    assert [sale["attention"] for sale in running] == ["no_callback", "recharge_failed"]
    for sale, line in zip(sales, running):
        for name in ("createdAt", "terminal", "estabelecimento", "family", "produto", "valor", "status", "idExterno",
                     "idTransacao"):
            assert line[name] == sale[name], name
        told = shop.gateway.admin.get(f"/v1/sales/{sale['id']}/events").of(200).json
        said = shop.gateway.await_event("sale.attention", sale=sale["id"], mark=line["attention"], level="error")
        for part in ("known", "notKnown", "toDo"):
            assert line[part] and line[part] in told["advice"] and line[part] in said["detail"]
    status, text, err = attention(shop)
    assert (status, err) == (0, "") and "Sales that need a person: 2\n" in text
    words = " ".join(text.split())
    for line in running:
        assert all(line[name] in words for name in ("id", "idExterno", "attention", "known", "notKnown", "toDo"))
    shop.gateway.stop()
    before = sorted(os.listdir(shop.folder))
    assert listed(shop) == running and attention(shop) == (0, text, "")
    made = set(os.listdir(shop.folder)) - set(before)
    assert made <= {"journal.db-wal", "journal.db-shm"}, "only SQLite's own, for the journal's owner, as a gateway has them"
    assert all(stat.S_IMODE((shop.folder / name).stat().st_mode) == 0o600 for name in made)
    shop.start()
    shop.gateway.kill()
    assert listed(shop) == running, "a crash left the log of the journal beside it"
    shop.start()
    resolve(shop, sales[0], status="EFETIVADA")
    assert [sale["id"] for sale in listed(shop)] == [sales[1]["id"]]
    resolve(shop, sales[1])
    assert attention(shop) == (0, NOTHING_MARKED, "")


def test_it_needs_no_key_and_shows_nobodys_data(new_shop, tmp_path):
    keys = tmp_path / "journal-keys"
    keys.touch(0o600)
    keys.write_text(secrets.token_hex(32) + "\n")
    shop = new_shop(CONFIG | {"journal.key_file": str(keys)}).start()
    sale = never_called_back(shop)
    keys.unlink()
    status, text, err = attention(shop)
    assert (status, err) == (0, "") and sale["id"] in text
    text += attention(shop, "--json")[1]
    assert not any(str(value) in text for value in OWN.values())


def test_what_cannot_be_read_is_said_in_words(new_shop):
    shop = new_shop(CONFIG)
    journal = shop.folder / "journal.db"
    shop.gateway.write_config()

    def refused(words):
        status, out, err = attention(shop)
        assert (status, out) == (1, "") and words in err and str(journal) in err, err

    refused("there is no journal")
    assert not journal.exists()
    journal.write_text("")
    refused("it is empty")
    journal.write_text("rubbish" * 1000)
    refused("damaged")
    journal.unlink()
    journal.mkdir()
    refused("cannot be read")
    journal.rmdir()
    shop.start()
    shop.gateway.stop()
    with sqlite3.connect(journal) as rows:
        rows.execute("PRAGMA user_version = 999")
    refused("newer version of this program")


@pytest.mark.parametrize("arguments", [["--config", "nowhere.toml"], ["--jsn"], ["copy.db"]])
def test_a_wrong_command_line_is_2(tmp_path, arguments):
    status, _, err = run_to_end([GATEWAY, "attention", *arguments], tmp_path)
    assert status == 2 and err


def test_a_settled_sale_is_counted_until_a_person_has_dealt_with_it(new_shop):
    shop = new_shop(CONFIG).start()
    assert gauge(shop, "recharge_failed") == 0
    sale = recharge_failed(shop)
    assert gauge(shop, "recharge_failed") == 1
    assert shop.gateway.metric("gateway_sale_attention_total", attention="recharge_failed") == 1
    shop.gateway.stop()
    shop.start()
    assert gauge(shop, "recharge_failed") == 1, "a restart forgets nothing"
    again = [line for line in shop.gateway.lines(shop.gateway.run) if line["event"] == "sale.attention"]
    assert [(line["sale"], line["level"]) for line in again] == [(sale["id"], "error")]
    resolve(shop, sale)
    assert gauge(shop, "recharge_failed") == 0


def test_every_mark_is_a_number(new_shop):
    shop = new_shop(CONFIG).start()
    text = shop.gateway.admin.get("/metrics").of(200).body.decode()
    for word in ("unsettled", "no_callback", "no_cancel_path", "contradiction", "undeliverable", "recharge_failed",
                 "unreadable", "restored"):
        assert f'\ngateway_sales_attention{{attention="{word}"}} 0\n' in text
        assert f'\ngateway_sale_attention_total{{attention="{word}"}} 0\n' in text


def test_what_a_restore_left_open_is_said_at_once(new_shop):
    shop = new_shop(CONFIG).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    command = [GATEWAY, "backup", "--config", str(shop.gateway.config), "copy.db"]
    assert run_to_end(command, shop.folder)[0] == 0
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"
    shop.gateway.stop()
    command[1] = "restore"
    status, out, _ = run_to_end(command, shop.folder)
    assert status == 0 and "sales-gateway attention" in out
    assert [(sale["id"], sale["attention"]) for sale in listed(shop)] == [(held["id"], "restored")]
    shop.start()
    shop.gateway.await_event("sale.attention", sale=held["id"], mark="restored", level="error")
    shop.settled(held["id"])
    assert gauge(shop, "restored") == 1
    assert [sale["status"] for sale in listed(shop)] == ["EFETIVADA"]


def test_a_value_that_does_not_open_is_said_of_its_sale(new_shop, tmp_path):
    keys = tmp_path / "journal-keys"
    keys.touch(0o600)
    keys.write_text(secrets.token_hex(32) + "\n")
    shop = new_shop(CONFIG | {"journal.key_file": str(keys)}).start()
    altered, other = (shop.sell(orders.egift()).of(200).json["id"] for _ in range(2))
    shop.gateway.stop()
    with sqlite3.connect(shop.folder / "journal.db") as journal:
        journal.execute("UPDATE sales SET goods = (SELECT goods FROM sales WHERE id = ?) WHERE id = ?",
                        (other, altered))
    shop.start()  # the start reads all sales
    shop.gateway.await_event("sale.attention", sale=altered, mark="unreadable", level="error")
    eventually(lambda: gauge(shop, "unreadable") == 1, "it is counted")
    assert [(sale["id"], sale["attention"]) for sale in listed(shop)] == [(altered, "unreadable")]
