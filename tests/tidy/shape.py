#!/usr/bin/python3
"""Small files and scattered classes say why they exist: a header under 25 lines rarely carries a subject of its own,
and a class whose members stand in more than one .cpp file has more than one reason to change."""

import re
import sys

import source

SHORT = 25

_ONE_QUESTION = "one pure question and its answer, with tests of its own; several files ask it"
_ONE_CALL = "one group of calls has one entry, and the file that reads it has no other"
# A header of fewer lines, and why it stands alone.
SHORT_HEADERS = {
    "gateway/journal_moving.hpp": "the one door to a command that is put together of places, for main",
    "gateway/app.hpp": "the one door into the composition root, for main",
    "gateway/precompiled.hpp": "what the compiler reads once for all files",
    "gateway/api/admin.hpp": _ONE_CALL,
    "gateway/api/attention_report.hpp": "the command line and the tests print it without a listener",
    "gateway/api/books_answer.hpp": "totals and closes share it, and neither includes the other",
    "gateway/api/callback_body.hpp": "a fuzzing target reads it without a listener",
    "gateway/api/close_receipt.hpp": _ONE_QUESTION,
    "gateway/api/language.hpp": _ONE_QUESTION,
    "gateway/api/list_request.hpp": _ONE_QUESTION,
    "gateway/api/menu.hpp": _ONE_QUESTION,
    "gateway/api/process_metrics.hpp": "numbers of the process and its files, which know nothing of sales",
    "gateway/api/resolution.hpp": _ONE_QUESTION,
    "gateway/base/language.hpp": "listeners, commands and what they have in common speak of it",
    "gateway/books/totals_json.hpp": "closes keep it and a call answers it",
    "gateway/base/check.hpp": "every file may need it, and must get nothing else with it",
    "gateway/base/field_error.hpp": "families, api and config speak of it, and share nothing else",
    "gateway/base/in_words.hpp": "the log, receipts and commands write amounts alike, and share nothing else",
    "gateway/base/journald_log.hpp": "journald's protocol, which the log itself knows nothing of",
    "gateway/base/language.hpp": "api and commands speak of it, and share nothing else",
    "gateway/base/log_text.hpp": "the text that standard output and journald share",
    "gateway/config/journal_keys.hpp": "the key file is read by commands that read no other key",
    "gateway/config/new_operator.hpp": "a command of its own",
    "gateway/config/new_terminal.hpp": "a command of its own",
    "gateway/config/reload.hpp": "what a running gateway takes over, and what it does not",
    "gateway/families/cpf.hpp": _ONE_QUESTION,
    "gateway/http/client/request_text.hpp": "a request as bytes, tested without a socket",
    "gateway/http/client/retry_after.hpp": _ONE_QUESTION,
    "gateway/http/server/forwarded.hpp": _ONE_QUESTION,
    "gateway/http/server/problem.hpp": "RFC 9457, for every handler",
    "gateway/journal/sqlite/lock_holder.hpp": _ONE_QUESTION,
    "gateway/journal/after_restore.hpp": "files and databases are restored, and each has a room of its own",
    "gateway/sale/movement_day.hpp": "the law asks it, and the journal of sales that an earlier version decided",
    "gateway/sale/quoted_words.hpp": _ONE_QUESTION,
    "sandbox/envelope.hpp": _ONE_QUESTION,
    "sandbox/wire.hpp": _ONE_QUESTION,
}
# A class, and why its members stand in several files.
SCATTERED = {
    "Decision": "what follows from an answer, and from everything else, are two chapters of one law",
    "Seller": "selling, and what other gateways do to sales, share every member and are read by different people",
    "sandbox::Model": "callbacks go on by themselves, long after the request that caused them",
}

_MEMBER = re.compile(r"^(?=\w)(?:[\w:<>,&*\[\] ]+\s)?((?:\w+::)*\w+)::~?\w+(?:<[^>]*>)?\(", re.MULTILINE)
_NAMESPACE = re.compile(r"^namespace gateway(?:::(\w+))?\s*\{", re.MULTILINE)


def classes_of(path, text):
    """The classes that a .cpp file defines members of, by their outermost name."""
    code = source.code_of(text)
    room = _NAMESPACE.search(code)
    prefix = f"{room[1]}::" if room and room[1] else ""
    declared = set(re.findall(r"^(?:class|struct) (\w+)", code, re.MULTILINE))  # the file's own
    found = {name.split("::")[0] for name in _MEMBER.findall(code)}
    return {prefix + name for name in found if name[:1].isupper() and name not in declared}


def departures(files, short_headers, scattered):
    """(path, what is wrong) for every file, and every exception, that departs; `files` maps paths to texts."""
    short = {path for path, text in files.items() if path.endswith(".hpp") and text.count("\n") < SHORT}
    for path in sorted(short - set(short_headers)):
        yield path, (f"fewer than {SHORT} lines: move it to its neighbour, or say in tests/tidy/shape.py why it stands "
                     "alone")
    for path in sorted(set(short_headers) - short):
        yield path, "an exception that nothing needs any more; take it out of tests/tidy/shape.py"
    places = {}
    for path, text in files.items():
        if path.endswith(".cpp"):
            for name in classes_of(path, text):
                places.setdefault(name, []).append(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1 and name not in scattered:
            yield paths[0], f"members of {name} stand in {', '.join(paths)}: split the class, or say why not"
    for name in sorted(scattered):
        if len(places.get(name, [])) < 2:
            yield name, "an exception that nothing needs any more; take it out of tests/tidy/shape.py"


def try_itself():
    """A gate that finds nothing in bad code is worse than none."""
    short, long = "// A.\n#pragma once\n", "// A.\n#pragma once\n" + "int x;\n" * SHORT
    one = "namespace gateway {\nvoid Foo::a() {\n}\n}\n"
    two = "namespace gateway {\nint Foo::b() const {\n}\n}\n"
    assert list(departures({"a.hpp": short}, {}, {}))
    assert not list(departures({"a.hpp": short}, {"a.hpp": "reason"}, {}))
    assert list(departures({"a.hpp": long}, {"a.hpp": "reason"}, {}))
    assert not list(departures({"a.hpp": long}, {}, {}))
    assert list(departures({"a.cpp": one, "b.cpp": two}, {}, {}))
    assert not list(departures({"a.cpp": one, "b.cpp": two}, {}, {"Foo": "reason"}))
    assert list(departures({"a.cpp": one}, {}, {"Foo": "reason"}))


if __name__ == "__main__":
    try_itself()
    seen = {path: source.text_of(path) for path in source.files(*source.PROGRAMS)}
    wrong = list(departures(seen, SHORT_HEADERS, SCATTERED))
    for file, message in wrong:
        print(f"{file}: {message}")
    if wrong:
        sys.exit(1)
    print(f"{len(seen)} files, nothing found")
