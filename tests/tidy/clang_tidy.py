#!/usr/bin/python3
"""Runs clang-tidy over the programs, fast enough to be run always.

Nearly all of clang-tidy's time goes into Asio and Beast, which every file includes: parsing them takes seconds, and
walking their syntax tree takes longer; neither gets cheaper with a precompiled header. So files are looked at in
groups, each as one translation unit. Two files do not fit into one unit if they use the same name in their unnamed
namespaces, or if one of them uses there the name of a type that a header of the other declares: such files are
separated beforehand. A file that still does not compile with the others is looked at by itself, and a group in which no
file can be blamed is halved. A group that was found clean is not looked at again until one of its files, a header or
the list of checks changes.

    tests/tidy/clang_tidy.py [FILE...]    all of the programs, or these files, each by itself
    tests/tidy/clang_tidy.py --changed    what differs from the branch that is followed upstream, or from the commit
                                          before the last one, and what includes a header that does
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import source

TOOL = "clang-tidy-14"
# Beyond this, a unit takes so much memory that it saves no time.
GROUP_LIMIT = 60


def compile_flags(build):
    """Returns what the compiler needs to be told to read any file of the programs; only definitions differ between
    files."""
    flags = {"-include" + str(source.ROOT / "gateway/precompiled.hpp"): None}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if not entry["file"].startswith(tuple(str(root / room) for root in (source.ROOT, build.resolve())
                                              for room in source.PROGRAMS)):
            continue
        words = shlex.split(entry["command"])
        for i, word in enumerate(words):
            if word.startswith(("-D", "-I", "-std=")):
                flags[word] = None
            elif word == "-isystem":
                flags["-isystem" + words[i + 1]] = None
    return list(flags)


def unnamed_namespaces(code):
    """Returns what stands in each unnamed namespace, without what is inside of its braces and brackets, and the
    namespaces around it."""
    for match in re.finditer(r"\bnamespace\s*\{", code):
        depth, parens, own = 1, 0, []
        for c in code[match.end():]:
            if c in "})" and c == "}":
                depth -= 1
                if depth == 0:
                    break
            if c == ")":
                parens -= 1
            if depth == 1 and parens == 0:
                own.append(c)
            if c == "(":
                parens += 1
            if c == "{":
                depth += 1
        yield "".join(own), re.findall(r"\bnamespace\s+([\w:]+)\s*\{", code[:match.start()])


def private_names(text):
    """Returns the names that a file defines in unnamed namespaces, and main: rather one too many than one too few."""
    code = source.code_of(text)
    names = {"main"} & set(re.findall(r"^int (main)\(", code, re.MULTILINE))
    for own, around in unnamed_namespaces(code):
        # Aliases of a namespace and the bases of a class are names that are defined elsewhere.
        own = re.sub(r"\bnamespace\s+\w+\s*=[^;]*;|(?<!:):(?!:)[^;{]*(?=\{)", "", own)
        # Rooms with a namespace of their own do not clash with the others.
        prefix = "".join(name + "::" for name in around)
        names.update(prefix + name for name in re.findall(r"(?<![:\w])([A-Za-z_]\w*)\s*(?=[({=;\[])", own))
    keywords = {"namespace", "requires", "noexcept", "const", "final", "static_assert"}
    return {name for name in names if name.rsplit("::", 1)[-1] not in keywords}


# This matches a type that is declared at the beginning of a line, as everything in a namespace is. Functions with the
# same name mostly fit together in one unit; types do not.
_TYPE = re.compile(r"^(?:template <[^\n]*>\s*)?(?:(?:struct|class|enum class)\s+(\w+)|using\s+(\w+)\s*=)", re.MULTILINE)


def types(code):
    return {defined or alias for defined, alias in _TYPE.findall(code)}


def private_types(text):
    """Returns the types that a file defines in unnamed namespaces."""
    return set().union(*(types(own) for own, _ in unnamed_namespaces(source.code_of(text))))


class Headers:
    """Finds the types that files get from the project's own headers."""

    def __init__(self):
        self.paths = set(source.files(*source.PROGRAMS, suffixes=(".hpp",)))
        self.met = {}

    def names(self, path):
        """Returns what the headers that a file includes declare, and what the headers included by those declare."""
        if path not in self.met:
            self.met[path] = set()  # also if two headers include each other
            text = source.text_of(path)
            own = set()
            if path in self.paths:
                own = types(source.code_of(text))
            for included in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
                for header in {f"gateway/{included}", included} & self.paths:
                    own |= self.names(header)
            self.met[path] = own
        return self.met[path]


