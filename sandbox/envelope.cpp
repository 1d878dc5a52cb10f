#include "sandbox/envelope.hpp"

#include "base/ascii.hpp"
#include "sandbox/family.hpp"

#include <boost/beast/core/string.hpp>

namespace gateway::sandbox {
namespace {

constexpr std::string_view json_type = "application/json";

bool is_json_type(std::string_view value) {
    return boost::beast::iequals(trim(value.substr(0, value.find(';'))), json_type);
}

// Whether JSON is among the types of a list; "*/*" does not name it.
bool names_json(std::string_view list) {
    while (true) {
        const auto comma = list.find(',');
        if (is_json_type(list.substr(0, comma))) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
}

Reply unauthorized(Reply reply) {
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
}

std::optional<Reply> check_token(std::optional<std::string_view> header, const Tokens& tokens, WallTime now) {
    constexpr std::string_view bearer = "Bearer ";
    if (!header) return unauthorized(departure(401, "token_ausente", "the header Authorization is missing"));
    if (!header->starts_with(bearer))
        return unauthorized(departure(401, "token_invalido", "the header Authorization holds no bearer token"));
    switch (tokens.check(std::string(header->substr(bearer.size())), now)) {
        case Tokens::Verdict::good: return std::nullopt;
        case Tokens::Verdict::expired:
            return unauthorized(refusal(401, "token_expirado", "the access token has expired"));
        case Tokens::Verdict::unknown:
            return unauthorized(refusal(401, "token_invalido", "the access token is not known"));
    }
    return std::nullopt;
}

}  // namespace

std::optional<Reply> check_envelope(const Call& call, const Route& route, const Tokens& tokens, const Options& options,
                                    WallTime now) {
    const auto authorization = find_header(call.headers, "Authorization");
    const bool needs_token = authorization || !options.egift_confirm_without_token || route.step != Step::confirmar ||
                             !route.family || !model_of(*route.family).goods_with_confirm;
    if (needs_token)
        if (auto refused = check_token(authorization, tokens, now)) return refused;
    if (!names_json(find_header(call.headers, "Accept").value_or("")))
        return departure(406, "accept_invalido", "the header Accept must name application/json");
    if (call.method == "POST" && !is_json_type(find_header(call.headers, "Content-Type").value_or("")))
        return departure(415, "content_type_invalido", "the header Content-Type must be application/json");
    return std::nullopt;
}

}  // namespace gateway::sandbox
