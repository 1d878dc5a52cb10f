// Identifiers of 26 characters (Crockford's base 32: digits and upper-case letters): 48 bits of milliseconds, then 80
// random bits. They sort by time, so rows with them are appended to an index rather than scattered over it; and the
// random part alone makes a repetition out of the question, even when the clock was set back or an old journal
// restored.
#pragma once

#include "base/clock.hpp"
#include "base/random.hpp"

#include <array>
#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class Ulid {
  public:
    static constexpr std::size_t length = 26;

    // Characters of a prefix, which takes the place of the first random ones: 60 random bits are left then.
    static constexpr std::size_t prefix_length = 4;
    // Whether the text can be a prefix: prefix_length characters of the alphabet.
    static bool is_prefix(std::string_view text) noexcept;

    // `prefix` is one, or empty.
    static Ulid make(WallTime at, Random& random, std::string_view prefix = {});
    // The smallest one of a time: all that were made at or after it sort after it.
    static Ulid first_at(WallTime at);
    // Nothing unless the text is one that make() could have written.
    static std::optional<Ulid> parse(std::string_view text);

    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
    std::string str() const { return std::string(text()); }
    // When it was made.
    WallTime time() const noexcept;
    friend auto operator<=>(const Ulid&, const Ulid&) = default;

  private:
    Ulid() = default;
    void write_time(WallTime at);
    std::array<char, length> text_{};
};

// A Ulid that cannot be taken for one of another kind.
template <class Tag>
class UlidOf {
  public:
    explicit UlidOf(Ulid id) noexcept : id_(id) {}
    static UlidOf make(WallTime at, Random& random, std::string_view prefix = {}) {
        return UlidOf(Ulid::make(at, random, prefix));
    }
    static std::optional<UlidOf> parse(std::string_view text) {
        const auto id = Ulid::parse(text);
        return id ? std::optional(UlidOf(*id)) : std::nullopt;
    }

    std::string_view text() const noexcept { return id_.text(); }
    std::string str() const { return id_.str(); }
    WallTime time() const noexcept { return id_.time(); }
    friend auto operator<=>(const UlidOf&, const UlidOf&) = default;

  private:
    Ulid id_;
};

}  // namespace gateway

template <class Tag>
struct std::hash<gateway::UlidOf<Tag>> {
    std::size_t operator()(const gateway::UlidOf<Tag>& id) const noexcept {
        return std::hash<std::string_view>{}(id.text());
    }
};
