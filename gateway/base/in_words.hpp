// Says amounts and lengths of time as people read them, on a screen, in a log and on paper.
#pragma once

#include "base/clock.hpp"
#include "base/language.hpp"

#include <cstdint>
#include <string>

namespace gateway {

// Returns for example "R$ 1.049,90". `cents` must not be negative.
std::string money_in_words(std::int64_t cents);
// Returns for example "0 bytes", "412 KB", "3.4 MB" or "1.2 GB", in units of 1,000.
std::string bytes_in_words(std::uint64_t bytes);
// Returns the two largest units, for example "230 ms", "2.3 s", "4 min 12 s", "2 h 5 min" or "3 d 4 h". A length below
// zero is "0 ms". In Portuguese it is "2,3 s".
std::string duration_in_words(Duration length, Language language = Language::english);

}  // namespace gateway
