#include "bench/rig/books.hpp"

#include <charconv>

namespace rig {
namespace {

// This is more than any benchmark sells: a number that is read wrong takes no memory.
constexpr std::size_t most_entries = 100'000'000;

}  // namespace

void Books::sell(std::string_view id_transacao) {
    auto* const entry = entry_of(id_transacao);
    if (entry == nullptr || entry->sold) return;
    entry->sold = true;
    ++counts_.sold_only;
}

void Books::tell(std::string_view id_transacao) {
    ++counts_.told;
    auto* const entry = entry_of(id_transacao);
    if (entry == nullptr || !entry->sold || entry->told) {
        ++counts_.told_only;
        return;
    }
    entry->told = true;
    --counts_.sold_only;
}

Books::Entry* Books::entry_of(std::string_view id_transacao) {
    std::size_t number = 0;
    const auto* const end = id_transacao.data() + id_transacao.size();
    const auto [read, error] = std::from_chars(id_transacao.data(), end, number);
    if (error != std::errc() || read != end || number >= most_entries) return nullptr;
    if (number >= entries_.size()) entries_.resize(number + 1);
    return &entries_[number];
}

}  // namespace rig
