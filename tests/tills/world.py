"""This is a store with a till of examples/ in it, and the three books that have to agree: the paper, the journal and
the provider's."""
import collections
import contextlib
import json
import os
import re
import shutil
import socketserver
import subprocess
import threading

from harness import books, orders
from harness.gate import bound
from harness.processes import key_of
from harness.shop import Shop
from harness.waiting import eventually
from line import Line

TERMINAL = "caixa-01"
# This only ends a till that hangs.
LIMIT_S = 240
COPY = "2ª VIA"

# This is how a till's run ended. `counted` are the calls that power_cut counted, `last` is the last of them, and
# `failed` says how many of them it let fail.
Run = collections.namedtuple("Run", "status out err counted last died failed")

# This is what the till says about a sale.
_SAID = re.compile(r"(sold|not_sold|pending) (\S+) (\S+)( .*)?")


class Broken(AssertionError):
    """A till has broken this law."""


def law(holds, what):
    if not holds:
        raise Broken(what)


class Order:
    """An order is known by its amount, which no other order has; its last two digits choose what the provider does."""

    def __init__(self, body):
        self.body = body
        self.valor = body["valor"]
        self.nothing_sent = False  # the till said so
        self.history = []

    def __str__(self):
        return f"the order of {self.valor} cents ({'; '.join(self.history)})"


class World:
    def __init__(self, folder, command, power_cut, changes=None):
        self.folder = folder
        self.command = command
        self.power_cut = power_cut
        self.tills = []
        self.orders = []
        self.dead = None
        store = folder / "store"
        store.mkdir()
        self.shop = Shop(store, changes)
        self.line = Line()  # it is between the store's tills and the gateway
        self.shop.gateway.on_start.append(self._moved)
        self.shop.start()

    def _moved(self, gateway):
        self.line.target = gateway.ports["terminals"]

    def close(self):
        self.line.close()
        self.shop.close()

    def order(self, cents=0, make=orders.tv, **more):
        """Returns an amount that nobody has had before."""
        self.orders.append(Order(make(valor=10000 + 100 * len(self.orders) + cents, **more)))
        return self.orders[-1]

    def dead_address(self):
        """Returns an address where nobody listens."""
        self.dead = self.dead or bound()
        return "http://127.0.0.1:{}".format(self.dead.getsockname()[1])

    @contextlib.contextmanager
    def stranger(self, status):
        """Returns the address of a server that gives everybody the same answer."""
        answer = f"HTTP/1.1 {status}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n".encode()

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.request.recv(65536)
                self.request.sendall(answer)

        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield "http://127.0.0.1:{}".format(server.server_address[1])
            server.shutdown()

    def till(self):
        self.tills.append(Till(self, self.folder / f"till-{len(self.tills) + 1}"))
        return self.tills[-1]

    # --- the laws ---

    def check(self, order):
        """Checks one order, as soon as its till has nothing open."""
        journal = [sale for sale in self._latest() if sale["valor"] == order.valor]
        self._check(order, journal, self._at_provider(), self.receipts())

    def check_all(self):
        """Checks everything that was ever done, when nothing is under way any more."""
        for till in self.tills:
            law(till.open_sales() == [], f"{till.folder} has something open: {till.open_sales()}")
        self.shop.check_books()
        sales = books.all_sales(self.shop.gateway.admin)
        provider, receipts = self._at_provider(), self.receipts()
        for order in self.orders:
            self._check(order, [sale for sale in sales if sale["valor"] == order.valor], provider, receipts)
        known = {attempt["idExterno"] for sale in sales for attempt in sale["attempts"]}
        law(receipts.keys() <= known, f"receipts of what nobody ordered: {receipts.keys() - known}")
        for till in self.tills:
            till.check_words({sale["id"]: sale for sale in sales}, self.shop.till)

    def sold(self, order):
        return any(sale["outcome"] == "sold" for sale in self._latest() if sale["valor"] == order.valor)

    def _check(self, order, journal, provider, receipts):
        efetivadas = provider[order.valor].count("EFETIVADA")
        law(efetivadas <= 1, f"{order} was sold {efetivadas} times")
        sold = [sale for sale in journal if sale["outcome"] == "sold"]
        law(len(sold) == efetivadas, f"of {order} the journal has {len(sold)} sold, the provider {efetivadas}")
        law(not (order.nothing_sent and journal), f"{order} was sent, although the till said that nothing was")
        of_sold = [text for sale in sold for one in sale["attempts"] for text in receipts.get(one["idExterno"], [])]
        of_all = [text for sale in journal for one in sale["attempts"] for text in receipts.get(one["idExterno"], [])]
        law(len(of_all) == len(of_sold), f"{order} was printed, and is not sold")
        law(not sold or of_sold, f"{order} is sold, and was never printed")
        firsts = [text for text in of_sold if not text.startswith(COPY)]
        law(len(firsts) <= 1, f"{order} has {len(firsts)} receipts that are not marked as copies")

    def _latest(self):
        """Returns the sales of the last orders, with their attempts."""
        admin = self.shop.gateway.admin
        latest = admin.get("/v1/sales?limit=20").of(200).json["sales"]
        return [admin.get(f"/v1/sales/{sale['id']}").of(200).json for sale in latest if self._is_of_last(sale)]

    def _is_of_last(self, sale):
        return sale["valor"] in [order.valor for order in self.orders[-3:]]

    def _at_provider(self):
        """Returns the status of every transaction, by its amount; an order that was refused at once has none."""
        found = collections.defaultdict(list)
        for transaction in self.shop.sandbox.transactions():
            found[transaction.get("valor")].append(transaction["status"])
        return found

    def receipts(self):
        """Returns everything that any till printed, by its `Id externo`."""
        found = collections.defaultdict(list)
        for till in self.tills:
            for text in till.receipts():
                found[re.search(r"Id externo: (\S+)", text)[1]].append(text)
        return found


