"""Tests receipts on paper: the gateway's ESC/POS on a printer that shares no code with it, whatever the provider and
the terminal have sent."""
import json

import pytest

from harness import orders
from harness.escpos import DOTS_OF_A_COLUMN, NotPrintable, Paper, columns_of
from harness.fake_provider import authorised

BOOKS = False  # the provider is a script
PAGES = {"cp860": "cp860", "cp850": "cp850", "wpc1252": "cp1252", "utf-8": "utf-8"}
CHARSETS = {"cp860": "IBM860", "cp850": "IBM850", "wpc1252": "windows-1252"}
COLUMNS = (32, 40, 48)

# Printers obey these: resets, cuts, drawers, raster pictures, real-time commands, and the control characters that UTF-8
# has besides those of ASCII.
COMMANDS = "".join(chr(c) for c in range(0x20)) + "\x7f\x80\x85\x9b\x1b@\x1dV\x00\x1bp\x00\x19\xfa\x10\x14\x01\x1dv0"
ACCENTS = "Coração à 1ª mão: AÇÚCAR, órgão, péssimo, lingüiça, ÂÊÔ ÃÕ ÁÉÍÓÚ À nº 3º"
FOREIGN = "Škoda Łódź naïve Straße 10 € “ok” – fim… 日本語 😀 ﬁm ½ x\u0303."
SPELLED = {
    "cp860": 'Skoda Lódz naive Straße 10 EUR "ok" - fim... ??? ? fim ½ x.',
    "cp850": 'Skoda Lódz naïve Straße 10 EUR "ok" - fim... ??? ? fim ½ x.',
    "wpc1252": "Škoda Lódz naïve Straße 10 € “ok” – fim… ??? ? fim ½ x.",
    "utf-8": FOREIGN,
}
LONG_WORD = "W" * 100
ACTIVATION = "LPA:1$rsp.operadora-exemplo.com.br$" + "K7X9" * 16
SHORT = "https://a.exemplo/x"
GOODS = {"recargaTV": {"nsuFornecedor": "000123", "mensagens": [
    ACCENTS, FOREIGN, LONG_WORD, f"Ative em {ACTIVATION} hoje.", SHORT, COMMANDS + "depois" + COMMANDS,
    "a" * 39 + "€", "<b>negrito</b> " + "palavra " * 30]}}  # fmt: skip


@pytest.fixture
def sold(provider, new_shop):
    """Makes the store, and a sale whose every text is hostile."""

    def sell(changes=None):
        provider.on("/venda/tv/solicitar", lambda request: (200, authorised(
            request, instrucao=json.dumps(GOODS))))  # fmt: skip
        shop = new_shop(changes, provider=provider).start()
        sale = shop.sell(orders.tv(fornecedor="Operadora Ção")).of(200).json
        assert sale["outcome"] == "sold"
        return shop, sale["id"]

    return sell


def receipt(shop, sale_id, **query):
    query = "&".join(f"{name}={value}" for name, value in query.items())
    return shop.till.get(f"/v1/sales/{sale_id}/receipt?{query}").of(200)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_and_width(sold, page, columns):
    shop, sale_id = sold()
    for copy in (False, True):
        data = receipt(shop, sale_id, format="escpos", columns=columns, codepage=page, cut=1).body
        paper = Paper(data, columns)  # refuses what is too wide, and what a printer would obey
        assert paper.cut
        assert (paper.text[0] == "2ª VIA") == copy
        assert paper.rows[0].bold == copy
        whole = "".join(paper.text)
        # Every accented letter of Portuguese is preserved.
        assert "".join(ACCENTS.split()) in "".join(whole.split())
        # Characters that the page has are not replaced, and those that it lacks become their letter without an accent.
        assert "".join(SPELLED[page].split()) in "".join(whole.split())
        # Addresses are whole as text, and as codes that fit on the paper.
        assert ACTIVATION in whole and SHORT in whole
        assert [code.data for code in paper.codes] == [ACTIVATION, SHORT]
        for code in paper.codes:
            assert code.align == 1 and code.module >= 3
        assert "depois" in whole
        # The same lines come as text. A line that is no address is on the paper as it is.
        lines = receipt(shop, sale_id, format="json", columns=columns, codepage=page).json["lines"]
        assert lines[0] == "2ª VIA"
        on_paper = list(paper.text) if copy else ["2ª VIA", *paper.text]
        for line in lines:
            if line not in (ACTIVATION, SHORT):
                assert line in on_paper and columns_of(line) <= columns
        text = receipt(shop, sale_id, format="text", columns=columns, codepage=page)
        assert text.body.decode(PAGES[page]).splitlines() == lines


