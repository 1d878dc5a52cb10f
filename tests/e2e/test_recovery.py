"""After SIGKILL at any moment, on the same journal, nothing is sold twice, nothing is sold unseen, and nothing is
forgotten."""
import http.client
import os
import pathlib
import random
import shutil
import sqlite3
import stat
import subprocess
import threading

import pytest
from harness import orders
from harness.client import Background
from harness.orders import new_key
from harness.processes import GATEWAY, configuration, run_to_end, toml
from harness.waiting import eventually

REQUEST = b"POST /venda/tv/solicitar"
CONFIRM = b"POST /venda/tv/confirmar"
CANCEL = b"POST /venda/tv/cancelar"
QUICK = {"provider.request_timeout": "2s", "sale.confirm_window": "3s"}


def sell_until_killed(shop, order, key, reached):
    """Sells in the background and kills the gateway once `reached` is true. The caller never gets an answer."""
    selling = shop.start_selling(order, key)
    eventually(reached, "the sale has come so far")
    shop.gateway.kill()
    with pytest.raises((OSError, http.client.HTTPException)):
        selling.result()


# --- killed with an exchange under way ---


@pytest.mark.parametrize("fault", [{"swallow": True}, {"mute": True}])
def test_a_request_under_way_at_the_kill_is_cancelled(new_shop, fault):
    shop = new_shop(QUICK).start()
    armed = shop.gate.arm(REQUEST, **fault)
    key, order = new_key(), orders.tv()

    def arrived():
        return armed.hits == 1 and ("swallow" in fault or shop.sandbox.seen("solicitar", "tv") == 1)

    sell_until_killed(shop, order, key, arrived)
    shop.start()
    answer = shop.sell(order, key).of(504, "sale_cancelled")
    assert answer.header("Idempotency-Replayed") == "true" and answer.json["outcome"] == "not_sold"
    assert answer.sale["reason"]["code"] == "response_lost"
    shop.settled(answer.sale["id"])
    assert shop.in_books(answer.sale) in ("CANCELADA", None)
    shop.check_books()


@pytest.mark.parametrize("fault", [{"swallow": True}, {"mute": True}])
def test_a_confirm_under_way_at_the_kill_is_confirmed(new_shop, fault):
    shop = new_shop({"sale.confirm_window": "1m"}).start()
    armed = shop.gate.arm(CONFIRM, **fault)
    key, order = new_key(), orders.tv()
    sell_until_killed(shop, order, key, lambda: armed.hits == 1)
    shop.start()
    answer = shop.sell(order, key).of(200)
    assert answer.json["outcome"] == "sold" and answer.json["receipt"]
    assert answer.header("Idempotency-Replayed") == "true"
    shop.check_books()


def test_a_confirm_whose_window_closed_meanwhile_is_as_the_provider_says(new_shop):
    shop = new_shop({"provider.request_timeout": "300ms", "provider.connect_timeout": "300ms",
                     "sale.confirm_window": "300ms"}).start()
    ends = {}
    for fault in ("swallow", "mute"):
        armed = shop.gate.arm(CONFIRM, times=99, **{fault: True})
        key, order = new_key(), orders.tv()
        sell_until_killed(shop, order, key, lambda: armed.hits >= 1)
        shop.gate.disarm()
        shop.start()
        ends[fault] = shop.settled(shop.sale_of_key(key)["id"])["status"]
    assert ends["mute"] == "EFETIVADA", "the confirm had got through"
    assert ends["swallow"] in ("EFETIVADA", "CANCELADA")
    shop.check_books()


def test_a_cancel_under_way_at_the_kill_goes_on(new_shop):
    shop = new_shop(QUICK).start()
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    armed = shop.gate.arm(CANCEL, swallow=True)
    assert shop.till.cancel(held["id"]).of(200).json["outcome"] == "not_sold"
    eventually(lambda: armed.hits == 1, "the cancel has left")
    shop.gateway.kill()
    shop.start()
    assert shop.sale(held["id"])["status"] == "CANCELADA"
    shop.settled(held["id"])
    assert shop.in_books(held) == "CANCELADA"
    shop.check_books()


def test_a_request_still_on_its_way_at_the_kill_is_cancelled_when_it_arrives(new_shop):
    shop = new_shop({"sale.late_arrival": "3s"}).start()
    armed = shop.gate.arm(REQUEST, hold=True)
    key, order = new_key(), orders.tv()
    sell_until_killed(shop, order, key, lambda: armed.hits == 1)
    shop.start()
    sale = shop.sell(order, key).of(504, "sale_cancelled").sale
    shop.gateway.await_event("sale.step", sale=sale["id"], state="lingering")
    assert shop.gate.release() == 1
    shop.settled(sale["id"])
    assert shop.in_books(sale) == "CANCELADA"
    shop.check_books()


