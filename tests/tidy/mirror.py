#!/usr/bin/python3
"""tests/unit/ mirrors gateway/, and probe/ and sandbox/ beside it. Every source file is tested in one of these ways:

- A test or a suite of its room is named after it: tv_test.cpp and tv_bounds_test.cpp test tv.cpp. - Some test includes
its header itself, and names something that this header declares. - It is a chapter of a header, whose name begins its
own: seller_ownership.cpp is tested as seller.cpp is. The header
  stands in its folder, or in the one above.
- It is a part of one other file of its folder, the only one that includes its header, and is tested as that one is. -
It stands beside a main.cpp, where a program is put together: the end-to-end tests run the programs.

And every test is named after a file of its room."""

import pathlib
import re

import source

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_DECLARED = re.compile(r"^(?:inline |constexpr |template <[^>]*>\s*)*"
                       r"(?:(?:class|struct|enum class|using) (\w+)|[\w:][\w:<>,&*\s]*?[\s&*](\w+)(?:\(|\s*=|\{))",
                       re.MULTILINE)
_SUITES = ("_test.cpp", "_conformance.hpp")
_MAIN = "main.cpp"


def name_of(test):
    return re.sub("(_conformance)?(_test)?$", "", pathlib.PurePosixPath(test).stem)


def is_of(test, source_file):
    """Says whether the test is in the room of the file, and is named after it."""
    name, stem = name_of(test), pathlib.PurePosixPath(source_file).stem
    folder = pathlib.PurePosixPath(source_file.removeprefix("gateway/")).parent
    same_room = pathlib.PurePosixPath(test.removeprefix("tests/unit/")).parent == folder
    return same_room and (name == stem or name.startswith(stem + "_") or name.endswith("_" + stem))


def is_in_a_room(path):
    return path.startswith(tuple(f"{program}/" for program in source.PROGRAMS)) and not re.match("gateway/[^/]*$", path)


def declared_in(header):
    """Returns what stands at the left margin of a header: types, functions and constants of its namespaces, and no
    members."""
    return {name for names in _DECLARED.findall(source.code_of(header)) for name in names if name}


class Mirror:
    def __init__(self, files):
        """`files` maps paths to texts, with those of the tests."""
        self.files = files
        self.sources = [path for path in files if path.endswith(".cpp") and is_in_a_room(path)]
        self.suites = [path for path in files if path.startswith("tests/unit/") and path.endswith(_SUITES)]
        self.users = {}
        for path, text in files.items():
            for name in _INCLUDE.findall(source.code_of(text, keep_strings=True)):
                self.users.setdefault(name, set()).add(path)

    def headers_of(self, path):
        """Returns its own header, and those that it is a chapter of, if they exist."""
        folder, stem = pathlib.PurePosixPath(path).parent, pathlib.PurePosixPath(path).stem
        stems = [stem[:end] for end in range(len(stem), 0, -1) if stem[end:end + 1] in ("", "_")]
        headers = [f"{place}/{one}.hpp" for place in (folder, folder.parent) for one in stems]
        return [header for header in headers if header in self.files]

    def has_named_test(self, path):
        return any(is_of(suite, path) for suite in self.suites)

    def is_named_in_a_test(self, header):
        names = declared_in(self.files[header])
        tests = [path for path in self.users.get(header.removeprefix("gateway/"), ()) if path.startswith("tests/unit/")]
        return any(set(re.findall(r"\w+", source.code_of(self.files[test]))) & names for test in tests)

    def whole_of(self, path):
        """Returns the file that it is a part of; nothing if its header is included by none, by several or from
        elsewhere."""
        users = {user.removesuffix(".cpp").removesuffix(".hpp")
                 for header in self.headers_of(path)[:1]
                 for user in self.users.get(header.removeprefix("gateway/"), ()) if not user.startswith("tests/")}
        own = path.removesuffix(".cpp")
        users = {user for user in users if user != own and not user.startswith(own + "_")}
        beside = [user for user in users if pathlib.PurePosixPath(user).parent == pathlib.PurePosixPath(path).parent]
        return f"{beside[0]}.cpp" if len(users) == len(beside) == 1 else None

    def is_tested(self, path, seen=()):
        if f"{pathlib.PurePosixPath(path).parent}/{_MAIN}" in self.files or self.has_named_test(path):
            return True
        if any(self.has_named_test(header) or self.is_named_in_a_test(header) for header in self.headers_of(path)):
            return True
        whole = self.whole_of(path)
        return whole is not None and whole not in seen and self.is_tested(whole, (*seen, path))

    def departures(self):
        """Yields (file, what is wrong with it)."""
        for path in self.sources:
            if not self.is_tested(path):
                yield path, "has no test: tests/tidy/mirror.py says in which ways it can have one"
        files = [path for path in self.files if path not in self.suites]
        for suite in self.suites:
            if suite.endswith("_test.cpp") and not any(is_of(suite, path) for path in files):
                yield suite, "is named after no file of its room"


def try_itself():
    """A gate that finds nothing in bad code is worse than none."""

    def wrong(**texts):
        return list(Mirror({_PATHS[name]: text for name, text in texts.items()}).departures())

    declares = "class Log {\n  public:\n    void close();\n};\n"
    includes = '#include "base/log.hpp"\n'
    assert wrong(log="")
    assert wrong(log="", elsewhere="")
    assert not wrong(log="", log_test="")
    assert not wrong(log="", log_more_test="")
    assert not wrong(main="", app="")
    # A chapter is tested in the same way as its header.
    assert wrong(log_hpp=declares, log_chapter="")
    assert not wrong(log_hpp=declares, log_chapter="", log_test="")
    # Another file's test counts for it only if that test names something of its header.
    assert wrong(log=includes, log_hpp=declares, file="", file_test=includes + "x.close();\n")
    assert wrong(log=includes, log_hpp=declares, file="", file_test="Log log;\n")
    assert not wrong(log=includes, log_hpp=declares, file="", file_test=includes + "Log log;\n")
    # A part is tested in the same way as the only file that includes it.
    assert wrong(log=includes, log_hpp=declares, file=includes)
    assert not wrong(log=includes, log_hpp=declares, file=includes, file_test="")
    assert wrong(log=includes, log_hpp=declares, file=includes, file_test="", main=includes)
    assert wrong(log=includes, log_hpp=declares, main=includes)
    assert wrong(log="", log_test="", left_over_test="")


_PATHS = {
    "log": "gateway/base/log.cpp",
    "log_hpp": "gateway/base/log.hpp",
    "log_chapter": "gateway/base/log_chapter.cpp",
    "file": "gateway/base/file.cpp",
    "main": "gateway/app/main.cpp",
    "app": "gateway/app/app.cpp",
    "log_test": "tests/unit/base/log_test.cpp",
    "log_more_test": "tests/unit/base/log_more_test.cpp",
    "file_test": "tests/unit/base/file_test.cpp",
    "left_over_test": "tests/unit/base/left_over_test.cpp",
    "elsewhere": "tests/unit/http/log_test.cpp",
}

if __name__ == "__main__":
    try_itself()
    mirror = Mirror({path: source.text_of(path) for path in source.files(*source.PROGRAMS, "tests")})
    found = list(mirror.departures())
    for file, message in found:
        print(f"{file}: {message}")
    if found:
        raise SystemExit(1)
    print(f"{len(mirror.sources)} files, all tested")
