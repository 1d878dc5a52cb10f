// What a file must have right by itself before a row of it is compared with our books: the day, the network, and that
// its own counts hold.
#pragma once

#include "reconcile/finding.hpp"
#include "reconcile/local_time_text.hpp"
#include "reconcile/statement_reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway {

// A number of sales and what they amount to; no total where that does not fit.
struct CountAndTotal {
    std::int64_t count = 0;
    std::optional<Cents> total{Cents{0}};

    void add(Cents amount);
    friend bool operator==(const CountAndTotal&, const CountAndTotal&) = default;
};

// Counts the rows of a file, and remembers by which id each would be matched: 24 bytes a row.
class StatementTally {
  public:
    void add(const StatementRow& row);

    const CountAndTotal& all() const noexcept { return all_; }
    const CountAndTotal& sold() const noexcept { return sold_; }
    // After the last add(): goes on looking for twins, among some `rows` of them; whether there are more.
    bool look_for_twins(std::size_t rows);
    // The lines of two rows about one attempt: the second of them is the earliest that there is. Looks for them among
    // all rows that look_for_twins() has left.
    std::optional<std::pair<std::size_t, std::size_t>> twins();

  private:
    struct Seen {
        std::array<std::uint64_t, 2> id;  // the first half of the id's SHA-256
        std::size_t line;
        friend auto operator<=>(const Seen&, const Seen&) = default;
    };

    static constexpr std::size_t bucket_count = 256;
    using Bucket = std::vector<Seen>;

    void look_for_twins_in(Bucket& bucket);

    CountAndTotal all_;
    CountAndTotal sold_;
    std::array<Bucket, bucket_count> buckets_;  // twins are in the same one
    std::size_t looked_at_ = 0;                 // buckets
    std::optional<std::pair<std::size_t, std::size_t>> twins_;
};

struct FileFinding {
    FindingKind kind;
    std::string detail;      // for those who brought it: what stands there and what should
    std::string unquoted{};  // for the log: without what stands in the file; empty: the detail quotes nothing
    std::size_t line = 0;    // which line it is about, from 1; 0: the file as a whole
    friend bool operator==(const FileFinding&, const FileFinding&) = default;
};

struct FileChecks {
    std::vector<FileFinding> findings;      // none: the file holds
    std::optional<AmountUnit> header_unit;  // of its total, where that agrees
};

// Of a file whose lines were read, before it is matched. `asked` is the day that the caller says it is of.
FileChecks check_file(const StatementHeader& header, const StatementFormat& format, StatementTally& rows,
                      std::optional<Day> asked);

// Of a file that covers this gateway and nothing else: its header beside what we have of its movement day. Nothing is
// found where it covers more.
FileChecks check_against_ours(const StatementHeader& header, const StatementFormat& format, const CountAndTotal& ours);

// A line that is not what it should be, as a finding of its file.
FileFinding finding_of(const StatementError& error);

}  // namespace gateway
