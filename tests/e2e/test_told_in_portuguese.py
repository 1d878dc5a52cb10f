"""Whoever asks for Portuguese, by LANG, is told so what the configuration and the command line have to say. What is
compared with it is the same in English: each sentence must be another one."""
import re

import pytest
from harness import orders
from harness.processes import GATEWAY, configuration, run_to_end, toml

PORTUGUESE = {"LC_ALL": "pt_BR.UTF-8"}
ENGLISH = {"LC_ALL": "C"}
WORDS = re.compile(r"(?<![\w-])(?:the|of|is|are|and|not|must|be|such|with|without|which|that|to|it|in|on|by|from|"
                   r"write|only|than|too|nobody|missing|there|or|an|what|where|whose|error|warning|required|file|"
                   r"print|say|list|ask)(?![\w-])", re.IGNORECASE)
# These belong to no language: what stands in quotes, commands with their options, paths, addresses and keys.
NO_WORDS = re.compile(r'"[^"]*"|(?:--|/)\S+|sales-gateway(?: [a-z-]+)?|\[\[?[^\[\]]*\]\]?|[\w*]+(?:[.:=-]\w+)+|\{[^}]*\}')


def english_in(text):
    return WORDS.findall(NO_WORDS.sub("", text))


def both(arguments, folder, typed=""):
    """Returns what is said in English and in Portuguese: two texts, of standard output and then standard error."""
    english = run_to_end([GATEWAY, *arguments], folder, typed=typed, **ENGLISH)
    portuguese = run_to_end([GATEWAY, *arguments], folder, typed=typed, **PORTUGUESE)
    assert english[0] == portuguese[0], (english, portuguese)
    return english[1] + english[2], portuguese[1] + portuguese[2]


# --- --help ---

# A text that is in English what it is in Portuguese.
THE_SAME = {"INT", "STATUS", "ID", "URL"}


def commands_of(text):
    return re.findall(r"^  ([a-z-]+) {2,}\S", text.split("\nSubcommands:\n")[1].split("\n\n")[0], re.MULTILINE)


def described(text):
    """Returns what stands behind each command, option and argument, by its name."""
    lines = re.sub(r"\n {20,}", "   ", re.split("\n(?:Signals|Sinais) ", text)[0])
    return dict(re.findall(r"^  (-\S+|[a-z-]+|[A-ZÀ-Ú-]+)(?: \S.*?)? {2,}(\S.*)$", lines, re.MULTILINE))


def test_the_help_of_every_command_is_portuguese(tmp_path):
    english, _ = both(["--help"], tmp_path)
    commands = [command for command in commands_of(english) if command != "probe"]  # which is a program of its own
    assert len(commands) == 20, commands
    for command in [[], *([command] for command in commands)]:
        english, portuguese = both([*command, "--help"], tmp_path)
        ours, theirs = described(portuguese), described(english)
        assert [name for name in ours if not name.isupper()] == [name for name in theirs if not name.isupper()], command
        assert "-h,--help" in ours and len(ours) == len(theirs), (ours, theirs)
        for name, text, its_text in zip(ours, ours.values(), theirs.values()):
            assert text != its_text or text in THE_SAME, (command, name, text)
        before_text = re.finditer(r"^  -\S+(?: \S+)* {2,}(?=\S)", portuguese, re.MULTILINE)
        columns = {len(match[0]) for match in before_text}
        assert columns == {30}, (columns, portuguese)
        assert "\nUso: sales-gateway" in portuguese and "\nOpções:\n" in portuguese, portuguese
        # The footer names the commands.
        found = english_in("\n".join(portuguese.splitlines()[:8] + list(ours.values())))
        assert not found, (command, found, portuguese)


# --- a wrong command line ---

