#!/usr/bin/python3
"""SECURITY.md says for each claim how it was tested: every test that it names exists, and every row names one."""

import re

import source

DOCUMENT = "SECURITY.md"
_UNIT = re.compile(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", re.MULTILINE)
_E2E = re.compile(r"^def test_(\w+)\(", re.MULTILINE)
_NAMED = re.compile(r"`([A-Z]\w+\.[A-Z]\w+|test_\w+::\w+|fuzz:\w+)`")
_SEEN = re.compile(r"`((?:run|boot)\.sh|\w+\.test\.mjs)`: ((?:\"[^\"]+\"(?:, )?)+)")


def known_tests():
    """Returns the names as the document writes them."""
    names = {f"{suite}.{name}" for path in source.files("tests/unit", suffixes=(".cpp",))
             for suite, name in _UNIT.findall(source.text_of(path))}
    for path in source.files("tests/e2e", "tests/statements", suffixes=(".py",)):
        stem = path.rsplit("/", 1)[-1].removesuffix(".py")
        names |= {f"{stem}::{name}" for name in _E2E.findall(source.text_of(path))}
    return names | {"fuzz:" + path.rsplit("/", 1)[-1].removesuffix(".cpp") for path in source.files("tests/fuzz")}


def said_by(script):
    """Returns what the package's tests print (boot.sh mostly prints inside of its machine), or the names of the
    browser's tests."""
    if script.endswith(".mjs"):
        return "\n".join(re.findall(r'^scene\("([^"]+)"', source.text_of(f"tests/console/{script}"), re.MULTILINE))
    scripts = ["tests/package/run.sh"] if script == "run.sh" else ["tests/package/boot.sh", "tests/package/booted.sh"]
    return "\n".join(source.text_of(path) for path in scripts)


def checker(known, said):
    def check(_, text):
        for number, line in enumerate(text.split("\n"), 1):
            named = _NAMED.findall(line)
            for name in named:
                if name not in known:
                    yield number, f"there is no test {name}"
            seen = [(script, words) for script, quoted in _SEEN.findall(line)
                    for words in re.findall('"([^"]+)"', quoted)]
            for script, words in seen:
                if words not in said(script):
                    yield number, f"{script} never says: {words}"
            is_row = line.startswith("| ") and line.count(" | ") == 2
            if is_row and not line.startswith(("| against", "| ---")) and not named and not seen:
                yield number, "a claim without a test"

    return check


def try_itself():
    """A gate that finds nothing in a bad document is worse than none."""
    check = checker({"Log.IsGood", "fuzz:tv"}, lambda _: "it is so")
    for bad in ("`Log.IsBad`", "`test_tv::is_sold`", "`fuzz:none`", '`run.sh`: "it is not"', "| a | b | c |"):
        assert list(check(DOCUMENT, bad)), bad
    for good in ("`Log.IsGood`, `fuzz:tv`", '| a | b | `boot.sh`: "it is so" |', "| against | b | c |"):
        assert not list(check(DOCUMENT, good)), good


if __name__ == "__main__":
    try_itself()
    source.gate(checker(known_tests(), said_by), [DOCUMENT], bad=[])
