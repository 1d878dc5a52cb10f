"""This is PostgreSQL with its default memory and upkeep; alone, or with a standby without which nothing is
acknowledged."""
from . import processor
from harness.postgres import PORT, Postgres
from harness.waiting import eventually

_NAME = "standby"


class Server(Postgres):
    settings = (*Postgres.settings, "shared_buffers=128MB", "autovacuum=on")

    def spent_s(self):
        """Returns the processor time of all processes of the server."""
        return processor.spent_s(self.server.child.pid)

    def flushes(self):
        """Returns the figures of the write-ahead log since the start; the server's processes report them at most a
        second late."""
        return int(self.sql("SELECT wal_sync FROM pg_stat_wal")[0])

    def catch_up(self):
        """Makes the server write what it has in memory, so that it does not do that in another's turn."""
        self.sql("CHECKPOINT")


class Standby(Server):
    """From now on, a commit is acknowledged when it is on this one's disk as well as on the primary's."""

    def __init__(self, primary):
        self.primary = primary
        super().__init__()

    def _begin(self):
        source = f"host={self.primary.folder} port={PORT} user=postgres application_name={_NAME}"
        self._program("pg_basebackup", "-D", self.data, "--write-recovery-conf", "--checkpoint=fast", "-d", source)
        self.start()
        self.primary.configure(f"ALTER SYSTEM SET synchronous_standby_names = '{_NAME}'")
        eventually(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == ["sync"],
                   "the standby is synchronous")  # fmt: skip
