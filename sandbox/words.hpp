// These are the words of the provider's interface by which the sandbox sorts everything: families, steps, statuses.
// They are spelled as they are on the wire, in addresses and in the sandbox's own control documents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway::sandbox {

using Cents = std::int64_t;

// Returns all enumerators in their order, which is that of their words.
template <class Enumerator, std::size_t Size>
constexpr std::array<Enumerator, Size> enumerators(const std::array<std::string_view, Size>&) {
    std::array<Enumerator, Size> all{};
    for (std::size_t i = 0; i < Size; ++i)
        all.at(i) = static_cast<Enumerator>(i);
    return all;
}

enum class Family { tv, egift, transit, health, esim };
inline constexpr std::array<std::string_view, 5> family_words{"tv", "egift", "transit", "health", "esim"};
inline constexpr auto families = enumerators<Family>(family_words);

// Says what a request asks for. `callback` is the one step where the provider is the caller. `status` is not in the
// interface's document, but some providers have it.
enum class Step { consulta, solicitar, confirmar, cancelar, token, callback, status };
inline constexpr std::array<std::string_view, 7> step_words{"consulta", "solicitar", "confirmar", "cancelar",
                                                            "token",    "callback",  "status"};
inline constexpr auto steps = enumerators<Step>(step_words);

// `none`: the books have no sale under that idExterno, and its word is empty.
enum class Status { none, autorizada, pendente, efetivada, cancelada, negada };
inline constexpr std::array<std::string_view, 6> status_words{"",          "AUTORIZADA", "PENDENTE",
                                                              "EFETIVADA", "CANCELADA",  "NEGADA"};
inline constexpr auto statuses = enumerators<Status>(status_words);

constexpr std::string_view to_string(Family family) noexcept {
    return family_words[static_cast<std::size_t>(family)];
}
constexpr std::string_view to_string(Step step) noexcept {
    return step_words[static_cast<std::size_t>(step)];
}
constexpr std::string_view to_string(Status status) noexcept {
    return status_words[static_cast<std::size_t>(status)];
}

std::optional<Family> parse_family(std::string_view text);
std::optional<Step> parse_step(std::string_view text);
std::optional<Status> parse_status(std::string_view text);

// Says whether no request can move the sale any more (rule 6 of the interface; a refused sale was never there to be
// moved).
bool is_final(Status status) noexcept;

}  // namespace gateway::sandbox
