"""After the suite, every answer that the documents promise was seen from the real programs, or is known not to be."""
from harness import contract

LAST = True  # runs after all others, in a run of everything

# They are described because the gateway would answer so, but no test can bring them about from outside.
NO_JOURNAL_TO_READ = "a journal that cannot even be read: a broken disk, which the simulation has"
NOT_SEEN = {
    "admin askForSales 503": NO_JOURNAL_TO_READ,
    "admin getClose 503": NO_JOURNAL_TO_READ,
    "admin getCloseCsv 503": NO_JOURNAL_TO_READ,
    "admin getCloseReceipt 503": NO_JOURNAL_TO_READ,
    "admin getFinding 503": NO_JOURNAL_TO_READ,
    "admin getSale 503": NO_JOURNAL_TO_READ,
    "admin getStory 503": NO_JOURNAL_TO_READ,
    "admin getTotals 503": NO_JOURNAL_TO_READ,
    "admin importList 503": NO_JOURNAL_TO_READ,
    "admin importStatement 503": NO_JOURNAL_TO_READ,
    "admin listAttention 503": NO_JOURNAL_TO_READ,
    "admin listCloses 503": NO_JOURNAL_TO_READ,
    "admin listFindings 503": NO_JOURNAL_TO_READ,
    "admin listSales 503": NO_JOURNAL_TO_READ,
    "admin listStatements 503": NO_JOURNAL_TO_READ,
    "admin listTerminals 503": NO_JOURNAL_TO_READ,
    "admin resolveFinding 503": NO_JOURNAL_TO_READ,
    "terminals getSale 503": NO_JOURNAL_TO_READ,
    "terminals getTotals 503": NO_JOURNAL_TO_READ,
    "terminals listSales 503": NO_JOURNAL_TO_READ,
}


def own_answers(name):
    """Returns the answers of the operations themselves, without those of the server before it knows which operation was
    meant."""
    servers_own = {f"#/components/responses/{component}" for component in contract.SERVERS_OWN}
    for named, response in contract.DOCUMENTS[name].operations():
        if response.get("$ref") not in servers_own:
            yield named, contract.DOCUMENTS[name].resolved(response)


def test_every_described_answer_was_seen():
    described = set()
    for name in contract.NAMES:
        for (operation, status), _ in own_answers(name):
            described.add(f"{name} {operation} {status}")
    seen = {" ".join(line[:3]) for line in contract.SEEN.all()}
    assert seen, "nothing was asked in this run: this is the last word on a run of the whole suite"
    missing = sorted(described - seen - NOT_SEEN.keys())
    assert not missing, "described, and never seen in this run:\n" + "\n".join(missing)
    assert not NOT_SEEN.keys() - described, "NOT_SEEN names what is not described"


def codes_of(response):
    for media in response["content"].values():
        for part in media.get("schema", {}).get("allOf", []):
            code = part.get("properties", {}).get("code", {})
            yield from code.get("enum", [code["const"]] if "const" in code else [])


def test_every_described_code_was_seen():
    described = set()
    for name in contract.NAMES:
        responses = contract.DOCUMENTS[name].content["components"]["responses"]
        servers_own = {code for component in contract.SERVERS_OWN & responses.keys()
                       for code in codes_of(responses[component])}
        described |= {(name, code) for _, response in own_answers(name)
                      for code in codes_of(response) if code not in servers_own}
    seen = {(document, code) for document, _, _, code in contract.SEEN.all()}
    assert sorted(described - seen) == [], "described, and never seen in this run"
