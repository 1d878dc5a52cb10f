#include "api/sale_answer.hpp"

#include "base/json_text.hpp"
#include "base/strict_json.hpp"
#include "sale/provider_words.hpp"

namespace gateway {
namespace {

using http::status;

// A terminal asks again after so many seconds: soon where a provider call is under way, later where a callback decides.
constexpr std::string_view ask_again_s = "2";
constexpr std::string_view ask_again_callback_s = "5";
// A new try makes sense after so many seconds, where the provider has not said when.
constexpr std::string_view try_again_s = "5";
// A new try makes sense after so many seconds where a person has to put something right first.
constexpr std::string_view after_a_person_s = "60";

// Adds what a till can read without reading JSON.
http::Response with_fields(http::Response response, const Sale& sale, Outcome outcome) {
    response.with("Sale-Id", sale.id.str());
    response.with("Sale-Outcome", std::string(to_string(outcome)));
    return response;
}

http::Response about(const Sale& sale, const http::Request& request, status code, std::string name,
                     std::string detail) {
    http::Problem problem{.status = code, .code = std::move(name), .detail = std::move(detail)};
    problem.extensions["outcome"] = to_string(outcome_of(sale));
    auto response = http::to_response(problem, request);
    response.body.back() = ',';  // the brace that ended it
    response.body.append("\"sale\":").append(sale_json(sale)).append("}");
    return with_fields(std::move(response), sale, outcome_of(sale));
}

std::string retry_after(const Sale& sale) {
    if (sale.reason && sale.reason->retry_after) return std::to_string(sale.reason->retry_after->count());
    return std::string(try_again_s);
}

// Returns, for example, " (the provider answered 500)", where that is known.
std::string because(const Sale& sale) {
    return sale.reason && !sale.reason->detail.empty() ? " (" + sale.reason->detail + ")" : std::string();
}

http::Response cancelled_answer(const Sale& sale, const http::Request& request) {
    const auto code = sale.reason ? sale.reason->code : ReasonCode::provider_error;
    if (code == ReasonCode::hold_expired || code == ReasonCode::terminal_cancelled) return sale_answer(sale);
    switch (sale.current().state) {
        case AttemptState::unsent:
        case AttemptState::unauthorised:
        case AttemptState::throttled:
            return about(sale, request, status::service_unavailable, "provider_unavailable",
                         "The provider could not be reached or would not take it" + because(sale) +
                             ". Nothing was sold; try again with a new key.")
                .with("Retry-After", retry_after(sale));
        case AttemptState::requesting:
        case AttemptState::held:
        case AttemptState::confirming:
        case AttemptState::collecting:
        case AttemptState::disputing:
        case AttemptState::retracting:
        case AttemptState::cancelling:
        case AttemptState::lingering:
        case AttemptState::awaiting:
        case AttemptState::sold:
        case AttemptState::cancelled:
        case AttemptState::refused: break;
    }
    // An answer also counts as lost where it came and the journal did not take it; only the reason's words tell which
    // it was.
    const bool lost = code == ReasonCode::response_lost;
    return about(sale, request, lost ? status::gateway_timeout : status::bad_gateway, "sale_cancelled",
                 "The sale was cancelled" + because(sale) +
                     " and will never be confirmed; trying again with a new key is safe.");
}

http::Response refused_answer(const Sale& sale, const http::Request& request) {
    std::string detail = "The provider refused the sale; nothing was sold.";
    if (const auto sentence = refusal_sentence(sale); !sentence.empty()) detail += " It said: " + sentence;
    return about(sale, request, status::payment_required, "sale_refused", std::move(detail));
}

http::Response accepted_answer(const Sale& sale, Outcome outcome) {
    return with_fields(json_text_answer(sale_json(sale, outcome), status::accepted), sale, outcome)
        .with("Location", "/v1/sales/" + sale.id.str())
        .with("Retry-After", std::string(is_by_callback(sale.family) ? ask_again_callback_s : ask_again_s));
}

}  // namespace

http::Response json_answer(const boost::json::value& body, status code) {
    std::string text;
    append_json(text, body);
    return json_text_answer(std::move(text), code);
}

http::Response json_text_answer(std::string body, status code) {
    return {.status = code, .body = std::move(body)};
}

http::Response sale_answer(const Sale& sale) {
    return with_fields(json_text_answer(sale_json(sale)), sale, outcome_of(sale));
}

http::Response sale_with_attempts_answer(const Sale& sale, Audience audience) {
    return with_fields(json_text_answer(sale_with_attempts_json(sale, audience)), sale, outcome_of(sale));
}

http::Response pending_answer(const Sale& sale) {
    return accepted_answer(sale, outcome_of(sale));
}

http::Response command_pending_answer(const Sale& sale) {
    return accepted_answer(sale, is_final(sale.status) ? outcome_of(sale) : Outcome::pending);
}

http::Response without_sale(http::Response answer) {
    if (answer.status == status::ok || answer.body.empty()) return answer;
    const auto said = parse_strict_json(answer.body);
    const boost::json::object nothing;
    const auto& told = said.has_value() && said->is_object() ? said->get_object() : nothing;
    boost::json::object kept;
    for (const auto* name : {"type", "title", "status", "code", "detail", "errors", "requestId", "outcome"})
        if (answer.status != status::accepted || std::string_view(name) == "outcome")
            if (const auto* value = told.if_contains(name)) kept[name] = *value;
    answer.body = boost::json::serialize(kept);
    return answer;
}

http::Response sell_answer(const Sale& sale, const http::Request& request) {
    switch (sale.status) {
        case Status::EFETIVADA: return sale_answer(sale);
        case Status::NEGADA: return refused_answer(sale, request);
        case Status::CANCELADA: return cancelled_answer(sale, request);
        case Status::PENDENTE:
        case Status::AUTORIZADA: break;
    }
    return outcome_of(sale) == Outcome::held ? sale_answer(sale) : pending_answer(sale);
}

http::Response sale_final_answer(const Sale& sale, const http::Request& request) {
    return about(sale, request, status::conflict, "sale_final",
                 "The sale is " + std::string(to_string(sale.status)) + ", which never changes.");
}

http::Response not_cancellable_answer(const Sale& sale, const http::Request& request) {
    return about(sale, request, status::conflict, "not_cancellable",
                 "An eSIM sale cannot be cancelled; the provider's callback says what becomes of it.");
}

http::Response no_receipt_answer(const Sale& sale, const http::Request& request) {
    return about(sale, request, status::not_found, "not_found",
                 is_final(sale.status) ? "There is no receipt: the sale is not sold."
                                       : "There is no receipt yet: what becomes of the sale is not known.");
}

http::Response no_attention_answer(const Sale& sale, const http::Request& request) {
    return about(sale, request, status::conflict, is_final(sale.status) ? "sale_final" : "no_attention",
                 "Only a sale that needs attention can be resolved.");
}

http::Response decided_already_answer(const Sale& sale, const http::Request& request) {
    std::string detail = "The sale is " + std::string(to_string(sale.status)) + ", which never changes";
    detail +=
        sale.attention == Attention::none
            ? ": there is nothing to decide."
            : ": send a note alone, without a status, once what its mark asks for is settled; that clears the mark.";
    return about(sale, request, status::conflict, "sale_final", std::move(detail));
}

http::Response not_resolvable_answer(const Sale& sale, const http::Request& request) {
    return about(sale, request, status::conflict, "no_attention",
                 "The sale is under way, or its terminal's to confirm or cancel: nothing was decided.");
}

http::Response journal_unavailable_answer(const http::Request& request, const Sale* sale,
                                          const boost::system::error_code& why) {
    // Where there is a sale to tell, the journal has been read.
    const bool reads = sale == nullptr && (request.method == http::verb::get || request.method == http::verb::head);
    // A sale may be read and still not told, because what a standby may lack counts as not kept.
    auto detail = std::string(reads ? "The gateway cannot answer from its journal now"
                                    : "The gateway cannot write its journal now, so it did nothing");
    if (why) detail += ": " + why.message();
    detail += ".";
    detail += till_tries_again;
    auto answer = sale != nullptr ? about(*sale, request, status::service_unavailable, "journal_unavailable", detail)
                                  : refuse(request, status::service_unavailable, "journal_unavailable", detail);
    return answer.with("Retry-After", std::string(try_again_s));
}

http::Response in_doubt_answer(const http::Request& request) {
    return refuse(request, status::service_unavailable, "journal_unavailable", std::string(step_in_doubt))
        .with("Retry-After", "1");
}

http::Response perhaps_done_answer(const http::Request& request) {
    http::Problem problem{
        .status = status::service_unavailable, .code = "journal_unavailable", .detail = std::string(step_in_doubt)};
    const std::string pending(to_string(Outcome::pending));
    problem.extensions["outcome"] = pending;
    return http::to_response(problem, request).with("Sale-Outcome", pending).with("Retry-After", "1");
}

http::Response sale_unreadable_answer(const http::Request& request) {
    auto detail = std::string(
        "The journal's record of this sale is damaged or was altered and cannot be read, so nothing was done: what "
        "became of the sale is not known, and its key sells nothing else.");
    detail += till_waits_for_operator;
    return refuse(request, status::service_unavailable, "sale_unreadable", std::move(detail))
        .with("Retry-After", std::string(after_a_person_s));
}

http::Response refused_by_journal_answer(const http::Request& request, const boost::system::error_code& why) {
    return why == errc::sale_unreadable ? sale_unreadable_answer(request) : journal_unavailable_answer(request);
}

http::Response shutting_down_answer(const http::Request& request) {
    return refuse(request, status::service_unavailable, "shutting_down",
                  "The gateway is stopping, so it did nothing. Try again soon.")
        .with("Retry-After", std::string(try_again_s));
}

http::Response refuse(const http::Request& request, status code, std::string name, std::string detail,
                      FieldErrors errors) {
    const http::Problem problem{
        .status = code, .code = std::move(name), .detail = std::move(detail), .errors = std::move(errors)};
    return http::to_response(problem, request);
}

http::Response field_errors(const http::Request& request, FieldErrors errors) {
    const auto& first = errors.front();
    auto detail = first.pointer.empty() ? first.detail : first.pointer.substr(1) + " " + first.detail;
    return refuse(request, http::status::unprocessable_entity, "invalid_request", std::move(detail), std::move(errors));
}

}  // namespace gateway
