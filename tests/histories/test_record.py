"""Tests the judge with histories of the real gateway: as they were recorded, after they were altered, and behind a
proxy that lies. GATEWAY_BIN and SANDBOX_BIN name the programs."""
import copy
import dataclasses

import pytest

from history import keys_of
from judge import judge
from liar import LIES, Liar
from record import Store, record


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    made = Store(tmp_path_factory.mktemp("store"))
    made.start()
    yield made
    made.close()


@pytest.fixture(scope="module")
def recorded(store, tmp_path_factory):
    """A history of a gateway that was killed now and then: the calls of each key."""
    path = tmp_path_factory.mktemp("recorded") / "history"
    record(store, path, calls=6000, tills=40, seed=1)
    return list(keys_of(path))


def test_what_the_gateway_does_is_accepted(recorded, store):
    judged = judge(recorded)
    assert judged.broken == [], "\n".join(judged.stories)
    assert judged.calls >= 6000 and judged.unanswered > 0 and store.kills > 0


def _of(calls, *outcomes, kinds=("sell", "get", "find", "confirm", "cancel", "cancel_key")):
    """The calls of those kinds that were told such an outcome of the key's sale, in the order of their ends."""
    found = [call for call in calls if call.call in kinds and call.answer and call.answer.id
             and call.answer.outcome in outcomes and call.answer.code != "idempotency_key_reused"]  # fmt: skip
    return sorted(found, key=lambda call: call.end)


def _final(calls, **kinds):
    return _of(calls, "sold", "not_sold", **kinds)


def _without_a_sale(calls):
    return [call for call in calls if call.answer and call.answer.outcome == "not_sold" and call.answer.id is None]


def _say(call, **changes):
    call.answer = dataclasses.replace(call.answer, **changes)


# Each alters one answer among the calls of a key so that no order explains them, and returns whether it could.


def an_answer_goes_back(calls):
    final, asked = _final(calls), _final(calls, kinds=["get"])
    if not asked or final[0].end > asked[-1].begin:
        return False
    _say(asked[-1], outcome="pending", status="PENDENTE", goods=False)
    return True


def not_sold_after_sold(calls):
    sold = _of(calls, "sold")
    if len(sold) < 2:
        return False
    _say(sold[-1], outcome="not_sold", status="CANCELADA", goods=False)
    return True


def sold_after_not_sold(calls):
    ended = _of(calls, "not_sold")
    if len(ended) < 2 or ended[-1].call != "get":
        return False
    _say(ended[-1], outcome="sold", status="EFETIVADA")
    return True


def a_repeat_has_another_id(calls):
    repeats = [call for call in _final(calls, kinds=["sell"]) if call.answer.replayed]
    if not repeats or len(_final(calls)) < 2:
        return False
    _say(repeats[-1], id="another")
    return True


def a_repeat_has_another_id_externo(calls):
    repeats = [call for call in _final(calls, kinds=["sell"]) if call.answer.replayed]
    if not repeats or len(_final(calls)) < 2:
        return False
    _say(repeats[-1], id_externo="another")
    return True


def a_repeat_has_another_status(calls):
    repeats = [call for call in _of(calls, "not_sold", kinds=["sell"]) if call.answer.http == 504]
    if len(repeats) < 2:
        return False
    _say(repeats[-1], http=502)
    return True


def a_cancelled_key_is_sold(calls):
    none = _without_a_sale(calls)
    refused = [call for call in none if call.call == "sell"]
    if not refused or len(none) < 2:
        return False
    _say(refused[-1], http=200, code=None, outcome="sold", status="EFETIVADA", id="new")
    return True


def a_sold_key_is_cancelled(calls):
    too_late = _of(calls, "sold", kinds=["cancel_key"])
    if not too_late or len(_final(calls)) < 2:
        return False
    _say(too_late[-1], http=200, code=None, outcome="not_sold", status=None, id=None, id_externo=None, goods=False)
    return True


def a_first_call_is_a_repeat(calls):
    first = [call for call in _final(calls, kinds=["sell"]) if not call.answer.replayed]
    if not first or any(call.call == "sell" and call.answer is None for call in calls):
        return False
    _say(first[0], replayed=True)
    return True


def a_sale_is_forgotten(calls):
    found, final = _final(calls, kinds=["find"]), _final(calls)
    if not found or final[0].end > found[-1].begin:
        return False
    _say(found[-1], outcome=None, status=None, id=None, id_externo=None, goods=False, sales=0)
    return True


def a_held_sale_is_sold_by_itself(calls):
    held = _of(calls, "held", kinds=["sell", "get", "find"])
    if not held or any(call.call == "confirm" or call.call == "sell" and not call.manual for call in calls):
        return False
    _say(held[-1], outcome="sold", status="EFETIVADA")
    return True


def a_known_key_is_turned_away(calls):
    final = _final(calls)
    if not final or final[0].end > final[-1].begin:
        return False
    _say(final[-1], http=503, code="overloaded", outcome=None, status=None, id=None)
    return True


ALTERATIONS = [an_answer_goes_back, not_sold_after_sold, sold_after_not_sold, a_repeat_has_another_id,
               a_repeat_has_another_id_externo, a_repeat_has_another_status, a_cancelled_key_is_sold,
               a_sold_key_is_cancelled, a_first_call_is_a_repeat, a_sale_is_forgotten, a_held_sale_is_sold_by_itself,
               a_known_key_is_turned_away]  # fmt: skip


@pytest.mark.parametrize("alter", ALTERATIONS, ids=lambda alter: alter.__name__)
def test_one_altered_answer_is_found_wherever_it_stands(recorded, alter):
    altered = 0
    for calls in recorded:
        changed = copy.deepcopy(calls)
        if alter(changed):
            altered += 1
            assert judge([changed]).broken, "\n".join(call.line() for call in changed)
    assert altered > 0


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_proxy_that_lies_is_found(store, tmp_path, lie):
    liar = Liar(store.places[0], lie)
    try:
        record(store, tmp_path / "history", calls=1000, tills=20, seed=1, places=[liar.place], kills=False)
    finally:
        liar.close()
    assert judge(keys_of(tmp_path / "history")).broken
