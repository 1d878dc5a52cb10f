#include "sandbox/words.hpp"

namespace gateway::sandbox {
namespace {

template <class Word, std::size_t Size>
std::optional<Word> parse(const std::array<Word, Size>& all, std::string_view text) {
    for (const auto one : all)
        if (!text.empty() && to_string(one) == text) return one;
    return std::nullopt;
}

}  // namespace

std::optional<Family> parse_family(std::string_view text) {
    return parse(families, text);
}

std::optional<Step> parse_step(std::string_view text) {
    return parse(steps, text);
}

std::optional<Status> parse_status(std::string_view text) {
    return parse(statuses, text);
}

bool is_final(Status status) noexcept {
    return status == Status::efetivada || status == Status::cancelada || status == Status::negada;
}

}  // namespace gateway::sandbox
