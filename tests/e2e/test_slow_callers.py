"""slowhttptest (a Debian package) in its four modes: a caller that drips, lingers or reads slowly delays nobody else's sale."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest
from harness import orders
from harness.orders import new_key
from harness.processes import key_of

# Otherwise freed memory stays resident for long under AddressSanitizer, and would be taken for the callers' memory.
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=1:thread_local_quarantine_size_kb=64")
TOOL = shutil.which("slowhttptest")
CONNECTIONS = 400
# This is the memory for each of their connections: its buffers and its coroutine, many times over.
MOST_BYTES_EACH = 64 << 10
# Each mode ends when what it has to show was seen, however slow the machine is. This bounds only one that has failed.
SECONDS = 300
# The tool's own probe gives up after this long, and would then blame the gateway for a machine that is otherwise busy.
PROBE_SECONDS = 120

MODES = {
    "slow headers": ["-H", "-i", "1", "-x", "24"],
    "slow body": ["-B", "-i", "1", "-x", "12", "-s", "8192", "-f", "application/json"],
    "ranges": ["-R", "-a", "10", "-b", "3000"],
    "slow reading": ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "4", "-k", "10"],
}
# The gateway ends these, when the time for a header or a body is over.
ENDED = ("slow headers", "slow body")

pytestmark = pytest.mark.skipif(TOOL is None, reason="slowhttptest is not installed: deploy/packages.sh names it")


def resident_bytes(shop):
    status = pathlib.Path(f"/proc/{shop.gateway.run.child.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) << 10


def callers_of(shop, mode):
    """Returns how many connections the terminals listener has open; of slow readers, those that still have something to
    read."""
    port = f":{shop.gateway.ports['terminals'][1]:04X}"
    sockets = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ours = [queued for _, local, _, state, queued, *_ in sockets if local.endswith(port) and state == "01"]
    return sum(mode != "slow reading" or int(queued.split(":")[0], 16) > 0 for queued in ours)


def ended_by_the_gateway(shop):
    """Counts their log lines, and the calls of callers that have too many for a line each."""
    hammering = shop.gateway.admin.get("/v1/status").of(200).json["hammering"]
    return shop.gateway.run.text().count("did not come in time") + sum(caller["calls"] for caller in hammering)


@pytest.mark.parametrize("mode", MODES)
def test_slow_callers_delay_nobody(shop, mode):
    host, port = shop.gateway.ports["terminals"]
    command = [TOOL, "-c", str(CONNECTIONS), "-r", "200", "-l", str(SECONDS), "-p", str(PROBE_SECONDS), "-v", "1"]
    command += ["-u", f"http://{host}:{port}/openapi.json", *MODES[mode]]
    memory, ended = resident_bytes(shop), ended_by_the_gateway(shop)
    most, beside = memory, 0
    attack = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=shop.folder, text=True)

    def seen():
        """Sells beside most of the callers, and checks that these are ended. Those of ranges are answered and go."""
        if mode == "ranges":
            return attack.poll() is not None
        enough = mode not in ENDED or ended_by_the_gateway(shop) - ended > CONNECTIONS / 2
        return enough and beside > CONNECTIONS / 2

    try:
        while not seen():
            assert mode == "ranges" or attack.poll() is None, (beside, attack.stdout.read())
            there = callers_of(shop, mode)
            shop.sell(orders.tv(), new_key()).of(200)  # on a connection of its own, from the first byte to the last
            shop.gateway.admin.get("/healthz").of(200)
            beside = max(beside, min(there, callers_of(shop, mode)))
            most = max(most, resident_bytes(shop))
        attack.send_signal(signal.SIGINT)
        said = re.sub(r"\x1b\[[0-9;]*m", "", attack.communicate()[0])
    finally:
        attack.kill()
        attack.wait()
    assert most - memory < CONNECTIONS * MOST_BYTES_EACH
    # Its own probe asks all the time, as anybody would.
    assert set(re.findall(r"service available:\s+(\w+)", said)) == {"YES"}, said


def test_afterwards_everybody_is_served_as_before(shop):
    shop.sell(orders.tv(), new_key()).of(200)
    assert shop.gateway.run.running()
    assert key_of("caixa-01") not in shop.gateway.run.text()
