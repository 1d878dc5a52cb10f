// Tells whether the bytes of a write-ahead log lack commits that stand before later ones.
#pragma once

#include "journal/sqlite/log_gap.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gateway::test {

inline bool has_gap(std::string_view log) {
    wal::Header header{};
    if (log.size() < header.size()) return false;
    std::copy_n(log.begin(), header.size(), header.begin());
    if (wal::page_bytes(header) == 0) return false;
    const auto frame = static_cast<std::size_t>(wal::frame_header_bytes + wal::page_bytes(header));
    LogGap gap(header);
    for (auto at = header.size(); at + frame <= log.size(); at += frame)
        gap.add(log.data() + at);
    return gap.found();
}

}  // namespace gateway::test
