"""Tests the command line: what it prints, its exit status, and what check-config finds."""
import hashlib
import os
import re
import shutil
import socket
import subprocess

import pytest
from harness import orders
from harness.certificates import make_certificate
from harness.client import Terminal
from harness.processes import APP_SECRET, GATEWAY, configuration, key_of, run_to_end, toml

PROVIDER = "http://127.0.0.1:9"


@pytest.fixture
def check(tmp_path):
    """Runs check-config on the usual configuration with changes. Returns exit code, standard output and standard
    error."""

    def run(changes=None, text=None):
        file = tmp_path / "gateway.toml"
        file.write_text(text or toml(configuration(tmp_path, PROVIDER, PROVIDER, changes)))
        file.chmod(0o600)
        return run_to_end([GATEWAY, "check-config", "--config", str(file)], tmp_path)

    return run


def test_the_configuration_may_be_named_before_or_behind_the_command(check, tmp_path):
    assert check() == (0, "ok\n", "")
    named = ["--config", str(tmp_path / "gateway.toml")]
    assert run_to_end([GATEWAY, *named, "check-config"], tmp_path) == (0, "ok\n", "")


ON_POSTGRESQL = {"journal.path": None, "journal.url": "postgresql://gateway@/journal", "journal.tally_file": "tally"}


def test_check_config_names_the_package_that_a_journal_on_postgresql_takes(check, tmp_path):
    check(ON_POSTGRESQL)
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(GATEWAY, alone)
    program = str(alone / os.path.basename(GATEWAY))
    config = str(tmp_path / "gateway.toml")
    status, out, err = run_to_end([program, "check-config", "--config", config], tmp_path)
    assert (status, err) == (2, "") and "install the package sales-gateway-postgres" in out
    status, _, err = run_to_end([program, "--config", config], tmp_path)
    assert status == 1 and "install the package sales-gateway-postgres" in err


def test_without_the_program_of_the_probe_it_says_what_to_do(tmp_path):
    shutil.copy(GATEWAY, tmp_path)
    status, out, err = run_to_end([str(tmp_path / os.path.basename(GATEWAY)), "probe", "--help"], tmp_path)
    assert (status, out) == (2, "") and "install the package sales-gateway anew" in err


def test_the_probe_says_nothing_but_its_own(tmp_path):
    status, out, err = run_to_end([GATEWAY, "probe", "--help"], tmp_path)
    assert (status, err) == (0, "") and "Usage: sales-gateway probe [OPTIONS]" in out


def test_check_config_reads_what_the_url_of_the_journal_says(check):
    assert check(ON_POSTGRESQL) == (0, "ok\n", "")
    far = "postgresql://gateway@db-1.example,db-2.example/journal"
    assert check({**ON_POSTGRESQL, "journal.url": far}) == (0, "ok\n", "")
    status, out, _ = check({**ON_POSTGRESQL, "journal.url": far + "?sslmode=require"})
    assert status == 2 and "leave sslmode out, or say sslmode=verify-full" in out


def test_the_version_is_printed(tmp_path):
    status, out, err = run_to_end([GATEWAY, "--version"], tmp_path)
    assert (status, err) == (0, "") and re.fullmatch(r"sales-gateway \d+\.\d+\.\d+\S*\n", out)


def test_help_is_printed(tmp_path):
    status, out, err = run_to_end([GATEWAY, "--help"], tmp_path)
    assert (status, err) == (0, "") and "--config" in out and "check-config" in out


@pytest.mark.parametrize(
    "arguments",
    [[], ["--config"], ["--nonsense"], ["sell"], ["--config", "a", "b"], ["show"], ["resolve", "X", "--sold"],
     ["resolve", "X", "--note", "n"], ["resolve", "X", "--note", "n", "--sold", "--noted"],
     ["resolve", "X", "--note", "n", "--not-sold", "--url", "u"], ["sales", "--limit", "0"],
     ["sales", "--status", "VENDIDA"], ["status", "--admin", "9090"]],
)
def test_a_wrong_command_line_is_2(tmp_path, arguments):
    status, _, err = run_to_end([GATEWAY, *arguments], tmp_path)
    assert status == 2 and err