class Till:
    """This is a till with a folder and a printer of its own, over any number of runs."""

    def __init__(self, world, folder):
        self.world = world
        folder.mkdir()
        self.folder = folder / "open-sales"  # the till makes it by itself
        self.printer = folder / "paper"
        self.printer.touch()
        self._image = folder / "image"  # what the disk of the open sales may have
        self._report = folder / "report"
        self.said = []

    def run(self, *arguments, kill=0, full=0, fail=0, answer="", hurry=True, key=None, addresses=None, usage=False):
        """Runs the till's program once. `kill`, `full` and `fail` are for power_cut; in a hurry it does not sleep.
        `usage`: it is used wrongly."""
        options = ["--kill", str(kill)] if kill else []
        options += ["--full", str(full), str(self.folder)] if full else []
        options += ["--fail", str(fail), str(self.folder)] if fail else []
        options += ["--image", str(self._new_image())] if full or fail else []
        options += ["--no-sleep"] if hurry else []
        environment = os.environ | {
            "SALES_GATEWAY": addresses or self.world.line.url,
            "SALES_GATEWAY_KEY": key or key_of(TERMINAL),
            "SALES_GATEWAY_FOLDER": str(self.folder),
            "SALES_GATEWAY_PRINTER": str(self.printer),
            "SALES_GATEWAY_RECEIPT": "format=text",
        }
        command = [self.world.power_cut, self._report, *options, *self.world.command, *arguments]
        done = subprocess.run(command, input=answer.encode(), capture_output=True, timeout=LIMIT_S, env=environment,
                              cwd=self.folder.parent)
        counted, last, died, failed = self._report.read_text().split()
        out, err = done.stdout.decode(), done.stderr.decode()
        run = Run(done.returncode, out, err, int(counted), last, died == "1", int(failed))
        assert run.died or run.status in ((64,) if usage else (0, 1, 2, 69, 70)), run
        self.said += [match for match in map(_SAID.fullmatch, out.replace("Paid? [y/n] ", "").splitlines()) if match]
        return run

    def _new_image(self):
        shutil.rmtree(self._image, ignore_errors=True)
        self._image.mkdir()
        for name in self.open_sales():
            shutil.copy(self.folder / name, self._image)
        return self._image

    def lose_power(self):
        """After a run in which something of its folder failed, the folder becomes what the disk may have kept of it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._image.rename(self.folder)

    def sell(self, order, **how):
        run = self.run("sell", json.dumps(order.body), **how)
        order.history.append(f"sold with {how}, {run.counted} calls, at {run.last}" if run.died else f"exit {run.status}")
        order.nothing_sent = run.status == 70
        return run

    def settle(self, **how):
        run = self.run("settle", **how)
        if not run.died:
            left = self.open_sales()
            law((run.status == 0) == (left == []), f"settle ended with {run}, and this is open: {left}")
        return run

    def finish(self, order=None):
        """Does what a till does at its next start, until nothing is open."""
        what = f"nothing is open in {self.folder}, which had {self.open_sales()}"
        eventually(lambda: not self.open_sales() or self.settle().status == 0, what)
        if order:
            self.world.check(order)

    def open_sales(self):
        return sorted(os.listdir(self.folder)) if self.folder.exists() else []

    def receipts(self):
        """Returns what is on its paper, each receipt by itself: its last line is the `Id externo`."""
        found, lines = [], []
        for line in self.printer.read_text().splitlines():
            lines.append(line)
            if line.startswith("Id externo: "):
                found.append("\n".join(lines))
                lines = []
        law(not lines, f"half a receipt was printed: {lines}")
        return found

    def check_words(self, sales, terminal):
        """Compares what it said with what became of the sale."""
        for match in self.said:
            outcome, key, sale_id, _ = match.groups()
            if outcome == "sold":
                law(sale_id in sales and sales[sale_id]["outcome"] == "sold", f"the till said {match[0]!r}, which is not so")
            if outcome == "not_sold":
                by_key = terminal.get(f"/v1/sales?key={key}").of(200).json["sales"]
                law(all(sale["outcome"] == "not_sold" for sale in by_key), f"the till said {match[0]!r}, which is not so")
