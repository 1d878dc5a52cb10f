"""The provider's people read what a probe leaves: it has no credential and no customer's data."""
import re
import subprocess

from harness.probing import CARD, CPF, PRODUCTS, Probe
from harness.processes import APP_SECRET


def tells_nothing(probe, said=""):
    """Checks that no credential, no token, no goods and no customer's value is in what the probe said or left. What
    went over the line, and what the provider's books hold, is searched for."""
    left = probe.left() + said
    passed = probe.gate.passed_up.decode(errors="replace")
    secrets = {"Reconhecivel", "reconhecivel", CPF, CPF.replace(".", "").replace("-", ""), CARD, "11987654321",
               "01021990", APP_SECRET}
    credentials = set(re.findall(r"(?:(?:Bearer|Basic) |refresh_token=)([^&\s]+)", passed))
    goods = {one["goods"] for one in probe.sandbox.transactions() if one.get("goods")}
    assert len(credentials) > 2, "tokens went over the line"
    for text in secrets | credentials | goods:
        assert text not in left, text
    return passed


def test_no_secret_and_no_personal_value_is_in_what_it_leaves(tmp_path):
    probe = Probe(tmp_path, {"--callback-delay": "20ms", "--callback-retry": "100ms"}, gated=True)
    try:
        sells_and_is_killed_before(probe)
    finally:
        probe.close()


def sells_and_is_killed_before(probe):
    # The sale of this product carries a cpf.
    probe.document["products"] = [{"family": "tv", "produto": "TV Mensal", "fornecedor": "Operadora Norte"},
                                  *(one for one in PRODUCTS if one["family"] != "tv")]
    probe.write()
    arguments = ("--level", "sell", "--consumidor", probe.customer_file())
    pause = probe.gate.pause(b"/solicitar", passing=5)
    running = subprocess.Popen(probe.words(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=probe.folder)
    running.stdin.write("sim\n")
    running.stdin.flush()
    pause.wait_until_reached()
    running.kill()
    pause.resume()
    out, err = running.communicate()
    tells_nothing(probe, out + err)
    ended = probe.run(*arguments, typed="sim\n")
    assert ended.returncode in (0, 1), ended.stderr
    passed = tells_nothing(probe, ended.stdout + ended.stderr)
    # All of them did leave the probe.
    for text in ("Reconhecivel", CPF, CARD, "11987654321"):
        assert text in passed, text
    sold = [one for one in probe.sandbox.transactions() if one["status"] == "EFETIVADA"]
    assert {one["family"] for one in sold} >= {"egift", "transit", "health", "esim"}, sold
    assert {one["family"] for one in sold if one.get("goods")} >= {"egift", "health"}, "these have goods to be hidden"
