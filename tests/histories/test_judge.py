"""Tests the judge with small histories: it accepts what the contract allows, and finds what the contract forbids."""
import dataclasses
import itertools

import pytest

from history import Answer, Call, keys_of
from judge import fault_of, judge, smallest, story

SOLD = Answer(200, None, "sold", "S1", "EFETIVADA", "tv", "X1", goods=True)
HELD = Answer(200, None, "held", "S1", "AUTORIZADA", "tv", "X1")
PENDING = Answer(202, None, "pending", "S1", "PENDENTE", "tv", "X1")
CONFIRMING = Answer(202, None, "pending", "S1", "AUTORIZADA", "tv", "X1")
CANCELLED = Answer(200, None, "not_sold", "S1", "CANCELADA", "tv", "X1")
LOST = Answer(504, "sale_cancelled", "not_sold", "S1", "CANCELADA", "tv", "X1")
REFUSED = Answer(402, "sale_refused", "not_sold", "S1", "NEGADA", "tv", "X1")
NO_SALE = Answer(200, None, "not_sold")
KEY_CANCELLED = Answer(409, "sale_final", "not_sold")
IS_SOLD = Answer(409, "sale_final", "sold", "S1", "EFETIVADA", "tv", "X1", goods=True)
IS_CANCELLED = Answer(409, "sale_final", "not_sold", "S1", "CANCELADA", "tv", "X1")
REUSED = Answer(422, "idempotency_key_reused", "sold", "S1", "EFETIVADA")
AWAITING = Answer(202, None, "pending", "S1", "AUTORIZADA", "esim", "X1")
NO_CANCEL = Answer(409, "not_cancellable", "pending", "S1", "AUTORIZADA", "esim", "X1")
NOTHING_FOUND = Answer(200, sales=0)
NOT_FOUND = Answer(404, "not_found")
NOT_NOW = Answer(503, "journal_unavailable")
IN_DOUBT = Answer(503, "journal_unavailable", "pending")
STOPPING = Answer(503, "shutting_down")
NEW_SALES_ONLY = {"rate_limited": 429, "overloaded": 503, "shutting_down": 503, "limit_reached": 409,
                  "possible_duplicate": 409, "selling_stopped": 503}  # fmt: skip


def but(answer, **changes):
    return dataclasses.replace(answer, **changes)


def again(answer):
    return but(answer, replayed=True)


def seen(answer):
    """What a GET says of the same sale."""
    return but(answer, http=200, code=None, replayed=False)


def call(kind, answer, begin, end, order="a", manual=False):
    is_sell = kind == "sell"
    return Call("caixa-01", "k1", kind, begin, None if answer is None else end, order if is_sell else None,
                manual and is_sell, answer)  # fmt: skip


def in_turn(*calls, manual=False):
    """A history of calls one after the other; each is its kind, its answer, and perhaps another order."""
    return [call(kind, answer, 10 * at, 10 * at + 5, *order, manual=manual)
            for at, (kind, answer, *order) in enumerate(calls)]


def held(*calls):
    return in_turn(*calls, manual=True)


def at_once(*calls, manual=False):
    return [call(kind, answer, at, 100, *order, manual=manual) for at, (kind, answer, *order) in enumerate(calls)]


