"""The gateways' connections to the database break, the database goes away and comes back, or is not what they need.
What was acknowledged stays, what is not certain is not told, and words say what is wrong."""
import random
import threading

import pytest
from harness import orders
from harness.chain import outcome_of, said_of, sell_until_told
from harness.client import Background
from harness.orders import new_key
from harness.postgres import USER
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually

TILLS = 4


class Tills:
    """Tills behind a load balancer that sell one thing after the other until they are told to stop. A key is repeated
    at any gateway until its outcome is known."""

    def __init__(self, gateways):
        self.told = {}
        self._gateways = gateways
        self._last = threading.Event()
        self._all = [Background(self._sell, number) for number in range(TILLS)]

    def _sell(self, number):
        chance = random.Random(number)
        while not self._last.is_set():
            order, key = orders.tv(chance.choice([4900, 4900, 4950, 4901, 4902, 4912, 4913])), new_key()
            answer = sell_until_told(chance.sample(self._gateways, len(self._gateways)), order, key)
            self.told[key] = (outcome_of(answer), answer.sale["id"])

    def have_sold(self, more):
        enough = len(self.told) + more
        eventually(lambda: len(self.told) >= enough or any(one.done for one in self._all), f"{enough} outcomes")
        return self

    def stop(self):
        self._last.set()
        for one in self._all:
            one.result()
        return self.told


def check_told(chain, told):
    """What the tills were told must be true in the provider's books and at every gateway."""
    chain.check_books()
    for key, (outcome, sale_id) in told.items():
        sale = chain.settled(sale_id)
        of_attempts = [chain.sandbox.transactions(attempt["idExterno"]) for attempt in sale["attempts"]]
        sold = [found[0]["status"] for found in of_attempts if found].count("EFETIVADA")
        assert (outcome, sold) in (("sold", 1), ("not_sold", 0)), (key, outcome, sale)
    assert chain.sql("SELECT count(*) FROM sales") == [str(len(told))]


def test_connections_that_the_database_ends_cost_no_sale(new_chain):
    chain = new_chain({"sale.confirm_window": "30s"})
    tills = Tills(chain.start())
    for _ in range(12):
        tills.have_sold(5)
        chain.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{USER}'"
                  " AND random() < 0.6")  # fmt: skip
    check_told(chain.has_healed(), tills.stop())
    for gateway in chain.gateways.values():
        assert gateway.events("journal.away") and gateway.events("journal.back")


def test_a_database_that_dies_and_comes_back_has_all_that_was_told(new_chain, postgres):
    chain = new_chain({"sale.confirm_window": "1m"})
    first, second = gateways = chain.start()
    held = first.terminal().sell(orders.tv(confirm="manual"), new_key()).of(200).json
    tills = Tills(gateways)
    tills.have_sold(20)
    postgres.stop_at_once()
    refused = [new_key(), new_key()]
    for gateway, key in zip(gateways, refused):
        gateway.await_event("journal.away")
        answer = eventually(lambda: said_of(gateway.terminal().sell, orders.tv(), key, 1), "a new sale is answered")
        assert answer.of(503, "journal_unavailable").json["detail"]
        eventually(lambda: gateway.admin.get("/readyz").status == 503, "it is not ready")
    assert chain.sandbox.transaction(held["idExterno"])["status"] == "AUTORIZADA"
    postgres.start()
    tills.have_sold(20)
    told = tills.stop()
    chain.has_healed()
    for key in refused:
        told[key] = ("sold", sell_until_told(gateways, orders.tv(), key).of(200).json["id"])
    assert second.terminal().confirm(held["id"]).of(200).json["outcome"] == "sold"
    told["the one that was held"] = ("sold", held["id"])
    check_told(chain, told)
    for gateway in gateways:
        assert gateway.events("journal.back")


# --- a database that they do not take ---


@pytest.fixture
def refusal(new_chain, tmp_path):
    """Returns what a gateway says that does not start, with these changes to its configuration."""
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.gateways.values()

    def start(**changes):
        gateway.document["journal"] |= changes
        gateway.write_config()
        code, out, err = run_to_end([GATEWAY, "--config", str(gateway.config)], tmp_path)
        assert code == 1, f"{code}: {out}{err}"
        return err

    return start


def test_a_wrong_password_is_said(refusal, tmp_path):
    wrong = tmp_path / "wrong-password"
    wrong.touch(0o600)
    wrong.write_text("no-such-password-44e1\n")
    said = refusal(password_file=str(wrong))
    assert f'password authentication failed for user "{USER}"' in said
    assert "no-such-password-44e1" not in said


def test_a_database_that_is_not_there_is_said(refusal, postgres):
    assert 'database "no_such_journal" does not exist' in refusal(url=postgres.url("no_such_journal"))
    assert "no-such-folder" in refusal(url=postgres.url("journal").replace(str(postgres.folder), "/no-such-folder"))


@pytest.mark.parametrize("setting, words", [
    ("fsync", "the database server has fsync=off: a power cut may destroy all of it; set fsync=on"),
    ("full_page_writes", "the database server has full_page_writes=off"),
    ("synchronous_commit", "the database server has synchronous_commit=off for this user"),
])
def test_a_server_that_may_lose_what_it_acknowledged_is_refused(refusal, postgres, setting, words):
    postgres.configure(f"ALTER SYSTEM SET {setting} = off")
    try:
        assert words in refusal()
    finally:
        postgres.configure(f"ALTER SYSTEM RESET {setting}")
