#!/usr/bin/env python3
"""This is a till on the command line, on top of sales_gateway.py.

    till.py options [QUERY]      what can be sold: the menu, or what a query such as "family=transit&…" asks for
    till.py sell ORDER           finishes what is on disk, then sells ORDER, which is JSON text
    till.py settle               only finishes what is on disk; run it at every start
    till.py receipt SALE-ID      prints another copy

It exits 0: sold, or nothing is open any more; 1: not sold; 2: not known yet, or something is still open, run settle
again; 64: wrong usage; 69: no gateway gave what was asked for; 70: the disk does not take the sale, nothing was sent.
The environment may set SALES_GATEWAY (addresses with commas between them), SALES_GATEWAY_KEY, SALES_GATEWAY_FOLDER (of
open sales), SALES_GATEWAY_PRINTER (a file or device; else standard output) and SALES_GATEWAY_RECEIPT (its query).

Copyright 2026 The sales-gateway authors. Apache License 2.0.
"""
import json
import os
import stat
import sys

from sales_gateway import NoAnswer, NotSent, SalesGateway

EXIT = {"sold": 0, "not_sold": 1, "pending": 2}
WRONG_USAGE, NO_ANSWER, NOT_SENT = 64, 69, 70


def print_receipt(receipt):
    """Appends the receipt to the printer. A device has it after the write, and a file when it is on the disk."""
    name = os.environ.get("SALES_GATEWAY_PRINTER")
    if not name:
        sys.stdout.buffer.write(receipt)
        sys.stdout.buffer.flush()
        return
    with open(name, "ab") as printer:
        printer.write(receipt)
        printer.flush()
        if stat.S_ISREG(os.fstat(printer.fileno()).st_mode):
            os.fsync(printer.fileno())


def paid():
    print("Paid? [y/n] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def report(result):
    line = f"{result.outcome} {result.key} {result.sale_id}"
    if result.outcome == "not_sold":
        line += " " + " ".join(result.detail.split())
    if result.outcome == "sold" and not result.printed:
        line += " (receipt not printed yet: run settle)"
    print(line, flush=True)
    if result.outcome == "sold" and not result.printed:
        print(f"The receipt could not be printed: {result.detail}", file=sys.stderr)
    if result.outcome == "pending":
        print(f"It is not known yet whether this is sold ({result.detail}): run settle again", file=sys.stderr)


def main(arguments):
    command, *values = arguments or ["help"]
    most = {"options": 1, "sell": 1, "settle": 0, "receipt": 1}.get(command, -1)
    least = 0 if command == "options" else most
    if not least <= len(values) <= most:
        print(__doc__.strip(), file=sys.stderr)
        return WRONG_USAGE
    try:
        gateway = SalesGateway(os.environ.get("SALES_GATEWAY", "http://127.0.0.1:8080").split(","),
                               os.environ.get("SALES_GATEWAY_KEY", "demo-key-caixa-01"),
                               os.environ.get("SALES_GATEWAY_FOLDER", "open-sales"), print_receipt,
                               os.environ.get("SALES_GATEWAY_RECEIPT", "format=text"))
    except ValueError as error:
        print(f"SALES_GATEWAY, SALES_GATEWAY_KEY: {error}", file=sys.stderr)
        return WRONG_USAGE
    try:
        if command == "options":
            print(json.dumps(gateway.options(*values), ensure_ascii=False, indent=1))
        elif command == "receipt":
            print_receipt(gateway.receipt(values[0]))
        else:
            open_sales = gateway.settle()
            for result in open_sales:
                report(result)
            if command == "settle":
                return 0 if all(one.outcome == "not_sold" or one.printed for one in open_sales) else 2
            result = gateway.sell(values[0], paid)
            report(result)
            return EXIT[result.outcome]
    except NotSent as error:
        print(f"{error}. Make room on the disk or mend it, then sell again.", file=sys.stderr)
        return NOT_SENT
    except (NoAnswer, OSError) as error:
        print(f"It did not work: {error}", file=sys.stderr)
        return NO_ANSWER
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
