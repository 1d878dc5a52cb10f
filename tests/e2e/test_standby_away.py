"""A server's synchronous standby is away: the log, status and the answer to the till say which server waits for which
standby, and since when a database that is gone cannot be used."""
import datetime
import zoneinfo

from harness import orders
from harness.chain import outcome_of, start_selling
from harness.commands import NOTHING_MARKED
from harness.orders import new_key
from harness.postgres import PORT, PROGRAMS, USER, _as_its_user
from harness.processes import GATEWAY, Process, run_to_end
from harness.waiting import eventually

STORE = zoneinfo.ZoneInfo("America/Sao_Paulo")


def standby(postgres, name):
    """Plays a standby: flushes all that the server writes, and says so."""
    folder = postgres.folder / name
    postgres.sql(f"SELECT pg_create_physical_replication_slot('{name}')")
    folder.mkdir()
    folder.chmod(0o777)
    words = [*_as_its_user(), str(PROGRAMS / "pg_receivewal"), "--synchronous", "--no-loop", "-D", str(folder),
             "-S", name, "-d", f"host={postgres.folder} port={PORT} user=postgres application_name={name}"]  # fmt: skip
    process = Process(words, postgres.folder, name)
    eventually(lambda: postgres.sql(f"SELECT 1 FROM pg_stat_replication WHERE application_name = '{name}'"),
               f"{name} is connected: {process.errors()}")  # fmt: skip
    return process


def database_of(gateway):
    return gateway.admin.get("/v1/status").of(200).json["journal"]["database"]


def status_of(gateway):
    code, out, err = run_to_end([GATEWAY, "status", "--admin", "%s:%d" % gateway.ports["admin"]], gateway.config.parent)
    assert out, err
    return code, out, " ".join(out.split())


def test_which_standby_is_waited_for_is_said(new_chain, postgres):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.start()
    first = standby(postgres, "db_2")
    try:
        postgres.configure("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (db_2, \"DB 3\")'")
        gateway.terminal().sell(orders.tv(), new_key()).of(200)
        database = gateway.admin.get("/v1/status").of(200).json["journal"]["database"]
        assert (database["gateway"], database["waitsForStandby"]) == ("box-1", False)
        assert database["server"] == f"{postgres.folder}:{PORT}"
        first.kill()
        said = gateway.await_event("journal.away")["detail"]
        for words in (f"{postgres.folder}:{PORT}", "waits for a synchronous standby", "db_2 is away", "DB 3 is away"):
            assert words in said, said
        assert "in time" not in said
        eventually(lambda: gateway.admin.get("/readyz").status == 503, "it is not ready")
        status = gateway.admin.get("/v1/status").of(200).json
        database = status["journal"]["database"]
        assert database["waitsForStandby"] and database["unusableSince"]
        assert database["synchronousStandbyNames"] == 'ANY 1 (db_2, "DB 3")'
        away = {"connected": False, "state": None, "syncState": None}
        assert database["standbys"] == [{"name": "db_2", **away}, {"name": "DB 3", **away}]
        (reason,) = status["reasons"]
        assert "since" in reason and "db_2 is away" in reason
        code, _, text = status_of(gateway)
        assert code != 0 and "db_2 is away, DB 3 is away" in text and "this gateway is box-1" in text, text
        assert "database" in gateway.terminal().get("/v1/status").json["detail"]
        # This is a further standby, whose state the gateway's user may see.
        postgres.sql(f"SET synchronous_commit = local; GRANT pg_read_all_stats TO {USER}")
        second = standby(postgres, "db_4")
        shown = eventually(lambda: next((one for one in database_of(gateway)["standbys"]
                                         if one["name"] == "db_4" and one["state"]), None), "the other one is shown")
        assert shown == {"name": "db_4", "connected": True, "state": "streaming", "syncState": "async"}
        second.kill()
    finally:
        postgres.sql(f"SET synchronous_commit = local; REVOKE pg_read_all_stats FROM {USER}")
        postgres.configure("ALTER SYSTEM RESET synchronous_standby_names")
        first.kill()
    chain.has_healed()
    assert gateway.await_event("journal.back")["since"]
    gateway.terminal().sell(orders.tv(), new_key()).of(200)
    database = database_of(gateway)
    assert (database["unusableSince"], database["waitsForStandby"]) == (None, False)


def command(gateway, name, *more):
    return run_to_end([GATEWAY, name, *more], gateway.config.parent)


