#!/usr/bin/python3
"""Checks which room may include which: ROOMS below says it."""

import re

import source

# A room, and the rooms that it may include besides itself.
ROOMS = {
    "base": set(),
    "words": {"base"},
    "net": {"base"},
    "sale": {"base"},
    "reconcile": {"base", "sale"},
    "paper": {"base"},
    "families": {"base", "sale", "paper"},
    "journal": {"base", "sale", "reconcile"},
    "journal/postgres": {"base", "sale", "journal", "journal/chain"},
    "journal/chain": {"base", "sale", "journal", "journal/postgres"},
    "journal/copy": {"base", "journal", "journal/postgres", "journal/chain"},
    "http": {"base", "net"},
    "provider": {"base", "net", "sale", "families", "http"},
    "flow": {"base", "net", "sale", "families", "journal", "provider"},
    "books": {"base", "net", "sale", "reconcile", "journal", "provider", "flow"},
    "api": {"base", "words", "sale", "reconcile", "paper", "families", "journal", "http", "provider", "flow", "books"},
    "console": {"base", "words", "families", "journal", "http", "provider", "flow", "books", "api"},
    "config": {"base", "net", "sale", "families", "reconcile", "paper", "http", "provider", "flow", "books", "api",
               "console"},
    "commands": {"base", "words", "families", "http", "config"},
    "sandbox": {"base", "http", "net"},
    "journal_opening": {"base", "sale", "journal", "journal/postgres", "journal/chain", "config"},
    "journal_moving": {"base", "config", "journal/copy", "journal_opening"},
    "listeners": {"base", "http", "api", "config"},
    "routers": {"api", "console", "config", "listeners"},
    "lifecycle": {"base", "provider", "flow", "api", "config", "listeners"},
    "supervision": {"base", "journal", "flow", "api"},
    "app": {"base", "provider", "flow", "books", "api", "console", "config", "routers", "journal_opening", "lifecycle",
            "supervision"},
    "command_line": {"reconcile", "config", "commands", "journal_moving"},
    "journal_tools": {"base", "journal", "journal/postgres", "journal/chain", "api", "config", "commands", "journal_opening"},
    "main": {"base", "families", "http", "config", "commands", "command_line", "journal_opening", "journal_tools", "listeners",
             "app"},
    "probe": {"base", "net", "sale", "families", "http", "provider", "config"},
    "probe-main": {"base", "http", "config", "commands", "provider", "journal_tools", "probe"},
}

# Interfaces are for everybody, what stands behind them is for those who build the program.
IMPLEMENTATIONS = {"base/system.hpp", "journal/sqlite/open_sqlite_journal.hpp", "journal/sqlite/sqlite_journal.hpp"}
COMPOSERS = {"app", "journal_moving", "journal_opening", "journal_tools", "lifecycle", "main", "probe-main", "sandbox-main"}
# What puts the programs beside gateway/ together.
MAINS = {"probe/main": "probe-main", "probe/run": "probe-main", "sandbox/main": "sandbox-main"}
# The tests build what they need: units of one room, whole gateways in a simulation.
SHARED_BY_TESTS = ("unit/support/", "simulation/")
# A test may build on the bench of a room that its own room includes.
BENCH_OF = {"api": "unit/flow/", "books": "unit/flow/", "journal/postgres": "unit/journal/", "journal/chain": "unit/journal/", "journal/copy": "unit/journal/", "console": "unit/api/", "provider": "unit/families/"}
# A room whose tests ask the sandbox provider, in process: it is what a probe is to find out about.
ASKS_SANDBOX = "unit/probe/"

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def room_of(path):
    """The room of a file, named as an #include names it; the files beside the rooms are rooms of their own."""
    parts = path.split("/")
    if len(parts) == 1:
        return parts[0].split(".")[0]
    if "/".join(parts[:2]) in ROOMS:
        return "/".join(parts[:2])
    return MAINS.get(path.split(".")[0], parts[0])


def inside(path):
    """The path as an #include would name it: gateway/ and the top are include folders, and so is tests/."""
    return path if path.startswith(("probe/", "sandbox/")) else path.partition("/")[2]


def may_include(room, other):
    if room == "sandbox-main":
        return other in {"base", "http", "sandbox"}
    return other == room or other in ROOMS.get(room, set())


