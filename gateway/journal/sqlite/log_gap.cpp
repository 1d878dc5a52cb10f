#include "journal/sqlite/log_gap.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace gateway {
namespace {

// These are the places of the checksums in SQLite's format. The checksum of a frame covers the beginning of its header,
// and its page.
constexpr std::size_t sum_in_header = 24;
constexpr std::size_t sum_in_frame = 16;
constexpr std::size_t added_of_frame_header = 8;

// The last bit of the log's first number says in which byte order the checksums read the log.
bool adds_up_big_endian(const wal::Header& header) {
    return (wal::number_at(header.data()) & 1U) != 0;
}

}  // namespace

LogGap::LogGap(const wal::Header& header)
    : header_(header),
      page_bytes_(static_cast<std::size_t>(wal::page_bytes(header))),
      last_{wal::number_at(header.data() + sum_in_header),
            wal::number_at(header.data() + sum_in_header + sizeof(std::uint32_t))} {}

void LogGap::add_up(Checksum& sum, const char* bytes, std::size_t length) const {
    const bool swapped = adds_up_big_endian(header_) != (std::endian::native == std::endian::big);
    std::array<std::uint32_t, 2> words{};
    for (std::size_t at = 0; at + sizeof(words) <= length; at += sizeof(words)) {
        std::memcpy(words.data(), bytes + at, sizeof(words));
        for (auto& word : words)
            if (swapped) word = __builtin_bswap32(word);
        sum[0] += words[0] + sum[1];
        sum[1] += words[1] + sum[0];
    }
}

// Tells whether the frame follows on the frame before it, or on the header.
bool LogGap::follows(const char* frame) const {
    if (!last_is_ours_ || !wal::is_of(header_, frame)) return false;
    auto sum = last_;
    add_up(sum, frame, added_of_frame_header);
    add_up(sum, frame + wal::frame_header_bytes, page_bytes_);
    return sum[0] == wal::number_at(frame + sum_in_frame) &&
           sum[1] == wal::number_at(frame + sum_in_frame + sizeof(std::uint32_t));
}

void LogGap::add(const char* frame) {
    const bool follows_last = follows(frame);
    taken_ = taken_ && follows_last;
    if (taken_) {
        ++frames_;
        std::string commit;
        if (wal::ends_commit(frame)) {
            commit.assign(frame, added_of_frame_header).append(frame + wal::frame_header_bytes, page_bytes_);
            committed_ = frames_;
            // After a frame that pads a commit comes the next commit, which may have the same page.
            padded_ = !padded_ && commit == last_commit_;
        }
        last_commit_ = std::move(commit);
    }
    // A frame that does not end a commit does not pad one either, so it begins the next one.
    if (!taken_ && follows_last && last_ends_commit_ && !wal::ends_commit(frame)) found_ = true;
    last_is_ours_ = wal::is_of(header_, frame);
    last_ends_commit_ = follows_last && wal::ends_commit(frame);
    last_ = {wal::number_at(frame + sum_in_frame), wal::number_at(frame + sum_in_frame + sizeof(std::uint32_t))};
}

bool LogGap::exposes_last_commit() const noexcept {
    const auto frame_bytes = wal::frame_header_bytes + static_cast<std::int64_t>(page_bytes_);
    const auto end = wal::header_bytes + committed_ * frame_bytes;
    return committed_ > 0 && !padded_ && end % wal::block_bytes != 0;
}

}  // namespace gateway