# --- replays across a restart ---


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_every_key_is_answered_after_a_restart_as_before(new_shop, ending):
    shop = new_shop(QUICK).start()
    sales = [(new_key(), order) for order in (
        orders.tv(4900), orders.tv(4901), orders.tv(4902), orders.tv(4905), orders.tv(4909), orders.egift(),
        orders.transit(), orders.health(), orders.tv(confirm="manual"),
    )]
    before = [shop.sell(order, key) for key, order in sales]
    cancelled = new_key()
    shop.till.cancel_key(cancelled).of(200)
    for answer in before:
        if answer.json["outcome"] != "held":
            shop.settled(answer.sale["id"])
    getattr(shop.gateway, ending)()
    shop.start()
    asked = shop.sandbox.requests()["requests"]
    for (key, order), first in zip(sales, before):
        again = shop.sell(order, key)
        assert (again.status, again.code) == (first.status, first.code)
        assert again.header("Idempotency-Replayed") == "true"
        for name in ("id", "status", "idExterno", "instrucao", "complemento", "receipt", "dataHora", "reason"):
            assert again.sale[name] == first.sale[name]
        shop.sell(orders.tv(777), key).of(422, "idempotency_key_reused")
    shop.sell(orders.tv(), cancelled).of(409, "sale_final")
    now = shop.sandbox.requests()["requests"]
    assert [now[family]["solicitar"] for family in now] == [asked[family]["solicitar"] for family in asked]
    shop.till.cancel(before[-1].json["id"]).of(200)
    shop.check_books()


def test_start_up_takes_new_sales_while_the_open_ones_go_on(new_shop):
    shop = new_shop(QUICK).start()
    held = [shop.sell(orders.tv(confirm="manual")).of(200).json for _ in range(3)]
    shop.gateway.kill()
    shop.start()
    assert shop.gateway.await_event("recovery.begun", openSales=3)
    shop.sell(orders.tv()).of(200)
    for sale in held:
        shop.till.confirm(sale["id"]).of(200)
    shop.check_books()


def test_goods_are_durable_before_sold_is_said(new_shop):
    shop = new_shop(QUICK).start()
    for make in (orders.egift, orders.health, orders.tv):
        sale = shop.sell(make()).of(200).json
        shop.gateway.kill()
        shop.start()
        kept = shop.sale(sale["id"])
        assert kept["instrucao"] == sale["instrucao"] != None  # noqa: E711
        assert kept["receipt"] == sale["receipt"]


# --- killed anywhere ---

LOADS = [
    (orders.tv, [0, 1, 2, 3, 5, 12, 13, 15, 20, 22, 27]),
    (orders.egift, [0, 2, 12, 15]),
    (orders.transit, [0, 1, 3, 13, 29]),
]


def random_order(chance):
    make, cents = chance.choice(LOADS)
    return make(5000 + chance.choice(cents), **({"confirm": "manual"} if chance.random() < 0.2 else {}))


def keep_selling(shop, sales, stop):
    """Sells one order after the other as a terminal, and repeats a key until it has an answer with an outcome."""
    for key, order in sales:
        while not stop.is_set():
            try:
                answer = shop.sell(order, key)
            except (OSError, http.client.HTTPException):  # the gateway is gone, or not there yet
                stop.wait(0.02)
                continue
            if "outcome" in answer.json and answer.json["outcome"] != "pending":
                break


def test_kills_at_random_moments_under_load(new_shop):
    seed = int(os.environ.get("E2E_SEED", random.randrange(2**32)))
    print(f"replay the choices with E2E_SEED={seed}")
    chance = random.Random(seed)
    shop = new_shop({"provider.request_timeout": "1s", "sale.confirm_window": "2s", "limits.hold": "1s"}).start()
    loads = [[(new_key(), random_order(chance)) for _ in range(60)] for _ in range(4)]
    stop = threading.Event()
    tills = [Background(keep_selling, shop, load, stop) for load in loads]
    total = lambda: sum(  # noqa: E731
        family[step]["seen"] for family in shop.sandbox.requests()["requests"].values() for step in family
    )
    try:
        for _ in range(15):
            reached = total() + chance.randrange(1, 40)
            eventually(lambda: total() >= reached or all(till.done for till in tills), "some more calls")
            shop.gateway.kill()
            shop.gateway.start()
        for till in tills:
            till.result()
    finally:
        stop.set()
    for load in loads:
        for key, order in load:
            answer = shop.sell(order, key)
            assert answer.header("Idempotency-Replayed") == "true", answer
            assert len(shop.gateway.admin.get(f"/v1/sales?key={key}").of(200).json["sales"]) == 1
    shop.check_books()


