// The rows of a statement, found by the ids that they name. Of each only its place in the text is kept, some 32 bytes:
// what a row says is read again when it is asked for. Reading and sorting come in parts, each of which takes a
// millisecond or two, so that sales can go on in between. Pure.
#pragma once

#include "reconcile/comparison.hpp"
#include "reconcile/statement_checks.hpp"
#include "reconcile/statement_reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gateway {

class StatementRows {
  public:
    // How many lines one part looks at.
    static constexpr std::size_t lines_at_once = 500;

    // Text and format must outlive it; the format must be one that the configuration lets pass.
    StatementRows(std::string_view text, const StatementFormat& format, ZoneRule zone);

    // Goes on reading; whether there is more to read. Nothing is read behind an error.
    bool read_some();
    const std::optional<StatementError>& error() const noexcept { return error_; }
    const std::optional<StatementHeader>& header() const noexcept { return reader_.header(); }
    StatementTally& tally() noexcept { return tally_; }
    std::size_t size() const noexcept { return size_; }

    // After the last read_some(): goes on sorting; whether there is more to sort.
    bool sort_some();

    // After the last sort_some(). The row that names the attempt by this id, which is given once.
    std::optional<StatementRow> take(const RowId& id);
    // Some of those that nobody took, each once; whether there may be more.
    bool take_rest(std::vector<StatementRow>& rows);

  private:
    struct Place {
        std::uint64_t key;  // a hash of the id
        std::size_t offset;
        std::size_t line;
        bool taken;
    };
    static constexpr std::size_t bucket_count = 256;
    using Bucket = std::vector<Place>;

    static std::uint64_t key_of(const RowId& id);
    Bucket& bucket_of(std::uint64_t key) { return buckets_.at(key % bucket_count); }
    std::string_view line_at(std::size_t offset) const;
    void note(const std::vector<StatementRow>& rows, std::size_t offset);
    StatementRow read_again(const Place& place) const;

    const std::string_view text_;
    const StatementFormat& format_;
    const ZoneRule zone_;
    StatementReader reader_;
    StatementTally tally_;
    std::optional<StatementError> error_;
    std::size_t offset_ = 0;
    std::size_t size_ = 0;
    std::array<Bucket, bucket_count> buckets_;
    std::size_t sorted_ = 0;  // buckets
    std::size_t rest_bucket_ = 0;
    std::size_t rest_place_ = 0;
};

}  // namespace gateway
