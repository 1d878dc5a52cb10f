"""Tests GET /v1/provider/<path>: the provider's own answer, for the paths that the operator allows."""
import pytest
from harness.fake_provider import FakeProvider
from harness.processes import LOJA_A, LOJA_B
from harness.shop import Shop

ALLOW = ["/venda/catalogo", "/venda/tv/*", "/venda/com%20espa%C3%A7o", "/lista/"]


@pytest.fixture(scope="module")
def proxied(tmp_path_factory):
    fake = FakeProvider()
    store = Shop(tmp_path_factory.mktemp("proxy"), {"proxy.allow": ALLOW}, provider=fake)
    try:
        yield store.start()
    finally:
        store.close()
        fake.close()


@pytest.fixture
def shop(proxied):
    proxied.provider.clear()
    return proxied


def get(shop, path, **headers):
    return shop.till.get("/v1/provider" + path, **headers)


@pytest.mark.parametrize("path", ["/venda/catalogo", "/venda/tv/a", "/venda/tv/a/b/c", "/lista/",
                                  "/venda/com%20espa%C3%A7o", "/venda/com%20espa%c3%a7o", "/venda/cat%61logo",
                                  "/venda/tv/24%2F7", "/venda/tv/100%25"])
def test_an_allowed_path_is_asked_with_the_token(shop, path):
    answer = get(shop, path)
    (asked,) = shop.provider.requests
    assert asked.method == "GET" and asked.body == b""
    assert asked.headers["Authorization"].startswith("Bearer access-token-")
    assert answer.status == 404 and answer.json == {"mensagem": "nada"}, "the provider's own answer"


@pytest.mark.parametrize(
    "path",
    ["/venda", "/venda/catalog", "/venda/catalogo/", "/venda/catalogo/x", "/venda/tv", "/venda/tvx",
     "/venda/egift/x", "/venda/tv/../egift/solicitar", "/venda/tv/%2e%2e/egift/x", "/venda/tv/..", "/venda/./egift",
     "/lista", "/lista/x", "//venda/catalogo", "/VENDA/catalogo", "/authorization/token", "/venda%2Fcatalogo",
     "/venda/tv/x/../../catalogo/y", "/sandbox/transactions", "/venda/tv/..%2fegift/x", "/venda/tv/x%2F..%2F..%2Fegift",
     "/venda/tv/..%5Cegift", "/venda/tv/..%252fegift", "/venda/tv/%252e%252e/egift", "/venda/tv/..%25255Cegift"],
)
def test_any_other_path_is_403_and_asks_nobody(shop, path):
    answer = get(shop, path)
    # A path that leads out of /v1/provider/ is no path at all.
    answer.of(*((404, "not_found") if answer.status == 404 else (403, "forbidden")))
    assert shop.provider.requests == []


def test_a_plain_path_that_is_not_listed_is_403(shop):
    get(shop, "/venda/egift/catalogo").of(403, "forbidden")


def test_a_path_is_compared_after_normalising(shop):
    get(shop, "/venda/egift/../tv/./x")
    (asked,) = shop.provider.requests
    assert asked.target == "/venda/tv/x"


def test_the_query_string_goes_along_as_it_is(shop):
    get(shop, "/venda/tv/x?a=1&b=%C3%A7+d&a=2&vazio=")
    assert shop.provider.requests[0].target == "/venda/tv/x?a=1&b=%C3%A7+d&a=2&vazio="


@pytest.mark.parametrize("status", [200, 201, 302, 400, 403, 404, 410, 429, 500, 503])
@pytest.mark.parametrize(
    "body, kind", [(b'{"a": 1 }\n', "application/json"), (b"\x00\xff\xfe", "image/png"), (b"", "text/plain")]
)
def test_the_providers_status_and_body_come_back_as_they_are(shop, status, body, kind):
    shop.provider.on("/venda/catalogo", lambda request: (status, body, {"Content-Type": kind}))
    answer = shop.till.get("/v1/provider/venda/catalogo")
    assert (answer.status, answer.body) == (status, body)
    if body:
        assert answer.header("Content-Type") == kind
    assert answer.header("X-Request-Id")
    assert len(shop.provider.requests) == 1


@pytest.mark.parametrize("said, asked", [
    (None, "application/json"), ("*/*", "application/json"), ("text/html, application/*;q=0.9", "application/json"),
    ("application/json", "application/json"), ("text/csv", "text/csv")])
def test_anyone_who_takes_anything_is_given_what_the_provider_has(shop, said, asked):
    get(shop, "/venda/catalogo", **({"Accept": said} if said else {}))
    assert shop.provider.requests[0].headers["Accept"] == asked


def test_nothing_of_the_terminals_reaches_the_provider(shop):
    get(shop, "/venda/catalogo", Cookie="a=b", X_Forwarded_For="1.2.3.4")
    headers = {name.lower(): value for name, value in shop.provider.requests[0].headers.items()}
    assert "cookie" not in headers and "x-forwarded-for" not in headers
    assert shop.till.key not in str(headers)


def test_a_terminal_asks_for_its_families_and_for_no_establishment_of_others(new_shop, provider):
    shop = new_shop({"proxy.allow": ["/venda/*", "/lojas/*"]}, provider=provider).start()
    egift, tv = "/venda/egift/consulta-dinamica/{}/Jogos", "/venda/tv/consulta-dinamica/{}/TV"
    provider.clear()
    for terminal, path in [("so-tv", egift.format(LOJA_A)), ("caixa-01", tv.format(LOJA_B)), ("loja-b-01", tv.format(LOJA_A)),
                           ("loja-b-01", f"/lojas/{LOJA_A}"), ("loja-b-01", f"/lojas/todas?loja={LOJA_A}")]:
        shop.gateway.terminal(terminal).get("/v1/provider" + path).of(403, "forbidden")
    assert provider.requests == []
    for terminal, path in [("so-tv", tv.format(LOJA_A)), ("caixa-01", egift.format(LOJA_A)), ("loja-b-01", tv.format(LOJA_B)),
                           ("so-tv", "/lojas/todas"), ("caixa-01", tv.format("99999999"))]:
        shop.gateway.terminal(terminal).get("/v1/provider" + path)
        assert provider.requests[-1].target == path


def test_only_get_is_passed_on(shop):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        shop.till.request(method, "/v1/provider/venda/tv/solicitar", {}).of(405, "method_not_allowed")
    assert shop.provider.requests == []


def test_a_token_that_was_revoked_is_the_gateways_affair(shop):
    shop.provider.on("/venda/catalogo", [lambda request: (401, "{}"), lambda request: (200, {"produtos": []})])
    assert get(shop, "/venda/catalogo").of(200).json == {"produtos": []}
    first, _, second = (request.headers["Authorization"] for request in shop.provider.requests)
    assert first != second


def test_a_provider_that_cannot_be_reached_is_503(shop):
    shop.gate.shut()
    try:
        answer = shop.till.get("/v1/provider/venda/catalogo").of(503, "provider_unavailable")
        assert answer.header("Retry-After")
    finally:
        shop.gate.open()


def test_without_a_list_no_path_is_allowed(new_shop, provider):
    shop = new_shop(provider=provider).start()
    shop.till.get("/v1/provider/venda/catalogo").of(403, "forbidden")
