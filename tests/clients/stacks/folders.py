"""This tells the Python stacks what to ask, and takes what they saw. See tests/clients/checks.py."""
import pathlib
import sys

BASE = sys.argv[1]
FOLDERS = [pathlib.Path(argument) for argument in sys.argv[2:]]


class Request:
    def __init__(self, folder):
        self.folder = folder
        self.method = (folder / "method").read_text()
        self.path = (folder / "path").read_text()
        self.url = BASE + self.path
        self.headers = dict(line.split(": ", 1) for line in (folder / "fields").read_text().splitlines())
        body = folder / "body"
        self.body = body.read_bytes() if body.exists() else None

    def answered(self, status, fields, body):
        """`fields` has the names and values of the answer's header."""
        (self.folder / "answer-body").write_bytes(body)
        (self.folder / "answer-fields").write_text("".join(f"{name}: {value}\n" for name, value in fields))
        (self.folder / "answer-status").write_text(str(status))


REQUESTS = [Request(folder) for folder in FOLDERS]