# The gateway is killed as it enters the n-th of these calls.
SYSTEM_CALLS = {
    "fdatasync": [1, 2, 3, 4, 5],  # data is written, but not durable
    "pwrite64": [1, 4, 9, 14, 19, 24],  # this is in the middle of writing the journal
    "sendmsg,sendto": [1, 2, 3, 5, 8],  # nothing has left for a terminal or the provider yet
    "recvmsg,recvfrom": [1, 2, 3, 5, 8],  # the socket has bytes that nobody has read
}


def sell_until_it_dies(shop, run):
    """Sells one thing after the other. Returns the keys, of which the last ones have had no answer."""
    keys = []
    while run.running():
        lines = shop.gateway.lines(run)
        ports = {line["listener"]: (line["address"], line["port"]) for line in lines if line["event"] == "listening"}
        if "terminals" not in ports:
            run.child.poll()
            continue
        shop.gateway.ports = ports
        keys.append(new_key())
        try:
            shop.sell(orders.egift(), keys[-1])
        except (OSError, http.client.HTTPException):
            pass
        assert len(keys) < 1000, "the system call was never reached"
    return keys


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to kill at a chosen system call")
@pytest.mark.parametrize("calls", SYSTEM_CALLS)
def test_kills_at_chosen_system_calls(new_shop, calls):
    shop = new_shop({"provider.request_timeout": "2s", "sale.confirm_window": "10s"})
    for number in SYSTEM_CALLS[calls]:
        inject = f"inject={calls}:signal=SIGKILL:when={number}"
        shop.gateway.wrapper = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", inject]
        keys = sell_until_it_dies(shop, shop.gateway.launch())
        shop.gateway.wrapper = []
        shop.gateway.start()
        for key in keys:
            answer = shop.sell(orders.egift(), key)
            assert answer.status in (200, 504) and answer.sale["final"], answer
        shop.gateway.kill()
    shop.gateway.start()
    shop.check_books()


def fail_some_calls(pid, inject, call):
    """Lets strace watch a running process, and returns once it does."""
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", inject,
                               "-p", str(pid)])
    tasks = pathlib.Path(f"/proc/{pid}/task")
    eventually(lambda: all("TracerPid:\t0" not in (task / "status").read_text() for task in tasks.iterdir()),
               "every thread is watched")
    return tracer


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to fail a chosen system call")
@pytest.mark.parametrize("call, error", [("fdatasync", "EIO"), ("pwrite64", "EIO"), ("pwrite64", "ENOSPC")])
def test_a_disk_that_fails_some_calls_heals(new_shop, call, error):
    """Some calls fail, with several sales under way. What is not written down is not done, and everything heals by
    itself."""
    shop = new_shop({"provider.request_timeout": "2s", "sale.confirm_window": "10s"})
    shop.start()
    tracer = fail_some_calls(shop.gateway.run.child.pid, f"inject={call}:error={error}:when=60..69", call)
    stop = threading.Event()
    answers = []

    def sell_on():
        while not stop.is_set():
            key = new_key()
            answers.append((key, shop.sell(orders.egift(), key)))

    tills = [Background(sell_on) for _ in range(4)]
    try:
        shop.gateway.await_event("journal.failed")
        eventually(lambda: shop.gateway.admin.get("/readyz").status == 200, "ready again by itself")
        sold = len(answers)
        eventually(lambda: len(answers) > sold + 20, "sales as before")
    finally:
        stop.set()
    for till in tills:
        till.result()
    assert {answer.status for _, answer in answers} <= {200, 503}
    for key, _ in answers:
        assert shop.sell(orders.egift(), key).of(200).json["outcome"] == "sold"
    shop.check_books()
    shop.gateway.kill()
    tracer.wait()


# --- the file itself ---


def serve_on(folder, journal):
    file = folder / "gateway.toml"
    nowhere = "http://127.0.0.1:9"
    file.write_text(toml(configuration(folder, nowhere, nowhere, {"journal.path": str(journal)})))
    file.chmod(0o600)
    return run_to_end([GATEWAY, "--config", str(file)], folder)


def test_a_second_process_on_the_same_journal_is_refused(new_shop, tmp_path):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    status, _, err = serve_on(tmp_path, shop.folder / "journal.db")
    assert status == 1 and "journal.db" in err and "another" in err
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    shop.start()
    shop.check_books()


@pytest.mark.parametrize("ending", ["kill", "stop"])
def test_a_process_that_is_gone_leaves_no_lock(new_shop, ending):
    shop = new_shop().start()
    getattr(shop.gateway, ending)()
    shop.start()
    shop.sell(orders.tv()).of(200)


