// Finds the rows of a statement by the ids that they name. Of each row only its place in the text is kept, in some 32
// bytes; what the row says is read again when it is asked for. Reading and sorting are done in parts of a millisecond
// or two, so that sales can go on in between. All of it is pure.
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
    // One part looks at this many lines.
    static constexpr std::size_t lines_at_once = 500;

    // Text and format must outlive this object. The format must be one that the configuration accepts.
    StatementRows(std::string_view text, const StatementFormat& format, ZoneRule zone);

    // Reads a further part. Returns whether there is more to read. Nothing is read after an error.
    bool read_some();
    const std::optional<StatementError>& error() const noexcept { return error_; }
    const std::optional<StatementHeader>& header() const noexcept { return reader_.header(); }
    StatementTally& tally() noexcept { return tally_; }
    std::size_t size() const noexcept { return size_; }

    // Sorts a further part, after the last read_some(). Returns whether there is more to sort.
    bool sort_some();

    // After the last sort_some(), returns the row that names the attempt by this id. A row is returned only once.
    std::optional<StatementRow> take(const RowId& id);
    // Gives some of the rows that nobody has taken, each once. Returns whether there may be more.
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
    std::size_t sorted_ = 0;  // how many buckets are sorted
    std::size_t rest_bucket_ = 0;
    std::size_t rest_place_ = 0;
};

}  // namespace gateway
