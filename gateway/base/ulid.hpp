// Makes identifiers of 26 characters in Crockford's base 32 (digits and upper-case letters): 48 bits of milliseconds,
// and then 80 random bits. They sort by time, so that rows with them are appended to an index and not scattered over
// it. The random part alone excludes a repetition, even if the clock was set back or an old journal was restored.
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

    // A prefix has so many characters and takes the place of the first random ones, so that 60 random bits are left.
    static constexpr std::size_t prefix_length = 4;
    // Tells whether the text can be a prefix: prefix_length characters of the alphabet.
    static bool is_prefix(std::string_view text) noexcept;

    // `prefix` is a prefix or empty.
    static Ulid make(WallTime at, Random& random, std::string_view prefix = {});
    // Returns the smallest one of a time: all that were made at or after it sort after it.
    static Ulid first_at(WallTime at);
    // Returns nothing unless make() could have written the text.
    static std::optional<Ulid> parse(std::string_view text);

    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
    std::string str() const { return std::string(text()); }
    // Returns when it was made.
    WallTime time() const noexcept;
    friend auto operator<=>(const Ulid&, const Ulid&) = default;

  private:
    Ulid() = default;
    void write_time(WallTime at);
    std::array<char, length> text_{};
};

// This is a Ulid of one kind, which cannot be taken for one of another kind.
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
