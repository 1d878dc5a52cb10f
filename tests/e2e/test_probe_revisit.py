"""Tests sales that the probe leaves open, and asks about again when 49 hours are over. The hours are subtracted from
the times in its ledger, because no test waits for them."""
import datetime
import json

import pytest

from harness.probing import Probe
from harness.waiting import eventually

WAITED = datetime.timedelta(hours=50)


def grow_old(ledger):
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    for line in lines:
        at = datetime.datetime.fromisoformat(line["at"].replace("Z", "+00:00")) - WAITED
        line["at"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    ledger.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("end, value", [("1s", "within-49h"), ("never", "never")])
def test_what_became_of_a_sale_that_was_left_open_is_asked_after_49_hours(tmp_path, end, value):
    probe = Probe(tmp_path, {"--open-sales-end-tv": end})
    try:
        ended = probe.run("--level", "authorise", "--family", "tv", "--leave-open")
        assert ended.returncode == 1, ended.stderr
        left = probe.listed()
        assert len(left) == 1 and "deixada em aberto de propósito" in ended.stderr, ended.stderr
        early = probe.run("--revisit", str(probe.out))
        assert early.returncode == 2 and "volte depois de" in early.stderr
        if end != "never":
            eventually(lambda: not probe.open_at_provider(), "the provider has ended it by itself")
        assert probe.open_at_provider() == (left if end == "never" else set())
        grow_old(probe.out / "ledger.jsonl")
        again = probe.run("--revisit", str(probe.out))
        # Other points may be left, because here they are asked of a TV sale alone.
        assert again.returncode in (0, 1) if end == "never" else again.returncode == 1, again.stderr
        standing = probe.report()["points"]["open-sales-end-tv"]["standing"]
        assert standing == ("answered" if end == "never" else "contradicts")
        assert probe.value("open-sales-end-tv") == {value}, again.stderr
        # This does not tell when the sale ends: a person has to ask.
        assert "open_sales_end" not in again.stdout
        assert probe.open_at_provider() == set() == probe.listed(), "nothing is left open"
        assert probe.run("--revisit", str(probe.out)).returncode == 2, "there is nothing left to ask for"
    finally:
        probe.sandbox.kill()
