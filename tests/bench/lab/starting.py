"""Measures how long a start takes, until a first sale is sold."""
import json
import time

PATIENCE_S = 300


def start_and_sell(program, sell):
    """Starts the gateway, and returns the seconds until `sell()` returns 200. `program` is the harness's gateway. Only
    the beginning of its log is read: with ten thousand open sales the log grows fast."""
    began = time.monotonic()
    run = program.launch()
    while "started" not in (line["event"] for line in _first_lines(run)):
        assert run.running(), f"the gateway ended at its start: {run.text()[-1000:]} {run.errors()}"
        assert time.monotonic() - began < PATIENCE_S, f"the gateway has not started after {PATIENCE_S} s"
        time.sleep(0.002)
    program.ports = {line["listener"]: (line["address"], line["port"]) for line in _first_lines(run)
                     if line["event"] == "listening"}
    while (status := sell()) != 200:
        assert time.monotonic() - began < PATIENCE_S, f"the first sell is answered {status} after {PATIENCE_S} s"
        time.sleep(0.005)
    return time.monotonic() - began


def _first_lines(run):
    with open(run.out, "rb") as log:
        return [json.loads(line) for line in log.read(4096).splitlines(keepends=True) if line.endswith(b"\n")]
