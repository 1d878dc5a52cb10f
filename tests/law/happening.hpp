// An event of the law, with the little that the law reads of it.
#pragma once

#include "law/sale_class.hpp"
#include "sale/machine.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway::law {

// Holds what the provider's answer says.
struct Said {
    Verdict verdict = Verdict::unknown;
    bool without_status = false;
    bool with_goods = false;
    friend bool operator==(const Said&, const Said&) = default;
};

struct Happening {
    enum class Kind : std::uint8_t {
        answered,
        lost,
        elapsed,
        confirm_asked,
        cancel_asked,
        called_back,
        resolved,
        stated,
        sent_late
    };
    Kind kind = Kind::lost;
    Step step = Step::solicitar;     // answered
    Said said{};                     // answered
    std::optional<Status> status{};  // called_back, resolved, stated
    Facts facts = Facts::none;       // called_back, resolved
    friend bool operator==(const Happening&, const Happening&) = default;
};

// Returns a number of at most 20 bits that no other happening has.
std::uint64_t key_of(const Happening& happening);
Event event_of(const Happening& happening);
// Lists everything that can be said to the law, whether it may come or not.
const std::vector<Happening>& everything_that_happens();
std::string in_words(const Said& said);
std::string in_words(const Happening& happening);

}  // namespace gateway::law
