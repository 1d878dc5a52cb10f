"""Makes the box on which a page is tried: this machine in namespaces of its own, with the package installed, so that
every path and every port of a page is free and is what the page says. Nothing of it outlives the test."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

from programs import ROOT

HERE = pathlib.Path(__file__).resolve().parent
# What a page may write to. What it writes is kept in memory, and what was there stays as it is.
WRITTEN_TO = ("/etc", "/srv", "/usr", "/var")
# By these names the pages call this machine.
HOSTS = "127.0.0.1 localhost gateway.store.example\n"


def enter(arguments):
    """Calls this program once more in namespaces of its own, and with `--inside FOLDER`, a folder of its own. Returns
    its exit status; None if namespaces cannot be had here."""
    # Only root may lay a folder of its own over /etc. The shell says, and raises nothing, if there is no sudo.
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    wrapper = [*as_root, "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run(["sh", "-c", '"$@"', "sh", *wrapper, "true"], capture_output=True, check=False).returncode != 0:
        return None
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        return subprocess.run([*wrapper, sys.executable, *arguments, "--inside", folder], check=False).returncode


def _call(*arguments):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)


class Box:
    def __init__(self, folder, installed):
        """`folder` is empty; `installed` is the folder into which the package's files were installed."""
        self.folder = folder
        _call("mount", "-t", "tmpfs", "page", str(self.folder))
        for written in WRITTEN_TO:
            self._lay_over(written, installed)
        _call("ip", "link", "set", "lo", "up")
        pathlib.Path("/etc/hosts").write_text(HOSTS)
        self._add_user()
        self._make_folders()
        for name in ("home", "bin", "state"):
            (self.folder / name).mkdir()
        self.home = self.folder / "home"

    def _lay_over(self, written, installed):
        below = [str(one) for one in (installed / written[1:], pathlib.Path(written)) if one.is_dir()]
        mine = self.folder / written[1:]
        for part in ("upper", "work"):
            (mine / part).mkdir(parents=True)
        _call("mount", "-t", "overlay", "page", written, "-o",
              f"lowerdir={':'.join(below)},upperdir={mine}/upper,workdir={mine}/work")

    @staticmethod
    def _add_user():
        """The package's user is root here, by another name: what that user may do is tried by the package's tests."""
        for file, line in (("/etc/passwd", "sales-gateway:x:0:0::/:/usr/sbin/nologin"),
                           ("/etc/group", "sales-gateway:x:0:")):
            lines = pathlib.Path(file).read_text().splitlines()
            lines = [one for one in lines if not one.startswith("sales-gateway:")]
            pathlib.Path(file).write_text("\n".join([*lines, line]) + "\n")

    @staticmethod
    def _make_folders():
        """Makes the folder of the journal, and what else a reader has: a disk for copies, and a Prometheus."""
        shutil.rmtree("/var/lib/sales-gateway", ignore_errors=True)
        for folder in ("/var/lib/sales-gateway", "/var/backup", "/etc/prometheus"):
            pathlib.Path(folder).mkdir(mode=0o700, exist_ok=True)

    def stand_in_for(self, names):
        for name in names:
            (self.folder / "bin" / name).symlink_to(HERE / "stand_in.py")

    def environment(self):
        return {
            "HOME": str(self.home),
            "PATH": f"{self.folder}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "PAGES_STATE": str(self.folder / "state"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(HERE),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }


class Store:
    """The store that most pages speak of: it has sold, and one sale needs a person."""

    def __init__(self, box):
        os.environ |= {"GATEWAY_BIN": "/usr/bin/sales-gateway", "SANDBOX_BIN": "/usr/bin/sandbox-provider"}
        sys.path.insert(0, str(ROOT / "tests/e2e"))
        from harness import processes
        self.of = processes
        self.box = box
        self.sandbox = processes.Sandbox(box.folder, {"--slow": "300ms", "--late-arrival": "30ms"})

    def open(self):
        """Writes the configuration, and sells."""
        from harness import orders
        from harness.waiting import eventually
        columns = ("idExterno", "idTransacao", "nsu", "estabelecimento", "valor", "status", "dataHora")
        changes = {
            "listen.terminals": "0.0.0.0:8080", "listen.callbacks": "127.0.0.1:8081",
            "listen.admin": "127.0.0.1:9090", "listen.console": "127.0.0.1:9091",
            "provider.app_secret_file": "/etc/sales-gateway/app_secret",
            "journal.path": "/var/lib/sales-gateway/journal.db",
            "sale.attention_after": "100ms", "store.timezone": "America/Sao_Paulo",
            "statement.covers": "this", "statement.detail.column": 1, "statement.detail.text": "1",
            "statement.words.AUTORIZADA": ["AUTORIZADA", "PENDENTE"],
        } | {f"statement.columns.{name}": number for number, name in enumerate(columns, 2)}
        folder = pathlib.Path("/etc/sales-gateway")
        document = self.of.configuration(folder, self.sandbox.url, "http://127.0.0.1:8081", changes)
        (folder / "app-secret").rename(folder / "app_secret")
        gateway = self.of.Gateway(folder, document).start_ready()
        till = gateway.terminal()
        self.sold = till.sell(orders.tv(), orders.new_key()).of(200).json
        till.sell(orders.esim(2935), orders.new_key())  # its callback never comes
        marked = "/v1/sales?attention=true"
        (self.marked,) = eventually(lambda: gateway.admin.get(marked).of(200).json["sales"], "one for a person")
        gateway.stop()

    def names(self):
        """Returns what stands on the pages in the place of a store's own, and what this store has there. This is the
        whole table: everything else is done as it is written."""
        key = self.of.key_of("caixa-01")
        names = {
            "/backup/journal-2026-11-21.db": "$COPY",
            "/backup/": "/var/backup/",
            "Bearer the-key": f"Bearer {key}",
            "https://sales.provider.example": self.sandbox.url,
            "https://auth.provider.example": self.sandbox.url,
            "the-app-key": self.of.APP_KEY,
        }
        if hasattr(self, "sold"):
            names |= {
                "01M8…": self.sold["id"],
                "01JD3W4Q90C4D8E1F5G7H9J2KM": self.sold["idExterno"],
                "ID_EXTERNO=01M82J89B7G9Y82V3TCYAXQHX7": f"ID_EXTERNO={self.sold['idExterno']}",
                "01JD3W4Q8Y7RZK5T9V2XB6M0NA": self.marked["id"],
            }
        return names

    def leave_files(self):
        """Leaves in the folder of the page what it says that its reader has. Yesterday's statement has a sale of today,
        and one that nobody knows."""
        for name in ("sales-gateway.deb", "sales-gateway_OLDER.deb"):
            (self.box.home / name).touch()
        for name in ("app_secret.txt", "new_app_secret.txt"):
            (self.box.home / name).write_text(self.of.APP_SECRET + "\n")
        if hasattr(self, "sold"):
            yesterday = (datetime.now(timezone(-timedelta(hours=3))) - timedelta(days=1)).date()
            statement = self.sandbox.statement(("day", yesterday), ("day_earlier", self.sold["idExterno"]),
                                               ("unknown", "01M82J89B7G9Y82V3TCYAXQHX7:1000"))
            (self.box.home / "extrato.txt").write_bytes(statement)
