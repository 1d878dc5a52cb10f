"""The unit files: systemd reads them, rates them, and every line has its reason."""
import configparser
import pathlib
import re
import shutil
import subprocess

import pytest
from harness.processes import ROOT

UNITS = sorted((ROOT / "systemd").iterdir())
SERVICE = ROOT / "systemd/sales-gateway.service"
# As many tenths as `systemd-analyze security` may find exposed.
MOST_EXPOSED = 12

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="the package systemd is not installed")


def analyze(*arguments):
    done = subprocess.run(["systemd-analyze", "--no-pager", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_systemd_finds_the_service_hardened():
    status, told = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", SERVICE)
    assert status == 0, told


def test_the_threshold_is_one():
    """A service that hardens nothing is found to: else the test above would say nothing."""
    status, _ = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", "systemd-ask-password-wall.service")
    assert status != 0


def test_systemd_reads_every_unit(tmp_path):
    # With a program that is there: this machine's own may not be installed.
    copies = []
    for unit in UNITS:
        copies.append(tmp_path / unit.name)
        copies[-1].write_text(unit.read_text().replace("/usr/bin/sales-gateway", "/usr/bin/true"))
    status, told = analyze("verify", "--man=no", *copies)
    ours = [line for line in told.splitlines() if "sales-gateway" in line]
    assert status == 0 and not ours, told


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_line_has_its_reason(unit):
    """A comment stands above each group of settings; what only names the unit explains itself."""
    plain = {"Description", "Documentation", "WantedBy", "ListenStream", "Service"}
    reason = False
    for line in unit.read_text().splitlines():
        if line.startswith("#"):
            reason = True
        elif not line or line.startswith("["):
            reason = False
        else:
            assert reason or line.split("=")[0] in plain, f"{unit.name}: {line} has no reason"


@pytest.mark.parametrize("name", ["terminals", "callbacks", "admin"])
def test_each_listener_has_its_socket_unit_with_its_name_and_usual_port(name):
    text = (ROOT / f"systemd/sales-gateway-{name}.socket").read_text()
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string(text)
    assert unit["Socket"]["FileDescriptorName"] == name
    assert unit["Socket"]["Service"] == "sales-gateway.service"
    example = (ROOT / "config/gateway.example.toml").read_text()
    port = re.search(rf'^#{name} = "(.*):(\d+)"$', example, re.M)
    assert unit["Socket"]["ListenStream"] in (port[2], f"{port[1]}:{port[2]}")


def test_the_service_runs_what_the_package_installs():
    text = pathlib.Path(SERVICE).read_text()
    assert "ExecStart=/usr/bin/sales-gateway --config /etc/sales-gateway/gateway.toml\n" in text
    assert "Type=notify\n" in text and re.search(r"^WatchdogSec=\d+s$", text, re.M)
