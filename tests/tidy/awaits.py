#!/usr/bin/python3
"""Finds the compiler trap of g++ 12.2: an aggregate or a capturing lambda that is made inside a co_await expression is
destroyed twice, and so is the result of a co_await in a branch or the condition of ?:. Name it on the line before, then
await it; choose with if."""

import re

import source

_OPEN, _CLOSE = "([{", ")]}"


def operand(code, start):
    """Returns what is awaited: up to the end of the statement, of the argument or of the brackets around it."""
    depth = 0
    for end in range(start, len(code)):
        c = code[end]
        if c in _OPEN:
            depth += 1
        elif c in _CLOSE:
            depth -= 1
            if depth < 0:
                return code[start:end]
        elif depth == 0 and c in ";,":
            return code[start:end]
    return code[start:]


def matching(code, start):
    """Returns the offset behind the bracket that closes the one at `start`."""
    depth = 0
    for end in range(start, len(code)):
        depth += (code[end] in _OPEN) - (code[end] in _CLOSE)
        if depth == 0:
            return end + 1
    return len(code)


def check(path, text):
    code = source.code_of(text)
    for match in re.finditer(r"\bco_await\b", code):
        awaited = operand(code, match.end())
        line = source.line_at(code, match.start())
        statement = code[max(code.rfind(end, 0, match.start()) for end in ";{}") + 1:match.start()]
        if "?" in statement or (awaited.lstrip().startswith("(") and "?" in awaited):
            yield line, "a co_await in a branch of ?:, or of such a choice; use if"
        at = 0
        while at < len(awaited):
            before = awaited[:at].rstrip()
            if awaited[at] == "[" and not re.search(r"[\w)\]]$", before):
                # This is a lambda: its captures are the trap, and its body is not part of this expression.
                capture = awaited[at + 1:matching(awaited, at) - 1]
                if capture.strip():
                    yield line, "a capturing lambda inside a co_await expression; name it on the line before"
                    break
                body = awaited.find("{", at)
                at = matching(awaited, body) if body >= 0 else len(awaited)
            elif awaited[at] == "{":
                yield line, "braces inside a co_await expression; name what they make on the line before"
                break
            else:
                at += 1


_PATH = "gateway/flow/driver.cpp"
BAD = [(_PATH, sample) for sample in (
    "co_await f(Foo{1});",
    "auto x = a ? co_await f() : co_await g();",
    "auto x = co_await (a ? f() : g());",
    "co_await f({1, 2});",
    "const auto x = co_await g(a, b(Foo{.a = 1}), c);",
    "auto x = co_await f(\n    a,\n    Foo{\n        .a = 1,\n    });",
    "co_await f([this] { return 1; });",
    "co_await f(\n    [&](int a) -> int { return a; });",
    "if (co_await f(a, [x = 1]() { return x; })) {\n}",
    "co_return co_await f(std::vector<int>{1});",
    "co_await (Foo{1}, f());",
    "co_await f([] { return 1; }, Foo{});",
)]
GOOD = [(_PATH, sample) for sample in (
    "const Foo foo{1};\nco_await f(foo);",
    "if (co_await f(a)) {\n    g({1});\n}",
    "co_await f(a[1], b()[2]);",
    "for (auto& x : y) { co_await f(x); }",
    "co_await f([] { return 1; });",
    'co_await f("{}", "[x]{");',
    "g(co_await f(a), Foo{1});",
    "// co_await f({1});\n",
    "co_await f(1'000, 'a', '{');",
)]

if __name__ == "__main__":
    source.gate(check, source.files(*source.PROGRAMS, "tests"), BAD, GOOD)
