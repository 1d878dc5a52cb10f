#include "config/spelling.hpp"

#include <algorithm>
#include <vector>

namespace gateway {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Three rows of the usual table suffice: a swap looks two rows back.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
    // A third of the letters wrong is still a typing mistake; more is another word.
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string_view nearest;
    for (const auto candidate : known) {
        if (const auto distance = edit_distance(word, candidate); distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest.empty() ? std::string() : "; did you mean \"" + std::string(nearest) + "\"?";
}

}  // namespace gateway
