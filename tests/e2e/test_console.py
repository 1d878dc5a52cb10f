"""Tests the console's listener: who is let in, what a person may do there, what is told and what never is."""
import getpass
import json
import os
import re
import signal
import ssl
from datetime import datetime, timedelta

import pytest
from harness import commands, orders
from harness.certificates import make_certificate
from harness.client import Background, plain_request
from harness.console import PASSWORD, Browser, operator
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

ANA = operator("Ana", "settle")
RUI = operator("Rui", "look")
CONFIG = {"listen.console": "127.0.0.1:0", "listen.console_names": ["console.store"], "operators": [ANA, RUI],
          "console.help": "Zé, 11 5555-0100", "provider.open_sales_end": "48h"}
COLUMNS = {"idExterno": 2, "idTransacao": 3, "nsu": 4, "estabelecimento": 5, "valor": 6, "status": 7, "dataHora": 8}
STATEMENTS = {"statement.covers": "this", "statement.detail.column": 1, "statement.detail.text": "1"} | {
    f"statement.columns.{name}": column for name, column in COLUMNS.items()}
CONFIG |= STATEMENTS
LOOKS = {"name": "Mercadinho da Praça", "cnpj": "12.ABC.345/01DE-35", "colour": "#1a5fb4"}
CONFIG |= {"store.name": LOOKS["name"], "store.cnpj": "12abc34501de35", "console.colour": LOOKS["colour"],
           "provider.phone": "0800 123 4567"}


@pytest.fixture
def ana(shop):
    return Browser(shop).sign_in("Ana")


@pytest.fixture
def rui(shop):
    return Browser(shop).sign_in("Rui")


def link(shop):
    told = commands.said(shop, "console", "--json")
    return json.loads(told)["secret"]


def restart(shop, ending):
    """Ends the gateway, in order or by a kill, and starts it again."""
    getattr(shop.gateway, ending)()
    shop.start()


def browser_of(shop, secret):
    """Returns a browser that shows the secret of an earlier session: the cookie's name has the console's port."""
    browser = Browser(shop)
    browser.cookie = f"sales-gateway-console-{browser.address[1]}={secret}"
    return browser


# --- who comes in ---


def test_it_is_off_unless_it_is_configured(new_shop):
    shop = new_shop().start()
    assert "console" not in shop.gateway.ports
    status, out, err = commands.run(shop, "console")
    assert (status, out) == (1, "") and "listen.console" in err


def test_files_are_everybodys_and_nothing_else_is(shop):
    stranger = Browser(shop)
    page = stranger.get("/").of(200)
    assert page.header("Content-Type") == "text/html; charset=utf-8"
    for path in re.findall(rb'(?:src|href)="(/[^"]+)"', page.body):
        stranger.get(path.decode()).of(200)
    for path in ("/v1/status", "/v1/sales", "/v1/totals", "/console/events", "/metrics", "/healthz", "/no-such-file"):
        stranger.get(path).of(401, "unauthorized")
    for path in ("/v1/closes", "/v1/statements", "/v1/sell", "/v1/sales/x/resolve"):
        stranger.post(path, {}).of(401, "unauthorized")


def test_a_file_that_the_browser_has_is_not_sent_again(shop):
    stranger = Browser(shop)
    first = stranger.get("/app.js").of(200)
    again = stranger.get("/app.js", If_None_Match=first.header("ETag"))
    assert (again.status, again.body, again.header("Cache-Control")) == (304, b"", "no-cache")


def test_everybody_is_told_whose_console_it_is(shop):
    assert Browser(shop).get("/console/looks").of(200).json == LOOKS
    assert Browser(shop).sign_in("Ana").get("/console/session").of(200).json["providerPhone"] == "0800 123 4567"


def test_the_store_names_itself_at_the_head_of_a_close(new_shop):
    shop = new_shop(CONFIG).start()
    status, out, err = commands.run(shop, "close")
    assert status == 0 and out.startswith(f"{LOOKS['name']}   CNPJ {LOOKS['cnpj']}\n"), out + err
    ana = Browser(shop).sign_in("Ana")
    closed = ana.get("/v1/closes").of(200).json
    assert closed["letterhead"] == {"name": LOOKS["name"], "cnpj": LOOKS["cnpj"]}
    close = closed["closes"][0]
    paper = ana.get(f"/v1/closes/{close['estabelecimento']}/{close['name']}/receipt")
    assert paper.body.decode().startswith(f"{LOOKS['name']}\nCNPJ {LOOKS['cnpj']}\n")


