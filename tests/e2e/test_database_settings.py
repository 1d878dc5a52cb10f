"""Whatever a person has set for the database server, the database or the role, a gateway reads and writes the same, or
says which setting is wrong and what to set: at a start, while it runs, and where the journal is copied."""
import datetime
import signal
import zoneinfo

import pytest
from harness import orders
from harness.orders import new_key
from harness.postgres import USER
from harness.processes import GATEWAY, LOJA_A, run_to_end
from harness.waiting import eventually

STORE = zoneinfo.ZoneInfo("America/Sao_Paulo")
# Every setting of a session that changes how values are read, written or compared, what a statement means, how it is
# planned, or how long it may take. Each has the value that is least like ours.
HOSTILE = {
    "bytea_output": "escape", "DateStyle": "German, DMY", "IntervalStyle": "iso_8601", "TimeZone": "Asia/Tokyo",
    "timezone_abbreviations": "Australia", "extra_float_digits": "-10", "client_encoding": "LATIN1",
    "lc_monetary": "POSIX", "lc_numeric": "POSIX", "lc_time": "POSIX", "lc_messages": "POSIX",
    "standard_conforming_strings": "off", "backslash_quote": "off", "escape_string_warning": "off",
    "array_nulls": "off", "transform_null_equals": "on", "quote_all_identifiers": "on", "xmlbinary": "hex",
    "xmloption": "document", "search_path": "elsewhere", "row_security": "on", "client_min_messages": "error",
    "exit_on_error": "on", "check_function_bodies": "off", "default_transaction_isolation": "serializable",
    "default_transaction_read_only": "on", "default_transaction_deferrable": "on", "statement_timeout": "1",
    "lock_timeout": "1", "idle_session_timeout": "1", "idle_in_transaction_session_timeout": "1",
    "client_connection_check_interval": "0", "synchronous_commit": "remote_apply", "default_text_search_config": "simple",
    "default_toast_compression": "pglz", "plan_cache_mode": "force_generic_plan", "force_parallel_mode": "regress",
    "parallel_setup_cost": "0", "parallel_tuple_cost": "0", "min_parallel_table_scan_size": "0",
    "min_parallel_index_scan_size": "0", "max_parallel_maintenance_workers": "8",
    "jit_above_cost": "0", "geqo_threshold": "2", "from_collapse_limit": "1",
    "join_collapse_limit": "1", "synchronize_seqscans": "on", "work_mem": "64", "constraint_exclusion": "off",
    "stats_fetch_consistency": "snapshot", "track_activities": "off", "enable_seqscan": "off",
    "enable_indexscan": "off", "enable_indexonlyscan": "off", "enable_bitmapscan": "off", "enable_sort": "off",
    "enable_hashagg": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "enable_nestloop": "off",
    "enable_material": "off", "plpgsql.extra_errors": "all", "plpgsql.extra_warnings": "all",
    "plpgsql.check_asserts": "off", "plpgsql.print_strict_params": "on",
}  # fmt: skip
# Only a superuser may set these, and no session can ask for them.
REFUSED = {"zero_damaged_pages": ("on", "off"), "ignore_checksum_failure": ("on", "off")}


# The superuser's own session asks for these, so that it can work under such settings.
OURS = "-c statement_timeout=0 -c lock_timeout=0 -c idle_session_timeout=0"


class Settings:
    """Settings of the server's file, of a database, of the gateways' role, or of that role in a database."""

    def __init__(self, postgres, scope, database):
        self._postgres = postgres
        self._file = postgres.data / "postgresql.auto.conf"
        self._alter = {"database": f"ALTER DATABASE {database}", "role": f"ALTER ROLE {USER}",
                       "role in database": f"ALTER ROLE {USER} IN DATABASE {database}"}.get(scope)  # fmt: skip

    def set(self, settings):
        if self._alter is None:
            return self._write("".join(f"{name} = '{value}'\n" for name, value in settings.items()))
        self._postgres.sql("; ".join(f'{self._alter} SET {name} = {self._quoted(name, value)}'
                                     for name, value in settings.items()))  # fmt: skip

    @staticmethod
    def _quoted(name, value):
        return value if name == "DateStyle" else f"'{value}'"

    def reset(self):
        if self._alter is None:
            return self._write("")
        self._postgres.sql(f"{self._alter} RESET ALL")

    def _write(self, text):
        """Writes what ALTER SYSTEM writes, because some settings would keep psql from taking them back."""
        read = self._readings()
        self._file.write_text(text)
        self._postgres.server.signal(signal.SIGHUP)
        eventually(lambda: self._readings() > read, "PostgreSQL has read its configuration")
        for complaint in ("invalid value", "unrecognized configuration parameter"):
            assert complaint not in self._postgres.server.errors()

    def _readings(self):
        return self._postgres.server.errors().count("reloading configuration files")


@pytest.fixture(params=["server", "database", "role", "role in database"])
def scope(request):
    return request.param


@pytest.fixture
def settings_of(postgres):
    made = []

    def make(scope, database):
        made.append(Settings(postgres, scope, database))
        return made[-1]

    yield make
    for one in made:
        one.reset()


