"""A gateway stands still between its last look at the lease and the first byte of a request: no fence prevents that.
strace holds it there, in the system call that would send the byte, for as long as the test likes."""
import json
import os
import pathlib
import re
import subprocess

import pytest
from harness import books, orders
from harness.chain import outcome_of, said_of, sell_until_told, start_selling
from harness.client import Background
from harness.orders import new_key
from harness.waiting import LIMIT_S, eventually

PATIENT = {"sale.confirm_window": "1m", "sale.late_arrival": "2s", "limits.hold": "5m"}
_PROVIDER = "10.0.0.30:8090"
# These are their numbers on x86_64.
_CALLS = {1: "write", 20: "writev", 44: "sendto", 46: "sendmsg"}
# This is longer than any test; the end of its strace releases each call.
_HELD_S = 600


def kept_connections(gateway):
    """Returns the connections to the provider that it keeps, as the kernel names them."""
    found = subprocess.run([*gateway.wrapper, "ss", "-tneH", "state", "established", "dst", _PROVIDER],
                           capture_output=True, text=True, check=True).stdout  # fmt: skip
    return re.findall(r"\bino:(\d+)", found)


class Asleep:
    """At the next byte to the provider, the gateway sleeps in the system call that would send it. The same thread does
    everything else, above all the lease, so that waits too."""

    def __init__(self, gateway):
        self.pid = gateway.run.child.pid
        self.connections = {f"socket:[{number}]" for number in kept_connections(gateway)}
        assert self.connections, "no connection to the provider is kept"
        words = ["strace", "-f", "-p", str(self.pid), "-o", "/dev/null", "-e", f"trace={','.join(_CALLS.values())}",
                 "-e", f"inject={','.join(_CALLS.values())}:delay_enter={_HELD_S}s"]  # fmt: skip
        for connection in self.connections:
            words += ["-P", connection]
        self._strace = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        assert "attached" in self._strace.stderr.readline()

    def await_it(self):
        eventually(self._is_about_to_send, "it is about to send")

    def _is_about_to_send(self):
        proc = pathlib.Path(f"/proc/{self.pid}")
        if "\nState:\tt (tracing stop)\n" not in (proc / "status").read_text():
            return False
        number, *arguments = (proc / "syscall").read_text().split()
        if not number.isdigit() or int(number) not in _CALLS:
            return False
        return os.readlink(proc / "fd" / str(int(arguments[0], 16))) in self.connections

    def wake(self):
        self._strace.kill()
        self._strace.wait(LIMIT_S)


@pytest.fixture
def chain(new_world):
    """Makes two gateways without their balancer, whose questions would be answered with further bytes."""

    def make(**changes):
        world = new_world(PATIENT | changes)
        gateways = [gateway.start_ready() for gateway in world.gateways.values()]
        for gateway in gateways:
            sell_until_told([gateway], orders.tv(), new_key()).of(200)
        return world, *gateways

    return make


def check(world):
    world.everything_settled()
    books.agree(world.a_living_one.admin, world.sandbox)
    world.check_both_databases()


def test_a_request_of_a_sleeper_that_arrives_after_its_cancel_is_cancelled_once_more(chain):
    world, first, second = chain()
    order, key = orders.tv(4950), new_key()
    asleep = Asleep(first)
    call = start_selling(first, order, key)
    asleep.await_it()
    not_sold = sell_until_told([second], order, key).of(504, "sale_cancelled").sale
    # Not even the cancel that is sent again, when nothing can be late any more, finds it.
    eventually(lambda: world.sandbox.transaction(not_sold["idExterno"])["calls"]["cancelar"] >= 2, "it is cancelled again")
    listed = [json.loads(line) for line in world.command("box-2", "gateways", "--json").splitlines()]
    assert [one["waitingSales"] for one in listed if one["name"] == "box-1"] == [[not_sold["id"]]]
    assert world.sandbox.seen("solicitar", "tv") == 2

    asleep.wake()
    eventually(lambda: world.sandbox.seen("solicitar", "tv") == 3, "the request arrives")
    eventually(lambda: first.events("sale.step", step="sent_late") + second.events("sale.step", step="sent_late"),
               "it is known that it may have been sent late")
    eventually(lambda: world.in_books(not_sold) == "CANCELADA", "what arrived late is cancelled")
    assert outcome_of(call.result()) in ("pending", "not_sold")
    for gateway in (first, second):
        assert sell_until_told([gateway], order, key).sale["outcome"] == "not_sold"
    check(world)


@pytest.mark.parametrize("window, outcome, status", [("1m", "sold", "EFETIVADA"), ("2s", "not_sold", "CANCELADA")])
def test_a_confirm_of_a_sleeper_that_arrives_late_changes_nothing(chain, window, outcome, status):
    world, first, second = chain(**{"sale.confirm_window": window})
    order, key = orders.tv(4950, confirm="manual"), new_key()
    held = first.terminal().sell(order, key).of(200).json
    asleep = Asleep(first)
    call = Background(said_of, first.terminal().confirm, held["id"])
    asleep.await_it()
    told = eventually(lambda: second.terminal().sale(held["id"])["outcome"] == outcome, f"it is {outcome}")
    assert told and world.in_books(held) == status
    confirms = world.sandbox.transaction(held["idExterno"])["calls"]["confirmar"]

    asleep.wake()
    eventually(lambda: world.sandbox.transaction(held["idExterno"])["calls"]["confirmar"] == confirms + 1,
               "the confirm arrives")
    assert outcome_of(call.result()) in ("pending", outcome)
    for gateway in (first, second):
        assert gateway.terminal().sale(held["id"])["outcome"] == outcome
    assert world.in_books(held) == status
    check(world)