class Part:
    """Holds what a file, or the files of a group, bring into one unit: names and types of their own, and types from
    headers."""

    def __init__(self, path=None, headers=None):
        self.paths = [path] if path else []
        text = source.text_of(path) if path else ""
        self.names, self.types = private_names(text), private_types(text)
        self.given = headers.names(path) if path else set()
        # The gate does not find out to which enumeration these belong, or what their names are.
        self.stays_alone = bool(re.search(r"^using enum ", text, re.MULTILINE))

    def fits(self, other):
        if self.stays_alone or other.stays_alone:
            return not self.paths
        return not (self.names & other.names or self.types & other.given or self.given & other.types)

    def add(self, other):
        self.paths += other.paths
        self.names |= other.names
        self.types |= other.types
        self.given |= other.given
        self.stays_alone |= other.stays_alone


def grouped(paths, workers):
    """Makes groups of files that fit together, with about the same number in each, and at least one for each worker."""
    headers = Headers()
    files = [Part(path, headers) for path in paths]
    users = collections.Counter(name for file in files for name in file.names)
    limit = max(1, min(GROUP_LIMIT, -(-len(files) // workers)))
    # The names that most files use come first, and each of those files goes into a group of its own.
    groups = [Part() for _ in range(max([*users.values(), -(-len(files) // limit)]))]
    for file in sorted(files, key=lambda file: -max((users[name] for name in file.names), default=0)):
        fitting = [group for group in groups if len(group.paths) < limit and group.fits(file)]
        if not fitting:
            groups.append(Part())
        min(fitting or groups[-1:], key=lambda group: len(group.paths)).add(file)
    return [group.paths for group in groups]


class Runner:
    def __init__(self, build):
        self.flags = compile_flags(build)
        self.folder = build / "tidy"
        self.folder.mkdir(exist_ok=True)
        version = subprocess.run([TOOL, "--version"], check=True, capture_output=True, text=True).stdout
        common = hashlib.sha256(version.encode())
        for path in [".clang-tidy", "tests/tidy/clang_tidy.py", *source.files(*source.PROGRAMS, suffixes=(".hpp",))]:
            common.update(path.encode() + (source.ROOT / path).read_bytes())
        common.update("\n".join(self.flags).encode())
        self.common = common

    def look_at(self, unit):
        """Returns the findings in one file of any folder."""
        done = subprocess.run(
            [TOOL, "--quiet", f"--config-file={source.ROOT}/.clang-tidy", f"--header-filter={source.ROOT}/({'|'.join(source.PROGRAMS)})/.*",
             str(unit), "--", *self.flags], capture_output=True, text=True, cwd=source.ROOT)
        if done.returncode != 0 and not done.stdout.strip():
            sys.exit(f"{TOOL} failed:\n{done.stderr}")
        return done.returncode, done.stdout

    def look_at_group(self, paths):
        """Returns the findings in a group; none if it was found clean before."""
        key = self.common.copy()
        for path in paths:
            key.update(path.encode() + (source.ROOT / path).read_bytes())
        stamp = self.folder / (key.hexdigest() + ".clean")
        if stamp.exists():
            return ""
        unit = self.folder / (key.hexdigest() + ".cpp")
        unit.write_text("".join(f'#include "{source.ROOT}/{path}"\n' for path in paths))
        code, findings = self.look_at(unit)
        unit.unlink()
        if "[clang-diagnostic-error" in findings and len(paths) > 1:
            misfits = [path for path in paths if re.search(rf"/{re.escape(path)}:\d+:\d+: error: ", findings)]
            rest = [path for path in paths if path not in misfits]
            # Two of the files may not fit together, and the error may name a header: when the group is halved, the two
            # are soon apart.
            parts = [rest[:len(rest) // 2], rest[len(rest) // 2:]] if not misfits else [rest]
            parts = [part for part in parts if part] + [[path] for path in misfits]
            return "".join(self.look_at_group(part) for part in parts)
        if code == 0:
            stamp.touch()
            return ""
        return findings


def try_itself(runner):
    """A bad sample must be found, in a group as well as alone, or the gate is worse than none."""
    with tempfile.TemporaryDirectory() as folder:
        sample = pathlib.Path(folder) / "sample.cpp"
        sample.write_text("#include <string>\n#include <utility>\n"
                          "namespace gateway { inline std::string f(std::string BadName) {\n"
                          "    std::string other = std::move(BadName);\n    return BadName;\n} }\n")
        _, findings = runner.look_at(sample)
    for check in ("bugprone-use-after-move", "readability-identifier-naming"):
        if check not in findings:
            sys.exit(f"the gate is broken: it does not find {check} in a sample that has it:\n{findings}")
    sample = "namespace a { namespace { int f(int a) { int b; } struct S : T { int m; }; constexpr int k = 1; } }"
    if private_names(sample) != {"a::f", "a::S", "a::k"}:
        sys.exit("the gate is broken: it does not find what an unnamed namespace defines")


def git(*words):
    """Returns git's output in lines; nothing if git cannot tell."""
    answer = subprocess.run(["git", *words], cwd=source.ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.split() if answer.returncode == 0 else []


def changed(paths):
    """Returns those of the paths that have to be looked at after a change; all of them if git cannot tell."""
    base = git("merge-base", "HEAD", "@{upstream}") or git("rev-parse", "HEAD~1")
    if not base or base == git("rev-parse", "HEAD"):
        base = git("rev-parse", "HEAD~1")
    if not base:
        return paths
    names = set(git("diff", "--name-only", base[0])) | set(git("ls-files", "--others", "--exclude-standard"))
    if names & {".clang-tidy", "tests/tidy/clang_tidy.py"}:
        return paths
    headers = {re.sub(r"^gateway/", "", name) for name in names if name.endswith(".hpp")}

    def includes(path):
        return set(re.findall(r'#include "([^"]+)"', (source.ROOT / path).read_text()))

    return [path for path in paths if path in names or headers & includes(path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=source.ROOT / "build/dev", help="a built folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--groups", action="store_true", help="only show which files are looked at together")
    parser.add_argument("--changed", action="store_true", help="only what a change concerns")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.files:
        groups = [[str(pathlib.Path(path).resolve().relative_to(source.ROOT))] for path in arguments.files]
    else:
        paths = [path for path in source.files(*source.PROGRAMS, suffixes=(".cpp",))
                 if not path.endswith("separate_compilation.cpp")]
        groups = grouped(changed(paths) if arguments.changed else paths, arguments.jobs)
    if arguments.groups:
        for group in groups:
            print(len(group), *group)
        return
    runner = Runner(arguments.build)
    try_itself(runner)
    clean = True
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        started = time.monotonic()
        for group, findings in zip(groups, pool.map(runner.look_at_group, groups)):
            print(f"{time.monotonic() - started:5.0f} s  {len(group)} files from {group[0]}", flush=True)
            if findings:
                print(findings)
                clean = False
    sys.exit(0 if clean else 1)


if __name__ == "__main__":
    main()
