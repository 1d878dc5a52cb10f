#!/usr/bin/python3
"""tests/unit/ mirrors gateway/, and probe/ and sandbox/ beside it: every source file has its test, or its reason for none in this list."""

import pathlib

import source

# A file, and what tests it instead.
WITHOUT = {
    "gateway/sale/decision.cpp": "decide() is the only way to it: the tests of the machine",
    "gateway/sale/decision_answers.cpp": "decide() is the only way to it: the tests of the machine",
    "gateway/sale/decision_events.cpp": "decide() is the only way to it: the tests of the machine",
    "gateway/api/books_answer.cpp": "closes_test, which meets each refusal of the journal",
    "gateway/families/option_reader.cpp": "the tests of the families' options and family_robustness_test",
    "gateway/families/printed.cpp": "the tests of the families' receipts and receipt_test",
    "gateway/provider/token_answer.cpp": "token_keeper_test, which asks for every answer",
    "gateway/net/wait_queue.cpp": "semaphore_test and live_sale_test wait on it",
    "gateway/http/server/account.cpp": "session_limits_test and session_callers_test, for every connection",
    "gateway/http/server/session_log.cpp": "session_test, which reads the log",
    "gateway/books/judge.cpp": "matching_test and sale_inquiry_test, for rows of statements and for answers",
    "gateway/api/findings.cpp": "e2e_reconcile, with the real programs",
    "gateway/journal/callbacks.cpp": "journal_conformance_test, and rows_unreadable_test for what is damaged",
    "gateway/journal/closes.cpp": "journal_conformance_test, and book_rows_test for what is damaged",
    "gateway/journal/days.cpp": "journal_conformance_test, and book_rows_test for what is damaged",
    "gateway/journal/erasure.cpp": "journal_conformance_test",
    "gateway/journal/findings.cpp": "journal_conformance_test, and book_rows_test for what is damaged",
    "gateway/journal/keys.cpp": "journal_conformance_test",
    "gateway/journal/moving_mark.cpp": "unit_journal_copy, which meets every mark on both engines",
    "gateway/journal/recorded_step.cpp": "journal_conformance_test, for every engine",
    "gateway/journal/after_restore.cpp": "backup_test and recognition_test for SQLite and without_gateway_test for PostgreSQL, which ask for the same",
    "gateway/journal/token.cpp": "journal_conformance_test",
    "gateway/journal/sqlite/log_gap.cpp": "write_ahead_log_test, on logs that SQLite has written",
    "gateway/journal/table_journal.cpp": "journal_conformance_test, for every engine",
    "gateway/journal/chain/ownership.cpp": "postgres_journal_sharing_test",
    "gateway/journal/chain/chain_journal.cpp": "postgres_journal_sharing_test",
    "gateway/journal/chain/shared_token.cpp": "postgres_journal_sharing_test",
    "gateway/journal/postgres/module/libpq_client.cpp": "session_test and connection_test, on a real server",
    "probe/wire.cpp": "probe_test, in which every exchange goes through it",
    "probe/trials_cancel.cpp": "points_test, for every alternative that they find out",
    "probe/trials_look.cpp": "points_test, for every alternative that they find out",
    "probe/trials_requests.cpp": "points_test, for every alternative that they find out",
    "probe/trials_status.cpp": "points_test, and probe_test for what is revisited",
    "gateway/journal/unreadable_sales.cpp": "rows_unreadable_test",
    "probe/main.cpp": "e2e_probe and the tests beside it, with the real programs",
    "probe/run.cpp": "e2e_probe and the tests beside it, with the real programs",
    "sandbox/families/egift.cpp": "family_test, and orders_test, documents_test and routes_test for every family",
    "sandbox/families/esim.cpp": "family_test, and orders_test, documents_test and routes_test for every family",
    "sandbox/families/health.cpp": "family_test, and orders_test, documents_test and routes_test for every family",
    "sandbox/families/transit.cpp": "family_test, and orders_test, documents_test and routes_test for every family",
    "sandbox/families/tv.cpp": "family_test, and orders_test, documents_test and routes_test for every family",
    "sandbox/main.cpp": "the end-to-end tests and the demo run it",
}


# A test of more than one file, and what it is about.
WIDER = {
    "tests/unit/journal/query_plans_test.cpp": "the statements in sql/statements/, whichever table's they are",
    "tests/unit/http/server/ambiguous_requests_test.cpp": "head.cpp and body.cpp beside Beast's reader",
}


def is_of(test, source_file):
    """tests/unit/room/tv_test.cpp and tv_bounds_test.cpp are of gateway/room/tv.cpp; a folder has its folder."""
    name, stem = pathlib.PurePosixPath(test).stem.removesuffix("_test"), pathlib.PurePosixPath(source_file).stem
    folder = pathlib.PurePosixPath(source_file.removeprefix("gateway/")).parent
    same_room = pathlib.PurePosixPath(test.removeprefix("tests/unit/")).parent == folder
    return same_room and (name == stem or name.startswith(stem + "_") or name.endswith("_" + stem))


def departures(sources, headers, tests, without, wider):
    """(file, what is wrong with it)."""
    for path in sources:
        has = any(is_of(test, path) for test in tests)
        if not has and path not in without:
            yield path, "has no test; write one, or its reason for none into tests/tidy/mirror.py"
        if has and path in without:
            yield path, "has a test; take it out of the list in tests/tidy/mirror.py"
    for test in tests:
        if test not in wider and not any(is_of(test, path) for path in [*sources, *headers]):
            yield test, "is named after no file; rename it, or put what it is about into tests/tidy/mirror.py"
    for path in [*without, *wider]:
        if path not in sources and path not in tests:
            yield path, "is not there any more; take it out of the list in tests/tidy/mirror.py"


def try_itself():
    a, t = "gateway/base/log.cpp", "tests/unit/base/log_test.cpp"
    wide = "tests/unit/base/all_test.cpp"
    assert list(departures([a], [], [], {}, {}))
    assert list(departures([a], [], [t], {a: "reason"}, {}))
    assert list(departures([], [], [], {a: "reason"}, {}))
    assert list(departures([a], [], [t, wide], {}, {}))
    assert list(departures([a], [], [t], {}, {wide: "reason"}))
    assert list(departures([a], [], ["tests/unit/http/log_test.cpp"], {}, {}))
    assert not list(departures([a], [], [t], {}, {}))
    assert not list(departures([a], [], [], {a: "reason"}, {}))
    assert not list(departures([a], [], [t, wide], {}, {wide: "reason"}))


if __name__ == "__main__":
    try_itself()
    code = [path for path in source.files(*source.PROGRAMS, suffixes=(".cpp",)) if path.count("/") > 1 or not path.startswith("gateway/")]
    unit_tests = [path for path in source.files("tests/unit") if path.endswith("_test.cpp")]
    found = list(departures(code, source.files(*source.PROGRAMS, suffixes=(".hpp",)), unit_tests, WITHOUT, WIDER))
    for file, message in found:
        print(f"{file}: {message}")
    if found:
        raise SystemExit(1)
    print(f"{len(code)} files, all tested")
