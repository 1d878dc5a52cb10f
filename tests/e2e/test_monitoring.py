"""Tests deploy/monitoring/: a gateway exposes every metric and label that its rules and its dashboard use, and every
alert has its tests and its chapter."""
import itertools
import json
import re
from datetime import date, timedelta

import pytest
import yaml
from harness import orders
from harness.certificates import make_authority, make_certificate, signed
from harness.client import Terminal
from harness.processes import ROOT
from harness.shop import Shop

FOLDER = ROOT / "deploy/monitoring"
# These pages have the chapters of the alerts: one for those that wake somebody, two for the next working day.
RUNBOOKS = {"page": ["alerts"], "ticket": ["alerts-sales", "alerts-machine"]}
# PromQL has these words, as far as they are used here.
WORDS = {"and", "or", "by", "offset", "absent", "changes", "count", "histogram_quantile", "increase", "max", "min",
         "rate", "sum", "time"}
# Prometheus adds these to everything that it reads, and makes one series itself.
ADDED = {"job", "instance"}
UP = ("up", {})

_STRING = r'"[^"]*"'
_MATCHERS = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_BY = re.compile(r"\b(?:by|on)\s*\(([^)]*)\)")


def plain(expression):
    """Removes what Grafana inserts."""
    return expression.replace("$__rate_interval", "5m").replace("$instance", ".*")


def selectors(expression):
    """Returns (metric, [(label, operator, value)]) for each series that an expression asks for."""
    text = _BY.sub(" by ", plain(expression))
    text = re.sub(r"\[[^\]]*\]|\boffset\s+\w+", " ", text)
    found = []
    for match in re.finditer(rf"([a-zA-Z_]\w*)\s*(\{{(?:[^\"}}]|{_STRING})*\}})?", text):
        if match[1] not in WORDS:
            found.append((match[1], _MATCHERS.findall(match[2] or "")))
    return found


def grouping(expression):
    """Returns the labels that an expression groups or matches by."""
    return {label.strip() for labels in _BY.findall(expression) for label in labels.split(",")}


def holds(labels, matchers):
    for label, operator, value in matchers:
        if label in ADDED:
            continue
        has = label in labels
        same = re.fullmatch(value, labels.get(label, "")) if "~" in operator else labels.get(label, "") == value
        if not has or bool(same) == operator.startswith("!"):
            return False
    return True


def parse(page):
    """Returns (metric, labels) for each sample."""
    found = [UP]
    for line in page.splitlines():
        if match := re.fullmatch(r"(\w+)(?:\{(.*)\})? \S+", line):
            found.append((match[1], dict(re.findall(r'(\w+)="([^"]*)"', match[2] or ""))))
    return found


def missing(expression, samples):
    """Returns what an expression asks for and nobody exposes."""
    for metric, matchers in selectors(expression):
        if not any(name == metric and holds(labels, matchers) for name, labels in samples):
            yield f"{metric} {matchers}"
    asked = {metric for metric, _ in selectors(expression)}
    labels = ADDED.union(*(labels for name, labels in samples if name in asked))
    yield from sorted(f"by {label}" for label in grouping(expression) - labels)


# --- what there is ---


def rules():
    document = yaml.safe_load((FOLDER / "alerts.yml").read_text())
    return [rule for group in document["groups"] for rule in group["rules"]]


def dashboard():
    return json.loads((FOLDER / "dashboard.json").read_text())


def panels():
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def queries():
    """Returns (where, expression) of everything that is asked of Prometheus."""
    found = [(rule["alert"], rule["expr"]) for rule in rules()]
    found += [(panel["title"], target["expr"]) for panel in panels() for target in panel["targets"]]
    return found + [(one["name"], one["expr"]) for one in dashboard()["annotations"]["list"]]


def keep_books(shop):
    """Closes the day before, and lets a statement be read."""
    yesterday = date.fromisoformat(shop.gateway.admin.get("/v1/totals").of(200).json["to"]) - timedelta(days=1)
    shop.gateway.admin.post("/v1/closes", {"day": str(yesterday)}).of(201)
    file = shop.sandbox.statement(("day", yesterday))
    shop.gateway.admin.request("POST", "/v1/statements", file, {"Content-Type": "text/plain"}).of(201)


@pytest.fixture(scope="module")
def samples(shop, store_with_certificates):
    """Returns what a gateway exposes after a few sales, and what one exposes that has certificates."""
    for order in (orders.tv(4900), orders.egift(5000), orders.transit(2000), orders.health()):
        shop.sell(order).of(200)
    shop.sell(orders.tv(4901)).of(402, "sale_refused")
    shop.sell(orders.tv(4902)).of(504, "sale_cancelled")
    keep_books(shop)
    held = shop.sell(orders.tv(confirm="manual")).of(200).json
    Terminal(shop.gateway.ports["terminals"], "a-guess").get("/v1/status").of(401, "unauthorized")
    pages = [store.gateway.admin.get("/metrics").of(200).body.decode() for store in (shop, store_with_certificates)]
    shop.till.cancel(held["id"]).of(200)
    return [sample for page in pages for sample in parse(page)]


