"""A network that lies: a TCP proxy that can cut, swallow, hold back and refuse what passes through it."""
import socket
import struct
import threading
import time

from .waiting import LIMIT_S

UP = "up"  # from the caller to the target
DOWN = "down"

_CHUNK = 65536


def bound(port=0):
    """Returns a bound socket of the loopback. While one is open that does not listen, nobody else gets the port, and
    others that are made here can listen on it."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(("127.0.0.1", port))
    return made


class Fault:
    """Says what happens to the next connection whose upward bytes contain `on`: see Gate.arm()."""

    def __init__(self, on, times, **what):
        self.on = on
        self.left = times
        self.after_up = what.get("after_up")
        self.after_down = what.get("after_down")
        self.mute = what.get("mute", False)
        self.swallow = what.get("swallow", False)
        self.hold = what.get("hold", False)
        self.hits = 0


class Pause:
    """Holds bytes on their way upwards until the test goes on: see Gate.pause()."""

    def __init__(self, on, passing):
        self.on = on
        self.left = passing
        self._reached = threading.Event()
        self._resumed = threading.Event()

    def wait_until_reached(self):
        assert self._reached.wait(LIMIT_S), f"{self.on} never came, or not as often"

    def resume(self):
        self._resumed.set()

    def meet(self, data):
        """Is called with everything that passes. Returns at once, unless the test is to steer what comes next."""
        if self._reached.is_set() or self.on not in data:
            return
        self.left -= 1
        if self.left < 0:
            self._reached.set()
            self._resumed.wait()


class Gate:
    """Listens on a port of its own and passes everything on to `target`, which may be set or moved later."""

    def __init__(self, target=None):
        self.target = target
        self.trickle = None  # bytes at a time downwards, with a pause between them
        self.reset_all = False  # every new connection is reset at once
        self.passed_up = b""  # everything that has passed up to now
        self._faults = []
        self._held = []
        self._pauses = []
        self._pairs = set()
        self._lock = threading.Lock()
        self._server = None
        self._port = bound()
        self._listen()

    # --- what a test steers ---

    @property
    def address(self):
        return self._address

    @property
    def url(self):
        return f"http://{self._address[0]}:{self._address[1]}"

    def arm(self, on=b"", times=1, **what):
        """From the next bytes upwards that hold `on`, `times` times, on the connection that they come on:
        after_up=n    n of them pass, then the connection is reset on both sides
        after_down=n  all of them pass, and n bytes of the answer; then it is reset on both sides
        mute=True     all of them pass, and nothing of the answer; the connection stays open
        swallow=True  nothing passes any more in either direction, and the connection stays open
        hold=True     like swallow, and release() sends on what was held back
        """
        fault = Fault(on, times, **what)
        with self._lock:
            self._faults.append(fault)
        return fault

    def pause(self, on, passing=0):
        """Lets bytes upwards that contain `on` wait, after others that contain it have passed `passing` times, until
        the returned Pause is resumed or the connections are dropped. A test that must act at one certain moment needs
        this: one that looks from time to time whether the moment has come may look too late."""
        made = Pause(on, passing)
        with self._lock:
            self._pauses.append(made)
        return made

    def disarm(self):
        with self._lock:
            self._faults.clear()

    def release(self):
        """Lets what was held back arrive now. Returns how many pieces there were."""
        with self._lock:
            held, self._held = self._held, []
        for data in held:
            self._deliver(data)
        return len(held)

    def shut(self):
        """Refuses connections from now on, and resets those that are open."""
        if self._server is not None:
            self._server.shutdown(socket.SHUT_RDWR)
            self._server.close()
            self._server = None
            self._acceptor.join()
        self.drop()

    def open(self):
        """Does the opposite of shut(), on the same port."""
        if self._server is None:
            self._listen()

    def drop(self):
        """Resets every connection, and returns once the callers can see it."""
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            pair.reset()
        for pause in self._pauses:
            pause.resume()
        for pair in pairs:
            pair.join()

    def close(self):
        self.shut()
        self._port.close()

    # --- how it is done ---

    def _listen(self):
        server = bound(self._port.getsockname()[1])
        server.listen(64)
        self._address = server.getsockname()
        self._server = server
        self._acceptor = threading.Thread(target=self._accept, args=(server,), daemon=True)
        self._acceptor.start()

    def _accept(self, server):
        while True:
            try:
                caller, _ = server.accept()
            except OSError:
                return
            if self.reset_all or self.target is None:
                _reset(caller)
                continue
            try:
                target = socket.create_connection(self.target, timeout=10)
            except OSError:
                _reset(caller)
                continue
            target.settimeout(None)
            for end in (caller, target):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = _Pair(self, caller, target)
            with self._lock:
                pair.start()
                self._pairs.add(pair)

    def _take_fault(self, data):
        with self._lock:
            for fault in self._faults:
                if fault.left > 0 and fault.on in data:
                    fault.left -= 1
                    fault.hits += 1
                    return fault
        return None

    def _wait_where_asked(self, data):
        with self._lock:
            pauses = list(self._pauses)
        for pause in pauses:
            pause.meet(data)

    def _forget(self, pair):
        with self._lock:
            self._pairs.discard(pair)

    def _hold_back(self, data):
        with self._lock:
            self._held.append(data)

    def _deliver(self, data):
        with socket.create_connection(self.target, timeout=30) as late:
            late.sendall(data)
            late.shutdown(socket.SHUT_WR)
            while late.recv(_CHUNK):  # there is nobody to get its answer
                pass


class _Pair:
    """This is a connection through the gate."""

    def __init__(self, gate, caller, target):
        self.gate = gate
        self.caller = caller
        self.target = target
        self.fault = None
        self.down_left = None

    def start(self):
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._up, self._down)]
        for thread in self._threads:
            thread.start()

    def join(self):
        """Waits for its threads, because a socket that one of them still reads from is closed only when that read has
        ended."""
        for thread in self._threads:
            thread.join(timeout=10)

    def reset(self):
        self.gate._forget(self)
        _reset(self.caller)
        _reset(self.target)

    def _up(self):
        while data := _receive(self.caller):
            self.gate._wait_where_asked(data)
            if self.fault is None:
                self.fault = self.gate._take_fault(data)
            self.gate.passed_up += data
            fault = self.fault
            if fault is None:
                if not _send(self.target, data):
                    break
                continue
            if fault.hold:
                self.gate._hold_back(data)
            if fault.hold or fault.swallow:
                continue
            if fault.after_up is not None:
                _send(self.target, data[: fault.after_up])
                return self.reset()
            self.down_left = fault.after_down
            _send(self.target, data)
        self._half_close(self.target)

    def _down(self):
        while data := _receive(self.target):
            fault = self.fault
            if fault is not None and (fault.swallow or fault.hold or fault.mute):
                continue
            if self.down_left is not None:
                _send(self.caller, data[: self.down_left])
                self.down_left -= len(data)
                if self.down_left <= 0:
                    return self.reset()
                continue
            if not self._pass_down(data):
                break
        self._half_close(self.caller)
        self.gate._forget(self)

    def _pass_down(self, data):
        size = self.gate.trickle
        if size is None:
            return _send(self.caller, data)
        for at in range(0, len(data), size):
            if not _send(self.caller, data[at : at + size]):
                return False
            time.sleep(0.0005)  # lets the pieces arrive as pieces
        return True

    @staticmethod
    def _half_close(end):
        try:
            end.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def _receive(end):
    try:
        return end.recv(_CHUNK)
    except OSError:
        return b""


def _send(end, data):
    try:
        end.sendall(data)
        return True
    except OSError:
        return False


def _reset(end):
    """Closes so that the other side sees a reset, even where another thread waits for its bytes."""
    try:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    end.close()
