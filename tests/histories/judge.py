#!/usr/bin/python3
"""Judges a history by the contract alone. Of each key it looks for one order of events that explains every answer.

    tests/histories/judge.py FILE...

It prints how much it has judged, and the story of each key that no order explains; then it exits with 1.
"""
import argparse
import dataclasses
import itertools
import sys

from history import keys_of

# How a key stands. A state is one of these words, with the order that is sold where there is a sale.
FREE, CANCELLED = "the key is free", "the key is cancelled, without a sale"
PENDING, AUTHORISED, HELD, SOLD, NOT_SOLD = "PENDENTE", "AUTORIZADA", "held", "sold", "not_sold"
_SALE = (PENDING, AUTHORISED, HELD, SOLD, NOT_SOLD)
# These calls change how a key stands. A cancel of a sale leads to nothing to which the provider's word, or the end of a
# hold, may not lead too: it is judged by its answer.
_COMMANDS = ("sell", "cancel_key", "confirm")
_CANCELS = ("cancel", "cancel_key")

# Each status with the outcomes that it can have.
_OUTCOMES = {"PENDENTE": ("pending",), "AUTORIZADA": ("held", "pending"), "EFETIVADA": ("sold",),
             "CANCELADA": ("not_sold",), "NEGADA": ("not_sold",)}  # fmt: skip
# These problems refuse new sales only, because a known key is answered first.
_NEW_SALES_ONLY = ("rate_limited", "overloaded", "shutting_down", "limit_reached", "possible_duplicate",
                   "selling_stopped")  # fmt: skip
# What each call is answered with, by the outcome. A cancelled key without a sale has the outcome "no sale" here.
_STATUS_OF_READING = {"sold": (200,), "held": (200,), "pending": (200,), "not_sold": (200,), "no sale": ()}
_STATUS_OF_CANCEL = {"sold": (409,), "held": (), "pending": (202,), "not_sold": (200,), "no sale": (200,)}
_HTTP = {
    "sell": {"sold": (200,), "held": (200,), "pending": (202,), "not_sold": (200, 402, 502, 503, 504),
             "no sale": (409,)},
    "confirm": {"sold": (200,), "held": (200,), "pending": (202,), "not_sold": (402, 409, 502, 503, 504),
                "no sale": ()},
    "cancel": _STATUS_OF_CANCEL | {"no sale": ()},
    "cancel_key": _STATUS_OF_CANCEL,
    "get": _STATUS_OF_READING,
    "find": _STATUS_OF_READING,
}  # fmt: skip


# --- the contract's state machine ---


def _moves_by_itself(state, manual):
    """The states that the provider's word, or time, can lead to."""
    word, order = state
    if word == PENDING:
        return [(HELD if manual.get(order) else AUTHORISED, order), (NOT_SOLD, order)]
    if word == AUTHORISED:
        return [(SOLD, order), (NOT_SOLD, order)]
    return [(NOT_SOLD, order)] if word == HELD else []


def _after(kind, order, state):
    """The state that a call makes of a state."""
    word, sold = state
    if kind == "sell" and word == FREE:
        return (PENDING, order)
    if kind == "cancel_key" and word == FREE:
        return (CANCELLED, None)
    return (AUTHORISED, sold) if kind == "confirm" and word == HELD else state


def _is_past(kind, word):
    """Whether a call changes nothing any more of a key that stands so, and none that stands so later."""
    return word not in (FREE, PENDING, HELD) if kind == "confirm" else word != FREE


def _may_meet(call, state):
    """Whether a sell that is answered so can have come to a key that stands so."""
    (word, sold), answer = state, call.answer
    if call.call != "sell":
        return True
    is_repeat = word in _SALE and sold == call.order
    if answer.code == "idempotency_key_reused":
        return word in _SALE and not is_repeat
    if answer.id is None:
        return word == CANCELLED
    return is_repeat if answer.replayed else word == FREE


def _is_late(call):
    """Whether a call may take effect at any time after it has begun, or never: it has no answer that says more."""
    if call.call not in _COMMANDS:
        return False
    if call.answer is None:
        return True
    if call.answer.outcome == "pending" and call.answer.id is None:
        return True
    return call.call != "sell" and call.answer.http == 202


def _takes_effect(call):
    """Whether a call must have taken effect when it is answered."""
    said_nothing_was_done = call.answer.outcome is None and call.answer.code != "idempotency_key_reused"
    return (call.call in _COMMANDS and not _is_late(call) and not said_nothing_was_done
            and call.answer.code != "journal_unavailable")  # fmt: skip


