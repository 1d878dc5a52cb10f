#include "api/terminal_calls.hpp"

#include "families/plain_text.hpp"

#include <algorithm>

namespace gateway {
namespace {

// The name of no program is longer.
constexpr std::size_t longest_client = 120;

std::string client_of(const http::Request& request) {
    const auto said = request.header("User-Agent");
    return is_plain_text(said, longest_client) ? std::string(said) : std::string();
}

// Returns the sale that the answer is about, which every such answer names in a header field.
std::optional<SaleId> sale_of(const http::Response& answer) {
    const auto field = std::ranges::find(answer.headers, "Sale-Id", &std::pair<std::string, std::string>::first);
    return field == answer.headers.end() ? std::nullopt : SaleId::parse(field->second);
}

}  // namespace

void SeenCalls::note(const http::Request& request, const http::Response& answer, RunMoment now) {
    auto& calls = terminals_[request.principal];
    calls.last_at = now;
    calls.address = request.remote;
    calls.client = client_of(request);
    calls.certificate_ends_at = request.certified.ends_at;
    // A sell that is repeated may be answered with an older sale; the newest sale is the one with the greatest id.
    if (const auto sale = sale_of(answer); sale && request.route == "/v1/sell")
        calls.last_sale = std::max(calls.last_sale.value_or(*sale), *sale);
    const auto status = static_cast<unsigned>(answer.status);
    if (status < 400 || status > 499) return;
    ++calls.refused;
    calls.refused_at = now;
    calls.refused_with = status;
}

void SeenCalls::note_unknown(const http::Request& request, RunMoment now) {
    ++unknown_.count;
    unknown_.last_at = now;
    unknown_.last_address = request.remote.to_string();
}

const TerminalCalls* SeenCalls::of(const std::string& terminal) const {
    const auto found = terminals_.find(terminal);
    return found == terminals_.end() ? nullptr : &found->second;
}

}  // namespace gateway
