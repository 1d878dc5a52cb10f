"""The other sales of a full journal are copies of this one."""
from . import peers
from .caller import Caller
from .fill import Template
from .rig import Rig, free_port

_KEY = "first-of-all-sales"  # nothing else in a sale has this in it


def first_sale(folder):
    """Makes a journal with one sale that is sold, and returns both."""
    provider = free_port()
    gateway = peers.Gateway(folder, provider)
    with Rig(provider=provider, name="first"), gateway, Caller(gateway.port) as caller:
        answer = caller.sell(_KEY)
        assert answer.status == 200, f"the first sale was not sold: {answer.body[:300]!r}"
    return gateway.journal, Template(answer.json["id"], answer.json["idExterno"], _KEY, "7")
