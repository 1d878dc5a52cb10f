#!/usr/bin/python3
"""Small files and scattered classes have a reason that can be seen. A header of a room with fewer than 25 lines is used
in at least two places, one of which may be a test; otherwise it belongs into the only file that uses it, unless it
stands beside a main.cpp, where a program is put together. The members of a class are in one .cpp file, or in chapters
that are named after its header: seller.cpp and seller_ownership.cpp."""

import re
import sys

import source

SHORT = 25

_MEMBER = re.compile(r"^(?=\w)(?:[\w:<>,&*\[\] ]+\s)?((?:\w+::)*\w+)::~?\w+(?:<[^>]*>)?\(", re.MULTILINE)
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_NAMESPACE = re.compile(r"^namespace gateway(?:::(\w+))?\s*\{", re.MULTILINE)


def classes_of(path, text):
    """Returns the classes that a .cpp file defines members of, by their outermost name."""
    code = source.code_of(text)
    room = _NAMESPACE.search(code)
    prefix = f"{room[1]}::" if room and room[1] else ""
    declared = set(re.findall(r"^(?:class|struct) (\w+)", code, re.MULTILINE))  # these are the file's own
    found = {name.split("::")[0] for name in _MEMBER.findall(code)}
    return {prefix + name for name in found if name[:1].isupper() and name not in declared}


def users_of(files):
    """Maps a header, as an #include names it, to the files that include it."""
    users = {}
    for path, text in files.items():
        for name in _INCLUDE.findall(source.code_of(text, keep_strings=True)):
            users.setdefault(name, set()).add(path)
    return users


def are_chapters(paths):
    """Says whether the files are in one folder, and the name of the first begins the names of the others."""
    first, *others = sorted(paths)
    return all(other.startswith(first.removesuffix(".cpp") + "_") for other in others)


def departures(files):
    """Yields (path, what is wrong) for every file that departs; `files` maps paths to texts, with those of the
    tests."""
    users = users_of(files)
    places = {}
    for path, text in files.items():
        if path.startswith("tests/"):
            continue
        name = path.removeprefix("gateway/")
        beside_main = f"{path.rpartition('/')[0]}/main.cpp" in files
        if path.endswith(".hpp") and "/" in name and text.count("\n") < SHORT and not beside_main:
            others = users.get(name, set()) - {path.removesuffix(".hpp") + ".cpp"}
            if len(others) < 2:
                yield path, f"fewer than {SHORT} lines, and used in one place: move it there"
        if path.endswith(".cpp"):
            for name in classes_of(path, text):
                places.setdefault(name, []).append(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1 and not are_chapters(paths):
            yield paths[0], (f"members of {name} stand in {', '.join(paths)}: split the class, or name the files after its "
                             "header, as chapters")


def try_itself():
    """A gate that finds nothing in bad code is worse than none."""
    short, long = "// A.\n#pragma once\n", "// A.\n#pragma once\n" + "int x;\n" * SHORT
    include = '#include "base/a.hpp"\n'
    a, b = "gateway/base/a.hpp", "gateway/base/b.cpp"
    assert list(departures({a: short, b: include}))
    assert list(departures({a: short, b: include, "gateway/base/a.cpp": include}))
    assert not list(departures({a: long, b: include}))
    assert not list(departures({a: short, b: include, "tests/unit/base/a_test.cpp": include}))
    assert not list(departures({a: short, b: include, "gateway/base/main.cpp": ""}))
    one = "namespace gateway {\nvoid Foo::a() {\n}\n}\n"
    two = "namespace gateway {\nint Foo::b() const {\n}\n}\n"
    assert list(departures({"gateway/base/foo.cpp": one, "gateway/base/bar.cpp": two}))
    assert not list(departures({"gateway/base/foo.cpp": one, "gateway/base/foo_more.cpp": two}))


if __name__ == "__main__":
    try_itself()
    seen = {path: source.text_of(path) for path in source.files("gateway", "probe", "sandbox", "tests")}
    wrong = list(departures(seen))
    for file, message in wrong:
        print(f"{file}: {message}")
    if wrong:
        sys.exit(1)
    print(f"{len(seen)} files, nothing found")
