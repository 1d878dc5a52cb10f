"""Tests the token: it is got once, kept, renewed and replaced, and the gateway does without it as long as its service
is down."""
import datetime
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.fake_provider import CUT, after
from harness.orders import new_key
from harness.waiting import eventually

TOKEN = "/authorization/token"


def unauthorised(request):
    return 401, {"mensagem": "token"}


@pytest.fixture
def wire(new_shop, provider):
    return new_shop(provider=provider).start(), provider


def bearer(request):
    return request.headers["Authorization"]


# --- 401 in the middle of a sale ---


def test_a_401_to_the_request_costs_a_new_token_and_a_new_idExterno(wire):
    shop, provider = wire
    provider.on("/venda/tv/solicitar", [unauthorised])
    sale = shop.sell(orders.tv()).of(200).json
    first, second = provider.sent("/venda/tv/solicitar")
    assert bearer(first) != bearer(second)
    assert first.json["idExterno"] != second.json["idExterno"] == sale["idExterno"]
    assert [a["state"] for a in shop.sale(sale["id"])["attempts"]] == ["unauthorised", "sold"]
    assert not provider.sent("/venda/tv/cancelar"), "it was not processed"


def test_the_new_attempt_after_a_401_does_not_count(new_shop, provider):
    shop = new_shop({"sale.max_attempts": 1}, provider=provider).start()
    provider.on("/venda/tv/solicitar", [unauthorised])
    shop.sell(orders.tv()).of(200)


def test_a_second_401_is_the_end_and_nothing_was_sold(wire):
    shop, provider = wire
    provider.on("/venda/tv/solicitar", unauthorised)
    answer = shop.sell(orders.tv()).of(503, "provider_unavailable")
    assert answer.json["outcome"] == "not_sold" and answer.header("Retry-After")
    assert len(provider.sent("/venda/tv/solicitar")) == 2
    assert answer.sale["settled"] is True and not provider.sent("/venda/tv/cancelar")


def test_a_401_to_the_confirm_is_confirmed_again_with_a_new_token(wire):
    shop, provider = wire
    provider.on("/venda/tv/confirmar", [unauthorised])
    shop.sell(orders.tv()).of(200)
    first, second = provider.sent("/venda/tv/confirmar")
    assert bearer(first) != bearer(second) and first.body == second.body


def test_a_401_to_the_cancel_is_cancelled_again_with_a_new_token(wire):
    shop, provider = wire
    sale = shop.sell(orders.tv(confirm="manual")).of(200).json
    provider.on("/venda/tv/cancelar", [unauthorised])
    shop.till.cancel(sale["id"]).of(200)
    shop.settled(sale["id"])
    first, second = provider.sent("/venda/tv/cancelar")
    assert bearer(first) != bearer(second) and first.body == second.body


def test_tokens_that_are_revoked_behind_the_gateways_back_cost_no_sale(new_shop):
    shop = new_shop().start()
    for make in (orders.tv, orders.egift, orders.transit, orders.health):
        shop.sandbox.expire_tokens()
        shop.sell(make()).of(200)
    shop.sandbox.expire_tokens()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.sandbox.expire_tokens()
    shop.till.confirm(held["id"]).of(200)
    shop.check_books()


def test_a_token_that_was_refused_is_never_sent_again_however_quickly_tokens_die(wire):
    shop, provider = wire
    for _ in range(8):
        provider.on("/venda/tv/solicitar", [unauthorised])
        shop.sell(orders.tv()).of(200)
    asked = [bearer(request) for request in provider.sent("/venda/tv/solicitar")]
    refused, taken = asked[::2], asked[1::2]
    assert len(set(refused)) == 8 and asked.count(refused[0]) == 1
    assert taken[:-1] == refused[1:], "each is used until it is refused, and never after that"


# --- one token for all ---


def test_sales_at_once_share_one_token(wire):
    shop, provider = wire
    calls = [Background(shop.sell, orders.tv()) for _ in range(10)]
    for call in calls:
        call.result().of(200)
    assert len(provider.sent(TOKEN)) == 1


def test_many_401s_at_once_cost_one_new_token(wire):
    shop, provider = wire
    all_there = threading.Barrier(6)
    provider.on("/venda/tv/solicitar", [lambda request: (all_there.wait(60), unauthorised(request))[1]] * 6)
    calls = [Background(shop.sell, orders.tv()) for _ in range(6)]
    for call in calls:
        call.result().of(200)
    assert len(provider.sent(TOKEN)) == 2


# --- its end ---


def test_a_token_is_refreshed_before_it_ends_as_documented(new_shop, provider):
    shop = new_shop(provider=provider)
    provider.on(TOKEN, [lambda request: (200, provider.token(lifetime_s=2))])
    shop.start()
    eventually(lambda: len(provider.sent(TOKEN)) >= 2, "the token is renewed ahead of time")
    first, second = provider.sent(TOKEN)[:2]
    assert second.form == {"grant_type": "refresh_token", "refresh_token": "refresh-token-1"}
    assert "Authorization" not in second.headers
    assert first.form["grant_type"] == "client_credentials"
    eventually(lambda: shop.gateway.events("token.obtained", how="refresh"), "the new token is taken")
    shop.sell(orders.tv()).of(200)
    assert bearer(provider.sent("/venda/tv/solicitar")[0]) == "Bearer access-token-2"