@pytest.fixture(scope="module")
def store_with_certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    cert, key = make_certificate(folder, "store")
    own, own_key = signed(folder, "gateway", make_authority(folder))
    store = Shop(folder, {"listen.tls.cert": str(cert), "listen.tls.key": str(key), "listen.callbacks": None,
                          "provider.callback_url": None, "provider.base_url": "https://127.0.0.1:1",
                          "provider.client_cert": str(own), "provider.client_key": str(own_key)})
    try:
        store.gateway.start()
        yield store
    finally:
        store.close()


# --- it is all there ---


@pytest.mark.parametrize("where, expression", queries())
def test_what_is_asked_for_is_exposed(samples, where, expression):
    assert list(missing(expression, samples)) == []


@pytest.mark.parametrize("expression", [
    "gateway_provider_down == 1",
    'gateway_sales_attention{attention="contradicted"} > 0',
    'gateway_sales_final_total{state="NEGADA"}',
    "sum by (shop) (gateway_sales_open)",
    "rate(gateway_http_request_seconds[5m])",
    'gateway_http_request_seconds_bucket{le="20"}',
    "median(gateway_ready)",
])
def test_what_is_not_exposed_is_found_out(samples, expression):
    assert list(missing(expression, samples))


def test_the_documents_name_no_number_that_is_not_there(samples):
    text = "".join(page.read_text() for page in sorted((ROOT / "docs").glob("*.md")))
    named = set(re.findall(r"`((?:gateway|process)_\w+)", text))
    known = {name for name, _ in samples}
    assert named <= known | {name.removesuffix("_bucket") for name in known}


def test_the_legends_and_sentences_name_labels_that_are_left(samples):
    told = [(rule["expr"], re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) for rule in rules()]
    told += [(target["expr"], re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
             for panel in panels() for target in panel["targets"]]
    for expression, names in told:
        aggregated = re.match(r"\(?\s*(sum|min|max|count)\b", expression) or "histogram_quantile" in expression
        left = grouping(expression) - {"le"} if aggregated else ADDED | {
            label for name, labels in samples for label in labels if name in {one for one, _ in selectors(expression)}}
        assert set(names) <= left, expression


# --- the alerts ---


def test_every_alert_says_how_soon_why_and_where_to_read_on():
    for rule in rules():
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]
        page, _, chapter = rule["annotations"]["runbook"].partition("#")
        assert page in (f"/usr/share/doc/sales-gateway/docs/{name}.md" for name in RUNBOOKS[rule["labels"]["severity"]])
        assert chapter == rule["alert"].lower()


def test_every_alert_has_one_chapter_and_every_chapter_an_alert():
    chapters = [(f"/usr/share/doc/sales-gateway/docs/{name}.md", chapter)
                for names in RUNBOOKS.values() for name in names
                for chapter in re.findall(r"^### (\w+)$", (ROOT / f"docs/{name}.md").read_text(), re.M)]
    wanted = [(rule["annotations"]["runbook"].partition("#")[0], rule["alert"]) for rule in rules()]
    assert sorted(chapters) == sorted(wanted)


def test_every_alert_is_tested_firing_and_silent():
    document = yaml.safe_load((FOLDER / "alerts_test.yml").read_text())
    tested = [(case["alertname"], bool(case["exp_alerts"]))
              for test in document["tests"] for case in test["alert_rule_test"]]
    for rule in rules():
        assert {fires for name, fires in tested if name == rule["alert"]} == {True, False}, rule["alert"]


# --- the dashboard ---


def test_the_dashboards_panels_have_their_own_place_and_number():
    everything = dashboard()["panels"]
    numbers = [panel["id"] for panel in everything]
    assert len(numbers) == len(set(numbers))
    taken = set()
    for panel in everything:
        place = panel["gridPos"]
        assert place["x"] >= 0 and place["x"] + place["w"] <= 24, panel["title"]
        cells = set(itertools.product(range(place["x"], place["x"] + place["w"]),
                                      range(place["y"], place["y"] + place["h"])))
        assert cells and not cells & taken, panel["title"]
        taken |= cells


def test_the_dashboard_asks_for_its_prometheus_and_its_gateway():
    document = dashboard()
    variables = {variable["name"]: variable["type"] for variable in document["templating"]["list"]}
    assert variables == {"datasource": "datasource", "instance": "query"}
    assert document["schemaVersion"] == 37, "what Grafana 9 reads, and later ones bring up to date"
    assert "id" not in document, "a number of another Grafana's"
    for panel in panels():
        assert panel["title"] and panel["description"].endswith("."), panel["id"]
        assert panel["targets"], panel["title"]
        letters = [target["refId"] for target in panel["targets"]]
        assert len(letters) == len(set(letters)), panel["title"]
        for asked in (panel, *panel["targets"]):
            assert asked["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, panel["title"]
        for target in panel["targets"]:
            assert 'instance=~"$instance"' in target["expr"], panel["title"]
