"""These are the two database servers of docs/chain.md, a primary and the standby without which nothing is
acknowledged; a promotion changes which is which."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess

from harness.certificates import make_authority, signed
from harness.postgres import PASSWORD, PROGRAMS, USER, Postgres
from harness.processes import Process, run_to_end
from harness.waiting import LIMIT_S, eventually

DATABASE = "journal"
SERVERS = ("db-1", "db-2")
_PORT = 5432
_FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
_STRICT = "ANY 1 (db_1, db_2)"
# This is the document's configuration, but small. It keeps what a standby missed while it was away.
_SETTINGS = """listen_addresses = '{address}'
unix_socket_directories = '{folder}'
cluster_name = '{cluster}'
ssl = on
ssl_cert_file = '{folder}/server.crt'
ssl_key_file = '{folder}/server.key'
synchronous_commit = on
fsync = on
full_page_writes = on
wal_keep_size = '256MB'
shared_buffers = 16MB
max_connections = 120
wal_receiver_timeout = 10s
wal_sender_timeout = 10s
log_line_prefix = '%m [%p] '
"""
_HBA = f"""local all all trust
hostssl {DATABASE} {USER} 10.0.0.0/24 scram-sha-256
hostssl replication replicator 10.0.0.0/24 scram-sha-256
hostssl postgres replicator 10.0.0.0/24 scram-sha-256
"""


def _as_postgres():
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--reset-env"]


def _give_to_postgres(path, mode=None):
    shutil.chown(path, "postgres", "postgres")
    if mode is not None:
        pathlib.Path(path).chmod(mode)


def clock_off(by):
    """Returns the environment of a program whose clock is off by so much, such as "+1h". The steady clock, which
    measures times, is left alone."""
    return {"LD_PRELOAD": _FAKETIME, "FAKETIME": by, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


@contextlib.contextmanager
def made_yesterday():
    """Certificates made with this are good also for machines whose clock is late."""
    before = dict(os.environ)
    os.environ.update(clock_off("-1d"))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Server(Postgres):
    """This is one of the servers, on a machine of its own. Its superuser calls it by a socket, which no cut affects."""

    def __init__(self, machine, folder, authority):
        self.machine = machine
        self.folder = folder / machine.name
        self.data = self.folder / "data"
        self.cluster = machine.name.replace("-", "_")
        self.server = None
        self.pgpass = self.folder / "pgpass"
        self._starts = 0
        self.folder.mkdir(0o755)
        _give_to_postgres(self.folder)
        self.pgpass.write_text(f"*:*:*:replicator:{PASSWORD}\n")
        _give_to_postgres(self.pgpass, 0o600)
        shutil.copy(authority[0], self.folder / "authority.pem")
        self.show_certificate(signed(folder, machine.name, authority, names=f"DNS:{machine.name}.example"))

    def show_certificate(self, made):
        """Changes this setting from its next start or reload on."""
        for name, file, mode in (("crt", made[0], 0o644), ("key", made[1], 0o600)):
            shutil.copy(file, self.folder / f"new.{name}")
            _give_to_postgres(self.folder / f"new.{name}", mode)
            (self.folder / f"new.{name}").rename(self.folder / f"server.{name}")

    # --- made ---

    def initialize(self, *options):
        self._program("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                      "--data-checksums", "--no-sync", *options)  # fmt: skip

    def become_copy_of(self, primary):
        """Makes it a standby with a new copy of everything that the primary has."""
        for found in self.data.iterdir() if self.data.exists() else ():
            shutil.rmtree(found) if found.is_dir() and not found.is_symlink() else found.unlink()
        self._program("pg_basebackup", "-D", self.data, "--write-recovery-conf", "--checkpoint=fast",
                      "-d", self._as_replicator())  # fmt: skip

    def rewind_to(self, primary):
        """Makes it a standby with what it had, except for what the primary never got of that."""
        # pg_rewind looks for the primary's timeline in its last checkpoint, which a promotion does not wait for:
        # without one it finds nothing to rewind, and leaves a standby that never follows.
        primary.sql("CHECKPOINT")
        self._program("pg_rewind", "-D", self.data, "--write-recovery-conf",
                      "--source-server", f"host={primary.folder} port={_PORT} user=postgres dbname=postgres")  # fmt: skip
        # The source was the socket of a superuser; the standby must follow whichever is the primary, as the other way
        # does.
        with open(self.data / "postgresql.auto.conf", "a") as settings:
            settings.write(f"primary_conninfo = '{self._as_replicator()}'\n")

    def _as_replicator(self):
        hosts = ",".join(f"{name}.example" for name in SERVERS)
        return (f"host={hosts} port={_PORT} user=replicator target_session_attrs=read-write connect_timeout=3 "
                f"passfile={self.pgpass} sslmode=verify-full sslrootcert={self.folder}/authority.pem")  # fmt: skip

    def _program(self, name, *arguments):
        words = [*self.machine.wrapper, *_as_postgres(), str(PROGRAMS / name), *map(str, arguments)]
        code, out, err = run_to_end(words, "/", timeout=2 * LIMIT_S)
        assert code == 0, f"{name} failed\n{out}\n{err}"

    # --- run ---

    def launch(self):
        """Starts it without waiting for anything."""
        settings = _SETTINGS.format(address=self.machine.address, folder=self.folder, cluster=self.cluster)
        for name, text in (("postgresql.conf", settings), ("pg_hba.conf", _HBA)):
            (self.data / name).write_text(text)
            _give_to_postgres(self.data / name, 0o600)
        # Nobody owns any more what a killed one held.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        self._starts += 1
        words = [*self.machine.wrapper, *_as_postgres(), str(PROGRAMS / "postgres"), "-D", str(self.data)]
        self.server = Process(words, self.folder, f"server-{self._starts}")

    def start(self):
        self.launch()
        eventually(self._takes_connections, f"{self.machine.name} takes connections", 2 * LIMIT_S)

    def _takes_connections(self):
        assert self.server.running(), self.server.errors()
        asked = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(_PORT)]
        return subprocess.run(asked, timeout=LIMIT_S).returncode == 0

    def running(self):
        return self.server is not None and self.server.running()

    def signal_all(self, number):
        """Sends a signal to every process of it, and to those that are made meanwhile, as if the machine did it."""
        done = set()
        while more := [pid for pid in self.machine.processes() if pid not in done]:
            for pid in more:
                done.add(pid)
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    def kill_all(self):
        """Ends it like a machine that loses its power, but keeps its disk's cache."""
        if self.server is not None:
            self.signal_all(signal.SIGSTOP)
            self.signal_all(signal.SIGKILL)
            self.server.child.wait()

    def close(self):
        self.kill_all()


