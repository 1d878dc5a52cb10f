"""Tests the probe over the real programs: what it finds out, what it leaves behind, and the days on which it goes
wrong."""
import json
import signal
import subprocess

import pytest

from harness.probing import CARD, CPF, STATUS, Probe
from harness.processes import GATEWAY, Gateway
from harness.waiting import LIMIT_S, eventually


@pytest.fixture
def new_probe(tmp_path):
    made = []

    def make(sandbox_options=None, **changes):
        made.append(Probe(tmp_path, sandbox_options, **changes))
        return made[-1]

    yield make
    for one in made:
        one.close()


def ends_well(probe):
    """The next run cancels what the one before has left, and comes to its end."""
    ended = probe.run("--level", "authorise")
    assert ended.returncode in (0, 1), ended.stderr
    assert probe.open_at_provider() == set()
    assert probe.listed_without_need() == []


def test_all_answered_and_consistent_is_0_and_the_report_says_every_step(new_probe):
    probe = new_probe()
    ended = probe.run("--level", "authorise")
    assert ended.returncode == 0, ended.stderr + json.dumps(probe.report()["points"], indent=1, ensure_ascii=False)
    assert probe.open_at_provider() == set()
    assert probe.value("cancel-unknown") == {"404"}
    assert probe.value("status-path") == {STATUS}
    assert probe.value("health-cancel-does") == {"cancels"}
    assert probe.value("keep-alive-idle") == {"under-2s"}
    assert probe.value("keep-alive-requests") == {"unlimited"}
    text = (probe.out / "report.md").read_text()
    assert "## Pontos em aberto do documento" in text and "## O que não foi testado, e por quê" in text
    # Every request to the provider is in the log of a step.
    transcript = [json.loads(line) for line in (probe.out / "transcript.jsonl").read_text().splitlines()]
    sales = [line for line in transcript if line["what"] == "request" and line["label"].endswith("solicitar")]
    assert len(sales) == probe.asked() > 20
    assert text.count('"event":"probe.answered"') >= len(sales)
    assert 'provider.status_path = "' in ended.stdout
    assert {"vendas: endereços", "vendas: relógio", "token: relógio"} <= set(probe.report()["facts"])


def test_a_contradiction_is_1_and_brings_the_line_that_mends_it(new_probe):
    probe = new_probe({"--scopes": "Venda_TvPrePaga"}, health_cancel_path="/venda/saude/cancelar")
    ended = probe.run("--level", "look")
    assert ended.returncode == 1, ended.stderr
    assert probe.report()["points"]["scopes"]["standing"] == "contradicts"
    assert ended.stdout.splitlines() == ['provider.scopes = ["Venda_TvPrePaga"]']
    assert "| contradiz a configuração da loja |" in (probe.out / "report.md").read_text()
    assert probe.asked() == 0, "look asks for no sale"


def test_connections_that_carry_ten_requests_are_counted(new_probe):
    probe = new_probe({"--keep-alive-requests": "10"})
    probe.run("--level", "look", "--family", "tv")
    assert probe.value("keep-alive-requests") == {"10"}


def test_a_limit_of_five_in_a_second_is_found_and_kept_to(new_probe):
    probe = new_probe({"--rate-limit": "5"})
    ended = probe.run("--level", "look", "--family", "tv")
    assert ended.returncode in (0, 1), ended.stderr
    # A provider that counts by its own clock's seconds may have begun again in between.
    assert {int(value) for value in probe.value("rate-limit")} <= set(range(5, 11))
    assert probe.value("rate-limit-answer") == {"429-retry-after"}


def test_it_sells_after_a_typed_yes_alone_and_hears_the_callbacks(new_probe):
    probe = new_probe({"--callback-delay": "20ms", "--callback-tries": "3", "--callback-retry": "100ms"})
    arguments = ("--level", "sell", "--family", "egift", "--family", "esim", "--consumidor", probe.customer_file())
    for typed in ("", "não\n"):
        refused = probe.run(*arguments, typed=typed)
        assert refused.returncode == 2 and probe.asked() == 0, refused.stderr
    ended = probe.run(*arguments, typed="sim\n")
    assert ended.returncode in (0, 1), ended.stderr
    assert probe.value("egift-instrucao-again") == {"again"}
    assert probe.value("cancel-on-efetivada") == {"200-status"}
    assert probe.value("callback-field") == {"the service"}
    assert probe.value("callback-tries") == {"3"}
    assert probe.value("recharge-callback") == {"own-address"}
    assert probe.open_at_provider() == set() == probe.listed()
    left = ended.stdout + ended.stderr
    for path in probe.out.rglob("*"):
        if path.is_file():
            left += path.read_text()
            assert path.stat().st_mode & 0o077 == 0, path
    goods = {one["goods"] for one in probe.sandbox.transactions() if one.get("goods")}
    secrets = {"Reconhecivel", "reconhecivel", CPF, CARD, "11987654321", "app-secret-of", *goods}
    secret = (probe.folder / "app-secret").read_text().strip()
    for text in secrets | {secret}:
        assert text not in left, text


