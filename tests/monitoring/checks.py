#!/usr/bin/python3
"""tests/monitoring/run.sh tries this with a running gateway: promtool checks what it exposes, and a Prometheus reads
it. The argument is the folder of these two programs."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import yaml  # noqa: E402
from harness import orders  # noqa: E402
from harness.processes import Process  # noqa: E402
from harness.shop import Shop  # noqa: E402
from harness.waiting import eventually  # noqa: E402
from test_monitoring import FOLDER, keep_books, panels, plain, queries, rules  # noqa: E402

# These panels have nothing to show for a gateway that is well and has no TLS.
EMPTY = {"Sales that need a person", "Findings", "Certificates last"}


class Prometheus(Process):
    """This Prometheus reads one gateway every two seconds, with the rules as they are."""

    def __init__(self, programs, folder, gateway):
        document = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
        document["global"] = {"scrape_interval": "2s", "evaluation_interval": "2s"}
        del document["alerting"]
        document["scrape_configs"][0]["static_configs"] = [{"targets": ["%s:%d" % gateway]}]
        shutil.copy(FOLDER / "alerts.yml", folder)
        (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
        super().__init__([str(programs / "prometheus"), f"--config.file={folder}/prometheus.yml",
                          f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:0"], folder,
                         "prometheus")
        # If a caller asks for any port, Prometheus names it on standard error, in a form of its own.
        found = eventually(lambda: re.search(r"Listening on\" address=([0-9.:]+)", self.errors()), "Prometheus listens")
        self.url = f"http://{found[1]}"
        eventually(lambda: "Server is ready" in self.errors(), "Prometheus answers")

    def ask(self, path, **parameters):
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}") as answer:
            told = json.load(answer)
        assert told["status"] == "success", told
        return told["data"]

    def has(self, expression):
        return bool(self.ask("query", query=expression)["result"])

    def alerts(self):
        return {alert["labels"]["alertname"]: alert["state"] for alert in self.ask("alerts")["alerts"]}


def done(what):
    print(f"ok  {what}", flush=True)


def sell(shop):
    """Makes sales with every outcome."""
    for order in (orders.tv(4900), orders.egift(5000), orders.transit(2000), orders.health()):
        shop.sell(order).of(200)
    shop.sell(orders.tv(4901)).of(402, "sale_refused")
    shop.sell(orders.tv(4902)).of(504, "sale_cancelled")
    shop.sell(orders.tv(confirm="manual")).of(200)
    shop.till.get("/v1/status").of(200)


def check_metrics(programs, shop):
    page = shop.gateway.admin.get("/metrics").of(200).body
    told = subprocess.run([programs / "promtool", "check", "metrics"], input=page, capture_output=True, check=False)
    assert told.returncode == 0, (told.stdout + told.stderr).decode()
    done("promtool finds nothing wrong with the metrics of a gateway that has sold")


def check_queries(prometheus):
    for where, expression in queries():
        assert prometheus.ask("query", query=plain(expression)) is not None, where
    # They are made twice: the first numbers are no rate yet.
    eventually(lambda: prometheus.has("rate(gateway_sales_begun_total[5m]) > 0"), "there are rates")
    assert empty_panels(prometheus) == EMPTY, empty_panels(prometheus)
    done(f"Prometheus answers all {len(queries())} queries, and {len(panels()) - len(EMPTY)} panels show something")


def empty_panels(prometheus):
    return {panel["title"] for panel in panels()
            if not any(prometheus.has(plain(target["expr"])) for target in panel["targets"])}


def check_an_outage(prometheus, shop):
    assert "SalesGatewayProviderAway" not in prometheus.alerts()
    shop.gate.shut()
    shop.sell(orders.tv(4900)).of(503, "provider_unavailable")
    eventually(lambda: "SalesGatewayProviderAway" in prometheus.alerts(), "the outage is an alert")
    done(f"a provider that goes away is an alert: {prometheus.alerts()}")
    shop.gate.open()
    eventually(lambda: "SalesGatewayProviderAway" not in prometheus.alerts(), "the outage is over")
    done("and none when it is back, though nobody has sold")


def check_restarts(prometheus, shop):
    for _ in range(3):
        began = shop.gateway.metric("process_start_time_seconds")
        eventually(lambda: prometheus.has(f"process_start_time_seconds == {began!r}"), "Prometheus has seen this start")
        port = shop.gateway.ports["admin"][1]
        shop.gateway.document["listen"]["admin"] = f"127.0.0.1:{port}"
        shop.gateway.write_config()
        shop.gateway.kill()
        shop.start()
    eventually(lambda: prometheus.alerts().get("SalesGatewayRestarts") == "firing", "three starts are an alert")
    done("three starts in a row wake somebody")


def main(programs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shop = Shop(folder).start()
        prometheus = None
        try:
            sell(shop)
            keep_books(shop)
            check_metrics(programs, shop)
            prometheus = Prometheus(programs, folder, shop.gateway.ports["admin"])
            eventually(lambda: prometheus.has('up{job="sales-gateway"} == 1'), "Prometheus reads the gateway")
            assert len(prometheus.ask("rules")["groups"]) > 0
            sell(shop)
            check_queries(prometheus)
            assert not prometheus.alerts(), prometheus.alerts()
            done(f"none of the {len(rules())} alerts is about a gateway that is well")
            check_an_outage(prometheus, shop)
            check_restarts(prometheus, shop)
        finally:
            if prometheus:
                prometheus.kill()
            shop.close()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
