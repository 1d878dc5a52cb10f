#include "api/terminals.hpp"

#include "base/digest.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>
#include <set>

namespace gateway {

void Terminals::reload(std::vector<Terminal> terminals) {
    all_.clear();
    by_id_.clear();
    for (auto& terminal : terminals) {
        const auto shared = std::make_shared<const Terminal>(std::move(terminal));
        all_.push_back(shared);
        by_id_.emplace(shared->id, shared);
    }
}

std::optional<std::string_view> Terminals::key_in(std::string_view authorization) {
    constexpr std::string_view scheme = "Bearer ";
    if (authorization.size() <= scheme.size() || !boost::beast::iequals(authorization.substr(0, scheme.size()), scheme))
        return std::nullopt;
    auto key = authorization.substr(scheme.size());
    while (key.starts_with(' '))
        key.remove_prefix(1);
    return key;
}

std::shared_ptr<const Terminal> Terminals::by_key(std::string_view key) const {
    const auto digest = sha256_hex(key);
    const std::shared_ptr<const Terminal>* found = nullptr;
    for (const auto& terminal : all_)
        for (const auto& known : terminal->key_sha256)
            if (equal_in_constant_time(known, digest)) found = &terminal;
    return found == nullptr ? nullptr : *found;
}

std::shared_ptr<const Terminal> Terminals::by_id(std::string_view id) const {
    const auto found = by_id_.find(std::string(id));
    return found == by_id_.end() ? nullptr : found->second;
}

bool Terminals::any_may_sell(Family family) const {
    return std::ranges::any_of(all_, [&](const auto& terminal) { return terminal->may_sell(family); });
}

std::vector<std::string> Terminals::establishments() const {
    std::set<std::string> all;
    for (const auto& terminal : all_)
        all.insert(terminal->estabelecimento);
    return {all.begin(), all.end()};
}

bool Terminals::is_of_others(std::string_view estabelecimento, const Terminal& terminal) const {
    return estabelecimento != terminal.estabelecimento &&
           std::ranges::any_of(all_, [&](const auto& other) { return other->estabelecimento == estabelecimento; });
}

}  // namespace gateway
