"""Writes all mutants of a file into one copy of it, where each one waits for its number to be chosen."""

import re

_MARK = re.compile(r"/\*@(\d+)\*/")


class Schemata:
    def __init__(self, path, source, edits):
        self.path, self.source = path, source
        self.edits = sorted(edits, key=lambda edit: (edit.begin, -edit.end))
        self.refused = set()  # numbers of mutants that the compiler does not take
        self.kept = set()  # names of variables that stay constants of the language, whose mutants are built alone

    @property
    def mutants(self):
        return [one for edit in self.edits for one in edit.mutants]

    @property
    def lonely(self):
        """The numbers of the mutants that have to be built alone."""
        return {one.number for edit in self.edits if edit.variable in self.kept for one in edit.mutants}

    def text(self):
        return '#include "mutant.hpp"\n' + self._render(0, len(self.source), self.edits)

    def _render(self, begin, end, edits):
        out, at, index = [], begin, 0
        while index < len(edits):
            first = edits[index]
            # What stands inside of the first edit comes after it in the list.
            until = index + 1
            while until < len(edits) and edits[until].begin < first.end:
                until += 1
            out.append(self.source[at:first.begin].decode())
            inner = self._render(first.begin, first.end, edits[index + 1:until])
            out.append(self._written(first, inner))
            at, index = first.end, until
        out.append(self.source[at:end].decode())
        return "".join(out)

    def _written(self, edit, inner):
        if edit.kind == "replace":
            return edit.texts[0]
        if edit.kind == "constant":
            return inner if edit.texts[1] in self.kept else edit.texts[0]
        mutants = [one for one in edit.mutants if one.number not in self.refused]
        if not mutants or edit.variable in self.kept:
            return inner
        chosen = "mutation::mutant_unless_constant" if edit.in_constants else "mutation::mutant"

        def on(mutant):
            return f"\n/*@{mutant.number}*/ {chosen}({mutant.number})"

        if edit.kind == "choice":
            return "(" + "".join(f"{on(one)} ? ({_one_line(one.text)}) : " for one in mutants) + f"({inner}))"
        if edit.kind == "negate":
            return f"({on(mutants[0])} != static_cast<bool>({inner}))"
        if edit.kind == "force":
            true, false = ([one for one in mutants if one.text == word] for word in ("true", "false"))
            text = "".join(f"{on(one)} || " for one in true) + "".join(f"!{on(one)} && " for one in false)
            return f"({text}static_cast<bool>({inner}))"
        if edit.kind == "force_variable":
            return f"{inner}; !{on(mutants[0])} && static_cast<bool>({edit.texts[0]})"
        if edit.kind == "drop":
            return f"{{ if (!{on(mutants[0])}) {inner} }}"
        swaps = ", ".join(f"\n/*@{one.number}*/ {{{one.number}, {text}}}" for one, text in zip(edit.mutants, edit.texts)
                          if one in mutants)
        return f"mutation::switched({inner}, {{{swaps}}})"

    def alone(self, mutant):
        """Returns the file with this mutant in the place of what it was made of."""
        text = mutant.text
        return self.source[:mutant.begin] + text.encode() + self.source[mutant.end:]

    @staticmethod
    def mutants_at(lines, line):
        """Returns the numbers of the mutants that the compiler may mean by a line of a text."""
        for at in range(line - 1, max(-1, line - 12), -1):
            if numbers := [int(number) for number in _MARK.findall(lines[at])]:
                return numbers
        return []


def _one_line(text):
    return re.sub(r"\s*\n\s*", " ", re.sub(r"//[^\n]*", "", text))