def _told_in(call):
    """The words of the states in which a call can be answered so; nothing where the answer does not say."""
    answer = call.answer
    if answer.code in _NEW_SALES_ONLY:
        return (FREE,)
    if answer.code == "not_found" or answer.sales == 0:
        return (FREE, CANCELLED)
    if answer.id is None:
        return (CANCELLED,) if answer.outcome == "not_sold" else None
    if answer.outcome != "pending":
        return (answer.outcome,)
    # A held sale is told to be pending, too, where it has not taken the command of this call yet.
    is_command = call.call in _CANCELS or call.call == "confirm"
    return (AUTHORISED, HELD) if answer.status == AUTHORISED and is_command else (answer.status,)


# --- what is wrong with the calls of one key ---


def fault_of(calls):
    """Says in a sentence what is wrong with the calls of one key; nothing where one order of events explains them."""
    answered = [call for call in calls if call.answer is not None]
    for call in answered:
        if wrong := _misfit(call):
            return wrong
    return _two_facts(answered) or _no_order(calls)


def _misfit(call):
    """What is wrong with an answer, whatever else was answered."""
    answer = call.answer
    if answer.sales > 1:
        return "A key has several sales."
    if answer.goods and answer.outcome != "sold":
        return "The goods are handed over with a sale that is not sold."
    if answer.status and answer.outcome not in _OUTCOMES[answer.status]:
        return f"The outcome {answer.outcome} does not belong to the status {answer.status}."
    if answer.code == "idempotency_key_reused":
        return None if answer.http == 422 else "idempotency_key_reused is not a 422."
    if answer.outcome is None or answer.code == "journal_unavailable":
        return None
    if answer.family == "esim" and answer.outcome == "held":
        return "An eSIM is held."
    if call.call in _CANCELS and answer.outcome == "pending" and (answer.family == "esim" or answer.http == 409):
        is_so = answer.family == "esim" and (answer.http, answer.code) == (409, "not_cancellable")
        return None if is_so else "Only an eSIM has no cancel, and it has none."
    outcome = answer.outcome if answer.id else "no sale"
    fits = answer.http in _HTTP[call.call][outcome] and (answer.code == "sale_final") == (answer.http == 409)
    if call.call == "sell" and answer.status == "NEGADA" or answer.http == 402:
        fits = fits and (answer.http == 402) == (answer.status == "NEGADA")
    said = f"{answer.http} {answer.code or ''}".strip()
    return None if fits else f"A {call.call} that finds {outcome} is not answered with {said}."


def _two_facts(answered):
    """What is one fact of a sale, and was told to be two."""
    facts = {}
    for call in answered:
        answer = call.answer
        is_decided = answer.status not in (None, "PENDENTE")
        is_final = answer.outcome in ("sold", "not_sold")
        is_sell = call.call == "sell" and answer.code != "idempotency_key_reused"
        told = {
            "id of the sale": answer.id,
            "family": answer.family,
            "idExterno of what is authorised": answer.id_externo if is_decided else None,
            "final status": answer.status if is_final else None,
            "answer to a sell of what is final": f"{answer.http} {answer.code}" if is_final and is_sell else None,
        }  # fmt: skip
        for fact, value in told.items():
            if value is not None and facts.setdefault(fact, value) != value:
                return f"The {fact} is told to be {facts[fact]}, and {value}."
    return None


def _no_order(calls):
    """Looks for one order of events in which every call takes effect, and is answered, between its begin and its end.

    It goes through the begins and ends in their order, and keeps every way in which the key may stand: its state, and
    of the calls that are open, which have taken effect (`acted`) and which are answered (`done`), as bits.
    """
    manual = {call.order: call.manual for call in calls if call.call == "sell"}
    marks = sorted([(call.begin, False, at) for at, call in enumerate(calls)]
                   + [(call.end, True, at) for at, call in enumerate(calls) if call.answer is not None])  # fmt: skip
    late, open_calls = set(), {}  # those that may take effect at any time from now on; those that are to be answered
    ways = {((FREE, None), 0, 0)}
    for _, is_end, at in marks:
        call = calls[at]
        if not is_end:
            if _is_late(call):
                late.add((call.call, call.order))
            if call.answer is not None and (told_in := _told_in(call)) is not None:
                open_calls[at] = (told_in, _takes_effect(call))
        elif at in open_calls:
            ways = _closure(calls, manual, ways, late, open_calls)
            del open_calls[at]
            bit = 1 << at
            ways = {(state, acted & ~bit, done & ~bit) for state, acted, done in ways if done & bit}
            if not ways:
                return "No order of events explains these answers."
    return None


