"""The command of sales-gateway-close.service, as it stands, asks a real gateway to close the day before."""
import os
from datetime import date, timedelta

from harness.commands import address_of
from harness.processes import GATEWAY
from sftp_server import Unit
from test_reconcile import today


def close(store):
    unit = Unit("sales-gateway-close.service",
                {"/usr/bin/sales-gateway close": f"{GATEWAY} close --admin {address_of(store)}"})
    return unit.run({"PATH": os.environ["PATH"]})


def test_the_day_before_is_closed_once_however_often_the_timer_says_so(new_shop):
    store = new_shop({"store.timezone": "America/Sao_Paulo"}).start()
    yesterday = str(date.fromisoformat(today()) - timedelta(days=1))
    status, said = close(store)
    assert status == 0, said
    closes = store.gateway.admin.get("/v1/closes").of(200).json["closes"]
    assert {(one["day"], one["by"]) for one in closes} == {(yesterday, "timer")}
    status, said = close(store)
    assert status == 0 and said
    assert store.gateway.admin.get("/v1/closes").of(200).json["closes"] == closes


def test_without_a_gateway_it_fails_and_is_tried_again(new_shop):
    store = new_shop().start()
    store.gateway.stop()
    status, said = close(store)
    assert status == 1 and "error" in said
