"""This is a receipt printer, written from printers' manuals and from nothing of the gateway's: it shows what ESC/POS
puts on paper. It obeys few commands, and refuses every other byte that a printer would obey."""
import dataclasses
import unicodedata

# The code pages that Epson's printers have under each number of ESC t, by the names of Python's codecs.
EPSON = {0: "cp437", 2: "cp850", 3: "cp860", 16: "cp1252"}
DOTS_OF_A_COLUMN = 12


class NotPrintable(AssertionError):
    """Says that the bytes are not what a receipt may be."""


def columns_of(text):
    widths = {"W": 2, "F": 2}
    return sum(0 if unicodedata.combining(c) or unicodedata.category(c) in ("Cf", "Mn") else
               widths.get(unicodedata.east_asian_width(c), 1) for c in text)  # fmt: skip


@dataclasses.dataclass
class Row:
    text: str
    bold: bool
    align: int


@dataclasses.dataclass
class Qr:
    data: str
    module: int  # in dots
    level: str
    align: int


class Paper:
    """Holds what is on the paper afterwards: `rows`, each a Row or a Qr, and whether it was cut."""

    def __init__(self, data, columns, numbers=None, unselected="utf-8"):
        self.columns = columns
        self.rows = []
        self.cut = False
        self.fed = 0
        self._numbers = EPSON if numbers is None else numbers
        self._codec = unselected
        self._bold, self._align, self._usa = False, 0, False
        self._qr = {}
        self._line = b""
        self._data, self._at = data, 0
        if not data.startswith(b"\x1b@"):
            raise NotPrintable("the printer is not put into a known state first")
        while self._at < len(data):
            self._obey(self._take())
        if self._line:
            raise NotPrintable("the last line has no end, and stays in the printer")

    @property
    def text(self):
        return [row.text for row in self.rows if isinstance(row, Row)]

    @property
    def codes(self):
        return [row for row in self.rows if isinstance(row, Qr)]

    def _take(self, count=1):
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise NotPrintable("the bytes end inside a command")
        self._at += count
        return taken

    def _obey(self, byte):
        if self.cut:
            raise NotPrintable("there is something behind the cut")
        if byte == b"\n":
            self._end_line()
        elif byte == b"\x1b":
            self._escape(self._take())
        elif byte == b"\x1d":
            self._group(self._take())
        elif byte[0] < 0x20 or byte[0] == 0x7F:
            raise NotPrintable(f"a printer would obey the byte {byte[0]:#x} at {self._at}")
        else:
            self._line += byte

    def _end_line(self):
        text = self._line.decode(self._codec)
        self._line = b""
        for sign in text:
            if unicodedata.category(sign) == "Cc":
                raise NotPrintable(f"a control character in {text!r}")
        if columns_of(text) > self.columns:
            raise NotPrintable(f"{text!r} is wider than {self.columns} columns")
        if not self._usa:
            raise NotPrintable("the printer may have another sign for $ or #")
        self.rows.append(Row(text, self._bold, self._align))

    def _whole(self, what):
        if self._line:
            raise NotPrintable(f"{what} inside of a line")

    def _escape(self, command):
        self._whole(f"ESC {command!r}")
        if command == b"@":
            if self._at != 2:
                raise NotPrintable("the printer is initialised again")
        elif command == b"R":
            self._usa = self._take() == b"\0"
        elif command == b"t":
            number = self._take()[0]
            if number not in self._numbers:
                raise NotPrintable(f"the printer has no code page {number}")
            self._codec = self._numbers[number]
        elif command == b"E":
            self._bold = bool(self._take()[0] & 1)
        elif command == b"a":
            self._align = self._take()[0]
        elif command == b"d":
            self.fed += self._take()[0]
        else:
            raise NotPrintable(f"ESC {command!r}")

    def _group(self, command):
        self._whole(f"GS {command!r}")
        if command == b"V" and self._take(2) == b"B\0":
            self.cut = True
        elif command == b"(" and self._take() == b"k":
            low, high = self._take(2)
            self._qr_function(self._take(low + 256 * high))
        else:
            raise NotPrintable(f"GS {command!r}")

    def _qr_function(self, parameters):
        code, function, rest = parameters[:1], parameters[1:2], parameters[2:]
        if code != b"1":
            raise NotPrintable(f"GS ( k {parameters!r} is of no QR code")
        if function == b"A" and rest == b"2\0":
            self._qr = {"model": 2}
        elif function == b"C" and 1 <= rest[0] <= 16:
            self._qr["module"] = rest[0]
        elif function == b"E" and rest in (b"0", b"1", b"2", b"3"):
            self._qr["level"] = "LMQH"[rest[0] - 48]
        elif function == b"P" and rest[:1] == b"0":
            self._qr["data"] = rest[1:].decode()
        elif function == b"Q" and rest == b"0" and self._qr.keys() == {"model", "module", "level", "data"}:
            self.rows.append(Qr(self._qr["data"], self._qr["module"], self._qr["level"], self._align))
        else:
            raise NotPrintable(f"GS ( k {parameters!r}")
