// Reads a statement, a file of one header and many detail lines, in pieces of any size. It keeps at most one line of
// it. It is strict: a line that does not fit the format is an error that names its line and field, and nothing after it
// is read. A caller that must know that the whole file is good before any row counts reads it twice.
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

// A line has at most so many bytes, without its line break. The record of a sale has a few hundred; a file with longer
// lines is not a statement.
constexpr std::size_t max_statement_line = 4096;
// A file has at most so many detail lines: one for each sale of a day, in a network far larger than any known one.
constexpr std::size_t max_statement_rows = 5'000'000;
// An id that the provider gives has at most so many bytes.
constexpr std::size_t max_statement_id = 64;

// The header is "0;<network>;<name>;;<written>;<movement>;<count>;<total>;<commission>;<payable>;".
struct StatementHeader {
    std::string network;
    std::string name;
    Day written;
    Day movement;
    std::int64_t count = 0;
    std::string total;  // the text as written, because its unit may have to be guessed
    std::string commission;
    std::string payable;
};

// Holds what the provider says of one attempt. At least one of the three ids is there; a text that is not there is
// empty.
struct StatementRow {
    std::size_t line = 0;  // the line in the file, from 1; 0 if the row comes from another source
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
    std::size_t line = 0;  // from 1; 0 for the file as a whole
    // Names the line and the field, for the person who brought the file: "line 17, field 4 (valor): …"
    std::string message;
    // Says the same for the log, without what stands in the field. It is empty if the message quotes nothing.
    std::string unquoted;
    friend bool operator==(const StatementError&, const StatementError&) = default;
};

// Says which moment a time of the statement's zone is.
using ZoneRule = std::function<WallTime(LocalTime)>;
// Goes by the clocks of this zone. On the two days of a year on which the clocks are set, the result may be an hour
// off: a time only suggests which sale is meant.
ZoneRule zone_rule(const TimeZone& zone);

class StatementReader {
  public:
    // The format must live as long as the reader, and must be one that the configuration accepts.
    StatementReader(const StatementFormat& format, ZoneRule zone);

    // Takes the next bytes of the file and appends the rows that end in them. After an error nothing more is taken, and
    // every further call returns the same error.
    std::optional<StatementError> take(std::string_view bytes, std::vector<StatementRow>& rows);
    // Ends the file, and takes a last line that has no line break.
    std::optional<StatementError> finish(std::vector<StatementRow>& rows);

    // The header is there once the first line was read.
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
    // Returns the field in a column that the line is known to have. Returns an empty text if there is no column.
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
    std::string begun_;  // the beginning of a line whose end has not come yet
    std::string converted_;
    std::vector<std::string_view> fields_;  // the fields of the line that is being read
    std::size_t line_ = 0;
    std::size_t empty_line_ = 0;  // the first of the empty lines that end the file, as far as is known
    std::size_t rows_ = 0;
    std::size_t row_fields_ = 0;  // every detail line has as many fields as the first one
};

}  // namespace gateway
