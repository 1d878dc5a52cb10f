"""How long a start takes, until a first sale is sold."""
import json
import time

PATIENCE_S = 300


def start_and_sell(program, sell):
    """Starts the gateway; the seconds until `sell()` returns 200. `program` is the harness's gateway. Of its log only
    the beginning is read: where ten thousand sales are open there is soon much of it."""
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