def test_an_operator_signs_in_with_a_password_and_out(shop):
    browser = Browser(shop).sign_in("Ana")
    told = browser.get("/console/session").of(200).json
    assert (told["name"], told["role"], told["help"], told["openSalesEnd"]) == ("Ana", "settle", "Zé, 11 5555-0100",
                                                                                172800)
    shop.gateway.await_event("console.signed_in", by="Ana", role="settle")
    out = browser.request("DELETE", "/console/session")
    assert out.status == 204 and "Max-Age=0" in out.header("Set-Cookie")
    browser.get("/v1/status").of(401, "unauthorized")
    shop.gateway.await_event("console.signed_out", by="Ana")


def test_a_link_lets_in_once(shop):
    secret = link(shop)
    told = Browser(shop).follow(secret).get("/console/session").of(200).json
    assert (told["name"], told["role"]) == (os.environ.get("SUDO_USER") or getpass.getuser(), "settle")
    Browser(shop).post("/console/session", {"link": secret}).of(401, "unauthorized")
    assert shop.gateway.admin.post("/v1/console/links", {"by": ""}).of(422, "invalid_request").pointers() == ["/by"]
    assert not any(secret in json.dumps(line) for line in shop.gateway.lines())


def test_the_command_prints_an_address_that_a_browser_opens(shop):
    status, out, err = commands.run(shop, "console")
    assert status == 0 and "five minutes" in err
    address, secret = out.strip().split("#link=")
    assert address == "http://127.0.0.1:%d/" % shop.gateway.ports["console"][1]
    Browser(shop).follow(secret)


def test_wrong_names_and_passwords_are_answered_alike(new_shop):
    shop = new_shop(CONFIG).start()
    browser = Browser(shop)
    answers = [browser.post("/console/session", {"name": name, "password": password}).of(401, "unauthorized").json
               for name, password in (("Ana", "another one"), ("Nobody", PASSWORD))]
    assert answers[0]["detail"] == answers[1]["detail"]
    refused = shop.gateway.events("console.refused")
    assert refused and not any("another one" in json.dumps(line) for line in shop.gateway.lines())


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(shop):
    answer = Browser(shop).post("/console/session", {"name": "Ana", "password": PASSWORD}).of(200)
    assert re.fullmatch(r"sales-gateway-console-\d+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict",
                        answer.header("Set-Cookie"))


def test_a_cookie_from_elsewhere_is_never_taken_over(shop):
    """Tests against session fixation: whatever a browser shows when it signs in, it gets another cookie."""
    browser = Browser(shop)
    browser.cookie = f"sales-gateway-console-{browser.address[1]}=" + "ab" * 32
    planted = browser.cookie
    browser.sign_in("Ana")
    assert browser.cookie != planted
    browser.cookie = planted
    browser.get("/v1/status").of(401, "unauthorized")


def test_two_cookies_of_the_name_are_none(ana):
    ana.get("/v1/status", Cookie=f"{ana.cookie}; {ana.cookie}").of(401, "unauthorized")
    ana.get("/v1/status", Cookie=f"other=1; {ana.cookie}").of(200)


def test_guessing_is_slowed_down_and_turned_away(new_shop):
    shop = new_shop(CONFIG).start()
    wrong = {"name": "Ana", "password": "not this one either"}

    def guess():
        calls = [Background(Browser(shop).post, "/console/session", wrong) for _ in range(16)]
        return [call.result() for call in calls]

    answers = guess()
    while not shop.gateway.events("console.guessing"):
        answers = guess()
    assert {answer.status for answer in answers} == {401, 429}
    assert all(answer.header("Retry-After") for answer in answers if answer.status == 429)


