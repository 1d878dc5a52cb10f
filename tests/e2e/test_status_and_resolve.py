"""Tests the operators' commands about what only a running gateway knows: whether it sells, what is being done about a
sale, and the end of one that needs a person."""
import json
import re

import pytest
from harness import orders
from harness.commands import Screen, address_of, run, said
from harness.day import OWN
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

CONFIG = {"sale.attention_after": "100ms", "sale.late_arrival": "50ms"}
BOOKS = False  # a person's decision may differ from the provider's books


def for_a_person(shop):
    sale = shop.sell_esim(orders.esim(2935, consumidor=OWN)).json
    return shop.until(sale["id"], "for a person", attention=True)


# --- status ---


def test_a_gateway_that_sells_says_so_first(new_shop):
    shop = new_shop(CONFIG).start()
    out = said(shop, "status")
    assert out.startswith("Takes sales.\n\n"), out
    told = dict(line.strip().split(maxsplit=1) for line in out.splitlines()[2:] if not line.startswith("   "))
    assert told["running"].startswith("since ") and "(-03:00)" in told["running"] and "version" in told["running"]
    assert told["provider"].startswith("not asked yet") and told["journal"] == "can be written"
    assert told["families"] == "tv, egift, transit, health, esim"
    assert "no sale needs a person" in told["attention"]
    answer = json.loads(said(shop, "status", "--json"))
    assert answer["sells"] is True and address_of(shop) in out
    shop.sell(orders.tv()).of(200)
    assert re.search(r"\n  provider +reached since ", said(shop, "status")), "since it was asked"


def test_sales_that_need_a_person_are_counted_by_their_mark(new_shop):
    shop = new_shop(CONFIG).start()
    for_a_person(shop)
    words = " ".join(said(shop, "status").split())
    assert "1 sale needs a person (1 no_callback): sales-gateway attention lists them" in words
    assert "1 not settled, the oldest since" in words


def test_a_gateway_that_cannot_sell_has_an_exit_code_of_its_own(new_shop):
    shop = new_shop(CONFIG)
    shop.sandbox.faults({"step": "token", "behaviour": "error"})
    shop.gateway.start()

    def told():
        return run(shop, "status") if run(shop, "status")[0] == 3 else None

    status, out, err = eventually(told, "it says that it takes no sales")
    assert err == "" and out.startswith("Takes no sales: ") and "token service" in out
    status, out, err = run(shop, "status", "--json")
    assert status == 3 and json.loads(out)["sells"] is False
    shop.sandbox.no_faults()
    eventually(lambda: run(shop, "status")[0] == 0, "it takes sales again")
    shop.gateway.stop()
    assert run_to_end([GATEWAY, "status", "--admin", address_of(shop)], shop.folder)[0] == 1


# --- show ---


def test_a_sale_is_shown_by_any_of_its_idExternos(new_shop):
    shop = new_shop(CONFIG).start()
    sale = shop.sell(orders.tv(4902)).of(504, "sale_cancelled").sale
    attempts = shop.settled(sale["id"])["attempts"]
    assert len(attempts) > 1
    for attempt in attempts:
        assert said(shop, "show", attempt["idExterno"]).startswith(f"{sale['id']}  not sold: CANCELADA\n")


def test_what_is_being_done_and_what_to_do_is_said(new_shop):
    shop = new_shop(CONFIG | {"sale.confirm_window": "1h", "limits.drain": "100ms"}).start()
    waiting = for_a_person(shop)
    out = said(shop, "show", waiting["id"])
    assert f"{waiting['id']}  pending: AUTORIZADA  needs a person: no_callback\n" in out
    assert "\nNeeds a person since " in out
    for title in ("  known  ", "  not known  ", "  to do  ", "  doing  "):
        assert title in out, title
    assert out.splitlines()[-1].endswith("; needs a person: no_callback")
    shop.sandbox.faults({"step": "confirmar", "behaviour": "error"})
    repeated = shop.sell(orders.tv(), wait=1).of(202).json

    def tried():
        told = said(shop, "show", repeated["id"])
        return told if "tries without a usable answer" in told else None

    out = eventually(tried, "it was tried again")
    assert "  last error    2" in out and "confirmar: " in out


def test_a_list_names_the_marks(new_shop):
    shop = new_shop(CONFIG).start()
    for_a_person(shop)
    assert said(shop, "sales").splitlines()[1].endswith("pending  no_callback")


