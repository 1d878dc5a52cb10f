"""A provider that can be asked for a sale's status is asked where only its answer is missing."""
import pytest
from harness import orders
from harness.fake_provider import CUT
from harness.orders import new_key
from harness.waiting import eventually

PATH = "/venda/transacao/{idExterno}"
BY_THE_PROVIDERS_NAME = "/venda/transacao/{idTransacao}"
# A confirm or a cancel of a sale that is over is declined, and the answer does not have its status.
DECLINES = {f"--{point}": "409" for point in
            ("cancel-on-efetivada", "confirm-on-cancelada", "confirm-again", "cancel-again")}


def asking(new_shop, path=PATH, shape="venda", **changes):
    config = {"provider.status_path": path} | {name.replace("__", "."): value for name, value in changes.items()}
    return new_shop(config, sandbox={"--status-path": path, "--status-shape": shape} | DECLINES).start()


def calls(shop, sale):
    return shop.sandbox.transaction(sale["idExterno"])["calls"]


def history(shop, sale):
    history = shop.gateway.admin.get(f"/v1/sales/{sale['id']}/events").of(200).json["events"]
    return [(entry["event"], entry.get("known")) for entry in history]


def test_an_esim_whose_callback_never_comes_becomes_final(new_shop):
    shop = asking(new_shop, sale__attention_after="2s")
    sale = shop.sell_esim(orders.esim(2935)).json
    sold = shop.until(sale["id"], "sold", status="EFETIVADA", settled=True)
    assert sold["attention"], "what the customer is to be given did not come, and a person is told"
    assert ("consultar", "sold") in history(shop, sale)
    shop.check_books()


@pytest.mark.parametrize("cents, status", [(37, "CANCELADA"), (36, "NEGADA")])
def test_an_esim_whose_callback_is_late_needs_nobody(new_shop, cents, status):
    shop = asking(new_shop, sale__attention_after="2s")
    shop.callback_gate.shut()
    sale = shop.sell(orders.esim(2900 + cents)).of(202).json
    final = shop.until(sale["id"], "final", status=status, settled=True)
    assert final["outcome"] == "not_sold" and not final["attention"]
    shop.callback_gate.open()
    eventually(lambda: ("callback", status) in history(shop, sale), "the callback comes all the same")
    final = shop.until(sale["id"], "still so", status=status, settled=True)
    assert not final["attention"]
    shop.check_books()


@pytest.mark.parametrize("first_status", [None, "error", "lose_answer", "not_json", "unauthorized"])
def test_a_sale_whose_confirm_and_cancel_are_declined_is_as_its_status_says(new_shop, first_status):
    shop = asking(new_shop, sale__confirm_window="1s", provider__request_timeout="1s")
    rules = [{"step": "confirmar", "behaviour": "lose_answer", "times": 1}]
    if first_status:
        rules.append({"step": "status", "behaviour": first_status, "times": 1})
    shop.sandbox.faults(*rules)
    sale = shop.sell(orders.tv(), wait=1).sale
    sold = shop.until(sale["id"], "sold", status="EFETIVADA", settled=True)
    assert not sold["attention"]
    asked_again = first_status in ("error", "lose_answer", "not_json")
    assert calls(shop, sale)["cancelar"] == (1 if asked_again else 0), "asked before a cancel, and between it and the next"
    assert calls(shop, sale)["status"] == (2 if first_status else 1)
    shop.check_books()


def test_a_cancel_that_is_declined_is_settled_by_the_status(new_shop):
    shop = asking(new_shop, sale__late_arrival="500ms")
    shop.sandbox.faults({"step": "solicitar", "behaviour": "lose_answer", "times": 1},
                        {"step": "cancelar", "behaviour": "lose_answer", "times": 1})
    sale = shop.sell(orders.tv(), wait=1).sale
    settled = shop.settled(sale["id"])
    first = settled["attempts"][0]["idExterno"]
    in_books = shop.sandbox.transaction(first)
    assert in_books["status"] == "CANCELADA" and in_books["calls"]["status"] == 2, "before each repeat of the cancel"
    assert in_books["calls"]["cancelar"] >= 2, "it is sent again where the status knows nothing of the sale"
    assert not settled["attention"]
    shop.check_books()


