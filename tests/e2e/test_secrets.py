"""A stolen disk, a copied log and an error message give away nothing of anybody."""
import json
import pathlib
import re
import secrets
import sqlite3

import pytest
from harness import orders
from harness.day import CHANGES, OWN, RUA, everything_written, secrets_of, tell
from harness.orders import new_key
from harness.processes import GATEWAY, run_to_end
from harness.shop import Shop
from harness.waiting import eventually

NOTE = "falei com a Genoveva"


def key_file(folder, *keys):
    path = pathlib.Path(folder) / "journal-keys"
    path.touch(0o600)
    path.write_text("# the current one first\n" + "".join(key + "\n" for key in keys))
    return str(path)


def journal_bytes(shop):
    """Returns the bytes of every file that SQLite writes, and of any other that stands beside it."""
    files = sorted(pathlib.Path(shop.folder).glob("journal.db*"))
    assert files
    return b"".join(file.read_bytes() for file in files)


def columns_of(shop, sql):
    with sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True) as journal:
        return journal.execute(sql).fetchall()


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secrets")
    keys = key_file(folder, secrets.token_hex(32))
    shop = Shop(folder, CHANGES | {"journal.key_file": keys}).start()
    try:
        tell(shop)
        shop.till.get("/v1/sales?limit=200").of(200)
        shop.pages = shop.gateway.admin.get("/v1/sales?limit=200").of(200).body.decode()
        yield shop
    finally:
        shop.close()


def all_secrets(day):
    keys = [line for line in (day.folder / "journal-keys").read_text().splitlines() if not line.startswith("#")]
    assert len(keys) == 1
    return secrets_of(day) | {"a person's note": [NOTE, "Genoveva"], "the journal's key": keys}


def found_in(text, day):
    return [(what, one) for what, some in all_secrets(day).items() for one in some if one in text]


def test_the_files_of_the_journal_hold_no_personal_value_no_goods_and_no_token(day):
    while_it_runs = journal_bytes(day).decode("latin-1")
    assert len(while_it_runs) > 50_000 and "EFETIVADA" in while_it_runs
    assert found_in(while_it_runs, day) == []


def test_logs_metrics_and_standard_error_hold_none_either(day):
    assert found_in(everything_written(day), day) == []


# A provider might quote the customer in these ways; everything that the sale holds is taken out.
QUOTES = [
    "CPF 111.444.777-35 recusado, cpf=11144477735",
    "111 444 777 35 / 111,444,777,35 / *.444.777-*",
    "cliente Genoveva Tupinamba, GENOVEVA_TUPINAMBA",
    "nasc. 13/05/1977, tel (21) 99876-1234, +55 21 998761234",
    "genoveva@segredo.example ou GENOVEVA @ SEGREDO.EXAMPLE",
    "mora em Ladeira do Esconderijo, Vila Oculta, CEP 20040-321, 20040321",
    "veja https://presente.example/abc ou presente.example/abc; codigo ABCD-1234-EFGH",
]
QUOTED = re.compile(r"genoveva|tupinamb|segredo|ladeira|esconderijo|oculta|presente|abcd|\d{3}", re.IGNORECASE)


@pytest.mark.parametrize("status", (422, 500))
def test_the_providers_words_are_logged_without_the_customer(new_shop, provider, status):
    shop = new_shop(provider=provider).start()
    esim = orders.esim(consumidor=OWN, endereco=orders.ENDERECO | RUA)
    cases = [(orders.tv(cpf=OWN["cpf"]), quote) for quote in QUOTES[:2]] + [(esim, quote) for quote in QUOTES]
    for order, quote in cases:
        provider.on(f"/venda/{order['family']}/solicitar",
                    lambda request, quote=quote: (status, {"mensagem": "Nao foi possivel: " + quote}))
        answer = shop.sell(order, wait=1)
        line = shop.gateway.await_event("sale.step", sale=answer.sale["id"], httpStatus=status)
        said = line["providerSaid"]
        assert said.startswith("Nao foi possivel: ") and "…" in said, said
        assert line["level"] == "warn" and not QUOTED.search(said), said


