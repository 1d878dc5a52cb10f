#!/usr/bin/python3
"""Runs clang-format on every C++ file; with --fix it formats them. Versions other than 14 format otherwise."""

import concurrent.futures
import os
import subprocess
import sys

import source

TOOL = "clang-format-14"


def badly_formatted(paths):
    """Returns what clang-format says about the files; nothing if all is well."""
    done = subprocess.run([TOOL, "--dry-run", "--Werror", "--style=file", "--ferror-limit=1", *paths],
                          capture_output=True, text=True, cwd=source.ROOT)
    return done.stderr if done.returncode != 0 else ""


def try_itself():
    """Runs it on a sample from the standard input: the other gates would find a file in the tree."""
    done = subprocess.run([TOOL, "--dry-run", "--Werror", "--style=file", "--assume-filename=tests/sample.cpp"],
                          input="int  f( ){return 1 ;}\n", capture_output=True, text=True, cwd=source.ROOT)
    if done.returncode == 0 or "sample.cpp" not in done.stderr:
        sys.exit("the gate is broken: it finds nothing in a badly formatted sample")


def main():
    paths = source.files(*source.PROGRAMS, "tests")
    if sys.argv[1:] == ["--fix"]:
        subprocess.run([TOOL, "-i", "--style=file", *paths], check=True, cwd=source.ROOT)
        return
    try_itself()
    jobs = os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        findings = "".join(pool.map(badly_formatted, [paths[i::jobs] for i in range(jobs)]))
    if findings:
        sys.exit(findings + "\ntests/tidy/format.py --fix formats all of it")
    print(f"{len(paths)} files, all formatted")


if __name__ == "__main__":
    main()
