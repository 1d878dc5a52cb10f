#include "books/statement_rows.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace gateway {

StatementRows::StatementRows(std::string_view text, const StatementFormat& format, ZoneRule zone)
    : text_(text), format_(format), zone_(std::move(zone)), reader_(format, zone_) {}

bool StatementRows::read_some() {
    std::vector<StatementRow> rows;
    for (std::size_t lines = 0; lines < lines_at_once && offset_ < text_.size() && !error_; ++lines) {
        rows.clear();
        const auto line = line_at(offset_);
        error_ = reader_.take(line, rows);
        const auto offset = std::exchange(offset_, offset_ + line.size());
        if (offset_ == text_.size() && !error_) error_ = reader_.finish(rows);
        note(rows, offset);
    }
    if (text_.empty()) error_ = reader_.finish(rows);
    return offset_ < text_.size() && !error_;
}

// Returns the line with its line break; of a line that is too long, enough to show that.
std::string_view StatementRows::line_at(std::size_t offset) const {
    const auto some = text_.substr(offset, 2 * max_statement_line);
    const auto end = some.find('\n');
    return some.substr(0, end == std::string_view::npos ? end : end + 1);
}

void StatementRows::note(const std::vector<StatementRow>& rows, std::size_t offset) {
    for (const auto& row : rows) {
        tally_.add(row);
        const auto key = key_of(id_of(row).value());  // the reader lets no row without an id pass
        bucket_of(key).push_back({.key = key, .offset = offset, .line = row.line, .taken = false});
        ++size_;
    }
}

std::uint64_t StatementRows::key_of(const RowId& id) {
    return std::hash<std::string_view>{}(id.text) * 3 + static_cast<std::uint64_t>(id.kind);
}

bool StatementRows::sort_some() {
    if (tally_.look_for_twins(lines_at_once)) return true;
    for (std::size_t lines = 0; sorted_ < bucket_count && lines < lines_at_once; ++sorted_) {
        auto& bucket = buckets_.at(sorted_);
        std::ranges::sort(bucket, {}, &Place::key);
        lines += bucket.size();
    }
    return sorted_ < bucket_count;
}

std::optional<StatementRow> StatementRows::take(const RowId& id) {
    const auto key = key_of(id);
    auto& bucket = bucket_of(key);
    for (auto at = std::ranges::lower_bound(bucket, key, {}, &Place::key); at != bucket.end() && at->key == key; ++at) {
        auto& place = *at;
        if (place.taken) continue;
        auto row = read_again(place);
        const auto named = id_of(row);
        if (!named || named->kind != id.kind || named->text != id.text) continue;
        place.taken = true;
        return row;
    }
    return std::nullopt;
}

bool StatementRows::take_rest(std::vector<StatementRow>& rows) {
    for (std::size_t lines = 0; rest_bucket_ < bucket_count; ++rest_bucket_, rest_place_ = 0) {
        auto& bucket = buckets_.at(rest_bucket_);
        for (; rest_place_ < bucket.size(); ++rest_place_) {
            auto& place = bucket.at(rest_place_);
            if (place.taken) continue;
            if (++lines > lines_at_once) return true;
            place.taken = true;
            rows.push_back(read_again(place));
        }
    }
    return false;
}

// The same line below the same header always gives the same row.
StatementRow StatementRows::read_again(const Place& place) const {
    StatementReader reader(format_, zone_);
    std::vector<StatementRow> rows;
    (void)reader.take(line_at(0), rows);
    (void)reader.take(line_at(place.offset), rows);
    (void)reader.finish(rows);
    CHECK(rows.size() == 1);
    rows.front().line = place.line;
    return std::move(rows.front());
}

}  // namespace gateway
