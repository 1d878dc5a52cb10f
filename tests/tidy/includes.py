#!/usr/bin/python3
"""Checks which room may include which. Only ROOMS decides that."""

import re

import source

# Each line has a room, and the rooms that it may include besides itself. A room is a folder with everything in it,
# except the rooms inside it; or a single header with its .cpp: only those that put a program together may ask the
# system for time and chance.
ROOMS = {
    "base": set(),
    "base/system.hpp": {"base"},
    "words": {"base"},
    "net": {"base"},
    "sale": {"base"},
    "reconcile": {"base", "sale"},
    "paper": {"base"},
    "families": {"base", "sale", "paper"},
    "journal": {"base", "sale", "reconcile", "journal/sqlite"},
    "journal/sqlite": {"base", "sale", "journal"},
    "journal/postgres": {"base", "sale", "journal", "journal/sqlite", "journal/chain"},
    "journal/chain": {"base", "sale", "journal", "journal/sqlite", "journal/postgres"},
    "journal/copy": {"base", "journal", "journal/sqlite", "journal/postgres", "journal/chain"},
    "http": {"base", "net"},
    "provider": {"base", "net", "sale", "families", "http"},
    "flow": {"base", "net", "sale", "families", "journal", "provider"},
    "books": {"base", "words", "net", "sale", "reconcile", "journal", "provider", "flow"},
    "api": {"base", "words", "sale", "reconcile", "paper", "families", "journal", "journal/sqlite", "http", "provider",
            "flow", "books"},
    "console": {"base", "words", "families", "journal", "http", "provider", "flow", "books", "api"},
    "config": {"base", "net", "sale", "families", "reconcile", "paper", "http", "provider", "flow", "books", "api",
               "console"},
    "commands": {"base", "words", "families", "http", "config"},
    "app": {"base", "base/system.hpp", "words", "sale", "families", "reconcile", "journal", "journal/sqlite",
            "journal/postgres", "journal/chain", "journal/copy", "http", "provider", "flow", "books", "api", "console",
            "config", "commands"},
    "probe": {"base", "net", "sale", "families", "reconcile", "http", "provider", "config"},
    "probe/app": {"base", "base/system.hpp", "http", "provider", "config", "commands", "app", "probe"},
    "sandbox": {"base", "http", "net"},
    "sandbox/app": {"base", "base/system.hpp", "sandbox"},
}

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def room_of(path):
    """Returns the room of a file, named as an #include names it; nothing for a file that is in none."""
    places = [path.split(".")[0] + ".hpp", *(path[:end] for end in range(len(path), 0, -1) if path[end:end + 1] == "/")]
    return next((place for place in places if place in ROOMS), None)


def inside(path):
    """Returns the path as an #include would name it: gateway/ and the top are include folders, and so is tests/."""
    return path if path.startswith(("probe/", "sandbox/")) else path.partition("/")[2]


def may_include(room, other):
    return other == room or other in ROOMS[room]


def may_test_with(room, name):
    """A unit test may include what its room may, and the rooms inside of it; a benchmark may include all these, and
    what all tests share. A test of a program beside gateway/ may let it meet the other one."""
    if name.startswith("unit/support/"):
        return True
    other = room_of(name.removeprefix("unit/"))
    outer = other.rpartition("/")[0] if other else None
    programs = source.PROGRAMS[1:]
    return may_include(room, other) or may_include(room, outer) or (room in programs and other in programs)


def check(path, text):
    code = source.code_of(text, keep_strings=True)
    in_tests = path.startswith("tests/")
    inner = inside(path)
    room = room_of(inner.removeprefix("unit/"))
    if not in_tests and room is None and "/" in inner:
        yield 1, f"{inner.rpartition('/')[0]} is no room that tests/tidy/includes.py knows"
        return
    for match in _INCLUDE.finditer(code):
        line, kind, name = source.line_at(code, match.start()), match[1], match[2]
        if kind == "<" or name.endswith(".inc"):
            continue
        if ".." in name or name.endswith(".cpp"):
            yield line, f'"{name}" is included; headers only, and no dots'
        elif in_tests and (inner.startswith("unit/support/") or not inner.startswith("unit/")):
            continue
        elif "/" not in name:
            yield line, f'write "room/{name}", from the folder gateway/ (or tests/)'
        elif in_tests and may_test_with(room, name):
            continue
        elif room is None:
            yield line, "stands in no room, and includes what is in one"
        elif not may_include(room, room_of(name)):
            yield line, f"{room} must not include {room_of(name) or name}: the layer law"


