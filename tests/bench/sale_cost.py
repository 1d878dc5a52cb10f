#!/usr/bin/python3
"""Measures what a sale costs: processor time, and sales in a second on one processor, beside nginx with the same work.

The gateway and its peers take turns on one processor; the terminals and the provider, in one program, have the other.
Medians are over the rounds; ratios are of the medians. For the gateway it also prints the journal steps in a commit,
and the connections and handshakes at the provider meanwhile.

    tests/bench/sale_cost.py [--terminals 64 256 1000] [--seconds 5] [--rounds 3] [--tls] [--only NAME ...]
"""
import shutil
import statistics

from lab import peers, program
from lab.rig import Rig, free_port

KINDS = {"gateway": peers.Gateway, "lua": peers.NginxLua, "forwarding": peers.NginxForwarding}


def turn(kind, folder, terminals, arguments, tls):
    """Measures one peer once."""
    provider = free_port()
    peer = kind(folder, provider, authority=tls.authority)
    with Rig(provider=provider, target=peer.port, shape=kind.shape, connections=terminals, name="bench", key=peers.KEY,
             warm_up=arguments.warm_up, seconds=arguments.seconds, at_least=1, drain=60, **tls.rig) as rig, peer:
        rig.begin(peer.process)
        result = rig.next()
        end = rig.next()
        if kind is peers.Gateway:
            jobs = peer.metric("gateway_journal_steps_total")
            result["stepsPerCommit"] = jobs / max(1, peer.metric("gateway_journal_commits_total"))
    shutil.rmtree(folder)
    sold = result["terminals"]
    assert sold["sales"] and not sold["others"] and not end["unanswered"], (
        f"{kind.name}: not every sale was sold: {result} {end}")
    result["microseconds"] = result["processorSeconds"] / sold["sales"] * 1e6
    return result


def main():
    parser = program.options(__doc__)
    parser.add_argument("--terminals", type=int, nargs="+", default=[64, 256, 1000])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tls", action="store_true", help="the provider speaks TLS, and its certificate is verified")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    with program.folder("sale-cost") as folder:
        tls = program.ProviderTls(folder, arguments.tls)
        for terminals in arguments.terminals:
            measure(arguments, folder, terminals, tls)


def measure(arguments, folder, terminals, tls):
    results = {name: [] for name in arguments.only}
    for _ in range(arguments.rounds):
        for name in arguments.only:
            results[name].append(turn(KINDS[name], folder / name, terminals, arguments, tls))
    print(f"{terminals} terminals" + (", TLS to the provider" if arguments.tls else ""), flush=True)
    print(f"  {'':28} {'µs a sale':>10} {'sales/s':>9} {'p50 ms':>8} {'p99 ms':>8}")
    medians = {}
    for name, turns in results.items():
        cost = statistics.median(one["microseconds"] for one in turns)
        rate = statistics.median(one["terminals"]["perSecond"] for one in turns)
        p50 = statistics.median(one["terminals"]["p50Us"] for one in turns) / 1000
        p99 = statistics.median(one["terminals"]["p99Us"] for one in turns) / 1000
        medians[name] = cost, rate
        print(f"  {KINDS[name].name:28} {cost:10.1f} {rate:9.0f} {p50:8.2f} {p99:8.2f}", flush=True)
    for other in medians:
        if other != "gateway" and "gateway" in medians:
            print(f"  gateway : {KINDS[other].name:26} processor time {medians['gateway'][0] / medians[other][0]:.2f}, "
                  f"sales a second {medians['gateway'][1] / medians[other][1]:.2f}")
    if "gateway" in results:
        own = results["gateway"][-1]
        print(f"  gateway: {own['stepsPerCommit']:.1f} journal steps a commit; at the provider "
              f"{own['providerConnections']} new connections, {own['handshakesFull']} full handshakes and "
              f"{own['handshakesResumed']} resumed ones in {own['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    program.run(main)
