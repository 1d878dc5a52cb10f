#!/usr/bin/python3
"""tests/paper/run.sh runs this: it sells, prints, draws, and reads the QR codes of the pictures with zbar."""
import json
import pathlib
import subprocess
import sys
import tempfile

import qrcode
from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import orders  # noqa: E402
from harness.escpos import DOTS_OF_A_COLUMN, Paper, Qr, columns_of  # noqa: E402
from harness.fake_provider import FakeProvider, authorised  # noqa: E402
from harness.shop import Shop  # noqa: E402

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
BOLD = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf"
LINE_DOTS = 30  # the printers' usual spacing, an eighth of an inch and a little more
MARGIN_DOTS = 16
PAGES = ("cp860", "cp850", "wpc1252", "utf-8")
LONG = "LPA:1$rsp.operadora-exemplo.com.br$" + "K7X9" * 16
LEVELS = {"L": qrcode.ERROR_CORRECT_L, "M": qrcode.ERROR_CORRECT_M, "Q": qrcode.ERROR_CORRECT_Q,
          "H": qrcode.ERROR_CORRECT_H}  # fmt: skip


def dots_of(code):
    made = qrcode.QRCode(error_correction=LEVELS[code.level], box_size=code.module, border=0)
    made.add_data(qrcode.util.QRData(code.data.encode(), mode=qrcode.util.MODE_8BIT_BYTE))
    made.make(fit=True)
    return made.make_image().get_image().convert("L")


def drawn(paper):
    """This is the paper, with a pixel for each dot."""
    width = paper.columns * DOTS_OF_A_COLUMN
    rows = [(row, dots_of(row) if isinstance(row, Qr) else None) for row in paper.rows]
    height = sum(code.height if code else LINE_DOTS for _, code in rows)
    picture = Image.new("L", (width + 2 * MARGIN_DOTS, height + 4 * LINE_DOTS), 255)
    draw = ImageDraw.Draw(picture)
    fonts = {bold: ImageFont.truetype(BOLD if bold else FONT, 20) for bold in (False, True)}
    top = LINE_DOTS
    for row, code in rows:
        taken = code.width if code else columns_of(row.text) * DOTS_OF_A_COLUMN
        assert taken <= width, f"{row} is wider than the paper"
        left = MARGIN_DOTS + (width - taken) * row.align // 2
        if code:
            picture.paste(code, (left, top))
        else:
            for sign in row.text:
                draw.text((left, top), sign, fill=0, font=fonts[row.bold])
                left += columns_of(sign) * DOTS_OF_A_COLUMN
        top += code.height if code else LINE_DOTS
    if paper.cut:
        draw.line([(0, top + LINE_DOTS), (picture.width, top + LINE_DOTS)], fill=128, width=2)
    return picture


def read_codes(file):
    done = subprocess.run(["zbarimg", "--quiet", "--raw", file], capture_output=True, text=True, timeout=60)
    return sorted(done.stdout.splitlines())


def printed(shop, sale_id, name, folder):
    """Draws the sale's receipt on every paper, and says how many codes were read back."""
    read = 0
    for columns in (32, 40, 48):
        for page in PAGES:
            query = f"format=escpos&columns={columns}&codepage={page}&cut=1"
            paper = Paper(shop.till.get(f"/v1/sales/{sale_id}/receipt?{query}").of(200).body, columns)
            file = folder / f"{name}-{columns}-{page}.png"
            drawn(paper).save(file)
            wanted = sorted(code.data for code in paper.codes)
            found = read_codes(file)
            assert found == wanted, f"{file}: {found} was read, and not {wanted}"
            read += len(found)
    return read


def every_family(scratch, folder):
    shop = Shop(scratch).start()
    read = 0
    try:
        sales = {name: shop.sell(order).json["id"] for name, order in {
            "tv": orders.tv(), "egift": orders.egift(), "transit": orders.transit(), "health": orders.health(),
            "esim": orders.esim()}.items()}  # fmt: skip
        for name, sale_id in sales.items():
            shop.until(sale_id, "sold", outcome="sold")
            shop.until(sale_id, "settled", settled=True)
            read += printed(shop, sale_id, name, folder)
    finally:
        shop.close()
    return read


def much_text(scratch, folder):
    """These are texts that no sandbox has: every accent, long words, an activation code wider than any paper."""
    provider = FakeProvider()
    said = {"recargaTV": {"nsuFornecedor": "000123", "mensagens": [
        "Coração à 1ª mão: AÇÚCAR, órgão, péssimo, lingüiça, ÂÊÔ ÃÕ ÁÉÍÓÚ À nº 3º", "Škoda Łódź 10 € “ok” – fim…",
        f"Ative em {LONG} ainda hoje.", "W" * 70, "\x1b@\x1dVB\0 não corta"]}}  # fmt: skip
    provider.on("/venda/tv/solicitar", lambda asked: (200, authorised(asked, instrucao=json.dumps(said))))
    shop = Shop(scratch, provider=provider).start()
    try:
        return printed(shop, shop.sell(orders.tv()).of(200).json["id"], "much", folder)
    finally:
        shop.close()
        provider.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        read = every_family(pathlib.Path(first), folder) + much_text(pathlib.Path(second), folder)
    assert read > 0
    print(f"{len(list(folder.glob('*.png')))} pictures are in {folder}; {read} QR codes were read back from them.")


if __name__ == "__main__":
    main()
