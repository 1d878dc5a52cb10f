#include "api/resolution.hpp"

#include "api/openapi/shared.hpp"
#include "api/sale_answer.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;

// A telephone number is no longer than this, with all that people write into one.
constexpr std::size_t longest_msisdn = 32;

bool is_msisdn(std::string_view text) noexcept {
    return is_plain_text(text, longest_msisdn);
}

// Reads the two statuses that a person may decide on, in exactly these letters.
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

namespace openapi {
namespace {

constexpr Field resolution_esim_fields[] = {
    maybe({"msisdn", Type{R"("type":"string","minLength":1,"maxLength":32)"}, "The telephone number.", "11987654321"}),
    maybe({"url", Type{R"("type":"string","minLength":1,"maxLength":250)"},
           "The address of the provider's own receipt.", "https://esim.example/r/1"}),
};

constexpr Field resolution_fields[] = {
    maybe({"status", Type{R"("enum":["EFETIVADA","CANCELADA"])"}, "", "CANCELADA"}),
    {"note", some_text,
     "Kept in the sale's story. Where it decides the sale (with a `status`), it is shown to the store's terminals, as "
     "`reason.detail` of the sale: name nobody in it. Where it only clears a mark, no terminal sees it.",
     "The provider's portal has it as cancelled."},
    maybe({"by", short_text, "Who decided; kept in the sale's story and logged, and shown to no terminal.", "maria"}),
    maybe({"esim", Type{.rules = R"("minProperties":1)", .fields = resolution_esim_fields},
           "Of an eSIM that is resolved EFETIVADA, or is EFETIVADA: the number and the address that its receipt "
           "prints, where no callback told them. Kept as the callbacks' facts are, and erased with them.",
           R"({"msisdn":"11987654321","url":"https://esim.example/r/1"})"}),
};

constexpr Schema all_resolution_schemas[] = {
    {.name = "Resolution",
     .description = "What a person found out. Of a sale that is not final `status` is required; of a final one it must "
                    "not be sent, and `note` alone clears the mark.",
     .type = object(resolution_fields)},
};

}  // namespace

std::span<const Schema> resolution_schemas() {
    return all_resolution_schemas;
}

Description resolve_sale() {
    return {
        .id = "resolveSale",
        .summary = "What a person decided about a sale that has `attention`",
        .tag = "Sales",
        .text =
            "With a `status` where the sale is not final; with a `note` alone, which clears the mark, where it is. "
            "Either way `by` may say who decided, and `esim` what the receipt of an eSIM prints.",
        .parameters = {sale_id_of_operator},
        .body = takes(
            a("Resolution"),
            {whole("decided", R"({"status":"CANCELADA","note":"The provider's portal has it as cancelled."})"),
             whole("seen", R"({"note":"Printed the receipt again."})"),
             whole(
                 "esim",
                 R"({"status":"EFETIVADA","note":"Activated, says the portal.","by":"maria","esim":{"msisdn":"11987654321",
        "url":"https://esim.example/r/1"}})")}),
        .answers = {
            gives(200, "The sale as it is now.", a("SaleWithAttempts"),
                  {{"resolved", R"({"reason":{"code":"operator","detail":"Found on the portal."}})"}}, sale_headers),
            gives(202,
                  "Not decided yet: a call to the provider is under way for the sale, or the journal has yet to take "
                  "the word. Ask for the sale.",
                  a("Sale"), {}, sale_headers | location | retry_after),
            not_json(), sale_not_found_for_operators(),
            refuses(409,
                    "The sale has no `attention` (the `esim` of one that is EFETIVADA can be given all the same), is "
                    "its terminal's to decide, or is final and a `status` was sent all the same: nothing was decided.",
                    {{"sale_final", "", perhaps_with_sale},
                     {"no_attention", "Only a sale that needs attention can be resolved.", perhaps_with_sale}},
                    sale_headers),
            not_declared_as_json(),
            refuses(422, "The resolution is not complete, or has a field that it does not have.",
                    {{"invalid_request", "The resolution is not complete.", with_errors,
                      R"({"errors":[{"pointer":"/note","detail":"is missing: say what was found out"}]})"}}),
            sale_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
