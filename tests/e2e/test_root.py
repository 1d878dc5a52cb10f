"""Tests root's commands on a journal in the folder of the gateway's user: whatever that user puts there, before or
meanwhile, makes, changes and gives away nothing of root's."""
import contextlib
import os
import pathlib
import re
import shutil
import sqlite3
import stat
import subprocess
import tempfile

import pytest
from harness import orders
from harness.processes import GATEWAY, run_to_end
from harness.shop import Shop
from harness.tracing import IS_THERE, Stopped, calls_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be led by what another user has made")

USER = 64_321  # the machine need not know this user
COMMANDS = {
    "backup": ["backup", "copy-2.db"],
    "backup into their folder": ["backup", "service/journal/copy-2.db"],
    "restore": ["restore", "copy.db"],
    "restore from their folder": ["restore", "service/journal/copy.db"],
    "mark-restored": ["mark-restored", "--yes"],
    "copy-journal": ["copy-journal", "--to", "moved.db"],
    "copy-journal into their folder": ["copy-journal", "--from", "journal.db", "--to", "service/journal/moved.db"],
    "attention": ["attention"],
}
ENDINGS = ("", ".lock", "-wal", "-shm", "-journal", ".backup", ".restored")


def with_endings(name, *endings):
    return [f"{name}{ending}" for ending in (*endings, "-wal", "-shm", "-journal")]


# These are the user's names that a command uses. The process id is known to the one who starts it, and can be guessed.
NAMES = {
    "backup": [*with_endings("journal.db", ".backup"), "journal.db.backup.noting-PID"],
    "backup into their folder": with_endings("copy-2.db.partial-PID", ""),
    "restore": [*with_endings("journal.db", ".lock", ".restored"), *with_endings("journal.db.restoring-PID", "")],
    "restore from their folder": with_endings("copy.db"),
    "mark-restored": with_endings("journal.db", ".lock"),
    "copy-journal": with_endings("journal.db", ".lock"),
    "copy-journal into their folder": with_endings("moved.db", "", ".lock"),
    "attention": with_endings("journal.db"),
}


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    """Makes a journal that has sold, with an open sale. It does not note which file it is, so it can be copied."""
    folder = tmp_path_factory.mktemp("store")
    shop = Shop(folder)
    try:
        shop.start()
        shop.sell(orders.tv()).of(200)
        shop.sell(orders.tv(confirm="manual")).of(200)
    finally:
        shop.close()
    with contextlib.closing(sqlite3.connect(folder / "journal.db")) as journal, journal as rows:
        rows.execute("DELETE FROM journal_file")
    return folder / "journal.db"


class World:
    """Makes a folder of root's, and in it the user's folder with the journal's folder."""

    def __init__(self, top, journal):
        self.top = top
        self.service = top / "service"
        self.folder = self.service / "journal"
        self.folder.mkdir(parents=True)
        for place in (self.folder / "journal.db", self.folder / "copy.db", top / "journal.db", top / "copy.db"):
            shutil.copyfile(journal, place)
            place.chmod(0o600)
        for place in (self.service, self.folder, *self.folder.iterdir()):
            os.chown(place, USER, USER)
        (top / "gateway.toml").write_text(f'[journal]\npath = "{self.folder}/journal.db"\n')
        self.victim = top / "victim"
        self.victim.write_text("root's\n")
        # These have the names of the journal's files, where a link in the place of its folder leads.
        self.precious = top / "precious"
        self.precious.mkdir()
        for ending in ENDINGS:
            (self.precious / f"journal.db{ending}").write_text("root's\n")
        self.before = self.of_root()

    def words(self, name):
        command, *rest = COMMANDS[name]
        in_top = [str(self.top / word) if word.endswith(".db") else word for word in rest]
        return [GATEWAY, command, "--config", str(self.top / "gateway.toml"), *in_top]

    def of_root(self):
        """Returns what root's files are, except for those that a command is told to make."""
        told = {self.top / "copy-2.db"}
        told |= {self.top / f"{name}{ending}" for name in ("journal.db", "moved.db", "copy.db") for ending in ENDINGS}
        found = {}
        for place in sorted(self.top.rglob("*")):
            if place not in told and self.service not in (place, *place.parents):
                status = place.lstat()
                found[place] = (status.st_uid, status.st_mode, place.read_bytes() if place.is_file() else None)
        return found

    def check(self, what):
        assert self.of_root() == self.before, what

    def of_another(self):
        """Returns what the user finds in its folder that belongs to another user."""
        return [place for place in self.folder.iterdir() if place.lstat().st_uid != USER]


