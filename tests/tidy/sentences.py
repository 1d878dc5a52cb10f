#!/usr/bin/python3
"""What is said in English where it is written has its Portuguese in one file: every sentence of the log, and every text
that is marked with told(). Each has exactly one, with the same placeholders, and nothing is left over. The example of
the configuration has its Portuguese beside it, with the same settings."""

import itertools
import json
import re
import sys

import log_calls
import source

FILE = "gateway/words/sentences.pt-BR.json"
EXAMPLES = "config/gateway.example.toml", "config/gateway.example.pt-BR.toml"
# These groups hold the sentences of the log, and what may stand inside of them: any literal of the program. All other
# groups hold what is marked.
LOG, DETAILS = "log", "details"
# So does this group, with what --help says, which the library for it takes as plain literals.
HELP = "help"
_SETTING = re.compile(r"#?(?:\[|\w+ = )")
_BEGINNING = re.compile(r"#*(?: {5}| )?")
_MARKED = re.compile(r"\btold\(\s*(?=\")")
_TEXT = re.compile(r'(?:"(?:\\.|[^"\\\n])*"\s*)+')
_OPTIONAL = re.compile(r"\[[^\[\]]*\]")
_NAMED = re.compile(r"\{(\w+)\}")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\w*)(?::[^{}]*)?\}")
# Portuguese has none of these words.
_ENGLISH = re.compile(r"(?<![\w-])(?:the|and|not|has|have|was|were|with|from|of|is|are|this|that|which|cannot)(?![\w-])")
# These belong to no language: placeholders, what stands in quotes, commands with their options, paths and keys.
_NO_WORDS = re.compile(rf'{_PLACEHOLDER.pattern}|"[^"]*"|(?:--|/)\S+|sales-gateway(?: [a-z-]+)?|\w+(?:[.-]\w+)+')


def log_sentences(paths):
    """Returns every part of a sentence that is logged, and the path of one line that logs it. A word without a space or
    a field is a code that a function compares."""
    functions = log_calls.sentence_functions(paths)
    return {template: path for path in paths for call in log_calls.calls_of(source.text_of(path), functions)
            for template in call.templates if re.search(r"[ {]", template)}


def marked(code):
    """Returns the texts that told() marks."""
    return {"".join(log_calls.literals(_TEXT.match(code, found.end()).group())) for found in _MARKED.finditer(code)}


def sentence_names(text):
    """Returns the fields of a sentence, and those of each optional part."""
    optional = sorted(sorted(_NAMED.findall(part)) for part in _OPTIONAL.findall(text))
    return sorted(set(_NAMED.findall(text))), optional


def has_the_values_of(english, portuguese):
    """Tells whether a format takes the values of another one, perhaps in another order."""
    theirs = [match[1] for match in _PLACEHOLDER.finditer(english) if match[1] is not None]
    ours = [match[1] for match in _PLACEHOLDER.finditer(portuguese) if match[1] is not None]
    if any(name.isdigit() for name in ours):
        return sorted(ours) == [str(place) for place in range(len(theirs))] or sorted(ours) == sorted(theirs)
    return sorted(ours) == sorted(theirs)


def pairs_once(pairs):
    """Reads an object of JSON; a key that stands twice is an error."""
    names = [name for name, _ in pairs]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"twice in one group: {sorted(doubled)}")
    return dict(pairs)


def departures(groups, logged, told, literals):
    """Yields what is wrong. `logged` and `told` must have their Portuguese; `literals` may."""
    of_others = {text for group, texts in groups.items() if group not in (LOG, DETAILS, HELP) for text in texts}
    unmarked = groups[DETAILS].keys() | groups.get(HELP, {}).keys()
    for text in sorted(set(logged) - groups[LOG].keys()):
        yield f"the log says in English alone: {text}"
    for text in sorted(told - of_others):
        yield f"marked, and in English alone: {text}"
    for text in sorted((groups[LOG].keys() - set(logged)) | (unmarked - literals) | (of_others - told)):
        yield f"nobody says this, take it out: {text}"
    everything = [text for texts in groups.values() for text in texts]
    for text in sorted({text for text in everything if everything.count(text) > 1}):
        yield f"stands in two groups: {text}"
    for group, texts in groups.items():
        for english, portuguese in texts.items():
            same = sentence_names(english) == sentence_names(portuguese) if group == LOG \
                else has_the_values_of(english, portuguese)
            if not same:
                yield f"the Portuguese has other values than: {english}"
            if not is_portuguese(portuguese):
                yield f"this is no Portuguese: {portuguese}"


