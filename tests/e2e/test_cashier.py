"""The cashier's name is in the sale, and nowhere else."""
import secrets
import sqlite3
from contextlib import closing

import pytest
from harness import orders
from harness.orders import new_key
from harness.waiting import eventually

CASHIER = "Zulmira do Caixa 3"


def test_a_sale_says_who_sold_it_wherever_it_is_shown(shop):
    key = new_key()
    sale = shop.sell(orders.tv(cashier=CASHIER), key).of(200).json
    assert sale["cashier"] == CASHIER
    assert shop.sale(sale["id"])["cashier"] == CASHIER
    assert shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"][0]["cashier"] == CASHIER
    assert shop.gateway.admin.get(f"/v1/sales/{sale['id']}").of(200).json["cashier"] == CASHIER
    refused = shop.sell(orders.tv(4901, cashier=CASHIER)).of(402, "sale_refused").sale
    assert refused["cashier"] == CASHIER
    assert "cashier" not in shop.sell(orders.tv(4900)).of(200).json


@pytest.mark.parametrize("order", [orders.egift(), orders.transit(), orders.health()])
def test_every_family_takes_one(shop, order):
    assert shop.sell(order | {"cashier": CASHIER}).of(200).json["cashier"] == CASHIER


def test_an_esim_takes_one(shop):
    assert shop.sell(orders.esim(cashier=CASHIER)).of(202).json["cashier"] == CASHIER


def test_another_cashier_repeats_the_same_sale_and_the_first_one_stays(shop):
    key = new_key()
    first = shop.sell(orders.tv(4900, cashier=CASHIER), key).of(200).json
    for again in (orders.tv(4900, cashier="Rita"), orders.tv(4900), orders.tv("4900", cashier="Rita")):
        answer = shop.sell(again, key).of(200)
        assert answer.header("Idempotency-Replayed") == "true"
        assert (answer.json["id"], answer.json["cashier"]) == (first["id"], CASHIER)


@pytest.mark.parametrize("cashier", ["", "x" * 65, "a\tb", "a\u0085b", 7, None, ["a"]])
def test_a_cashier_is_1_to_64_characters_without_control_characters(shop, cashier):
    assert shop.sell(orders.tv(cashier=cashier)).of(422, "invalid_request").pointers() == ["/cashier"]
    assert shop.sell(orders.tv(cashier="ã" * 64)).of(200).json["cashier"] == "ã" * 64


def test_the_name_is_not_sent_on_and_logged_once_and_the_journals_file_has_it_encrypted(new_shop, tmp_path):
    keys = tmp_path / "keys"
    keys.touch(0o600)
    keys.write_text(secrets.token_hex(32) + "\n")
    shop = new_shop({"journal.key_file": str(keys), "log.level": "debug"}).start()
    sale = shop.sell(orders.tv(cashier=CASHIER)).of(200).json
    shop.settled(sale["id"])
    assert CASHIER not in str(shop.sandbox.transaction(sale["idExterno"]))
    told = [line for line in shop.gateway.lines() if CASHIER in str(line)]
    assert [(line["event"], line["cashier"], line["sale"]) for line in told] == [("sale.begun", CASHIER, sale["id"])]
    for file in shop.folder.glob("journal.db*"):
        assert CASHIER.encode() not in file.read_bytes(), file
    shop.gateway.stop()
    shop.start()
    assert shop.sale(sale["id"])["cashier"] == CASHIER


def test_the_name_is_erased_with_the_other_personal_fields(new_shop):
    shop = new_shop({"journal.retention": "1s", "sale.duplicate_window": "1s"}).start()
    sale = shop.sell(orders.tv(cashier=CASHIER)).of(200).json
    eventually(lambda: shop.gateway.events("retention.erased") and "cashier" not in shop.sale(sale["id"]),
               "the name is erased")
    with closing(sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True)) as journal:
        assert journal.execute("SELECT cashier, duplicate_hash FROM sales").fetchall() == [(None, None)]