def test_without_anything_it_says_what_to_type(tmp_path):
    status, out, err = run_to_end([GATEWAY], tmp_path)
    assert (status, out) == (2, "")
    for line in ("sales-gateway --config FILE", "sales-gateway status", "sales-gateway --help"):
        assert line in err


@pytest.mark.parametrize(
    "arguments, meant",
    [(["staus"], "status"), (["atention", "--json"], "attention"), (["sales", "--atention"], "--attention"),
     (["--confg", "x"], "--config"), (["probe", "--levl", "look"], "--level"), (["resolve", "X", "--notsold"], "--not-sold")],
)
def test_a_mistyped_word_is_answered_with_the_one_that_was_meant(tmp_path, arguments, meant):
    status, out, err = run_to_end([GATEWAY, *arguments], tmp_path)
    assert (status, out) == (2, "") and f'did you mean "{meant}"?' in err


@pytest.mark.parametrize("arguments", [["check-config"], ["attention"], ["backup", "copy.db"], ["status"], ["sales"],
                                       ["probe"], ["show", "X"], ["resolve", "X", "--noted", "--note", "n"]])
def test_every_command_has_the_same_default_configuration(tmp_path, arguments):
    usual = "/etc/sales-gateway/gateway.toml"
    if os.path.exists(usual):
        pytest.skip(f"this machine has a gateway of its own: {usual}")
    status, out, err = run_to_end([GATEWAY, *arguments], tmp_path)
    assert status == 2 and f"error: {usual}: cannot be opened" in out + err


def test_a_good_configuration_is_ok(check):
    assert check() == (0, "ok\n", "")


@pytest.mark.parametrize("arguments", [["--config", "nowhere.toml"], ["check-config", "--config", "nowhere.toml"],
                                       ["probe", "--config", "nowhere.toml"], ["--config", "nowhere.toml", "probe"]])
def test_a_configuration_that_is_not_there_is_2(tmp_path, arguments):
    status, out, err = run_to_end([GATEWAY, *arguments], tmp_path)
    assert status == 2 and "nowhere.toml" in out + err


KEY = hashlib.sha256(key_of("a").encode()).hexdigest()
OTHER = hashlib.sha256(key_of("b").encode()).hexdigest()