@pytest.fixture
def new_world(journal):
    # It is not in pytest's folder, which only root may enter.
    with tempfile.TemporaryDirectory(prefix="root-") as top:
        os.chmod(top, 0o755)
        yield lambda name: World(pathlib.Path(top) / name, journal)


def link(place, target):
    place.symlink_to(target)
    os.lchown(place, USER, USER)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_root_makes_there_is_the_users(new_world, command):
    world = new_world("a")
    status, out, err = run_to_end(world.words(command), world.top)
    assert status == 0, out + err
    assert world.of_another() == []
    world.check(command)
    for place in world.folder.iterdir():
        assert stat.S_IMODE(place.stat().st_mode) == 0o600, place
    made = {"backup": "copy-2.db", "copy-journal": "moved.db"}.get(command)
    assert made is None or (world.top / made).stat().st_uid == 0, "in its own folder root is root"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_that_the_user_has_put_there_leads_root_nowhere(new_world, command):
    for name in NAMES[command]:
        for target in ("victim", "not-there", "victim by a hard link"):
            world = new_world("a")

            def plant():
                place = world.folder / name.replace("PID", str(os.getpid()))
                place.unlink(missing_ok=True)
                if target.endswith("hard link"):
                    place.hardlink_to(world.victim)
                else:
                    link(place, world.top / target)

            subprocess.run(world.words(command), cwd=world.top, preexec_fn=plant, capture_output=True)
            world.check(f"{name} led to {target}")
            shutil.rmtree(world.top)


# These calls make a file, or give it another name or another owner.
MAKING = ("openat", "rename", "renameat2", "chown", "fchown", "fchmod")


def takes_every_file(world):
    """Puts a link in the place of every file, and one that leads to nothing in the place of those that are yet to
    come."""
    there = list(world.folder.iterdir())
    for place in there:
        place.rename(world.service / f"taken-{place.name}")
        link(place, world.victim)
    for place in {world.folder / f"{file.name}{ending}" for file in there for ending in ENDINGS}.difference(there):
        link(place, world.top / "not-there")


def takes_the_folder(world):
    world.folder.rename(world.service / "away")
    link(world.folder, world.precious)


@pytest.mark.skipif(not IS_THERE, reason="needs strace to stop at a chosen system call")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_that_the_user_puts_there_meanwhile_leads_root_nowhere(new_world, command):
    world = new_world("look")
    log = world.service / "calls"
    stops = {}  # stops behind the first call of a kind for each file
    for name, number, line in calls_of(world.words(command), MAKING, log):
        file = re.search(rf"{world.folder}/[^\"]*", line)
        if file and (name != "openat" or "O_CREAT" in line):
            stops.setdefault((name, file[0]), number)
    shutil.rmtree(world.top)
    assert stops
    for (name, _), number in stops.items():
        for attack in (takes_every_file, takes_the_folder):
            world = new_world("a")
            program = Stopped(world.words(command), name, number, world.service / "log")
            attack(world)
            program.go_on()
            world.check(f"{attack.__name__} after {name} {number}")
            shutil.rmtree(world.top)


def test_a_gateway_that_root_starts_by_hand_works_there_as_the_user(new_shop, new_world):
    world = new_world("a")
    journal = world.folder / "journal.db"
    journal.unlink()
    shop = new_shop({"journal.path": str(journal)}).start()
    shop.sell(orders.tv()).of(200)
    assert world.of_another() == []
    shop.gateway.stop()
    assert world.of_another() == []
    for ending in ("", ".lock", "-wal", "-shm"):
        place = world.folder / f"journal.db{ending}"
        for target in ("victim", "not-there"):
            place.unlink(missing_ok=True)
            link(place, world.top / target)
            run = shop.gateway.launch()
            assert run.wait() == 1 and "cannot be used" in run.errors(), (ending, run.errors())
            world.check(f"{ending} led to {target}")
        place.unlink()
