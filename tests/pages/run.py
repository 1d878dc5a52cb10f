#!/usr/bin/python3
"""Tries a page: runs every command on it, in the order of the page, in one shell, on a box of its own, and looks up
what cannot be run there (blocks.py says which that is). A command that fails, or that says that it was not understood,
fails the test, which names the page and the line.

    tests/pages/run.py --installed FOLDER [--show] PAGE

FOLDER has the files of the package, as `cmake --install` puts them; ctest does that once. What takes minutes is only
looked up: the builds, tests/run.sh, deploy/demo.sh, the probe and the compilers of the tills have tests of their own.
It exits 77 where this machine gives nobody namespaces."""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys

import blocks
from programs import ROOT, Misused, check
from stand_in import STAND_INS
from world import Box, Store, enter

# This only bounds a page that has failed, also on a busy machine.
LIMIT_S = 300
SKIPPED = 77
# The page begins where another one has ended: the README's reader has started the demo.
AFTER_SANDBOX = {"README.md", "LEIAME.md"}
# The reader of this page has a machine without the gateway.
BEGIN_WITH_NOTHING = {"install.md"}
# These programs run until Ctrl-C ends them, in the foreground; the page of the sandbox starts both.
ONLY_CHECKED = {"sandbox-provider.1"}
NOT_UNDERSTOOD = re.compile(
    r"^usage\b|\bunknown (option|command|argument|key|word)|unrecognized|invalid option|not expected|command not found|"
    r"No such file|Traceback|^error: |"
    r'"code":"(invalid_request|invalid_json|not_found|method_not_allowed|unauthorized|forbidden|bad_request|'
    r'missing_idempotency_key|invalid_idempotency_key|unsupported_media_type|payload_too_large|internal_error)"',
    re.IGNORECASE | re.MULTILINE)
# The shell says before each command, and of what it cannot do, which line of the page it stands in.
_MARK = re.compile(r"^(?:\++@(\d+)@ ?|\S*page\.sh: line (\d+): )(.*)$")
ENDED = "ended with "
# The first line of a page is its title, so what prepares the shell has room there.
_PREPARE = ("exec 9>&1; BASH_XTRACEFD=9; PS4='+@${LINENO}@ '; set -Eeuo pipefail; "
            """trap 'echo "+@$LINENO@ ended with $?: $BASH_COMMAND" >&9' ERR; set -x""")
_LOOK = r"""shopt -s extdebug; set -T; trap 'printf "%s\t%s\0" "$LINENO" "$BASH_COMMAND" >&9; false' DEBUG"""


class Wrong(Exception):
    """A line of the page does not do what it should."""

    def __init__(self, line, why):
        super().__init__(f"{line}: {why}")


def replaced(lines, names):
    text = "\n".join(lines)
    for shown, real in names.items():
        text = text.replace(shown, real)
    return text


def call_all(lines, names, box):
    """Runs the lines in one shell."""
    script = box.folder / "page.sh"
    script.write_text(_PREPARE + "\n" + replaced(lines[1:], names) + "\n")
    log = box.folder / "said"
    with log.open("wb") as said:
        shell = subprocess.Popen(["bash", str(script)], cwd=box.home, env=box.environment(), stdout=said, stderr=said,
                                 stdin=subprocess.PIPE, start_new_session=True)
        # A command that asks for a password gets one, twice.
        shell.stdin.write(b"uma senha bem longa\n" * 2)
        shell.stdin.close()
        try:
            status = shell.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
            status = None
    _judge(log.read_text(errors="replace"), status)


def _judge(said, status):
    line, at, ended = 1, "the shell", False
    for text in said.split("\n"):
        if mark := _MARK.match(text):
            # What still runs beside the shell may be heard of after the command that ended it.
            if not ended or mark[3].startswith(ENDED):
                line, at = int(mark[1] or mark[2]), mark[3] or at
                ended = at.startswith(ENDED) or at.endswith("unbound variable")
        if not (mark and mark[1]) and NOT_UNDERSTOOD.search(text):
            raise Wrong(line, f"{at}\n    said: {text}")
    if status is None:
        raise Wrong(line, f"{at}\n    did not end\n{said[-3000:]}")
    if status != 0:
        raise Wrong(line, f"{at}\n{said[-3000:]}")


def look_up_all(lines, box, folder):
    """Has the shell take the lines apart, without running them, and looks at each command."""
    script = box.folder / "look.sh"
    script.write_text("\n".join([_LOOK, *lines[1:]]) + "\n")
    found = box.folder / "found"
    with found.open("wb") as words:
        os.dup2(words.fileno(), 9)
        done = subprocess.run(["bash", str(script)], pass_fds=[9], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
    if done.returncode != 0:
        raise Wrong(1, done.stderr)
    for command in filter(None, found.read_text().split("\0")):
        line, _, text = command.partition("\t")
        try:
            check(text, folder)
        except (Misused, ValueError) as wrong:
            raise Wrong(line, f"{text}\n    {wrong}") from wrong


def first_block(page):
    """Returns the first commands of a page, up to the first line that has none."""
    lines = blocks.read(ROOT / page)["run"]
    begin = next(number for number, line in enumerate(lines) if line)
    return lines[begin:lines.index("", begin)]


def prepare(page, text, box):
    """Makes what is there before the reader begins, and returns the names that the store has for those of the page."""
    call = {"check": True, "env": box.environment(), "cwd": box.home}
    if page.name in AFTER_SANDBOX:
        subprocess.run(["bash", "-ec", "\n".join(first_block("docs/sandbox.md"))], **call)
        return {}
    if "sandbox-provider" in text:
        return {}
    store = Store(box)
    if page.name not in BEGIN_WITH_NOTHING:
        store.open()
        subprocess.run(["systemctl", "start", "sales-gateway"], **call)
    store.leave_files()
    return store.names()


def try_page(page, folder, installed):
    """Tries the page, in the namespaces that this process is in."""
    box = Box(folder, installed)
    found = blocks.read(page)
    if page.name in ONLY_CHECKED:
        found = {"run": [], "checked": found["run"]}
    box.stand_in_for(STAND_INS)
    os.environ |= box.environment()
    if any(found["run"]):
        call_all(found["run"], prepare(page, "\n".join(found["run"]), box), box)
    if any(found["checked"]):
        look_up_all(found["checked"], box, page.parent if page.parent.name == "examples" else ROOT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--installed", type=pathlib.Path, required=True, help="the folder of the installed package")
    parser.add_argument("--show", action="store_true", help="print every command with its line, and what it said")
    parser.add_argument("--inside", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("page", type=pathlib.Path)
    asked = parser.parse_args()
    if not asked.inside:
        status = enter([__file__, *(["--show"] if asked.show else []), "--installed", str(asked.installed.resolve()),
                        str(asked.page.resolve())])
        if status is None:
            print("Namespaces cannot be had here: call it as root, or where sudo asks for no password.")
        sys.exit(SKIPPED if status is None else status)
    try:
        try_page(asked.page, asked.inside, asked.installed)
    except (Wrong, blocks.BadPage) as wrong:
        sys.exit(f"{asked.page}:{wrong}")
    finally:
        if asked.show:
            print("".join(file.read_text(errors="replace") for file in asked.inside.glob("said")))


if __name__ == "__main__":
    main()
