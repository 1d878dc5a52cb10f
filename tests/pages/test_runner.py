"""Tries the runner of the pages on pages of its own: one that is right, and what each fault of a page looks like."""
import pathlib
import subprocess
import sys

import pytest

RUN = pathlib.Path(__file__).with_name("run.py")
PAGE = r"""# A page on which sandbox-provider is started by nobody

```sh
echo sandbox-provider; WHOSE=mine
mkdir -p ~/here && cd ~/here
say() { echo "$1"; }
say "$WHOSE" >mine && cat >told <mine
sleep 1000 &
kill %1
systemctl daemon-reload
```

1. Look, and if need be call `systemctl reload sales-gateway`, or `journalctl -u sales-gateway EVENT=sale.closed`:

   ```console
   $ ls -l told
   total 0
   # grep mine \
       told
   ```

```console checked
# sudo -iu postgres pg_basebackup -D /var/lib/x --write-recovery-conf \
    -d 'host=db-1.example,db-2.example
        sslmode=verify-full'
# rsync -a --delete --exclude='*.cred' /etc/x/ spare.example:/etc/x/
$ deploy/demo.sh --once     # sells
$ cmake --preset dev && ctest --preset dev -R 'one|two'
```
"""


def tried(folder, text):
    page = folder / "page.md"
    page.write_text(text)
    (folder / "installed").mkdir()
    done = subprocess.run([sys.executable, RUN, "--installed", folder / "installed", page], capture_output=True,
                          text=True, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    return done


def test_a_page_whose_commands_work_passes(tmp_path):
    done = tried(tmp_path, PAGE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("right, wrong, line, word", [
    ("mkdir -p", "mkdir --parent-folders", 5, "unrecognized"),
    ("kill %1", "kil %1", 9, "command not found"),
    ("kill %1", "false", 9, "false"),
    ("kill %1", "echo \"$UNSET\"", 9, "unbound"),
    ("cat >told", "cat; echo 'Usage: say WORD'", 7, "Usage"),
    ("cat >told", "sed 's/.*/{\"code\":\"invalid_request\"}/'", 7, "invalid_request"),
    ("daemon-reload", "reload-daemon", 10, "reload-daemon"),
    ("daemon-reload", "stop sails-gateway", 10, "no unit"),
    ("systemctl reload ", "systemctl reload --gently ", 13, "takes no"),
    ("EVENT=sale.closed", "EVENT=sale.opened", 13, "sale.opened"),
    ("journalctl -u", "journalctl -U", 13, "takes no"),
    ("ls -l", "ls -l ./there", 16, "there"),
    ("grep mine", "grep yours", 18, "grep"),
    ("--write-recovery-conf", "--write-recovery", 23, "takes no"),
    ("--delete", "--delte", 26, "takes no"),
    ("rsync", "rsink", 26, "nothing is known"),
    ("--once", "--onze", 27, "takes no"),
    ("demo.sh", "demos.sh", 27, "there is no"),
    ("cmake --preset dev", "cmake --preset dav", 28, "dav"),
    ("console checked", "console unchecked", 22, "none of"),
])
def test_a_fault_is_found_and_its_line_named(tmp_path, right, wrong, line, word):
    assert right in PAGE
    done = tried(tmp_path, PAGE.replace(right, wrong, 1))
    assert done.returncode == 1 and f"page.md:{line}: " in done.stderr and word in done.stderr, done.stderr