def test_under_tls_the_cookie_is_secure_and_has_a_name_of_its_own(new_shop, tmp_path):
    cert, key = make_certificate(tmp_path, "console")
    shop = new_shop(CONFIG | {"listen.tls.cert": str(cert), "listen.tls.key": str(key)}).start()
    context = ssl.create_default_context(cafile=str(cert))
    browser = Browser(shop, context)
    answer = browser.post("/console/session", {"name": "Ana", "password": PASSWORD}).of(200)
    assert re.fullmatch(r"__Host-sales-gateway-console-\d+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Secure",
                        answer.header("Set-Cookie"))
    assert commands.said(shop, "console", "--json").startswith('{"url":"https://127.0.0.1:')


def test_beyond_this_machine_it_needs_tls(tmp_path, new_shop):
    shop = new_shop(CONFIG | {"listen.console": "0.0.0.0:0"})
    status, out, _ = run_to_end([GATEWAY, "check-config", "--config", str(shop.gateway.config)], tmp_path)
    assert status == 2 and "listen.console" in out and "listen.tls" in out


def test_an_operator_who_is_taken_out_is_signed_out(new_shop):
    shop = new_shop(CONFIG).start()
    ana, rui = Browser(shop).sign_in("Ana"), Browser(shop).sign_in("Rui")
    by_link = Browser(shop).follow(link(shop))
    shop.gateway.document["operators"] = [RUI]
    shop.gateway.write_config()
    shop.gateway.run.signal(signal.SIGHUP)
    shop.gateway.await_event("reload.done")
    ana.get("/v1/status").of(401, "unauthorized")
    rui.get("/v1/status").of(200)
    by_link.get("/v1/status").of(200)


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_a_restart_signs_nobody_out(new_shop, ending):
    shop = new_shop(CONFIG).start()
    ana, by_link = Browser(shop).sign_in("Ana"), Browser(shop).follow(link(shop))
    before = [browser.get("/console/session").of(200).json for browser in (ana, by_link)]
    secrets = [browser.cookie.split("=")[1] for browser in (ana, by_link)]
    restart(shop, ending)
    after = [browser_of(shop, secret).get("/console/session").of(200).json for secret in secrets]
    # The end is counted on the steady clock while a gateway runs, so that its last digit may be another one.
    ends = [[datetime.fromisoformat(one.pop("endsAt")) for one in facts] for facts in (before, after)]
    assert after == before
    assert all(abs(one - same) < timedelta(seconds=1) for one, same in zip(*ends))
    browser_of(shop, secrets[0]).get("/v1/status").of(200)
    files = b"".join(path.read_bytes() for path in shop.folder.glob("journal.db*"))
    assert not any(secret.encode() in files for secret in secrets)


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_who_has_signed_out_is_out_after_a_restart(new_shop, ending):
    shop = new_shop(CONFIG).start()
    ana = Browser(shop).sign_in("Ana")
    stolen = ana.cookie.split("=")[1]
    ana.request("DELETE", "/console/session").of(204)
    restart(shop, ending)
    browser_of(shop, stolen).get("/v1/status").of(401, "unauthorized")


def test_who_was_taken_out_while_it_was_stopped_is_signed_out(new_shop):
    shop = new_shop(CONFIG).start()
    ana, rui = (Browser(shop).sign_in(name).cookie.split("=")[1] for name in ("Ana", "Rui"))
    shop.gateway.document["operators"] = [operator("Ana", "settle", "another password"), RUI]
    shop.gateway.write_config()
    restart(shop, "stop")
    browser_of(shop, ana).get("/v1/status").of(401, "unauthorized")
    browser_of(shop, rui).get("/v1/status").of(200)


def test_a_link_is_asked_for_at_the_admin_listener_and_by_no_page(new_shop, shop):
    shop.gateway.admin.post("/v1/console/links").of(201)
    shop.gateway.admin.post("/v1/console/links", Origin="http://evil.example").of(403, "forbidden")
    other = new_shop().start()
    other.gateway.admin.post("/v1/console/links").of(404, "not_configured")


