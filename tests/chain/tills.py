"""These tills sell through the balancer, or at any gateway, and repeat their calls until they are told an outcome. A
ledger holds everything that they were told."""
import collections
import http.client
import random
import threading
import time

from harness import orders
from harness.client import Background, Terminal, check_answer, plain_request
from harness.orders import new_key
from harness.processes import key_of
from harness.waiting import eventually

FINAL = ("sold", "not_sold")
# The sandbox's outcomes for these amounts end by themselves. For an eSIM these do not: 3, 34, 35 and 40.
_OF_ANY_FAMILY = [*range(1, 11), 12, 13, 14, 15, 16, 19, 20, *range(21, 31)]
_OF_ESIM = [1, 2, 5, 31, 32, 33, 36, 37, 38, 39, 41]
# These cost a whole sale.confirm_window.
_LONG = [11, 17, 18]
# An answer without an outcome may say these: this call did nothing, ask again.
_ASK_AGAIN = ("journal_unavailable", "shutting_down", "not_ready", "rate_limited", "overloaded")
# A till asks so long for one outcome before that is a finding: far longer than all faults together last.
PATIENCE_S = 420
# A till's own limit is little more than the wait that it asks for.
_BEYOND_WAIT_S = 4
# At most so many of the finished sales may be asked for again.
_REMEMBERED = 300


def any_order(chance):
    make = chance.choice([orders.tv, orders.tv, orders.egift, orders.transit, orders.health, orders.esim])
    cents = 0
    if chance.random() < 0.4:
        cents = chance.choice(_OF_ESIM if make is orders.esim else _OF_ANY_FAMILY)
    elif chance.random() < 0.03 and make is not orders.esim:
        cents = chance.choice(_LONG)
    if make is orders.health:
        return orders.health(cents or None)
    return make({orders.tv: 4900, orders.egift: 5000, orders.transit: 2000, orders.esim: 2900}[make] + cents)


class Ask(Terminal):
    """Makes a till's one call, which may come to nothing: no answer, or one that is the balancer's own."""

    def request(self, method, path, body=None, headers=None, timeout=None):
        sent = {"Authorization": f"Bearer {self.key}"} | (headers or {})
        wait = int(sent["Prefer"].removeprefix("wait=")) if "Prefer" in sent else 25
        try:
            answer = plain_request(self.address, method, path, body, sent, wait + _BEYOND_WAIT_S)
        except (OSError, http.client.HTTPException):
            return None
        if not (answer.header("Content-Type") or "").endswith("json"):
            assert answer.status in (502, 503, 504), answer
            return None
        check_answer(answer, proxied=False)
        return answer


class Told:
    """Holds what one key was told."""

    def __init__(self, key):
        self.key = key
        self.final = None
        self.sale = None
        self.id_externo = None
        self.for_a_person = False  # an eSIM whose request was lost: nothing cancels it, and a callback may never come


class Ledger:
    """Holds everything that tills were told, and finds what in it contradicts itself."""

    def __init__(self):
        self.told = {}
        self.broken = []
        self.done = 0
        self.asked_again = 0
        self.left = 0  # the number of keys whose only call did nothing
        self._lock = threading.Lock()

    def of(self, key):
        with self._lock:
            return self.told.setdefault(key, Told(key))

    def note(self, told, answer, known_before):
        """Notes the word of an answer; `known_before` is the final word that the key had been told when it was
        asked."""
        if answer is None:
            return "pending"
        body = answer.json
        outcome = body.get("outcome")
        if outcome is None:
            assert body.get("code") in _ASK_AGAIN, answer
            return "pending"
        with self._lock:
            sale = answer.sale if "sale" in body or "id" in body else None
            if sale:
                self._same(told, "sale", sale["id"], answer)
                told.for_a_person = sale["family"] == "esim" and sale["attention"] and outcome == "pending"
            if outcome in FINAL:
                self._same(told, "final", outcome, answer)
            elif known_before and (sale or answer.status != 503):
                # Without a sale, the answer says that the gateway cannot look the key up; it was asked to sell, and may
                # have sold.
                self.broken.append(f"{told.key} was told {known_before}, and later {outcome}: {answer}")
            if outcome == "sold" and sale:
                self._same(told, "id_externo", sale["idExterno"], answer)
        return outcome

    def _same(self, told, name, value, answer):
        before = getattr(told, name)
        if before is None:
            setattr(told, name, value)
        elif before != value:
            self.broken.append(f"the {name} of {told.key} was told to be {before}, and later {value}: {answer}")

    def count(self, outcome):
        with self._lock:
            return sum(told.final == outcome for told in self.told.values())

    def check(self, sales, transactions):
        """Checks that all of it is true in the journal's sales and in the provider's books."""
        by_id = {sale["id"]: sale for sale in sales}
        status = {entry["idExterno"]: entry["status"] for entry in transactions}
        wrong = list(self.broken)
        for told in self.told.values():
            sale = by_id.pop(told.sale, None)
            if sale is None:
                if told.sale is not None or told.final == "sold":
                    wrong.append(f"{told.key} was told {told.final} of the sale {told.sale}, which is not there")
                continue
            of_attempts = [status.get(attempt["idExterno"]) for attempt in sale["attempts"]]
            if told.final is not None and of_attempts.count("EFETIVADA") != (told.final == "sold"):
                wrong.append(f"{told.key} was told {told.final}, and at the provider is {of_attempts}: {sale}")
            if told.id_externo and status.get(told.id_externo) != "EFETIVADA":
                wrong.append(f"{told.key} was told that {told.id_externo} is sold: {status.get(told.id_externo)}")
            if told.final is not None and sale["outcome"] != told.final:
                wrong.append(f"{told.key} was told {told.final}, and the journal has {sale['outcome']}: {sale}")
        for sale in by_id.values():
            wrong.append(f"no till has ever heard of the sale {sale}")
        assert not wrong, "\n".join(wrong)


