"""Says which options the programs take that a page names and that need not be here, or cannot do here what they do:
what is misspelt on a page is found although nothing is called. A program of the project is asked itself (`--help`), and
of its scripts the options are looked for in the text."""
import fnmatch
import json
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ("/etc/systemd/system", "/usr/lib/systemd/system")


class Misused(Exception):
    """A program is called with something that it does not take."""


# The options of a program, or of each of its commands; one that ends with `=` takes a value. Of a single dash before
# one letter several may stand together; other words with a single dash (of compilers) are compared whole, or by how
# they begin where a `*` follows.
TAKES = {
    "apt": {"install": "-y --yes --allow-downgrades"},
    "apt-get": {"install": "-y --yes --allow-downgrades"},
    "cat": "",
    "cc": "-O2 -o= -l*",
    "chmod": "-R",
    "chown": "-R",
    "cmake": "--preset= --build",
    "createdb": "--template= --encoding= --owner=",
    "createuser": "--pwprompt --replication",
    "ctest": "--preset= -R= -L=",
    "fpc": "-O2 -FE* -o*",
    "journalctl": "-u= --unit= -p= --priority= -S= --since= -n= --lines= -q --quiet --no-pager --vacuum-size=",
    "mcs": "-r:* -out:*",
    "mkdir": "-p -m=",
    "mono": "",
    "mv": "",
    "node": "",
    "pg_basebackup": "-D= --write-recovery-conf --checkpoint= -d=",
    "promtool": {"check": "", "test": ""},
    "psql": "-c= -d=",
    "rm": "-r -f",
    "rsync": "-a --delete --exclude=",
    "ssh-keyscan": "-p= -t=",
    "sudo": "-u= -i",
    "systemctl": {
        "daemon-reload": "",
        "disable": "--now",
        "edit": "",
        "enable": "--now",
        "is-active": "-q --quiet",
        "is-enabled": "-q --quiet",
        "list-timers": "--no-pager",
        "reload": "",
        "restart": "",
        "start": "",
        "status": "--no-pager",
        "stop": "",
    },
    "systemd-creds": {"encrypt": "--name="},
}
# These are asked themselves what they take.
OURS = ("sales-gateway", "sandbox-provider")
# What comes from the shell takes no options that a page could misspell.
SHELL = {".", "cd", "echo", "export", "for", "kill", "printf", "source", "test", "umask", "until", "[", ":"}


def _split(program, taken, arguments):
    """Returns the words that are no options; refuses options that are not among `taken`."""
    taken, rest = taken.split(), []
    words = iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        if word == "-" or not word.startswith("-"):
            rest.append(word)
        elif word.startswith("--"):
            if f"{name}=" in taken:
                if not equals and next(words, None) is None:
                    raise Misused(f"{program}: {name} takes a value")
            elif name not in taken or equals:
                raise Misused(f"{program}: it takes no {word}")
        elif not any(fnmatch.fnmatchcase(word, one) for one in taken if one.endswith("*") or len(one) > 2):
            _letters(program, taken, word[1:], words)
    return rest


def _letters(program, taken, letters, words):
    for place, letter in enumerate(letters):
        if f"-{letter}=" in taken:
            if place == len(letters) - 1 and next(words, None) is None:
                raise Misused(f"{program}: -{letter} takes a value")
            return
        if f"-{letter}" not in taken:
            raise Misused(f"{program}: it takes no -{letters}")


def taken_from(program, arguments):
    """Returns the command, if the program has commands, and the words that are no options. Raises Misused."""
    taken = TAKES[program]
    command = ""
    if isinstance(taken, dict):
        named = [word for word in arguments if not word.startswith("-")]
        command = named[0] if named else ""
        if command not in taken:
            raise Misused(f"{program}: it has no command \"{command}\"")
        arguments = list(arguments)
        arguments.remove(command)
        taken = taken[command]
    return command, _split(f"{program} {command}".strip(), taken, arguments)


