#!/usr/bin/python3
"""No CHECK tests a value that comes from the disk, from the wire or from an operator: one altered byte would end the
process, and a start that meets it again would end the next one too. A CHECK is for what this program alone decides. So
no CHECK names a value that was parsed or read, nothing takes a parsed value without a test (.value(), *parse_…()), and
nothing takes a part of a document in a way that throws where the document is another one (.as_object())."""

import re

import source

# These calls read: their result says what others wrote.
_READS = (r"\b(?:pars(?:e|ed)\w*|read_\w+|from_chars|from_rfc3339|if_contains|object_in|text_in|number_in|time_in"
          r"|string_at|number_at)\s*\("
          r"|\bjson::(?!JsonWriter|object\b|array\b|string\b|monotonic_resource\b|storage_ptr\b)\w+"
          r"|(?:\.|->)get_(?:object|array|string|int64|uint64|double|bool)\s*\("
          r"|(?:\.|->)(?:text|integer|bytes)\s*\(\s*\d+\s*\)")
_READ = re.compile(_READS)
# These calls ask what kind of value somebody else's document holds.
_KIND = re.compile(r"(?:\.|->)(?:is|if)_(?:object|array|string|number|int64|uint64|double|bool|null)\s*\(")
_CHECK = re.compile(r"\bCHECK\s*\(")
_ASSIGNED = re.compile(r"(?:\b(\w+)|\[([^\]=;]+)\])\s*=(?!=)\s*([^;]*);")
_LOOP = re.compile(r"\bfor\s*\(\s*(?:const\s+)?auto\s*(?:&&?|\*)?\s*(?:(\w+)|\[([^\]]+)\])\s*:\s*([^{;]*)\)")
_MADE = re.compile(r"\bjson::value\s*[*&]?\s+(\w+)|\berror_code\s+(\w+)\s*;")
_THROWS = re.compile(r"(?:\.|->)as_(?:object|array|string|int64|uint64|double|bool)\s*\(\s*\)")
_TAKEN = re.compile(r"\b(?:parse\w*|read_\w+|from_rfc3339|time_in|number_in)\s*\(")
_DEREFERENCED = re.compile(r"(?:^|[^\w)\]\s])\s*\*\s*((?:\w+::)*(?:parse\w*|read_\w+|from_rfc3339))\s*\(")


def names_in(text):
    return set(re.findall(r"\b[A-Za-z_]\w*\b", text))


def read_names(code):
    """Returns the names in the code of one function that hold what was read, or what follows from it."""
    read = set()
    while True:
        found = set()
        for pattern in (_ASSIGNED, _LOOP):
            for match in pattern.finditer(code):
                if _READ.search(match.group(3)) or is_derived(match.group(3), read):
                    found |= names_in(match.group(1) or match.group(2))
        for match in _MADE.finditer(code):
            name = match.group(1) or match.group(2)
            # An error code tells about what was read if the call that reads is given it.
            for call in re.finditer(r"\b(?:pars(?:e|ed)\w*|from_chars)\s*\(", code):
                if match.group(1) or name in names_in(code[call.end():source.closing(code, call.end() - 1)]):
                    found.add(name)
        found -= {"const", "auto"}
        if found <= read:
            return read
        read |= found


def is_derived(text, read):
    """Says whether the text takes a part of something read: x.get_object(), *x, x->y, x itself."""
    return any(re.search(rf"(?:^|[(\s*&!])(?:std::move\()?\*?{name}(?:\)|$|\s*$|\.get_|->get_|\.if_|->if_)", text.strip())
               for name in read & names_in(text))


def functions(code):
    """Yields the parts of the code from one closing brace in the first column to the next, with their offsets."""
    start = 0
    for match in re.finditer(r"^\}", code, re.MULTILINE):
        yield start, code[start:match.start()]
        start = match.end()
    yield start, code[start:]


def check(path, text):
    code = source.code_of(text)
    for start, part in functions(code):
        read = read_names(part)
        for match in _CHECK.finditer(part):
            begin, end = match.end(), source.closing(part, match.end() - 1)
            condition = part[begin:end]
            line = source.line_at(code, start + match.start())
            if _READ.search(condition) or _KIND.search(condition):
                yield line, "a CHECK on what is read; make it a Result, and say what is wrong"
            elif spoken := sorted(names_in(condition) & read):
                yield line, f"a CHECK on {', '.join(spoken)}, which was read; make it a Result, and say what is wrong"
        for line, message in taken_unseen(part):
            yield source.line_at(code, start) + line, message