def test_another_programs_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE customers (name TEXT)")
        other.execute("INSERT INTO customers VALUES ('Zuleica')")
    other.close()
    before = path.read_bytes()
    status, _, err = serve_on(tmp_path, path)
    assert status == 1 and "other.db" in err and "another program" in err
    assert path.read_bytes() == before and sorted(tmp_path.glob("other.db-*")) == []


@pytest.mark.parametrize(
    "content",
    [b"This is no database at all.\n" * 100, b"\x00" * 8192, b"SQLite format 3\x00" + b"\xa5" * 4080],
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    status, _, err = serve_on(tmp_path, path)
    assert status == 1 and "letter.txt" in err
    assert path.read_bytes() == content


def test_a_damaged_journal_is_refused_and_left_alone(new_shop, tmp_path):
    shop = new_shop().start()
    for _ in range(5):
        shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    journal = bytearray((shop.folder / "journal.db").read_bytes())
    assert len(journal) > 3 * 4096
    for at in range(100, 4096):  # this page says which tables there are
        journal[at] = 0xA5
    path = tmp_path / "damaged.db"
    path.write_bytes(journal)
    status, _, err = serve_on(tmp_path, path)
    assert status == 1 and "damaged.db" in err and "damaged" in err.replace("damaged.db", "")
    assert path.read_bytes() == bytes(journal)


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(new_shop, tmp_path):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    shop.gateway.stop()
    path = shop.folder / "journal.db"
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(f"PRAGMA user_version = {version + 1}")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    status, _, err = serve_on(tmp_path, path)
    assert status == 1 and "newer" in err
    assert path.read_bytes() == before


def test_the_journal_is_readable_by_its_owner_only(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    files = list(shop.folder.glob("journal.db*"))
    assert len(files) >= 2
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_an_operator_can_read_the_journal_while_it_is_in_use(new_shop):
    shop = new_shop().start()
    sale = shop.sell(orders.tv()).of(200).json
    with sqlite3.connect(f"file:{shop.folder}/journal.db?mode=ro", uri=True) as reader:
        row = reader.execute("SELECT status, terminal, valor FROM sales WHERE id = ?", [sale["id"]]).fetchone()
        history = reader.execute("SELECT event, known FROM story WHERE sale = ? ORDER BY n", [sale["id"]]).fetchall()
        shop.sell(orders.tv()).of(200)
    assert row == ("EFETIVADA", "caixa-01", 4900)
    assert history == [("begun", None), ("solicitar", "authorised"), ("confirmar", "sold")]


def test_old_sales_lose_their_personal_fields_and_keep_their_amounts(new_shop):
    shop = new_shop({"journal.retention": "1s"}).start()
    street = "Travessa Quaresma " * 13  # this is so long that the database does not keep the sale in one piece
    for _ in range(4):
        order = orders.esim(endereco=orders.ENDERECO | {"logradouro": street, "bairro": street, "cidade": street})
        answer = shop.sell(order)
        shop.settled(answer.sale["id"])
    sale = shop.sell(orders.egift()).of(200).json

    def erased():
        return shop.gateway.events("retention.erased") and shop.sale(sale["id"])["instrucao"] is None

    eventually(erased, "the goods of the sale are erased")
    kept = shop.sale(sale["id"])
    assert (kept["valor"], kept["status"]) == (5000, "EFETIVADA")
    shop.gateway.stop()
    everything = b"".join(file.read_bytes() for file in shop.folder.glob("journal.db*"))
    personal = [street[:18], orders.CONSUMIDOR["nome"], orders.CONSUMIDOR["email"], orders.CPF]
    for secret in [*personal, sale["instrucao"]["urlAtivacao"]]:
        assert secret.encode() not in everything


# --- restarts while the last cancel is waited for ---


def test_restarts_do_not_put_the_last_cancel_off(new_shop):
    """Each run is shorter than the wait before the last cancel, but the wait ends all the same."""
    shop = new_shop(QUICK | {"sale.late_arrival": "4s"}).start()
    shop.gate.arm(REQUEST, swallow=True)
    sale = shop.sell(orders.tv()).of(504, "sale_cancelled").sale
    shop.until(sale["id"], "cancelled once", status="CANCELADA")
    for _ in range(60):
        if shop.gateway.admin.get(f"/v1/sales/{sale['id']}").of(200).json["settled"]:
            break
        shop.gateway.kill()
        shop.start()
    assert shop.settled(sale["id"])["attention"] is False
    events = shop.gateway.admin.get(f"/v1/sales/{sale['id']}/events").of(200).json["events"]
    assert len([event for event in events if event["event"] == "cancelar"]) == 2, events
