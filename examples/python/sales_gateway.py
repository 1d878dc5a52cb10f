"""This is a client of the sales gateway for tills. Copy it: it needs Python 3.8 and nothing besides.

    gateway = SalesGateway(["http://192.168.1.2:8080"], key, "open-sales", printer.print)
    gateway.settle()                                         # at every start: finishes what is on disk
    result = gateway.sell({"family": "tv", "produto": "TV Mensal", "valor": 4990, "cpf": "529.982.247-25"})
    if result.outcome == "sold":                             # and the receipt has been printed

A sale is a file in the folder before the gateway hears of it, and until its receipt is printed. After a crash or a
power cut the next settle() goes on with it under the same key, so it is sold once. If the folder is empty, nothing is
open. It belongs to one program.
Copyright 2026 The sales-gateway authors. Apache License 2.0.
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import threading
import time
import urllib.parse
import uuid
from collections import namedtuple

CONNECT_S, CALL_S, WAIT = 5, 40, "wait=25"  # a call may take longer than the gateway's wait
TRIES, FIRST_PAUSE_S, LONGEST_PAUSE_S = 12, 0.2, 5  # tries are rounds over all addresses; settle() goes on later
SELL, CONFIRM, CANCEL = ".sell", ".confirm", ".cancel"  # how the name of a sale's file ends

# `outcome` is "sold", "not_sold" or "pending"; `printed` says whether its receipt is on paper; `detail` is a sentence
# that explains the outcome; `answer` is the gateway's JSON that does so.
Result = namedtuple("Result", "key outcome sale_id printed detail answer")


class NotSent(Exception):
    """The sale is not on disk: nothing was sent or will be. If the message names a file, remove that first."""


class NoAnswer(Exception):
    """No gateway gave an answer to this. The message says why."""


class Answer:
    """This is a whole answer. One that was cut does not count."""
    def __init__(self, response, body):
        self.status, self.body = response.status, body
        self.json = None
        with contextlib.suppress(ValueError):
            self.json = json.loads(body)
        self.sale_id = response.getheader("Sale-Id", "-")
        outcome = response.getheader("Sale-Outcome")
        self.outcome = outcome if outcome in ("sold", "not_sold", "held", "pending") else None
        self.retry_after = response.getheader("Retry-After", "")
        # The gateway itself, and no other server, refuses this, now and later.
        problem = response.getheader("Content-Type", "").startswith("application/problem+json")
        self.refused = problem and not self.outcome and self.status // 100 == 4 and self.status not in (408, 425, 429)

    def pause(self, pause):
        """Returns how long to wait before the next call; `pause` is the wait after no answer."""
        asked = int(self.retry_after) if self.retry_after.isdecimal() else pause
        return min(max(asked, 1 if self.outcome == "pending" else 0), LONGEST_PAUSE_S)

    @property
    def detail(self):
        told = self.json if isinstance(self.json, dict) else {}
        said = told.get("detail") or (told.get("reason") or {}).get("detail")
        return said or ("cancelled by its key" if self.outcome == "not_sold" else f"HTTP status {self.status}")


class SalesGateway:
    def __init__(self, addresses, key, folder, print_receipt, receipt_query="format=text"):
        """print_receipt(bytes) returns when the printer has them, and raises if it does not get them."""
        if not addresses or not all(re.match(r"https?://[^/\s]", at) for at in addresses) or re.search(r"\s|^$", key):
            raise ValueError("an address is http://HOST:PORT, and a key has no white space in or around it")
        self._under_way = set()  # the keys that a thread works on; a settle() beside it leaves them alone
        self._addresses, self._key, self._folder = list(addresses), key, pathlib.Path(folder)
        self._preferred = 0  # the address that answered last
        self._print, self._receipt_query = print_receipt, receipt_query

    def options(self, query=""):
        """Returns what can be sold: the menu, or what `query` asks for, such as "family=tv&produto=TV%20Livre"."""
        return json.loads(self._get("/v1/options" + (f"?{query}" if query else "")))

    def sell(self, order, paid=None):
        """Sells `order`, a dict or JSON text. Where it has "confirm": "manual", paid() is asked once it is held."""
        line = re.sub("[\r\n]", " ", order if isinstance(order, str) else json.dumps(order)) + "\n"
        name = str(uuid.uuid4()) + SELL
        self._under_way.add(name)
        try:
            self._note(name, line.encode("utf-8", "surrogateescape"))
            return self._carry(name, paid)
        finally:
            self._under_way.discard(name)

    def settle(self):
        """Carries every sale on disk to its end; a held sale without a note that it was paid is cancelled."""
        results, tries = [], TRIES
        for path in sorted(self._folder.iterdir()) if self._folder.is_dir() else []:
            key, wanted = path.stem, path.suffix
            if wanted in (SELL, CONFIRM, CANCEL) and key + SELL not in self._under_way:
                result = self._carry(path.name, tries=tries)
                results += [result] if result else []
                tries = 1 if result and result.outcome == "pending" else tries  # nobody waits for all of them
        return results

    def receipt(self, sale_id, query=None):
        """Returns another copy, which says that it is one."""
        return self._get(f"/v1/sales/{urllib.parse.quote(sale_id, safe='')}/receipt?{query or self._receipt_query}")

    def _carry(self, name, paid=None, tries=TRIES):
        """Calls until there is an outcome. Returns None if the file was never whole: then nothing was ever sent."""
        try:
            body = (self._folder / name).read_bytes()
        except FileNotFoundError:  # a sell() beside this has finished it
            return None
        if not body.endswith(b"\n"):
            self._remove(name)
            return None
        key, wanted = os.path.splitext(name)
        refusal, answer, pause = None, None, FIRST_PAUSE_S
        for left in reversed(range(tries)):
            answer = self._send(key, wanted, body)
            if answer and answer.outcome == "sold":
                trouble = self._print_and_remove(key + wanted, answer.sale_id)
                return Result(key, "sold", answer.sale_id, not trouble, trouble, answer.json)
            if answer and answer.outcome == "not_sold":
                self._remove(key + wanted)
                why = refusal or answer
                return Result(key, "not_sold", answer.sale_id, False, why.detail, why.json)
            decision = None
            if answer and wanted == SELL and answer.outcome == "held":
                decision = CONFIRM if paid and paid() else CANCEL
            elif answer and answer.refused and wanted != SELL:
                break  # only a person can change that, such as a wrong key
            elif answer and answer.refused:
                # The sale is cancelled by its key, so that no copy of it that is still under way can be sold later.
                refusal, decision = answer, CANCEL
            if decision:
                try:
                    os.rename(self._folder / (key + wanted), self._folder / (key + decision))
                    self._flush_folder(self._folder)
                except OSError as error:
                    return Result(key, "pending", "-", False, f"The decision could not be noted on disk: {error}", None)
                wanted = decision
            elif left:
                time.sleep(answer.pause(pause) if answer else pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
        detail = answer.detail if answer else "no gateway answered"
        return Result(key, "pending", "-", False, detail, answer and answer.json)

    def _send(self, key, wanted, body):
        """Makes the call that the file's name says. A repetition is the same call to the gateway."""
        if wanted == CANCEL:
            return self._ask("POST", "/v1/cancel", key)
        answer = self._ask("POST", "/v1/sell", key, body)
        if answer and wanted == CONFIRM and answer.outcome == "held":
            answer = self._ask("POST", f"/v1/sales/{answer.sale_id}/confirm", key)
        return answer

    def _print_and_remove(self, name, sale_id):
        """Prints first, then removes the file: a crash in between leads to a copy, which the gateway marks as one."""
        try:
            self._print(self.receipt(sale_id))
        except Exception as error:  # it is sold, whatever a printer's driver says
            return str(error) or repr(error)
        self._remove(name)
        return ""

    def _note(self, name, line):
        """Notes the sale on the disk, not only in its cache, before the first byte leaves."""
        try:
            os.makedirs(self._folder, 0o700, exist_ok=True)
            self._flush_folder(self._folder / os.pardir)
            with open(self._folder / name, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self._flush_folder(self._folder)
        except OSError as error:
            raise NotSent(f"Nothing was sent: {error}{self._take_back(name)}") from error

    def _take_back(self, name):
        """Empties the order on the disk, so it is never sent even if its name stays; else says what to do by hand."""
        path = self._folder / name
        try:
            with contextlib.suppress(FileNotFoundError), open(path, "rb+") as file:
                file.truncate()
                os.fsync(file.fileno())
            return ""
        except OSError:
            return f"; remove {path}, also if a power cut brings it back, or it is sold later"
        finally:
            self._remove(name)

    def _remove(self, name):
        """If this fails, the next settle() only repeats what is done already."""
        with contextlib.suppress(OSError):
            os.unlink(self._folder / name)

    @staticmethod
    def _flush_folder(path):
        if os.name == "nt":  # Windows has no such call; NTFS keeps its own journal of names
            return
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _get(self, path):
        answer = self._ask("GET", path)
        if answer is None or answer.status != 200:
            raise NoAnswer(answer.detail if answer else "no gateway answered at " + ", ".join(self._addresses))
        return answer.body

    def _ask(self, method, path, key=None, body=None):
        """Asks the addresses in a round up to the first useful answer; else returns the last useless one, or None."""
        useless = None
        for _ in self._addresses:
            answer = self._call(self._addresses[self._preferred], method, path, key, body)
            if answer and (answer.outcome or answer.refused or (not key and answer.status == 200)):
                return answer
            useless = answer or useless
            self._preferred = (self._preferred + 1) % len(self._addresses)
        return useless

    def _call(self, address, method, path, key, body):
        """Makes one call on a connection of its own; None if no whole answer came. Redirects are not followed."""
        fields = {"Authorization": "Bearer " + self._key}
        if key:
            fields.update({"Idempotency-Key": key, "Prefer": WAIT})
        if body:
            fields["Content-Type"] = "application/json"
        at = urllib.parse.urlsplit(address)
        kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        connection = kind(at.hostname, at.port, timeout=CONNECT_S)
        limit = threading.Timer(CALL_S, lambda: connection.sock and connection.sock.shutdown(socket.SHUT_RDWR))
        limit.daemon = True
        limit.start()
        try:
            connection.connect()
            connection.sock.settimeout(CALL_S)  # limits each step; the timer limits all of them together
            connection.request(method, at.path.rstrip("/") + path, body, fields)
            response = connection.getresponse()
            return Answer(response, response.read()) if response.length or response.chunked else None  # else it is cut
        except (OSError, http.client.HTTPException):
            return None
        finally:
            limit.cancel()
            connection.close()
