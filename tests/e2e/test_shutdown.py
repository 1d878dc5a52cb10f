"""On SIGTERM the gateway takes no new sales, running ones reach a safe point, everybody is answered, and it exits with
0."""
import fcntl
import json
import os
import signal
import socket
import threading

import pytest
from harness import orders
from harness.client import Background, Terminal
from harness.fake_provider import after
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually


@pytest.fixture
def busy(new_shop, provider):
    """Makes a store with a sale whose request the provider answers when `go_on` is set."""
    shop = new_shop({"provider.request_timeout": "60s", "sale.confirm_window": "60s", "limits.drain": "60s"},
                    provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", after(go_on))
    yield shop, go_on
    go_on.set()


def ends_well(shop):
    assert shop.gateway.run.wait() == 0
    assert shop.gateway.run.errors() == ""
    assert shop.gateway.lines(shop.gateway.run)[-1]["event"] == "stopped"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_gateway_ends_with_0(new_shop, number):
    shop = new_shop().start()
    shop.gateway.run.signal(number)
    ends_well(shop)


def test_a_gateway_that_is_stopped_before_it_is_ready_ends_with_0(new_shop):
    shop = new_shop()
    shop.gate.shut()
    shop.gateway.start()
    shop.gateway.run.signal(signal.SIGTERM)
    ends_well(shop)


def test_a_running_sale_reaches_its_end_and_its_terminal_hears_of_it(busy):
    shop, go_on = busy
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    shop.sale_of_key(key)
    shop.gateway.run.signal(signal.SIGTERM)
    shop.gateway.await_event("stopping")
    go_on.set()
    assert selling.result().of(200).json["outcome"] == "sold"
    ends_well(shop)


def test_new_sales_are_refused_while_known_keys_are_answered(busy):
    shop, go_on = busy
    old_key, key = new_key(), new_key()
    sold = shop.sell(orders.transit(), old_key).of(200).json
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    shop.gateway.run.signal(signal.SIGTERM)
    shop.gateway.await_event("stopping")
    answer = shop.sell(orders.tv()).of(503, "shutting_down")
    assert answer.header("Retry-After") and "outcome" not in answer.json
    again = shop.sell(orders.transit(), old_key).of(200)
    assert again.json["id"] == sold["id"] and again.header("Idempotency-Replayed") == "true"
    assert shop.sale(sale["id"])["outcome"] == "pending"
    assert shop.gateway.admin.get("/readyz").status == 503
    shop.gateway.admin.get("/healthz").of(200)
    joined = shop.start_selling(orders.tv(), key)
    shop.till.cancel_key(old_key).of(409, "sale_final")
    go_on.set()
    assert selling.result().of(200).json["id"] == joined.result().of(200).json["id"] == sale["id"]
    ends_well(shop)
    assert len(shop.provider.sent("/venda/tv/solicitar")) == 1


def test_drain_running_out_answers_with_202_and_the_sale_goes_on_at_the_next_start(new_shop, provider):
    shop = new_shop({"provider.request_timeout": "60s", "sale.confirm_window": "2m", "limits.drain": "100ms"},
                    provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/confirmar", after(go_on))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    shop.until(sale["id"], "being confirmed", status="AUTORIZADA")
    waiting = Background(shop.till.sale, sale["id"], 60)
    confirming = Background(shop.till.confirm, sale["id"], 60)
    eventually(lambda: provider.sent("/venda/tv/confirmar"), "the confirm has left")
    shop.gateway.run.signal(signal.SIGTERM)
    answer = selling.result().of(202)
    assert (answer.json["id"], answer.json["outcome"]) == (sale["id"], "pending")
    assert answer.header("Location") and answer.header("Retry-After")
    assert waiting.result()["outcome"] == "pending"
    confirming.result().of(202)
    ends_well(shop)
    go_on.set()
    shop.start()
    replayed = shop.sell(orders.tv(), key).of(200)
    assert replayed.json["outcome"] == "sold" and replayed.header("Idempotency-Replayed") == "true"
    first, second = provider.sent("/venda/tv/confirmar")
    assert first.body == second.body


def test_held_sales_do_not_keep_it_from_stopping_and_are_held_afterwards(new_shop):
    shop = new_shop({"limits.drain": "60s"}).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    shop.gateway.stop()
    shop.start()
    assert shop.till.confirm(held["id"]).of(200).json["outcome"] == "sold"
    shop.check_books()


def test_an_esim_that_waits_for_its_callback_does_not_keep_it_from_stopping(new_shop):
    shop = new_shop({"limits.drain": "60s"}).start()
    shop.callback_gate.shut()
    sale = shop.sell(orders.esim()).of(202).json
    shop.gateway.stop()
    shop.start()
    shop.callback_gate.open()
    shop.settled(sale["id"])
    shop.check_books()


def test_a_second_signal_ends_it_at_once(busy):
    shop, go_on = busy
    key = new_key()
    shop.start_selling(orders.tv(), key)
    shop.sale_of_key(key)
    shop.gateway.run.signal(signal.SIGTERM)
    shop.gateway.await_event("stopping")
    shop.gateway.run.signal(signal.SIGTERM)
    assert shop.gateway.run.wait() == 0
    assert shop.gateway.run.errors() == ""
    go_on.set()
    shop.start()
    assert shop.settled(shop.sale_of_key(key)["id"])["status"] == "CANCELADA"


def test_anyone_who_waits_for_a_value_query_is_told_so(new_shop, provider):
    shop = new_shop({"provider.request_timeout": "60s", "sale.confirm_window": "60s", "limits.drain": "60s",
                     "proxy.allow": ["/any/*"]}, provider=provider).start()
    go_on = threading.Event()
    paths = {
        "/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1000000002": lambda: shop.sell(orders.transit()),
        "/venda/tv/consulta-dinamica/12345678/x": lambda: shop.till.get("/v1/options?family=tv&produto=x"),
        "/any/x": lambda: shop.till.get("/v1/provider/any/x"),
    }
    for path in paths:
        provider.on(path, after(go_on, (404, "{}")))
    calls = [Background(call) for call in paths.values()]
    eventually(lambda: all(provider.sent(path) for path in paths), "all are waiting")
    shop.gateway.run.signal(signal.SIGTERM)
    for call in calls:
        assert call.result().of(503, "shutting_down").header("Retry-After")
    ends_well(shop)
    go_on.set()


def test_idle_connections_do_not_keep_it_from_stopping(new_shop):
    shop = new_shop({"limits.drain": "60s"}).start()
    idle = [socket.create_connection(shop.gateway.ports[name]) for name in ("terminals", "callbacks", "admin")]
    half = socket.create_connection(shop.gateway.ports["terminals"])
    half.sendall(b"POST /v1/sell HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
    shop.gateway.stop()
    for connection in (*idle, half):
        connection.close()


def test_a_stop_in_the_middle_of_many_sales_loses_none(new_shop):
    shop = new_shop().start()
    sales = [(new_key(), orders.tv() if i % 2 else orders.egift()) for i in range(40)]
    selling = [Background(shop.sell, order, key) for key, order in sales]
    eventually(lambda: shop.sandbox.seen("confirmar", "tv") >= 2, "some are in the middle")
    shop.gateway.run.signal(signal.SIGTERM)
    answered = 0
    for (key, _), one in zip(sales, selling):
        try:
            answer = one.result()
        except OSError:  # it came when the listener was closed already
            continue
        answered += 1
        assert answer.status in (200, 202) or answer.code == "shutting_down", answer
    assert answered > 0
    ends_well(shop)
    shop.start()
    for key, order in sales:
        assert shop.sell(order, key).of(200).json["outcome"] == "sold"
        assert len(shop.till.get(f"/v1/sales?key={key}").of(200).json["sales"]) == 1
    shop.check_books()


def test_a_log_that_nobody_reads_any_more_does_not_keep_it_from_ending(new_shop, provider):
    gateway = new_shop(provider=provider).gateway
    log = gateway.folder / "log"
    os.mkfifo(log)
    reader = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    gateway.wrapper = ["sh", "-c", 'exec "$@" >"$0"', str(log)]
    run = gateway.launch()
    text = b""

    def begun():
        nonlocal text
        try:
            text += os.read(reader, 4096)
        except BlockingIOError:
            pass
        return b'"event":"started"' in text

    eventually(begun, "the gateway has started")
    at = next(line for line in map(json.loads, text.splitlines()) if line.get("listener") == "terminals")
    terminal = Terminal((at["address"], at["port"]), key_of("caixa-01"))
    for _ in range(20):
        terminal.sell(orders.tv(), new_key()).of(200)
    run.signal(signal.SIGTERM)
    assert run.wait() == 0
    os.close(reader)
