"""Tests what the gateway writes: one JSON object a line, the history of every sale, and nothing that is nobody's
business."""
import json
import re
import sys

import pytest
from harness.day import CARTAO, CHANGES, everything_written, secrets_of, tell
from harness.processes import ROOT
from harness.shop import Shop

sys.path.insert(0, str(ROOT / "tests/tidy"))
import log_calls

@pytest.fixture(scope="module")
def day(tmp_path_factory):
    """A day of a store at the most talkative level: every family, every kind of trouble, restarts and mistakes."""
    shop = Shop(tmp_path_factory.mktemp("logs"), CHANGES).start()
    try:
        yield tell(shop)
    finally:
        shop.close()


def test_every_line_is_one_json_object_with_time_level_and_event(day):
    for run in day.gateway.runs:
        for line in run.text().splitlines():
            said = json.loads(line)
            assert list(said)[:3] == ["time", "level", "event"]
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", said["time"])
            assert said["level"] in ("debug", "info", "warn", "error")
            assert all(isinstance(value, (str, int, bool)) for value in said.values())


# For each type in docs/log-fields.md, this is how a value looks in JSON.
LOOKS = {
    "id": lambda value: isinstance(value, str) and " " not in value,
    "text": lambda value: isinstance(value, str),
    "word": lambda value: isinstance(value, str) and re.fullmatch(r"\w+", value),
    "number": lambda value: type(value) is int,
    "milliseconds": lambda value: type(value) is int,
    "cents": lambda value: type(value) is int,
    "time": lambda value: re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value),
    "yes or no": lambda value: type(value) is bool,
}


def test_every_event_and_field_is_what_the_list_says(day):
    listed = log_calls.Listed(*((ROOT / page).read_text() for page in (log_calls.EVENTS, log_calls.FIELDS)))
    seen = set()
    for line in day.gateway.lines():
        event, level = line["event"], line["level"]
        assert level in listed.events[event], f"{event} is logged as {level}"
        for name, value in list(line.items())[3:]:
            assert LOOKS[listed.fields[name]](value), f"{name} of {event} is no {listed.fields[name]}: {value!r}"
            seen.add(name)
    assert len(seen) > 30, seen


def test_nothing_that_is_nobodys_business_is_written(day):
    text = everything_written(day)
    assert len(text) > 20000
    for what, secrets in secrets_of(day).items():
        for secret in secrets:
            assert secret not in text, f"{what} is in the log, the metrics or standard error: {secret}"


def test_no_problem_quotes_what_was_sent(day):
    for answer in day.answers:
        if answer.status == 422:
            for secret in ("111.444.777", "1114447773", CARTAO, "Genoveva"):
                assert secret.encode() not in answer.body


def test_no_bearer_and_no_basic_credentials_are_written(day):
    assert not re.search(r"Bearer \S|Basic [A-Za-z0-9+/=]{8}", everything_written(day))


def test_the_history_of_a_failed_sale_can_be_told_by_its_id(day):
    sale = next(answer.sale for answer in day.answers if answer.status == 504)
    lines = [line for line in day.gateway.lines() if line.get("sale") == sale["id"]]
    assert lines[0]["event"] == "sale.begun" and lines[0]["terminal"] == "caixa-01" and lines[0]["family"] == "tv"
    began = [line["idExterno"] for line in lines if line["event"] in ("sale.begun", "sale.attempt")]
    assert began == [attempt["idExterno"] for attempt in day.sale(sale["id"])["attempts"]]
    steps = [(line["step"], line["known"]) for line in lines if line["event"] == "sale.step"]
    assert steps[0] == ("solicitar", "unknown") and ("cancelar", "cancelled") in steps
    assert all(line["detail"] for line in lines if line["event"] == "sale.step" and line["known"] == "unknown")
    (closed,) = [line for line in lines if line["event"] == "sale.closed"]
    assert (closed["status"], closed["reason"]) == ("CANCELADA", "response_lost")
    attempts = {attempt["idExterno"] for attempt in day.sale(sale["id"])["attempts"]}
    assert {line["idExterno"] for line in lines} == attempts


def test_the_history_of_every_sale_begins_and_ends(day):
    events = {}
    for line in day.gateway.lines():
        if "sale" in line:
            events.setdefault(line["sale"], []).append(line)
    for answer in day.answers:
        if "outcome" not in answer.json:
            continue
        lines = events[answer.sale["id"]]
        assert lines[0]["event"] == "sale.begun" and lines[0]["request"]
        now = day.sale(answer.sale["id"])
        if now["final"]:
            ends = [line for line in lines if line["event"] in ("sale.final", "sale.closed")]
            assert ends and ends[-1]["status"] == now["status"], lines
        if now["attention"]:
            assert any(line["event"] == "sale.attention" and line["detail"] for line in lines)


def test_what_goes_wrong_is_no_plain_information(day):
    by_level = {}
    for line in day.gateway.lines():
        by_level.setdefault(line["level"], []).append(line)
    assert {line["event"] for line in by_level["error"]} <= {"sale.attention"}, by_level["error"]
    assert any(line["event"] == "sale.step" and line["known"] == "unknown" for line in by_level["warn"])
    refused = [line for line in by_level["warn"] if line.get("known") == "refused"]
    assert refused and all(line["httpStatus"] in (200, 422) for line in refused)
    assert any(line.get("providerSaid") == "operacao recusada" for line in refused)
    assert not any(line.get("known") == "unknown" for line in by_level["info"])