def test_no_answer_that_is_an_error_holds_one(day):
    problems = [answer for answer in day.answers if answer.status >= 400]
    assert {402, 422, 502, 503, 504} <= {answer.status for answer in problems}
    for answer in problems:
        # A refusal carries the provider's own words, for the terminal that asked.
        told = answer.json
        told.get("sale", {}).get("reason", {}).pop("provider", None)
        assert found_in(json.dumps(told, ensure_ascii=False), day) == [], answer


def test_the_gateway_itself_still_reads_all_of_it(day):
    books = [entry for entry in day.sandbox.transactions() if entry["status"] == "EFETIVADA"]
    goods = [entry["goods"] for entry in books if entry.get("goods")]
    assert len(goods) >= 3
    told = [json.dumps(day.sale(sale["id"]), ensure_ascii=False) for sale in day.all_sales()]
    for one in goods:
        assert any(one in text for text in told), one
    assert not day.gateway.events("journal.unreadable") and not day.gateway.events("journal.unsealed")


def test_without_a_key_file_it_works_and_warns_once(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv(cpf=OWN["cpf"])).of(200)
    assert len(shop.gateway.events("journal.unsealed", level="warn")) == 1
    assert OWN["cpf"].encode() in journal_bytes(shop)


def test_a_journal_is_encrypted_once_it_has_a_key_and_the_key_can_be_changed(new_shop, tmp_path):
    first, second = secrets.token_hex(32), secrets.token_hex(32)
    shop = new_shop().start()
    key, order = new_key(), orders.egift()
    sold = shop.sell(order, key).of(200).json
    shop.sell(orders.tv(cpf=OWN["cpf"])).of(200)

    def restart(*keys):
        shop.gateway.stop()
        shop.gateway.document["journal"]["key_file"] = key_file(tmp_path, *keys)
        shop.gateway.write_config()
        shop.start()

    def changed(times):
        eventually(lambda: len(shop.gateway.events("journal.resealed")) == times, "all of it is encrypted anew")

    goods = [entry["goods"].encode() for entry in shop.sandbox.transactions() if entry.get("goods")]
    assert goods and all(one in journal_bytes(shop) for one in goods)
    restart(first)
    changed(1)
    assert OWN["cpf"].encode() not in journal_bytes(shop)
    assert not any(one in journal_bytes(shop) for one in goods)
    restart(second, first)
    changed(2)
    restart(second)
    replayed = shop.sell(order, key).of(200)
    assert replayed.json == sold and replayed.header("Idempotency-Replayed") == "true"
    assert len(shop.gateway.events("journal.resealed")) == 2
    shop.check_books()


def test_a_missing_or_wrong_key_is_refused_in_words_and_changes_nothing(new_shop, tmp_path):
    right, wrong = secrets.token_hex(32), secrets.token_hex(32)
    shop = new_shop({"journal.key_file": key_file(tmp_path, right)}).start()
    sale = shop.sell(orders.egift()).of(200).json
    shop.gateway.stop()
    before = journal_bytes(shop)

    def refused(keys, *words):
        if keys is None:
            shop.gateway.document["journal"].pop("key_file")
        else:
            shop.gateway.document["journal"]["key_file"] = keys
        shop.gateway.write_config()
        run = shop.gateway.launch()
        status = run.wait()
        assert status in (1, 2) and all(word in run.errors() for word in words), run.errors()
        assert right not in run.errors() and wrong not in run.errors()
        assert journal_bytes(shop) == before

    refused(None, "journal.key_file", "set it")
    refused(key_file(tmp_path, wrong), "does not hold", "below the first one")
    refused(str(tmp_path / "nowhere"), "journal.key_file", "cannot be opened")
    refused(key_file(tmp_path, right[:-1]), "line 2", "64 hex digits")
    refused(key_file(tmp_path), "holds no key", "openssl rand -hex 32")
    shop.gateway.document["journal"]["key_file"] = key_file(tmp_path, right)
    shop.gateway.write_config()
    shop.start()
    assert shop.sale(sale["id"])["instrucao"] == sale["instrucao"]