# --- other pages, other names ---


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_another_page_can_write_nothing(shop, ana, origin):
    before = shop.gateway.admin.get("/v1/closes").of(200).json
    for method, path in (("POST", "/v1/closes"), ("DELETE", "/console/session"), ("POST", "/console/session"),
                         ("POST", "/v1/statements"), ("POST", "/v1/sales/x/resolve")):
        ana.request(method, path, {"day": "2026-11-20"}, {"Origin": origin}).of(403, "forbidden")
    ana.get("/console/session").of(200)
    assert shop.gateway.admin.get("/v1/closes").of(200).json == before


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "console.store.evil.example", ""])
def test_a_name_that_was_led_here_is_answered_421(shop, ana, host):
    """Tests against DNS rebinding: the page's own name is in Host."""
    for path in ("/", "/app.js", "/v1/status", "/console/session"):
        ana.get(path, Host=host).of(421, "misdirected_request")
    ana.post("/console/session", {"name": "Ana", "password": PASSWORD}, Host=host).of(421, "misdirected_request")


def test_the_names_that_were_given_are_answered(shop):
    port = shop.gateway.ports["console"][1]
    answer = plain_request(shop.gateway.ports["console"], "POST", "/console/session",
                           {"name": "Ana", "password": PASSWORD},
                           {"Host": f"console.store:{port}", "Origin": f"http://console.store:{port}"})
    assert answer.status == 200


def test_every_answer_keeps_the_browser_from_doing_more(shop, ana):
    for path in ("/", "/app.js", "/v1/status", "/v1/no-such-call", "/console/session"):
        headers = ana.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy and "unsafe" not in policy and "http" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in headers


# --- what a person may do ---


def test_who_may_look_settles_nothing(shop, rui):
    sale = shop.sell(orders.tv()).of(200).json
    for path, body in (("/v1/closes", {"day": "2026-11-20"}), ("/v1/statements", "x"),
                       (f"/v1/sales/{sale['id']}/resolve", {"note": "n"}), ("/v1/findings/1/resolve", {"note": "n"}),
                       (f"/v1/sales/{sale['id']}/receipt-view", None)):
        rui.post(path, body).of(403, "forbidden")
    rui.get(f"/v1/sales/{sale['id']}").of(200)


def test_what_is_settled_names_the_person(shop, ana):
    day = ana.get("/console/session").of(200).json["store"]["today"]
    made = ana.post("/v1/closes", {"day": day, "by": "another name"}).of(201).json
    assert {close["by"] for close in made["closes"]} == {"Ana"}


GOODS = ("instrucao", "complemento", "receipt", "esim", "cnpjCpf", "callbacks")


def members(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner)


def test_neither_goods_nor_customers_are_told(shop, ana):
    sold = [shop.sell(order).of(200).json for order in (orders.tv(), orders.egift())]
    refused = shop.sell(orders.tv(4901)).sale
    facts = json.dumps([{name: value for name, value in sale.items() if name not in GOODS} for sale in sold])
    told = json.dumps([[sale[name] for name in GOODS if name in sale] for sale in sold])
    goods = {word for word in re.findall(r"[A-Z0-9-]{8,}", told) if word not in facts}
    assert goods
    paths = ["/v1/sales", "/v1/attention", "/v1/terminals", "/v1/status", "/v1/health", "/v1/latency"]
    for sale in sold + [refused]:
        paths += [f"/v1/sales/{sale['id']}", f"/v1/sales/{sale['id']}/events", f"/v1/sales/{sale['idExterno']}"]
    for path in paths:
        answer = ana.get(path).of(200)
        if path.startswith("/v1/sales"):
            assert not set(members(answer.json)) & set(GOODS), path
        text = answer.body.decode()
        assert orders.CPF not in text and orders.CPF.replace(".", "").replace("-", "") not in text
        assert not [word for word in goods if word in text], path
    delivered = {sale["id"]: sale["delivered"] for sale in ana.get("/v1/sales").of(200).json["sales"]}
    assert delivered[sold[0]["id"]] is True and delivered[refused["id"]] is False
    # A problem about a sale that cannot be settled has the sale, but no goods either.
    problem = ana.post(f"/v1/sales/{sold[0]['id']}/resolve", {"note": "n"})
    assert problem.status == 409 and "sale" not in problem.json


