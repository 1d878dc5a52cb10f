#!/usr/bin/python3
"""Checks every call that logs: its sentence names only fields that the call gives, and tells all of them except those
for programs alone. Events and fields are those that docs/log.md and docs/log-fields.md list, each with its level and
its type, so that the lists stay complete. logcheck knows the lines that an operator does not want to be told every
night."""

import json
import re
import subprocess
import sys

import source

EVENTS, FIELDS = "docs/log.md", "docs/log-fields.md"
LOGCHECK = "deploy/package/logcheck"
PORTUGUESE = "gateway/words/sentences.pt-BR.json"
ID_LIST = "gateway/base/log_text.cpp"
LEVELS = ("debug", "info", "warn", "error")
TYPES = ("id", "text", "word", "number", "milliseconds", "cents", "time", "yes or no")

# Programs read these fields; a sentence tells them in other words, if at all.
FOR_PROGRAMS = {"family", "step", "known", "state", "status", "outcome", "reason", "attempts", "how", "service",
                "listener", "sent", "reused", "processed"}
# A sentence does not tell these, and this says why.
UNTOLD = {
    ("sale.attention", "mark"): "each mark has a sentence of its own",
    ("sale.attention", "detail"): "it is a page, and sales-gateway attention shows it",
    ("sale.attention_more", "detail"): "the sentence says the same",
}