def check(path, text):
    code = source.code_of(text, keep_strings=True)
    in_tests = path.startswith("tests/")
    inner = inside(path)
    room = room_of(inner.removeprefix("unit/"))
    if not in_tests and room not in ROOMS and room not in COMPOSERS | {"precompiled", "separate_compilation"}:
        yield 1, f"{room} is no room that tests/tidy/includes.py knows"
    for match in _INCLUDE.finditer(code):
        line, kind, name = source.line_at(code, match.start()), match[1], match[2]
        if kind == "<" or name == "precompiled.hpp" or name.endswith(".inc"):
            continue
        if "/" not in name and name not in {"app.hpp", "command_line.hpp", "journal_moving.hpp", "journal_opening.hpp", "journal_tools.hpp", "lifecycle.hpp", "listeners.hpp", "routers.hpp", "supervision.hpp"}:
            yield line, f'write "room/{name}", from the folder gateway/ (or tests/)'
        elif ".." in name or name.endswith(".cpp"):
            yield line, f'"{name}" is included; headers only, and no dots'
        elif in_tests and (inner.startswith("unit/support/") or not inner.startswith("unit/")):
            continue
        elif in_tests and name.startswith((*SHARED_BY_TESTS, f"unit/{room}/", BENCH_OF.get(room, f"unit/{room}/"))):
            continue
        elif inner.startswith(ASKS_SANDBOX) and name.startswith("sandbox/"):
            continue
        elif not may_include(room, room_of(name)):
            yield line, f"{room} must not include {room_of(name)}: the layer law"
        elif not in_tests and name in IMPLEMENTATIONS and room not in COMPOSERS:
            if room_of(name) != room:
                yield line, f'"{name}" is an implementation; outside its room only the composition root includes it'


BAD = [
    ("gateway/sale/machine.cpp", '#include "journal/journal.hpp"\n'),
    ("gateway/http/server/server.cpp", '#include "sale/sale.hpp"\n'),
    ("gateway/journal/journal.cpp", '#include "provider/provider.hpp"\n'),
    ("gateway/provider/provider.hpp", '#include "journal/journal.hpp"\n'),
    ("sandbox/books.cpp", '#include "sale/sale.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "base/system.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "http/client/https_client.hpp"\n'),
    ("gateway/flow/driver.cpp", '#  include "api/sell.hpp"\n'),
    ("gateway/http/client/pool.cpp", '#include "sale/sale.hpp"\n'),
    ("gateway/families/tv.cpp", '#include "http/client/client.hpp"\n'),
    ("gateway/net/stream.cpp", '#include "http/syntax.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "driver.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "flow/../api/sell.hpp"\n'),
    ("gateway/base/log.cpp", '#include "app.hpp"\n'),
    ("gateway/cellar/wine.cpp", ""),
    ("gateway/commands/show.cpp", '#include "journal/journal.hpp"\n'),
    ("tests/unit/http/server/server_test.cpp", '#include "sale/sale.hpp"\n'),
    ("tests/unit/provider/provider_test.cpp", '#include "sandbox/model.hpp"\n'),
    ("probe/points.cpp", '#include "sandbox/personality.hpp"\n'),
    ("probe/points.cpp", '#include "journal_opening.hpp"\n'),
    ("gateway/flow/driver.cpp", '#include "probe/wire.hpp"\n'),
]
GOOD = [
    ("gateway/flow/driver.cpp", '#include "journal/journal.hpp"\n#include "provider/provider.hpp"\n#include <map>\n'),
    ("gateway/flow/driver.cpp", '// #include "api/sell.hpp"\n'),
    ("gateway/base/system.cpp", '#include "base/system.hpp"\n'),
    ("gateway/app.cpp", '#include "base/system.hpp"\n#include "app.hpp"\n'),
    ("gateway/provider/connections.cpp", '#include "http/client/https_client.hpp"\n'),
    ("sandbox/main.cpp", '#include "base/system.hpp"\n#include "sandbox/service.hpp"\n'),
    ("tests/unit/http/server/server_test.cpp", '#include "http/server/server.hpp"\n#include "unit/support/memory_log.hpp"\n'),
    ("tests/unit/probe/probe_test.cpp", '#include "sandbox/model.hpp"\n'),
    ("tests/simulation/world.cpp", '#include "sandbox/model.hpp"\n#include "flow/driver.hpp"\n'),
]

def dead_rules(paths):
    """Permissions that nothing uses: a wall that has moved leaves them behind."""
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