WRONG = [[], ["--config"], ["sell"], ["staus"], ["show"], ["show", "a", "b"], ["sales", "--limit", "0"], ["sales", "--limit", "x"],
         ["sales", "--key", ""], ["sales", "--status", "VENDIDA"], ["sales", "--atention"], ["status", "--admin", "9090"],
         ["resolve", "X", "--note", "n"], ["resolve", "X", "--note"], ["resolve", "X", "--sold"],
         ["resolve", "X", "--note", "n", "--not-sold", "--url", "u"], ["totals", "--csv", "--json"],
         ["totals", "--to", "today"], ["totals", "--by", "famly"], ["reconcile"], ["openapi", "x"],
         ["new-operator", "maria", "--role", "boss"], ["new-terminal", "caixa 01"], ["new-operator", "a\tb"],
         ["status", "--config", "nowhere.toml"], ["attention", "--config", "nowhere.toml"], ["backup", "c.db", "--config", "/"],
         ["copy-journal"], ["copy-journal", "--from", "a.db", "--to", "a.db"], ["findings", "--note", "n"],
         ["sales", "--json=maybe"]]


@pytest.mark.parametrize("arguments", WRONG)
def test_what_is_wrong_with_a_command_line_is_said_in_portuguese(tmp_path, arguments):
    (tmp_path / "a.db").write_text("")
    english, portuguese = both(arguments, tmp_path)
    assert english.startswith("error: ") and portuguese.startswith("erro: "), portuguese
    assert english.count("\n") == portuguese.count("\n")
    assert not english_in(portuguese.replace("sales-gateway status ", "")), (english_in(portuguese), portuguese)


# --- new-terminal, new-operator ---

def test_what_is_to_be_done_with_new_lines_is_said_in_portuguese(tmp_path):
    english, portuguese = both(["new-terminal", "caixa-09"], tmp_path)
    assert "This is the key" in english and "Esta é a chave" in portuguese
    assert 'id = "caixa-09"' in portuguese and not english_in(portuguese.split("\n\n")[1]), portuguese
    for password, says in (("curta", "a senha precisa ter 10 caracteres ou mais"), ("uma frase bem longa", "depois de um reload")):
        english, portuguese = both(["new-operator", "maria"], tmp_path, typed=password + "\n")
        assert says in portuguese and says not in english
        assert not english_in(portuguese.replace("[[operators]]", "").split("role = ")[-1]), portuguese


# --- the journal ---

def test_the_journals_own_commands_speak_portuguese(new_shop):
    shop = new_shop().start()
    shop.sell(orders.tv()).of(200)
    config = ["--config", str(shop.gateway.config)]

    def say(*arguments):
        status, out, err = run_to_end([GATEWAY, *arguments, *config], shop.folder, **PORTUGUESE)
        found = english_in(out + err)
        assert out + err and not found, (arguments, status, found, out, err)
        return out + err

    assert "é uma cópia verificada de" in say("backup", "copy.db")
    assert say("attention").startswith("Nenhuma venda")
    assert "é de um só gateway" in say("gateways")
    shop.gateway.stop()
    assert "agora é o diário de que copy.db é uma cópia" in say("restore", "copy.db")
    assert "marcado como restaurado" in say("mark-restored")
    (shop.folder / "journal.db").rename(shop.folder / "old.db")
    assert "não há diário" in say("attention")


# --- check-config ---

def changed(folder, changes):
    file = folder / "gateway.toml"
    file.write_text(changes if isinstance(changes, str) else toml(configuration(folder, "http://127.0.0.1:9",
                                                                                 "http://127.0.0.1:9", changes)))
    file.chmod(0o600)
    return ["check-config", "--config", str(file)]


