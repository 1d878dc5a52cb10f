#include "base/ascii.hpp"
#include "config/checks.hpp"
#include "config/files.hpp"
#include "config/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gateway {
namespace {

// These are the scopes of the provider's interface document. The document replaces the names of brands by neutral
// words, so the real names of these may differ.
constexpr std::array<std::string_view, 11> known_scopes{
    "Venda_Egift",   "Venda_Telecom",  "Venda_TvPrePaga", "Venda_Voucher", "Envio_SMS",    "PagamentoDeContas",
    "Venda_Parking", "Venda_PartnerA", "Venda_PartnerB",  "Venda_Transit", "Venda_Lottery"};

// Says in words which character the name of a scope may not have (RFC 6749, 3.3), the first one; nothing where there is
// none.
std::optional<std::string> no_part_of_a_scope(std::string_view scope) {
    const auto* const odd =
        std::ranges::find_if(scope, [](unsigned char c) { return c <= 0x20 || c >= 0x7f || c == '"' || c == '\\'; });
    if (odd == scope.end()) return std::nullopt;
    const auto at = odd - scope.begin() + 1;  // every character before it is one byte
    if (*odd == ' ') return fmt::format(told("has a blank as its character {}"), at);
    if (auto hidden = invisible_in(scope)) return hidden;
    return fmt::format(told("has what is no letter of English, digit or plain sign as its character {}"), at);
}

void check_scopes(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string key = "provider.scopes";
    for (const auto& scope : provider.scopes) {
        if (const auto odd = no_part_of_a_scope(scope))
            diagnostics.error(key,
                              told("\"{}\" {}, and the name of a scope has none: write each scope alone in quotes, "
                                   "[\"one\", \"two\"]"),
                              scope, *odd);
        else if (std::ranges::find(known_scopes, scope) == known_scopes.end())
            diagnostics.warn(key,
                             told("\"{}\" is none of the scopes that the provider's interface document names: where "
                                  "the provider does not know it either, it gives no token{}"),
                             scope, did_you_mean(scope, known_scopes));
    }
}

// Warns of paths in the addresses, because the gateway itself adds those of the interface document.
void check_paths(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const auto auth = to_lower(provider.auth_url.path);
    const std::string_view added = told("is added to it by the gateway: write the address without it");
    if (auth.ends_with("/authorization/token"))
        diagnostics.error("provider.auth_url", told("ends in /authorization/token, which {}"), added);
    else if (auth.ends_with("/authorization") || auth.ends_with("/token"))
        diagnostics.warn("provider.auth_url", told("ends in a part of /authorization/token, and the whole of that {}"),
                         added);
    if (to_lower(provider.base_url.path).ends_with("/venda"))
        diagnostics.warn("provider.base_url", told("ends in /venda, with which each path begins that {}"), added);
}

// Warns of values that are still those of the example, where only the store knows the right ones.
void check_placeholders(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const auto check = [&](const std::string& key, std::string_view value, std::string_view placeholder,
                           std::string_view instead) {
        if (value == placeholder) diagnostics.warn(key, told("is the example's placeholder: write {}"), instead);
    };
    check("provider.base_url", provider.base_url.host, "sales.provider.example",
          told("the provider's address for sales"));
    check("provider.auth_url", provider.auth_url.host, "auth.provider.example",
          told("the provider's address for tokens"));
    check("provider.app_key", provider.app_key, "the app-key", told("the app-key that the provider has given you"));
    // The sandbox provider accepts any.
    if (!is_loopback(provider.base_url.host) && !diagnostics.has_error("provider.base_url"))
        check("provider.estabelecimento", provider.estabelecimento, "12345678",
              told("the establishment as the provider knows it"));
}

// A blank that was copied along gives another name, which the provider does not know.
void check_hidden_signs(const ProviderOptions& provider, Diagnostics& diagnostics) {
    for (const auto& [key, value] : {std::pair("provider.app_key", &provider.app_key),
                                     std::pair("provider.estabelecimento", &provider.estabelecimento)})
        if (const auto hidden = invisible_in(*value)) diagnostics.hinder(key, *hidden);
}

}  // namespace

void check_provider_facts(const ProviderOptions& provider, Diagnostics& diagnostics) {
    check_scopes(provider, diagnostics);
    check_paths(provider, diagnostics);
    check_placeholders(provider, diagnostics);
    check_hidden_signs(provider, diagnostics);
}

}  // namespace gateway