def test_commands_name_the_standby_that_is_waited_for(new_chain, postgres):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.start()
    address = ("--admin", "%s:%d" % gateway.ports["admin"])
    first = standby(postgres, "db_7")
    try:
        postgres.configure("ALTER SYSTEM SET synchronous_standby_names = 'db_7'")
        gateway.terminal().sell(orders.tv(), new_key()).of(200)
        config = ("--config", str(gateway.config))
        code, out, err = command(gateway, "attention", *config)
        assert (code, out, err) == (0, NOTHING_MARKED, "")
        # The provider answers when nothing more is kept.
        chain.sandbox.faults({"step": "solicitar", "behaviour": "slow", "delay": "2s", "times": 1})
        asked = chain.sandbox.seen("solicitar", "tv")
        call = start_selling(gateway, orders.tv(), new_key())
        eventually(lambda: chain.sandbox.seen("solicitar", "tv") > asked, "the provider is asked")
        first.kill()
        given_up = Process([GATEWAY, "gateways", *config], gateway.config.parent, "given-up")
        seen = eventually(lambda: (lambda one: one if one["waitsForStandby"] else None)(database_of(gateway)),
                          "it is said that commits wait")  # fmt: skip
        assert seen["unusableSince"]
        code, _, text = status_of(gateway)
        assert code == 3 and "db_7 is away" in text, text
        for words in (["totals"], ["sales"]):
            code, out, err = command(gateway, *words, *address)
            assert (code, out) == (1, "") and "db_7 is away" in err and "Try again soon" not in err, out + err
            assert "sales-gateway status" in err and "cannot read" not in err
        # The journal is only read: what the server has is told, and what a standby may lack is said.
        code, out, err = command(gateway, "attention", *config)
        assert (code, out) == (0, NOTHING_MARKED)
        assert err.startswith("warning: the database server ") and "db_7 is away" in err
        assert given_up.wait() == 1 and given_up.text() == "", given_up.text()
        last = given_up.errors().splitlines()[-1]
        assert last.startswith("error: ") and "db_7 is away" in last and "call the same command once more" in last, last
        failed = gateway.await_event("journal.failed")["detail"]
        assert "db_7 is away" in failed, failed
        assert database_of(gateway)["unusableSince"] == seen["unusableSince"]
        asking = Process([GATEWAY, "gateways", *config], gateway.config.parent, "asking")
        eventually(lambda: "This waits: " in asking.errors() and "db_7 is away" in asking.errors(), "it says so")
    finally:
        postgres.configure("ALTER SYSTEM RESET synchronous_standby_names")
        first.kill()
    assert asking.wait() == 0, asking.errors()
    # Until a commit is done again, nobody is told that the server cannot be reached.
    said = set()

    def healed():
        status = gateway.admin.get("/v1/status").of(200).json
        said.update(status["reasons"])
        return status["sells"]

    eventually(healed, "it takes sales again")
    assert not [one for one in said if "08001" in one or "reached (" in one], said
    # It has answered, whatever the journal has of that.
    told = call.result()
    assert outcome_of(told) in ("pending", "sold", "not_sold") and "never came" not in told.json.get("detail", "")
    # An outage has one beginning.
    since = datetime.datetime.fromisoformat(seen["unusableSince"]).astimezone(STORE)
    assert gateway.await_event("journal.back")["since"] == since.strftime("%Y-%m-%d %H:%M:%S")


def test_a_start_names_the_standby_that_is_waited_for(new_chain, postgres):
    chain = new_chain(names=["box-1"])
    gateway = chain.gateways["box-1"]

    def refused():
        run = gateway.launch()
        assert run.wait() == 1
        said = run.errors()
        assert "waits for a synchronous standby" in said and "db_9 is away; bring one back" in said, said
        assert "08006" not in said and "in time" not in said, said

    try:
        postgres.configure("ALTER SYSTEM SET synchronous_standby_names = 'db_9'")
        refused()  # the database is empty
        postgres.configure("ALTER SYSTEM RESET synchronous_standby_names")
        chain.start()
        gateway.stop()
        postgres.configure("ALTER SYSTEM SET synchronous_standby_names = 'db_9'")
        refused()
    finally:
        postgres.configure("ALTER SYSTEM RESET synchronous_standby_names")
    gateway.start_ready()
    gateway.terminal().sell(orders.tv(), new_key()).of(200)


def test_a_database_that_is_gone_is_said_with_since_when(new_chain, postgres):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.start()
    postgres.stop_at_once()
    gateway.await_event("journal.away")
    eventually(lambda: gateway.admin.get("/readyz").status == 503, "it is not ready")
    try:
        told = gateway.terminal().get("/v1/status").of(200).json
        assert not told["sells"] and "the database of the sales since " in told["detail"] and "disk" not in told["detail"]
        code, _, text = status_of(gateway)
        assert code != 0 and "the journal cannot be written since " in text and "disk" not in text, text
        for words in (["totals"], ["sales"]):
            code, out, err = command(gateway, *words, "--admin", "%s:%d" % gateway.ports["admin"])
            assert (code, out) == (1, "") and str(postgres.folder) in err and "Try again soon" not in err, out + err
        database = eventually(lambda: (lambda seen: seen if seen["server"] is None else None)(
            database_of(gateway)), "it is connected to none")  # fmt: skip
        assert database["unusableSince"] and not database["waitsForStandby"]
        assert "one is tried for every few seconds" in status_of(gateway)[2]
    finally:
        postgres.start()
    chain.has_healed()
