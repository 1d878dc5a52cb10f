"""Reads the commands of a page: its fenced blocks, and the examples of a manual page.

The first word after the fence says how a block is written: the lines of `sh` are commands, and of `console` those after
a prompt (`$ ` for anybody, `# ` for root); what stands below such a line is what it prints. A second word, `checked`,
says that the block cannot be run on one machine in a moment: it needs another machine, a compiler that need not be
here, or minutes. Of such a block every program and every option is looked up instead, and likewise of a command that
stands in a sentence."""
import re
import shlex

from programs import OURS, TAKES

KINDS = ("run", "checked")

_FENCE = re.compile(r"^( *)```(.*)$")
_INFO = re.compile(r"(sh|console)(?: (checked))?")
_SPAN = re.compile(r"`([^`]+)`")
_PROMPT = re.compile(r"^[$#] ")
_EXAMPLES = re.compile(r"^\.SH (?:EXAMPLES|EXEMPLOS)$")


class BadPage(Exception):
    """A block is written so that nobody can tell its commands."""


def _open(command):
    """Says whether the next line still belongs to this command."""
    if command.endswith("\\"):
        return True
    try:
        shlex.split(command, comments=True)
    except ValueError:  # a quotation goes on
        return True
    return False


def _typed(lines):
    """Keeps of a console block what is typed; every other line becomes empty."""
    kept, command = [], ""
    for line in lines:
        if command and _open(command):
            command += "\n" + line
        elif _PROMPT.match(line):
            command = line = line[2:]
        else:
            command = line = ""
        kept.append(line)
    return kept


def _spoken(line):
    """Returns the commands that stand in a line of text."""
    spans = [span for span in _SPAN.findall(line) if " " in span and span.split()[0] in (*OURS, *TAKES)]
    return "; ".join(spans)


def _fenced(lines):
    """Yields (number of its first line, info string, lines without the indentation) of each block. A line outside them
    is one of its own."""
    begin, info, block, indent = 0, "", [], ""
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if not begin and fence:
            begin, info, block, indent = number + 1, fence[2], [], fence[1]
        elif begin and fence:
            yield begin, info, block
            begin = 0
        elif begin:
            block.append(line.removeprefix(indent))
        elif spoken := _spoken(line):
            yield number, "sh checked", [spoken]
    if begin:
        raise BadPage(f"{begin - 1}: this block has no end")


def _examples(lines):
    """Yields the same of each example of a manual page."""
    inside, begin, block = False, 0, []
    for number, line in enumerate(lines, 1):
        if line.startswith(".SH"):
            inside = bool(_EXAMPLES.match(line))
        elif inside and line == ".nf":
            begin, block = number + 1, []
        elif begin and line == ".fi":
            yield begin, "sh", block
            begin = 0
        elif begin:
            block.append(re.sub(r"\\(.)", lambda escape: "\\" if escape[1] == "e" else escape[1], line))


def read(path):
    """Returns two lists of lines by kind, "run" and "checked", each as long as the page: a line that is no command of
    that kind is empty, so that line 7 of a list is line 7 of the page."""
    lines = path.read_text().split("\n")
    found = {kind: [""] * len(lines) for kind in KINDS}
    for begin, info, block in _fenced(lines) if path.suffix == ".md" else _examples(lines):
        if not info.startswith(("sh", "console", "bash")):
            continue
        if not (said := _INFO.fullmatch(info)):
            raise BadPage(f"{begin - 1}: \"{info}\" is none of sh, console, and these with `checked`")
        typed = _typed(block) if said[1] == "console" else block
        if not any(typed):
            raise BadPage(f"{begin - 1}: this block has no command")
        found[said[2] or "run"][begin - 1:begin - 1 + len(block)] = typed
    return found