def is_portuguese(text):
    return bool(text) and not _ENGLISH.search(_NO_WORDS.sub("", text))


def outline(example):
    """Returns what an example has in each language: its settings, and between them where headings, comments, commands
    and empty lines stand."""
    lines = example.splitlines()
    parts = (line if _SETTING.match(line) else _BEGINNING.match(line)[0] for line in lines)
    return [part for part, _ in itertools.groupby(parts)]


def departures_of_examples(english, portuguese):
    """Yields where the Portuguese example differs from the English one in more than its words, and what is English."""
    for theirs, ours in itertools.zip_longest(outline(english), outline(portuguese)):
        if theirs != ours:
            yield f"the Portuguese example has {ours!r} for {theirs!r}"
            break  # what follows is only shifted
    for line in portuguese.splitlines():
        beginning = _BEGINNING.match(line)[0]
        if beginning in ("# ", "## ") and not is_portuguese(line.removeprefix(beginning)):
            yield f"this is no Portuguese: {line}"


def try_itself():
    """A gate that finds nothing in bad code is worse than none."""
    good = {LOG: {"{a} goes[: {b}]": "{a} vai[: {b}]"}, DETAILS: {"{} of {}": "{1}: {0}"}, "c": {"x": "y"}}
    logged, literals = {"{a} goes[: {b}]": "a.cpp"}, {"{} of {}"}
    assert not list(departures(good, logged, {"x"}, literals))
    assert list(departures(good, logged | {"z": "a.cpp"}, {"x"}, literals)), "a sentence in English alone"
    assert list(departures(good, {}, {"x"}, literals)), "a sentence that nobody logs"
    assert list(departures(good, logged, {"x", "z"}, literals)), "a marked text in English alone"
    assert list(departures(good, logged, set(), literals)), "a text that nobody marks"
    assert list(departures(good, logged, {"x"}, set())), "a detail that nobody says"
    assert list(departures(good | {"d": {"x": "y"}}, logged, {"x"}, literals)), "a text in two groups"
    for wrong in ("{a} vai: {b}", "{a} vai[: {c}]", "{a} goes and is[: {b}]", ""):
        assert list(departures(good | {LOG: {"{a} goes[: {b}]": wrong}}, logged, {"x"}, literals)), wrong
    for wrong in ("{1}: {1}", "{}", "{2} {0}"):
        assert list(departures(good | {DETAILS: {"{} of {}": wrong}}, logged, {"x"}, literals)), wrong
    example = '## It\n# How it is\n# said.\n#     go\n#\n#x = 1\n\n[y]\n# Z.\nz = "the z"\n'
    translated = '## Ele\n# Como se diz.\n#     vai\n#\n#x = 1\n\n[y]\n# Zê.\nz = "the z"\n'
    assert not list(departures_of_examples(example, translated))
    for wrong in (translated.replace("1", "2"), translated.replace("#x", "x"), translated.replace("# Zê.\n", ""),
                  translated.replace("#x = 1\n", "#x = 1\n#w = 1\n"), translated.replace("\n\n", "\n"),
                  translated.replace("Ele", "All of it"), translated.replace("Zê", "What is z"), translated + "[a]\n"):
        assert list(departures_of_examples(example, wrong)), wrong
    assert marked('f(told("a "\n  "b"), told(c), told( "d\\"e"))') == {"a b", 'd"e'}


if __name__ == "__main__":
    try_itself()
    places = source.files("gateway")
    sources = "\n".join(source.code_of(source.text_of(path), keep_strings=True) for path in places)
    said = json.loads(source.text_of(FILE), object_pairs_hook=pairs_once)
    wrong = list(departures(said, log_sentences(places), marked(sources), set(log_calls.literals(sources))))
    wrong += departures_of_examples(*map(source.text_of, EXAMPLES))
    for message in wrong:
        print(message)
    if wrong:
        sys.exit(1)
    print(f"{sum(len(texts) for texts in said.values())} sentences, nothing found")
