#!/usr/bin/python3
"""Measures how long copy-journal takes for a journal full of sales, from its file to PostgreSQL and back, compared row
by row.

The journal has real rows, multiplied: a sale is sold, and its rows are copied as often as asked for, each copy with ids
and a key of its own. Its peers in the same run, on the same server and disk, are pg_dump and pg_restore of the database
that copy-journal has made, which compare nothing, and sales-gateway backup of the file. It checks that the file that
comes back has the rows of the file that went, and that the key of the last sale finds it there.

    tests/bench/moving.py [--sales 1000000]
"""
import contextlib
import hashlib
import os
import re
import sqlite3
import time

from lab import BUILD, disk, program
from lab.fill import fill
from lab.first_sale import first_sale
from harness.postgres import PASSWORD, PROGRAMS, Postgres
from harness.processes import run_to_end

PATIENCE_S = 7200
BYTES = 6000  # a sale takes about so much in the two files, the two databases and the dump
COMPARED = ("sales", "id_externos")


def took(words, folder):
    began = time.monotonic()
    status, out, err = run_to_end([str(word) for word in words], folder, PATIENCE_S)
    assert status == 0, f"{words[0]} {words[1]} failed\n{out}\n{err}"
    return time.monotonic() - began, err


def of_postgres(name, *arguments):
    os.environ["PGPASSWORD"] = PASSWORD
    return [PROGRAMS / name, *arguments]


def digest(file):
    """Returns a digest of all rows that count, in order."""
    whole = hashlib.sha256()
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as journal:
        for table in COMPARED:
            for row in journal.execute(f"SELECT * FROM {table} ORDER BY 1"):
                whole.update(repr(row).encode())
    return whole.hexdigest()


def steps(err):
    """Returns for each step that copy-journal prints the rows, and the rows of sales in a second."""
    found = re.findall(r"(copying|comparing) sales: ([\d,]+) of [\d,]+ rows \(100 %\), ([\d,]+) rows/s", err)
    assert len(found) == 2, err
    return {step: int(speed.replace(",", "")) for step, _, speed in found}


def move(source, target, password_file, folder):
    seconds, err = took([BUILD / "sales-gateway", "copy-journal", "--config", "none", "--from", source, "--to", target,
                         "--password-file", password_file], folder)  # fmt: skip
    speed = steps(err)
    return seconds, speed


def report(what, sales, seconds, speed):
    print(f"{what:34} {seconds:7.1f} s  {sales / seconds:9,.0f} sales/s  "
          f"(copied at {speed['copying']:,} rows/s, compared at {speed['comparing']:,})")  # fmt: skip


def main():
    parser = program.options(__doc__)
    parser.add_argument("--sales", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with program.folder("moving") as folder:
        program.need_room(folder, BYTES * arguments.sales / 2**30)
        server = Postgres()
        try:
            measure(arguments.sales, folder, server)
        finally:
            server.close()


def measure(sales, folder, server):
    journal, template = first_sale(folder)
    fill(journal, (template, sales))
    full = folder / "full.db"
    disk.copy_journal(journal, full)
    before = digest(full)
    password_file = folder / "password"
    password_file.touch(0o600)
    password_file.write_text(PASSWORD + "\n")
    print(f"{sales:,} sales, {disk.size(full) / 2**20:,.0f} MiB\n")

    seconds, _ = took([BUILD / "sales-gateway", "backup", "--config", configured(folder, full), "backup.db"], folder)
    print(f"{'peer: backup of the file':34} {seconds:7.1f} s  {sales / seconds:9,.0f} sales/s")
    url = server.url(server.new_database())
    there, speed = move(full, url, password_file, folder)
    report("copy-journal to PostgreSQL", sales, there, speed)

    other = server.new_database()
    dumped, _ = took(of_postgres("pg_dump", "-Fc", "-Z0", "-f", "dump", url), folder)
    restored, _ = took(of_postgres("pg_restore", "-d", server.url(other), "dump"), folder)
    peer = dumped + restored
    print(f"{'peer: pg_dump and pg_restore':34} {peer:7.1f} s  {sales / peer:9,.0f} sales/s  "
          f"(copy-journal to PostgreSQL takes {there / peer:.1f} times as long)")  # fmt: skip

    back, speed = move(url, "back.db", password_file, folder)
    report("copy-journal back to a file", sales, back, speed)
    assert digest(folder / "back.db") == before, "what came back is not what went"
    with contextlib.closing(sqlite3.connect(folder / "back.db")) as found:
        key = template.key_of(sales)
        assert found.execute("SELECT count(*) FROM sales WHERE key = ?", (key,)).fetchone() == (1,), key


def configured(folder, journal):
    file = folder / "names-the-journal.toml"
    file.write_text(f'[journal]\npath = "{journal}"\n')
    return file


if __name__ == "__main__":
    program.run(main, "postgres-client.so")