BAD = [
    ("gateway/sale/machine.cpp", '#include "journal/journal.hpp"\n'),
    ("gateway/http/server/server.cpp", '#include "sale/sale.hpp"\n'),
    ("gateway/journal/journal.cpp", '#include "provider/provider.hpp"\n'),
    ("gateway/provider/provider.hpp", '#include "journal/journal.hpp"\n'),
    ("sandbox/books.cpp", '#include "sale/sale.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "base/system.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "journal/sqlite/open_sqlite_journal.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "http/client/https_client.hpp"\n'),
    ("gateway/flow/driver.cpp", '#  include "api/sell.hpp"\n'),
    ("gateway/http/client/pool.cpp", '#include "sale/sale.hpp"\n'),
    ("gateway/families/tv.cpp", '#include "http/client/client.hpp"\n'),
    ("gateway/net/stream.cpp", '#include "http/syntax.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "driver.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "flow/../api/sell.hpp"\n'),
    ("gateway/base/log.cpp", '#include "app/app.hpp"\n'),
    ("gateway/cellar/wine.cpp", ""),
    ("gateway/wine.cpp", '#include "base/log.hpp"\n'),
    ("gateway/commands/show.cpp", '#include "journal/journal.hpp"\n'),
    ("tests/unit/http/server/server_test.cpp", '#include "sale/sale.hpp"\n'),
    ("tests/unit/http/server/server_test.cpp", '#include "unit/flow/rig.hpp"\n'),
    ("tests/unit/provider/provider_test.cpp", '#include "sandbox/model.hpp"\n'),
    ("probe/points.cpp", '#include "sandbox/personality.hpp"\n'),
    ("probe/points.cpp", '#include "app/journal_opening.hpp"\n'),
    ("probe/points.cpp", '#include "base/system.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "probe/wire.hpp"\n'),
]
GOOD = [
    ("gateway/flow/driver.cpp", '#include "journal/journal.hpp"\n#include "provider/provider.hpp"\n#include <map>\n'),
    ("gateway/flow/driver.cpp", '// #include "api/sell.hpp"\n'),
    ("gateway/base/system.cpp", '#include "base/system.hpp"\n'),
    ("gateway/app/app.cpp", '#include "base/system.hpp"\n#include "app/app.hpp"\n'),
    ("gateway/provider/connections.cpp", '#include "http/client/https_client.hpp"\n'),
    ("sandbox/app/main.cpp", '#include "base/system.hpp"\n#include "sandbox/service.hpp"\n'),
    ("tests/unit/http/server/server_test.cpp", '#include "http/server/server.hpp"\n#include "unit/support/memory_log.hpp"\n'),
    ("tests/unit/flow/seller_test.cpp", '#include "journal/sqlite/database.hpp"\n'),
    ("tests/unit/api/sales_test.cpp", '#include "unit/flow/rig.hpp"\n'),
    ("tests/unit/probe/probe_test.cpp", '#include "sandbox/model.hpp"\n'),
    ("tests/simulation/world.cpp", '#include "sandbox/model.hpp"\n#include "flow/driver.hpp"\n'),
]


def dead_rules(paths):
    """Finds permissions that nothing uses: a change of the rooms leaves them behind."""
    used = {}
    for path in paths:
        room = room_of(inside(path))
        for match in _INCLUDE.finditer(source.code_of(source.text_of(path), keep_strings=True)):
            if match[1] == '"':
                used.setdefault(room, set()).add(room_of(match[2]))
    for room, others in ROOMS.items():
        for other in sorted(others - used.get(room, set())):
            yield f"{room} may include {other}, and no file does: take it out of ROOMS in tests/tidy/includes.py"


if __name__ == "__main__":
    dead = list(dead_rules(source.files(*source.PROGRAMS)))
    if dead:
        raise SystemExit("\n".join(dead))
    source.gate(check, source.files(*source.PROGRAMS, "tests"), BAD, GOOD)
