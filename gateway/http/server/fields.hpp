// The fields of a request's head, in the order in which they came. A head has few: they are looked for one after the
// other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::http {

class Fields {
  public:
    using Field = std::pair<std::string, std::string>;  // name and value

    void insert(std::string_view name, std::string_view value);
    // The first of that name, in whatever letter case; nothing where there is none.
    std::optional<std::string_view> find(std::string_view name) const noexcept;
    std::size_t count(std::string_view name) const noexcept;

    std::vector<Field>::const_iterator begin() const noexcept { return all_.begin(); }
    std::vector<Field>::const_iterator end() const noexcept { return all_.end(); }

  private:
    std::vector<Field> all_;
};

}  // namespace gateway::http
