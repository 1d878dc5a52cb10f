// Holds the fields of a request's head, in the order in which they came. A head has few fields, so they are searched
// one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::http {

class Fields {
  public:
    using Field = std::pair<std::string, std::string>;  // the name and the value

    void insert(std::string_view name, std::string_view value);
    // Returns the first field of this name, in any letter case, and nothing if there is none.
    std::optional<std::string_view> find(std::string_view name) const noexcept;
    std::size_t count(std::string_view name) const noexcept;

    std::vector<Field>::const_iterator begin() const noexcept { return all_.begin(); }
    std::vector<Field>::const_iterator end() const noexcept { return all_.end(); }

  private:
    std::vector<Field> all_;
};

}  // namespace gateway::http
