"""Tests the documents at /openapi.json: what they are, and that the check of every exchange against them can fail."""
import json
import re
import sqlite3
import threading

import jsonschema
import pytest
from harness import ROOT, contract, orders
from harness.client import Answer, Background
from harness.fake_provider import CUT, after, authorised
from harness.orders import new_key
from harness.waiting import eventually

EVERY = contract.NAMES


@pytest.mark.parametrize("name", EVERY)
def test_a_listener_serves_its_document(shop, name):
    caller = {"terminals": shop.till, "admin": shop.gateway.admin}[name]
    answer = caller.get("/openapi.json").of(200)
    assert answer.header("Content-Type") == "application/json"
    assert answer.body.decode() + "\n" == contract.DOCUMENTS[name].text


def nodes(value, pointer=""):
    yield pointer, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from nodes(inner, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")


@pytest.mark.parametrize("name", EVERY)
def test_every_schema_is_json_schema_and_every_reference_leads_somewhere(name):
    document = contract.DOCUMENTS[name]
    used = set()
    for pointer, node in nodes(document.content):
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            document.resolved(node)
            used.add(node["$ref"])
        if pointer.endswith("/schema") or re.fullmatch("/components/schemas/[^/]+", pointer):
            jsonschema.Draft202012Validator.check_schema(node)
    for kind, components in document.content["components"].items():
        for component in components:
            told = f"#/components/{kind}/{component}"
            # No operation names these, so that only the text of the document can.
            free = kind == "securitySchemes" or component in {"NotFound", "MethodNotAllowed"}
            mapped = json.dumps(document.content).count(f'"{told}"') > 0
            assert told in used or mapped or free, f"{told} is used by nothing"


@pytest.mark.parametrize("name", EVERY)
def test_every_example_is_valid(name):
    document = contract.DOCUMENTS[name]
    count = 0
    for pointer, node in nodes(document.content):
        if not isinstance(node, dict) or "schema" not in node or "/properties/" in pointer:
            continue
        examples = [document.resolved(one)["value"] for one in node.get("examples", {}).values()]
        examples += [node["example"]] if "example" in node else []
        for example in examples:
            faults = document.faults(node["schema"], example, f"example of {pointer}")
            assert not faults, faults
            count += 1
    assert count > 10


# The program writes the code of a problem in these forms; it is the last of the groups.
CODES = [
    r'\brefuse\(\s*[\w*]+,\s*[\w:]+,\s*"(\w+)"',
    r'\babout\([^;"]*"(\w+)"',
    r'\{status::\w+,\s*"(\w+)"',
    r'\bcode\s*=\s*(?:std::string\()?"(\w+)"',
    r'\bprovider_unreachable = "(\w+)"',
]
SOURCES = ROOT / "gateway"
# These belong to calls that only the console's own pages make, which have words for them.
OF_THE_CONSOLE = {"not_written_down"}


def codes_in(*places):
    files = [file for place in places for file in sorted(SOURCES.glob(place))]
    assert files, places
    return {code for file in files for form in CODES for code in re.findall(form, file.read_text())}


def words_of(enumeration):
    """Returns the names of an enumeration's values in JSON, from its table of words or its switch."""
    forms = rf'(?:case |Word\{{){enumeration}::\w+(?::\s*return |, )"([a-zA-Z_]+)"'
    return {word for file in SOURCES.glob("*/*.cpp") if file.parent.name in ("sale", "reconcile", "journal", "books")
            for word in re.findall(forms, file.read_text())}


def enum_at(name, pointer):
    node = contract.DOCUMENTS[name].content["components"]["schemas"]
    for step in pointer.split("/"):
        node = node[step]
    return set(node["enum"]) - {None}


def test_every_code_that_the_program_sends_is_described():
    sent = codes_in("api/*.cpp", "api/*.hpp", "books/*.cpp", "books/*.hpp", "http/server/*.cpp", "http/server/*.hpp")
    sent |= words_of("FindingKind") & {"wrong_day", "wrong_network", "count_differs", "total_differs", "unreadable_line"}
    described = {name: enum_at(name, "Problem/properties/code") for name in EVERY}
    everywhere = set.union(*described.values())
    assert sorted(sent - everywhere) == sorted(OF_THE_CONSOLE), "sent, and in no document"
    assert sorted(everywhere - sent) == [], "described, and found nowhere in the source: nobody sends it, or CODES lacks a form"
    of_the_books = codes_in("api/statements.*", "api/findings.*", "api/closes.*", "api/books_*", "api/admin.cpp",
                            "api/resolution.*", "books/*")
    assert not of_the_books - described["admin"]
    of_the_tills = codes_in("api/sell.cpp", "api/terminal_calls.cpp", "api/options.cpp",
                            "api/proxy.cpp", "api/authenticator.cpp", "api/receipt_request.cpp")
    assert not of_the_tills - described["terminals"]


@pytest.mark.parametrize("name", EVERY)
def test_a_code_that_an_answer_may_have_is_one_of_all(name):
    document = contract.DOCUMENTS[name]
    every = enum_at(name, "Problem/properties/code")
    for pointer, node in nodes(document.content):
        if pointer.endswith("/properties/code") and isinstance(node, dict) and "/Reason/" not in pointer:
            assert set(node.get("enum", [node.get("const")])) <= every, pointer


@pytest.mark.parametrize(
    "enumeration, pointer, unsaid",
    [
        ("FindingKind", "FindingKind", set()),
        ("FindingSeverity", "Finding/properties/severity", {"none"}),
        ("FindingAsks", "Finding/properties/asks", set()),
        ("FindingEnd", "FindingEnd/properties/as", set()),
        ("StatedEffect", "Finding/properties/effect", set()),
        ("AmountUnit", "Statement/properties/headerMoney", set()),
        ("ReasonCode", "Reason/properties/code", set()),
        ("Attention", "Mark", {"none"}),
        ("AttemptState", "AttemptState", set()),
        ("Status", "Status", set()),
        ("Outcome", "Outcome", set()),
        ("Step", "Step", set()),
    ],
)
def test_the_words_of_an_enumeration_are_those_of_the_documents(enumeration, pointer, unsaid):
    words = words_of(enumeration)
    assert words and enum_at("admin", pointer) == words - unsaid
    terminals = contract.DOCUMENTS["terminals"].content["components"]["schemas"]
    if pointer.split("/")[0] in terminals:
        assert enum_at("terminals", pointer) == words - unsaid


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_the_console_has_words_for_every_refusal_of_a_statement_and_for_every_kind_of_finding(language):
    words = json.loads((SOURCES / f"words/{language}.json").read_text())
    refusals = codes_in("api/statements.cpp", "books/*") | OF_THE_CONSOLE | {
        "wrong_day", "wrong_network", "count_differs", "total_differs", "unreadable_line", "close_unreadable"}
    assert not [code for code in refusals - {"unsupported_media_type"} if f"problem.{code}" not in words]
    quiet = {"matched", "counted_only"}
    of_files = {"wrong_day", "wrong_network", "already_imported", "unreadable_line"}
    kinds = words_of("FindingKind") - quiet - of_files
    assert not [kind for kind in kinds if f"finding_do.{kind}" not in words]


@pytest.mark.parametrize("name", EVERY)
def test_operations_have_names_of_their_own_and_describe_what_is_in_their_path(name):
    document = contract.DOCUMENTS[name]
    names = []
    for template, methods in document.content["paths"].items():
        for operation in methods.values():
            names.append(operation["operationId"])
            parameters = [document.resolved(parameter) for parameter in operation["parameters"]]
            in_path = {parameter["name"] for parameter in parameters if parameter["in"] == "path"}
            assert in_path == set(re.findall(r"\{(\w+)\}", template)), template
    assert len(names) == len(set(names))


# --- the check itself ---


def exchange(shop):
    key = new_key()
    headers = {"Authorization": f"Bearer {shop.till.key}", "Idempotency-Key": key, "Content-Type": "application/json"}
    answer = shop.till.sell(orders.tv(), key).of(200)
    return ["terminals", "POST", "/v1/sell", headers, json.dumps(orders.tv()).encode(), answer]


def changed(answer, status=None, remove=None, **fields):
    headers = {name: value for name, value in answer.headers.items() if name != remove}
    return Answer(status or answer.status, headers, json.dumps(answer.json | fields).encode())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda answer: changed(answer, status=201),
        lambda answer: changed(answer, remove="X-Request-Id"),
        lambda answer: changed(answer, extra=1),
        lambda answer: changed(answer, valor="1099"),
        lambda answer: changed(answer, outcome="held"),
        lambda answer: changed(answer, receipt=["x" * 41]),
        lambda answer: changed(answer, receipt=["Abra https://a.example/" + "x" * 41]),
        lambda answer: changed(answer, status=202),
    ],
)
def test_an_answer_that_the_document_does_not_have_is_found_out(shop, spoil):
    *asked, answer = exchange(shop)
    contract.check(*asked, answer)
    with pytest.raises(AssertionError):
        contract.check(*asked, spoil(answer))


