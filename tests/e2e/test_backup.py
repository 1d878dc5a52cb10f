"""Tests backup and restore: a copy of a running journal, and what a gateway does with a copy that is not the newest."""
import contextlib
import secrets
import sqlite3
import stat
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.commands import Screen
from harness.fake_provider import after
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

# The copy's attempts are asked for once more after this time.
QUICK = {"sale.late_arrival": "100ms"}


def backup(shop, name="copy.db"):
    status, out, err = run_to_end([GATEWAY, "backup", "--config", str(shop.gateway.config), name], shop.folder)
    assert (status, err) == (0, ""), (status, out, err)
    return out


def restore(shop, name="copy.db", *options):
    return run_to_end([GATEWAY, "restore", "--config", str(shop.gateway.config), name, *options], shop.folder)


def restored(shop, name="copy.db"):
    """Stops the gateway, restores the copy and starts it again. Returns what restoring said."""
    if shop.gateway.run.running():
        shop.gateway.stop()
    status, out, err = restore(shop, name)
    assert (status, err) == (0, ""), (status, out, err)
    shop.start()
    return out


def test_a_copy_without_sales_is_not_put_in_the_place_of_sales_unasked(new_shop):
    shop = new_shop().start()
    backup(shop)
    sold = shop.sell(orders.tv()).of(200).json
    shop.gateway.stop()
    journal = shop.folder / "journal.db"
    status, out, err = restore(shop)
    assert (status, out) == (1, "")
    for words in ("There is no sale in copy.db", f"would replace {journal} (sales: 1, of which open: 0", "--yes"):
        assert words in err, err
    screen = Screen(shop, "restore", "copy.db").read_until("[y/N]").type("n\n")
    assert screen.end() == 1 and "(sales: 1, of which open: 0" in screen.text
    shop.start()
    assert shop.sale(sold["id"])["id"] == sold["id"], "nothing was changed"
    shop.gateway.stop()

    screen = Screen(shop, "restore", "copy.db").read_until("[y/N]").type("sim\n")
    assert screen.end() == 0 and "is now the journal" in screen.text
    assert restore(shop)[0] == 0, "nothing is lost with a journal that has none either"
    journal.unlink()
    status, _, err = restore(shop)
    assert status == 1 and f"There is no journal {journal} now" in err
    assert restore(shop, "copy.db", "--yes")[0] == 0
    shop.start()


def asked_for(shop):
    """Returns the transactions of the provider's books, and checks that each was requested exactly once."""
    books = shop.sandbox.transactions(history=True)
    assert all(entry["calls"]["solicitar"] == 1 for entry in books)
    return {entry["idExterno"]: entry for entry in books}


def of_attention(shop):
    return [sale["id"] for sale in shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]]


def test_a_copy_of_a_running_journal_is_whole_and_private(new_shop):
    shop = new_shop().start()
    selling = [Background(shop.sell, orders.tv(), new_key()) for _ in range(30)]
    said = backup(shop)
    for one in selling:
        one.result().of(200)
    copy = shop.folder / "copy.db"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert "verified copy" in said
    with sqlite3.connect(f"file:{copy}?mode=ro", uri=True) as rows:
        assert rows.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert rows.execute("PRAGMA journal_mode").fetchone() == ("delete",), "one file, nothing beside it"
    assert not list(shop.folder.glob("copy.db?*"))
    shop.check_books()


def test_backup_overwrites_nothing_and_says_what_is_not_there(new_shop):
    shop = new_shop().start()
    backup(shop)
    before = (shop.folder / "copy.db").read_bytes()
    arguments = [GATEWAY, "backup", "--config", str(shop.gateway.config)]
    status, _, err = run_to_end([*arguments, "copy.db"], shop.folder)
    assert status == 1 and "overwritten" in err and (shop.folder / "copy.db").read_bytes() == before
    status, _, err = run_to_end([*arguments, "/nowhere/at/all.db"], shop.folder)
    assert status == 1 and "/nowhere/at/all.db" in err
    status, _, err = run_to_end([GATEWAY, "backup", "--config", "nowhere.toml", "x.db"], shop.folder)
    assert status == 2 and "nowhere.toml" in err
    assert run_to_end(arguments, shop.folder)[0] == 2


def test_a_backup_works_when_the_configuration_is_wrong_elsewhere(new_shop):
    shop = new_shop().start()
    shop.gateway.stop()
    shop.gateway.document["sale"]["max_attempts"] = 0
    shop.gateway.write_config()
    backup(shop)