def _closure(calls, manual, ways, late, open_calls):
    """Every way in which the key may stand later, without a further begin."""
    found, left = set(), []

    def reach(state, acted, done):
        # To take effect where that changes nothing, now or later, and to be answered, is never worse now than later.
        for at, (told_in, takes_effect) in open_calls.items():
            if takes_effect and _is_past(calls[at].call, state[0]) and _may_meet(calls[at], state):
                acted |= 1 << at
            if state[0] in told_in and (acted >> at & 1 or not takes_effect):
                done |= 1 << at
        way = (state, acted, done)
        if way not in found:
            found.add(way)
            left.append(way)

    for way in ways:
        reach(*way)
    while left:
        state, acted, done = left.pop()
        for moved in _moves_by_itself(state, manual):
            reach(moved, acted, done)
        for kind, order in late:
            reach(_after(kind, order, state), acted, done)
        for at, (_, takes_effect) in open_calls.items():
            if takes_effect and not (acted | done) >> at & 1 and _may_meet(calls[at], state):
                reach(_after(calls[at].call, calls[at].order, state), acted | 1 << at, done)
    return found


# --- the story of a broken key ---


def smallest(calls):
    """Returns as few of the calls as possible whose answers cannot all be true, whatever the others were answered."""
    answered = [at for at, call in enumerate(calls) if call.answer is not None]
    for size in (1, 2, 3):
        if len(answered) ** size > 30_000:
            break
        for kept in itertools.combinations(answered, size):
            if fault_of(_unanswered_but(calls, kept)):
                return [calls[at] for at in kept]
    kept = answered
    for at in answered:
        fewer = [other for other in kept if other != at]
        if fault_of(_unanswered_but(calls, fewer)):
            kept = fewer
    return [calls[at] for at in kept]


def _unanswered_but(calls, kept):
    """A call whose answer is not looked at may have taken effect at any time, or never. So less is known, and what is
    wrong with the calls then is wrong with all of them."""
    return [call if at in kept else dataclasses.replace(call, end=None, answer=None) for at, call in enumerate(calls)]


def story(calls):
    """Tells what is wrong with the calls of a broken key, in as few of them as possible."""
    core = smallest(calls)
    begin = min(call.begin for call in calls)
    rest = [call for call in sorted(calls, key=lambda call: call.begin) if not any(call is one for one in core)]
    only = fault_of(_unanswered_but(calls, [at for at, call in enumerate(calls) if any(call is one for one in core)]))
    lines = [f"{calls[0].till} {calls[0].key}: {only}"]
    lines += ["    " + _told(call, begin) for call in sorted(core, key=lambda call: call.begin)]
    if rest:
        lines.append("  The other calls, whose answers change nothing about that:")
        lines += ["    " + _told(call, begin) for call in rest]
    return "\n".join(lines)


def _told(call, begin):
    def at(moment):
        return f"{(moment - begin) / 1e6:.3f}"

    sent = call.call if call.call != "sell" else f"sell {call.order}{' to hold it' if call.manual else ''}"
    if call.answer is None:
        return f"{at(call.begin)} ms: {sent}: no answer"
    answer = call.answer
    words = [answer.http, answer.code, answer.outcome, answer.status, answer.id and f"sale {answer.id}",
             answer.id_externo and f"idExterno {answer.id_externo}", "replayed" if answer.replayed else None,
             "no sale" if answer.sales == 0 else None]  # fmt: skip
    told = " ".join(str(word) for word in words if word is not None)
    return f"{at(call.begin)} to {at(call.end)} ms: {sent}: {told}"


class Judge:
    """Judges one key after the other, and that no sale belongs to two of them."""

    def __init__(self):
        self.keys = self.calls = self.unanswered = 0
        self.broken = []  # the calls of each broken key
        self.stories = []
        self._owners = {}

    def hear(self, calls):
        self.keys += 1
        self.calls += len(calls)
        self.unanswered += sum(call.answer is None for call in calls)
        told = [story(calls)] if fault_of(calls) else []
        owner = (calls[0].till, calls[0].key)
        for name in {call.answer.id for call in calls if call.answer and call.answer.id}:
            if self._owners.setdefault(name, owner) != owner:
                told.append(f"{' '.join(owner)}: The sale {name} is that of {' '.join(self._owners[name])}, too.")
        if told:
            self.broken.append(calls)
            self.stories += told
        return self

    def verdict(self):
        return (f"{self.calls} calls with {self.keys} keys, {self.unanswered} of them without an answer: "
                f"{len(self.broken)} keys that no order of events explains")


def judge(keys):
    judged = Judge()
    for calls in keys:
        judged.hear(calls)
    return judged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    judged = judge(itertools.chain.from_iterable(keys_of(path) for path in parser.parse_args().files))
    print("\n".join([*judged.stories, judged.verdict()]))
    return 1 if judged.broken else 0


if __name__ == "__main__":
    sys.exit(main())
