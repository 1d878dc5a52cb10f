// Reads a statement, a file of one header and many detail lines, in pieces of any size: it keeps no more of it than one
// line. It is strict: a line that is not what the format says is an error with its line and field, and nothing is read
// behind it. A caller that must know that the whole file is good before a row of it counts reads it twice.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "reconcile/local_time_text.hpp"
#include "reconcile/statement_format.hpp"
#include "sale/sale.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// In bytes, without its break. A record of a sale has a few hundred; a file whose lines are longer is no statement.
constexpr std::size_t max_statement_line = 4096;
// Detail lines of a file: one for each sale of a day, of a network far larger than any that is known.
constexpr std::size_t max_statement_rows = 5'000'000;
// Of an id that the provider gives, in bytes.
constexpr std::size_t max_statement_id = 64;

// "0;<network>;<name>;;<written>;<movement>;<count>;<total>;<commission>;<payable>;"
struct StatementHeader {
    std::string network;
    std::string name;
    Day written;
    Day movement;
    std::int64_t count = 0;
    std::string total;  // as written: its unit may be left to a guess
    std::string commission;
    std::string payable;
};

// What the provider says of one attempt. It has one of the three ids at least; a text that is not there is empty.
struct StatementRow {
    std::size_t line = 0;  // of the file, from 1; 0: of another source
    std::string id_externo;
    std::string id_transacao;
    std::string nsu;
    Cents valor;
    Status status = Status::EFETIVADA;
    std::optional<WallTime> at;
    std::string estabelecimento;
    friend bool operator==(const StatementRow&, const StatementRow&) = default;
};

struct StatementError {
    std::size_t line = 0;  // from 1; 0: the file as a whole
    std::string message;   // for those who brought it, the line and the field named: "line 17, field 4 (valor): …"
    std::string unquoted;  // for the log: without what stands in the field; empty: the message quotes nothing
    friend bool operator==(const StatementError&, const StatementError&) = default;
};

// Says which moment a time of the statement's zone is.
using ZoneRule = std::function<WallTime(LocalTime)>;
// Goes by the clocks of this zone. On the two days of a year on which they are set it may be an hour off: a time only
// suggests which sale is meant.
ZoneRule zone_rule(const TimeZone& zone);

class StatementReader {
  public:
    // The format must live as long as the reader, and be one that the configuration lets pass.
    StatementReader(const StatementFormat& format, ZoneRule zone);

    // Takes the next bytes of the file and appends the rows that end in them. After an error nothing is taken any more,
    // and every further call says the same.
    std::optional<StatementError> take(std::string_view bytes, std::vector<StatementRow>& rows);
    // The file has ended.
    std::optional<StatementError> finish(std::vector<StatementRow>& rows);

    // There once the first line was read.
    const std::optional<StatementHeader>& header() const noexcept { return header_; }

  private:
    using Failure = std::optional<StatementError>;

    Failure take_line(std::string_view line, std::vector<StatementRow>& rows);
    Failure split(std::string_view line);
    Failure take_header();
    Failure take_row(std::vector<StatementRow>& rows);
    Failure take_ids(StatementRow& row) const;
    Failure take_status(StatementRow& row) const;
    Failure take_time(StatementRow& row) const;
    bool is_detail() const;
    bool is_ignored() const;
    // The field of a column that the line is known to have; empty where there is no column.
    std::string_view field(std::optional<std::int64_t> column) const;
    StatementError too_long(std::string_view line) const;
    StatementError line_error(std::string_view wrong) const;
    StatementError field_error(std::int64_t column, std::string_view name, std::string_view wrong) const;
    // Quotes the text that stands in the field.
    StatementError text_error(std::int64_t column, std::string_view name, std::string_view text,
                              std::string_view wrong) const;

    const StatementFormat& format_;
    ZoneRule zone_;
    std::optional<StatementHeader> header_;
    Failure failure_;
    std::string begun_;  // the beginning of a line whose end has not come
    std::string converted_;
    std::vector<std::string_view> fields_;  // of the line that is being read
    std::size_t line_ = 0;
    std::size_t empty_line_ = 0;  // the first of those that end the file, as far as is known
    std::size_t rows_ = 0;
    std::size_t row_fields_ = 0;  // of every detail line: as many as the first one has
};

}  // namespace gateway
