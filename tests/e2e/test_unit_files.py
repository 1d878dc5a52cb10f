"""Tests the unit files: systemd reads them and rates them, and every line has its reason."""
import configparser
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from harness.processes import ROOT

EXAMPLES = sorted((ROOT / "systemd/examples").iterdir())
UNITS = sorted(unit for unit in (ROOT / "systemd").iterdir() if unit.is_file())
SERVICE = ROOT / "systemd/sales-gateway.service"
SERVICES = [SERVICE] + [unit for unit in EXAMPLES if unit.suffix == ".service"]
# `systemd-analyze security` may find at most this exposure, in tenths.
MOST_EXPOSED = 12

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="the package systemd is not installed")


def analyze(*arguments):
    done = subprocess.run(["systemd-analyze", "--no-pager", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("service", SERVICES, ids=lambda unit: unit.name)
def test_systemd_finds_the_service_hardened(service):
    status, told = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", service)
    assert status == 0, told


def test_the_threshold_is_one():
    """A service that hardens nothing must be found exposed; otherwise the test above would say nothing."""
    status, _ = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", "systemd-ask-password-wall.service")
    assert status != 0


def test_systemd_reads_every_unit(tmp_path):
    # The copy names a program that exists, because this machine's own may not be installed.
    copies = []
    for unit in UNITS + EXAMPLES:
        copies.append(tmp_path / unit.name)
        copies[-1].write_text(unit.read_text().replace("/usr/bin/sales-gateway", "/usr/bin/true"))
    status, told = analyze("verify", "--man=no", *copies)
    ours = [line for line in told.splitlines() if "sales-gateway" in line]
    assert status == 0 and not ours, told


@pytest.mark.parametrize("unit", UNITS + EXAMPLES, ids=lambda unit: unit.name)
def test_every_line_has_its_reason(unit):
    """A comment stands above each group of settings. What only names the unit explains itself."""
    plain = {"Description", "Documentation", "WantedBy", "ListenStream", "Service", "Type"}
    reason = False
    for line in unit.read_text().splitlines():
        if line.startswith("#"):
            reason = True
        elif not line or line.startswith("["):
            reason = False
        else:
            assert reason or line.split("=")[0] in plain, f"{unit.name}: {line} has no reason"


@pytest.mark.parametrize("name", ["terminals", "callbacks", "admin", "console"])
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


def commands(name, **replaced):
    """Returns the commands of the service under this name, as systemd reads them: lines joined, words split."""
    text = SERVICE.read_text().replace("\\\n", " ")
    for old, new in replaced.values():
        assert old in text
        text = text.replace(old, str(new))
    return [shlex.split(line.split("=", 1)[1]) for line in text.splitlines() if line.startswith(f"{name}=")]


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"} | environment)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def etc(tmp_path):
    return {"etc": ("/etc/sales-gateway", tmp_path)}


def test_without_a_configuration_it_is_skipped_and_says_what_to_write(tmp_path, etc):
    (condition,) = commands("ExecCondition", **etc)
    status, said = run(condition)
    assert 1 <= status <= 254, "systemd calls this skipped, and not failed"
    assert said.startswith("<4>") and said.count("\n") == 1 and "  " not in said
    for named in ("gateway.toml", "gateway.example.toml", "app_secret"):
        assert named in said.replace(f"{tmp_path}/", "")
    (tmp_path / "gateway.toml").touch()
    assert run(condition) == (0, "")


def test_a_socket_is_not_opened_for_a_gateway_without_a_configuration():
    for unit in UNITS:
        there = "ConditionPathExists=/etc/sales-gateway/gateway.toml\n" in unit.read_text()
        assert there == unit.name.endswith(".socket"), f"{unit.name}: a caller would begin the service again and again"


def test_a_wrong_configuration_and_a_missing_credential_are_not_tried_again():
    (prevented,) = re.findall(r"^RestartPreventExitStatus=(.*)$", SERVICE.read_text(), re.M)
    assert prevented.split() == ["2", "243"]
    assert "\nSetCredential=app_secret:\\n\n" in SERVICE.read_text(), "app_secret may stand elsewhere"


def gateway_that_says(folder, text, status):
    program = folder / "gateway"
    program.write_text(f"#!/bin/sh\n[ \"$*\" = 'check-config --config {folder}/gateway.toml' ] || exit 99\n"
                       f"printf '{text}'\nexit {status}\n")
    program.chmod(0o755)
    return {"program": ("/usr/bin/sales-gateway", program)}


def test_a_reload_looks_at_the_file_before_the_gateway_is_told(tmp_path, etc):
    first, check, tell = commands("ExecReload", **etc, **gateway_that_says(tmp_path, "ok\\n", 0))
    assert first == ["/bin/true"], "systemd 252 shows the first command of a reload no credentials"
    assert tell == ["/bin/kill", "-HUP", "$MAINPID"]
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    assert run(check, CREDENTIALS_DIRECTORY=str(credentials)) == (0, ""), "nothing to say, nothing for the log"
    assert run(check) == (0, ""), "an operator may hand over none"


def test_a_reload_of_a_broken_file_fails_and_says_why(tmp_path, etc):
    wrong = "warning: w\\nerror: gateway.toml:3: x\\n"
    _, check, _ = commands("ExecReload", **etc, **gateway_that_says(tmp_path, wrong, 2))
    assert run(check) == (2, "<3>warning: w\n<3>error: gateway.toml:3: x\n")
    assert run(check, CREDENTIALS_DIRECTORY="/nowhere/that/can/be/read") == (0, ""), \
        "what cannot be read here is the gateway's own to refuse"


def test_the_service_runs_what_the_package_installs():
    text = pathlib.Path(SERVICE).read_text()
    assert "ExecStart=/usr/bin/sales-gateway --config /etc/sales-gateway/gateway.toml\n" in text
    assert "Type=notify\n" in text and re.search(r"^WatchdogSec=\d+s$", text, re.M)


def settings(unit):
    return [line for line in unit.read_text().splitlines() if "=" in line and not line.startswith("#")]


@pytest.mark.parametrize("example", [one for one in SERVICES if one != SERVICE], ids=lambda unit: unit.name)
def test_an_example_takes_nothing_less_away_than_the_gateways_own_service(example):
    taken = [line for line in settings(SERVICE)
             if re.match("Protect|Private|Restrict[A-Z]|NoNew|Capab|Ambient|System|Lock|Memory|Remove|Keyring|LimitCORE",
                         line) and not line.startswith("RestartPrevent")]
    assert len(taken) > 20 and set(taken) <= set(settings(example))
    assert "InaccessiblePaths=-/var/lib/sales-gateway" in settings(example), "the journal is none of its business"


def test_no_example_begins_by_itself():
    """The package's scripts enable and start what lies where systemd looks for units. Examples do not lie there."""
    install = (ROOT / "cmake/Package.cmake").read_text()
    assert "systemd/examples/*" in install
    assert all(unit.suffix in (".service", ".timer") for unit in EXAMPLES)


def test_statements_are_fetched_into_the_folder_that_the_configuration_shows():
    unit = (ROOT / "systemd/examples/sales-gateway-statements.service").read_text()
    assert 'statement.folder = "/var/lib/sales-gateway-statements"' in unit
    assert "\nStateDirectory=sales-gateway-statements\n" in unit and "cd /var/lib/sales-gateway-statements " in unit
    assert '\n#folder = "/var/lib/sales-gateway-statements"\n' in (ROOT / "config/gateway.example.toml").read_text()
