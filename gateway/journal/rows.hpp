// Writes sales, callbacks and the columns that are JSON as rows, and reads them back. Whatever stands in a row is read
// without a fault: it may have been damaged or altered.
#pragma once

#include "base/error.hpp"
#include "journal/attempts_text.hpp"
#include "journal/field_cipher.hpp"
#include "journal/row.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::rows {

std::int64_t milliseconds(WallTime at) noexcept;
WallTime wall_time(std::int64_t milliseconds) noexcept;
// Does the same with a number that comes from the disk. Returns nothing where it is no time that can be written in four
// digits of a year.
std::optional<WallTime> readable_time(std::int64_t milliseconds) noexcept;
std::optional<WallTime> readable_time(const Row& row, int column);
// Returns the text of a column as it may be shown, and as every engine keeps it: what is no UTF-8 in it, or the
// character U+0000, becomes a "?".
std::string shown(std::string text);

// Reads the members of a JSON object that comes from the disk: each is absent, or of the type that is asked for, or the
// object makes no sense.
class Members {
  public:
    // An empty text is an object without members. Any other text that is no object makes no sense.
    explicit Members(std::string_view text);
    // The object must outlive this one.
    explicit Members(const boost::json::object& object) : object_(&object) {}
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;
    ~Members() = default;

    std::string text(std::string_view name);  // empty: it is absent
    std::optional<std::int64_t> number(std::string_view name);
    std::optional<std::int64_t> number(std::string_view name, std::int64_t most);  // from 0
    std::optional<WallTime> time(std::string_view name);
    // Returns whether all that was asked for made sense.
    bool good() const { return good_; }

  private:
    boost::json::object own_;
    const boost::json::object* object_ = &own_;
    bool good_ = true;
};

// Each of these returns the JSON text of its column; nothing (NULL) where there is nothing to write. A reason's words
// (the provider's own, or a person's note) may name the customer and stand in a column of their own.
std::optional<std::string> reason_text(const std::optional<Reason>& reason);
std::optional<std::string> words_text(const std::optional<Reason>& reason);
std::optional<std::string> facts_text(const TransactionDetails& details);
std::optional<std::string> goods_text(const TransactionDetails& details);
std::optional<std::string> esim_text(const std::optional<EsimDetails>& esim);

// Names a value of the journal among those that cannot be read.
std::string value_name(std::string_view name, std::string_view id);

// Decrypts the fields of one row after another, and notes those that cannot be decrypted or make no sense: each of
// these is read as if there were nothing in its column.
class FieldReader {
  public:
    explicit FieldReader(FieldCipher& cipher) : cipher_(cipher) {}

    std::string text(const Row& row, int column, std::string_view name, std::string_view id);
    // Adds a value with this name, of what `id` names, or else of what the last text() was of.
    void add_unreadable(std::string_view name, std::string_view id) { unreadable_.push_back(value_name(name, id)); }
    void add_unreadable(std::string_view name) { add_unreadable(name, id_); }
    // Names each value that cannot be read as no other one is named, however often it is read.
    const std::vector<std::string>& unreadable() const noexcept { return unreadable_; }

  private:
    FieldCipher& cipher_;
    std::string id_;
    std::vector<std::string> unreadable_;
};

// Reads what esim_text() wrote. Returns nothing, and counts that, where it makes no sense.
std::optional<EsimDetails> read_esim(std::string_view text, FieldReader& fields);

// This column of a row that read_sale() takes has the sale's number, `n`.
inline constexpr int number_column = 25;
// Reads the sale with its attempts, whose deadlines go on from `at`. Throws nothing. Fails with errc::sale_unreadable
// where this program cannot have written the row. A field that may be encrypted is left out where it cannot be read,
// and counted.
Result<Sale> read_sale(const Row& row, FieldReader& fields, Moment at);
// Tells whether a row that read_sale() takes, and cannot read, counts among the sales of a day, and not among the open
// ones.
bool is_of_a_day(const Row& row);
// Returns nothing where the row makes no sense. An erased body is left out; "?" stands for what is no UTF-8 in it.
std::optional<KeptCallback> read_callback(const Row& row, std::string_view sale, FieldReader& fields);

}  // namespace gateway::rows
