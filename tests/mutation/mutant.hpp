// Says in a program of schemata which mutant is in force. The copies of the mutated files include this; MUTANT has the
// number of the mutant, and MUTANT_TRACE the file that the places which are reached are written to.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>

namespace mutation {

constexpr int none = -1;
constexpr int traced = -2;

inline const int chosen = [] {
    if (std::getenv("MUTANT_TRACE") != nullptr) return traced;
    const char* const number = std::getenv("MUTANT");
    return number != nullptr ? std::atoi(number) : none;
}();

// This set has what was reached since the trace was last begun. A program may begin it again for each test.
inline std::array<bool, 200'000> seen{};

inline void write_trace(const char* line) {
    static const int file = ::open(std::getenv("MUTANT_TRACE"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dprintf(file, "%s\n", line);
}

inline bool note(int number) {
    if (seen[static_cast<std::size_t>(number)]) return false;
    seen[static_cast<std::size_t>(number)] = true;
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%d", number);
    write_trace(text.data());
    return false;
}

// Tells whether the mutant is in force.
inline bool mutant(int number) {
    return chosen == traced ? note(number) : chosen == number;
}

// Tells the same in code that the compiler may evaluate, where no mutant is in force.
constexpr bool mutant_unless_constant(int number) {
    return !std::is_constant_evaluated() && mutant(number);
}

template <class Label>
struct Swap {
    int number;
    Label from;
    Label to;
};

// Returns the label that a switch goes to.
template <class Label>
constexpr Label switched(Label label, std::initializer_list<Swap<std::type_identity_t<Label>>> swaps) {
    for (const auto& swap : swaps)
        if (swap.from == label && mutant_unless_constant(swap.number)) return swap.to;
    return label;
}

}  // namespace mutation
