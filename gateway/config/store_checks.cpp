#include "base/ascii.hpp"
#include "config/checks.hpp"
#include "families/cnpj.hpp"
#include "families/plain_text.hpp"

#include <algorithm>

namespace gateway {

namespace {

bool is_colour(std::string_view text) {
    constexpr std::size_t length = std::string_view("#rrggbb").size();
    return text.size() == length && text.front() == '#' &&
           std::ranges::all_of(text.substr(1), [](char c) { return hex_value(c) >= 0; });
}

}  // namespace

void check_store(Config& config, Diagnostics& diagnostics) {
    auto& [name, cnpj] = config.store.letterhead;
    if (!name.empty() && !is_name(name)) diagnostics.error("store.name", told("must be {}"), name_in_words);
    if (!cnpj.empty()) {
        if (auto formatted = formatted_cnpj(cnpj))
            cnpj = std::move(*formatted);
        else
            diagnostics.error(
                "store.cnpj",
                told("is no CNPJ: it has another form than \"12.345.678/0001-95\", or wrong check digits"));
    }
    if (!config.colour.empty() && !is_colour(config.colour))
        diagnostics.error("console.colour",
                          told("must be a colour as \"#1a5fb4\" is one: # and six hexadecimal digits"));
    const auto& phone = config.provider_phone;
    if (!phone.empty() && (!is_name(phone) || std::ranges::none_of(phone, is_digit)))
        diagnostics.error("provider.phone",
                          told("must be a telephone number, such as \"0800 123 4567\", in 1 to 64 characters"));
}

}  // namespace gateway
