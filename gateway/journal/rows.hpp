// Writes sales, callbacks and the columns that are JSON as rows, and reads them back. No content of a row makes the
// reading functions fail with anything but what they say, because a row may have been damaged or altered.
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
// Converts a number that comes from the disk. Returns nothing where it is no time whose year has four digits.
std::optional<WallTime> readable_time(std::int64_t milliseconds) noexcept;
std::optional<WallTime> readable_time(const Row& row, int column);
// Returns the text of a column as it may be shown, and as every engine can keep it: bytes that are no UTF-8, and
// U+0000, become "?".
std::string shown(std::string text);

// Reads the members of a JSON object that comes from the disk. A member is absent or has the type that is asked for;
// anything else makes good() return false.
class Members {
  public:
    // Takes an empty text as an object without members. After any other text that is no object, good() returns false.
    explicit Members(std::string_view text);
    // `object` must outlive this reader.
    explicit Members(const boost::json::object& object) : object_(&object) {}
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;
    ~Members() = default;

    std::string text(std::string_view name);  // empty: it is absent
    std::optional<std::int64_t> number(std::string_view name);
    std::optional<std::int64_t> number(std::string_view name, std::int64_t most);  // from 0 to `most`
    std::optional<WallTime> time(std::string_view name);
    // Tells whether everything that was read so far made sense.
    bool good() const { return good_; }

  private:
    boost::json::object own_;
    const boost::json::object* object_ = &own_;
    bool good_ = true;
};

// Each of these returns the JSON text of its column, or nothing (NULL) where there is nothing to write. The words of a
// reason (the provider's text, or a person's note) may name the customer, so they stand in a column of their own.
std::optional<std::string> reason_text(const std::optional<Reason>& reason);
std::optional<std::string> words_text(const std::optional<Reason>& reason);
std::optional<std::string> facts_text(const TransactionDetails& details);
std::optional<std::string> goods_text(const TransactionDetails& details);
std::optional<std::string> esim_text(const std::optional<EsimDetails>& esim);

// Returns the name by which a value of the journal is counted among those that cannot be read.
std::string value_name(std::string_view name, std::string_view id);

// Decrypts the fields of one row after another, and notes those that cannot be decrypted or make no sense. Such a field
// is read as if its column were empty.
class FieldReader {
  public:
    explicit FieldReader(FieldCipher& cipher) : cipher_(cipher) {}

    std::string text(const Row& row, int column, std::string_view name, std::string_view id);
    // Notes an unreadable value with this name. It belongs to `id`, or else to the row that text() last read.
    void add_unreadable(std::string_view name, std::string_view id) { unreadable_.push_back(value_name(name, id)); }
    void add_unreadable(std::string_view name) { add_unreadable(name, id_); }
    // Returns the names of the values that cannot be read. Each value has a name of its own, which is the same at every
    // reading.
    const std::vector<std::string>& unreadable() const noexcept { return unreadable_; }

  private:
    FieldCipher& cipher_;
    std::string id_;
    std::vector<std::string> unreadable_;
};

// Reads what esim_text() wrote. Returns nothing where it makes no sense, and counts that.
std::optional<EsimDetails> read_esim(std::string_view text, FieldReader& fields);

// In a row that read_sale() takes, this column has the sale's number, `n`.
inline constexpr int number_column = 25;
// Reads the sale with its attempts, whose deadlines go on from `at`. Throws nothing. Fails with errc::sale_unreadable
// where this program cannot have written the row. A field that may be encrypted, and cannot be read, is left out and
// counted.
Result<Sale> read_sale(const Row& row, FieldReader& fields, Moment at);
// Tells where a row that read_sale() takes, but cannot read, is counted: among the sales of a day (true), or among the
// open ones.
bool is_of_a_day(const Row& row);
// Returns nothing where the row makes no sense. An erased body is left out; "?" replaces whatever in a body is no
// UTF-8.
std::optional<KeptCallback> read_callback(const Row& row, std::string_view sale, FieldReader& fields);

}  // namespace gateway::rows
