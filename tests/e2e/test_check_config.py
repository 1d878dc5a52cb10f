"""check-config says what would keep the service from running, even where root runs it, who may read everything."""
import contextlib
import os
import pathlib
import shutil
import sqlite3
import tempfile

import pytest
from harness.certificates import expired, make_authority
from harness.processes import GATEWAY, run_to_end

USER = 64_322  # the machine need not know this user


@pytest.fixture
def service():
    """Makes a configuration in a folder that everybody may enter, and the folder of the journal, which belongs to the
    service."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    (folder / "state").mkdir()
    os.chown(folder / "state", USER, USER)
    secret = folder / "secret"
    secret.write_text("s3cret\n")
    statements = folder / "statements"
    statements.mkdir(0o755)
    (folder / "gateway.toml").write_text(f'''
[provider]
base_url = "https://provider.store"
auth_url = "https://auth.store"
app_key = "key"
app_secret_file = "{secret}"
scopes = ["Venda_Egift"]
estabelecimento = "4711"
[journal]
path = "{folder}/state/journal.db"
[[terminals]]
id = "caixa-01"
key_sha256 = "{'a' * 64}"
''')
    for file in (secret, folder / "gateway.toml"):
        os.chown(file, 0, USER)
        file.chmod(0o640)
    yield folder
    shutil.rmtree(folder)


def check(folder):
    return run_to_end([GATEWAY, "check-config", "--config", str(folder / "gateway.toml")], folder)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may read what another user may not")


@needs_root
def test_what_the_service_may_read_is_right(service):
    assert check(service) == (0, "ok\n", "")


@needs_root
@pytest.mark.parametrize(("name", "key"), [("secret", ":6: provider.app_secret_file: "), ("gateway.toml", ": ")])
def test_a_file_that_the_service_may_not_read_is_an_error(service, name, key):
    os.chown(service / name, 0, 0)
    code, out, _ = check(service)
    assert code == 2 and "ok" not in out.splitlines()
    assert f"gateway.toml{key}\"{service / name}\" cannot be read by {USER}, the user that the service runs as" in out
    assert "the owner of the journal's folder" in out and "Permission denied" in out


@needs_root
def test_a_folder_above_a_file_counts_too(service):
    (service / "hidden").mkdir(0o700)
    (service / "secret").rename(service / "hidden/secret")
    config = service / "gateway.toml"
    config.write_text(config.read_text().replace(f"{service}/secret", f"{service}/hidden/secret"))
    code, out, _ = check(service)
    assert code == 2 and f"{service}/hidden/secret\" cannot be read by {USER}" in out


@needs_root
def test_a_journal_that_root_made_is_an_error(service):
    (service / "state/journal.db").write_bytes(b"")
    (service / "state/journal.db").chmod(0o600)
    code, out, _ = check(service)
    assert code == 2 and str(service / "state/journal.db") in out and str(USER) in out


@needs_root
def test_a_folder_that_the_service_may_not_write_in_is_an_error(service):
    (service / "state").chmod(0o500)
    code, out, _ = check(service)
    assert code == 2 and f"gateway.toml:10: journal.path: \"{service}/state\" cannot be written by {USER}" in out


@pytest.mark.parametrize(("wrong", "line", "words"), [
    ('app_key = "key', 5, "a text has no closing quote: write app_key = "),
    ("app_key = “key”", 5, "its character 11 is U+201C, a quote as a word processor makes it"),
    ("app_key = key", 5, 'the value of app_key is neither a number nor true or false, and a text stands in quotes'),
])
def test_a_slip_is_told_with_its_line_and_what_to_write(service, wrong, line, words):
    config = service / "gateway.toml"
    config.write_text(config.read_text().replace('app_key = "key"', wrong))
    code, out, _ = check(service)
    assert code == 2 and f"gateway.toml:{line}: is not TOML: {words}" in out


@needs_root
@pytest.mark.parametrize("ending", ["-wal", "-shm", ".lock"])
def test_what_root_left_beside_the_journal_is_an_error(service, ending):
    journal = service / "state/journal.db"
    left = service / f"state/journal.db{ending}"
    for file in (journal, left):
        file.write_bytes(b"")
        file.chmod(0o600)
    os.chown(journal, USER, USER)
    code, out, _ = check(service)
    assert code == 2 and f"\"{left}\" cannot be written by {USER}, the user" in out
    assert len(out.splitlines()) == 1


@needs_root
def test_a_journal_file_that_may_only_be_read_is_an_error(service):
    journal = service / "state/journal.db"
    journal.write_bytes(b"")
    journal.chmod(0o400)
    os.chown(journal, USER, USER)
    code, out, _ = check(service)
    assert code == 2 and f"gateway.toml:10: journal.path: \"{journal}\" cannot be written by {USER}, the user" in out


def check_as(user, folder):
    """Runs check-config as a user who may not act as another one."""
    alone = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return run_to_end([*alone, GATEWAY, "check-config", "--config", str(folder / "gateway.toml")], folder)


@needs_root
def test_who_is_not_root_is_told_what_they_may_not_write(service):
    assert check_as(USER, service) == (0, "ok\n", "")
    os.chown(service / "state", 0, 0)
    code, out, _ = check_as(USER, service)
    assert code == 2 and f"gateway.toml:10: journal.path: \"{service}/state\" cannot be written by {USER}, the user" in out
    assert "the one who asks" in out and "Permission denied" in out


@needs_root
def test_what_cannot_be_read_is_told_once(service):
    os.chown(service / "secret", 0, 0)
    code, out, _ = check_as(USER, service)
    assert code == 2 and len(out.splitlines()) == 1 and "provider.app_secret_file: " in out


@needs_root
def test_of_a_folder_that_cannot_be_entered_its_files_are_not_told_besides(service):
    (service / "state/journal.db").write_bytes(b"")
    os.chown(service / "state", 0, 0)
    (service / "state").chmod(0o700)
    code, out, _ = check_as(USER, service)
    assert code == 2 and [line.split(": ")[2] for line in out.splitlines()] == ["journal.path"]


def check_beside(unit, folder):
    """Runs check-config where systemd knows the service by this unit."""
    (folder / "unit").write_text(unit)
    with_unit = ("mount -t tmpfs none /run && mkdir -p /run/systemd/system && "
                 f"cp {folder}/unit /run/systemd/system/sales-gateway.service && exec \"$@\"")
    return run_to_end(["unshare", "--mount", "sh", "-c", with_unit, "sh", GATEWAY, "check-config", "--config",
                       str(folder / "gateway.toml")], folder)


def unit_of(folder, *lines):
    return "\n".join(["[Service]", f"ExecStart=/usr/bin/sales-gateway --config {folder}/gateway.toml", *lines, ""])


def replace(folder, before, after):
    config = folder / "gateway.toml"
    assert before in config.read_text()
    config.write_text(config.read_text().replace(before, after))


@needs_root
def test_a_folder_that_the_service_has_made_for_it_need_not_be_there(service):
    name = service.name  # nothing in /var/lib has this name
    replace(service, f"{service}/state/", f"/var/lib/{name}/")
    code, out, _ = check(service)
    assert code == 2 and f"stands in /var/lib/{name}, which is no folder; make it first" in out
    assert check_beside(unit_of(service, f"StateDirectory=other {name}"), service) == (0, "ok\n", "")
    code, out, _ = check_beside(unit_of(service, "StateDirectory=other"), service)
    assert code == 2 and "which is no folder" in out


@needs_root
def test_a_folder_that_the_unit_keeps_the_service_from_is_an_error(service):
    strict = ["ProtectSystem=strict", "StateDirectory=shop"]
    code, out, _ = check_beside(unit_of(service, *strict), service)
    assert code == 2 and f"gateway.toml:10: journal.path: \"{service}/state\" cannot be written by the service: " in out
    assert "sales-gateway.service has ProtectSystem=strict" in out and "/var/lib/shop" in out
    opened = unit_of(service, *strict, f"ReadWritePaths=-{service}/state")
    assert check_beside(opened, service) == (0, "ok\n", "")
    assert check_beside(opened.replace("gateway.toml", "gateway.toml.old"), service) == (0, "ok\n", ""), "not its own"


@needs_root
def test_no_error_hides_another_one(service):
    replace(service, 'app_key = "key"\n', "")
    replace(service, "[journal]", "[journal]\nretention = 5")
    os.chown(service / "secret", 0, 0)
    (service / "state").chmod(0o500)
    code, out, _ = check(service)
    assert code == 2
    assert [line.split(": ")[2] for line in out.splitlines()] == [
        "provider.app_key", "provider.app_secret_file", "journal.retention", "journal.path"]


@needs_root
def test_a_file_that_is_no_toml_may_be_one_that_the_service_cannot_read_too(service):
    replace(service, "[journal]", "[journal")
    code, out, _ = check_beside(unit_of(service, "User=nobody"), service)
    assert code == 2 and "is not TOML" in out and "cannot be read by nobody" in out


def test_authorities_that_have_all_ended_are_an_error_and_one_of_several_a_warning(service):
    authority = make_authority(service, "authority")
    cert, _ = expired(service, "ended", authority, "DNS:provider.store")
    bundle = service / "bundle.pem"
    bundle.write_bytes(cert.read_bytes())
    replace(service, "[journal]", f'ca_file = "{bundle}"\n[journal]')
    code, out, err = check(service)
    assert code == 2 and err == ""
    assert len(out.splitlines()) == 1 and "provider.ca_file: " in out and "has expired: it ended on " in out
    assert "no certificate in the file is good today" in out
    bundle.write_bytes(bundle.read_bytes() + authority[0].read_bytes())
    code, out, err = check(service)
    assert (code, out) == (0, "ok\n")
    assert err.startswith("warning: ") and "has expired: it ended on " in err


def lines_of(folder):
    code, out, err = check(folder)
    return code, out.splitlines(), err.splitlines()


@needs_root
def test_a_journal_that_is_no_database_is_an_error(service):
    journal = service / "state/journal.db"
    journal.write_text("this is no journal, and longer than the header of one\n" * 100)
    os.chown(journal, USER, USER)
    code, out, _ = lines_of(service)
    assert code == 2 and len(out) == 1
    assert f'gateway.toml:10: journal.path: "{journal}" cannot be used: it is damaged, or not a database at all' in out[0]


@needs_root
def test_another_programs_database_is_no_journal(service):
    with contextlib.closing(sqlite3.connect(service / "state/journal.db")) as other:
        other.execute("CREATE TABLE t (x)")
    os.chown(service / "state/journal.db", USER, USER)
    code, out, _ = lines_of(service)
    assert code == 2 and len(out) == 1 and "cannot be used: it is another program's database" in out[0]

def remove(name):
    return lambda folder: (folder / name).unlink()


def say(line):
    """Adds a line to [journal]."""
    def write(folder):
        file = folder / "gateway.toml"
        file.write_text(file.read_text().replace("[[terminals]]", line.format(folder=folder) + "\n[[terminals]]"))
    return write


def note_journal(folder):
    """Notes the journal as a gateway does that has sold there."""
    (folder / "state/journal.db.lock").write_text("there is a journal\n")
    os.chown(folder / "state/journal.db.lock", USER, USER)


def move_to_no_folder(folder):
    file = folder / "gateway.toml"
    file.write_text(file.read_text().replace("state/journal.db", "absent/journal.db"))


@needs_root
@pytest.mark.parametrize(("spoil", "words"), [
    (remove("secret"), '/secret" cannot be opened: No such file or directory'),
    (say('key_file = "{folder}/absent"'), '/absent" cannot be opened: No such file or directory; without its key'),
    (move_to_no_folder, "which is no folder; make it first"),
    (note_journal, "it is missing, and a gateway has sold with it"),
])
def test_what_a_start_refuses_is_named_in_the_same_words(service, spoil, words):
    spoil(service)
    code, out, _ = check(service)
    assert code == 2 and words in out, out
    code, _, err = run_to_end([GATEWAY, "--config", str(service / "gateway.toml")], service)
    assert code in (1, 2) and words in err, err


@needs_root
def test_a_tally_file_that_no_start_could_use_is_an_error(service):
    tally = service / "state/tally"
    tally.write_text("this is none\n")
    os.chown(tally, USER, USER)
    file = service / "gateway.toml"
    file.write_text(file.read_text().replace(
        f'path = "{service}/state/journal.db"',
        f'url = "postgresql://gateway@127.0.0.1/journal"\ngateway = "box-1"\ntally_file = "{tally}"'))
    code, out, _ = check(service)
    assert code == 2 and f"gateway.toml:12: journal.tally_file {tally} is none, or is damaged" in out, out


@pytest.mark.parametrize(("wrong", "what"), [
    ('app_key = "key "', "provider.app_key: has U+0020, which cannot be seen, as its character 4"),
    ('app_key = "\u200bkey"', "provider.app_key: has U+200B, which cannot be seen, as its character 1"),
])
def test_a_blank_beside_the_app_key_is_an_error(service, wrong, what):
    replace(service, 'app_key = "key"', wrong)
    code, out, _ = lines_of(service)
    assert code == 2 and out == [f"error: {service}/gateway.toml:5: {what}"]


@pytest.mark.parametrize(("before", "after", "what"), [
    ('"4711"', '" 4711"', "provider.estabelecimento: has U+0020, which cannot be seen, as its character 1"),
    ('id = "caixa-01"', 'id = "caixa-01"\nestabelecimento = "4711\u00a0"',
     "terminals[1].estabelecimento: has U+00A0, which cannot be seen, as its character 5"),
])
def test_a_blank_beside_an_establishment_is_an_error(service, before, after, what):
    replace(service, before, after)
    code, out, _ = lines_of(service)
    assert code == 2 and len(out) == 1 and out[0].endswith(what)


@pytest.mark.parametrize(("key", "address"), [("terminals", "192.0.2.7"), ("admin", "[2001:db8::7]")])
def test_an_address_that_this_machine_does_not_have_is_warned_of(service, key, address):
    config = service / "gateway.toml"
    config.write_text(config.read_text() + f'[listen]\n{key} = "{address}:8443"\n')
    code, out, err = check(service)
    mine = [line for line in err.splitlines() if "this machine has no address" in line]
    assert (code, out) == (0, "ok\n") and len(mine) == 1, "the file may be another machine's"
    assert f"listen.{key}: this machine has no address {address.strip('[]')} now, so no gateway starts on it" in mine[0]


def test_a_disk_that_is_full_is_warned_of_with_its_folder(service, small_disk):
    replace(service, f"{service}/state/", f"{small_disk}/")
    assert check(service) == (0, "ok\n", "")
    for leave, what, more in ((1_100_000, "nearly full: 1.0 MB are", ""),
                              (0, "full: 0 bytes are", "; as long as it is full, a gateway may fail to start")):
        with open(small_disk / "filler", "wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, shutil.disk_usage(small_disk).free - leave)
        code, out, err = check(service)
        assert (code, out) == (0, "ok\n"), "one that runs goes on"
        assert err == (f"warning: {service}/gateway.toml:10: journal.path: the disk is {what} free in {small_disk}, and "
                       f"an hour of sales takes up to 2.0 MB; make room on it{more}\n")
