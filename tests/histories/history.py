"""The history of a run: what tills sent and were told, a JSON object a line.

    {"till":"caixa-01","key":"k1","call":"sell","order":"5f2c…","manual":false,"begin":17,"end":42,"answer":{…}}

`till` and `key` stand first, so that a sort of the lines brings the calls of one key together. They name the sale: a
call by its id has the till and the key that it was sold with. `begin` and `end` are nanoseconds of one clock. `order`
is a digest of what is sold, the same for every spelling of it, and `manual` says whether the till holds the sale. A
call that was not answered has no `end`, and its `answer` is null. An answer has the members of Answer that it came
with.
"""
import dataclasses
import json
import os
import subprocess

KINDS = ("sell", "cancel_key", "confirm", "cancel", "get", "find")


@dataclasses.dataclass(slots=True)
class Answer:
    http: int
    code: str | None = None
    outcome: str | None = None
    id: str | None = None
    status: str | None = None
    family: str | None = None
    id_externo: str | None = None
    replayed: bool = False
    goods: bool = False  # whether it hands over what was bought
    sales: int = 1  # so many sales the list had that answers a find


@dataclasses.dataclass(slots=True)
class Call:
    till: str
    key: str
    call: str
    begin: int
    end: int | None = None
    order: str | None = None
    manual: bool = False
    answer: Answer | None = None

    def line(self):
        """Returns the call as a line of a history."""
        answer = self.answer and {field: value for field, value in _members(self.answer) if value != _DEFAULTS[field]}
        row = {"till": self.till, "key": self.key, "call": self.call, "order": self.order, "manual": self.manual,
               "begin": self.begin, "end": self.end, "answer": answer}  # fmt: skip
        return json.dumps(row, separators=(",", ":")) + "\n"

    @staticmethod
    def of(line):
        row = json.loads(line)
        assert row["call"] in KINDS, line
        if row["answer"] is not None:
            row["answer"] = Answer(**row["answer"])
        return Call(**row)


def _members(answer):
    return [(field.name, getattr(answer, field.name)) for field in dataclasses.fields(Answer)]


_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Answer)}


def keys_of(path):
    """Yields the calls of one key after those of another. The file may be larger than the memory."""
    with subprocess.Popen(["sort", str(path)], env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.PIPE) as sort:
        calls = []
        for line in sort.stdout:
            call = Call.of(line)
            if calls and (calls[0].till, calls[0].key) != (call.till, call.key):
                yield calls
                calls = []
            calls.append(call)
    assert sort.returncode == 0, f"{path} was not sorted"
    if calls:
        yield calls
