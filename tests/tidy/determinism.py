#!/usr/bin/python3
"""Time, chance and the environment come in through base/ only: a simulation that replays exactly from its seed allows
no other way in."""

import re

import source

# Each entry says what is banned, why, and which files (or folders, with a slash at the end) may do it all the same.
BANS = [
    (r"\bstd::rand\b|\bsrand\s*\(|(?<![\w.>:])rand\s*\(|\brandom_device\b|\bRAND_bytes\b|\bgetrandom\b",
     "ask a Random", {"gateway/base/system.cpp"}),
    (r"\b\w+_distribution\b|\bstd::(?:ranges::)?(?:shuffle|sample)\b",
     "differs between standard libraries; use Random's own", set()),
    (r"\bstd::(?:mt19937|minstd_rand|default_random_engine|ranlux)\w*",
     "ask a Random",
     {"tests/unit/support/seeded_random.hpp"}),
    (r"_clock::now\b|\bgettimeofday\b|\bclock_gettime\b|(?<![\w.>:])time\s*\(\s*(?:NULL|nullptr|0|&)|\bstd::time\b"
     r"|\bstd::clock\b|\btimespec_get\b",
     "ask a Clock", {"gateway/base/system.cpp", "tests/simulation/",
                     # Here, real time ends a test that hangs, and decides nothing else.
                     "tests/unit/http/server/rig.hpp", "tests/unit/sandbox/service_test.cpp"}),
    (r"\b(?:steady|system|high_resolution)_timer\b|\bdeadline_timer\b",
     "wait on a Clock's Timer", {"gateway/base/system.cpp",
                                 "tests/unit/http/"}),  # it ends a test that hangs, and decides nothing else
    (r"\bgetenv\b|\bsetenv\b|\benviron\b", "settings come from the configuration",
     {"gateway/base/systemd.cpp", "tests/unit/base/systemd_test.cpp",  # systemd speaks to a service in this way
      "gateway/commands/screen.cpp", "tests/unit/commands/screen_test.cpp",  # these are a person's terminal and name
      "gateway/base/wall_time.cpp",  # the C library takes the local zone from nowhere else
      "tests/unit/support/zone.hpp"}),
    (r"\bthis_thread::sleep|\busleep\b|\bnanosleep\b|(?<![\w.>:])(?<!int )sleep\s*\(",
     "wait on a Clock's Timer; a test that sleeps is slow or wrong",
     {"tests/simulation/search.cpp"}),  # it waits between two looks at the processes that simulate, and decides nothing
    (r"\blocaltime(?:_r)?\b|\bmktime\b|\bcurrent_zone\b", "the zone of this machine is base/wall_time's business",
     {"gateway/base/wall_time.cpp"}),
]


def stands_in(path, place):
    return path == place or (place.endswith("/") and path.startswith(place))


def check(path, text):
    code = source.code_of(text)
    for pattern, reason, allowed in BANS:
        if any(stands_in(path, place) for place in allowed):
            continue
        for match in re.finditer(pattern, code):
            yield source.line_at(code, match.start()), f"{match.group().strip()}: {reason}"


_PATH = "gateway/flow/driver.cpp"
BAD = [(_PATH, sample) for sample in (
    "std::rand();", "std::random_device device;", "std::uniform_int_distribution<int> d;", "std::mt19937_64 e;",
    "auto t = std::chrono::steady_clock::now();", "std::time(nullptr);", "time(nullptr);", "std::shuffle(a, b, c);",
    "boost::asio::steady_timer timer(e);", 'std::getenv("X");', "std::this_thread::sleep_for(1s);", "usleep(5);",
    "localtime_r(&a, &b);", "RAND_bytes(p, 1);",
)]
GOOD = [(_PATH, sample) for sample in (
    "using Instant = std::chrono::steady_clock::time_point;", "co_await clock.sleep_for(1s);", "clock.now();",
    "// std::rand() is banned\n", 'f("getenv");', "wall_time(x);", "sale.time(x);",
)] + [("gateway/base/system.cpp", "std::chrono::steady_clock::now();")]

def dead_exceptions(paths):
    """Returns places that have a permission which no file there uses any more."""
    code = {path: source.code_of(source.text_of(path)) for path in paths}
    for pattern, reason, allowed in BANS:
        for place in sorted(allowed):
            if not any(stands_in(path, place) and re.search(pattern, text) for path, text in code.items()):
                yield f"{place} needs no exception ({reason}): take it out of tests/tidy/determinism.py"


if __name__ == "__main__":
    dead = list(dead_exceptions(source.files(*source.PROGRAMS, "tests/unit", "tests/simulation")))
    if dead:
        raise SystemExit("\n".join(dead))
    source.gate(check, source.files(*source.PROGRAMS, "tests/unit", "tests/simulation"), BAD, GOOD)