@pytest.mark.parametrize(
    "changes, named",
    [
        ({"terminals": [{"id": "a", "key_sha256": KEY}, {"id": "a", "key_sha256": OTHER}]}, "terminals[2].id"),
        ({"terminals": [{"id": "a", "key_sha256": KEY}, {"id": "b", "key_sha256": KEY}]}, "terminals[2].key_sha256"),
        (
            {"terminals": [{"id": "a", "key_sha256": KEY}, {"id": "b", "key_sha256": KEY.upper()}]},
            "terminals[2].key_sha256",
        ),
        ({"terminals": [{"id": "a", "key_sha256": [KEY, KEY]}]}, "terminals[1].key_sha256"),
        ({"terminals": [{"id": "a", "key_sha256": "xyz"}]}, "terminals[1].key_sha256"),
        ({"terminals": [{"id": "a", "key_sha256": KEY, "families": ["radio"]}]}, "terminals[1].families"),
        ({"terminals": [{"id": "a b", "key_sha256": KEY}]}, "terminals[1].id"),
        ({"terminals": [{"key_sha256": KEY}]}, "terminals[1].id"),
        ({"listen.tls.cert": "/nowhere.pem"}, "listen.tls"),
        ({"provider.client_cert": "/nowhere.pem"}, "provider.client_"),
        ({"sale.confirm_window": "0s"}, "sale.confirm_window"),
        ({"sale.late_arrival": "0s"}, "sale.late_arrival"),
        ({"sale.max_attempts": 0}, "sale.max_attempts"),
        ({"limits.hold": "0s"}, "limits.hold"),
        ({"limits.sell_wait": "0s"}, "limits.sell_wait"),
        ({"limits.sell_wait": "25"}, "limits.sell_wait"),
        ({"limits.sell_wait": 25}, "limits.sell_wait"),
        ({"limits.sell_wiat": "25s"}, "limits.sell_wiat"),
        ({"limits.body": "64k"}, "limits.body"),
        ({"limits.in_flight": 0}, "limits.in_flight"),
        ({"provider.base_url": "http://provider.example"}, "provider.base_url"),
        ({"provider.auth_url": "ftp://127.0.0.1"}, "provider.auth_url"),
        ({"provider.base_url": None}, "provider.base_url"),
        ({"provider.app_secret_file": None}, "provider.app_secret"),
        ({"provider.app_secret_file": "/nowhere"}, "provider.app_secret_file"),
        ({"provider.app_secret": "twice"}, "provider.app_secret"),
        ({"provider.scopes": []}, "provider.scopes"),
        ({"provider.scopes": "Venda_Egift"}, "provider.scopes"),
        ({"provider.health_cancel_path": "/venda/{health}/confirmar"}, "provider.health_cancel_path"),
        ({"provider.health_cancel_path": "/venda/{health}/Confirmar/"}, "provider.health_cancel_path"),
        ({"provider.status_path": "/venda/transacao"}, "provider.status_path"),
        ({"provider.status_path": "/venda/{produto}/{idExterno}"}, "provider.status_path"),
        ({"provider.estabelecimento": None}, "provider.estabelecimento"),
        ({"proxy.allow": ["venda"]}, "proxy.allow"),
        ({"proxy.allow": ["/venda/../x"]}, "proxy.allow"),
        ({"journal.path": None}, "journal.path"),
        ({"journal.path": "/nowhere/at/all/journal.db"}, "journal.path"),
        ({"log.level": "loud"}, "log.level"),
        ({"log.format": "xml"}, "log.format"),
        ({"listen.terminals": "8080"}, "listen.terminals"),
        ({"listen.admin": "127.0.0.1:99999"}, "listen.admin"),
        ({"listen.admin": "127.0.0.1:4711", "listen.terminals": "127.0.0.1:4711"}, "listen."),
        ({"nonsense.key": 1}, "nonsense"),
    ],
)
def test_what_is_wrong_is_named(check, changes, named):
    status, out, _ = check(changes)
    assert status == 2 and "ok" not in out.split()
    assert any(named in line for line in out.splitlines()), out


def test_everything_that_is_wrong_is_told_at_once_with_its_line(check):
    status, out, _ = check({"sale.max_attempts": 0, "limits.hold": "0s", "log.level": "loud", "cache.optoins": "5m"})
    assert status == 2
    for name in ("sale.max_attempts", "limits.hold", "log.level", "cache.optoins"):
        (line,) = [line for line in out.splitlines() if name in line]
        assert re.search(r"gateway\.toml:\d+", line), line


def test_a_file_that_is_not_toml_is_2(check):
    status, out, _ = check(text="[listen\nterminals = ")
    assert status == 2 and re.search(r"gateway\.toml:\d+", out)


def test_no_secret_is_quoted(check, tmp_path):
    changes = {"provider.app_secret_file": None, "provider.app_secret": APP_SECRET, "sale.max_attempts": 0}
    status, out, err = check(changes)
    assert status == 2 and APP_SECRET not in out + err
    _, out, err = check({"terminals": [{"id": "a", "key_sha256": key_of("caixa-01")}]})
    assert key_of("caixa-01") not in out + err, "a key put in the place of its digest by mistake"


def test_a_certificate_needs_its_own_key(check, tmp_path):
    cert, _ = make_certificate(tmp_path, "one")
    _, key = make_certificate(tmp_path, "two")
    status, out, _ = check({"listen.tls.cert": str(cert)})
    assert status == 2 and "listen.tls" in out
    status, out, _ = check({"listen.tls.cert": str(cert), "listen.tls.key": str(key)})
    assert status == 2 and "listen.tls.key" in out
    _, of_another_kind = make_certificate(tmp_path, "three", algorithm=["rsa:2048"])
    status, out, _ = check({"listen.tls.cert": str(cert), "listen.tls.key": str(of_another_kind)})
    assert status == 2 and "listen.tls.key" in out
    over_tls = {"listen.tls.cert": str(cert), "listen.tls.key": str(tmp_path / "one.key")}
    assert check(over_tls) == (0, "ok\n", "")
    # The provider would call a listener that does not understand it.
    status, _, err = check(over_tls | {"provider.callback_url": "http://127.0.0.1:1"})
    assert status == 0 and "provider.callback_url" in err