# --- resolve ---


@pytest.mark.parametrize("decision, status", [("--sold", "EFETIVADA"), ("--not-sold", "CANCELADA")])
def test_a_sale_is_resolved_as_what_was_found_out(new_shop, decision, status):
    shop = new_shop(CONFIG).start()
    sale = for_a_person(shop)
    code, out, _ = run(shop, "resolve", sale["idExterno"], decision, "--note", "visto no portal", SUDO_USER="maria")
    assert code == 0
    assert out.startswith(f"{sale['id']} is ") and f": {status}; it needs nobody any more.\n" in out
    told = shop.until(sale["id"], "resolved", status=status, attention=False)
    assert told["reason"] is None or told["reason"]["code"] == "operator"
    assert f'maria decided {status}: "visto no portal"' in said(shop, "show", sale["id"])
    code, out, err = run(shop, "resolve", sale["id"], decision, "--note", "n")
    assert (code, out) == (1, "") and "never changes" in err or "needs attention" in err


def test_a_mark_of_a_final_sale_is_cleared_with_a_note(new_shop):
    shop = new_shop(CONFIG).start()
    sale = shop.sell(orders.esim(2939)).sale
    shop.until(sale["id"], "for a person", attention=True, settled=True)
    code, out, err = run(shop, "resolve", sale["id"], "--sold", "--note", "n")
    assert (code, out) == (1, "") and "--noted with what was done clears the mark" in err
    body = json.loads(said(shop, "resolve", sale["id"], "--noted", "--note", "recarga feita", "--by", "ana", "--json"))
    assert body["id"] == sale["id"] and body["attention"] is False
    assert 'ana noted: "recarga feita"; no longer marked' in said(shop, "show", sale["id"])


def test_a_sale_that_is_pending_is_not_only_noted(new_shop):
    shop = new_shop(CONFIG).start()
    sale = for_a_person(shop)
    code, out, err = run(shop, "resolve", sale["id"], "--noted", "--note", "n")
    assert (code, out) == (1, "") and "resolved with --sold or --not-sold" in err


def test_a_sale_that_needs_nobody_is_the_gateways(new_shop):
    shop = new_shop(CONFIG).start()
    sale = shop.sell(orders.tv(confirm="manual")).of(200).json
    code, out, err = run(shop, "resolve", sale["id"], "--sold", "--note", "n")
    assert (code, out) == (1, "") and "Only a sale that needs attention" in err and "sales-gateway show" in err


def test_a_person_who_says_yes_has_decided(new_shop):
    shop = new_shop(CONFIG).start()
    sale = for_a_person(shop)["id"]
    asked = Screen(shop, "resolve", sale, "--sold", "--note", "visto")
    asked.read_until("Resolve it as sold? [y/N] ").type("y\n")
    assert asked.end() == 0 and "is sold: EFETIVADA" in asked.text
    assert shop.sale(sale)["outcome"] == "sold"
    other = for_a_person(shop)["id"]
    unasked = Screen(shop, "resolve", other, "--not-sold", "--note", "visto", "--yes")
    assert unasked.end() == 0 and "[y/N]" not in unasked.text


@pytest.mark.parametrize("at_once", [True, False])
def test_an_esims_number_and_address_come_into_its_receipt(new_shop, at_once):
    shop = new_shop(CONFIG).start()
    sale = for_a_person(shop)["id"]
    address = "LPA:1$smdp.example$ABC-DEF"
    for_the_receipt = ["--msisdn", "5511987654321", "--url", address]
    if at_once:
        said(shop, "resolve", sale, "--sold", "--note", "visto", *for_the_receipt)
    else:
        assert "--msisdn and --url" in said(shop, "resolve", sale, "--sold", "--note", "visto")
        said(shop, "resolve", sale, "--noted", "--note", "o numero", *for_the_receipt)
    receipt = "".join(shop.sale(sale)["receipt"])
    assert "5511987654321" in receipt.replace(" ", "") and address in receipt


def test_where_the_store_is_can_be_asked(new_shop):
    admin = new_shop(CONFIG).start().gateway.admin
    assert admin.get("/v1/store").of(200).json["timezone"] == "America/Sao_Paulo"
    assert admin.get("/v1/store?zone=1").of(422, "invalid_request").pointers() == ["/zone"]