def test_no_restore_while_a_gateway_runs(new_shop):
    shop = new_shop().start()
    backup(shop)
    status, _, err = restore(shop)
    assert status == 1 and "a gateway or copy-journal, holds" in err and "stop it first" in err
    shop.sell(orders.tv()).of(200)
    shop.check_books()


def test_no_idExterno_repeats_after_a_restore(new_shop):
    shop = new_shop(QUICK).start()
    for _ in range(10):
        shop.sell(orders.tv()).of(200)
    backup(shop)
    after_the_copy = [shop.sell(orders.egift()).of(200).json["idExterno"] for _ in range(10)]
    before = asked_for(shop)
    said = restored(shop)
    assert "a key that was used after the copy would sell a second time" in said
    assert list(shop.folder.glob("journal.db.replaced-*")), "the newer journal is kept"
    for _ in range(20):
        shop.sell(orders.tv()).of(200)
    after = asked_for(shop)
    assert len(after) == len(before) + 20 and set(after_the_copy) <= set(after)
    assert len(shop.all_sales()) == 30


def test_keys_that_the_copy_knows_are_answered_as_before(new_shop):
    shop = new_shop(QUICK).start()
    key, order = new_key(), orders.tv()
    sold = shop.sell(order, key).of(200).json
    backup(shop)
    restored(shop)
    again = shop.sell(order, key).of(200)
    assert again.json["id"] == sold["id"] and again.header("Idempotency-Replayed") == "true"
    assert of_attention(shop) == []
    shop.check_books()


def test_a_sale_that_was_sold_after_the_copy_is_sold_after_the_restore(new_shop):
    """A presumed abort would be wrong here: the terminal was told sold, and must not be told otherwise."""
    shop = new_shop(QUICK).start()
    key, order = new_key(), orders.tv(confirm="manual")
    held = shop.sell(order, key).of(200).json
    backup(shop)
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"
    said = restored(shop)
    assert "for a person to look at: 1" in said
    shop.settled(held["id"])
    assert shop.sale(held["id"])["outcome"] == "sold" and shop.in_books(held) == "EFETIVADA"
    assert of_attention(shop) == [held["id"]]
    history = shop.gateway.admin.get(f"/v1/sales/{held['id']}/events").of(200).json
    assert history["attention"] == "restored" and "restored" in [line["event"] for line in history["events"]]
    shop.gateway.admin.post(f"/v1/sales/{held['id']}/resolve", {"note": "compared with the books"}).of(200)
    assert of_attention(shop) == []


