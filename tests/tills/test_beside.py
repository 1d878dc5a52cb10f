"""A settle() runs beside a sell() of the same program, for example from a timer, while a customer is paying."""
import pathlib

import pytest

# These programs use a client, which lies beside them, and say what became of the sale as a till does.
PROGRAMS = {
    "python": ("/usr/bin/python3", "beside.py", """\
import os
import sys
from sales_gateway import SalesGateway
from till import print_receipt

told = os.environ.get
gateway = SalesGateway([told("SALES_GATEWAY")], told("SALES_GATEWAY_KEY"), told("SALES_GATEWAY_FOLDER"), print_receipt)


def paid():
    assert gateway.settle() == []
    return True


result = gateway.sell(sys.argv[2], paid)
print(result.outcome, result.key, result.sale_id)
"""),
    "typescript": ("node", "beside.mjs", """\
import { appendFileSync } from "node:fs";
import { SalesGateway } from "./sales_gateway.js";

const { SALES_GATEWAY: address, SALES_GATEWAY_KEY: key, SALES_GATEWAY_FOLDER: folder } = process.env;
const print = (receipt) => appendFileSync(process.env.SALES_GATEWAY_PRINTER, receipt);
const gateway = new SalesGateway([address], key, folder, print);
const paid = async () => (await gateway.settle()).length === 0;
const result = await gateway.sell(process.argv[3], paid);
console.log(result.outcome, result.key, result.saleId);
"""),
}


def test_leaves_alone_what_is_being_sold(world, till, pytestconfig):
    language_name = pytestconfig.getoption("--till")
    if language_name not in PROGRAMS:
        pytest.skip("this client makes one call at a time, as its head says")
    interpreter, name, text = PROGRAMS[language_name]
    program = pathlib.Path(world.command[-1]).with_name(name)
    program.write_text(text)
    usual, world.command = world.command, [interpreter, str(program)]
    order = world.order(confirm="manual")
    run = till.sell(order)
    world.command = usual
    assert run.status == 0 and run.out.startswith("sold "), run
    world.check(order)
    assert world.sold(order) and len(till.receipts()) == 1
