// Has every text that a person reads on a screen, in Portuguese and English. The console's pages are served the two
// word files, and what the commands print is made of the same. A text is found by its key. Its {placeholders} are
// filled in, and a text that counts has its plural forms, as Intl.PluralRules names them.
#pragma once

#include "base/language.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns the word file of a language, as JSON.
std::string_view word_file(Language language) noexcept;

class Words {
  public:
    // Fills a placeholder in. A number that is called "count" chooses the form.
    struct Value {
        Value(std::string_view its_name, std::string_view its_text) : name(its_name), text(its_text) {}
        Value(std::string_view its_name, std::integral auto its_number)
            : name(its_name), text(std::to_string(its_number)), number(its_number) {}

        std::string_view name;
        std::string text;
        std::optional<std::int64_t> number{};
    };

    static const Words& in(Language language);

    Language language() const noexcept { return language_; }
    bool has(std::string_view key) const { return texts_.contains(key); }
    // Returns the key itself where there is no such text: that is a defect, and the least misleading thing to show.
    std::string say(std::string_view key, std::initializer_list<Value> values = {}) const;
    // Returns the word for a code of the gateway's, or the code itself where there is none.
    std::string word(std::string_view group, std::string_view code) const;

  private:
    explicit Words(Language language);

    using Forms = std::map<std::string, std::string, std::less<>>;  // a text that does not count has "other" alone
    const std::string& form_of(const Forms& forms, std::optional<std::int64_t> count) const;

    const Language language_;
    std::map<std::string, Forms, std::less<>> texts_;
};

}  // namespace gateway