ALLOWED = {
    "a sale and its repeat": in_turn(("sell", SOLD), ("sell", again(SOLD)), ("get", seen(SOLD))),
    "a sale that goes on": in_turn(("sell", PENDING), ("get", seen(CONFIRMING)), ("sell", again(SOLD))),
    "a lost sell that sold": in_turn(("sell", None), ("sell", again(SOLD))),
    "a lost sell that did nothing": in_turn(("sell", None), ("find", NOTHING_FOUND), ("sell", SOLD)),
    "a lost sell that came late": in_turn(("sell", None), ("find", NOTHING_FOUND), ("find", seen(SOLD))),
    "a lost cancel that came late": held(("cancel_key", None), ("sell", HELD), ("get", seen(CANCELLED))),
    "a lost cancel that came first": in_turn(("cancel_key", None), ("sell", KEY_CANCELLED)),
    "a hold that expired": held(("sell", HELD), ("confirm", IS_CANCELLED), ("sell", again(CANCELLED))),
    "a hold that nobody asked about": held(("sell", HELD), ("get", seen(CANCELLED))),
    "a repeat while it is pending": in_turn(("sell", PENDING), ("sell", again(PENDING)), ("get", seen(PENDING))),
    "a hold and its repeat": held(("sell", HELD), ("sell", again(HELD)), ("confirm", SOLD)),
    "a repeat while it is confirmed": in_turn(("sell", CONFIRMING), ("sell", again(CONFIRMING)), ("get", seen(SOLD))),
    "a cancel that is late": held(("sell", HELD), ("cancel", CONFIRMING), ("get", seen(HELD)),
                                  ("get", seen(CANCELLED))),
    "a hold that was confirmed": held(("sell", HELD), ("confirm", SOLD), ("cancel", IS_SOLD), ("sell", again(SOLD))),
    "a confirm that was late": held(("sell", HELD), ("confirm", CONFIRMING), ("get", seen(HELD)), ("get", seen(SOLD))),
    "a confirm of what is not held yet": held(("sell", PENDING), ("confirm", PENDING), ("sell", again(HELD))),
    "confirm and cancel at once": [
        *held(("sell", HELD)), call("confirm", IS_CANCELLED, 11, 20), call("cancel", CANCELLED, 11, 20)],
    "a cancelled key": in_turn(("cancel_key", NO_SALE), ("cancel_key", NO_SALE), ("sell", KEY_CANCELLED),
                               ("find", NOTHING_FOUND)),
    "a cancel too late": in_turn(("sell", SOLD), ("cancel_key", IS_SOLD), ("cancel", IS_SOLD)),
    "a cancel while it is confirmed": in_turn(("sell", CONFIRMING), ("cancel_key", CONFIRMING), ("sell", again(SOLD))),
    "a cancel of a sell that waits": at_once(("sell", CANCELLED), ("cancel_key", CANCELLED)),
    "two sells and a cancel at once": at_once(("sell", again(SOLD)), ("sell", SOLD), ("cancel_key", IS_SOLD)),
    "two orders at once": at_once(("sell", SOLD, "a"), ("sell", REUSED, "b")),
    "the loser of two orders comes first": at_once(("sell", REUSED, "b"), ("sell", SOLD, "a")),
    "an eSIM has no cancel": in_turn(("sell", AWAITING), ("cancel", NO_CANCEL), ("cancel_key", NO_CANCEL)),
    "refusals": in_turn(("sell", NOT_NOW), ("sell", STOPPING), ("sell", REFUSED), ("sell", again(REFUSED)),
                        ("cancel", seen(REFUSED))),
    "a sell in doubt that sold": in_turn(("sell", IN_DOUBT), ("sell", NOT_NOW), ("sell", again(SOLD))),
    "a sell in doubt that did not": in_turn(("sell", IN_DOUBT), ("sell", SOLD)),
    "a confirm in doubt that sold": held(("sell", HELD), ("confirm", IN_DOUBT), ("get", seen(SOLD))),
    "a confirm in doubt that did not": held(("sell", HELD), ("confirm", IN_DOUBT), ("get", seen(HELD))),
    "a cancel in doubt of a free key": in_turn(("cancel_key", IN_DOUBT), ("sell", KEY_CANCELLED)),
    "a further attempt": in_turn(("sell", PENDING), ("sell", again(but(SOLD, id_externo="X2")))),
}  # fmt: skip

FORBIDDEN = {
    "sold, and then not": in_turn(("sell", SOLD), ("get", seen(CANCELLED))),
    "not sold, and then sold": in_turn(("sell", LOST), ("get", seen(SOLD))),
    "sold, and then pending": in_turn(("sell", SOLD), ("sell", again(CONFIRMING))),
    "authorised, and then not": in_turn(("sell", CONFIRMING), ("sell", again(PENDING))),
    "held, and then pending by itself": held(("sell", HELD), ("get", seen(CONFIRMING))),
    "held, and sold without a confirm": held(("sell", HELD), ("get", seen(SOLD))),
    "to be held, and sold by itself": held(("sell", PENDING), ("get", seen(SOLD))),
    "held, and sold by a repeat": held(("sell", HELD), ("sell", again(SOLD))),
    "held without having been asked to": in_turn(("sell", HELD)),
    "a confirm that does nothing": held(("sell", HELD), ("confirm", HELD)),
    "confirmed after it was cancelled": held(("sell", HELD), ("cancel", CANCELLED), ("confirm", SOLD)),
    "cancelled while held, and sold": held(("sell", HELD), ("cancel", CANCELLED), ("sell", again(SOLD))),
    "a confirm that wins against a cancel that won": [
        *held(("sell", HELD)), call("confirm", SOLD, 11, 20), call("cancel", CANCELLED, 11, 20)],
    "a repeat that is a second sale": in_turn(("sell", SOLD), ("sell", again(but(SOLD, id="S2")))),
    "a repeat that is not said to be one": in_turn(("sell", SOLD), ("sell", SOLD)),
    "a first call that is said to be a repeat": in_turn(("sell", again(SOLD))),
    "two first calls at once": at_once(("sell", SOLD), ("sell", SOLD)),
    "a repeat with another idExterno": in_turn(("sell", SOLD), ("sell", again(but(SOLD, id_externo="X2")))),
    "a repeat with another answer": in_turn(("sell", LOST), ("sell", again(but(LOST, http=502)))),
    "another final status": in_turn(("sell", REFUSED), ("get", seen(but(REFUSED, status="CANCELADA")))),
    "another order that is a repeat": in_turn(("sell", SOLD, "a"), ("sell", again(SOLD), "b")),
    "a repeat that is another order": in_turn(("sell", SOLD), ("sell", REUSED)),
    "another order of a free key": in_turn(("sell", REUSED)),
    "a cancelled key that sells": in_turn(("cancel_key", NO_SALE), ("sell", SOLD)),
    "a cancelled key that is found": in_turn(("cancel_key", NO_SALE), ("find", seen(SOLD))),
    "a cancelled key, and a lost sell": in_turn(("cancel_key", NO_SALE), ("sell", None), ("get", seen(SOLD))),
    "a key that was never cancelled": in_turn(("sell", KEY_CANCELLED)),
    "a sold key that is cancelled": in_turn(("sell", SOLD), ("cancel_key", NO_SALE)),
    "a sale of nobody's": in_turn(("find", seen(SOLD))),
    "a sale before its sell": [call("find", seen(SOLD), 0, 5), call("sell", SOLD, 10, 15)],
    "a sale that is forgotten": in_turn(("sell", SOLD), ("find", NOTHING_FOUND)),
    "a sale that is not there": in_turn(("sell", SOLD), ("get", NOT_FOUND)),
    "a known key that is turned away": in_turn(("sell", SOLD), ("sell", STOPPING)),
    "a confirm that did nothing sold": held(("sell", HELD), ("confirm", NOT_NOW), ("get", seen(SOLD))),
    "what did nothing sold": in_turn(("sell", NOT_NOW), ("find", seen(SOLD))),
    "a cancel that did not": held(("sell", HELD), ("cancel_key", CANCELLED), ("get", seen(HELD))),
    "several sales": in_turn(("find", but(seen(SOLD), sales=2))),
    "an eSIM that takes a cancel": in_turn(("sell", AWAITING), ("cancel", AWAITING)),
    "an eSIM that is held": held(("sell", but(HELD, family="esim"))),
    "no cancel of another family": in_turn(("sell", CONFIRMING), ("cancel", but(NO_CANCEL, family="tv"))),
    "another family": in_turn(("sell", SOLD), ("get", but(seen(SOLD), family="egift"))),
    "goods before the sale": held(("sell", but(HELD, goods=True))),
    "an outcome of another status": in_turn(("sell", but(SOLD, status="CANCELADA"))),
    "a sold sale that is cancelled with 200": in_turn(("sell", SOLD), ("cancel_key", seen(SOLD))),
    "a pending sale with 200": in_turn(("sell", seen(PENDING))),
    "a refusal with 504": in_turn(("sell", but(REFUSED, http=504, code="sale_cancelled"))),
}  # fmt: skip


