"""Compares the provider's statement with the gateway's books, with the real programs: without errors, and with every
fault that the sandbox puts into it; by the calls, by the commands, by a watched folder and by the provider's own
list."""
import json
import time
from datetime import date, timedelta

import pytest
from harness import orders
from harness.client import plain_request
from harness.commands import run, said
from harness.waiting import eventually

BOOKS = False  # the provider has rows that nobody made
COLUMNS = {"idExterno": 2, "idTransacao": 3, "nsu": 4, "estabelecimento": 5, "valor": 6, "status": 7, "dataHora": 8}
CONFIG = {
    "store.timezone": "America/Sao_Paulo",
    "statement.covers": "this",
    "statement.detail.column": 1,
    "statement.detail.text": "1",
    "statement.words.AUTORIZADA": ["AUTORIZADA", "PENDENTE"],
} | {f"statement.columns.{name}": column for name, column in COLUMNS.items()}
LIST = {"provider.list_path": "/sandbox/list?day={day}"}
STATUS_PATH = "/venda/transacao/{idExterno}"
TEXT = {"Content-Type": "text/plain"}


def today():
    """Returns today in the provider's zone, which is the store's."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() - 3 * 3600))


@pytest.fixture()
def store(new_shop):
    return open_store(new_shop, CONFIG)


def open_store(new_shop, config, sandbox=None):
    """Makes two sold sales and a cancelled one, all of one day."""
    shop = new_shop(config, sandbox=sandbox).start()
    while True:
        shop.day = today()
        shop.sold = [shop.sell(orders.tv()).of(200).json for _ in range(2)]
        held = shop.sell(orders.egift(confirm="manual")).of(200).json
        shop.till.cancel(held["id"]).of(200)
        shop.cancelled = shop.settled(held["id"])
        if today() == shop.day:
            return shop
        shop.sandbox.call("POST", "/sandbox/reset")


def statement(store, *faults):
    return store.sandbox.statement(("day", store.day), *faults)


def bring(store, file, query="", headers=TEXT):
    return store.gateway.admin.request("POST", "/v1/statements" + query, file, headers)


def findings(store, query=""):
    return store.gateway.admin.get("/v1/findings" + query).of(200).json["findings"]


def kinds(report):
    return sorted(finding["kind"] for finding in report["findings"])


def test_a_statement_that_is_right_agrees_and_is_known_the_second_time(store):
    file = statement(store)
    report = bring(store, file, f"?day={store.day}&by=maria").of(201).json
    assert report["findings"] == []
    kept = report["statement"]
    assert (kept["day"], kept["rows"], kept["matched"], kept["others"]) == (store.day, 3, 3, 0)
    assert (kept["by"], kept["source"], kept["headerMoney"], kept["replaced"]) == ("maria", "file", "cents", None)
    again = bring(store, file).of(200).json
    assert again["alreadyImported"] and again["statement"] == kept
    store.gateway.await_event("statement.read", matched=3)


def test_what_does_not_agree_is_a_finding_until_somebody_closes_it(store):
    sold, other = (sale["idExterno"] for sale in store.sold)
    report = bring(store, statement(store, ("missing", sold), ("amount", f"{other}:1"),
                                    ("status", store.cancelled["idExterno"] + ":EFETIVADA"),
                                    ("unknown", "01J0ABCDEF0123456789ABCDEF:500"))).of(201).json
    assert kinds(report) == ["amount_differs", "missing_there", "sold_there", "unknown_here"]
    by_kind = {finding["kind"]: finding for finding in report["findings"]}
    loud = by_kind["sold_there"]
    assert (loud["sale"], loud["severity"]) == (store.cancelled["id"], "alarm")
    assert store.gateway.await_event("finding.opened", kind="sold_there")["level"] == "error"
    # Promise 2 is broken, so the sale needs a person, too.
    store.until(store.cancelled["id"], "for the mark", attention=True)
    assert findings(store, "?kind=missing_there") == [by_kind["missing_there"]]
    assert store.gateway.metric("gateway_findings_open", kind="sold_there") == 1
    path = f"/v1/findings/{loud['id']}"
    closed = store.gateway.admin.post(path + "/resolve", {"note": "taken back", "by": "maria"}).of(200).json
    assert not closed["open"] and closed["closed"]["note"] == "taken back"
    assert store.gateway.admin.get(path).of(200).json == closed
    assert store.gateway.metric("gateway_findings_open", kind="sold_there") == 0
    assert {finding["kind"] for finding in findings(store, "?open=true")} == by_kind.keys() - {"sold_there"}
    corrected = bring(store, statement(store)).of(201).json
    assert corrected["statement"]["replaced"] == report["statement"]["id"]
    assert findings(store, "?open=true") == []
    store.gateway.stop()
    store.gateway.start()
    assert len(findings(store, "?open=false")) == 4


def test_a_last_word_that_the_provider_never_heard_is_said_again(store):
    sale = store.sold[0]
    before = store.sandbox.seen("confirmar", "tv")
    report = bring(store, statement(store, ("status", sale["idExterno"] + ":AUTORIZADA"))).of(201).json
    assert kinds(report) == ["unconfirmed_there"]
    eventually(lambda: store.sandbox.seen("confirmar", "tv") == before + 1, "the confirm")
    number = report["findings"][0]["id"]
    eventually(lambda: store.gateway.admin.get(f"/v1/findings/{number}").json["effect"] == "repeated", "its effect")
    assert store.settled(sale["id"])["status"] == "EFETIVADA"


def test_a_file_with_a_fault_is_refused_with_its_line_and_nothing_of_it_is_kept(store):
    yesterday = str(date.fromisoformat(store.day) - timedelta(days=1))
    cases = {
        "count_differs": statement(store, ("count", 7)),
        "total_differs": statement(store, ("total", 1)),
        "unreadable_line": statement(store, ("three_decimals", 1), ("money", "point")),
    }
    for code, file in cases.items():
        bring(store, file).of(422, code)
    assert bring(store, cases["unreadable_line"]).json["line"] == 2
    assert bring(store, statement(store, ("doubled", 1))).of(422, "unreadable_line").json["line"] > 1
    for fault in (("cut", 2), ("doubled", 1), ("swapped", 1), ("html", "yes")):
        assert bring(store, statement(store, fault)).status == 422
    bring(store, statement(store), f"?day={yesterday}").of(422, "wrong_day")
    bring(store, b"x", "?day=never").of(422, "invalid_request")
    bring(store, b"{}", headers={"Content-Type": "application/json"}).of(415, "unsupported_media_type")
    assert findings(store) == []
    assert not store.gateway.events("statement.read")
    bring(store, statement(store)).of(201)


def test_a_statement_that_cannot_be_this_stores_is_refused_as_a_whole(new_shop):
    store = open_store(new_shop, CONFIG | {"statement.network": "another one"})
    bring(store, statement(store)).of(422, "wrong_network")
    store = open_store(new_shop, CONFIG)
    for _ in range(2):
        store.sell(orders.tv()).of(200)
    header, *rows = statement(store).decode().splitlines(keepends=True)
    strangers = [";".join([kind, f"01J0ABCDEF0123456789A0000{i}", f"T{i}", rest])
                 for i, (kind, _, _, rest) in enumerate(row.split(";", 3) for row in rows)]
    bring(store, "".join([header, *strangers]).encode()).of(422, "nothing_matches")
    many = [f"1;01J0ABCDEF0123456789A{i:05};;;12345678;100;EFETIVADA;{store.day}T10:00:00-03:00;\n" for i in range(10001)]
    fields = header.split(";")
    for field, more in ((6, len(many)), (7, 100 * len(many)), (9, 100 * len(many))):
        fields[field] = str(int(fields[field]) + more)
    bring(store, "".join([";".join(fields), *rows, *many]).encode()).of(422, "too_many_findings")
    assert findings(store) == []


def test_no_web_page_in_a_browser_brings_a_statement(new_shop):
    store = open_store(new_shop, CONFIG | LIST)
    page = {"Origin": "https://anywhere.example"}
    bring(store, statement(store), headers=TEXT | page).of(403, "forbidden")
    store.gateway.admin.post("/v1/statements/from-provider", **page).of(403, "forbidden")
    store.gateway.admin.post("/v1/statements/from-status", **page).of(403, "forbidden")
    assert not store.gateway.events("statement.read", source="file")
    bring(store, statement(store)).of(201)


def test_a_file_of_a_gigabyte_is_refused_before_it_is_sent(store):
    answer = plain_request(store.gateway.ports["admin"], "POST", "/v1/statements",
                           headers={"Content-Length": str(1 << 30), "Content-Type": "text/plain"})
    assert (answer.status, answer.code) == (413, "payload_too_large")
    huge = store.folder / "huge.txt"
    with open(huge, "wb") as file:
        file.truncate(1 << 30)
    status, out, err = run(store, "reconcile", str(huge))
    assert (status, out) == (1, "") and "1073741824 bytes" in err


def test_a_statement_of_many_megabytes_is_read_while_sales_go_on(store):
    rows = 40000
    others = "".join(f"1;01J0ABCDEF0123456789A{i:05};;;87654321;100;CANCELADA;{store.day}T10:00:00-03:00;\n"
                     for i in range(rows))
    report = bring(store, statement(store) + others.encode()).of(201).json
    assert (report["statement"]["rows"], report["statement"]["others"]) == (rows + 3, rows)
    store.sell(orders.tv()).of(200)


def test_wrong_questions_are_told_what_would_be_right(store):
    admin = store.gateway.admin
    assert admin.get("/v1/findings?limit=0&kind=x&y=1").of(422, "invalid_request").pointers() == [
        "/kind", "/limit", "/y"]
    admin.get("/v1/findings/99").of(404, "not_found")
    admin.post("/v1/findings/99/resolve", {"note": "x"}).of(404, "not_found")
    admin.post("/v1/findings/99/resolve", {}).of(422, "invalid_request")
    admin.request("POST", "/v1/findings/99/resolve", b"x", TEXT).of(415, "unsupported_media_type")
    admin.request("POST", "/v1/findings/99/resolve", b"{", {"Content-Type": "application/json"}).of(400, "invalid_json")


def test_the_providers_list_is_read_like_a_file(new_shop):
    store = open_store(new_shop, CONFIG | LIST)
    store.gateway.await_event("statement.read", source="list")  # yesterday's list is read without being asked for
    admin = store.gateway.admin
    report = admin.post(f"/v1/statements/from-provider?day={store.day}").of(201).json
    assert (report["statement"]["source"], report["statement"]["matched"], report["findings"]) == ("list", 3, [])
    admin.post(f"/v1/statements/from-provider?day={store.day}").of(200)
    assert "3 agree" in said(store, "reconcile", "--from-provider", "--day", store.day)
    tomorrow = str(date.fromisoformat(store.day) + timedelta(days=1))
    admin.post(f"/v1/statements/from-provider?day={tomorrow}").of(422, "wrong_day")


def test_without_a_list_or_with_a_wrong_path_that_is_said(new_shop):
    shop = new_shop(CONFIG | {"provider.list_path": "/nowhere?day={day}"}).start()
    shop.gateway.admin.post("/v1/statements/from-provider").of(502, "provider_unreachable")
    other = new_shop({}).start()
    other.gateway.admin.post("/v1/statements/from-provider").of(404, "not_configured")


def test_the_commands_say_it_for_people_in_their_language_and_for_programs(store):
    file = store.folder / "statement.txt"
    file.write_bytes(statement(store, ("missing", store.sold[0]["idExterno"])))
    out = said(store, "reconcile", str(file), "--day", store.day)
    assert out.startswith(f"Statement of {store.day}: 2 rows, 2 agree, 0 are others' or not sold; findings: 1\n")
    assert "missing_there      It is sold here" in out and "show the provider its idExterno" in out
    assert "já lido antes" in said(store, "reconcile", str(file), "--lang", "pt")
    assert "mostre ao provedor o idExterno" in said(store, "findings", LANG="pt_BR.UTF-8")
    (finding,) = [json.loads(line) for line in said(store, "findings", "--json").splitlines()]
    said(store, "findings", "--resolve", str(finding["id"]), "--note", "shown to the provider", "--by", "maria")
    assert said(store, "findings") == "There are no findings.\n"
    assert "maria: shown to the provider" in said(store, "findings", "--all")
    code, out, err = run(store, "findings", "--resolve", str(finding["id"]), "--note", "another")
    assert (code, err) == (1, "") and "was closed before: the note was not kept" in out, out
    wrong = file.read_bytes()
    file.write_bytes(statement(store))
    said(store, "reconcile", str(file))
    file.write_bytes(wrong)
    assert "--again makes this one count" in said(store, "reconcile", str(file))
    assert "findings: 1" in said(store, "reconcile", str(file), "--again")
    assert "--again" not in said(store, "reconcile", str(file))
    file.write_bytes(statement(store, ("count", 9)))
    assert run(store, "reconcile", str(file))[0] == 1
    assert run(store, "reconcile")[0] == run(store, "findings", "--resolve", "1")[0] == 2
    assert run(store, "findings", "--resolve", "99", "--note", "x")[0] == 1


def test_where_only_the_header_is_read_the_command_says_what_differs(new_shop):
    shop = new_shop({"statement.covers": "this"}).start()
    shop.sell(orders.tv(4900)).of(200)
    file = shop.folder / "statement.txt"
    file.write_bytes(shop.sandbox.statement(("day", today()), ("total", 5000)))
    out = said(shop, "reconcile", str(file))
    assert "total_differs" in out and "1: " in out and '"5000"' in out and "49,00" in out, out


def test_a_watched_folder_is_read_by_itself(new_shop, tmp_path):
    shop = new_shop(CONFIG | {"statement.folder": str(tmp_path)}).start()
    (tmp_path / "statement.txt").write_bytes(shop.sandbox.statement(("day", today()), ("count", 9)))
    assert shop.gateway.await_event("statement.refused", file="statement.txt")["code"] == "count_differs"
    assert (tmp_path / "statement.txt").exists()


def open_asking_store(new_shop):
    return open_store(new_shop, CONFIG | {"provider.status_path": STATUS_PATH}, {"--status-path": STATUS_PATH})


def ask(store, day=None):
    return store.gateway.admin.post(f"/v1/statements/from-status?day={day or store.day}")


def status_calls(store, sale):
    return store.sandbox.transaction(sale["idExterno"])["calls"]["status"]


def test_what_a_statement_has_wrongly_is_asked_for_and_cleared_up(new_shop):
    store = open_asking_store(new_shop)
    sold, other = store.sold
    bring(store, statement(store, ("missing", sold["idExterno"]),
                           ("status", store.cancelled["idExterno"] + ":EFETIVADA"))).of(201)
    store.until(store.cancelled["id"], "for the mark", attention=True)
    report = ask(store).of(200).json
    assert (report["asked"], report["answered"], report["left"], report["ended"]) == (2, 2, 0, None)
    assert (report["statement"]["source"], report["statement"]["matched"], report["findings"]) == ("status", 2, [])
    assert findings(store, "?open=true") == []
    assert {finding["closed"]["as"] for finding in findings(store, "?open=false")} == {"corrected"}
    assert status_calls(store, sold) == status_calls(store, store.cancelled) == 1
    assert status_calls(store, other) == 0, "what agrees is not asked for"
    store.gateway.await_event("inquiry.done", asked=2, answered=2)
    assert ask(store).of(200).json == {"asked": 0, "answered": 0, "left": 0, "ended": None, "statement": None,
                                       "findings": []}
    store.until(store.cancelled["id"], "as it was, for a person", status="CANCELADA", attention=True)


def test_what_the_provider_does_not_know_or_answers_senselessly_changes_nothing(new_shop):
    store = open_asking_store(new_shop)
    sold = store.sold[0]
    bring(store, statement(store, ("missing", sold["idExterno"]))).of(201)
    for fault in ({"behaviour": "not_json"}, {"behaviour": "refuse"}, {"behaviour": "lose_answer"}):
        store.sandbox.faults({"step": "status", "times": 1} | fault)
        report = ask(store).of(200).json
        assert (report["asked"], report["answered"], report["statement"]) == (1, 0, None), fault
    assert [finding["kind"] for finding in findings(store, "?open=true")] == ["missing_there"]


def test_a_last_word_that_the_provider_says_it_has_not_heard_is_said_again(new_shop):
    store = open_asking_store(new_shop)
    sold = store.sold[0]
    bring(store, statement(store, ("missing", sold["idExterno"]))).of(201)
    stands = {"venda": {"idExterno": sold["idExterno"], "transacao": {"valor": sold["valor"], "status": "AUTORIZADA"}}}
    store.sandbox.faults({"step": "status", "behaviour": "answer", "body": json.dumps(stands), "times": 1})
    before = store.sandbox.seen("confirmar", "tv")
    report = ask(store).of(200).json
    assert kinds(report) == ["unconfirmed_there"]
    number = report["findings"][0]["id"]
    eventually(lambda: store.gateway.admin.get(f"/v1/findings/{number}").json["effect"] == "repeated", "its effect")
    eventually(lambda: store.sandbox.seen("confirmar", "tv") == before + 1, "the confirm")
    assert [finding["kind"] for finding in findings(store, "?open=true")] == ["unconfirmed_there"]
    store.settled(sold["id"])
    assert ask(store).of(200).json["findings"] == []
    assert findings(store, "?open=true") == []


def test_a_provider_that_does_not_answer_ends_it(new_shop):
    store = open_asking_store(new_shop)
    more = [store.sell(orders.tv()).of(200).json for _ in range(2)]
    missing = [("missing", sale["idExterno"]) for sale in store.sold + more]
    bring(store, statement(store, *missing)).of(201)
    store.sandbox.faults({"step": "status", "behaviour": "lose_answer"})
    ask(store).of(502, "provider_unreachable")
    assert sum(status_calls(store, sale) for sale in store.sold + more) == 3
    store.gateway.await_event("statement.refused", source="status", code="provider_unreachable")
    assert len(findings(store, "?open=true")) == 4
    store.sandbox.no_faults()
    assert ask(store).of(200).json["answered"] == 4
    assert findings(store, "?open=true") == []


def test_a_start_asks_by_itself_for_what_a_statement_left(new_shop):
    store = open_asking_store(new_shop)
    bring(store, statement(store, ("missing", store.sold[0]["idExterno"]))).of(201)
    store.gateway.stop()
    store.gateway.start()
    store.gateway.await_event("inquiry.done", asked=1, answered=1)
    eventually(lambda: findings(store, "?open=true") == [], "it is cleared up")


def test_the_command_asks_for_single_sales(new_shop):
    store = open_asking_store(new_shop)
    bring(store, statement(store, ("missing", store.sold[0]["idExterno"]))).of(201)
    asked = ("reconcile", "--from-status", "--day", store.day)
    assert said(store, *asked) == "Sales asked for: 1; answered: 1; findings: 0\n"
    assert said(store, *asked, "--lang", "pt") == "Nenhuma venda do dia a consultar.\n"
    assert run(store, "reconcile", "x", "--from-status")[0] == 2
    assert run(store, "reconcile", "--from-provider", "--from-status")[0] != 0
    store.gateway.admin.post("/v1/statements/from-status?day=never").of(422, "invalid_request")
    new_shop({}).start().gateway.admin.post("/v1/statements/from-status").of(404, "not_configured")