def test_a_stranger_has_no_room_for_a_statement(shop, ana):
    statement = b"x" * 1_000_000
    problem = Browser(shop).request("POST", "/v1/statements?day=2026-11-20", statement,
                                    {"Origin": ana.origin, "Content-Type": "text/plain"})
    assert problem.status in (401, 413)
    sent = ana.request("POST", "/v1/statements?day=2026-11-20", statement, {"Content-Type": "text/plain"})
    assert sent.status == 422, "it is read, and is no statement"


def test_a_receipt_is_shown_on_asking_and_that_is_written_down(shop, ana):
    sale = shop.sell(orders.tv()).of(200).json
    lines = ana.post(f"/v1/sales/{sale['id']}/receipt-view").of(200).json["lines"]
    assert lines == ["2ª VIA", *sale["receipt"]]
    entries = ana.get(f"/v1/sales/{sale['id']}/events").of(200).json["events"]
    assert [entry["by"] for entry in entries if entry["event"] == "receipt_shown"] == ["Ana"]
    shop.gateway.await_event("sale.receipt_shown", sale=sale["id"], by="Ana")
    # The person's look was no copy: the printer's first receipt is still the first.
    assert not shop.till.get(f"/v1/sales/{sale['id']}/receipt").of(200).body.startswith("2ª VIA".encode())
    refused = shop.sell(orders.tv(4901)).sale
    problem = ana.post(f"/v1/sales/{refused['id']}/receipt-view")
    assert problem.status == 404 and "sale" not in problem.json
    # The line of a refused call names the person, and no terminal.
    line = shop.gateway.await_event("http.request", httpStatus=404, by="Ana")
    assert "terminal" not in line


def test_sales_are_found_by_what_people_know_of_them(shop, ana):
    sale = shop.sell(orders.tv(valor=7700, cashier="Lia")).of(200).json
    nsu = sale["instrucao"]["recargaTV"]["nsuFornecedor"]
    for query in (f"nsu={nsu}", f"idTransacao={sale['idTransacao']}", "valor=7700", "cashier=Lia",
                  f"idExterno={sale['idExterno']}", "family=tv&terminal=caixa-01"):
        found = ana.get(f"/v1/sales?{query}").of(200).json["sales"]
        assert sale["id"] in [one["id"] for one in found], query
    assert ana.get("/v1/sales?cashier=Nobody").of(200).json["sales"] == []
    wrong = ana.get("/v1/sales?valor=0&family=x&colour=red").of(422, "invalid_request")
    assert wrong.pointers() == ["/colour", "/family", "/valor"]
    # A terminal's list accepts none of these filters.
    assert shop.till.get("/v1/sales?valor=7700").of(422, "invalid_request").pointers() == ["/valor"]


# --- what changes ---


def opened(browser, last_event=None):
    """Opens a stream as soon as there is room for it: the gateway learns within a second that another one was
    closed."""

    def one():
        stream = browser.stream(last_event)
        return stream if stream.answer.status == 200 else stream.close()

    return eventually(one, "there is room for a stream")


def test_a_sale_is_told_of_to_the_pages(shop, ana):
    stream = opened(ana)
    assert stream.next() == []
    shop.sell(orders.tv()).of(200)
    stream.until("sales")
    stream.close()


def test_after_a_gap_a_page_is_told_what_it_missed(shop, ana):
    stream = opened(ana)
    assert stream.next() == []
    stream.close()
    shop.sell(orders.tv()).of(200)

    again = opened(ana, stream.id)
    while "sales" not in again.next():
        pass
    again.close()
    unknown = opened(ana, "01M84BNTRC8EY979W129Y0B91H-3")
    assert unknown.next() == ["sales", "attention", "closes", "findings", "health"]
    unknown.close()


def test_a_ninth_stream_is_refused_and_one_that_ends_makes_room(shop, ana):
    streams = [opened(ana) for _ in range(8)]
    ana.get("/console/events").of(503, "overloaded")
    streams.pop().close()
    for stream in [*streams, opened(ana)]:
        stream.close()


