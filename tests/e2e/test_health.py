"""Everything that asks for the gateway's state shows that a provider is away, and that it has returned."""
import contextlib
import re
import sqlite3
import threading

from harness import commands, orders
from harness.client import Terminal
from harness.fake_provider import after
from harness.waiting import eventually

TOKEN = "/authorization/token"
SHORT = {"provider.connect_timeout": "500ms", "provider.request_timeout": "1s", "sale.max_attempts": 1}


def degraded(shop):
    return shop.gateway.admin.get("/readyz").of(200).json["degraded"]


def status(shop, **headers):
    return shop.till.get("/v1/status", **headers).of(200)


def test_all_is_well(new_shop):
    shop = new_shop(SHORT).start()
    shop.sell(orders.tv()).of(200)  # makes the journal flush
    ready = shop.gateway.admin.get("/readyz").of(200).json
    flush = ready.pop("disk")["flushMs"]
    assert ready == {"ready": True, "degraded": []}
    assert 0 < flush["p50"] <= flush["p99"]
    assert shop.gateway.metric("gateway_journal_flush_seconds_count") >= 1
    told = status(shop)
    assert told.json["sells"] and told.json["provider"]["reached"] and all(told.json["families"].values())
    assert told.header("Content-Language") == "en"
    assert status(shop, Accept_Language="pt-BR").json["detail"] == "Vendas disponíveis."
    assert shop.gateway.metric("gateway_provider_up") == 1 and shop.gateway.metric("gateway_token_service_up") == 1


def test_a_status_costs_the_provider_nothing(new_shop, provider):
    shop = new_shop(SHORT, provider=provider).start()
    asked = len(provider.requests)
    for _ in range(5):
        status(shop)
    assert len(provider.requests) == asked


def test_a_provider_that_is_dead_is_told_everywhere_and_so_is_its_return(new_shop):
    shop = new_shop(SHORT).start()
    shop.sell(orders.tv()).of(200)
    shop.gate.shut()
    for _ in range(3):
        shop.sell(orders.tv()).of(503, "provider_unavailable")
    away = next(one for one in degraded(shop) if one["what"] == "provider")
    assert away["refused"] == 3 and "refused" in away["lastError"] and away["since"]
    told = status(shop, Accept_Language="pt-BR")
    assert not told.json["sells"] and not told.json["provider"]["reached"]
    assert not any(told.json["families"].values())
    assert told.json["detail"].startswith("Sem vendas: o provedor está fora de alcance desde ")
    assert told.header("Content-Language") == "pt-BR"
    assert shop.gateway.metric("gateway_provider_up") == 0
    begun = shop.gateway.await_event("outage.begun", service="provider")
    assert begun["level"] == "warn" and begun["detail"]

    shop.gate.open()
    over = shop.gateway.await_event("outage.over", service="provider")
    assert over["refused"] == 3 and over["durationMs"] >= 0
    assert not [one for one in degraded(shop) if one["what"] == "provider"], "without a sale"
    assert shop.gateway.metric("gateway_provider_up") == 1


def test_a_token_service_that_is_away_is_told_while_sales_go_on(new_shop, provider):
    shop = new_shop(SHORT, provider=provider).start()
    provider.on(TOKEN, lambda request: (503, ""))
    provider.on("/venda/tv/solicitar", [lambda request: (401, "")])
    shop.sell(orders.tv())
    (away,) = eventually(lambda: degraded(shop), "degraded")
    assert away["what"] == "token_service" and "503" in away["lastError"]
    assert not status(shop).json["sells"], "the token is gone too"
    assert shop.gateway.metric("gateway_token_service_up") == 0
    provider.clear()
    eventually(lambda: status(shop).json["sells"] and not degraded(shop), "well again")


