#!/usr/bin/python3
"""The word files hold what the code says, and nothing else: both languages have the same keys with the same
placeholders, every key that the code names is there, and every key is named."""

import json
import re
import sys

import source

FILES = {name: f"gateway/words/{name}.json" for name in ("en", "pt-BR")}
# The code names a text by its key. A variable part of a key is written {} in C++ and ${...} in the pages.
_SAID = re.compile(r"""\b(?:t|say)\(\s*["'`]([\w.\- ]+\.[\w.\- ]+)["'`]""")
_GROUP = re.compile(r"""\bword\(\s*["'`]([\w.]+)["'`]""")
# This finds a quote and a possible key after it, wherever that stands: in a page, a template may stand inside of
# another one.
_KEY = re.compile(r"""["'`](?=([a-z][\w\-]*[._](?:[\w.\-]|\$\{[^{}`]*\}|\{\})*)["'`])""")
_PART = re.compile(r"\$\{[^{}]*\}|\{\}")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_PLACEHOLDERS_OF_FORMS = {"none", "one", "other"}


def placeholders(text):
    """Returns what each form of a text fills in; the form for nothing may leave the number out."""
    forms = {"other": text} if isinstance(text, str) else text
    return {form: set(_PLACEHOLDER.findall(said)) for form, said in forms.items()}


def departures(files, code):
    """Yields what is wrong; `files` are the word files by their language, and `code` is the text of everything that may
    name them."""
    first, *others = files
    for other in others:
        for key in sorted(files[first].keys() ^ files[other].keys()):
            yield f"{key} stands in one of the word files only"
    for language, texts in files.items():
        for key, text in texts.items():
            forms = placeholders(text)
            if set(forms) - _PLACEHOLDERS_OF_FORMS or "other" not in forms:
                yield f"{key} has forms that no language has, or no other: {language}"
            elif forms["other"] != placeholders(files[first].get(key, text)).get("other"):
                yield f"{key} has other placeholders in {language}"
            elif any(not said <= forms["other"] for said in forms.values()):
                yield f"a form of {key} fills in what its other form does not: {language}"
    known = files[first]
    for key in sorted({match[1] for match in _SAID.finditer(code)} - known.keys()):
        yield f"{key} is said and stands in no word file"
    exact, patterns = set(), {re.escape(match[1]) + r"\..+" for match in _GROUP.finditer(code)}
    for key in {match[1] for match in _KEY.finditer(code)}:
        if _PART.search(key):
            patterns.add(".+".join(re.escape(part) for part in _PART.split(key)))
        else:
            exact.add(key)
    for group in sorted(match[1] for match in _GROUP.finditer(code)):
        if not any(key.startswith(group + ".") for key in known):
            yield f"no text is of the group {group}"
    said = re.compile("|".join(sorted(patterns)) or "(?!)")
    for key in known:
        if key not in exact and not said.fullmatch(key):
            yield f"{key} is never said; take it out of the word files"


def try_itself():
    """A gate that finds nothing in bad code is worse than none."""
    one = {"a.b": "x {n}", "c.d": {"one": "y", "other": "{count} y"}}
    code = 'say("a.b") t(`c.${x}`)'
    assert not list(departures({"en": one, "pt": one}, code))
    assert list(departures({"en": one, "pt": {"a.b": "x {n}"}}, code)), "a key of one language"
    assert list(departures({"en": one, "pt": one | {"a.b": "x {m}"}}, code)), "another placeholder"
    assert list(departures({"en": one, "pt": one | {"c.d": {"one": "y"}}}, code)), "no other form"
    assert list(departures({"en": one, "pt": one}, code + 'say("a.x")')), "a key that is not there"
    assert list(departures({"en": one, "pt": one}, 'say("a.b")')), "a key that nobody says"
    assert not list(departures({"en": one, "pt": one}, 'say("a.b") word("c", x)'))
    assert list(departures({"en": one, "pt": one}, code + 'word("z", x)')), "a group without a text"


if __name__ == "__main__":
    try_itself()
    words = {language: json.loads(source.text_of(path)) for language, path in FILES.items()}
    everything = [path for path in source.files("gateway", suffixes=(".cpp", ".hpp", ".js"))]
    wrong = list(departures(words, "\n".join(source.text_of(path) for path in everything)))
    for message in wrong:
        print(message)
    if wrong:
        sys.exit(1)
    print(f"{len(words['en'])} texts in {len(words)} languages, nothing found")
