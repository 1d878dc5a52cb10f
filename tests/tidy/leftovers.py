#!/usr/bin/python3
"""Finds what has no place on main: reminders, code in comments, banners, names that say nothing, files that have become
too long for one reason to exist, a default that would swallow a new enumerator, and a script that cannot be
executed."""

import os
import re

import source

COLUMNS = 120
# The house says "A file over about 400 lines asks to be split"; the gate leaves some room above that.
LINES = {"gateway/": 450, "probe/": 450, "sandbox/": 450, "tests/": 700, "examples/": 250}  # people copy a client

_REMINDER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
_NAME = re.compile(r"\b(?:class|struct|enum|using|concept)\s+(?:class\s+)?\w*(?:Manager|Helper|Util|Utils|Impl)\b")
_BANNER = re.compile(r"^\s*(?://|/\*+)\s*[-=*#/~]{4,}")
# This finds code rather than prose: a statement that ends as one, or a line that only code has.
_CODE = re.compile(r"^\s*//\s*(?:"
                   r"(?:return|if|for|while|else|auto|const|using|co_await|co_return|std::\w+|#\s*include)\b.*[;{]"
                   r"|[\w:<>.\->\[\]*& ]+(?:\([^)]*\)|\s=\s.*);"
                   r"|\}.*|#\s*(?:include|define|if|endif).*"
                   r")\s*$")
# A quoted text that fills half a line is easier to read in one piece.
_LONG_TEXT = re.compile(r"""(["'`]).{60,}\1""")
_DEFAULT = re.compile(r"\bdefault\s*:(?!:)")
_REASON = re.compile(r"//\s*default: \w+")


def check(path, text):
    lines = text.split("\n")
    for folder, most in LINES.items():
        if path.startswith(folder) and len(lines) > most + 1:
            yield 1, f"{len(lines) - 1} lines, more than {most}: split it by its reasons to exist"
    if path.endswith((".cpp", ".hpp")):
        yield from check_cpp(path, text, lines)
    if text.startswith("#!") and not os.access(source.ROOT / path, os.X_OK):
        yield 1, "it begins with #!, and cannot be executed: chmod +x"
    for number, line in enumerate(lines, 1):
        if _REMINDER.search(line):
            yield number, "a reminder; do it, or write an issue"
        if len(line) > COLUMNS and not _LONG_TEXT.search(line):
            yield number, f"{len(line)} columns, more than {COLUMNS}"
        if line != line.rstrip():
            yield number, "white space at the end"
    if text and not text.endswith("\n"):
        yield len(lines), "no line break at the end"


def check_cpp(path, text, lines):
    if path.startswith(("gateway/", "probe/", "sandbox/")) and path.endswith(".hpp"):
        if not lines[0].startswith("// "):
            yield 1, "a header opens with a few lines that say what this is and what it refuses to do"
        if "#pragma once" not in lines:
            yield 1, "no #pragma once"
    code = source.code_of(text)
    for number, (line, stripped) in enumerate(zip(lines, code.split("\n")), 1):
        if _BANNER.match(line):
            yield number, "a banner"
        if _CODE.match(line):
            yield number, "code in a comment"
        if _NAME.search(stripped):
            yield number, "Manager, Helper, Util and Impl say nothing; name the role"
        if _DEFAULT.search(stripped) and not _REASON.search(line) and not _REASON.search(lines[number - 2]):
            yield number, "a default in a switch; list all enumerators, or say why: // default: …"


_PATH = "gateway/flow/driver.cpp"
BAD = [(_PATH, sample) for sample in (
    "// TO" "DO: later\n", "// ----- helpers -----\n", "/******\n", "//    return x;\n", "// foo(bar, 1);\n",
    "// x = 5;\n", "// }\n", "// if (x) {\n", "// #include <map>\n", "class SaleManager {};\n", "struct FooImpl;\n",
    "switch (x) {\n    default: return;\n}\n", "x" * 121 + "\n", "x \n", "x", "x;\n" * 451,
)] + [
    ("gateway/flow/a.hpp", "#pragma once\n"),
    ("gateway/flow/a.hpp", "// What it is.\n"),
    ("deploy/x.sh", "# FIX" "ME\n"), ("deploy/x.sh", "#!/bin/sh\n"), ("examples/c/sales_gateway.h", "x;\n" * 251),
]
GOOD = [(_PATH, sample) for sample in (
    "// It ends here; the next one (of many) does not.\n", "// One sale, one attempt:\n",
    "x;  // the first (see above);\n",
    "switch (x) {\n    default: return;  // default: x is an int\n}\n",
    "switch (x) {\n    // default: x is an int\n    default: return;\n}\n", "Foo() = default;\n", "x;\n" * 450,
    'f("' + "x" * 121 + '");\n',
    "struct Implant;\n", 'f("// return x;");\n',
)] + [("gateway/flow/a.hpp", "// What it is.\n#pragma once\n"), ("examples/c/sales_gateway.h", "x;\n" * 250)]


if __name__ == "__main__":
    paths = source.files(*source.PROGRAMS, "tests", "sql", "config", "cmake", "deploy", "systemd", "examples",
                         suffixes=(".cpp", ".hpp", ".py", ".sh", ".sql", ".toml", ".cmake", ".txt", ".service", ".c", ".h",
                                   ".cs", ".pas", ".ts"))
    source.gate(check, paths, BAD, GOOD)
