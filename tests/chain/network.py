"""Makes the machines of docs/chain.md as network namespaces on one bridge, and cuts between them.

A cut is made where packets arrive, so that their sender notices nothing: they are lost, as on a wire.
"""
import subprocess

MACHINES = {
    "balancer": "10.0.0.10",
    "box-1": "10.0.0.11",
    "box-2": "10.0.0.12",
    "db-1": "10.0.0.21",
    "db-2": "10.0.0.22",
    "provider": "10.0.0.30",
}
_TILLS = "10.0.0.1"
_RULES = """table inet cuts {
    chain input {
        type filter hook input priority filter; policy accept;
    }
}
"""
# A command that makes or changes a namespace is done at once; this only ends one that hangs.
_LIMIT_S = 30


def _run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=_LIMIT_S)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stderr}"
    return done.stdout


class Machine:
    def __init__(self, name):
        self.name = name
        self.address = MACHINES[name]
        self.wrapper = ["ip", "netns", "exec", name]
        inner, outer = "eth0", f"to-{name}"
        _run("ip", "netns", "add", name)
        _run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
        _run("ip", "link", "set", outer, "master", "chain", "up")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "address", "add", f"{self.address}/24", "dev", inner)
        self.run("ip", "link", "set", inner, "up")
        self.run("nft", "-f", "-", text=_RULES)

    def run(self, *words, text=None):
        return _run(*self.wrapper, *words, text=text)

    def processes(self):
        """Returns the numbers of all processes that run in it."""
        return [int(word) for word in _run("ip", "netns", "pids", self.name).split()]

    def remove(self):
        _run("ip", "netns", "delete", self.name)


class Network:
    """These are the machines by their names; the process that makes them, and its tills, is on the bridge itself."""

    def __init__(self):
        _run("ip", "link", "add", "chain", "type", "bridge")
        _run("ip", "address", "add", f"{_TILLS}/24", "dev", "chain")
        _run("ip", "link", "set", "chain", "up")
        self.machines = {name: Machine(name) for name in MACHINES}
        self._cuts = {}

    def __getitem__(self, name):
        return self.machines[name]

    def cut(self, source, target):
        """From now on, nothing that `source` sends reaches `target`."""
        words = self[target].run("nft", "--echo", "--handle", "add", "rule", "inet", "cuts", "input", "ip", "saddr",
                                 self[source].address, "drop").split()  # fmt: skip
        self._cuts[source, target] = words[words.index("handle") + 1]

    def heal(self, source, target):
        if (source, target) in self._cuts:
            handle = self._cuts.pop((source, target))
            self[target].run("nft", "delete", "rule", "inet", "cuts", "input", "handle", handle)

    def heal_all(self):
        for pair in list(self._cuts):
            self.heal(*pair)

    def is_cut(self, *names):
        """Says whether one of the cuts is at a machine of these names."""
        return any(set(pair) & set(names) for pair in self._cuts)

    def remove(self):
        for machine in self.machines.values():
            machine.remove()
        _run("ip", "link", "delete", "chain")