def test_a_stream_ends_with_its_session_and_with_the_gateway(new_shop):
    shop = new_shop(CONFIG).start()
    ana, rui = Browser(shop).sign_in("Ana"), Browser(shop).sign_in("Rui")
    hers, his = ana.stream(), rui.stream()
    assert hers.next() == his.next() == []
    ana.request("DELETE", "/console/session")
    assert hers.next() is None
    shop.gateway.stop()
    while his.next() is not None:
        pass


# --- what the pages show, as the admin listener tells it too ---


def test_the_admin_listener_tells_the_same(shop, ana):
    shop.sell(orders.tv()).of(200)
    for path in ("/v1/attention", "/v1/latency", "/v1/statements"):
        assert shop.gateway.admin.get(path).of(200).json == ana.get(path).of(200).json
    for path in ("/v1/terminals", "/v1/health"):
        shop.gateway.admin.get(path).of(200)
    shop.gateway.admin.get("/v1/statements?limit=0").of(422, "invalid_request")


def test_terminals_are_told_with_what_they_did(shop, ana):
    key = new_key()
    sale = shop.sell(orders.tv(), key, User_Agent="pdv/4.2").of(200).json
    shop.till.get("/v1/sales?colour=red").of(422, "invalid_request")
    shop.till.get("/v1/status", Authorization="Bearer nobody-s").of(401, "unauthorized")
    told = ana.get("/v1/terminals").of(200).json
    till = next(one for one in told["terminals"] if one["id"] == "caixa-01")
    assert till["lastSale"]["id"] == sale["id"] and till["address"] == "127.0.0.1"
    assert till["refused"] >= 1 and till["lastRefusedWith"] == 422
    assert told["unknownKeys"]["count"] >= 1
    silent = next(one for one in told["terminals"] if one["id"] == "loja-b-01")
    assert silent["lastSeenAt"] is None and silent["lastSale"] is None


def test_a_terminals_last_sale_is_known_after_a_restart(new_shop):
    shop = new_shop(CONFIG).start()
    sale = shop.sell(orders.tv()).of(200).json
    shop.gateway.stop()
    shop.gateway.start_ready()
    told = shop.gateway.admin.get("/v1/terminals").of(200).json["terminals"]
    assert next(one for one in told if one["id"] == "caixa-01")["lastSale"]["id"] == sale["id"]


def test_the_provider_s_time_is_told_by_the_minute(shop, ana):
    shop.sell(orders.tv()).of(200)
    minutes = ana.get("/v1/latency").of(200).json["minutes"]
    assert sum(minute["count"] for minute in minutes) >= 2
    assert all(minute["p50Ms"] <= minute["p95Ms"] for minute in minutes)


def test_health_tells_of_the_box(shop, ana):
    before = ana.get("/v1/health").of(200).json
    assert before["backup"]["lastAt"] is None and before["disk"]["freeBytes"] > 0 and before["journal"]["bytes"] > 0
    assert before["configuration"]["warnings"] == []
    status, _, err = run_to_end([GATEWAY, "backup", "--config", str(shop.gateway.config), str(shop.folder / "copy.db")],
                                shop.folder)
    assert (status, err) == (0, "")
    assert ana.get("/v1/health").of(200).json["backup"]["lastAt"] is not None


def test_totals_tell_the_hours(shop, ana):
    shop.sell(orders.tv()).of(200)
    groups = ana.get("/v1/totals?by=hour").of(200).json["groups"]
    assert groups and all(re.fullmatch("[0-2][0-9]", group["hour"]) for group in groups)


def test_statements_are_listed(shop, ana):
    today = ana.get("/console/session").of(200).json["store"]["today"]
    read = ana.request("POST", "/v1/statements", shop.sandbox.statement(("day", today)), {"Content-Type": "text/plain"}).of(201).json
    assert read["statement"]["by"] == "Ana"
    told = ana.get("/v1/statements?limit=1").of(200).json
    assert told["statements"] == [read["statement"]]
    assert ana.get(f"/v1/statements?cursor={told['next']}").of(200).json == {"statements": [], "next": None}
    ana.get("/v1/statements?limit=0&cursor=x").of(422, "invalid_request")
