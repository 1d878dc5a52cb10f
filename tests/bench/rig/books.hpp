// These books hold what the provider has sold, and which sales terminals were told are sold: both by idTransacao, which
// the provider counts up.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rig {

struct BooksCounts {
    std::uint64_t told = 0;  // sales that terminals were told are sold
    std::uint64_t told_only =
        0;  // those of them that the provider has not sold, or that another terminal was told as well
    std::uint64_t sold_only = 0;  // the provider sold them, and told nobody
};

class Books {
  public:
    // Notes that the provider has sold it; to note it again changes nothing.
    void sell(std::string_view id_transacao);
    // Notes that a terminal is told that it is sold.
    void tell(std::string_view id_transacao);
    BooksCounts counts() const { return counts_; }

  private:
    struct Entry {
        bool sold = false;
        bool told = false;
    };

    // Returns nothing where there is no such number.
    Entry* entry_of(std::string_view id_transacao);

    std::vector<Entry> entries_;
    BooksCounts counts_;
};

}  // namespace rig
