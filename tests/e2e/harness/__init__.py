"""The parts of the tests of the real programs: processes, a client, a lying network, a scripted provider."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
GATEWAY = os.environ.get("GATEWAY_BIN", str(ROOT / "build/dev/sales-gateway"))
SANDBOX = os.environ.get("SANDBOX_BIN", str(ROOT / "build/dev/sandbox-provider"))
