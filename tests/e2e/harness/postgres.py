"""This is a PostgreSQL server of the test's own (Debian's), in a temporary folder and on a socket there. It ends with
the test's process, even when that is killed."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from .processes import Process, run_to_end
from .waiting import LIMIT_S, eventually

# The programs are those of the newest server. Debian gives each version a folder of its own; a client alone has one,
# too.
PROGRAMS = max((server.parent for server in pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")),
               key=lambda programs: int(programs.parent.name), default=pathlib.Path("/usr/lib/postgresql"))
USER = "gateway"
PASSWORD = "journal-password-61c0"
# The server's socket has this name; the folder is the server's own.
PORT = 5432
# The superuser is let in without a password, also as a standby. A gateway has to show its password.
_HBA = f"local all {USER} scram-sha-256\nlocal all,replication all trust\n"


def _as_its_user():
    """Runs commands as the user of PostgreSQL's package where this is root, because PostgreSQL refuses to run as
    root."""
    become = ["--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *become, "--pdeathsig=QUIT"]


class Postgres:
    # The server is small, and told nothing that a test does not rely on.
    settings = ("listen_addresses=", "shared_buffers=16MB", "max_connections=60", "autovacuum=off", "ssl=off",
                "authentication_timeout=5")  # fmt: skip

    def __init__(self):
        # It is not pytest's folder: that one can only be entered by root, and the path of a socket must be short.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pg-"))
        self.data = self.folder / "data"
        self.server = None
        self._databases = 0
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self._begin()

    def _begin(self):
        """Makes a running server from an empty folder."""
        self._program("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                      "--no-sync")  # fmt: skip
        (self.data / "pg_hba.conf").write_text(_HBA)
        self.start()
        self.sql(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")

    def _program(self, name, *arguments):
        words = [*_as_its_user(), str(PROGRAMS / name), *map(str, arguments)]
        code, out, err = run_to_end(words, "/", timeout=LIMIT_S)
        assert code == 0, f"{name} failed\n{out}\n{err}"

    def start(self):
        words = [*_as_its_user(), str(PROGRAMS / "postgres"), "-D", str(self.data)]
        words += ["-k", str(self.folder), "-p", str(PORT)]
        for setting in self.settings:
            words += ["-c", setting]
        self.server = Process(words, self.folder, "server")
        eventually(self._takes_connections, "PostgreSQL takes connections")

    def _takes_connections(self):
        assert self.server.running(), self.server.errors()
        asked = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(PORT)]
        return subprocess.run(asked, timeout=LIMIT_S).returncode == 0

    def stop_at_once(self):
        """Stops it as pg_ctl stop -m immediate does: without a shutdown, so that the next start recovers as after a
        power cut."""
        self.server.signal(signal.SIGQUIT)
        self.server.wait()

    def copy(self):
        """Copies everything on its disk, as a backup tool does. The server is stopped meanwhile."""
        self.server.signal(signal.SIGINT)
        self.server.wait()
        subprocess.run(["cp", "-a", self.data, self.folder / "copy"], check=True)
        self.start()

    def put_back(self):
        """Restores that copy. What was written since then is lost."""
        self.stop_at_once()
        shutil.rmtree(self.data)
        (self.folder / "copy").rename(self.data)
        self.start()

    def close(self):
        self.server.kill()
        shutil.rmtree(self.folder)

    def _psql(self, database):
        return ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-p", str(PORT), "-U", "postgres",
                "-d", database]  # fmt: skip

    @contextlib.contextmanager
    def holding(self, table, mode, database):
        """Keeps the table locked in a transaction of the superuser."""
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(self._psql(database), **streams) as session:
            session.stdin.write(f"BEGIN;\nLOCK TABLE {table} IN {mode} MODE;\n\\echo held\n")
            session.stdin.flush()
            assert session.stdout.readline() == "held\n"
            yield
            session.stdin.close()

    def sql(self, commands, database="postgres"):
        """Runs the commands as superuser, and returns the lines that psql prints."""
        code, out, err = run_to_end([*self._psql(database), "-c", commands], "/")
        assert code == 0, f"{commands}\n{err}"
        return out.splitlines()

    def configure(self, command):
        """Runs an ALTER SYSTEM, and lets it take effect."""
        before = self.sql("SELECT pg_conf_load_time()")
        self.sql(command)
        self.sql("SELECT pg_reload_conf()")
        eventually(lambda: self.sql("SELECT pg_conf_load_time()") != before, "PostgreSQL has read its configuration")

    def new_database(self):
        self._databases += 1
        name = f"journal_{self._databases}"
        self.sql(f"CREATE DATABASE {name} OWNER {USER}")
        return name

    def url(self, database):
        return f"postgresql://{USER}@/{database}?host={self.folder}&port={PORT}"