def test_a_sale_that_was_cancelled_after_the_copy_is_never_sold(new_shop):
    shop = new_shop(QUICK | {"provider.request_timeout": "500ms", "provider.connect_timeout": "500ms"}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    backup(shop)
    shop.gate.shut()  # the cancel does not get through before the disk is lost
    assert shop.till.cancel(held["id"]).of(200).json["outcome"] == "not_sold"
    shop.gateway.kill()
    shop.gate.open()
    restored(shop)
    shop.settled(held["id"])
    assert shop.sale(held["id"])["outcome"] == "not_sold" and shop.in_books(held) == "CANCELADA"
    assert asked_for(shop)[held["idExterno"]]["calls"]["confirmar"] == 0


def test_a_request_that_the_copy_knows_is_never_asked_for_again(new_shop, provider):
    shop = new_shop(QUICK | {"sale.max_attempts": 1}, provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    key, order = new_key(), orders.tv()
    selling = shop.start_selling(order, key)
    eventually(lambda: provider.sent("/venda/tv/solicitar"), "the request is under way")
    backup(shop)
    go_on.set()
    sold = selling.result().of(200).json
    assert sold["outcome"] == "sold"
    provider.on("/venda/tv/cancelar", lambda _: (200, {"transacao": {"status": "EFETIVADA"}}))
    restored(shop)
    shop.settled(sold["id"])
    assert shop.sell(order, key).of(200).json["outcome"] == "sold"
    assert len(provider.sent("/venda/tv/solicitar")) == len(provider.sent("/venda/tv/confirmar")) == 1


def test_a_sale_that_a_later_attempt_sold_waits_for_a_person(new_shop):
    """The copy knows the first attempt; the second one, which it cannot know, was sold."""
    shop = new_shop(QUICK | {"provider.request_timeout": "1s"}).start()
    shop.gate.arm(b"POST /venda/tv/solicitar", mute=True)  # it is processed, and the answer is lost
    key, order = new_key(), orders.tv()
    selling = shop.start_selling(order, key)
    eventually(lambda: shop.sandbox.seen("solicitar", "tv") == 1, "the first request is under way")
    backup(shop)
    sold = selling.result().of(200).json
    assert sold["outcome"] == "sold" and shop.in_books(sold) == "EFETIVADA"
    restored(shop)
    known = shop.gateway.admin.get(f"/v1/sales/{sold['id']}").of(200).json
    assert known["idExterno"] != sold["idExterno"]
    shop.gateway.await_event("sale.step", sale=sold["id"], step="cancelar", state="disputing")
    assert shop.sale(sold["id"])["outcome"] == "pending", "never not_sold"
    word = {"status": "EFETIVADA", "note": "its second idExterno is EFETIVADA in the books"}
    shop.gateway.admin.post(f"/v1/sales/{sold['id']}/resolve", word).of(200)
    assert shop.sell(order, key).of(200).json["outcome"] == "sold"


def test_an_esim_that_was_decided_after_the_copy_is_for_a_person(new_shop):
    shop = new_shop(QUICK).start()
    shop.callback_gate.shut()
    sale = shop.sell(orders.esim()).of(202).json
    backup(shop)
    shop.callback_gate.open()
    shop.settled(sale["id"])
    restored(shop)
    assert shop.sale(sale["id"])["outcome"] == "pending" and of_attention(shop) == [sale["id"]]
    word = {"status": "EFETIVADA", "note": "the provider's portal says so"}
    shop.gateway.admin.post(f"/v1/sales/{sale['id']}/resolve", word).of(200)
    assert shop.sale(sale["id"])["outcome"] == "sold"


@pytest.mark.parametrize("text", ["", "rubbish" * 1000])
def test_what_is_no_copy_replaces_nothing(new_shop, text):
    shop = new_shop().start()
    sold = shop.sell(orders.tv()).of(200).json
    shop.gateway.stop()
    (shop.folder / "copy.db").write_text(text)
    status, _, err = restore(shop)
    assert status == 1 and "copy.db" in err
    shop.start()
    assert shop.sale(sold["id"])["outcome"] == "sold"


def test_a_newer_versions_copy_is_refused_and_so_is_its_journal(new_shop):
    """This is what a downgrade meets."""
    shop = new_shop().start()
    backup(shop)
    shop.gateway.stop()
    for name in ("copy.db", "journal.db"):
        with sqlite3.connect(shop.folder / name) as rows:
            rows.execute("PRAGMA user_version = 999")
    status, _, err = restore(shop)
    assert status == 1 and "newer version of this program" in err
    run = shop.gateway.launch()
    assert run.wait() == 1
    for words in ("newer version of this program", "install that version again", "restore the copy"):
        assert words in run.errors()


def test_an_interrupted_restore_is_finished_by_calling_it_again(new_shop):
    shop = new_shop(QUICK).start()
    sold = shop.sell(orders.tv()).of(200).json
    backup(shop)
    shop.gateway.stop()
    (shop.folder / "journal.db.restored").write_bytes((shop.folder / "copy.db").read_bytes())
    run = shop.gateway.launch()
    assert run.wait() == 1 and "restore once more" in run.errors()
    assert restore(shop)[0] == 0
    shop.start()
    assert shop.sale(sold["id"])["outcome"] == "sold"


# --- of an encrypted journal ---


def keys_are(shop, *keys):
    """Sets the journal's keys from the next start on, the current one first."""
    path = shop.folder / "journal-keys"
    path.touch(0o600)
    path.write_text("".join(key + "\n" for key in keys))
    shop.gateway.document["journal"]["key_file"] = str(path)
    shop.gateway.write_config()


def refused(shop, *words):
    before = (shop.folder / "journal.db").read_bytes()
    run = shop.gateway.launch()
    assert run.wait() == 1 and all(word in run.errors() for word in words), run.errors()
    assert (shop.folder / "journal.db").read_bytes() == before


def test_an_encrypted_journals_copy_gives_nothing_away_and_comes_back_with_its_key(new_shop):
    shop = new_shop(QUICK)
    right, wrong = secrets.token_hex(32), secrets.token_hex(32)
    keys_are(shop, right)
    shop.start()
    key, order = new_key(), orders.egift()
    sold = shop.sell(order, key).of(200).json
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    backup(shop)
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"
    copy = (shop.folder / "copy.db").read_bytes()
    goods = [entry["goods"].encode() for entry in shop.sandbox.transactions() if entry.get("goods")]
    assert goods and not any(one in copy for one in goods) and orders.CPF.encode() not in copy
    shop.gateway.stop()
    status, out, err = restore(shop)
    assert (status, err) == (0, "") and "for a person to look at: 1" in out
    keys_are(shop, wrong)
    refused(shop, "encrypted with the key", "journal.key_file does not hold", "Nothing else opens these values")
    shop.gateway.document["journal"].pop("key_file")
    shop.gateway.write_config()
    refused(shop, "encrypted with the key", "no journal.key_file is configured")
    keys_are(shop, right)
    shop.start()
    again = shop.sell(order, key).of(200)
    assert again.json == sold and again.json["instrucao"] and again.header("Idempotency-Replayed") == "true"
    shop.settled(held["id"])
    assert shop.sale(held["id"])["outcome"] == "sold"
    assert not shop.gateway.events("journal.unreadable")


def test_a_copy_of_before_a_key_was_changed_needs_the_key_of_then(new_shop):
    shop = new_shop(QUICK)
    old, new = secrets.token_hex(32), secrets.token_hex(32)
    keys_are(shop, old)
    shop.start()
    key, order = new_key(), orders.egift()
    sold = shop.sell(order, key).of(200).json
    backup(shop)
    shop.gateway.stop()
    keys_are(shop, new, old)
    shop.start()
    shop.gateway.await_event("journal.resealed")
    shop.gateway.stop()
    keys_are(shop, new)
    assert restore(shop)[0] == 0
    refused(shop, "put that key on a line of its own below the first one")
    keys_are(shop, new, old)
    shop.start()
    assert shop.sell(order, key).of(200).json == sold
    eventually(lambda: len(shop.gateway.events("journal.resealed")) == 2, "the copy is encrypted anew with the key of now")
    shop.gateway.stop()
    keys_are(shop, new)
    shop.start()
    assert shop.sell(order, key).of(200).json == sold


# --- a copy that was put in the journal's place by hand ---


def snapshot(shop, name="copy.db"):
    """Makes a copy as a person does with sqlite3."""
    with sqlite3.connect(shop.folder / "journal.db") as journal, sqlite3.connect(shop.folder / name) as copy:
        journal.backup(copy)


def put_in_place(shop, how, name="copy.db"):
    """Puts the copy in place as cp does to another file that is then renamed, or as cp does to the journal itself."""
    journal, copy = shop.folder / "journal.db", shop.folder / name
    for ending in ("-wal", "-shm"):
        (shop.folder / f"journal.db{ending}").unlink(missing_ok=True)
    if how == "replaced":
        copy.rename(journal)
    else:
        with open(journal, "r+b") as file:
            file.write(copy.read_bytes())
            file.truncate()


@pytest.mark.parametrize("how", ["replaced", "overwritten"])
def test_a_copy_made_by_hand_confirms_nothing_that_was_told_not_sold(new_shop, how):
    shop = new_shop(QUICK | {"provider.request_timeout": "500ms", "provider.connect_timeout": "500ms"}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    snapshot(shop)
    shop.gate.shut()  # the cancel does not get through before the gateway is killed
    assert shop.till.cancel(held["id"]).of(200).json["outcome"] == "not_sold"
    shop.gateway.kill()
    shop.gate.open()
    put_in_place(shop, how)
    shop.start()
    said = shop.gateway.await_event("journal.restored", level="error")
    assert said["unsureSales"] == 1
    assert ("is not the one" if how == "replaced" else "is older than it was") in said["detail"], said
    shop.till.confirm(held["id"])  # whatever the answer is
    shop.settled(held["id"])
    assert shop.sale(held["id"])["outcome"] == "not_sold" and shop.in_books(held) == "CANCELADA"
    assert asked_for(shop)[held["idExterno"]]["calls"]["confirmar"] == 0
    assert of_attention(shop) == [held["id"]]
    history = shop.gateway.admin.get(f"/v1/sales/{held['id']}/events").of(200).json
    assert history["attention"] == "restored" and "restored" in [line["event"] for line in history["events"]]
    shop.gateway.stop()
    shop.start()
    assert len(shop.gateway.events("journal.restored")) == 1, "it is the journal now"


def test_a_journal_that_is_killed_moved_and_vacuumed_is_no_copy(new_shop):
    shop = new_shop(QUICK | {"limits.hold": "1h"}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gateway.kill()
    elsewhere = shop.folder / "elsewhere"
    elsewhere.mkdir()
    for file in shop.folder.glob("journal.db*"):
        file.rename(elsewhere / file.name)
    with contextlib.closing(sqlite3.connect(elsewhere / "journal.db")) as journal:
        journal.execute("VACUUM")
    shop.gateway.document["journal"]["path"] = str(elsewhere / "journal.db")
    shop.gateway.write_config()
    shop.start()
    assert not shop.gateway.events("journal.restored") and of_attention(shop) == []
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"