@pytest.mark.parametrize("calls", ALLOWED.values(), ids=ALLOWED)
def test_what_the_contract_allows_is_accepted(calls):
    assert fault_of(calls) is None


@pytest.mark.parametrize("calls", FORBIDDEN.values(), ids=FORBIDDEN)
def test_what_the_contract_forbids_is_found(calls):
    assert fault_of(calls)


@pytest.mark.parametrize("code, http", NEW_SALES_ONLY.items())
def test_what_refuses_new_sales_meets_no_known_key(code, http):
    refused = Answer(http, code)
    assert fault_of(in_turn(("sell", refused), ("sell", SOLD))) is None
    assert fault_of(in_turn(("sell", SOLD), ("sell", refused)))
    assert fault_of(in_turn(("cancel_key", NO_SALE), ("sell", refused)))


@pytest.mark.parametrize("calls", FORBIDDEN.values(), ids=FORBIDDEN)
def test_the_order_in_which_the_lines_stand_does_not_matter(calls):
    for turned in itertools.permutations(calls):
        assert fault_of(list(turned))


@pytest.mark.parametrize("calls", ALLOWED.values(), ids=ALLOWED)
def test_any_answer_may_be_missing(calls):
    """A call that was not answered may have done what it did."""
    for at, lost in enumerate(calls):
        assert fault_of([*calls[:at], dataclasses.replace(lost, end=None, answer=None), *calls[at + 1 :]]) is None


def test_the_story_has_as_few_answers_as_possible():
    calls = in_turn(("sell", PENDING), ("sell", again(CONFIRMING)), ("get", seen(CONFIRMING)), ("cancel_key", IS_SOLD),
                    ("get", seen(SOLD)), ("find", seen(CANCELLED)), ("sell", again(LOST)))  # fmt: skip
    assert len(smallest(calls)) == 2
    told = story(calls).splitlines()
    assert told[0] == "caixa-01 k1: The final status is told to be EFETIVADA, and CANCELADA."
    assert len(told) == 1 + 2 + 1 + 5


def test_one_sale_of_two_keys_is_found():
    first = in_turn(("sell", SOLD))
    second = [dataclasses.replace(one, till="caixa-02") for one in first]
    assert judge([first]).broken == [] and len(judge([first, second]).broken) == 1


def test_a_history_is_read_as_it_was_written(tmp_path):
    calls = [dataclasses.replace(one, key=f"k{at}")
             for at, one in enumerate(ALLOWED["refusals"] + ALLOWED["two orders at once"])]  # fmt: skip
    path = tmp_path / "history"
    path.write_text("".join(one.line() for one in calls[::2] + calls[1::2]))
    assert [one for key in keys_of(path) for one in key] == calls