def test_a_base_url_whose_path_is_wrong_is_said(new_shop, provider):
    shop = new_shop(SHORT, provider=provider)
    provider.on("/venda/tv/solicitar", lambda request: (404, "<html>not here</html>"))
    shop.start()
    for _ in range(3):
        shop.sell(orders.tv()).of(402, "sale_refused")
    (away,) = degraded(shop)
    assert "provider.base_url" in away["lastError"]
    assert away["refused"] == 3, "those that led to the outage, too"
    assert "base_url" in shop.gateway.await_event("outage.begun")["detail"]
    assert "has carried none out" in status(shop).json["detail"]
    shop.till.get("/v1/options?family=tv&produto=TV").of(404, "not_found")
    told = status(shop).json
    assert not told["sells"] and not told["provider"]["reached"], "a 404 ends nothing that 404s began"
    assert degraded(shop) and not shop.gateway.events("outage.over")
    provider.clear()
    shop.sell(orders.tv()).of(200)
    assert not degraded(shop) and shop.gateway.await_event("outage.over")


def test_a_sale_that_is_open_outlives_a_base_url_whose_path_is_wrong(new_shop):
    shop = new_shop(SHORT).start()
    provider = shop.gateway.document["provider"]
    right = provider["base_url"]
    held = [shop.sell(orders.tv(confirm="manual")).of(200).json for _ in range(2)]
    shop.gateway.stop()
    provider["base_url"] = right + "/wrong"
    shop.gateway.write_config()
    shop.start()
    shop.sell(orders.tv()).of(402, "sale_refused")
    for sale in held:
        assert shop.till.cancel(sale["id"]).of(200).json["outcome"] == "not_sold", "no confirm was ever sent"
    said = shop.gateway.await_event("sale.step", sale=held[0]["id"], **{"step": "cancelar", "try": 3})
    assert said["httpStatus"] == 404 and "provider.base_url" in said["detail"]
    shop.gateway.await_event("sale.step", sale=held[0]["id"], **{"step": "cancelar", "try": 4})
    assert not any(shop.sale(sale["id"])["settled"] for sale in held), "nobody who knows it has answered"
    shop.gateway.stop()
    provider["base_url"] = right
    shop.gateway.write_config()
    shop.start()
    for sale in held:
        shop.settled(sale["id"])
        assert shop.in_books(sale) == "CANCELADA"


def test_a_restart_onto_a_wrong_path_is_said_before_anything_is_sold(new_shop):
    shop = new_shop(SHORT).start()
    provider = shop.gateway.document["provider"]
    right = provider["base_url"]
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gateway.stop()
    provider["base_url"] = right + "/wrong"
    shop.gateway.write_config()
    shop.start()
    shop.till.cancel(held["id"])
    (doubt,) = eventually(lambda: degraded(shop), "a reason for doubt")
    assert doubt["what"] == "provider_address" and "it answers 404" in doubt["lastError"]
    assert shop.gateway.admin.get("/v1/status").json["detail"] == f"Takes sales, though {doubt['lastError']}"
    told = status(shop, Accept_Language="pt-BR").json
    assert told["sells"] and told["detail"].startswith("Talvez seja possível vender: ")
    _, said, _ = commands.run(shop, "status")
    assert re.search(r"provider +reached since .*; no\s+answer since", said), said
    shop.gateway.stop()
    provider["base_url"] = right
    shop.gateway.write_config()
    shop.start()
    shop.settled(held["id"])
    assert not degraded(shop)


def test_what_was_not_asked_yet_is_neither_reached_nor_away(new_shop):
    shop = new_shop(SHORT).start()
    for listener in (shop.till, shop.gateway.admin):
        assert listener.get("/v1/status").of(200).json["provider"]["asked"] is False, "a connection asks nothing"
    shop.sell(orders.tv()).of(200)
    told = shop.gateway.admin.get("/v1/status").of(200).json
    assert told["provider"]["asked"] and told["tokenService"]["asked"]
    shop.gateway.stop()
    shop.start()
    told = shop.gateway.admin.get("/v1/status").of(200).json
    assert told["token"]["valid"] and not told["tokenService"]["asked"], "the token is that of the run before"
    assert not told["tokenService"]["reached"]
    _, said, _ = commands.run(shop, "status")
    assert re.search("provider +not asked yet", said) and re.search("token service +not asked yet", said), said


