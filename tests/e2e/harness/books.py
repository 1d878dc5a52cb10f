"""Checks the promises of never-lose-a-sale with the journal of one or several gateways and the provider's books."""
import json

from .waiting import eventually


def all_sales(admin):
    """Returns every sale of the journal with its attempts, as the operator sees them."""
    sales, cursor = [], ""
    while True:
        page = admin.get("/v1/sales?limit=200" + cursor).of(200).json
        sales += page["sales"]
        if page["next"] is None:
            return [admin.get(f"/v1/sales/{sale['id']}").of(200).json for sale in sales]
        cursor = f"&cursor={page['next']}"


def settled_or_for_a_person(admin, sale_id):
    def look():
        sale = admin.get(f"/v1/sales/{sale_id}").of(200).json
        return sale["settled"] or sale["attention"]

    eventually(look, f"the sale {sale_id} is settled, or a person is asked to look")


def agree(admin, sandbox, settled=True, unknown=None):
    """Compares the journal, as the operator of a gateway sees it, with the provider's books. Where copies were put
    back, `unknown` has the transactions that they do not know."""
    sales = all_sales(admin)
    if settled:
        for sale in sales:
            settled_or_for_a_person(admin, sale["id"])
        sales = all_sales(admin)
    owners = {attempt["idExterno"]: sale for sale in sales for attempt in sale["attempts"]}
    books = {entry["idExterno"]: entry for entry in sandbox.transactions(history=True)}
    for id_externo, entry in books.items():
        assert entry["calls"]["solicitar"] <= 1, entry
        if id_externo in (unknown or ()):
            continue
        assert id_externo in owners, f"the provider knows {id_externo}, the journal does not"
        sale = owners[id_externo]
        if settled and not sale["attention"]:
            assert entry["status"] != "AUTORIZADA", f"left AUTORIZADA: {entry} of {sale}"
        if unknown is not None and sale["attention"]:  # a copy does not know when the cancel was decided
            continue
        for step in ("confirmar", "cancelar"):
            bodies = {seen["body"] for seen in entry["history"] if seen["step"] == step}
            assert len(bodies) <= 1, f"the repeats of a {step} differ: {entry}"
    for sale in sales:
        known = [books[a["idExterno"]]["status"] for a in sale["attempts"] if a["idExterno"] in books]
        sold = known.count("EFETIVADA")
        by_operator = sale["reason"] and sale["reason"]["code"] == "operator"
        if sale["attention"] or by_operator:  # a person's decision may differ from the provider's books
            continue
        assert sold == (1 if sale["status"] == "EFETIVADA" else sold if not sale["final"] else 0), (sale, known)
        assert sold <= 1, (sale, known)
    departures = sandbox.requests()["departures"]
    assert departures["count"] == 0, json.dumps(departures, indent=1)
