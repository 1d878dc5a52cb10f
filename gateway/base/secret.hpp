// Holds text that must reach no log, metric or error text: credentials, tokens, and customers' data (CPF, names,
// addresses, card numbers, PINs, activation URLs). The type cannot be printed. reveal() is the only way to the text,
// and every place that calls it is a place to review.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace gateway {

class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string text) noexcept : text_(std::move(text)) {}

    const std::string& reveal() const noexcept { return text_; }
    bool empty() const noexcept { return text_.empty(); }
    friend bool operator==(const Secret&, const Secret&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Secret&) { return out << "***"; }

  private:
    std::string text_;
};

}  // namespace gateway
