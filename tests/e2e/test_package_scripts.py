"""Tests what the package's own scripts read of a journal: its version, wherever that stands, and where the journal
is."""
import os
import re
import shutil
import sqlite3
import subprocess

import pytest
from harness.processes import GATEWAY, ROOT, configuration, toml

KNOWN = 4


def script(folder, name, action, **environment):
    """Runs one of the scripts with its folders under another root, and with the schema that its package knows."""
    text = (ROOT / "deploy/package" / name).read_text().replace("@schema@", str(KNOWN))
    text = re.sub(r"(?<![\w.])/(etc|var/lib)/sales-gateway", rf"{folder}/\1/sales-gateway", text)
    text = text.replace("/etc/default/locale", str(folder / "etc/locale"))
    assert str(folder) in text
    path = folder / name
    path.write_text(text.replace("/run/systemd/system", str(folder / "no-systemd")))
    tools = "/usr/bin:/bin" if name == "preinst.in" else str(tools_of(folder))
    done = subprocess.run(["/bin/sh", "-eu", str(path), action], capture_output=True, text=True,
                          env={"PATH": tools, **environment})
    return done.returncode, done.stdout + done.stderr


def tools_of(folder):
    """Makes a folder with all the programs that a script finds. Those that change the machine do nothing."""
    tools = folder / "bin"
    if tools.exists():
        return tools
    tools.mkdir()
    for name in ("sed", "rmdir", "cat"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "sales-gateway").symlink_to(GATEWAY)
    for name in ("systemd-sysusers", "systemd-tmpfiles"):
        (tools / name).symlink_to("/bin/true")
    (tools / "deb-systemd-helper").symlink_to("/bin/false")
    return tools


