#include "journal/postgres/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::postgres {
namespace {

constexpr int base = 36;
constexpr std::size_t length = 5;

constexpr int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c - 'A' + 10;
}

// The number is less than 2^26, because 36^5 is 60 million.
constexpr int number_of(std::string_view state) {
    int number = 0;
    for (const char c : state)
        number = number * base + digit_of(c);
    return number;
}

constexpr bool is_well_formed(std::string_view state) {
    return state.size() == length &&
           std::ranges::all_of(state, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

std::string state_of(int number) {
    std::string state(length, '0');
    for (auto at = state.rbegin(); at != state.rend(); ++at, number /= base)
        *at = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % base];
    return state;
}

struct Words {
    std::string_view begins;  // a state, or the beginning of a class of states
    std::string_view words;
};

// The first entry that fits is used.
constexpr std::array said{
    Words{"01000", "the standby may not have what was read"},
    Words{"08001", "there was no connection to the database that could be used"},
    Words{"08", "the connection to the database was lost"},
    Words{"22021", "a text has a character that the database cannot hold"},
    Words{"22", "the database refused a value"},
    Words{"23505", "the database has a row with this key already"},
    Words{"23", "the database's rules forbid it"},
    Words{"25006", "the database takes no writes: it is a standby, or was set so"},
    Words{"25P02", "an earlier statement of the transaction failed"},
    Words{"25", "the database is in no state for it"},
    Words{"28", "the database refused the user or the password"},
    Words{"3D000", "there is no such database"},
    Words{"40P01", "the database ended it: two transactions waited for each other"},
    Words{"40", "the database ended the transaction"},
    Words{"42501", "the database's user may not do this"},
    Words{"42", "the database's tables are not those of this program"},
    Words{"54", "a value is too large for the database"},
    Words{"53100", "the database's disk is full"},
    Words{"53300", "the database has too many connections"},
    Words{"53", "the database lacks memory or disk"},
    Words{"55P03", "a lock could not be had"},
    Words{"57014", "the statement was cancelled at the database"},
    Words{"57", "the database was stopped, or is starting"},
    Words{"58", "the database's machine failed"},
    Words{"SG001",
          "the database has lost what it had acknowledged; no gateway owns a sale until sales-gateway mark-restored"},
    Words{"SG002", "the journal was marked as restored meanwhile"},
    Words{"SG004", "the journal was moved to another place by sales-gateway copy-journal"},
    Words{"SG003", "another job of the commit holds what it needs"},
    Words{"XX", "a fault in the database; damage is possible"},
    Words{"", "the database refused it"},
};

class Category final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "postgres"; }
    std::string message(int value) const override {
        const auto state = state_of(value);
        const auto found = std::ranges::find_if(said, [&](const Words& w) { return state.starts_with(w.begins); });
        return fmt::format("{} (SQLSTATE {})", found->words, state);
    }
};

bool begins_with_any(const boost::system::error_code& error, std::initializer_list<std::string_view> begins) {
    const auto state = sql_state(error);
    return std::ranges::any_of(begins, [&](std::string_view one) { return state.starts_with(one); });
}

}  // namespace

const boost::system::error_category& category() noexcept {
    static const Category category;
    return category;
}

boost::system::error_code sql_error(std::string_view state) noexcept {
    return {number_of(is_well_formed(state) ? state : state::connection_failure), category()};
}

std::string sql_state(const boost::system::error_code& error) {
    return error.category() == category() ? state_of(error.value()) : std::string();
}

bool is_worth_repeating(const boost::system::error_code& error) noexcept {
    return begins_with_any(error, {"40001", "40P01"});
}

bool needs_a_new_connection(const boost::system::error_code& error) noexcept {
    return begins_with_any(error, {"0A000", "25006", "26000"});
}

bool is_of_the_server(const boost::system::error_code& error) noexcept {
    return begins_with_any(error, {"08", "25006", "53", "57P", "58", "SG001", "SG002", "SG004", "XX"});
}

bool is_of_a_value(const boost::system::error_code& error) noexcept {
    return begins_with_any(error, {"22", "54"});
}

bool may_be_quoted(const boost::system::error_code& error) noexcept {
    return begins_with_any(error, {"0A", "26", "3F", "42", "53", "57", "58"});
}

bool leaves_commit_open(const boost::system::error_code& error) noexcept {
    return begins_with_any(error, {"08", "40003"});
}

}  // namespace gateway::postgres
