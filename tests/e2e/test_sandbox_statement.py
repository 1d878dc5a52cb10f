"""Tests the sandbox provider's statements about a day on which every family was sold, with and without faults."""
import re
import time
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from harness import orders
from harness.client import plain_request

BOOKS = False  # the books are emptied at midnight, but a test compares them with the journal

def today():
    """Returns today in the provider's zone."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() - 3 * 3600))


@dataclass
class Row:
    id_externo: str
    id_transacao: str
    nsu: str
    estabelecimento: str
    valor: str
    status: str
    data_hora: str


def rows_of(file):
    lines = file.decode().splitlines()
    assert all(line.startswith("1;") and line.endswith(";") for line in lines[1:])
    return [Row(*line[2:-1].split(";")) for line in lines[1:]]


def header_of(file):
    """Returns network, name, nothing, written, day, count, total, commission, to be paid."""
    line = file.decode().splitlines()[0]
    assert line.startswith("0;") and line.endswith(";")
    return line[2:-1].split(";")


@dataclass
class Sold:
    day: str
    sales: list

    @property
    def total(self):
        return sum(sale["valor"] for sale in self.sales if sale["status"] == "EFETIVADA")


def sell_every_family(shop):
    sales = [shop.sell(order).of(200).json for order in (
        orders.tv(), orders.tv_dynamic(), orders.egift(), orders.transit(), orders.health())]
    sales.append(shop.settled(shop.sell(orders.esim()).sale["id"]))
    sales.append(shop.settled(shop.sell(orders.tv(4908)).sale["id"]))
    held = shop.sell(orders.egift(confirm="manual")).of(200).json
    shop.till.cancel(held["id"]).of(200)
    sales.append(shop.settled(held["id"]))
    return sales


@pytest.fixture(scope="module")
def sold(shop):
    """Makes sales of one day. If midnight comes meanwhile, they are made once more."""
    sales = []
    while True:
        day = today()
        sales = sell_every_family(shop)
        if today() == day:
            return Sold(day, sales)
        shop.sandbox.call("POST", "/sandbox/reset")


def statement(shop, sold, *parameters):
    return shop.sandbox.statement(("day", sold.day), *parameters)


def test_a_statement_agrees_with_the_journal_and_with_the_books(shop, sold):
    file = statement(shop, sold)
    rows = {row.id_externo: row for row in rows_of(file)}
    assert set(rows) == {sale["idExterno"] for sale in sold.sales}
    for sale in sold.sales:
        row = rows[sale["idExterno"]]
        in_books = shop.sandbox.transaction(sale["idExterno"])
        assert (row.status, int(row.valor)) == (sale["status"], sale["valor"])
        assert (row.id_transacao, row.estabelecimento) == (in_books["idTransacao"], in_books["estabelecimento"])
        assert row.data_hora.startswith(sold.day) and row.data_hora.endswith("-03:00")
    statuses = [row.status for row in rows.values()]
    assert [statuses.count(word) for word in ("EFETIVADA", "NEGADA", "CANCELADA")] == [6, 1, 1]
    moments = [row.data_hora for row in rows.values()]
    assert moments == sorted(moments)
    network, name, nothing, written, day, count, total, commission, to_be_paid = header_of(file)
    assert (name, nothing) == ("Rede de Demonstração", "") and network and re.fullmatch(r"\d{8}", written)
    assert day == "".join(reversed(sold.day.split("-")))
    assert (int(count), int(total)) == (6, sold.total)
    assert int(commission) + int(to_be_paid) == sold.total


def test_a_day_without_sales_has_no_rows(shop, sold):
    file = shop.sandbox.statement(("day", "31121999"))
    assert header_of(file)[4:6] == ["31121999", "0"] and rows_of(file) == []


def test_what_is_sold_can_be_asked_for_alone(shop, sold):
    rows = rows_of(statement(shop, sold, ("only", "sold")))
    assert sorted(row.id_externo for row in rows) == sorted(
        sale["idExterno"] for sale in sold.sales if sale["status"] == "EFETIVADA")
    assert rows_of(statement(shop, sold, ("estabelecimento", "87654321"))) == []


def test_encoding_money_and_line_ends_are_as_asked_for(shop, sold):
    file = statement(shop, sold, ("encoding", "latin1"), ("money", "comma"), ("eol", "crlf"))
    assert "Demonstração" in file.decode("latin-1") and file.count(b"\r\n") == file.count(b"\n")
    assert f";{sold.total // 100},{sold.total % 100:02};".encode() in file.splitlines()[0]
    assert b";49,00;EFETIVADA;" in file


def test_the_list_has_the_same_rows(shop, sold):
    rows = [(row.id_externo, row.id_transacao, row.nsu, int(row.valor), row.status, row.data_hora)
            for row in rows_of(statement(shop, sold))]
    names = ("idExterno", "idTransacao", "nsu", "valor", "status", "dataHora")
    assert [tuple(one[name] for name in names) for one in shop.sandbox.statement_list(("day", sold.day))] == rows


def test_faults_go_together_and_the_first_line_follows_the_rows(shop, sold):
    true = rows_of(statement(shop, sold, ("only", "sold")))
    file = statement(shop, sold, ("only", "sold"), ("missing", 1), ("doubled", true[1].id_externo), ("amount", "3:1"),
                     ("status", "4:CANCELADA"), ("unknown", "NOBODY:5"), ("day_later", true[4].id_externo))
    rows = rows_of(file)
    assert true[0] not in rows and rows.count(true[1]) == 2 and true[4] not in rows
    bent = {row.id_externo: row for row in rows}
    assert bent[true[2].id_externo].valor == "1" and bent[true[3].id_externo].status == "CANCELADA"
    assert bent["NOBODY"].valor == "5"
    total = 2 * int(true[1].valor) + 1 + 5 + int(true[5].valor)
    assert header_of(file)[5:7] == ["5", str(total)]


def test_a_row_of_a_day_off_is_in_the_neighbours_statement(shop, sold):
    row = rows_of(statement(shop, sold))[0]
    before = str(date.fromisoformat(sold.day) - timedelta(days=1))
    fault = ("day_earlier", row.id_externo)
    assert row.id_externo.encode() not in statement(shop, sold, fault)
    (moved,) = rows_of(shop.sandbox.statement(("day", before), fault))
    assert (moved.id_externo, moved.data_hora[:10]) == (row.id_externo, before)


def test_a_file_can_be_none(shop, sold):
    whole = statement(shop, sold)
    cut = statement(shop, sold, ("cut", 2))
    assert whole.startswith(cut) and cut.count(b"\n") == 2 and not cut.endswith(b"\n")
    assert statement(shop, sold, ("html", "yes")).startswith(b"<!doctype html>")
    header = header_of(statement(shop, sold, ("count", 1), ("total", 2), ("network", "0001"), ("header_day", "01011970")))
    assert (header[0], header[4:7]) == ("0001", ["01011970", "1", "2"])
    swapped = rows_of(statement(shop, sold, ("swapped", "all")))
    assert {row.valor for row in swapped} >= {sale["idExterno"] for sale in sold.sales}
    assert b";49,005;" in statement(shop, sold, ("three_decimals", "all"), ("money", "comma"))


def test_the_same_address_answers_the_same_and_a_file_can_be_issued_again(shop, sold):
    address = (("missing", 1), ("written", "01012030"))
    first = statement(shop, sold, *address)
    assert statement(shop, sold, *address) == first
    again = statement(shop, sold, ("written", "02012030"))
    assert header_of(first)[3:5] == ["01012030", header_of(again)[4]] and header_of(again)[3] == "02012030"
    assert len(rows_of(again)) == len(rows_of(first)) + 1


@pytest.mark.parametrize("query, words", [
    ("mising=1", 'unknown parameter "mising"'),
    ("missing=999", "there is no row 999"),
    ("missing=NOBODY", "there is no row of the idExterno NOBODY"),
    ("day=2026-02-30", "day must be a day"),
])
def test_what_is_wrong_is_said_in_words(shop, query, words):
    for path in ("statement", "list"):
        answer = plain_request(shop.sandbox.address, "GET", f"/sandbox/{path}?{query}")
        assert answer.status == 400 and words in answer.json["mensagem"], answer


def test_an_open_sale_is_in_it_until_it_ends(shop, sold):
    held = shop.sell(orders.tv(confirm="manual")).of(200).json

    def said():
        days = {sold.day, today()}
        rows = [row for day in days for row in rows_of(shop.sandbox.statement(("day", day)))]
        return [row.status for row in rows if row.id_externo == held["idExterno"]]

    assert said() == ["AUTORIZADA"]
    shop.till.cancel(held["id"]).of(200)
    shop.settled(held["id"])
    assert said() == ["CANCELADA"]
