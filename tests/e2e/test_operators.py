"""Tests what the gateway tells the operator who asks in the night: how it is, what it is doing for a sale and why, and
since when. Every sentence is brought about on the real programs, and what it counts outlives a restart."""
import datetime
import json
import secrets
import sqlite3
import threading
import zoneinfo

import pytest
from harness import orders
from harness.fake_provider import after
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

NOBODYS = "01JD3W4Q8Y7RZK5T9V2XB6M0NA"
SOON = {"sale.attention_after": "100ms", "sale.late_arrival": "50ms"}
NO_ANSWER = ({"step": "cancelar", "behaviour": "error"}, {"step": "confirmar", "behaviour": "error"})


def told(shop, sale_id):
    return shop.gateway.admin.get(f"/v1/sales/{sale_id}/events").of(200).json


def told_of(shop, sale_id, words, **wanted):
    """The history, once the sentence has these words and what is being done is as wanted."""

    def look():
        history = told(shop, sale_id)
        now = history.get("now", {"text": ""})
        return history if words in now["text"] and all(now[name] == value for name, value in wanted.items()) else None

    return eventually(look, f"the history says: {words}")


# This is the default of store.timezone.
STORE = zoneinfo.ZoneInfo("America/Sao_Paulo")


def local(rfc3339):
    """Returns a time of the JSON in the form of the sentence: by the store's wall clock."""
    at = datetime.datetime.fromisoformat(rfc3339.replace("Z", "+00:00")).astimezone(STORE)
    today = at.date() == datetime.datetime.now(STORE).date()
    return at.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S")


def resolve(shop, sale_id, **body):
    return shop.gateway.admin.post(f"/v1/sales/{sale_id}/resolve", {"note": "visto"} | body)


def attention(shop):
    command = [GATEWAY, "attention", "--config", str(shop.gateway.config)]
    status, text, err = run_to_end(command, shop.folder)
    assert (status, err) == (0, ""), err
    lines = run_to_end([*command, "--json"], shop.folder)[1].splitlines()
    return " ".join(text.split()), [json.loads(line) for line in lines]


# --- how the gateway is ---


def test_the_status_says_how_the_gateway_is(new_shop):
    shop = new_shop(SOON).start()
    admin = shop.gateway.admin
    status = admin.get("/v1/status").of(200).json
    assert (status["sells"], status["detail"], status["reasons"]) == (True, "Takes sales.", [])
    assert all(status["families"].values()) and status["journal"] == {"writable": True, "damaged": False}
    assert status["token"]["valid"] and status["provider"]["reached"] and status["tokenService"]["reached"]
    assert status["sales"] == {"underWay": 0, "unsettled": 0, "waitingForJournal": 0, "oldestUnsettledAt": None,
                               "unreadable": 0}
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    failed = shop.sell(orders.esim(2939)).sale
    shop.until(failed["id"], "for a person", attention=True, settled=True)
    status = admin.get("/v1/status").of(200).json
    assert status["sales"] == {
        "underWay": 1, "unsettled": 1, "waitingForJournal": 0, "oldestUnsettledAt": held["createdAt"],
        "unreadable": 0}
    assert status["attention"] == {"total": 1, "byMark": {"recharge_failed": 1}}
    assert "Sales that need a person: 1" in status["detail"]
    shop.till.cancel(held["id"]).of(200)
    shop.gate.shut()
    away = eventually(lambda: not (now := admin.get("/v1/status").json)["sells"] and now, "it is seen to be away")
    assert away["degraded"][0]["what"] == "provider" and away["provider"]["reached"] is False
    assert away["detail"].startswith("Can sell nothing: the provider cannot be used since 20") and away["reasons"]
    assert not any(away["families"].values())
    shop.gate.open()
    eventually(lambda: admin.get("/v1/status").json["sells"], "it is back")


# --- which sale ---