@pytest.mark.parametrize("said", [(400, {"error": "invalid_grant"}), (500, ""), (200, "{}"), CUT])
def test_a_refresh_that_fails_falls_back_to_the_credentials(new_shop, provider, said):
    shop = new_shop(provider=provider)
    short = lambda request: (200, provider.token(lifetime_s=2))  # noqa: E731
    provider.on(TOKEN, [short, lambda request: said])
    shop.start()
    eventually(lambda: len(shop.gateway.events("token.obtained")) >= 2, "another token")
    kinds = [request.form["grant_type"] for request in provider.sent(TOKEN)[:3]]
    assert kinds == ["client_credentials", "refresh_token", "client_credentials"]
    shop.sell(orders.tv()).of(200)


@pytest.mark.parametrize("unit", ["ms", "s", "duration"])
def test_expires_in_is_understood_as_a_timestamp_and_as_a_duration(new_shop, unit):
    shop = new_shop(sandbox={"--expires-in": unit, "--token-lifetime": "5m"}).start()
    line = shop.gateway.await_event("token.obtained")
    said, until = (datetime.datetime.fromisoformat(line[name].replace("Z", "+00:00")) for name in ("time", "expiresAt"))
    assert 290 <= (until - said).total_seconds() <= 300
    assert 200 < shop.gateway.metric("gateway_token_expires_in_seconds") <= 300


def test_sales_go_on_over_the_ends_of_many_tokens(new_shop):
    shop = new_shop(sandbox={"--token-lifetime": "2s"}).start()

    def sell_on():
        shop.sell(orders.tv()).of(200)
        return shop.sandbox.token_counts()["issued"] >= 3

    eventually(sell_on, "three tokens were issued while selling")
    shop.check_books()


def test_a_token_without_a_refresh_token_and_with_added_fields_is_taken(new_shop, provider):
    shop = new_shop(provider=provider)
    said = {"access_token": "plain", "token_type": "bearer", "expires_in": "300", "novo": [1]}
    provider.on(TOKEN, lambda request: (200, said))
    shop.start()
    shop.sell(orders.tv()).of(200)
    assert bearer(provider.sent("/venda/tv/solicitar")[0]) == "Bearer plain"


# --- its service is down ---


@pytest.mark.parametrize(
    "said",
    [(500, ""), (401, {"error": "invalid_client", "error_description": "Unknown credentials"}), CUT],
)
def test_without_a_token_nothing_is_sent_and_nothing_sold(new_shop, provider, said):
    shop = new_shop({"provider.request_timeout": "1s", "sale.max_attempts": 1}, provider=provider)
    provider.on(TOKEN, lambda request: said)
    shop.gateway.start()
    answer = shop.sell(orders.tv()).of(503, "provider_unavailable")
    assert answer.json["outcome"] == "not_sold" and answer.sale["reason"]["code"] == "never_sent"
    assert not provider.sent("/venda/tv/solicitar")
    assert shop.gateway.admin.get("/readyz").status == 503
    provider.clear()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready when the service is back")
    shop.sell(orders.tv()).of(200)


def test_a_service_that_is_down_does_no_harm_while_the_token_lasts(wire):
    shop, provider = wire
    provider.on(TOKEN, lambda request: (503, ""))
    shop.sell(orders.tv()).of(200)
    assert shop.gateway.admin.get("/readyz").status == 200


def test_a_sale_waits_for_the_token_that_is_being_asked_for(new_shop, provider):
    shop = new_shop(provider=provider)
    go_on = threading.Event()
    provider.on(TOKEN, after(go_on))
    shop.gateway.start()
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    shop.sale_of_key(key)
    go_on.set()
    selling.result().of(200)


# --- a restart ---


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_a_restart_keeps_the_token(new_shop, provider, ending):
    shop = new_shop(provider=provider).start()
    shop.sell(orders.tv()).of(200)
    getattr(shop.gateway, ending)()
    shop.start()
    shop.sell(orders.tv()).of(200)
    first, second = provider.sent("/venda/tv/solicitar")
    assert bearer(first) == bearer(second) and len(provider.sent(TOKEN)) == 1


@pytest.mark.parametrize("key, value", [("scopes", ["Venda_Outra"]), ("app_key", "another-application"),
                                        ("auth_url", None)])
def test_a_token_that_was_given_for_others_is_not_used(new_shop, provider, key, value):
    """Neither the token nor its refresh token is used: what the new credentials may do would show only when the old
    token ends."""
    shop = new_shop(provider=provider).start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    document = shop.gateway.document["provider"]
    document[key] = value or document["auth_url"].replace("127.0.0.1", "localhost")
    shop.gateway.write_config()
    shop.start()
    shop.sell(orders.tv()).of(200)
    first, second = provider.sent("/venda/tv/solicitar")
    assert bearer(first) != bearer(second)
    assert ["client_credentials" in str(asked.body) for asked in provider.sent(TOKEN)] == [True, True]
    shop.gateway.await_event("token.not_used")


def test_a_kept_token_that_has_ended_is_renewed(new_shop, provider):
    shop = new_shop(provider=provider)
    provider.on(TOKEN, [lambda request: (200, provider.token(lifetime_s=1))])
    shop.start()
    shop.gateway.kill()
    shop.start()
    shop.sell(orders.tv()).of(200)
    eventually(lambda: len(provider.sent(TOKEN)) >= 2, "renewed")