_CALL = re.compile(r"\blog_?(?:\.|->)(debug|info|warn|error|write)\s*\(")
_STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"(?:\s*"((?:\\.|[^"\\\n])*)")*')
_NAMED = re.compile(r"\{(\w+)\}")
_SENTENCE_FUNCTION = re.compile(r"^Sentence (?:\w+::)?(\w+)\(", re.MULTILINE)
_LEVEL = re.compile(r"\bLogLevel::(debug|info|warn|error)\b")


def parts(code, begin, end):
    """Yields (begin, end) of what commas separate between the offsets, in code without strings."""
    depth, start, found = 0, begin, []
    for at in range(begin, end):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if code[at] == "," and depth == 0:
            found.append((start, at))
            start = at + 1
    if code[start:end].strip():
        found.append((start, end))
    return found


def literals(text):
    """Returns the string literals in the text, and joins neighbours as the compiler does."""
    for match in _STRING.finditer(text):
        pieces = re.findall(r'"((?:\\.|[^"\\\n])*)"', match.group())
        yield re.sub(r"\\(.)", lambda escaped: {"n": "\n", "t": "\t"}.get(escaped[1], escaped[1]), "".join(pieces))


class Function:
    """This is a function that returns a sentence: its own literals, and the functions that it calls."""

    def __init__(self, text):
        self.words = [one for one in literals(text)]
        self.calls = set(re.findall(r"\b(\w+_sentence|subject)\s*\(", text))


def sentence_functions(paths):
    found = {}
    for path in paths:
        text = source.code_of(source.text_of(path), keep_strings=True)
        for match in _SENTENCE_FUNCTION.finditer(text):
            after = source.closing(text, match.end() - 1) + 1
            if re.match(r"\s*(?:const\s*)?\{", text[after:]):  # this is a definition
                found[match.group(1)] = Function(text[after:text.find("\n}", after)])
    return found


def reachable(text, functions):
    """Returns every literal that the expression may be made of."""
    found, seen, todo = list(literals(text)), set(), set(re.findall(r"\b(\w+)\s*\(", text))
    while todo:
        name = todo.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        found += functions[name].words
        todo |= functions[name].calls
    return found


class Call:
    def __init__(self, text, code, match, functions):
        """`text` has its strings and `code` has none; both have the same length."""
        opening = match.end() - 1
        arguments = parts(code, match.end(), source.closing(code, opening))
        self.line = source.line_at(code, match.start())
        self.levels = {match.group(1)}
        level = ""
        if match.group(1) == "write":
            begin, end = arguments.pop(0)
            level = text[begin:end]
            self.levels = self._levels(code, begin, end)
        pieces = [text[begin:end] for begin, end in arguments]
        self.events = {event: self.levels for event in literals(pieces[0])} if pieces else {}
        # The same question chooses the level and the event.
        if pieces and len(self.events) == 2 and level.partition("?")[0].strip() == pieces[0].partition("?")[0].strip():
            self.events = {event: {one} for event, one in zip(self.events, _LEVEL.findall(level))}
        sentence = pieces[1].strip() if len(pieces) > 1 else ""
        self.templates = reachable(sentence, functions) if not sentence.startswith("{") else []
        self.simple = len(self.templates) == 1 and sentence.startswith('"')
        self.fields = []
        if len(arguments) > 2:
            begin, end = arguments[2]
            begin = code.index("{", begin) + 1
            for inner, stop in parts(code, begin, source.closing(code, begin - 1)):
                self.fields += list(literals(text[inner:stop]))[:1]

    @staticmethod
    def _levels(code, begin, end):
        """Returns those that the expression names, or the function around it, or the file."""
        function = code.rfind("\n}", 0, begin)
        for place in (code[begin:end], code[max(function, 0):end], code):
            if found := set(_LEVEL.findall(place)):
                return found
        return set()

    def named(self):
        return {name for template in self.templates for name in _NAMED.findall(template)}


def calls_of(source_text, functions):
    text, code = source.code_of(source_text, keep_strings=True), source.code_of(source_text)
    assert len(text) == len(code)
    return [Call(text, code, match, functions) for match in _CALL.finditer(code)]


def ids():
    """Returns them as the program has them."""
    return set(literals(re.search(r"> ids\{(.*?)\}", source.text_of(ID_LIST)).group(1)))


def rows(document, heading):
    """Returns the cells of the table below the heading."""
    chapter = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL)
    lines = [line for line in (chapter.group(1) if chapter else "").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


class Listed:
    """Holds what the two pages say."""

    def __init__(self, events, fields):
        self.events, self.fields, self.wrong = {}, {}, []
        for name, levels, *_ in rows(events, "Events"):
            self.events[name.strip("`")] = set(levels.split(", "))
        for name, kind, *_ in rows(fields, "Fields"):
            self.fields[name.strip("`")] = kind
        for name, levels in self.events.items():
            if not levels <= set(LEVELS):
                self.wrong.append(f"{name} has a level that there is none: {levels}")
        for name, kind in self.fields.items():
            if kind not in TYPES:
                self.wrong.append(f"{name} has a type that there is none: {kind}")
            if (kind == "milliseconds") != name.endswith("Ms") or (kind == "time") != name.endswith("At"):
                self.wrong.append(f"{name} is not named as what it is, {kind}: …Ms is a length of time, …At a time")


def departures(path, calls, listed, own_ids, untold):
    """Yields (line, what is wrong) for the calls of a file."""
    for call in calls:
        if not call.events:
            yield call.line, "an event has a name, written where it is logged"
        if not call.templates:
            yield call.line, "a line has a sentence for people, beside the event's name"
        for event, levels in call.events.items():
            if event not in listed.events:
                yield call.line, f"{event} is not in {EVENTS}"
            elif not levels <= listed.events[event]:
                yield call.line, f"{event} is logged as {sorted(levels)}; {EVENTS} says otherwise"
        for name in call.fields:
            if name not in listed.fields:
                yield call.line, f"the field {name} is not in {FIELDS}"
            told = name in call.named() or name in own_ids or name in FOR_PROGRAMS
            if not told and not all((event, name) in untold for event in call.events):
                yield call.line, f"no sentence tells {name}; let one, or put it into tests/tidy/log_calls.py"
        if doubled := {name for name in call.fields if call.fields.count(name) > 1}:
            yield call.line, f"{sorted(doubled)} given twice"
        for name in sorted(call.named() - set(call.fields)):
            yield call.line, f"a sentence names {name}, and the call does not give it"
        for template in call.templates:
            if re.match(r"[A-Z]", template) or template.endswith("."):
                yield call.line, f"a sentence begins with a small letter and has no full stop: {template}"


def samples(template):
    """Returns the sentence with every field, and without those that may be left out."""
    known = {"listener": "admin", "method": "GET", "valor": "R$ 1,00"}

    def filled(text):
        return _NAMED.sub(lambda match: known.get(match.group(1), "x1"), text)

    return {filled(re.sub(r"\[(.*?)\]", r"\1", template)), filled(re.sub(r"\[.*?\]", "", template))}


def ignored(sentences, rules):
    """Returns the lines that logcheck's rules know, as it would read them in the system's log or in journald's."""
    lines = "".join(f"Nov 21 06:00:00 store sales-gateway[4711]: {one}  sale=01J\n" for one in sentences)
    done = subprocess.run(["grep", "-E", "-n", "-f", str(source.ROOT / rules)], input=lines, text=True,
                          capture_output=True, check=False)
    numbers = {int(line.split(":", 1)[0]) for line in done.stdout.splitlines()}
    return {sentence for number, sentence in enumerate(sentences, 1) if number in numbers}


def logcheck_departures(calls, portuguese):
    """Finds lines that logcheck would report every night although they are ordinary, or keep silent about although they
    are not, in English and in Portuguese. The end-to-end tests look at sentences that are put together, and at those
    with several levels."""
    def both(template):
        return samples(template) | samples(portuguese.get(template, template))

    ordinary = {one for call in calls if call.simple and call.levels <= {"debug", "info"}
                for template in call.templates for one in both(template)}
    troubles = {one for call in calls if call.levels <= {"warn", "error"}
                for template in call.templates for one in both(template)}
    for one in sorted(ordinary - ignored(sorted(ordinary), LOGCHECK)):
        yield f"it would report: {one}"
    for one in sorted(ignored(sorted(troubles), LOGCHECK)):
        yield f"it would not report: {one}"


def try_itself():
    """A gate that finds nothing in bad code is worse than none."""
    listed = Listed("## Events\n\n| a | b |\n| --- | --- |\n| `e.e` | info, warn | x |\n| `e.f` | debug | x |\n",
                    "## Fields\n\n| a | b |\n| --- | --- |\n| `sale` | id | x |\n| `detail` | text | x |\n"
                    "| `aMs` | milliseconds | x |\n| `state` | word | x |\n")
    assert not listed.wrong
    functions = {"of_sentence": Function('return "it is {detail}";')}

    def found(code):
        return list(departures("a.cpp", calls_of("void f() {\n    " + code + "\n}\n", functions), listed, {"sale"}, {}))

    for bad in ('log_.info("e.e", {{"sale", x}});', 'log_.info("e.x", "it is");', 'log_.error("e.e", "it is");',
                'log_.info("e.e", "it is {detail}");', 'log_.info("e.e", "it is", {{"detail", x}});',
                'log_.info("e.e", "it is {other}", {{"other", x}});', 'log_.info("e.e", "It is");',
                'log_.info("e.e", "it is.");', 'core.log.info("e.e", of_sentence(x), {{"sale", x}});',
                'log_.write(a ? LogLevel::info : LogLevel::error, "e.e", "it is");',
                'log->info("e.e", a ? Sentence("it is") : Sentence("it is {detail}"), {{"sale", x}});',
                'log_.info("e.e", "it is", {{"sale", x}, {"sale", y}});', 'log_.info("e.e");'):
        assert found(bad), bad
    for good in ('log_.info("e.e", "it is {detail}[ and {aMs}]", {{"sale", x}, {"detail", f(x, "y")}, {"aMs", z}});',
                 'const auto level = a ? LogLevel::info : LogLevel::warn;\n    log_.write(level, "e.e", "it is");',
                 'log_.write(level, b ? "e.e" : "e.e", of_sentence(x), {{"detail", x}});  // LogLevel::info\n'
                 '    LogLevel::info;', 'log_->debug("e.f", "it " "is", {{"state", x}});'):
        assert not found(good), (good, found(good))
    assert Listed("", "## Fields\n\n| a | b |\n| --- | --- |\n| `a` | milliseconds | x |\n").wrong
    assert Listed("## Events\n\n| a | b |\n| --- | --- |\n| `a` | loud | x |\n", "").wrong
    assert samples("a[ {b}]") == {"a x1", "a"}


def main():
    try_itself()
    paths = source.files(*source.PROGRAMS)
    functions = sentence_functions(paths)
    listed, own_ids = Listed(source.text_of(EVENTS), source.text_of(FIELDS)), ids()
    by_path = {path: calls_of(source.text_of(path), functions) for path in paths}
    calls = [call for some in by_path.values() for call in some]
    wrong = [f"{path}:{line}: {message}" for path, some in by_path.items()
             for line, message in departures(path, some, listed, own_ids, UNTOLD)]
    wrong += [f"{EVENTS}, {FIELDS}: {message}" for message in listed.wrong]
    logged = {event: set() for call in calls for event in call.events}
    for call in calls:
        for event, levels in call.events.items():
            logged[event] |= levels
    for event, levels in listed.events.items():
        if levels != logged.get(event, set()):
            wrong.append(f"{EVENTS}: {event} is logged as {sorted(logged.get(event, set()))}")
    given = {name for call in calls for name in call.fields}
    wrong += [f"{FIELDS}: nothing logs the field {name}" for name in listed.fields if name not in given]
    needless = FOR_PROGRAMS - given | {name for event, name in UNTOLD if event not in logged}
    wrong += [f"tests/tidy/log_calls.py: nothing needs {name} any more" for name in sorted(needless)]
    portuguese = json.loads(source.text_of(PORTUGUESE))["log"]
    gateways = [call for path, some in by_path.items() if path.startswith(("gateway/", "probe/")) for call in some]
    wrong += [f"{LOGCHECK}: {message}" for message in logcheck_departures(gateways, portuguese)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(calls)} calls, {len(logged)} events, {len(given)} fields, nothing found")


if __name__ == "__main__":
    main()