def test_it_runs_in_the_test_environment_alone(new_probe):
    probe = new_probe(environment="production")
    ended = probe.run()
    assert ended.returncode == 2 and "homologation" in ended.stderr
    assert not probe.out.exists() and probe.sandbox.token_counts()["seen"] == 0


def test_it_does_not_run_beside_a_gateway(new_probe):
    probe = new_probe()
    document = {**probe.document, "listen": {**probe.document["listen"], "callbacks": "127.0.0.1:0"}}
    gateway = Gateway(probe.folder, document).start()
    try:
        ended = probe.run()
        assert ended.returncode == 2 and "a gateway runs on" in ended.stderr
    finally:
        gateway.stop()
    assert probe.run("--family", "tv").returncode in (0, 1)


def test_a_second_probe_in_the_same_folder_is_refused(new_probe):
    probe = new_probe(gated=True)
    first, pause = probe.begin_up_to(1, "--level", "authorise")
    second = probe.run("--level", "authorise")
    assert second.returncode == 2 and "another probe" in second.stderr
    pause.resume()
    assert first.wait() in (0, 1), first.errors()


def test_ctrl_c_cancels_and_reports_and_the_next_run_goes_on(new_probe):
    probe = new_probe(gated=True)
    running, pause = probe.begin_up_to(6, "--level", "authorise")
    running.signal(signal.SIGINT)
    eventually(lambda: "interrompido" in running.errors(), "it has heard that")
    pause.resume()
    assert running.wait() == 2, running.errors()
    assert probe.open_at_provider() == set()
    assert probe.report()["interrupted"] == "interrompido"
    before = probe.asked()
    ends_well(probe)
    assert "já respondido" in probe.run("--level", "authorise").stderr
    assert probe.asked() > before


@pytest.mark.parametrize("sale, arrives", [(1, True), (4, False), (9, True), (17, False)])
def test_what_a_killed_probe_authorised_is_cancelled_by_the_next(new_probe, sale, arrives):
    probe = new_probe(gated=True)
    running, pause = probe.begin_up_to(sale, "--level", "authorise")
    running.kill()
    if arrives:
        pause.resume()
        eventually(probe.open_at_provider, "the provider has heard of the sale that nobody waits for")
    else:
        probe.gate.drop()
    ends_well(probe)


@pytest.mark.parametrize("bytes_each", [3_000, 20_000, 60_000])
def test_a_full_disk_ends_it_and_nothing_is_lost(new_probe, bytes_each):
    probe = new_probe()
    ended = probe.run("--level", "authorise", wrapper=("prlimit", f"--fsize={bytes_each}"))
    assert ended.returncode == 2, ended.stderr
    # What could not be written down was not sent, and what had been sent is cancelled all the same.
    assert probe.open_at_provider() == set(), ended.stderr
    ends_well(probe)


def test_the_provider_may_go_away_and_come_back(new_probe):
    probe = new_probe(gated=True)
    running, pause = probe.begin_up_to(4, "--level", "authorise")
    probe.sandbox.child.send_signal(signal.SIGSTOP)
    pause.resume()
    # Requests time out until it is certain that nobody is there.
    status = running.child.wait(10 * LIMIT_S)
    probe.sandbox.child.send_signal(signal.SIGCONT)
    assert status == 2, running.errors()
    eventually(lambda: probe.sandbox.requests() is not None, "the provider is back")
    assert probe.open_at_provider() <= probe.listed()
    ends_well(probe)


def test_what_was_left_open_is_not_asked_for_too_early(new_probe):
    probe = new_probe()
    ended = probe.run("--level", "authorise", "--family", "tv", "--leave-open")
    assert ended.returncode == 1, ended.stderr
    assert probe.listed() == probe.open_at_provider() != set()
    early = subprocess.run([GATEWAY, "probe", "--config", str(probe.folder / "probe.toml"), "--revisit", str(probe.out)],
                           capture_output=True, text=True, timeout=LIMIT_S)
    assert early.returncode == 2 and "volte depois de" in early.stderr


def test_a_statement_is_looked_at(new_probe):
    probe = new_probe()
    probe.run("--level", "authorise", "--family", "tv")
    statement = probe.folder / "statement.txt"
    statement.write_bytes(probe.sandbox.statement(("money", "comma"), ("encoding", "latin1")))
    probe.run("--level", "look", "--statement", str(statement))
    assert probe.value("statement-separator") == {"semicolon"}
    assert probe.value("statement-money") == {"comma"}
