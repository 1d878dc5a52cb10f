"""This is a relay between a client and the gateway that keeps what the gateway sent."""
import socket
import threading


class Sent:
    """This is one answer as it was sent: its status, its header fields with names in lower case, and its body."""

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.body = body


class Relay:
    def __init__(self, target):
        self._target = target
        self._lock = threading.Lock()
        self._streams = []  # what the gateway sent, one entry for each connection
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:{}".format(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._server.close()

    def _accept(self):
        while True:
            try:
                caller, _ = self._server.accept()
            except OSError:  # it was closed
                return
            gateway = socket.create_connection(self._target)
            received = bytearray()
            with self._lock:
                self._streams.append(received)
            threading.Thread(target=self._pump, args=(caller, gateway, None), daemon=True).start()
            threading.Thread(target=self._pump, args=(gateway, caller, received), daemon=True).start()

    def _pump(self, source, sink, kept):
        try:
            while data := source.recv(65536):
                if kept is not None:
                    with self._lock:
                        kept += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:  # one of the two has gone
            pass

    def take(self, method_of):
        """Returns how many connections there were since the last call, and the answers on them by their X-Request-Id.
        `method_of` gives the method of a request by its id: an answer to HEAD has no body."""
        with self._lock:
            streams = [bytes(stream) for stream in self._streams]
            self._streams.clear()
        answers = {}
        for stream in streams:
            while stream:
                answer, stream = _first_answer(stream, method_of)
                if answer is not None:
                    answers[answer.fields["x-request-id"]] = answer
        return len(streams), answers


def _first_answer(stream, method_of):
    """Returns the first answer of a stream and what follows it; no answer if it is an interim one."""
    head, _, rest = stream.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    status = int(first.split(" ")[1])
    if status < 200:
        return None, rest
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    length = 0 if method_of(fields["x-request-id"]) == "HEAD" else int(fields["content-length"])
    return Sent(status, fields, rest[:length]), rest[length:]
