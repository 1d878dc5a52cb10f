// This is a row that no database has written. A column that is not named is NULL.
#pragma once

#include "journal/row.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace gateway::test {

class WrittenRow final : public Row {
  public:
    struct Blob {
        std::string bytes;
    };
    using Value = std::variant<std::monostate, std::string, std::int64_t, double, Blob>;
    std::map<int, Value> columns;

    bool is_null(int column) const override { return is<std::monostate>(column); }
    bool is_text(int column) const override { return is<std::string>(column); }
    bool is_integer(int column) const override { return is<std::int64_t>(column); }
    bool is_blob(int column) const override { return is<Blob>(column); }
    // An engine returns the bytes of a blob as a text, too.
    std::string_view text(int column) const override {
        if (is_blob(column)) return blob(column);
        return is_text(column) ? std::string_view(std::get<std::string>(columns.at(column))) : std::string_view();
    }
    std::string_view blob(int column) const override {
        return is_blob(column) ? std::string_view(std::get<Blob>(columns.at(column)).bytes) : std::string_view();
    }
    std::int64_t integer(int column) const override {
        return is_integer(column) ? std::get<std::int64_t>(columns.at(column)) : 0;
    }

  private:
    template <class T>
    bool is(int column) const {
        const auto found = columns.find(column);
        return found == columns.end() ? std::is_same_v<T, std::monostate> : std::holds_alternative<T>(found->second);
    }
};

}  // namespace gateway::test
