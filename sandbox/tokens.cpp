#include "sandbox/tokens.hpp"

#include "base/ascii.hpp"

#include <boost/url/encoding_opts.hpp>
#include <boost/url/params_encoded_view.hpp>
#include <boost/url/parse_query.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace gateway::sandbox {
namespace {

constexpr std::array scopes{"Venda_Egift",    "Venda_Telecom",     "Venda_TvPrePaga", "Venda_Voucher",
                            "Envio_SMS",      "PagamentoDeContas", "Venda_Parking",   "Venda_PartnerA",
                            "Venda_PartnerB", "Venda_Transit",     "Venda_Lottery"};
// So many of each kind are kept; only a client that asks for a token with every request needs more.
constexpr std::size_t most_tokens = 100'000;

std::string base64(std::string_view text) {
    std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
    const auto length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    out.resize(static_cast<std::size_t>(length));
    return out;
}

std::string random_hex(Random& random) {
    std::array<std::byte, 20> bytes{};
    random.fill(bytes);
    return to_hex(bytes);
}

using Form = std::map<std::string, std::string>;

std::optional<Form> parse_form(std::string_view body) {
    const auto parsed = boost::urls::parse_query(body);
    if (!parsed) return std::nullopt;
    boost::urls::encoding_opts options;
    options.space_as_plus = true;
    Form form;
    for (const auto& pair : *parsed)
        if (!form.emplace(pair.key.decode(options), pair.value.decode(options)).second) return std::nullopt;
    return form;
}

bool is_form(const Call& call) {
    const auto type = find_header(call.headers, "Content-Type").value_or("");
    return type.substr(0, type.find(';')) == "application/x-www-form-urlencoded";
}

template <class Map, class Expired>
void erase_where(Map& map, Expired expired) {
    for (auto entry = map.begin(); entry != map.end();)
        entry = expired(entry->second) ? map.erase(entry) : ++entry;
}

}  // namespace

// Answers with an error whose body comes from the document, or from RFC 6749.
Reply Tokens::refuse(std::string_view code, std::string_view description) const {
    switch (options_.token_errors) {
        case TokenErrors::rfc: return token_refusal(code == "invalid_client" ? 401 : 400, code, description);
        case TokenErrors::all_400: return token_refusal(400, code, description);
        case TokenErrors::all_401: return token_refusal(401, code, description);
    }
    return {};
}

// Returns the scopes among the requested ones that the user may have, as the answer lists them.
std::string Tokens::enabled(std::string_view asked) const {
    const auto& some = options_.granted_scopes;
    std::string out;
    while (!asked.empty()) {
        const auto one = asked.substr(0, asked.find(' '));
        asked.remove_prefix(std::min(one.size() + 1, asked.size()));
        const bool exists = std::find(scopes.begin(), scopes.end(), one) != scopes.end();
        if (!exists || (!some.empty() && std::find(some.begin(), some.end(), one) == some.end())) continue;
        if (!out.empty()) out += options_.scope_separator;
        out += one;
    }
    return out;
}

Reply Tokens::request(const Call& call, WallTime now) {
    if (!is_form(call))
        return token_refusal(415, "invalid_request", "The body must be application/x-www-form-urlencoded");
    const auto form = parse_form(call.body);
    if (!form) return refuse("invalid_request", "The body is no form");
    const auto value = [&](const char* name) {
        const auto found = form->find(name);
        return found == form->end() ? std::string() : found->second;
    };
    const auto grant_type = value("grant_type");
    if (grant_type == "client_credentials") return client_credentials(call, value("scope"), now);
    if (grant_type == "refresh_token") return refresh(value("refresh_token"), now);
    return refuse("unsupported_grant_type", "grant_type must be client_credentials or refresh_token");
}

Reply Tokens::client_credentials(const Call& call, std::string_view scope, WallTime now) {
    constexpr std::string_view basic = "Basic ";
    const auto header = find_header(call.headers, "Authorization");
    if (!header || !header->starts_with(basic)) return refuse("invalid_request", "Credentials not available");
    if (header->substr(basic.size()) !=
        base64(options_.app_key + options_.basic_separator + options_.app_secret.reveal()))
        return refuse("invalid_client", "Unknown credentials");
    const auto granted = enabled(scope);
    if (granted.empty()) return refuse("invalid_scope", "No valid scope given");
    return issue(granted, {}, now);
}

Reply Tokens::refresh(const std::string& token, WallTime now) {
    const auto found = refresh_.find(token);
    if (found == refresh_.end() || found->second.expiry <= now)
        return refuse("invalid_grant", "The refresh token is not valid");
    const auto [scope, expiry, access] = found->second;
    if (options_.refresh_revokes_access) access_.erase(access);
    if (options_.refresh_token != RefreshToken::rotates_old_lives) refresh_.erase(found);
    ++refreshed_;
    return issue(scope, options_.refresh_token == RefreshToken::stays ? token : std::string(), now);
}

Reply Tokens::issue(const std::string& scope, std::string refresh, WallTime now) {
    forget_expired(now);
    if (access_.size() >= most_tokens) access_.clear();
    if (refresh_.size() >= most_tokens) refresh_.clear();
    const auto access = random_hex(random_);
    if (refresh.empty()) refresh = random_hex(random_);
    const auto expiry = now + options_.token_lifetime;
    access_.emplace(access, expiry);
    const bool refreshes = options_.refresh_token != RefreshToken::none;
    if (refreshes) refresh_.insert_or_assign(refresh, Refresh{scope, now + options_.refresh_lifetime, access});
    ++issued_;
    std::int64_t expires_in = expiry.time_since_epoch().count();
    switch (options_.expires_in) {
        case ExpiresIn::timestamp_ms: break;
        case ExpiresIn::timestamp_s: expires_in /= 1000; break;
        case ExpiresIn::duration_s: expires_in = options_.token_lifetime.count() / 1000; break;
    }
    Reply reply;
    reply.body = {{"access_token", access}, {"token_type", "Bearer"}, {"expires_in", expires_in}, {"scope", scope}};
    if (refreshes) reply.body["refresh_token"] = refresh;
    reply.headers.emplace_back("Cache-Control", "no-store");
    return reply;
}

Tokens::Verdict Tokens::check(const std::string& access_token, WallTime now) const {
    const auto found = access_.find(access_token);
    if (found == access_.end()) return Verdict::unknown;
    return found->second > now ? Verdict::good : Verdict::expired;
}

void Tokens::revoke() {
    access_.clear();
    refresh_.clear();
}

std::size_t Tokens::valid(WallTime now) const {
    return static_cast<std::size_t>(
        std::count_if(access_.begin(), access_.end(), [&](const auto& entry) { return entry.second > now; }));
}

void Tokens::forget_expired(WallTime now) {
    // Expired tokens stay for one more lifetime, so that "expired" can be told from "unknown".
    erase_where(access_, [&](WallTime expiry) { return expiry + options_.token_lifetime <= now; });
    erase_where(refresh_, [&](const Refresh& entry) { return entry.expiry <= now; });
}

}  // namespace gateway::sandbox