def test_a_sale_is_found_by_its_id_and_by_any_of_its_id_externos(new_shop):
    shop = new_shop(SOON).start()
    shop.sandbox.faults({"step": "solicitar", "behaviour": "error", "times": 1})
    sold = shop.sell(orders.tv(), wait=40).sale
    attempts = [one["idExterno"] for one in shop.gateway.admin.get(f"/v1/sales/{sold['id']}").json["attempts"]]
    for name in (sold["id"], *attempts):
        assert shop.gateway.admin.get(f"/v1/sales/{name}").of(200).json["id"] == sold["id"]
        history = told(shop, name)
        assert (history["id"], history["idExterno"]) == (sold["id"], attempts[-1])
        shop.gateway.admin.post(f"/v1/sales/{name}/resolve", {"note": "x"}).of(409, "sale_final")
    for name in attempts:
        shop.till.get(f"/v1/sales/{name}").of(404, "not_found")
    for path in ("", "/events"):
        shop.gateway.admin.get(f"/v1/sales/{NOBODYS}{path}").of(404, "not_found")
    shop.gateway.stop()
    with sqlite3.connect(shop.folder / "journal.db") as rows:
        rows.execute("UPDATE sales SET attempts = '[' WHERE id = ?", (sold["id"],))
    shop.start()
    for name in (sold["id"], *attempts):
        for path in ("", "/events"):
            shop.gateway.admin.get(f"/v1/sales/{name}{path}").of(503, "sale_unreadable")
        shop.gateway.admin.post(f"/v1/sales/{name}/resolve", {"note": "x"}).of(503, "sale_unreadable")


# --- what is being done ---


def test_a_settled_sale_has_nothing_left_to_do(shop):
    history = told(shop, shop.sell(orders.tv()).of(200).json["id"])
    assert (history["status"], history["settled"], history["tries"]) == ("EFETIVADA", True, 0)
    assert not {"now", "open", "marked", "lastError"} & set(history)


