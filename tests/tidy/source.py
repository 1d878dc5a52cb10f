"""These are the project's source files as the gates see them, and what all gates do: they try themselves on samples,
then look."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# These are the programs, each in a folder of its own.
PROGRAMS = ("gateway", "probe", "sandbox")


def files(*folders, suffixes=(".cpp", ".hpp")):
    """Returns the files below the folders, relative to the root, in a stable order."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                found.append(path.relative_to(ROOT).as_posix())
    return found


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\s\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)


def code_of(text, keep_strings=False):
    """Returns the text with comments (and what stands in quotes) blanked out; every line stays where it was."""

    def blank(match):
        token = match.group()
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        if keep_strings:
            return token
        inner = re.sub(r"[^\n]", " ", token[1:-1])
        return token[0] + inner + token[-1] if token[0] in "\"'" else '"' + re.sub(r"[^\n]", " ", token[2:-1]) + ' "'

    return _TOKEN.sub(blank, text)


def closing(code, opening):
    """Returns the offset of the bracket that closes the one at `opening`, and the end if none does."""
    depth = 0
    for end in range(opening, len(code)):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        if depth == 0:
            return end
    return len(code)


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


def gate(check, paths, bad, good=()):
    """Runs `check(path, text)`, which yields (line, message), over the files, but first over samples: it must find
    every one of `bad`, (path, text), and none of `good`; a gate that finds nothing in bad code is worse than none."""
    for path, text in bad:
        if not list(check(path, text)):
            sys.exit(f"the gate is broken: it finds nothing in this sample of {path}:\n{text}")
    for path, text in good:
        for line, message in check(path, text):
            sys.exit(f"the gate is broken: it finds fault with this sample of {path}, line {line}: {message}\n{text}")
    found = 0
    for path in paths:
        for line, message in check(path, text_of(path)):
            print(f"{path}:{line}: {message}")
            found += 1
    if found:
        sys.exit(1)
    print(f"{len(paths)} files, nothing found")
