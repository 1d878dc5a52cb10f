"""Tests provider.id_prefix, by which a gateway's sales are distinguished from those of the chain's other gateways."""
import sqlite3
from contextlib import closing

from harness import orders
from harness.orders import new_key


def place_of_the_prefix(sale):
    assert len(sale["idExterno"]) == 26
    return sale["idExterno"][10:14]


def test_every_id_externo_has_the_prefix_and_is_found_by_it_whatever_it_is_later(new_shop):
    shop = new_shop({"provider.id_prefix": "AB12"}).start()
    key = new_key()
    held = shop.sell(orders.tv(confirm="manual"), key).of(200).json
    assert place_of_the_prefix(held) == "AB12"
    assert shop.sandbox.transaction(held["idExterno"])["status"] == "AUTORIZADA"

    shop.gateway.stop()
    shop.gateway.document["provider"]["id_prefix"] = "CD34"
    shop.gateway.write_config()
    shop.start()
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold", "the provider's echo is still its own"
    assert shop.in_books(held) == "EFETIVADA"
    other = shop.sell(orders.tv()).of(200).json
    assert place_of_the_prefix(other) == "CD34"

    shop.gateway.stop()
    del shop.gateway.document["provider"]["id_prefix"]
    shop.gateway.write_config()
    shop.start()
    for sale in (held, other):
        (found,) = shop.till.get(f"/v1/sales?idExterno={sale['idExterno']}").of(200).json["sales"]
        assert found["id"] == sale["id"]
    shop.check_books()
    with closing(sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True)) as journal:
        assert journal.execute("SELECT prefix FROM id_prefixes").fetchall() == [("AB12",), ("CD34",)]