def taken_unseen(part):
    def at(match, group=0):
        return source.line_at(part, match.start(group)) - 1

    unseen = "what is read is taken without a look at whether it is there"
    for match in _TAKEN.finditer(part):
        if re.match(r"\s*(?:\.value\s*\(\s*\)|->)", part[source.closing(part, match.end() - 1) + 1:]):
            yield at(match), unseen
    for match in _DEREFERENCED.finditer(part):
        yield at(match, 1), unseen
    for match in _THROWS.finditer(part):
        # toml++ gives a pointer for this, which can be tested; Boost.JSON throws.
        line = part[part.rfind("\n", 0, match.start()) + 1:match.start()]
        if not re.search(r"\*.*=[^=]*$", line):
            yield at(match), "throws where the document is another one; ask if_…() first"


_ROWS = "gateway/journal/rows.cpp"
_ATTEMPTS = "gateway/journal/attempts_text.cpp"
BAD = [
    (_ROWS, """json::object object_in(std::string_view text) {
    boost::system::error_code ec;
    auto value = json::parse(text, ec);
    CHECK(!ec && value.is_object());
    return std::move(value.get_object());
}
"""),
    (_ROWS, """std::optional<Reason> read_reason(std::string_view text) {
    const auto object = object_in(text);
    const auto code = parse_reason_code(string_at(object, "code"));
    CHECK(code.has_value());
}
"""),
    (_ROWS, """Sale read_sale(const Row& row) {
    const auto id = SaleId::parse(row.text(0));
    const auto family = parse_family(row.text(4));
    CHECK(id && family);
}
"""),
    (_ATTEMPTS, """std::optional<std::int64_t> number_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return std::nullopt;
    CHECK(value->is_int64());
    return value->get_int64();
}
"""),
    (_ATTEMPTS, """std::string_view text_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return {};
    CHECK(value->is_string());
    return value->get_string();
}
"""),
    (_ATTEMPTS, """Attempt read_attempt(const json::object& object) {
    const auto id_externo = IdExterno::parse(text_in(object, "idExterno"));
    const auto state = parse_attempt_state(text_in(object, "state"));
    const auto created_at = time_in(object, "createdAt");
    CHECK(id_externo && state && created_at);
}
"""),
    (_ATTEMPTS, """json::value parsed(std::string_view text, json::monotonic_resource& room) {
    boost::system::error_code error;
    auto value = json::parse(text, error, &room);
    CHECK(!error);
    return value;
}
"""),
    (_ATTEMPTS, """std::vector<Attempt> read_attempts(std::string_view text) {
    const auto document = parsed(text, room);
    CHECK(document.is_array() && !document.get_array().empty());
}
"""),
    (_ATTEMPTS, """std::vector<Attempt> read_attempts(std::string_view text) {
    for (const auto& item : document.get_array()) {
        CHECK(item.is_object());
    }
}
"""),
    (_ATTEMPTS, 'void f() {\n    line["at"] = to_rfc3339(time_in(kept, "at").value());\n}\n'),
    (_ATTEMPTS, 'void f() {\n    attempts.at(static_cast<std::size_t>(number_in(kept, "attempt").value()) - 1);\n}\n'),
    ("gateway/families/request_body.cpp", """void write_solicitar(JsonWriter& writer, const Sale& sale) {
    boost::system::error_code ec;
    const auto fields = json::parse(sale.request.reveal(), ec, &memory);
    CHECK(!ec && fields.is_object());
}
"""),
] + [("gateway/flow/driver.cpp", "void f() {\n    " + sample + "\n}\n") for sample in (
    "const auto status = rows->text(1);\n    CHECK(!status.empty());",
    "const auto n = row.integer(3);\n    CHECK(n > 0);",
    "CHECK(parse_family(text));",
    "return parse_status(rows->text(1)).value();",
    "resolved.status = *parse_status(text);",
    "const auto& body = value.as_object();",
    "auto [end, error] = std::from_chars(a, b, n);\n    CHECK(error == std::errc());",
)]
GOOD = [("gateway/flow/driver.cpp", "void f() {\n    " + sample + "\n}\n") for sample in (
    "CHECK(descriptor_ < 0);",
    "CHECK(!is_final(before) || change.status == before);",
    "const auto family = parse_family(text);\n    if (!family) return errc::malformed;\n    use(*family);",
    "// CHECK(parse_family(text))",
    'f("CHECK(parse_family(text))");',
    "const auto* section = value.as_table();",
    "const auto* text = value.if_string();\n    if (text == nullptr) return {};",
    "const std::size_t length = 3 * parse_limit;\n    CHECK(context != nullptr);",
)] + [("gateway/flow/driver.cpp", """void f() {
    const auto read = parse(text);
}
void g() {
    CHECK(read);
}
""")]

if __name__ == "__main__":
    source.gate(check, source.files("gateway", "probe"), BAD, GOOD)
