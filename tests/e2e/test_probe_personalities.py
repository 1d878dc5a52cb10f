"""Tests that the probe names what a sandbox provider does, over real sockets: for each question one alternative
alone, and a few mixtures. probe_personalities.py runs all alternatives and fifty mixtures, which takes longer than a
test may."""
from concurrent.futures import ThreadPoolExecutor

from harness.probing import meet

# For each question, one alternative that a gateway has to know about. Those that wait long in real time are left out.
ALONE = {
    "cancel-unknown": "422-cancelada",
    "confirm-on-cancelada": "409",
    "egift-instrucao-again": "missing",
    "health-cancel-path": "/venda/saude/{health}/cancelar",
    "request-after-cancel": "200-negada",
    "id-again-same-body": "second",
    "id-length": "30",
    "error-body": "html",
    "refresh-token": "stays",
    "basic-separator": "pipe",
    "status-path": "/venda/transacao/id/{idTransacao}",
    "rate-limit": "20",
    "statement-money": "comma",
    "keep-alive-requests": "10",
    "cancel-effect": "stays-autorizada",
}
SEEDS = (3, 17, 29)
# The probes wait more than they compute.
AT_ONCE = 9


def test_an_alternative_of_each_question_and_a_few_mixtures_are_named(tmp_path):
    personalities = {f"{point}={value}": point for point, value in ALONE.items()}
    # A provider that accepts two requests in a second is probed for minutes.
    personalities.update({f"random={seed},rate-limit=none,keep-alive-idle=1s": None for seed in SEEDS})
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [pool.submit(meet, tmp_path / str(i), personality) for i, personality in enumerate(personalities)]
    for (personality, point), run in zip(personalities.items(), runs):
        met = run.result()
        assert met.wrong == [] == met.unlisted, f"{personality}: {met.wrong} {met.unlisted}\n{met.trace}"
        assert point is None or point in met.answered, f"{personality}: {point} is not answered\n{met.trace}"


def test_an_esim_sale_tells_how_callbacks_come(tmp_path):
    met = meet(tmp_path / "one", "callback-field=urlVenda,esim-uuid=id-transacao,callback-repeat=fixed", esim=True)
    assert met.wrong == [], f"{met.wrong}\n{met.trace}"
    assert met.answered >= {"callback-field", "esim-uuid", "callback-repeat", "callback-until"}, met.trace