def break_connections(chain):
    backends = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{USER}'"
    chain.postgres.sql(backends, f"dbname=postgres options='{OURS}'")


def same_again(gateway, told):
    """Every sale is the same, no matter who asks for it in which way."""
    listed = {sale["id"]: sale for sale in gateway.admin.get("/v1/sales?limit=100").of(200).json["sales"]}
    for key, (order, sale) in told.items():
        again = eventually(lambda: answered(gateway.terminal().sell(order, key)), "the sale is told again")
        assert again.header("Idempotency-Replayed") == "true"
        assert (again.json["id"], again.json["instrucao"]) == (sale["id"], sale["instrucao"])
        seen = gateway.terminal().sale(sale["id"])
        assert (seen["status"], seen["instrucao"]) == ("EFETIVADA", sale["instrucao"])
        assert listed[sale["id"]]["attention"] is False
        history = gateway.admin.get(f"/v1/sales/{sale['id']}").of(200).json
        assert history["cashier"] == sale["cashier"]
    assert gateway.admin.get("/v1/status").of(200).json["attention"]["total"] == 0


def answered(answer):
    return answer if answer.status == 200 else None


def sell(gateway, told):
    order, key = orders.tv(cashier="Łucja – caixa 1"), new_key()
    answer = eventually(lambda: answered(gateway.terminal().sell(order, key)), "a sale")
    told[key] = (order, answer.json)


def test_no_setting_changes_what_is_read(new_chain, settings_of, scope, tmp_path):
    chain = new_chain(names=["box-1"])
    chain.sql("CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.sales (id text); GRANT ALL ON SCHEMA elsewhere TO public")
    other = chain.postgres.new_database()
    (gateway,) = chain.start()
    told = {}
    sell(gateway, told)
    settings = settings_of(scope, chain.database)
    settings.set(HOSTILE)
    sell(gateway, told)
    break_connections(chain)
    sell(gateway, told)
    same_again(gateway, told)
    gateway.stop()

    gateway.start_ready()
    sell(gateway, told)
    same_again(gateway, told)
    day = datetime.datetime.now(STORE).strftime("%Y-%m-%d")
    close = gateway.admin.post("/v1/closes", {"day": day, "estabelecimento": LOJA_A, "by": "Łukasz €"}).of(201).json
    assert "box-1" in chain.command("box-1", "gateways") and "Łukasz €" in str(close)
    gateway.stop()

    # The journal is copied out of the database and into it under the same settings.
    url = gateway.document["journal"]["url"]
    for source, target in ((url, str(tmp_path / "file.db")), (str(tmp_path / "file.db"), chain.postgres.url(other))):
        words = [GATEWAY, "copy-journal", "--config", str(gateway.config), "--from", source, "--to", target,
                 "--password-file", gateway.document["journal"]["password_file"]]  # fmt: skip
        code, out, err = run_to_end(words, tmp_path)
        assert code == 0, out + err
    if scope in ("database", "role in database"):
        settings_of(scope, other).set(HOSTILE)
    gateway.document["journal"] |= {"url": chain.postgres.url(other), "tally_file": str(tmp_path / "tally")}
    gateway.write_config()
    gateway.start_ready()
    same_again(gateway, told)
    sell(gateway, told)


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_setting_that_no_session_can_ask_for_is_refused_in_words(new_chain, settings_of, scope, name, tmp_path):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.gateways.values()
    value, right = REFUSED[name]
    settings_of(scope, chain.database).set({name: value})
    for command in (["--config"], ["copy-journal", "--to", "new.db", "--config"]):
        code, out, err = run_to_end([GATEWAY, *command, str(gateway.config)], tmp_path)
        assert code == 1 and f"{name}={value}" in err and f"set {name}={right}" in err, out + err


@pytest.mark.parametrize("name, value", [(name, value) for name, (value, _) in REFUSED.items()]
                                        + [("synchronous_commit", "off"), ("fsync", "off"), ("full_page_writes", "off")])
def test_a_running_gateway_notices_such_a_setting(new_chain, settings_of, name, value):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.start()
    settings = settings_of("server", chain.database)
    settings.set({name: value})
    gateway.await_event("journal.away")
    refused = eventually(lambda: gateway.admin.get("/v1/status").json["reasons"], "status says why")
    assert f"{name}={value}" in eventually(
        lambda: next((reason for reason in gateway.admin.get("/v1/status").json["reasons"] if name in reason), None),
        "status says which setting", ), refused  # fmt: skip
    assert gateway.admin.get("/readyz").status == 503
    settings.reset()
    chain.has_healed()
    assert f"{name}={value}" in gateway.events("journal.away")[-1]["detail"]


def test_a_journal_in_another_schema_is_found_in_words(new_chain, tmp_path):
    chain = new_chain(names=["box-1"])
    (gateway,) = chain.start()
    gateway.stop()
    chain.sql("ALTER SCHEMA public RENAME TO journal; CREATE SCHEMA public")
    code, _, err = run_to_end([GATEWAY, "--config", str(gateway.config)], tmp_path)
    assert code == 1 and "stand in the schema journal" in err and "ALTER SCHEMA journal RENAME TO public" in err, err
