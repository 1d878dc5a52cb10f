#!/usr/bin/python3
"""Follows the links of every document: each leads to a file or a heading that is there, and README.md leads to every
page. A page that has become too long for one reader and one task is found, and so is a link that leads nowhere once the
package has been installed. A page in Portuguese has the commands and the headings of its page in English, with comments
in its own language, and each of the two leads to the other. Likewise a manual page in Portuguese has the sections,
entries, options, commands and words of the program that its page in English has."""

import posixpath
import re
import sys

import source

# Documents are in these folders, and at the top.
FOLDERS = ("deploy", "docs", "examples", "tests", *source.PROGRAMS)
START = "README.md"
LINES = {START: 130, "LEIAME.md": 130, "docs/": 150, "examples/README.md": 150}
# README.md leads to these; what lies deeper in the tests is found from their own README.md.
PAGES = re.compile(r"[^/]*\.md|docs/.*\.md|(?:examples|tests)/README\.md")
# The package brings these, each in its place beside the others, and nothing else that a page may link to.
PACKAGED = re.compile(r"(?:README|LEIAME|CHANGELOG|SECURITY)\.md|docs/(?!design\.md).*|examples/.*")

TRANSLATIONS = "docs/pt-BR/"
MANUALS = "deploy/package/"
TRANSLATED_MANUALS = MANUALS + "pt_BR/"

_FENCE = re.compile(r"^ *```")
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*)\)")
_HEADING = re.compile(r"^(#+) +(.*?)\s*$")
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"(?:^| +)# .*$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z]+:", re.IGNORECASE)

_REQUEST = re.compile(r"\.(\w+) *(.*)")
_ENTRIES = {"TH", "SH", "SS", "TP", "PP", "IP", "RS", "RE", "PD", "br", "nf", "fi"}
_FONTS = {"B", "I", "BI", "BR", "IB", "IR", "RB", "RI"}
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
_FONT = re.compile(r"\\f(.)")
# What a program takes or says is bold: a single word, or several that no prose has. So is a path or a key in italics.
_WORD_OF_PROGRAM = {"B": re.compile(r"\S+|.*[-/=_].*"), "I": re.compile(r".*[/_.\[].*")}


def prose(text):
    """Returns the text without blocks of code; every line stays where it was."""
    lines, inside = [], False
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        lines.append("" if inside or fence else line)
        inside ^= bool(fence)
    return "\n".join(lines)


def anchors(text):
    """Returns what a link may name in this document: its headings, spelled as web pages of repositories spell them."""
    found = []
    for line in prose(text).split("\n"):
        if heading := _HEADING.match(line):
            words = re.sub(r"[^\w\- ]", "", heading[2].lower()).replace(" ", "-")
            seen = sum(re.fullmatch(re.escape(words) + r"(-\d+)?", one) is not None for one in found)
            found.append(f"{words}-{seen}" if seen else words)
    return set(found)


def links(text):
    """Yields (line, target) of each link, pictures included. A link may go over the end of a line."""
    text = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), prose(text))
    for match in _LINK.finditer(text):
        if not _ELSEWHERE.match(match[1]):
            yield source.line_at(text, match.start()), match[1]


def headings(text):
    """Returns how deep each heading is, in the order of the document."""
    found = map(_HEADING.match, prose(text).split("\n"))
    return [len(heading[1]) for heading in found if heading]


def original_of(path):
    """Returns the page in English that this one translates, if it is a translation."""
    if path == "LEIAME.md":
        return START
    return f"docs/{path.removeprefix(TRANSLATIONS)}" if path.startswith(TRANSLATIONS) else None


def commands(text):
    """Returns the blocks of commands of a page, without the comments."""
    return [_COMMENT.sub("", block) for block in _COMMANDS.findall(text)]


def differences(path, documents, leads_to):
    """Yields what keeps a page in Portuguese from saying the same as its page in English."""
    original = original_of(path)
    if original not in documents:
        yield f"there is no {original} that this page translates"
        return
    text, english = documents[path], documents[original]
    if commands(text) != commands(english):
        yield f"its ```sh blocks are not those of {original}"
    if headings(text) != headings(english):
        yield f"its headings are not as many and as deep as those of {original}"
    if original not in leads_to[path] or path not in leads_to[original]:
        yield f"it and {original} do not lead to each other"


