"""Compares what is written by hand about the command line, bash's completion and the manual pages, with what --help
says and the commands print."""
import json
import re
import shlex
import subprocess

import pytest
from harness import orders
from harness.processes import GATEWAY, ROOT, run_to_end

STATUSES = ["PENDENTE", "AUTORIZADA", "EFETIVADA", "CANCELADA", "NEGADA"]


def help_of(folder, *command):
    status, out, err = run_to_end([GATEWAY, *command, "--help"], folder)
    assert (status, err) == (0, "")
    return out


def commands(folder):
    listed = help_of(folder).split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.M)


def options(folder, *command):
    return re.findall(r"^  (?:-\w,)?(--[a-z-]+)", help_of(folder, *command), re.M)


def all_of(folder):
    """Returns every command with its options; the empty one is the program's own."""
    return {"": options(folder)} | {command: options(folder, command) for command in commands(folder)}


@pytest.fixture
def complete(tmp_path):
    """Returns what bash offers after a line that was typed as far as this."""
    (tmp_path / "copy.db").touch()

    def offered(line):
        words = line.split(" ")
        script = f"""
            source {shlex.quote(str(ROOT / 'deploy/package/bash-completion'))}
            COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
            COMP_WORDS=({' '.join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1}
            _sales_gateway {shlex.quote(GATEWAY)}
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-uc", script], cwd=tmp_path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin"})
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout.split()

    return offered


def test_every_command_and_option_is_completed(complete, tmp_path):
    assert sorted(complete("sales-gateway ")) == sorted(commands(tmp_path))
    for command, known in all_of(tmp_path).items():
        line = f"sales-gateway {command} -" if command else "sales-gateway -"
        assert sorted(complete(line)) == sorted(known), command


def test_what_an_option_takes_is_offered(complete):
    assert sorted(complete("sales-gateway sales --status ")) == sorted(STATUSES)
    assert complete("sales-gateway sales --status E") == ["EFETIVADA"]
    assert complete("sales-gateway sales --from t") == ["today"]
    assert complete("sales-gateway close --day y") == ["yesterday"]
    assert sorted(complete("sales-gateway totals --lang ")) == ["en", "pt"]
    assert complete("sales-gateway totals --by c") == ["cashier"]
    assert complete("sales-gateway status --config co") == ["copy.db"]
    assert complete("sales-gateway restore co") == ["copy.db"]
    assert complete("sales-gateway --config copy.db sta") == ["status"]
    assert sorted(complete("sales-gateway probe --family ")) == ["egift", "esim", "health", "transit", "tv"]
    assert sorted(complete("sales-gateway openapi ")) == ["admin", "terminals"]
    assert complete("sales-gateway sales --note ") == [], "a text of one's own"


def test_ids_are_asked_for_and_none_is_offered_where_no_gateway_answers(new_shop, complete):
    shop = new_shop({"sale.attention_after": "100ms"}).start()
    ids = [shop.sell(orders.tv()).of(200).json["id"] for _ in range(3)]
    address = "%s:%d" % shop.gateway.ports["admin"]
    for command in ("show", "resolve"):
        assert complete(f"sales-gateway {command} --admin {address} ") == sorted(ids)
    assert complete(f"sales-gateway show --admin {address} {ids[0]}") == [ids[0]]
    shop.gateway.stop()
    assert not set(complete(f"sales-gateway show --admin {address} 0")) & set(ids)


def test_every_command_option_and_exit_code_is_in_the_manual(tmp_path):
    page = (ROOT / "deploy/package/sales-gateway.8").read_text().replace("\\-", "-")
    for command, known in all_of(tmp_path).items():
        if command:
            assert re.search(rf"^\.(B|BI|BR) \"?{command}\b", page, re.M), command
        for option in set(known) - {"--help"}:
            assert re.search(rf"^\.(B|BI|BR|RB|IR)\b.*{option}\b", page, re.M), (command, option)
    exits = page.split(".SH EXIT STATUS")[1].split(".SH")[0]
    told = re.findall(r"^  (\d)   ", help_of(tmp_path), re.M)
    assert told == re.findall(r"^\.B (\d)$", exits, re.M)


def words_of_sales(table):
    """Returns the words that a table of the program says of a sale."""
    words = (ROOT / "gateway/sale/sale.cpp").read_text()
    return re.findall(r'"(\w+)"', re.search(rf"constexpr std::array {table}\{{(.*?)\n?\}};", words, re.S)[1])


def test_every_word_that_is_said_of_a_sale_is_in_the_manual():
    page = (ROOT / "deploy/package/sales-gateway.8").read_text()
    for table in ("statuses", "outcomes", "attempt_states", "reason_codes", "attentions"):
        for word in words_of_sales(table):
            assert word == "none" or re.search(rf"^\.BR? {word}\b", page, re.M), word


def test_the_manual_in_portuguese_has_what_the_commands_print_for_these_words():
    page = (ROOT / "deploy/package/pt_BR/sales-gateway.8").read_text()
    printed = json.loads((ROOT / "gateway/words/pt-BR.json").read_text())
    for table, group in (("outcomes", "text.outcome"), ("attempt_states", "state"), ("attentions", "mark")):
        for word in set(words_of_sales(table)) - {"none"}:
            assert f'\n.BR {word} " ({printed[f"{group}.{word}"]})"\n' in page, word