def test_every_letter_of_a_page_is_the_same_as_pythons(provider, new_shop):
    """Each character above ASCII that a page has goes through the gateway and back by Python's table of the page."""
    shop = new_shop(provider=provider)
    codecs = {page: codec for page, codec in PAGES.items() if codec != "utf-8"}
    signs = {page: [c for c in bytes(range(0x80, 0x100)).decode(codec, "ignore") if c not in "\u00a0\u00ad"]
             for page, codec in codecs.items()}  # fmt: skip
    said = {"mensagens": ["\n".join("|" + "".join(all_signs[i : i + 16]) + "|" for i in range(0, 128, 16))
                          for all_signs in signs.values()]}  # fmt: skip
    provider.on("/venda/tv/solicitar", lambda request: (200, authorised(request, instrucao=json.dumps(said))))
    shop.start()
    sale_id = shop.sell(orders.tv()).of(200).json["id"]
    for page, codec in codecs.items():
        paper = Paper(receipt(shop, sale_id, format="escpos", codepage=page).body, 40)
        for i in range(0, len(signs[page]), 16):
            assert "|" + "".join(signs[page][i : i + 16]) + "|" in paper.text, page
        text = receipt(shop, sale_id, codepage=page)
        assert text.header("Content-Type") == f"text/plain; charset={CHARSETS[page]}"
        assert "|" + "".join(signs[page][:16]) + "|" in text.body.decode(codec).splitlines()


def test_the_printers_own_numbers_are_used_and_reloaded(sold):
    shop, sale_id = sold({"printer.cp860": 200})
    data = receipt(shop, sale_id, format="escpos").body
    with pytest.raises(NotPrintable):
        Paper(data, 40)
    assert Paper(data, 40, numbers={200: "cp860"}).text
    terminal = next(entry for entry in shop.gateway.document["terminals"] if entry["id"] == "caixa-01")
    terminal["printer.cp860"] = 18
    shop.gateway.reload()
    assert Paper(receipt(shop, sale_id, format="escpos").body, 40, numbers={18: "cp860"}).text


def test_whatever_the_format_only_the_first_is_no_copy(sold):
    shop, sale_id = sold()
    assert receipt(shop, sale_id, format="json").json["copy"] is False
    assert Paper(receipt(shop, sale_id, format="escpos").body, 40).text[0] == "2ª VIA"
    assert receipt(shop, sale_id, format="text").body.decode().startswith("2ª VIA\n")
    assert receipt(shop, sale_id, format="json").json["lines"][0] == "2ª VIA"


def test_what_is_wrong_is_told_and_makes_no_copy(sold):
    shop, sale_id = sold()
    answer = shop.till.get(f"/v1/sales/{sale_id}/receipt?format=pdf&columns=41&codepage=latin1&cut=2")
    pointers = [error["pointer"] for error in answer.of(422, "invalid_request").json["errors"]]
    assert sorted(pointers) == ["/codepage", "/columns", "/cut", "/format"]
    shop.till.get(f"/v1/sales/{sale_id}/receipt?cut=1").of(422, "invalid_request")
    assert receipt(shop, sale_id, format="json").json["copy"] is False


def test_an_address_too_long_for_a_code_is_text_alone(provider, new_shop):
    url = "https://a.exemplo/" + "k" * 1000
    said = json.dumps({"mensagens": [url]})
    provider.on("/venda/tv/solicitar", lambda request: (200, authorised(request, instrucao=said)))
    shop = new_shop(provider=provider).start()
    sale_id = shop.sell(orders.tv()).of(200).json["id"]
    paper = Paper(receipt(shop, sale_id, format="escpos", columns=32).body, 32)
    assert not paper.codes and url in "".join(paper.text)


def test_the_printer_of_the_tests_refuses_what_it_must():
    start = b"\x1b@\x1bR\0"
    assert Paper(start + b"a\n", 40).text == ["a"]
    for wrong in (b"a\n", start + b"a", start + b"W" * 41 + b"\n", start + b"a\x1b@\n", start + b"\x10\x04\x01a\n",
                  start + b"\x1bp\0\x19\xfa", start + b"\x1dVB\0a\n", start + b"\x1d(k\x05\0", start + b"\x1bt\x09",
                  b"\x1b@a\n", start + b"\xc2\x9b\n"):  # fmt: skip
        with pytest.raises(NotPrintable):
            Paper(wrong, 40)
    assert 32 * DOTS_OF_A_COLUMN == 384
