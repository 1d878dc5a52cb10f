"""Tests the days on which a probe goes wrong, by connections and signals: what was authorised is cancelled by the next
run at the latest, and until then it is in the list of what may be open. probe_test meets each step of a run."""
import signal

import pytest

from harness.probing import Probe
from harness.waiting import LIMIT_S, eventually


@pytest.fixture
def new_probe(tmp_path):
    made = []

    def make():
        made.append(Probe(tmp_path, gated=True))
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


@pytest.mark.parametrize("sale", [1, 8, 16, 24])
def test_ctrl_c_at_any_step_leaves_nothing_open(new_probe, sale):
    probe = new_probe()
    running, pause = probe.begin_up_to(sale, "--level", "authorise")
    running.signal(signal.SIGINT)
    eventually(lambda: "interrompido" in running.errors(), "it has heard that")
    pause.resume()
    assert running.wait() == 2, running.errors()
    assert probe.open_at_provider() == set() == probe.listed()
    ends_well(probe)


def test_a_second_ctrl_c_stops_at_once_and_says_what_may_be_open(new_probe):
    probe = new_probe()
    # A sale is accepted, but neither its answer nor that of its cancel comes.
    probe.gate.arm(b"/solicitar", mute=True)
    probe.gate.arm(b"/cancelar", times=1000, swallow=True)
    running = probe.begin("--level", "authorise", "--family", "tv")
    eventually(lambda: probe.open_at_provider(), "a sale is open")
    running.signal(signal.SIGINT)
    eventually(lambda: "interrompido" in running.errors(), "it has heard the first")
    running.signal(signal.SIGINT)
    assert running.wait() == 2, running.errors()
    assert "parado de imediato" in running.errors()
    for id_externo in probe.open_at_provider():
        assert id_externo in running.errors()
    probe.gate.disarm()
    ends_well(probe)


@pytest.mark.parametrize("what, sale", [("shut", 1), ("answers are lost", 6), ("shut", 18)])
def test_the_network_may_break_in_the_middle(new_probe, what, sale):
    probe = new_probe()
    running, pause = probe.begin_up_to(sale, "--level", "authorise")
    if what == "shut":
        probe.gate.shut()
    else:
        probe.gate.arm(b"", times=10_000, after_down=0)
        pause.resume()
    assert running.child.wait(10 * LIMIT_S) == 2, running.errors()
    assert probe.open_at_provider() <= probe.listed()
    assert "não responde" in running.errors()
    probe.gate.disarm()
    probe.gate.open()
    ends_well(probe)


def test_the_token_may_end_at_any_time(new_probe):
    probe = new_probe()
    sales = (1, 5, 10, 15, 20, 25)
    pauses = [probe.gate.pause(b"/solicitar", passing=sale - 1) for sale in sales]
    running = probe.begin("--level", "authorise")
    for pause in pauses:
        pause.wait_until_reached()
        probe.sandbox.expire_tokens()
        pause.resume()
    assert running.child.wait(10 * LIMIT_S) in (0, 1), running.errors()
    assert probe.open_at_provider() == set() == probe.listed()
    assert probe.value("cancel-effect") == {"cancels"}


@pytest.mark.parametrize("sale", [None, 7])
def test_a_provider_that_answers_500_to_everything_is_not_judged(new_probe, sale):
    probe = new_probe()
    everything = [{"step": step, "behaviour": "error", "status": 500}
                  for step in ("consulta", "solicitar", "confirmar", "cancelar", "token")]
    arguments = ("--level", "authorise", "--family", "tv", "--family", "egift")
    if sale is None:
        probe.sandbox.faults(*everything)
        running = probe.begin(*arguments)
    else:
        running, pause = probe.begin_up_to(sale, *arguments)
        probe.sandbox.faults(*everything)
        pause.resume()
    status = running.child.wait(10 * LIMIT_S)
    # At the beginning there is nobody to judge; later on, what was answered before counts.
    assert status == 2 if sale is None else status in (1, 2), running.errors()
    assert probe.open_at_provider() <= probe.listed()
    probe.sandbox.no_faults()
    ends_well(probe)


def test_an_altered_transcript_is_set_aside_and_what_is_open_is_cancelled(new_probe):
    probe = new_probe()
    running, pause = probe.begin_up_to(5, "--level", "authorise")
    running.kill()
    pause.resume()
    transcript = probe.out / "transcript.jsonl"
    transcript.write_text(transcript.read_text().replace('"label":"token"', '"label":"outro"', 1))
    ended = probe.run("--level", "authorise")
    assert ended.returncode in (0, 1), ended.stderr
    assert "transcript.jsonl.1" in ended.stderr
    assert '"outro"' in (probe.out / "transcript.jsonl.1").read_text()
    assert any(name.startswith("posto de lado") for name in probe.report()["facts"])
    assert probe.open_at_provider() == set()
    assert probe.listed_without_need() == []


def test_a_run_that_cannot_begin_lists_what_may_be_open(new_probe):
    probe = new_probe()
    running = probe.begin("--level", "authorise", "--leave-open", "--family", "tv")
    assert running.child.wait(10 * LIMIT_S) in (0, 1), running.errors()
    (open_one,) = probe.open_at_provider()
    (probe.out / "notebook.jsonl").unlink()
    (probe.out / "notebook.jsonl").mkdir()
    for number in range(1, 101):
        (probe.out / f"notebook.jsonl.{number}").touch()
    ended = probe.run("--level", "authorise", "--family", "tv")
    assert ended.returncode == 2, ended.stderr
    assert open_one in ended.stderr