def units_of(names):
    """Returns the files of these units, of which each must be there. A name may be a pattern."""
    found = []
    for name in names:
        full = name if re.search(r"\.\w+$|\*$", name) else f"{name}.service"
        files = [file for folder in UNITS for file in sorted(pathlib.Path(folder).glob(full))]
        if not files:
            raise Misused(f"systemctl: there is no unit {full}")
        found += files
    return found


def check_fields(fields):
    """Looks at what journalctl is to find: each field, and each event, must be one that the pages of the log list."""
    known = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/log-fields.md").read_text(), re.MULTILINE))
    events = set(re.findall(r"^\| `([\w.]+)` \|", (ROOT / "docs/log.md").read_text(), re.MULTILINE))
    for field in fields:
        name, _, value = field.partition("=")
        name = re.sub(r"_(\w)", lambda letter: letter[1].upper(), name.lower())
        if field != "+" and (value not in events if name == "event" else name not in known):
            raise Misused(f"journalctl: nothing in the log is {field}")


def check(line, folder):
    """Looks at one command of a block that is only checked; `folder` is where its files are. Raises Misused."""
    words = shlex.split(re.sub(r"<<-?'?\w+'?\n.*", "", line, flags=re.DOTALL))
    words = [word for place, word in enumerate(words)
             if not re.match(r"\d*[<>]", word) and (not place or not re.fullmatch(r"\d*[<>]+", words[place - 1]))]
    while words and re.match(r"\w+\+?=", words[0]):
        # What a page will call by a name is looked at too.
        if words[0].startswith("till="):
            check(words[0].removeprefix("till="), folder)
        words.pop(0)
    if words:
        _check(words[0], words[1:], folder)


def _check(program, arguments, folder):
    if program == "sudo":
        rest = _after_user(arguments)
        _check(rest[0], rest[1:], folder)
    elif program in OURS:
        _ask_itself(program, arguments)
    elif program == "." or "/" in program:
        file = arguments[0] if program == "." else program
        if not file.startswith("/tmp/"):  # the block itself has just made it there
            _look_into(folder / file, [] if program == "." else arguments)
    elif program == "cmake" or program == "ctest":
        taken_from(program, arguments)
        _preset(program, arguments)
    elif program in ("require_packages", "require_test_packages"):
        if f"{program}()" not in (ROOT / "deploy/packages.sh").read_text():
            raise Misused(f"deploy/packages.sh has no {program}")
    elif program in TAKES:
        _, rest = taken_from(program, arguments)
        if program == "journalctl":
            check_fields(rest)
        elif program in ("cc", "mcs", "fpc", "node"):
            _sources(rest, folder)
    elif program not in SHELL:
        raise Misused(f"{program}: nothing is known of this program: tests/pages/programs.py says what it takes")


def _after_user(arguments):
    """Returns the command that sudo is to call: it ends with the first word after its own options."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place].endswith("u") else 1
    _split("sudo", TAKES["sudo"], arguments[:place])
    if place >= len(arguments):
        raise Misused("sudo: there is no command")
    return arguments[place:]


def _ask_itself(program, arguments):
    named = [] if program == "sandbox-provider" else arguments[:1] if not arguments[0].startswith("-") else []
    said = subprocess.run([program, *named, "--help"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise Misused(f"{program}: it has no command \"{' '.join(named)}\": {said.stderr}")
    for word in arguments:
        name = word.partition("=")[0]
        if name.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said.stdout):
            raise Misused(f"{program} {' '.join(named)}: it takes no {name}")


def _look_into(file, arguments):
    if not file.is_file():
        raise Misused(f"there is no {file}")
    text = file.read_text(errors="replace")
    for word in arguments:
        if word.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text):
            raise Misused(f"{file.name}: it takes no {word}")


def _preset(program, arguments):
    kind = "testPresets" if program == "ctest" else "buildPresets" if "--build" in arguments else "configurePresets"
    name = arguments[arguments.index("--preset") + 1]
    if name not in [preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())[kind]]:
        raise Misused(f"{program}: CMakePresets.json has no {kind} \"{name}\"")


def _sources(files, folder):
    for file in files:
        if not file.startswith("/tmp/") and not list(folder.glob(file)):
            raise Misused(f"there is no {folder / file}")