@pytest.mark.parametrize(
    "field, value",
    [
        (3, {"Authorization": "Bearer x", "Content-Type": "application/json"}),
        (3, {"Idempotency-Key": "k", "Content-Type": "application/json"}),
        (3, {"Authorization": "Bearer x", "Idempotency-Key": "k", "Content-Type": "text/plain"}),
        (4, json.dumps(orders.tv(more=1)).encode()),
        (4, json.dumps(orders.tv(valor=0)).encode()),
        (4, json.dumps(orders.without(orders.egift(), "chaveProduto")).encode()),
        (4, b'{"family":"tv","family":"tv","produto":"P","id_valor":"1;2"}'),
        (4, b"{"),
    ],
)
def test_a_request_that_the_document_forbids_and_the_gateway_took_is_found_out(shop, field, value):
    asked = exchange(shop)
    asked[field] = value
    with pytest.raises(AssertionError, match="forbids"):
        contract.check(*asked)


# --- answers that the rest of the suite has no reason to ask for ---

NOBODYS = "01JD3W4Q8Y7RZK5T9V2XB6M0NA"


def test_the_document_needs_no_key(shop):
    path = "/openapi.json"
    document = shop.till.get(path).of(200).body
    for key in (None, "Bearer wrong"):
        assert shop.till.get(path, Authorization=key).of(200).body == document
        assert shop.till.request("HEAD", path, headers={"Authorization": key}).status == 200
        shop.till.request("POST", path, headers={"Authorization": key}).of(401, "unauthorized")