def test_a_request_waits_for_its_answer(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    key = orders.new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    words = f"The gateway has asked the provider for idExterno {sale['idExterno']} and waits for its answer."
    now = told_of(shop, sale["id"], words)["now"]
    assert (now["state"], now["step"], now["underWay"], now["try"]) == ("requesting", "solicitar", True, 1)
    assert now["nextAt"] is None
    go_on.set()
    assert selling.result().of(200).json["outcome"] == "sold"


def test_a_held_sale_is_its_terminals(shop):
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    now = told(shop, held["id"])["now"]
    assert f"the terminal holds it until {local(now['nextAt'])};" in now["text"]
    assert (now["state"], now["step"], now["underWay"], now["try"]) == ("held", None, False, 0)
    shop.till.cancel(held["id"]).of(200)


def test_a_confirm_is_repeated_in_its_time(new_shop):
    shop = new_shop({"sale.confirm_window": "1h"}).start()
    shop.sandbox.faults(*NO_ANSWER)
    sale = shop.sell(orders.tv(), wait=1).of(202).json
    now = told_of(shop, sale["id"], "The gateway asks the provider to confirm idExterno ")["now"]
    assert (now["state"], now["step"]) == ("confirming", "confirmar")
    shop.sandbox.no_faults()
    shop.settled(sale["id"])


def test_a_confirm_without_an_answer_becomes_a_question(new_shop):
    shop = new_shop().start()
    shop.sandbox.faults(*NO_ANSWER)
    sale = shop.sell(orders.tv(), wait=1).of(202).json
    history = told_of(shop, sale["id"], "Whether the provider sold idExterno ", state="disputing", underWay=False)
    now = history["now"]
    assert now["step"] in ("cancelar", "confirmar")
    assert now["text"].endswith(f"; a person is asked at {local(now['attentionAt'])}.")
    assert history["lastError"]["step"] in ("cancelar", "confirmar") and "500" in history["lastError"]["text"]
    shop.sandbox.no_faults()
    shop.settled(sale["id"])


def test_goods_that_have_not_come_are_asked_for(new_shop, provider):
    shop = new_shop({"sale.confirm_window": "60s"}, provider=provider).start()
    left = [(200, {"transacao": {"status": "EFETIVADA"}})]
    provider.on("/venda/egift/confirmar", lambda _: left.pop(0) if left else (500, {}))
    sale = shop.sell(orders.egift(), wait=1).of(202).json
    now = told_of(shop, sale["id"], "its goods have not come: the gateway asks for them: try ", state="collecting")["now"]
    assert now["text"].endswith(f"; a person is asked at {local(now['attentionAt'])}.")


def test_a_cancel_while_the_terminal_waits_makes_room_for_another_try(new_shop):
    shop = new_shop({"limits.sell_wait": "60s"}).start()
    shop.sandbox.faults(*NO_ANSWER)
    key = orders.new_key()
    selling = shop.start_selling(orders.tv(4902), key, wait=60)
    sale = shop.sale_of_key(key)
    now = told_of(shop, sale["id"], "so that it can try again while the terminal waits: try ")["now"]
    assert (now["state"], now["step"]) == ("retracting", "cancelar")
    shop.sandbox.no_faults()
    selling.result().of(504, "sale_cancelled")


def test_a_cancel_is_repeated_and_says_which_try_it_is_across_a_restart(new_shop):
    shop = new_shop({"sale.max_attempts": 1}).start()
    shop.sandbox.faults(*NO_ANSWER)
    sale = shop.sell(orders.tv(4902)).of(504, "sale_cancelled").sale
    before = eventually(lambda: (history := told(shop, sale["id"]))["tries"] >= 4 and history, "four tries")
    history = told_of(shop, sale["id"], " at ", state="cancelling", underWay=False)
    now = history["now"]
    assert now["text"] == (
        f"The gateway asks the provider to cancel idExterno {sale['idExterno']}: try {now['try']} at "
        f"{local(now['nextAt'])}; a person is asked at {local(now['attentionAt'])}."
    )
    assert now["try"] == history["tries"] + 1 and history["open"] == [now]
    shop.gateway.kill()
    shop.gate.shut()  # no further try has an answer
    shop.start()
    restarted = told(shop, sale["id"])
    assert restarted["tries"] >= before["tries"], "a restart counts on"
    assert restarted["now"]["try"] == restarted["tries"] + 1
    assert restarted["lastError"]["at"] >= before["lastError"]["at"]
    tries = [entry["tries"] for entry in restarted["events"] if "tries" in entry]
    assert tries[:4] == [1, 2, 3, 4] and all(entry["state"] == "cancelling" for entry in restarted["events"][-4:])
    shop.sandbox.no_faults()
    shop.gate.open()
    shop.settled(sale["id"])
    assert "now" not in told(shop, sale["id"]) and told(shop, sale["id"])["lastError"]


def test_a_cancelled_request_that_may_still_arrive_is_cancelled_once_more(new_shop):
    shop = new_shop({"sale.late_arrival": "10m", "sale.max_attempts": 1}).start()
    sale = shop.sell(orders.tv(4902)).of(504, "sale_cancelled").sale
    now = told_of(shop, sale["id"], "the gateway asks it to cancel once more: try 1 at ")["now"]
    assert (now["state"], now["step"], now["underWay"]) == ("lingering", "cancelar", False)
    assert f"try 1 at {local(now['nextAt'])}; a person is asked at {local(now['attentionAt'])}." in now["text"]


def test_what_cannot_be_cancelled_is_a_persons(new_shop):
    shop = new_shop().start()
    sale = shop.sell(orders.health(2)).of(504, "sale_cancelled").sale
    history = told_of(shop, sale["id"], "The gateway has no way to cancel idExterno ")
    assert history["marked"]["mark"] == "no_cancel_path"
    assert history["now"]["text"].endswith(f": only a person can; a person was asked at {local(history['marked']['since'])}.")
    assert (history["now"]["step"], history["now"]["try"], history["now"]["nextAt"]) == (None, 0, None)
    assert resolve(shop, sale["id"]).of(200).json["settled"] is True


def test_an_esim_waits_for_its_callback(new_shop):
    shop = new_shop().start()
    sale = shop.sell_esim(orders.esim(2935)).json
    now = told(shop, sale["id"])["now"]
    assert f"idExterno {sale['idExterno']} waits for the provider's callback since " in now["text"]
    assert now["text"].endswith(f"; a person is asked at {local(now['attentionAt'])}.")
    assert (now["state"], now["step"], now["nextAt"]) == ("awaiting", None, None)


# --- why a person is asked, and since when ---


def test_a_mark_is_as_old_as_it_is_also_after_a_restart(new_shop):
    shop = new_shop(SOON).start()
    sale = shop.sell_esim(orders.esim(2935)).json
    marked = shop.until(sale["id"], "for a person", attention=True)
    assert marked["mark"] == "no_callback"
    history = told(shop, sale["id"])
    assert history["marked"]["since"] == marked["updatedAt"] == history["events"][-1]["at"]
    assert all(history["marked"][part] in history["advice"] for part in ("known", "notKnown", "toDo"))
    assert history["now"]["text"].endswith(f"; a person was asked at {local(history['marked']['since'])}.")
    said = shop.gateway.await_event("sale.attention", sale=sale["id"])
    assert said["markedAt"] == history["marked"]["since"]
    shop.gateway.kill()
    shop.start()
    assert told(shop, sale["id"])["marked"] == history["marked"]
    text, (line,) = attention(shop)
    assert line["since"] == history["marked"]["since"]
    assert f"since {line['since'][:4]}-" in text and "Times are the store's, UTC" in text and "R$ 29,35" in text


def test_the_command_says_how_often_it_was_tried_and_what_went_wrong(new_shop):
    shop = new_shop(SOON | {"sale.max_attempts": 1}).start()
    shop.sandbox.faults(*NO_ANSWER)
    sale = shop.sell(orders.tv(4902)).of(504, "sale_cancelled").sale
    shop.until(sale["id"], "for a person", attention=True)
    running = told(shop, sale["id"])

    def alike():  # checks that no try came between the two of them
        text, (line,) = attention(shop)
        return (text, line) if f" tries {line['tries']} " in text else None

    for at_rest in (False, True):
        if at_rest:
            shop.gateway.kill()
        text, line = eventually(alike, "both tell as many tries")
        assert line["tries"] >= running["tries"] >= 1
        assert line["lastError"]["step"] == "cancelar" and "500" in line["lastError"]["text"]
        assert "last error cancelar at 20" in text


@pytest.mark.parametrize("encrypted", [False, True])
def test_the_command_says_what_the_callbacks_said(new_shop, tmp_path, encrypted):
    changes = dict(SOON)
    if encrypted:
        keys = tmp_path / "journal-keys"
        keys.touch(0o600)
        keys.write_text(secrets.token_hex(32) + "\n")
        changes["journal.key_file"] = str(keys)
    shop = new_shop(changes).start()
    sale = shop.sell(orders.esim(2939)).sale
    shop.until(sale["id"], "for a person", attention=True)

    def told():
        text, (line,) = attention(shop)
        return (text, line) if len(line["callbacks"]) == 2 else None

    # The provider sends both at once: either may come first, and the second may still be on its way.
    text, line = eventually(told, "both callbacks are listed")
    came = line["callbacks"]
    assert {one["kind"] for one in came} == {"sale", "recharge"} and all(one["valid"] and one["at"] for one in came)
    # Where bodies are encrypted, the history has the status, and no entry of a second callback that changed nothing.
    words = {one.get("situacaoTransacao") for one in came}
    assert words == {"EFETIVADA"} or (encrypted and words == {"EFETIVADA", None})
    recharge = next(one for one in came if one["kind"] == "recharge")
    assert recharge.get("situacaoRecarga") == (None if encrypted else "FALHA")
    assert (" (sale): EFETIVADA" in text or encrypted) and (", recharge FALHA" in text) != encrypted
    facts = shop.sale(sale["id"])["esim"]
    assert not any(facts[name] in text + json.dumps(line) for name in ("msisdn", "url"))


# --- what a person decides ---


def test_who_decided_is_kept_and_an_esim_gets_its_receipt(new_shop):
    shop = new_shop(SOON).start()
    sale = shop.sell_esim(orders.esim(2935)).json
    shop.until(sale["id"], "for a person", attention=True)
    facts = {"msisdn": "11987650001", "url": "https://esim.example/r/314159"}
    resolved = resolve(shop, sale["id"], status="EFETIVADA", by="maria", esim=facts).of(200).json
    assert "mark" not in resolved and {name: resolved["esim"][name] for name in facts} == facts
    last = told(shop, sale["id"])["events"][-1]
    assert (last["event"], last["by"], last["mark"], last["detail"]) == ("resolved", "maria", "none", "visto")
    shop.gateway.await_event("sale.step", sale=sale["id"], step="resolved", by="maria")
    receipt = shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(200).body.decode()
    assert "Número: 11987650001\n" in receipt and "\nhttps://esim.example/r/314159\n" in receipt
    assert shop.sale(sale["id"])["reason"]["detail"] == "visto", "a note that decides is shown to the terminal"
    log = "".join(run.text() for run in shop.gateway.runs)
    assert not any(text in log for text in facts.values())


def test_what_the_receipt_prints_is_encrypted_in_the_journal(new_shop, tmp_path):
    keys = tmp_path / "journal-keys"
    keys.touch(0o600)
    keys.write_text(secrets.token_hex(32) + "\n")
    shop = new_shop(SOON | {"journal.key_file": str(keys)}).start()
    sale = shop.sell_esim(orders.esim(2935)).json
    shop.until(sale["id"], "for a person", attention=True)
    resolve(shop, sale["id"], status="EFETIVADA", esim={"msisdn": "11987650001"}).of(200)
    shop.gateway.stop()
    assert b"11987650001" not in (shop.folder / "journal.db").read_bytes()
    shop.start()
    assert shop.sale(sale["id"])["esim"]["msisdn"] == "11987650001"


def test_a_sold_esim_may_get_its_number_with_the_note_that_clears_its_mark(new_shop):
    shop = new_shop(SOON).start()
    sale = shop.sell(orders.esim(2939)).sale
    shop.until(sale["id"], "for a person", attention=True, status="EFETIVADA")
    path = f"/v1/sales/{sale['id']}/resolve"
    esim = {"msisdn": "11987650002"}
    assert shop.gateway.admin.post(path, {"esim": esim}).of(422, "invalid_request").pointers() == ["/note"]
    cleared = shop.gateway.admin.post(path, {"note": "chip trocado", "esim": esim}).of(200).json
    assert (cleared["attention"], cleared["esim"]["msisdn"]) == (False, "11987650002")
    assert cleared["esim"]["url"], "what was not typed stays"
    assert cleared["reason"] is None, "a note that only clears a mark is shown to nobody"


def test_facts_of_an_esim_are_taken_of_nothing_else(new_shop):
    shop = new_shop(SOON).start()
    sale = shop.sell_esim(orders.esim(2935)).json
    shop.until(sale["id"], "for a person", attention=True)
    esim = {"msisdn": "1"}
    refused = resolve(shop, sale["id"], status="CANCELADA", esim=esim).of(422, "invalid_request")
    assert refused.pointers() == ["/esim"]
    of_another = shop.sell(orders.tv()).of(200).json
    assert resolve(shop, of_another["id"], esim=esim).of(422, "invalid_request").pointers() == ["/esim"]
    wrong = {"by": "x" * 65, "esim": {"number": "1"}}
    found = resolve(shop, sale["id"], status="EFETIVADA", **wrong).of(422, "invalid_request").pointers()
    assert found == ["/by", "/esim/number"]
