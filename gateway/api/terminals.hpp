// Who may call: the terminals of the configuration, found by the key that they show.
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
    std::vector<std::string> key_sha256;  // 64 hex digits each; any of its keys is as good as the others
    std::string estabelecimento;          // never empty: its own, or else the provider section's
    std::vector<Family> families;
    CodePageNumbers printer{};  // of the receipt printer that it has

    // Its establishment's sales, of the families that it may sell, and whatever it sold itself, also before it was
    // given another establishment.
    bool may_see(const Sale& sale) const {
        return sale.terminal == id || (sale.estabelecimento == estabelecimento && may_sell(sale.family));
    }
    bool may_sell(Family family) const { return std::find(families.begin(), families.end(), family) != families.end(); }
};

class Terminals {
  public:
    explicit Terminals(std::vector<Terminal> terminals) { reload(std::move(terminals)); }

    // Takes the place of all of them. Requests under way go on with what they were.
    void reload(std::vector<Terminal> terminals);
    // The key in "Bearer <key>", the value of an Authorization header; nothing of any other value.
    static std::optional<std::string_view> key_in(std::string_view authorization);
    // Null where no terminal has the key. Digests are compared, with all of every terminal and each in constant time:
    // how long this takes tells nothing about any key.
    std::shared_ptr<const Terminal> by_key(std::string_view key) const;
    std::shared_ptr<const Terminal> by_id(std::string_view id) const;
    // In the order of the configuration.
    const std::vector<std::shared_ptr<const Terminal>>& all() const noexcept { return all_; }
    // Whether there is one that may.
    bool any_may_sell(Family family) const;
    // Theirs, each once, sorted.
    std::vector<std::string> establishments() const;
    // Whether it is the establishment of terminals, and not this one's.
    bool is_of_others(std::string_view estabelecimento, const Terminal& terminal) const;

  private:
    std::vector<std::shared_ptr<const Terminal>> all_;
    std::unordered_map<std::string, std::shared_ptr<const Terminal>> by_id_;
};

}  // namespace gateway