def test_a_cancel_whose_answers_are_lost_is_asked_about_before_every_repeat(new_shop, provider):
    changes = {"provider.status_path": "/status?id={idExterno}", "provider.request_timeout": "1s"}
    shop = new_shop(changes, provider=provider)
    provider.on("/venda/tv/solicitar", [lambda request: (500, "")])
    provider.on("/venda/tv/cancelar", [CUT, lambda request: (503, ""), lambda request: (200, "{}")])
    told = [{"transacao": {"status": "CANCELADA"}}, {"status": "EFETIVADA"}, {}]  # none of them names the sale
    provider.on("/status", [lambda request, body=body: (200, body) for body in told])
    shop.start()
    sale = shop.sell(orders.tv(), wait=1).sale

    def exchanges():
        events = [one for one in history(shop, sale) if one[0] in ("cancelar", "consultar")]
        return events[:7] if len(events) >= 7 else None

    events = eventually(exchanges, "the cancel is repeated until it is answered")
    assert [name for name, _ in events] == ["cancelar", "consultar"] * 3 + ["cancelar"], events
    assert {known for name, known in events if name == "consultar"} == {"unknown"}, "an answer that names no sale"


@pytest.mark.parametrize("path", [PATH, BY_THE_PROVIDERS_NAME])
@pytest.mark.parametrize("fault, confirms", [({"mute": True}, 1), ({"swallow": True}, 1)])
def test_an_unsettled_sale_found_at_start_is_asked_for_first(new_shop, path, fault, confirms):
    shop = asking(new_shop, path, sale__confirm_window="1m")
    armed = shop.gate.arm(b"POST /venda/tv/confirmar", **fault)
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    eventually(lambda: armed.hits == 1, "the confirm has left")
    shop.gateway.kill()
    with pytest.raises(Exception):
        selling.result()
    shop.start()
    sale = shop.sale_of_key(key)
    shop.until(sale["id"], "sold", status="EFETIVADA", settled=True)
    assert calls(shop, sale)["status"] == 1
    assert calls(shop, sale)["confirmar"] == confirms, "it is not confirmed again where it is known to be sold"
    told = [name for name, _ in history(shop, sale)]
    assert told[:3] == ["begun", "solicitar", "consultar"], "before the confirm is sent again"
    shop.check_books()


def test_what_is_cancelled_at_start_is_asked_for_and_cancelled_all_the_same(new_shop):
    shop = asking(new_shop)
    armed = shop.gate.arm(b"POST /venda/tv/solicitar", swallow=True)
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    eventually(lambda: armed.hits == 1, "the request has left")
    shop.gateway.kill()
    with pytest.raises(Exception):
        selling.result()
    shop.start()
    sale = shop.sale_of_key(key)
    settled = shop.settled(sale["id"])
    assert settled["status"] == "CANCELADA"
    events = history(shop, sale)
    assert ("consultar", "unknown") in events, "a 404 says nothing: the request may still arrive"
    assert [name for name, _ in events].count("cancelar") == 2
    shop.check_books()


def test_without_a_path_nothing_is_asked_for(new_shop):
    shop = new_shop({"sale.confirm_window": "1s", "provider.request_timeout": "1s"}, sandbox={"--status-path": PATH} | DECLINES).start()
    shop.sandbox.faults({"step": "confirmar", "behaviour": "lose_answer", "times": 1})
    sale = shop.sell(orders.tv(), wait=1).sale
    eventually(lambda: calls(shop, sale)["cancelar"] > 0, "the dispute has begun")
    assert calls(shop, sale)["status"] == 0
