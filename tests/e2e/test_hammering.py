"""A caller that is refused again and again makes a few lines in the log, and a line in status."""
from harness import orders
from harness.client import Terminal
from harness.waiting import eventually


def lines_about(shop, *events):
    return [line for line in shop.gateway.lines() if line["event"] in events]


def hammering(shop):
    return shop.gateway.admin.get("/v1/status").of(200).json["hammering"]


def test_a_till_in_a_loop_of_refused_calls(shop):
    till = shop.gateway.terminal("caixa-01")
    for number in range(300):
        (till.get("/v1/sales/01ARZ3NDEKTSV4RRFFQ69G5FAV") if number % 2 else
         till.request("POST", "/v1/sell", {"family": "tv"}, {"Idempotency-Key": f"k-{number}"}))
    assert len(lines_about(shop, "http.request", "http.refused")) <= 10
    (caller,) = hammering(shop)
    assert caller["caller"] == "caixa-01" and caller["calls"] == 300 and "was refused 300 calls" in caller["detail"]


def test_a_machine_with_an_old_key(shop):
    caller = Terminal(shop.till.address, "nobody's key")
    for _ in range(12):
        caller.get("/v1/sales").of(401, "unauthorized")
    assert len(lines_about(shop, "terminals.refused_key")) <= 10
    eventually(lambda: hammering(shop), "it is told")
    assert hammering(shop)[0]["caller"] == "127.0.0.1"
    assert "lastly GET /v1/sales, which was answered 401" in hammering(shop)[0]["detail"]


def test_a_till_that_repeats_what_cannot_be_served_now(new_shop, provider):
    shop = new_shop(provider=provider).start()
    provider.on("/venda/tv/solicitar", lambda _: (429, {}))
    for number in range(15):
        shop.till.request("POST", "/v1/sell", orders.tv(), {"Idempotency-Key": f"k-{number}"})
    assert hammering(shop) == [], "its calls are right"