class Cluster:
    def __init__(self, network, folder):
        folder.mkdir()
        folder.chmod(0o755)
        with made_yesterday():
            self.authority = make_authority(folder)
            self.servers = {name: Server(network[name], folder, self.authority) for name in SERVERS}
        self.primary, self.standby = self.servers.values()
        self.promotions = 0

    def begin(self, *options):
        """Makes a new primary, with its standby."""
        self.primary.initialize(*options)
        self.primary.start()
        self.primary.sql(f"CREATE ROLE {USER} LOGIN CONNECTION LIMIT 60 PASSWORD '{PASSWORD}'")
        self.primary.sql(f"CREATE ROLE replicator LOGIN REPLICATION PASSWORD '{PASSWORD}'")
        self.primary.sql(f"CREATE DATABASE {DATABASE} OWNER {USER}")
        self.standby.become_copy_of(self.primary)
        self.standby.start()
        self.be_strict()
        return self

    def be_strict(self):
        """From now on, nothing is acknowledged that only one of them has; this is set on both, whichever is the
        primary."""
        for server in self.servers.values():
            server.configure(f"ALTER SYSTEM SET synchronous_standby_names = '{_STRICT}'")
        self.await_synchronous()

    def be_asynchronous(self):
        for server in self.servers.values():
            server.configure("ALTER SYSTEM SET synchronous_standby_names = ''")

    def is_synchronous(self):
        return self.primary.sql("SELECT state, sync_state FROM pg_stat_replication"
                                f" WHERE application_name = '{self.standby.cluster}'") == ["streaming|quorum"]  # fmt: skip

    def await_synchronous(self):
        eventually(self.is_synchronous, "the standby is synchronous", 2 * LIMIT_S)

    def promote(self):
        """Makes the standby the primary. The old one is off already, and stays off until remake()."""
        assert not self.primary.running()
        assert self.standby.sql("SELECT pg_promote()") == ["t"], "it is not promoted"
        self.primary, self.standby = self.standby, self.primary
        self.promotions += 1

    def remake(self, rewind):
        """Brings the old primary back, as a standby."""
        if rewind:
            self.standby.rewind_to(self.primary)
        else:
            self.standby.become_copy_of(self.primary)
        self.standby.start()

    def sql(self, commands):
        return self.primary.sql(commands, DATABASE)

    @property
    def url(self):
        hosts = ",".join(f"{name}.example" for name in SERVERS)
        return f"postgresql://{USER}@{hosts}/{DATABASE}?sslrootcert={self.authority[0]}"

    # --- the same on both ---

    def must_be_the_same(self):
        """Checks that the standby has everything that the primary has; nobody writes meanwhile."""
        end = self.primary.sql("SELECT pg_current_wal_lsn()")[0]
        eventually(lambda: self.standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{end}'") == ["t"],
                   "the standby has everything", 2 * LIMIT_S)
        digests = [_digests(server) for server in self.servers.values()]
        assert digests[0] and digests[0] == digests[1], digests

    def close(self):
        for server in self.servers.values():
            server.close()


def _digests(server):
    """Returns a digest of every table of the journal, by its name."""
    tables = server.sql("SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
                        " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1", DATABASE)  # fmt: skip
    return {table: server.sql("SELECT count(*), md5(coalesce(string_agg(row::text, ' ' ORDER BY row::text), ''))"
                              f" FROM {table} row", DATABASE) for table in tables}  # fmt: skip