@pytest.mark.parametrize("changes", [{"sale.max_attempts": 0}, {"provider.base_url": "http://provider.example"}])
def test_a_gateway_with_a_wrong_configuration_does_not_start(tmp_path, changes):
    file = tmp_path / "gateway.toml"
    file.write_text(toml(configuration(tmp_path, PROVIDER, PROVIDER, changes)))
    status, out, err = run_to_end([GATEWAY, "--config", str(file)], tmp_path)
    assert status == 2 and next(iter(changes)) in err
    assert not os.path.exists(tmp_path / "journal.db"), "nothing was touched"


def test_plain_http_beyond_this_machine_must_be_allowed(check):
    status, _, _ = check({"provider.base_url": "http://provider.example", "provider.allow_plaintext": True})
    assert status == 0
    for host in ("LocalHost", "127.8.9.10", "[::1]", "[::ffff:127.0.0.1]"):
        url = f"http://{host}:8090"
        assert check({"provider.base_url": url, "provider.auth_url": url})[0] == 0, url
    for host in ("127.0.0.1.evil.example", "localhost.example", "127.0.0.1:99999", "128.0.0.1"):
        for key in ("provider.base_url", "provider.auth_url"):
            status, out, err = check({key: f"http://{host}"})
            assert status == 2 and key in out + err, (key, host)


def test_an_address_that_is_taken_is_said_in_words(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        changes = {"listen.terminals": f"127.0.0.1:{taken.getsockname()[1]}"}
        file = tmp_path / "gateway.toml"
        file.write_text(toml(configuration(tmp_path, PROVIDER, PROVIDER, changes)))
        file.chmod(0o600)
        status, _, err = run_to_end([GATEWAY, "--config", str(file)], tmp_path)
    assert status == 1 and "terminals" in err and changes["listen.terminals"] in err


def test_a_terminals_key_is_made_and_opens(new_shop, tmp_path):
    status, lines, shown = run_to_end([GATEWAY, "new-terminal", "caixa-77"], tmp_path)
    assert status == 0
    digest = re.search(r'key_sha256 = "([0-9a-f]{64})"', lines)[1]
    key = shown.split()[-1]
    assert hashlib.sha256(key.encode()).hexdigest() == digest and key not in lines
    assert 'id = "caixa-77"' in lines and len(key) >= 22
    shop = new_shop({"terminals": [{"id": "caixa-77", "key_sha256": digest}]}).start()
    sale = Terminal(shop.till.address, key).sell(orders.tv(), "k-1").of(200).json
    assert sale["terminal"] == "caixa-77"


def test_a_new_terminal_wants_a_name_that_can_stand_in_a_log(tmp_path):
    for name in ("a b", "", "x" * 65, "á"):
        assert run_to_end([GATEWAY, "new-terminal", name], tmp_path)[0] == 2


def test_an_answer_that_cannot_be_written_is_a_failure(tmp_path):
    config = os.path.join(os.path.dirname(__file__), "../../config/sandbox.toml")
    for arguments in (["check-config", "--config", config], ["new-terminal", "caixa-77"], ["--version"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([GATEWAY, *arguments], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 1, arguments
        assert b"standard output cannot be written" in done.stderr


def test_the_log_may_be_text_for_people(new_shop):
    shop = new_shop({"log.format": "text"})
    run = shop.gateway.launch()
    run._line_with(r"\binfo +sales-gateway \S+ has started on the journal ")
    line = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} info     the admin listener takes calls at 127\.0\.0\.1, port \d+$"
    assert re.search(line, run.text(), re.M)
    run.stop()


def test_the_examples_are_as_they_say(tmp_path):
    """The published example files are right, except for what each says has to be filled in."""
    folder = os.path.join(os.path.dirname(__file__), "../../config")
    status, out, _ = run_to_end([GATEWAY, "check-config", "--config", os.path.join(folder, "sandbox.toml")], tmp_path)
    assert (status, out) == (0, "ok\n")
