"""slowhttptest (a Debian package) in its four modes: whoever drips, lingers or reads slowly delays nobody else's sale."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from harness import orders
from harness.orders import new_key
from harness.processes import key_of

# What is freed stays resident for long under AddressSanitizer otherwise, and would be taken for the callers' memory.
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=1:thread_local_quarantine_size_kb=64")
TOOL = shutil.which("slowhttptest")
CONNECTIONS = 400
# Of memory, for each of their connections: its buffers and its coroutine, many times over.
MOST_BYTES_EACH = 64 << 10
# More than the gateway gives a header (10 s): whoever has not ended it by then is gone.
SECONDS = 14

MODES = {
    "slow headers": ["-H", "-i", "1", "-x", "24"],
    "slow body": ["-B", "-i", "1", "-x", "12", "-s", "8192", "-f", "application/json"],
    "ranges": ["-R", "-a", "10", "-b", "3000"],
    "slow reading": ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "4", "-k", "10"],
}

pytestmark = pytest.mark.skipif(TOOL is None, reason="slowhttptest is not installed: deploy/packages.sh names it")


def resident_bytes(shop):
    status = pathlib.Path(f"/proc/{shop.gateway.run.child.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) << 10


@pytest.mark.parametrize("mode", MODES)
def test_slow_callers_delay_nobody(shop, mode):
    host, port = shop.gateway.ports["terminals"]
    command = [TOOL, "-c", str(CONNECTIONS), "-r", "200", "-l", str(SECONDS), "-p", "5", "-v", "1"]
    command += ["-u", f"http://{host}:{port}/openapi.json", *MODES[mode]]
    before = resident_bytes(shop)
    attack = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=shop.folder, text=True)
    sold, most = 0, 0
    try:
        while attack.poll() is None:
            shop.sell(orders.tv(), new_key()).of(200)
            shop.gateway.admin.get("/healthz").of(200)
            sold += 1
            most = max(most, resident_bytes(shop))
        said = re.sub(r"\x1b\[[0-9;]*m", "", attack.stdout.read())
    finally:
        attack.kill()
        attack.wait()
    assert sold > 0, said
    assert most - before < CONNECTIONS * MOST_BYTES_EACH
    # Its own probe asks as anybody would, all the time.
    assert set(re.findall(r"service available:\s+(\w+)", said)) == {"YES"}, said
    if mode == "slow headers":
        refused = [line for line in shop.gateway.events("http.refused") if "in time" in line["reason"]]
        assert len(refused) > CONNECTIONS / 2


def test_afterwards_everybody_is_served_as_before(shop):
    shop.sell(orders.tv(), new_key()).of(200)
    assert shop.gateway.run.running()
    assert key_of("caixa-01") not in shop.gateway.run.text()
