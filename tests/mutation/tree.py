"""The copy of the project in which the mutants live: how it is written, configured and built."""

import concurrent.futures
import json
import pathlib
import pickle
import re
import shlex
import shutil
import subprocess

from places import find
from runs import digest
from schemata import Schemata

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
CLANG = shutil.which("clang++-14") or "clang++"
_ERROR = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?P<kind>error|fatal error|note): (?P<text>.*)$", re.MULTILINE)
# A file's numbers do not move where another file has more mutants than before, so that it is not compiled again.
_MOST_OF_A_FILE = 1000
# What the rooms include that the build writes.
_GENERATED = ("generated/migrations.inc", "generated/statements.inc")
_NO_CONSTANT = re.compile(r"(?:initializer of|variable) '(\w+)'")


def write_changed(path, data):
    """Writes a file only where it differs, so that nothing is built again without need."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        new.write_bytes(data)
        new.replace(path)


class Tree:
    """`files` are the paths of what is mutated, `traced` the folders in tests/unit whose tests write a trace."""

    def __init__(self, folder, files, traced, jobs):
        self.source, self.build = folder / "source", folder / "build"
        self.files, self.traced, self.jobs = files, traced, jobs
        self.schemata = {}

    # The copy.

    def _names(self):
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                capture_output=True, text=True, check=True)
        return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]

    def _copy(self):
        names = set(self._names())
        for name in names - set(self.files):
            write_changed(self.source / name, (ROOT / name).read_bytes())
        for folder in self.traced:
            names.add(f"tests/unit/{folder}/mutant_trace_test.cpp")
            write_changed(self.source / f"tests/unit/{folder}/mutant_trace_test.cpp",
                          (HERE / "trace_listener.cpp").read_bytes())
        write_changed(self.source / "gateway/mutant.hpp", (HERE / "mutant.hpp").read_bytes())
        names.add("gateway/mutant.hpp")
        for path in list(self.source.rglob("*")):
            if path.is_file() and path.relative_to(self.source).as_posix() not in names:
                path.unlink()

    def configure(self):
        self._copy()
        for name in self.files:
            if not (self.source / name).exists():
                write_changed(self.source / name, (ROOT / name).read_bytes())
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-Wno-dev",
                        "-DCMAKE_BUILD_TYPE=Mutation", "-DCMAKE_CXX_FLAGS_MUTATION=-O1 -D_GLIBCXX_ASSERTIONS", "-DCMAKE_UNITY_BUILD=ON",
                        "-DCMAKE_UNITY_BUILD_BATCH_SIZE=4", f"-DCMAKE_CXX_COMPILER={CLANG}",
                        "-DCMAKE_CXX_FLAGS=-Wno-c++11-narrowing", f"-DGATEWAY_SQL={self.source}/sql",
                        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, stdout=subprocess.DEVNULL)
        missing = [name for name in _GENERATED if "journal" in self.traced and not (self.build / name).exists()]
        self.make("gateway/CMakeFiles/gateway_asio.dir/cmake_pch.hxx.pch", *missing)

    def _what_ninja_refuses(self, *targets):
        command = ["ninja", "-C", self.build, "-j", str(self.jobs), *targets]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode != 0 else ""

    def make(self, *targets):
        while said := self._what_ninja_refuses(*targets):
            if not self._keep_constants(said):
                raise SystemExit(said[-12000:])
            self._save_settled()

    def flags(self, path):
        """Returns how clang is called for a file of a room, with the precompiled header."""
        room = pathlib.PurePosixPath(path).parts[1]
        commands = json.loads((self.build / "compile_commands.json").read_text())
        command = next(one["command"] for one in commands if f"/gateway_{room}.dir/" in one["command"])
        words = shlex.split(command)
        words = words[next(at for at, word in enumerate(words) if "clang" in pathlib.PurePath(word).name) + 1:]
        words = words[:words.index("-o")]
        return [word for word in words if word != "-Winvalid-pch"] + ["-w", "-xc++"]

    # The mutants.

    def mutate(self):
        """Finds the mutants of every file, and leaves out what the compiler does not take."""
        places = self.build.parent / "places.pickle"
        self.found = pickle.loads(places.read_bytes()) if places.exists() else {}
        self.headers = digest(HERE / "places.py", *sorted((ROOT / "gateway").rglob("*.hpp")))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for name, (source, edits) in zip(self.files, pool.map(self._found, self.files)):
                self.schemata[name] = Schemata(name, source, edits)
        places.write_bytes(pickle.dumps(self.found))
        kept = self.build.parent / "settled.json"
        self.settled = json.loads(kept.read_text()) if kept.exists() else {}
        for at, schemata in enumerate(self.schemata.values()):
            for number, mutant in enumerate(schemata.mutants, at * _MOST_OF_A_FILE):
                mutant.number = number
        headers = [name for name in self.files if name.endswith(".hpp")]
        for names in (headers, [name for name in self.files if name not in headers]):
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(self._settle, names))
        self._save_settled()

    def _found(self, name):
        """Returns the source of a file and its places, which are kept until it, a header or places.py changes."""
        known_as = digest(ROOT / name) + self.headers
        if self.found.get(name, ("",))[0] != known_as:
            here = [word.replace(f"{self.source}/gateway", f"{ROOT}/gateway") for word in self.flags(name)]
            self.found[name] = (known_as, find(CLANG, here, name, ROOT))
        return self.found[name][1]

    def errors(self, name, text=None):
        """Returns what clang says against a file of the copy, or against another text of it."""
        command = [CLANG, *self.flags(name), "-fsyntax-only", "-ferror-limit=0"]
        command += [str(self.source / name)] if text is None else [f"-I{(self.source / name).parent}", "-"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, input=text)
        return done.stderr if done.returncode != 0 else ""

    def built_alone(self, name, mutant, targets, look):
        """Returns what `look` sees in programs that have this mutant alone."""
        write_changed(self.source / name, self.schemata[name].alone(mutant))
        try:
            return "the compiler" if self._what_ninja_refuses(*targets) else look()
        finally:
            self._write(name)
            self.make(*targets)

    def _save_settled(self):
        for name, schemata in self.schemata.items():
            refused = [at for at, one in enumerate(schemata.mutants) if one.number in schemata.refused]
            self.settled[name] = {"digest": self._digest_of_schemata(name), "refused": refused,
                                  "kept": sorted(schemata.kept)}
        (self.build.parent / "settled.json").write_text(json.dumps(self.settled))

    def _digest_of_schemata(self, name):
        headers = [ROOT / one for one in self.files if one.endswith(".hpp")]
        return digest(ROOT / name, *headers, *(HERE / one for one in ("places.py", "schemata.py", "mutant.hpp")))

    def _write(self, name):
        write_changed(self.source / name, self.schemata[name].text().encode())

    def _settle(self, name):
        """Tries the schemata of a file. What came of it is kept until the file, a header or this tool changes."""
        schemata = self.schemata[name]
        known = self.settled.get(name, {})
        if known.get("digest") != self._digest_of_schemata(name):
            return self._try_until_taken(name)
        numbers = [one.number for one in schemata.mutants]
        schemata.refused, schemata.kept = {numbers[at] for at in known["refused"]}, set(known["kept"])
        return self._write(name)

    def _keep_constants(self, said, *names):
        """Lets those variables stay constants of the language that the compiler needs as such, be it in one of the
        named files or in a header. Returns whether there were any."""
        needed, before = set(_NO_CONSTANT.findall(said)), sum(len(one.kept) for one in self.schemata.values())
        for name, schemata in self.schemata.items():
            if name in names or name.endswith(".hpp"):
                schemata.kept |= needed & {edit.texts[1] for edit in schemata.edits if edit.kind == "constant"}
                self._write(name)
        return sum(len(one.kept) for one in self.schemata.values()) > before

    def _try_until_taken(self, name):
        schemata = self.schemata[name]
        for _ in range(20):
            text = schemata.text()
            self._write(name)
            said = self.errors(name)
            if not said:
                return
            if self._keep_constants(said, name):
                continue
            lines, known = text.splitlines(), len(schemata.refused)
            for match in _ERROR.finditer(said):
                if match["kind"] != "note" and match["file"] == str(self.source / name):
                    schemata.refused.update(schemata.mutants_at(lines, int(match["line"]))[:1])
            if len(schemata.refused) == known:
                break
        raise SystemExit(f"{name}: clang does not take the schemata\n{said[:4000]}")
