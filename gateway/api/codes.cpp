#include "api/codes.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway {
namespace {

constexpr Code codes[] = {
    // These say what is wrong with the request.
    {"invalid_json", "The body is not a JSON object, or none came.",
     "This call did nothing. Cancel a sell by its key first, then end; mend the program."},
    {"missing_idempotency_key", "The call needs an Idempotency-Key, and has none.",
     "This call did nothing. Mend the program: note a new key on disk before the call, and send it with every repeat."},
    {"invalid_idempotency_key", "The Idempotency-Key is not one value of 1 to 64 visible ASCII characters.",
     "This call did nothing. Mend the program that makes the keys."},
    {"bad_request", "The request cannot be read as HTTP, or has a body with content where the call takes none.",
     "This call did nothing. Mend the program, or what stands between it and the gateway."},
    {"invalid_request", "A field or a parameter is missing, wrong or unknown; `errors` names each.",
     "This call did nothing. Cancel a sell by its key first, so that no copy of it under way sells, then end. Mend "
     "what `errors` names and sell with a new key."},
    {"unsupported_media_type", "The body is not declared as what the call takes, or it is compressed.",
     "This call did nothing. Cancel a sell by its key first, then end; mend the program."},
    {"payload_too_large", "The body is larger than this listener takes.",
     "This call did nothing, and the connection is closed. Cancel a sell by its key first, then end; send less."},
    {"uri_too_long", "The request line is longer than this listener takes.",
     "This call did nothing, and the connection is closed. Mend the program."},
    {"header_too_large", "The header of the request is larger than this listener takes.",
     "This call did nothing, and the connection is closed. Mend the program."},
    {"request_timeout", "The request did not come in time.",
     "This call did nothing, and the connection is closed. Repeat the call, with the same key if it has one."},
    {"not_implemented", "The body comes in a transfer coding that is unknown here.",
     "This call did nothing. Send it with Content-Length or chunked."},
    {"http_version_not_supported", "The request is of another HTTP version than 1.1 or 1.0.",
     "This call did nothing. Mend the program, or what stands between it and the gateway."},
    {"not_found", "There is nothing at this path, or nothing that the caller may see.",
     "End: asking again finds nothing either."},
    {"method_not_allowed", "The path does not take this method; `Allow` says which it takes.", "Mend the program."},

    // These say what is wrong with the caller.
    {"unauthorized", "The key is missing, or is no terminal's of this gateway.",
     "This call did nothing. Call the operator. Note that the sell is to be cancelled by its key, and do that first "
     "once "
     "the terminal's key is right."},
    {"forbidden", "The caller is known, or needs no key, and may not do this.",
     "This call did nothing. Cancel a sell by its key first, then end, and call the operator: the gateway's "
     "configuration "
     "says who may do what."},
    {"misdirected_request", "The request names a host that this listener does not answer to.",
     "This call did nothing. Call it by its address, by `localhost`, or by a name that its configuration has."},
    {"rate_limited", "Too many calls, or too many wrong keys, came from there.",
     "This call did nothing. Repeat the call with the same key after `Retry-After`."},

    // These say what became of a sale.
    {"sale_refused", "The provider said no.",
     "End: nothing was sold and the customer is told why. Another try is another sell with a new key."},
    {"sale_cancelled", "The provider's answer was lost or made no sense, so the gateway cancelled the sale.",
     "End: it will never be confirmed. Another try is another sell with a new key."},
    {"provider_unavailable", "The provider cannot be reached, or would not take the call.",
     "With a sale end: nothing was sold, and another try is another sell with a new key. Without one repeat the call "
     "after `Retry-After`."},
    {"possible_duplicate", "This store has just sold the same, or is selling it: `existing` says which sale that is.",
     "This call did nothing. Ask the cashier: to sell it once more, repeat the call with the same key and `repeat` "
     "true; "
     "otherwise cancel by key first, then end."},
    {"idempotency_key_reused", "The key belongs to a sale of another order, which `existing` names.",
     "This call did nothing. Repeat that sale with its own body, unchanged, or cancel it by key first; a new order "
     "needs a "
     "new key."},
    {"sale_final", "The sale, or its key, is decided already, and not as was asked for.",
     "End: take the outcome that comes with it; it never changes."},
    {"not_cancellable", "The provider knows no cancel for a sale of this family.",
     "The sale goes on. Ask for it until it has an outcome; to take it back, call the provider."},
    {"no_attention", "The sale needs no person's decision, or is its terminal's to decide.",
     "Nothing was decided. Ask for the sale as it stands."},

    // These say what the gateway cannot do now.
    {"overloaded", "The gateway has as many sales, or streams, under way as it takes.",
     "This call did nothing. Repeat the call with the same key after `Retry-After`."},
    {"shutting_down", "The gateway is stopping.",
     "This call did nothing. Repeat the call with the same key: the gateway is started again, or another one answers."},
    {"journal_unavailable", "The journal cannot be written or read now.",
     "This call did nothing, unless an `outcome` of `pending` comes with it. Repeat the call with the same key after "
     "`Retry-After`; if it goes on, call the operator."},
    {"sale_unreadable", "The journal's record of this very sale is damaged or was altered.",
     "This call did nothing, and how the sale stands is not known. Keep the order and call the operator; a new sell of "
     "it "
     "might sell it twice. Every other sale goes on."},
    {"close_unreadable", "The journal's record of this very close is damaged or was altered.",
     "This call did nothing. Call the operator's support; every other day goes on."},
    {"not_ready", "This gateway itself cannot sell now; `reasons` says why.",
     "Mend what the reasons name, and ask again."},
    {"internal_error", "The gateway failed to answer: a fault of its own.",
     "Whether the call did something is not said. Repeat it with the same key; if it goes on, call the operator."},

    // These belong to the books and statements.
    {"not_configured", "What the call needs is not in the gateway's configuration.",
     "This call did nothing. Configure it, or do without."},
    {"provider_unreachable", "The provider gave no answer that could be used.",
     "Nothing was changed. Repeat the call later."},
    {"wrong_day", "The statement is of another day than the one asked for.",
     "Nothing of it is kept. Bring the statement of the day, or name its day."},
    {"wrong_network", "The statement is of another network than the one configured.",
     "Nothing of it is kept. Bring your own, or mend `statement.network`."},
    {"count_differs", "The statement has another number of rows than its own header or trailer says.",
     "Nothing of it is kept: it is not whole. Fetch it again."},
    {"total_differs", "The rows of the statement come to another total than its own header or trailer says.",
     "Nothing of it is kept: it is not whole, or is read wrongly. Fetch it again, or mend `[statement]`."},
    {"unreadable_line",
     "A line of the statement is not what `[statement]` of the configuration says; `line` is its number.",
     "Nothing of it is kept. Mend the configuration, or ask the provider for a right one."},
    {"too_many_findings", "So much does not agree that the statement or the configuration must be wrong.",
     "Nothing of it is kept. Look whether it is this store's, and read as it should be."},
    {"nothing_matches", "No row of the statement is known here.",
     "Nothing of it is kept. Look whether it is this store's, and read as it should be."},
};

}  // namespace

std::span<const Code> all_codes() noexcept {
    return codes;
}

const Code& find_code(std::string_view code) noexcept {
    const auto* const found = std::ranges::find(codes, code, &Code::code);
    CHECK(found != std::end(codes));
    return *found;
}

}  // namespace gateway