MANY_FAULTS = r'''
listen = 3
nonsense = true
[provider]
environment = "test"
base_url = "http://192.168.0.9/venda"
auth_url = "https://user@auth.store/authorization/token"
proxy = "https://proxy.store:3128/x"
app_ley = "x"
app_secret = "abc"
app_secret_file = "/nowhere/secret"
scopes = ["Venda Egift", "Venda_Egif", ""]
pinned_key = ["abc"]
id_prefix = "loja"
connect_timeout = 3
request_timeout = "9 years"
callback_url = "http://store.example/x"
callback_field = "produto"
health_cancel_path = "/venda/{health}/confirmar"
status_path = "/venda/{id}"
list_path = "list"
ca_file = "/nowhere/ca"
client_cert = "/nowhere/cert"
[sale]
max_attempts = 11
duplicate_window = "1ms"
confirm_window = "1s"
[limits]
body = "many"
[proxy]
allow = ["venda", "/a/../b", "/a?b"]
[journal]
path = ":memory:"
key_file = "/nowhere/key"
[store]
timezone = "America/Sao_Paolo"
[close]
at = "25:00"
[console]
help = 3
[log]
level = "loud"
format = "xml"
[printer]
cp860 = 256
[statement]
separator = "ab"
covers = "all"
money = "reais"
header_money = "reais"
counts = "some"
day = "theirs"
encoding = "utf-16"
time = "xx"
zone = "Nowhere/Atall"
settle = true
folder = "/nowhere/statements"
[statement.detail]
column = 1
[statement.columns]
valor = 1
nsu = 1
[statement.words]
EFETIVADA = ["a", "a;b"]
CANCELADA = ["a"]
[[terminals]]
id = "caixa 01"
key_sha256 = "abc"
families = ["tv", "games"]
[[terminals]]
id = "caixa-02"
key_sha256 = ["0000000000000000000000000000000000000000000000000000000000000000", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]
families = ["tv", "tv"]
[[terminals]]
id = "caixa-02"
families = []
[[operators]]
name = "console"
password = "secret"
role = "boss"
[[products]]
family = "tv"
nomeMenu = "x"
label = ""
[[products]]
produto = "“x”"
'''


def test_many_faults_are_all_told_in_portuguese(tmp_path):
    english, portuguese = both(changed(tmp_path, MANY_FAULTS), tmp_path)
    ours, theirs = portuguese.splitlines(), english.splitlines()
    assert len(ours) == len(theirs) >= 55, english
    for one, other in zip(ours, theirs):
        place, said = re.fullmatch(r"(?:erro|aviso): (\S+?gateway\.toml(?::\d+)?: (?:[\w.\[\]]+: )?)(.*)", one).groups()
        assert re.sub("^(error|warning): ", "", other).startswith(place), (one, other)
        assert not other.endswith(said) and not english_in(said), (english_in(said), one, other)


@pytest.mark.parametrize("text", [
    "[provider]\nbase_url = “x”\n", '[provider]\nbase_url = "x\n', "base_url\n", "[provider\n", "[a]\n[a]\n", "a: b\n",
    "// x\n", "a = yes\n", "a = 01\n", "a = x\n", 'a = "b" c\n', "a = [1\nb = 2\n", 'a = "\\x"\n', "a =\n", "= 3\n", "a = 1\na = 2\n",
    "provider]\n", 'a = """x\n', "a = {b = 1\n", "a = = b\n", "é = 1\n", "a = 'x”\n", 'a = "C:\\"\n'])
def test_what_is_no_toml_is_told_in_portuguese(tmp_path, text):
    english, portuguese = both(changed(tmp_path, text), tmp_path)
    assert "is not TOML: " in english and "não é TOML: " in portuguese
    assert not english_in(portuguese), (english_in(portuguese), portuguese, english)


@pytest.mark.parametrize("changes", [
    {}, {"journal.path": None}, {"journal.path": "/nowhere/journal.db"}, {"journal.path": "."}, {"listen.admin": "0.0.0.0:0"},
    {"listen.admin": "192.0.2.1:0"}, {"listen.console": "0.0.0.0:0"}, {"listen.trusted_proxies": ["10.0.0.1/8", "x", "0.0.0.0/0"]},
    {"listen.proxy_protocol": True}, {"listen.callbacks": "127.0.0.1:0"}, {"terminals": []}, {"listen.tls.cert": "x.pem"},
    {"listen.tls.client_ca": "gateway.toml"}, {"listen.tls.cert": "gateway.toml", "listen.tls.key": "gateway.toml"},
    {"provider.estabelecimento": None}, {"provider.app_key": " x "}, {"provider.base_url": None},
    {"journal.key_file": "gateway.toml"}, {"journal.gateway": "x"}, {"journal.url": "postgresql://gateway@/journal"},
    {"listen.admin_names": ["http://x"]}, {"provider.app_key": "…"}, {"provider.base_url": "http://10.0.0.1"}])
def test_so_is_each_fault_alone(tmp_path, changes):
    english, portuguese = both(changed(tmp_path, changes), tmp_path)
    assert english.count("\n") == portuguese.count("\n")
    assert not english_in(portuguese), (english_in(portuguese), portuguese, english)