def words_of_program(font_of_macro, arguments):
    """Yields what this line of a manual page sets apart as the program's own words."""
    found = [quoted or bare for quoted, bare in _ARGUMENT.findall(arguments)]
    if len(font_of_macro) == 1:
        found = [" ".join(found)]
    for place, argument in enumerate(found):
        font = before = font_of_macro[place % len(font_of_macro)]
        for part in _FONT.split("\\f" + font + argument)[1:]:
            if len(part) == 1 and part in "BIRP":
                font, before = (before if part == "P" else part), font
                continue
            word = part.replace("\\-", "-").strip(" ,.|")
            if word and font in _WORD_OF_PROGRAM and _WORD_OF_PROGRAM[font].fullmatch(word):
                yield word


def entries(text):
    """Returns (line, macro, words of the program) of each section, entry and paragraph of a manual page. In an example,
    every line is such a word, but what stands in quotes there may be in another language."""
    found = []
    for line, said in enumerate(text.split("\n"), 1):
        macro, arguments = match.groups() if (match := _REQUEST.fullmatch(said)) else ("", said)
        if macro in _ENTRIES:
            found.append((line, macro, set()))
        elif macro in _FONTS:
            found[-1][2].update(words_of_program(macro, arguments))
        elif found and found[-1][1] == "nf":
            found[-1][2].add(re.sub(r' "[^"]*"', ' ""', said))
    return found


def manual_differences(text, english):
    """Yields (line, message) where a manual page in Portuguese has not what its page in English has."""
    ours, theirs = entries(text), entries(english)
    for (line, macro, words), (its_line, its_macro, its_words) in zip(ours, theirs):
        if macro != its_macro:
            yield line, f".{macro} stands here, and .{its_macro} in line {its_line} of the page in English"
            return
        if words != its_words:
            yield line, (f"{sorted(words - its_words)} stands here, and {sorted(its_words - words)} in line {its_line} "
                         "of the page in English")
    if len(ours) != len(theirs):
        yield ours[-1][0] if ours else 1, f"{len(ours)} entries are here, and {len(theirs)} in the page in English"


def manual_departures(manuals):
    """Yields (path, line, what is wrong) of the manual pages, given by their paths."""
    for name in sorted({posixpath.basename(path) for path in manuals}):
        path, original = TRANSLATED_MANUALS + name, MANUALS + name
        if path in manuals and original in manuals:
            for line, message in manual_differences(manuals[path], manuals[original]):
                yield path, line, message
        else:
            yield min(path, original, key=lambda one: one not in manuals), 1, "this page is in one language only"


def departures(documents, is_there):
    """Yields (path, line, what is wrong). `documents` has every text by its path; `is_there` says it of any file."""
    leads_to = {path: set() for path in documents}
    for path, text in documents.items():
        for line, link in links(text):
            target, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
            if not is_there(target):
                yield path, line, f"there is no {target}"
                continue
            leads_to[path].add(target)
            if anchor and anchor not in anchors(documents.get(target, "")):
                yield path, line, f"{target} has no heading #{anchor}"
            if path.startswith("docs/") and PACKAGED.fullmatch(path) and not PACKAGED.fullmatch(target):
                yield path, line, f"the package does not bring {target}"
        for name, most in LINES.items():
            count = text.count("\n")
            if (path == name or name.endswith("/") and path.startswith(name)) and count > most:
                yield path, 1, f"{count} lines, more than {most}: give the page one reader and one task"
    for path in filter(original_of, documents):
        for difference in differences(path, documents, leads_to):
            yield path, 1, difference
    reached, todo = set(), {START}
    while todo:
        path = todo.pop()
        reached.add(path)
        todo |= leads_to.get(path, set()) - reached
    for path in documents:
        if PAGES.fullmatch(path) and path not in reached:
            yield path, 1, f"no link leads here from {START}"


