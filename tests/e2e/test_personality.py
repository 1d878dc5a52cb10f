"""Tests how the sandbox provider is told, and tells, what it does where the provider's interface document leaves it
open."""
import re

import pytest
from harness import orders
from harness.processes import SANDBOX, Sandbox, run_to_end

PAGE = "/sandbox/personality"


@pytest.fixture
def page_with(tmp_path):
    """Returns what GET /sandbox/personality shows with these options."""
    started = []

    def page(options):
        folder = tmp_path / str(len(started))
        folder.mkdir()
        started.append(Sandbox(folder, options))
        return started[-1].call("GET", PAGE).json

    yield page
    for sandbox in started:
        sandbox.kill()


def values(page):
    return {name: point["value"] for name, point in page.items()}


def test_help_names_every_point_and_alternative_that_the_page_has(tmp_path, page_with):
    status, out, _ = run_to_end([SANDBOX, "--help"], tmp_path)
    assert status == 0
    out = out[out.index("A personality is"):]  # the other options stand before this
    blocks = {m[1]: m[0] for m in re.finditer(r"^  --([a-z-]+) .*\n(?:      .*\n)+", out, re.MULTILINE)}
    page = page_with({})
    assert set(blocks) == set(page) and len(page) > 40
    for name, point in page.items():
        assert point["value"] == point["alternatives"][0], f"{name}: the first one is the sandbox's own way"
        assert point["meaning"] and point["help"] and point["question"]
        for alternative in point["alternatives"]:
            assert re.search(rf"^      {re.escape(alternative)} +\S", blocks[name], re.MULTILINE), (name, alternative)


def test_points_are_set_by_their_options_by_a_list_and_by_a_file(tmp_path, page_with):
    plain = values(page_with({}))
    wanted = {"cancel-unknown": "200-cancelada", "id-length": "27", "open-sales-end-tv": "48h"}
    listed = ",".join(f"{name}={value}" for name, value in wanted.items())
    file = tmp_path / "provider.txt"
    file.write_text("# what the analyst answered\n" + listed.replace(",", "\n") + "\n")
    for options in ({f"--{name}": value for name, value in wanted.items()}, {"--personality": listed},
                    {"--personality": str(file)}):
        page = page_with(options)
        assert values(page) == plain | wanted, options
        assert page["cancel-unknown"]["meaning"].startswith("CANCELADA")
    one = page_with({"--id-length": "30", "--open-sales-end": "1h", "--personality": listed})
    assert values(one) == plain | wanted | {"id-length": "30"} | {n: "1h" for n in plain if n.startswith("open-sales")}


def test_one_by_chance_can_be_had_again(page_with):
    first = values(page_with({"--personality": "random=12"}))
    assert first == values(page_with({"--personality": "random=12"}))
    assert first != values(page_with({"--personality": "random=13"}))


@pytest.mark.parametrize(
    "options, words",
    [
        (["--cancel-unknown", "perhaps"], "cancel-unknown must be 404, 400"),
        (["--personality", "no-such=1"], 'there is no "no-such"'),
        (["--personality", "/no/such/file"], "the file cannot be read"),
    ],
)
def test_what_is_not_understood_is_refused_in_words(tmp_path, options, words):
    status, out, err = run_to_end([SANDBOX, *options], tmp_path)
    assert status != 0 and words in out + err


def test_a_gateway_sells_to_a_provider_of_another_kind(new_shop):
    shop = new_shop(sandbox={"--personality": "sale-http=201,confirm-again=409-status,error-body=message,"
                                              "keep-alive-requests=1,expires-in=s,refresh-token=stays"}).start()
    for _ in range(2):
        assert shop.sell(orders.tv()).of(200).json["status"] == "EFETIVADA"
