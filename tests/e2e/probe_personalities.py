#!/usr/bin/python3
"""Tries the probe over real sockets against every personality of the sandbox provider: each alternative of each point
alone, and mixtures by chance. Nothing may be answered wrongly, no sale may be open at the provider that the probe does
not list, and each alternative that stands alone must be named.

    tests/e2e/probe_personalities.py [--build build/asan] [--seeds 50] [--first 1] [--at-once 12] [--only REGEX]

Not part of tests/run.sh: it waits for callbacks and limits in real time, half an hour in all.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed

ROOT = pathlib.Path(__file__).resolve().parents[2]
# With this value the point itself cannot be told, and is not answered.
UNTELLABLE = {("callback-repeat", "doubling")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/asan", help="a folder with both programs")
    parser.add_argument("--seeds", type=int, default=50, help="how many mixtures")
    parser.add_argument("--first", type=int, default=1, help="the seed of the first mixture")
    parser.add_argument("--at-once", type=int, default=12, help="how many probes at once: they wait more than they work")
    parser.add_argument("--only", default="", help="those personalities whose text matches, such as ^random")
    return parser.parse_args()


def main():
    chosen = arguments()
    os.environ["GATEWAY_BIN"] = str(chosen.build.resolve() / "sales-gateway")
    os.environ["SANDBOX_BIN"] = str(chosen.build.resolve() / "sandbox-provider")
    from harness.probing import ESIM, NEEDS, NOT_IN_REAL_TIME, meet
    from harness.processes import Sandbox

    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        folder = pathlib.Path(folder)
        sandbox = Sandbox(folder, {})
        points = sandbox.call("GET", "/sandbox/personality").json
        sandbox.stop()
        work = []  # each has the personality, what must be answered, and how it is met
        for name, point in points.items():
            for value in point["alternatives"]:
                # A statement with only sold sales may have that by chance, so no probe can tell.
                if name in NOT_IN_REAL_TIME or (name, value) == ("statement-rows", "sold"):
                    continue
                text = f"{NEEDS[name]},{name}={value}" if name in NEEDS else f"{name}={value}"
                told = (name, value) not in UNTELLABLE
                work.append((text, name if told else None,
                             {"esim": name in ESIM, "idle": None if name == "keep-alive-idle" else "1s"}))
        for seed in range(chosen.first, chosen.first + chosen.seeds):
            work.append((f"random={seed}", None, {"idle": None}))
        work = [one for one in work if re.search(chosen.only, one[0])]
        bad = 0
        with ThreadPoolExecutor(chosen.at_once) as pool:
            runs = {pool.submit(meet, folder / f"run-{i}", text, **how): (text, point)
                    for i, (text, point, how) in enumerate(work)}
            for number, run in enumerate(as_completed(runs), 1):
                text, point = runs[run]
                try:
                    met = run.result()
                except Exception as problem:  # a program that fails must not end the others
                    wrong, met = [repr(problem)[:2000]], None
                else:
                    wrong = met.wrong + [f"{one} is open and not listed" for one in met.unlisted]
                    if point is not None and point not in met.answered:
                        wrong.append(f"{point} is not answered")
                bad += bool(wrong)
                known = f"{len(met.answered)} points answered" if met else ""
                print(f"{number}/{len(work)} {text}: {'; '.join(wrong) if wrong else known}", flush=True)
                if wrong and met:
                    print(met.trace, flush=True)
    print(f"{len(work)} personalities, {bad} not named rightly")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
