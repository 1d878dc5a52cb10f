// What the provider has sold, and what terminals were told is sold: both by idTransacao, which the provider counts up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rig {

struct BooksCounts {
    std::uint64_t told = 0;  // sales that terminals were told are sold
    std::uint64_t told_only =
        0;  // of these: which the provider has not sold, or which another terminal was told as well
    std::uint64_t sold_only = 0;  // sold by the provider, and told to nobody
};

class Books {
  public:
    // The provider has sold it; again is no news.
    void sell(std::string_view id_transacao);
    // A terminal is told that it is sold.
    void tell(std::string_view id_transacao);
    BooksCounts counts() const { return counts_; }

  private:
    struct Entry {
        bool sold = false;
        bool told = false;
    };

    // Nothing where there is no such number.
    Entry* entry_of(std::string_view id_transacao);

    std::vector<Entry> entries_;
    BooksCounts counts_;
};

}  // namespace rig
