"""check-config says what would keep the service from running, also where root asks, who may read everything."""
import os
import pathlib
import shutil
import tempfile

import pytest
from harness.processes import GATEWAY, run_to_end

USER = 64_322  # whom the machine need not know


@pytest.fixture
def service():
    """A configuration in a folder that everybody may enter, and the folder of the journal, which is the service's."""
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
