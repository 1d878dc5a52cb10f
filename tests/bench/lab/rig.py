"""This runs the program that stands on both sides of what is measured (tests/bench/rig) as a child process."""
import json
import random
import signal
import socket
import subprocess

from . import BUILD, OTHERS


def free_port():
    """Returns a port that is free now, and that the system gives to no outgoing connection meanwhile: those begin at
    32768."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Rig:
    """The options are those of the program, with underscores; its provider is there as soon as this is made."""

    def __init__(self, **options):
        arguments = ["taskset", "-c", OTHERS] if OTHERS else []
        arguments.append(str(BUILD / "tests/bench/bench_rig"))
        for name, value in options.items():
            if value is not None and value is not False:
                arguments.append("--" + name.replace("_", "-"))
                if value is not True:
                    arguments += map(str, value if isinstance(value, list) else [value])
        self.child = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.next()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def begin(self, process):
        """Lets the terminals begin; the rig reads processor time and memory of `process`."""
        self.child.stdin.write(f"{process}\n")
        self.child.stdin.flush()

    def next(self):
        """Returns the next line that the rig prints."""
        line = self.child.stdout.readline()
        assert line, f"the rig ended with {self.child.wait()}"
        return json.loads(line)

    def release(self):
        """Lets a provider that hangs answer."""
        self.child.send_signal(signal.SIGUSR1)

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        self.child.communicate()
