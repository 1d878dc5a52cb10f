"""The OpenAPI documents of the listeners, held to be true: every exchange of the suite with a described listener is
checked against its document, and which of its answers and codes were seen is kept.

The schemas are jsonschema's to judge (OpenAPI 3.1 speaks JSON Schema 2020-12). What is here finds the operation, the
parameter and the answer that they belong to.
"""
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse

import jsonschema

from . import GATEWAY

# Any HTTP answer may have these header fields, so a description need not name them.
_OF_ANY_ANSWER = {"date", "content-type", "content-length", "connection", "cache-control", "keep-alive"}
# The text that a command prints ends with this, as the overview of the admin listener describes it.
_EXIT = re.compile(r"; exit=\d+$")
# The server itself answers these, before it knows which operation was meant.
SERVERS_OWN = {"BadRequest", "RequestTimeout", "PayloadTooLarge", "UriTooLong", "HeaderTooLarge", "InternalError",
               "HttpVersionNotSupported", "NotImplemented", "ContentCoded", "MisdirectedRequest",
               "TooManyWrongKeys"}  # fmt: skip


def _no_repeated_key(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _path_pattern(template):
    parts = re.split(r"\{(\w+)\}", template)
    # The proxy's path is the only parameter that may contain slashes.
    named = [rf"(?P<{part}>{'.*' if part == 'path' else '[^/]+'})" for part in parts[1::2]]
    literal = [re.escape(part) for part in parts[::2]]
    return re.compile("".join(a + b for a, b in zip(literal, named + [""])))


class Document:
    def __init__(self, name):
        self.name = name
        self.text = subprocess.run([GATEWAY, "openapi", name], check=True, capture_output=True, text=True).stdout
        self.content = json.loads(self.text)
        self._validators = {}
        self._paths = [(template, _path_pattern(template)) for template in self.content["paths"]]

    def resolved(self, node):
        while "$ref" in node:
            found = self.content
            for key in node["$ref"].removeprefix("#/").split("/"):
                found = found[key]
            node = found
        return node

    def operations(self):
        """Returns every (operationId, status) with the answer's description."""
        for methods in self.content["paths"].values():
            for operation in methods.values():
                for status, response in operation["responses"].items():
                    yield (operation["operationId"], status), response

    def faults(self, schema, value, where):
        # There is one validator for each schema of the document, because making it takes long. What a schema refers to
        # is put beside it, because the versions of jsonschema have no common way to find it.
        if id(schema) not in self._validators:
            beside = {**schema, "components": self.content["components"]}
            self._validators[id(schema)] = jsonschema.Draft202012Validator(beside)
        validator = self._validators[id(schema)]
        return [f"{where}{error.json_path[1:]}: {error.message[:400]}" for error in validator.iter_errors(value)]

    def path_item(self, path):
        """Returns the methods at a path, by name, and the values in the path; nothing where the document does not have
        it."""
        for template, pattern in self._paths:
            match = pattern.fullmatch(path)
            if match:
                return self.content["paths"][template], match.groupdict()
        return None, {}

    # --- answers ---

    def faults_of_answer(self, response, answer, with_body):
        response = self.resolved(response)
        faults = []
        declared = {name.lower(): self.resolved(header) for name, header in response.get("headers", {}).items()}
        sent = {name.lower(): value for name, value in answer.headers.items()}
        for name, header in declared.items():
            if name in sent:
                faults += self.faults(header["schema"], sent[name], f"header {name}")
            elif header.get("required"):
                faults.append(f"the header {name} is missing")
        content = response["content"]
        if "*/*" in content:
            return faults
        faults += [f"the header {name} is not described" for name in sent.keys() - declared.keys() - _OF_ANY_ANSWER]
        content_type = _EXIT.sub("", sent.get("content-type", ""))
        media = content.get(content_type)
        if media is None:
            return faults + [f"the content type {content_type} is not described"]
        if with_body and "schema" in media:  # without one it is bytes, whatever they are
            plain = content_type.startswith("text/")
            text = answer.body.decode(content_type.partition("charset=")[2] or "utf-8")
            value = text if plain else json.loads(text, object_pairs_hook=_no_repeated_key)
            faults += self.faults(media["schema"], value, "body")
        return faults

    # --- requests ---

    def faults_of_request(self, operation, path_values, query, headers, body):
        faults = []
        parameters = [self.resolved(parameter) for parameter in operation.get("parameters", [])]
        given = {"path": path_values, "query": dict(query), "header": {n.lower(): v for n, v in headers.items()}}
        for parameter in parameters:
            kind, name = parameter["in"], parameter["name"]
            value = given[kind].get(name.lower() if kind == "header" else name)
            if value is not None:
                number = parameter["schema"].get("type") == "integer" and re.fullmatch("[0-9]+", value)
                faults += self.faults(parameter["schema"], int(value) if number else value, f"{kind} {name}")
            elif parameter.get("required"):
                faults.append(f"{kind} {name} is missing")
        described = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
        if described:
            faults += [f"the parameter {name} is not described" for name, _ in query if name not in described]
            faults += ["a parameter stands twice"] if len(dict(query)) < len(query) else []
        if operation.get("security", self.content["security"]) and "authorization" not in given["header"]:
            faults.append("no key was shown")
        return faults + self._faults_of_body(operation, given["header"], body)

    def _faults_of_body(self, operation, headers, body):
        described = operation.get("requestBody")
        if described is None:
            return ["there is a body"] if body and operation["method"] == "post" else []
        if not body and not described["required"]:
            return []
        media = described["content"].get(headers.get("content-type", "").split(";")[0].strip().lower())
        if media is None:
            return [f"the content type {headers.get('content-type')} is not described"]
        if media["schema"] == {"type": "string"}:  # these are bytes, whatever they are
            return []
        try:
            value = json.loads(body, object_pairs_hook=_no_repeated_key)
        except ValueError as failure:
            return [f"the body is not JSON: {failure}"]
        return self.faults(media["schema"], value, "body")


class Seen:
    """Remembers which answers of which operations were seen: in this process, and through a file in others."""

    def __init__(self):
        self._seen = set()
        self._lock = threading.Lock()
        path = os.environ.get("EXCHANGES")
        self._file = pathlib.Path(path) if path else None

    def begin(self):
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text("")

    def add(self, document, operation, status, code):
        line = f"{document} {operation} {status} {code}"
        with self._lock:
            if line in self._seen:
                return
            self._seen.add(line)
            if self._file:
                with self._file.open("a") as out:
                    out.write(line + "\n")

    def all(self):
        seen = set(self._seen)
        for file in self._file.parent.glob("*.txt") if self._file else ():
            seen.update(file.read_text().splitlines())
        return [line.split() for line in seen]


SEEN = Seen()
NAMES = ("admin", "terminals")


class _Documents(dict):
    """Has the documents by name. Each is made when it is asked for, because the program may not be built when this is
    imported."""

    def __missing__(self, name):
        return self.setdefault(name, Document(name))


DOCUMENTS = _Documents()


def _answers_without_operation(document, methods):
    """Returns, by status, what a path or a method that the document does not have may be answered with."""
    names = SERVERS_OWN | {"Unauthorized", "NotFound" if methods is None else "MethodNotAllowed"}
    responses = {}
    for name in names & document.content["components"]["responses"].keys():
        response = document.content["components"]["responses"][name]
        schema = response["content"]["application/problem+json"]["schema"]
        responses[str(schema["allOf"][1]["properties"]["status"]["const"])] = response
    return responses


def _check_allow(methods, answer, told):
    allowed = {method.upper() for method in methods} | ({"HEAD"} if "get" in methods else set())
    assert set(answer.header("Allow").split(", ")) == allowed, f"{told}: not the methods that the document has"


def _code_of(answer):
    """Returns the code of a problem; "-" where the answer is none."""
    is_problem = answer.header("Content-Type") == "application/problem+json" and answer.body
    return json.loads(answer.body)["code"] if is_problem else "-"


def check(name, method, target, headers, body, answer):
    """Fails where the exchange differs from the listener's document."""
    document = DOCUMENTS[name]
    path, _, query = target.partition("?")
    methods, path_values = document.path_item(path)
    verb = "get" if method == "HEAD" else method.lower()
    operation = (methods or {}).get(verb)
    told = f"{method} {target} of the {name} listener answered {answer!r}"
    responses = operation["responses"] if operation else _answers_without_operation(document, methods)
    passed_on = [responses["default"]] if "default" in responses else []
    described = ([responses[str(answer.status)]] if str(answer.status) in responses else []) + passed_on
    assert described, f"{told}: the document does not have this status"
    faults = [document.faults_of_answer(response, answer, with_body=method != "HEAD") for response in described]
    assert not all(faults), f"{told}:\n" + "\n".join(sum(faults, []))
    if operation is None:
        if answer.status == 405:
            _check_allow(methods, answer, told)
        return
    status = "default" if passed_on and (faults[0] or len(faults) == 1) else str(answer.status)
    SEEN.add(name, operation["operationId"], status, _code_of(answer))
    if 200 <= answer.status < 300 and not passed_on:
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        faults = document.faults_of_request(operation | {"method": verb}, path_values, pairs, headers, body)
        assert not faults, f"{told}, although the document forbids the request:\n" + "\n".join(faults)