def try_itself():
    """A gate that finds nothing in bad documents is worse than none."""

    def found(**changed):
        documents = {"README.md": "[a](docs/a.md)\n", "docs/a.md": "# A `b`'s c\n[up](../README.md) [here](#a-bs-c)\n"}
        documents |= {name.replace("__", "/") + ".md": text for name, text in changed.items()}
        there = {*documents, "docs/x.png", "docs/design.md", "docs"}
        return list(departures(documents, there.__contains__))

    def translated(english, portuguese):
        return found(docs__a=f"{english}[pt](pt-BR/a.md)\n", **{"docs__pt-BR__a": f"{portuguese}[en](../a.md)\n"})

    assert not found(), found()
    for bad in ({"README": "[a](docs/b.md) [a](docs/a.md)"}, {"docs__a": "[a](b.md)"}, {"docs__a": "![a](y.png)"},
                {"docs__a": "[a](../README.md#b)"}, {"docs__a": "# A\n[a](#b)"}, {"docs__a": "[a\nb](#c)"},
                {"docs__a": "x\n" * 151}, {"README": "[a](docs/a.md)\n" * 131}, {"docs__b": "# Alone\n"},
                {"docs__pt__b": "# Alone\n"}, {"README": "[a](docs)\n"}, {"CHANGELOG": "# Alone\n"},
                {"docs__a": "[d](design.md)"}, {"docs__a": "```\n# B\n```\n[b](#b)"}, {"docs__a": "# B\n# B\n[b](#b-2)"}):
        assert found(**bad), bad
    for good in ({"docs__a": "![a](x.png) `[a](b.md)` [w](https://example.org/b.md)"}, {"docs__a": "```\n[a](b.md)\n```\n"},
                 {"docs__a": "x\n" * 150}, {"docs__a": "# B\n# B\n[b](#b-1)"}, {"tests__law__README": "# Deep\n"},
                 {"docs__a": "[`a` [b] c](#d)\n# D"}, {"docs__a": "[b](b.md)", "docs__b": "x\n"}):
        assert not found(**good), (good, found(**good))
    page = "# A\n## B\n```sh\nls\n```\n"
    assert not translated(page, page.replace("B", "C")), translated(page, page)
    assert not translated(page.replace("ls", "ls  # all"), page.replace("ls", "ls # tudo"))
    for bad in (page.replace("ls", "ls "), page.replace("## B", "B"), page.replace("## B", "### B"),
                page.replace("```sh", "```text"), page + "```sh\nls\n```\n"):
        assert translated(page, bad), bad
    for bad in ({"docs__pt-BR__b": "[en](../a.md)\n", "docs__a": "[pt](pt-BR/b.md)\n"},
                {"docs__pt-BR__a": "x\n", "docs__a": "[pt](pt-BR/a.md)\n"},
                {"docs__pt-BR__a": "[en](../a.md)\n", "README": "[a](docs/a.md) [pt](docs/pt-BR/a.md)\n"}):
        assert found(**bad), bad
    try_manuals()


def try_manuals():
    """Tries the rule for manual pages on one that is translated well, and on others that are not."""

    def found(portuguese, path=TRANSLATED_MANUALS + "a.8"):
        return list(manual_departures({MANUALS + "a.8": english, path: portuguese}))

    english = """.SH NAME
.B a
.SH OPTIONS
.TP
.BI \\-\\-config " FILE\\fR, \\fP" \\-\\-json
Read
.I /etc/a
with
.BR \\-\\-x ", " y " and " z .
.B It is good.
.TP
.B GET /b
.nf
a \\-\\-note "well" # 1
.fi
"""
    good = english
    for word, translated in (("NAME", "NOME"), ("FILE", "ARQUIVO"), ("Read", "Leia"), ("and", "e"), ('"well"', '"bem"'),
                             ("It is good.", "Tudo bem."), (".SH OPTIONS", ".nh\n.SH OPÇÕES")):
        good = good.replace(word, translated)
    assert not found(good), found(good)
    for word in ("config", "json", "/etc/a", "\\-x", " y ", " z ", "GET /b", "note", "# 1", ".B a\n", ".TP", ".nf"):
        assert word in good and found(good.replace(word, "w", 1)), word
    for bad in (good + ".PP\n", good.replace(".SH", ".SS", 1), good.replace(".TP\n.B GET /b\n", ""),
                good.replace("Leia", ".B \\-\\-more")):
        assert found(bad), bad
    for path in (MANUALS + "b.8", TRANSLATED_MANUALS + "b.8"):
        assert len(found(good, path)) == 2, "neither a.8 nor b.8 is in both languages"


def main():
    try_itself()
    paths = sorted(path.name for path in source.ROOT.glob("*.md")) + source.files(*FOLDERS, suffixes=(".md",))
    wrong = list(departures({path: source.text_of(path) for path in paths}, lambda path: (source.ROOT / path).exists()))
    manuals = source.files(MANUALS, suffixes=(".1", ".8"))
    wrong += manual_departures({path: source.text_of(path) for path in manuals})
    for path, line, message in wrong:
        print(f"{path}:{line}: {message}")
    if wrong:
        sys.exit(1)
    print(f"{len(paths)} documents and {len(manuals)} manual pages, nothing found")


if __name__ == "__main__":
    main()
