// The words of the provider's interface that the sandbox sorts everything by: families, steps, statuses. Spelled here
// as they are on the wire, in addresses and in the sandbox's own control documents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway::sandbox {

using Cents = std::int64_t;

enum class Family { tv, egift, transit, health, esim };
inline constexpr std::array<std::string_view, 5> family_words{"tv", "egift", "transit", "health", "esim"};
inline constexpr std::array families = [] {
    std::array<Family, family_words.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all.at(i) = static_cast<Family>(i);
    return all;
}();

// What a request asks for. `callback` is the one step where the provider is the caller.
// `status` is not in the interface's document: some providers have it.
enum class Step { consulta, solicitar, confirmar, cancelar, token, callback, status };
inline constexpr std::array steps{Step::consulta, Step::solicitar, Step::confirmar, Step::cancelar,
                                  Step::token,    Step::callback,  Step::status};

// `none`: the books have no sale under that idExterno.
enum class Status { none, autorizada, pendente, efetivada, cancelada, negada };
inline constexpr std::array statuses{Status::none,      Status::autorizada, Status::pendente,
                                     Status::efetivada, Status::cancelada,  Status::negada};

std::string_view to_string(Family family) noexcept;
std::string_view to_string(Step step) noexcept;
std::string_view to_string(Status status) noexcept;  // empty for `none`

std::optional<Family> parse_family(std::string_view text);
std::optional<Step> parse_step(std::string_view text);
std::optional<Status> parse_status(std::string_view text);

// Whether no request can move the sale any more (rule 6 of the interface; a refused sale was never there to be moved).
bool is_final(Status status) noexcept;

}  // namespace gateway::sandbox
