#!/usr/bin/python3
"""Writes the journal of a small day, as the programs that are built now write it: schema_N.sql, a dump that loads into
an empty database, and schema_N.json, what test_upgrade.py asks about it. Run once for every schema, before the release
that brings it; a file that a release has brought is never written again.

    GATEWAY_BIN=… SANDBOX_BIN=… tests/e2e/journals/make.py
"""
import json
import pathlib
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import orders  # noqa: E402
from harness.shop import Shop  # noqa: E402

ORDERS = {
    "sold-tv": orders.tv(4900),
    "sold-egift": orders.egift(),
    "sold-after-a-lost-confirm": orders.tv(4912),
    "refused": orders.tv(4901),
    "lost": orders.tv(4902),
    "waits-for-a-callback": orders.esim(2935),
    "decided-by-a-person": orders.esim(2935),
    "held": orders.tv(4900, confirm="manual"),
}


def live(shop):
    """Plays the day, and returns every sale by its key."""
    sales = {}
    for key, order in ORDERS.items():
        sell = shop.sell_esim if order["family"] == "esim" else shop.sell
        sales[key] = sell(order, key).sale["id"]
    for key in ("waits-for-a-callback", "decided-by-a-person"):
        shop.until(sales[key], "for a person", attention=True)
    for key in ("sold-tv", "sold-egift", "sold-after-a-lost-confirm", "refused", "lost"):
        shop.settled(sales[key])
    shop.gateway.admin.post(f"/v1/sales/{sales['decided-by-a-person']}/resolve",
                            {"status": "EFETIVADA", "note": "visto no portal"}).of(200)
    shop.till.get(f"/v1/sales/{sales['sold-tv']}/receipt").of(200)
    shop.till.cancel_key("never-arrived").of(200)
    return {key: shop.gateway.admin.get(f"/v1/sales/{sale}").of(200).json for key, sale in sales.items()}


def dump(journal):
    with sqlite3.connect(journal) as rows:
        rows.execute("DELETE FROM token")
        rows.execute("DELETE FROM journal_file")  # else what is loaded from the dump is taken for a copy made by hand
        rows.commit()
        header = [f"PRAGMA {name} = {rows.execute(f'PRAGMA {name}').fetchone()[0]};"
                  for name in ("application_id", "user_version")]
        (version,) = rows.execute("PRAGMA user_version").fetchone()
        return version, "\n".join([*header, *rows.iterdump()]) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(pathlib.Path(folder), {"sale.attention_after": "100ms", "limits.hold": "30s"}).start()
        try:
            sales = live(shop)
            shop.gateway.kill()  # a crash leaves the journal like this
            number, text = dump(pathlib.Path(folder) / "journal.db")
        finally:
            shop.close()
    known = {key: {"order": ORDERS[key], "id": sale["id"], "status": sale["status"], "outcome": sale["outcome"],
                   "attention": sale["attention"], "idExterno": sale["idExterno"]} for key, sale in sales.items()}
    (HERE / f"schema_{number:03}.sql").write_text(text)
    (HERE / f"schema_{number:03}.json").write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