def test_the_key_may_be_a_credential_of_the_service(new_shop, tmp_path):
    key_file(tmp_path, secrets.token_hex(32))
    shop = new_shop({"journal.key_file": "/etc/sales-gateway/journal-keys"},
                    wrapper=["/usr/bin/env", f"CREDENTIALS_DIRECTORY={tmp_path}"]).start()
    shop.sell(orders.tv(cpf=OWN["cpf"])).of(200)
    assert OWN["cpf"].encode() not in journal_bytes(shop)
    assert not shop.gateway.events("journal.unsealed")


def test_an_altered_value_is_for_a_person_and_no_other_sale_suffers(new_shop, tmp_path):
    shop = new_shop({"journal.key_file": key_file(tmp_path, secrets.token_hex(32))}).start()
    altered, other = (shop.sell(orders.egift()).of(200).json for _ in range(2))
    shop.gateway.stop()
    with sqlite3.connect(f"{shop.folder}/journal.db") as journal:
        # Somebody gives one customer the code of the other.
        journal.execute("UPDATE sales SET goods = (SELECT goods FROM sales WHERE id = ?) WHERE id = ?",
                        (other["id"], altered["id"]))
    shop.start()
    shown = shop.sale(altered["id"])
    assert (shown["status"], shown["attention"], shown["instrucao"]) == ("EFETIVADA", True, None)
    assert shop.sale(other["id"])["instrucao"] == other["instrucao"]
    listed = shop.gateway.admin.get("/v1/sales?attention=true").of(200).json["sales"]
    assert [sale["id"] for sale in listed] == [altered["id"]]
    history = shop.gateway.admin.get(f"/v1/sales/{altered['id']}/events").of(200).json
    assert history["attention"] == "unreadable" and history["events"][-1]["event"] == "unreadable"
    shop.gateway.await_event("journal.unreadable", level="error")
    shop.gateway.admin.post(f"/v1/sales/{altered['id']}/resolve", {"note": "visto"}).of(200)
    assert shop.sale(altered["id"])["attention"] is False
    shop.sell(orders.egift()).of(200)


def test_what_the_columns_hold_is_encrypted_and_states_stay_words(day):
    rows = columns_of(day, "SELECT typeof(digest), typeof(request), typeof(goods), typeof(esim), typeof(words),"
                             " status, attention FROM sales")
    assert {"blob"} == {row[0] for row in rows} == {row[1] for row in rows}
    assert {"blob", "null"} == {kind for row in rows for kind in row[2:5]}
    assert {row[5] for row in rows} <= {"EFETIVADA", "CANCELADA", "NEGADA", "AUTORIZADA", "PENDENTE"}
    kinds = columns_of(day, "SELECT DISTINCT typeof(body) FROM callbacks UNION SELECT typeof(access) FROM token")
    assert kinds == [("blob",)]


def test_the_process_leaves_no_core_and_check_config_looks_at_the_key_file(new_shop, tmp_path):
    shop = new_shop().start()
    limits = pathlib.Path(f"/proc/{shop.gateway.run.child.pid}/limits").read_text()
    assert re.search(r"Max core file size\s+0\s+0", limits)
    shop.gateway.stop()
    shop.gateway.document["journal"]["key_file"] = key_file(tmp_path, "rubbish")
    shop.gateway.write_config()
    status, out, _ = run_to_end([GATEWAY, "check-config", "--config", str(shop.gateway.config)], tmp_path)
    assert status == 2 and "journal.key_file" in out and "rubbish" not in out
    path = pathlib.Path(key_file(tmp_path, secrets.token_hex(32)))
    path.chmod(0o644)
    shop.gateway.document["journal"]["key_file"] = str(path)
    shop.gateway.write_config()
    status, out, err = run_to_end([GATEWAY, "check-config", "--config", str(shop.gateway.config)], tmp_path)
    assert (status, out) == (0, "ok\n") and "may be read by everybody" in err