class Tills:
    """These are `number` tills, each a thread with random numbers of its own, from the seed."""

    def __init__(self, places, number=4, seed=0, rest_s=0.0, order=any_order,
                 decisions=("confirm", "confirm", "cancel", "leave")):  # fmt: skip
        self.ledger = Ledger()
        self._places = places
        self._order = order
        self._rest_s = rest_s
        self._decisions = decisions  # the decisions about held sales
        self._last = threading.Event()
        self._left = False
        self._finished = collections.deque(maxlen=_REMEMBERED)
        self._all = [Background(self._work, random.Random(f"{seed}-{each}")) for each in range(number)]

    def have_told(self, more):
        enough = self.ledger.done + more
        eventually(lambda: self.ledger.done >= enough or self.failed(), f"{enough} outcomes", PATIENCE_S)
        assert not self.failed(), self.ledger.broken
        return self

    def failed(self):
        return bool(self.ledger.broken) or any(one.done for one in self._all) and not self._last.is_set()

    def stop(self):
        """Lets each till bring its last sale to its end."""
        self._last.set()
        for one in self._all:
            one.result(PATIENCE_S + 60)
        return self.ledger

    def leave(self):
        """Stops them: nobody asks any more, not even for what is not told yet."""
        self._last.set()
        self._left = True
        eventually(lambda: all(one.done for one in self._all), "the tills have left")

    # --- what one does ---

    def _work(self, chance):
        kinds = [(self._sell, 40), (self._sell_or_leave, 15), (self._sell_together, 10), (self._change_of_mind, 12),
                 (self._race, 8), (self._hold, 15)]  # fmt: skip
        while not self._last.is_set():
            (kind,) = chance.choices([one for one, _ in kinds], [weight for _, weight in kinds])
            told = self.ledger.of(new_key())
            order = self._order(chance)
            kind(chance, told, order)
            if told.final:
                self._finished.append((told, order, kind))
                self.ledger.done += 1
            self._ask_again(chance)
            self._last.wait(chance.uniform(0, self._rest_s))

    def _at(self, chance):
        """Returns the balancer, mostly."""
        return Ask(self._places[0] if chance.random() < 0.75 else chance.choice(self._places), key_of("caixa-01"))

    def _until(self, chance, told, call, enough=FINAL):
        """Repeats a call at any place until its answer is enough, and returns that answer; all words go to the
        ledger."""
        end = time.monotonic() + PATIENCE_S
        while True:
            before = told.final
            outcome = self.ledger.note(told, call(self._at(chance), chance.choice([1, 3, 10])), before)
            if outcome in enough or told.for_a_person or self._left:
                return outcome
            assert time.monotonic() < end, f"no outcome of {told.key}, sale {told.sale}: {outcome}"
            threading.Event().wait(0.2)

    def _sell(self, chance, told, order):
        self._until(chance, told, lambda at, wait: at.sell(order, told.key, wait))

    def _sell_or_leave(self, chance, told, order):
        """If the first answer has no outcome, and so says that the call did nothing, the customer has gone: the key is
        never used again, and there must be no sale."""
        answer = self._at(chance).sell(order, told.key, chance.choice([0, 1, 10]))
        self.ledger.note(told, answer, None)
        if answer is not None and "outcome" not in answer.json:
            self.ledger.left += 1
        else:
            self._sell(chance, told, order)

    def _sell_together(self, chance, told, order):
        """Uses the same key at two places at once."""
        other = Background(self._sell, random.Random(chance.random()), told, order)
        self._sell(chance, told, order)
        other.result(PATIENCE_S)

    def _change_of_mind(self, chance, told, order):
        """Cancels a sale that was perhaps sold and shall not be."""
        self.ledger.note(told, self._at(chance).sell(order, told.key, chance.choice([0, 0, 1])), None)
        self._until(chance, told, lambda at, wait: at.cancel_key(told.key, wait))

    def _race(self, chance, told, order):
        """Sells at one place, and cancels at another at the same time; both must be told the same."""
        other = Background(self._cancel, random.Random(chance.random()), told)
        self._sell(chance, told, order)
        other.result(PATIENCE_S)

    def _cancel(self, chance, told):
        self._until(chance, told, lambda at, wait: at.cancel_key(told.key, wait))

    def _hold(self, chance, told, order):
        if order["family"] == "esim":  # an eSIM cannot be held
            return self._sell(chance, told, order)
        manual = order | {"confirm": "manual"}
        outcome = self._until(chance, told, lambda at, wait: at.sell(manual, told.key, wait), ("held", *FINAL))
        decision = chance.choice(self._decisions)
        if outcome != "held" or decision == "leave":
            return self._until(chance, told, lambda at, wait: at.sell(manual, told.key, wait))
        return self._until(chance, told, lambda at, wait: getattr(at, decision)(told.sale, wait))

    def _ask_again(self, chance):
        """Asks again about a sale that ended long ago: the word must be the same as then."""
        if self._finished and chance.random() < 0.2:
            told, order, kind = chance.choice(self._finished)
            if kind == self._hold and order["family"] != "esim":
                order = order | {"confirm": "manual"}
            self.ledger.asked_again += 1
            self._until(chance, told, lambda at, wait: at.sell(order, told.key, wait))
