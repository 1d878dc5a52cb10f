// Knows the terminals of the configuration, which may call, and finds them by the key that they show.
#pragma once

#include "paper/code_page.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gateway {

struct Terminal {
    std::string id;
    std::vector<std::string> key_sha256;  // 64 hex digits each; a terminal may show any of its keys
    std::string estabelecimento;          // never empty: its own, or else the provider section's
    std::vector<Family> families;
    CodePageNumbers printer{};  // the numbers of the code pages of its receipt printer

    // Tells whether the terminal may see the sale: one of its establishment, of the families that it may sell, or one
    // that it sold itself, also before it was given another establishment.
    bool may_see(const Sale& sale) const {
        return sale.terminal == id || (sale.estabelecimento == estabelecimento && may_sell(sale.family));
    }
    bool may_sell(Family family) const { return std::find(families.begin(), families.end(), family) != families.end(); }
};

class Terminals {
  public:
    explicit Terminals(std::vector<Terminal> terminals) { reload(std::move(terminals)); }

    // Replaces all terminals. Requests that are under way go on with what these were.
    void reload(std::vector<Terminal> terminals);
    // Returns the key in "Bearer <key>", the value of an Authorization header; nothing for any other value.
    static std::optional<std::string_view> key_in(std::string_view authorization);
    // Returns null where no terminal has the key. It compares digests, with those of all terminals and each in constant
    // time, so that the time it takes tells nothing about any key.
    std::shared_ptr<const Terminal> by_key(std::string_view key) const;
    std::shared_ptr<const Terminal> by_id(std::string_view id) const;
    // Returns the terminals in the order of the configuration.
    const std::vector<std::shared_ptr<const Terminal>>& all() const noexcept { return all_; }
    // Tells whether at least one terminal may sell the family.
    bool any_may_sell(Family family) const;
    // Returns the terminals' establishments, each once, sorted.
    std::vector<std::string> establishments() const;
    // Tells whether it is the establishment of other terminals, and not of this one.
    bool is_of_others(std::string_view estabelecimento, const Terminal& terminal) const;

  private:
    std::vector<std::shared_ptr<const Terminal>> all_;
    std::unordered_map<std::string, std::shared_ptr<const Terminal>> by_id_;
};

}  // namespace gateway
