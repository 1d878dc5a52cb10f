#include "api/resolution.hpp"

#include "api/sale_answer.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;

// Of a telephone number, with all that people write into one.
constexpr std::size_t longest_msisdn = 32;

bool is_msisdn(std::string_view text) noexcept {
    return is_plain_text(text, longest_msisdn);
}

// The two statuses that a person may decide on, in exactly these letters.
std::optional<Status> decision_in(const json::value& value) {
    for (const auto status : {Status::EFETIVADA, Status::CANCELADA})
        if (value.is_string() && value.get_string() == to_string(status)) return status;
    return std::nullopt;
}

// A note may have lines.
void read_note(FieldReader& reader, Resolved& resolved) {
    const auto note = reader.take("note");
    if (!note) return reader.fail("note", "is missing: say what was found out");
    if (!note->is_string() || note->get_string().empty())
        return reader.fail("note", "must be a text that is not empty");
    resolved.note = std::string(note->get_string());
}

void read_status(FieldReader& reader, const Sale& sale, Resolved& resolved) {
    const auto status = reader.take("status");
    if (!status && is_final(sale.status)) return;
    if (!status) return reader.fail("status", "is missing: must be EFETIVADA or CANCELADA");
    resolved.status = decision_in(*status);
    if (!resolved.status) reader.fail("status", "must be EFETIVADA or CANCELADA");
}

void read_esim(FieldReader& reader, const Sale& sale, Resolved& resolved, FieldErrors& errors) {
    if (!reader.has("esim")) return;
    auto given = reader.optional_object("esim", "an object with msisdn, url or both");
    if (!is_by_callback(sale.family)) return reader.fail("esim", "is for eSIM sales only");
    const bool decides = !is_final(sale.status);
    if (decides ? resolved.status == Status::CANCELADA : sale.status != Status::EFETIVADA)
        return reader.fail("esim", "is for a sale that is EFETIVADA only: nothing else has a receipt");
    if (!given) return;
    if (given->empty()) return reader.fail("esim", "must have msisdn, url or both");
    FieldReader fields(*given, errors, reader.pointer("esim"));
    EsimDetails details;
    if (fields.has("msisdn"))
        details.msisdn =
            Secret(fields.text_that("msisdn", is_msisdn, "a text of 1 to 32 characters without control characters"));
    if (fields.has("url")) details.url = Secret(fields.text("url"));
    fields.refuse_the_rest();
    resolved.esim = std::move(details);
}

}  // namespace

ResultOrResponse<Resolved> read_resolution(const http::Request& request, const Sale& sale) {
    auto body = json_object_body(request);
    if (body.has_error()) return body.error();
    FieldErrors errors;
    FieldReader reader(*body, errors);
    Resolved resolved;
    read_note(reader, resolved);
    read_status(reader, sale, resolved);
    if (reader.has("by")) resolved.by = reader.text_that("by", is_name, name_in_words);
    read_esim(reader, sale, resolved, errors);
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (errors.empty()) return resolved;
    return field_errors(request, std::move(errors));
}

}  // namespace gateway
