"""What the benchmarks share: the peers, the rig on both sides of them, and how figures are written."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("BENCH_BUILD", ROOT / "build/proof"))
os.environ.setdefault("GATEWAY_BIN", str(BUILD / "sales-gateway"))
os.environ.setdefault("SANDBOX_BIN", str(BUILD / "sandbox-provider"))
sys.path.insert(0, str(ROOT / "tests/e2e"))