def test_without_a_key_there_is_no_receipt(shop):
    refused = shop.till.get(f"/v1/sales/{NOBODYS}/receipt", Authorization=None).of(401, "unauthorized")
    assert refused.header("WWW-Authenticate") == "Bearer"


def test_the_operators_wrong_questions_are_answered_like_a_terminals(shop):
    admin = shop.gateway.admin
    for path in ("", "/events"):
        for sale in (NOBODYS, "no-id"):
            admin.get(f"/v1/sales/{sale}{path}").of(404, "not_found")
    assert admin.get("/v1/sales?limit=0&sort=valor").of(422, "invalid_request").pointers() == ["/limit", "/sort"]


def test_without_a_journal_to_write_every_step_of_a_sale_is_refused(new_shop):
    shop = new_shop({"sale.attention_after": "100ms"}).start()
    sold, held = shop.sell(orders.tv()).of(200).json, shop.sell(orders.tv(confirm="manual")).of(200).json
    left = shop.until(shop.sell_esim(orders.esim(2935)).json["id"], "for a person", attention=True)
    other = sqlite3.connect(shop.folder / "journal.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # another program holds the write lock
    answer = shop.till.cancel(held["id"]).of(503, "journal_unavailable")
    assert (answer.json["outcome"], answer.sale["id"]) == ("held", held["id"])
    shop.till.get(f"/v1/sales/{sold['id']}/receipt").of(503, "journal_unavailable")
    decision = {"status": "CANCELADA", "note": "Looked it up."}
    shop.gateway.admin.post(f"/v1/sales/{left['id']}/resolve", decision).of(503, "journal_unavailable")
    other.execute("ROLLBACK")
    other.close()
    eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready again by itself")
    assert shop.till.cancel(held["id"]).of(200).json["status"] == "CANCELADA"
    assert shop.gateway.admin.post(f"/v1/sales/{left['id']}/resolve", decision).of(200).json["status"] == "CANCELADA"


def test_a_cancel_whose_wait_runs_out_is_pending(new_shop, provider):
    shop = new_shop(provider=provider).start()
    go_on = threading.Event()
    provider.on("/venda/tv/confirmar", after(go_on))
    sale = shop.sell(orders.tv(), wait=1).of(202).json
    assert shop.till.cancel(sale["id"], wait=1).of(202).header("Location") == f"/v1/sales/{sale['id']}"
    go_on.set()
    assert shop.sale(sale["id"], wait=60)["outcome"] == "sold"


def test_a_persons_word_waits_for_the_call_that_is_under_way(new_shop, provider):
    shop = new_shop({"sale.attention_after": "100ms", "limits.sell_wait": "1s"}, provider=provider).start()
    looked, asked, go_on = (threading.Event() for _ in range(3))

    def wavering(_):
        if not looked.is_set():
            return 500, {}
        asked.set()
        go_on.wait(120)
        return 200, {"transacao": {"status": "CANCELADA"}}

    provider.on("/venda/tv/confirmar", wavering)
    provider.on("/venda/tv/cancelar", wavering)
    sale = shop.sell(orders.tv()).of(202).json
    shop.till.cancel(sale["id"]).of(202)
    shop.until(sale["id"], "for a person", attention=True)
    looked.set()
    assert asked.wait(120), "it is asked again"
    word = {"status": "EFETIVADA", "note": "vendida, diz o portal"}
    told = shop.gateway.admin.post(f"/v1/sales/{sale['id']}/resolve", word).of(202)
    assert told.json["outcome"] == "pending"
    go_on.set()
    assert shop.until(sale["id"], "settled", settled=True)["outcome"] == "not_sold", "the provider's word came first"


def confirm_while_asked_for(shop, provider, said):
    """Sends a confirm for a sale while its request is under way, which is then answered with `said`."""
    go_on = threading.Event()
    provider.on("/venda/tv/solicitar", lambda request: after(go_on, said(request))(request))
    key = new_key()
    selling = shop.start_selling(orders.tv(), key)
    sale = shop.sale_of_key(key)
    confirming = Background(shop.till.confirm, sale["id"], 60)
    # Nothing shows that the confirm waits, but the end of a later call's wait does.
    shop.till.confirm(sale["id"], wait=1).of(202)
    assert not confirming.done
    go_on.set()
    return selling.result(), confirming.result()


def test_a_confirm_with_a_wait_waits_for_a_request_under_way_and_is_answered_as_the_sell_is(new_shop, provider):
    shop = new_shop({"sale.max_attempts": 1}, provider=provider).start()
    refused = lambda request: (200, authorised(request, status="NEGADA"))  # noqa: E731
    for answer in confirm_while_asked_for(shop, provider, refused):
        answer.of(402, "sale_refused")
    for answer in confirm_while_asked_for(shop, provider, lambda request: CUT):
        answer.of(504, "sale_cancelled")
