"""The tool on a small sample: which mutants it makes, and which of them it finds to survive a weak check."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import mutate  # noqa: E402
import places  # noqa: E402
import runs  # noqa: E402
from schemata import Schemata  # noqa: E402
from tree import CLANG  # noqa: E402

_FLAGS = ["-std=c++20", "-w", f"-I{HERE}", f"-I{HERE / 'sample'}"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample's schemata, and its check as a program that has them all."""
    folder = tmp_path_factory.mktemp("sample")
    schemata = Schemata("sample/till.cpp", *places.find(CLANG, _FLAGS, "sample/till.cpp", HERE))
    for number, mutant in enumerate(schemata.mutants):
        mutant.number = number
    schemata.kept.add("prices")  # because a static_assert needs it
    schemata.refused.update(one.number for one in schemata.mutants if one.everywhere and one.text != "3 + 1")
    (folder / "till.cpp").write_text(schemata.text())
    program = runs.Program("check", [str(folder / "check")], HERE / "sample")
    sources = [folder / "till.cpp", HERE / "sample/check.cpp"]
    subprocess.run([CLANG, *_FLAGS, *sources, "-o", program.command[0]], check=True)
    runs.trace(program, folder / "trace")
    return schemata, program


def described(mutants):
    return {f"{was} -> {now}" for _, _, _, was, now, _ in mutants}


def test_every_kind_of_mutant_is_made(sample):
    made = described(mutate.named(sample[0]))
    assert {"3 -> 3 + 1",  # a constant of the language too
            "drink -> Drink::tea goes to Drink::coffee",
            "count > 0 -> count >= 0", "count <= most -> true", "open -> true",
            "std::min(sum, 100) -> std::max(sum, 100)",
            "i < count -> false", "taken += total(drink, count) -> taken -= total(drink, count)",
            "!may_sell(count, open) -> true", "return; -> ", "++sales; -> "} <= made  # fmt: skip


def test_what_the_check_leaves_untested_survives_and_nothing_else(sample):
    schemata, program = sample
    alive = {key: mutant for key, mutant in mutate.named(schemata).items()
             if mutant.number not in schemata.refused and runs.killer(mutant, [program], True, None, [], set()) is None}
    assert described(alive) == {"++sales; -> ", "100 -> 100 + 1", "0 -> 0 + 1"}


def test_a_mutant_that_no_test_reaches_survives_without_a_run(sample):
    schemata, _ = sample
    never_run = runs.Program("missing", ["/nonexistent"], HERE)
    assert runs.killer(schemata.mutants[0], [never_run], True, None, [], set()) is None


def test_a_result_holds_until_the_test_that_killed_changes_and_a_survivor_meets_what_is_new(tmp_path):
    results = runs.Results(tmp_path / "results.json")
    results.note("dead", "source", "unit A", ["1"])
    results.note("alive", "source", None, ["1", "2"])
    assert results.of("dead", "source", {"unit A": "1", "unit B": "3"}) == ("unit A", True, set())
    assert results.of("dead", "source", {"unit A": "2"}) == ("unit A", False, set())
    assert results.of("dead", "another source", {"unit A": "1"}) == ("unit A", False, set())
    assert results.of("alive", "source", {"unit A": "1"}) == (None, False, {"1", "2"})
    assert results.of("alive", "another source", {"unit A": "1"}) == (None, False, set())


def test_an_endless_loop_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "_LEAST_SECONDS", 0.5)
    program = runs.Program("loop", ["/bin/sh", "-c", "while :; do :; done"], HERE, reached={0: None},
                           versions={"": "1"})
    mutant = places.Mutant(0, 0, "", "", False, False)
    assert runs.killer(mutant, [program], True, None, [], set()) == "loop"
    assert runs.killer(mutant, [program], True, None, [], {"1"}) is None


def test_the_key_of_a_mutant_has_no_number_of_a_line():
    def key(source, at):
        mutant = places.Mutant(at, at + 1, "b", "f", False, False)
        return list(mutate.named(Schemata("f", source, [places.Edit(at, at + 1, "choice", [mutant])])))

    assert key(b"x = a;\n", 4) == key(b"\n\nx = a;\n", 6)