def test_one_sale_that_is_stuck_over_a_restart_is_told_and_is_no_outage(new_shop, provider):
    provider.on("/venda/tv/confirmar", lambda request: (500, ""))
    shop = new_shop(SHORT, provider=provider).start()
    shop.sell(orders.tv(), wait=1).of(202)
    eventually(lambda: provider.sent("/venda/tv/confirmar"), "a confirm")
    shop.gateway.kill()
    asked = len(provider.sent("/venda/tv/confirmar"))
    shop.gateway.start()
    eventually(lambda: len(provider.sent("/venda/tv/confirmar")) > asked, "a confirm after the restart")
    eventually(lambda: shop.gateway.admin.get("/v1/status").json["provider"]["asked"], "its answer")
    told = shop.gateway.admin.get("/v1/status").of(200).json
    assert told["sells"] and told["provider"]["reached"] and not told["degraded"]
    assert told["provider"]["lastFailure"]["detail"] == "it answers 500"
    assert shop.till.get("/v1/status").of(200).json["provider"]["reached"]
    _, said, _ = commands.run(shop, "status")
    assert re.search(r"provider +reached since .*; the last exchange\s+failed at", said), said


def test_a_provider_that_hangs_is_told_after_its_first_silence(new_shop, provider):
    shop = new_shop(SHORT, provider=provider).start()
    go_on = threading.Event()
    for step in ("solicitar", "cancelar"):
        provider.on(f"/venda/tv/{step}", after(go_on))
    shop.sell(orders.tv()).of(504, "sale_cancelled")
    (away,) = degraded(shop)
    assert away["lastError"] == "it does not answer in time"
    go_on.set()
    provider.clear()
    shop.sell(orders.tv()).of(200)
    assert not degraded(shop)


def test_the_status_needs_a_key(shop):
    Terminal(shop.gateway.terminal().address).get("/v1/status").of(401, "unauthorized")


def concern(shop, what):
    return next((one for one in degraded(shop) if one["what"] == what), None)


def test_a_clock_that_is_away_from_the_providers_is_told_and_so_is_its_end(new_shop, provider):
    provider.clock_ahead_s = 3600
    shop = new_shop(provider=provider).start()
    shop.sell(orders.tv()).of(200)
    wrong = eventually(lambda: concern(shop, "clock"), "the clock is told")
    assert re.search(r"clock is (1 h|59 min 5\d s) behind the provider's", wrong["lastError"]), wrong
    said = shop.gateway.admin.get("/v1/status").of(200).json
    assert said["sells"] and said["clock"]["trouble"] == wrong["lastError"] and wrong["lastError"] in said["detail"]
    assert abs(said["clock"]["aheadOfProviderSeconds"] + 3600) <= 1
    assert abs(shop.gateway.metric("gateway_clock_ahead_of_provider_seconds") + 3600) <= 1
    provider.clock_ahead_s = 0
    shop.sell(orders.tv()).of(200)
    shop.gateway.await_event("clock.right")
    assert not degraded(shop) and len(shop.gateway.events("clock.wrong")) == 1


def test_a_clock_behind_the_journals_newest_record_is_told_at_the_start(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    with contextlib.closing(sqlite3.connect(shop.folder / "journal.db")) as journal, journal:
        journal.execute("UPDATE sales SET updated_at = updated_at + 3 * 3600 * 1000")
    shop.gateway.start_ready()
    shop.gateway.await_event("clock.wrong")
    assert "the journal's newest record" in concern(shop, "clock")["lastError"]
    said = shop.gateway.admin.get("/v1/status").of(200).json
    assert said["sells"] and 10_000 < said["clock"]["behindJournalSeconds"] <= 3 * 3600