@pytest.fixture
def folder(tmp_path):
    for name in ("var/lib/sales-gateway", "etc/sales-gateway"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def journal_of(folder):
    return folder / "var/lib/sales-gateway/journal.db"


class Killed:
    """A journal as a process leaves it that is killed: the file and its log are copied while it is still open."""

    def __init__(self, path):
        self.path = path
        self.live = sqlite3.connect(f"{path}.live", isolation_level=None)
        self.run("PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE sales (id, request)",
                 "INSERT INTO sales VALUES (1, zeroblob(20000))")

    def run(self, *statements):
        for statement in statements:
            self.live.execute(statement).fetchall()

    def leave(self):
        for end in ("", "-wal"):
            shutil.copy(f"{self.path}.live{end}", f"{self.path}{end}")
        return int.from_bytes(self.path.read_bytes()[60:64], "big")


@pytest.mark.parametrize("schema, refused", [(KNOWN, False), (KNOWN + 1, True), (70_000, True)])
def test_a_newer_journal_is_told_by_its_file(folder, schema, refused):
    with sqlite3.connect(journal_of(folder)) as journal:
        journal.execute(f"PRAGMA user_version = {schema}")
    status, said = script(folder, "preinst.in", "upgrade")
    assert (status, f"schema {schema}, this one knows {KNOWN}" in said) == (int(refused), refused), said


@pytest.mark.parametrize("schema, refused", [(KNOWN, False), (KNOWN + 1, True), (70_000, True)])
def test_and_by_its_log_where_a_killed_gateway_left_it_there(folder, schema, refused):
    killed = Killed(journal_of(folder))
    killed.run(f"PRAGMA user_version = {schema}", "UPDATE sales SET request = zeroblob(9000)")
    assert killed.leave() == 0, "the file itself does not say so"
    status, said = script(folder, "preinst.in", "upgrade")
    assert (status, f"schema {schema}, this one knows {KNOWN}" in said) == (int(refused), refused), said


def test_what_was_not_committed_is_no_newer_version(folder):
    killed = Killed(journal_of(folder))
    killed.run(f"PRAGMA user_version = {KNOWN}", "BEGIN", f"PRAGMA user_version = {KNOWN + 1}",
               "UPDATE sales SET request = zeroblob(90000)", "COMMIT")
    killed.leave()
    # The power failed before the last page was written, the one that ends the transaction.
    log = journal_of(folder).with_name("journal.db-wal")
    os.truncate(log, log.stat().st_size - 1)
    assert script(folder, "preinst.in", "upgrade") == (0, "")
    with sqlite3.connect(journal_of(folder)) as journal:
        assert journal.execute("PRAGMA user_version").fetchone() == (KNOWN,), "so does SQLite read it"


def test_nor_is_what_an_earlier_log_left_behind_it(folder):
    killed = Killed(journal_of(folder))
    killed.run(f"PRAGMA user_version = {KNOWN + 1}", "UPDATE sales SET request = zeroblob(90000)",
               "PRAGMA wal_checkpoint(RESTART)", f"PRAGMA user_version = {KNOWN}")
    killed.leave()
    assert script(folder, "preinst.in", "upgrade") == (0, "")


@pytest.mark.parametrize("content", [b"", b"no journal at all" * 10, b"SQLite format 3\0"])
def test_what_is_no_journal_stops_nothing(folder, content):
    journal_of(folder).write_bytes(content)
    journal_of(folder).with_name("journal.db-wal").write_bytes(b"rubbish")
    assert script(folder, "preinst.in", "install")[0] == 0


@pytest.mark.parametrize("name, action, says", [("preinst.in", "upgrade", "was written by a newer version"),
                                                ("postrm", "purge", "the journal of all sales is")])
def test_the_journal_is_looked_for_where_the_configuration_has_it(folder, name, action, says):
    elsewhere = folder / "srv journal.db"
    with sqlite3.connect(elsewhere) as journal:
        journal.execute(f"PRAGMA user_version = {KNOWN + 1}")
    (folder / "etc/sales-gateway/gateway.toml").write_text(
        f'[provider]\npath = "/nowhere"\n[journal]\n path = "{elsewhere}"  # on the other disk\n[sale]\nmax_attempts = 3\n')
    status, said = script(folder, name, action)
    assert says in said and str(elsewhere) in said and "nowhere" not in said
    assert status == (1 if name == "preinst.in" else 0)
    assert elsewhere.exists()


# --- in which language ---

def say_of_the_machine(folder, text):
    (folder / "etc/locale").write_text(text)


@pytest.mark.parametrize("environment, machine, speaks", [
    ({}, None, "English"), ({"LANG": "pt_BR.UTF-8"}, None, "Portuguese"),
    ({}, 'LANG="pt_BR.UTF-8"\n', "Portuguese"), ({}, "#  File\nLANG=pt_BR.UTF-8\n", "Portuguese"),
    ({"LANG": "en_US.UTF-8"}, "LANG=pt_BR.UTF-8\n", "English"),
    ({"LC_ALL": "C", "LANG": "pt_BR.UTF-8", "LANGUAGE": "pt_BR"}, None, "English"),
    ({"LANG": "en_US.UTF-8", "LANGUAGE": "pt_BR:en"}, None, "Portuguese")])
def test_it_speaks_the_language_of_who_installs_or_else_of_the_machine(folder, environment, machine, speaks):
    if machine:
        say_of_the_machine(folder, machine)
    status, said = script(folder, "postinst", "configure", **environment)
    first = said.splitlines()[0]
    expected, example = {"English": ("there is no configuration yet.", "gateway.example.toml"),
                         "Portuguese": ("ainda não há configuração.", "gateway.example.pt-BR.toml")}[speaks]
    assert status == 0 and first.startswith(f"sales-gateway: {expected}"), said
    assert f"/{example} " in said
    assert (ROOT / "config" / example).exists()


def test_each_script_says_in_portuguese_what_it_says_in_english(folder):
    with sqlite3.connect(journal_of(folder)) as journal:
        journal.execute(f"PRAGMA user_version = {KNOWN + 1}")
    config = folder / "etc/sales-gateway/gateway.toml"
    right = toml(configuration(folder, "http://127.0.0.1:9", "http://127.0.0.1:9", {"journal.path": "journal.db"}))

    def say(name, action):
        said = {}
        for language in ("en_US", "pt_BR"):
            status, text = script(folder, name, action, LANG=language + ".UTF-8")
            named = re.findall(r"/\S+|sales-gateway [a-z]\S+", text.replace("example.pt-BR.toml", "example.toml"))
            said[language] = (status, text.count("\n"), named)
            assert bool(re.search(r"\b(?:the|is|of|and|left)\b", re.sub(r"/\S+", "", text))) == (language == "en_US"), text
        assert said["en_US"] == said["pt_BR"]

    say("postinst", "configure")
    say("preinst.in", "upgrade")
    for text in (right, right.replace("app_key", "app_ley")):
        config.write_text(text)
        config.chmod(0o600)
        say("postinst", "configure")
    say("postrm", "purge")
