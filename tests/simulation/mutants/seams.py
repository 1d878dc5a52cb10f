#!/usr/bin/python3
"""Finds the functions that seams.txt names in the gateway's libraries, and writes what leads calls of them to the
mutants: the options for the linker, and a header with the symbols. Ends with 1 where a function is not defined exactly
once for others: it was renamed, removed, overloaded or made inline.

    seams.py NAMES OPTIONS HEADER NM FILT LIBRARY..."""

import pathlib
import re
import subprocess
import sys


def symbols_of(nm, filt, libraries):
    """Returns every function that the libraries define for others, by its readable name without the parameters."""
    listing = subprocess.run([nm, "--defined-only", "--extern-only", "--portability", *libraries],
                             check=True, capture_output=True, text=True).stdout
    symbols = sorted({fields[0] for fields in map(str.split, listing.splitlines())
                      if len(fields) > 2 and fields[1] == "T" and "." not in fields[0]})
    plain = subprocess.run([filt], input="\n".join(symbols), check=True, capture_output=True, text=True).stdout
    found = {}
    for symbol, name in zip(symbols, plain.splitlines()):
        found.setdefault(re.sub(r"(\[abi:\w+\])?\(.*", "", name), []).append(symbol)
    return found


def write(path, text):
    """Writes the file only where its text has changed, so that what is made from it is not made again for nothing."""
    file = pathlib.Path(path)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def main(names, options, header, nm, filt, *libraries):
    found = symbols_of(nm, filt, libraries)
    wanted = pathlib.Path(names).read_text().split()
    wrong = [name for name in wanted if len(found.get(name, [])) != 1]
    for name in wrong:
        print(f"seams.py: the gateway defines {name} {len(found.get(name, []))} times, not once; see {names}",
              file=sys.stderr)
    if wrong:
        return 1
    write(options, "".join(f"--wrap={found[name][0]}\n" for name in wanted))
    defines = [f'#define SYMBOL_{name.rsplit("::", 1)[1]} "{found[name][0]}"\n' for name in wanted]
    write(header, "// Made by seams.py.\n#pragma once\n\n" + "".join(defines))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
