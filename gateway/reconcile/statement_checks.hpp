// Checks what must be right in a file by itself before any of its rows is compared with our books: the day, the
// network, and its own count and total.
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

// Counts sales and adds up their amounts. There is no total if it overflows.
struct CountAndTotal {
    std::int64_t count = 0;
    std::optional<Cents> total{Cents{0}};

    void add(Cents amount);
    friend bool operator==(const CountAndTotal&, const CountAndTotal&) = default;
};

// Counts the rows of a file, and remembers by which id each would be matched. It takes 24 bytes a row.
class StatementTally {
  public:
    void add(const StatementRow& row);

    const CountAndTotal& all() const noexcept { return all_; }
    const CountAndTotal& sold() const noexcept { return sold_; }
    // Goes on looking for twins, among about `rows` of them, after the last add(). Returns whether there are more to
    // look at.
    bool look_for_twins(std::size_t rows);
    // Returns the lines of the first two rows about one attempt: the pair whose second line comes earliest in the file.
    // Looks at all rows that look_for_twins() has left.
    std::optional<std::pair<std::size_t, std::size_t>> twins();

  private:
    struct Seen {
        std::array<std::uint64_t, 2> id;  // the first half of the SHA-256 of the id
        std::size_t line;
        friend auto operator<=>(const Seen&, const Seen&) = default;
    };

    static constexpr std::size_t bucket_count = 256;
    using Bucket = std::vector<Seen>;

    void look_for_twins_in(Bucket& bucket);

    CountAndTotal all_;
    CountAndTotal sold_;
    std::array<Bucket, bucket_count> buckets_;  // two twins are in the same bucket
    std::size_t looked_at_ = 0;                 // so many buckets were looked at
    std::optional<std::pair<std::size_t, std::size_t>> twins_;
};

struct FileFinding {
    FindingKind kind;
    std::string detail;  // says what stands there and what should
    // Says the same for the log, without what stands in the file. It is empty if the detail quotes nothing.
    std::string unquoted{};
    std::size_t line = 0;  // the line that it is about, from 1; 0 for the file as a whole
    friend bool operator==(const FileFinding&, const FileFinding&) = default;
};

struct FileChecks {
    std::vector<FileFinding> findings;      // empty if the file is right
    std::optional<AmountUnit> header_unit;  // the unit of the header's total, if the total agrees
};

// Checks a file whose lines were read, before it is matched. `asked` is the day that the caller says it is of.
FileChecks check_file(const StatementHeader& header, const StatementFormat& format, StatementTally& rows,
                      std::optional<Day> asked);

// Checks a file that covers this gateway and nothing else: compares its header with what we have of its movement day.
// Finds nothing if the file covers more.
FileChecks check_against_ours(const StatementHeader& header, const StatementFormat& format, const CountAndTotal& ours);

// Makes a finding of its file from a line that is not what it should be.
FileFinding finding_of(const StatementError& error);

}  // namespace gateway
