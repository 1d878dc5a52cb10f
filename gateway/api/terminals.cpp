#include "api/terminals.hpp"

#include "base/digest.hpp"

#include <boost/beast/core/string.hpp>

namespace gateway {

void Terminals::replace(std::vector<Terminal> terminals) {
    by_key_.clear();
    by_id_.clear();
    for (auto& terminal : terminals) {
        const auto shared = std::make_shared<const Terminal>(std::move(terminal));
        by_key_.emplace(shared->key_sha256, shared);
        by_id_.emplace(shared->id, shared);
    }
}

std::shared_ptr<const Terminal> Terminals::by_authorization(std::string_view header) const {
    constexpr std::string_view scheme = "Bearer ";
    if (header.size() <= scheme.size() || !boost::beast::iequals(header.substr(0, scheme.size()), scheme))
        return nullptr;
    auto key = header.substr(scheme.size());
    while (key.starts_with(' '))
        key.remove_prefix(1);
    const auto found = by_key_.find(sha256_hex(key));
    return found == by_key_.end() ? nullptr : found->second;
}

std::shared_ptr<const Terminal> Terminals::by_id(std::string_view id) const {
    const auto found = by_id_.find(std::string(id));
    return found == by_id_.end() ? nullptr : found->second;
}

}  // namespace gateway
