#include "flow/attention_list.hpp"

#include "flow/sale_log.hpp"
#include "sale/advice.hpp"

#include <set>
#include <string>
#include <utility>

namespace gateway {
namespace {

// One look or one reminder logs at most this many lines: a restored copy may have left thousands of sales, and nobody
// reads a log that is full of one thing.
constexpr std::size_t most_lines = 100;
// The looks are rare, because each reads all marked sales, which may be thousands.
constexpr Duration between_looks_at_others{5'000};

}  // namespace

void AttentionList::follow(const Sale& sale) {
    const auto id = sale.id.str();
    const auto known = sales_.find(id);
    const auto before = known == sales_.end() ? Attention::none : known->second.attention;
    if (looks_ > 0) followed_[id] |= before == Attention::unreadable && sale.attention != Attention::unreadable;
    if (sale.attention == Attention::none) {
        if (known != sales_.end()) sales_.erase(known);
        return;
    }
    auto marked = marked_sale(sale);
    marked.history.marked_since = sale.attention == before ? known->second.history.marked_since : sale.updated_at;
    const auto& listed = sales_.insert_or_assign(id, std::move(marked)).first->second;
    if (sale.attention == before) return;
    ++metrics_.attention_raised.at(static_cast<std::size_t>(sale.attention));
    say(LogLevel::error, listed);
}

boost::asio::awaitable<Result<void>> AttentionList::look() {
    co_return co_await look(Counted::no);
}

boost::asio::awaitable<Result<void>> AttentionList::keep_up() {
    const auto met = journal_.stats().unreadable;
    const bool is_due = journal_.chain() != nullptr && looks_ == 0 && clock_.now() >= next_look_;
    if (met == met_ && !is_due) co_return Result<void>();
    next_look_ = clock_.now() + between_looks_at_others;
    const auto looked = co_await look(met == met_ ? Counted::no : Counted::yes);
    if (looked.has_value()) met_ = met;
    co_return looked;
}

boost::asio::awaitable<Result<void>> AttentionList::look(Counted counted) {
    ++looks_;
    auto found = co_await journal_.marked();
    const auto followed = --looks_ > 0 ? followed_ : std::exchange(followed_, {});
    if (found.has_error()) co_return found.error();
    std::size_t fresh = 0;
    std::set<std::string> names;
    for (auto& sale : *found) {
        // The journal's own mark is newer than the step: a step that does not know of it leaves it in the row.
        const bool by_journal = sale.attention == Attention::unreadable;
        const auto newer = followed.find(sale.id);
        if (newer != followed.end() && (!by_journal || newer->second)) continue;
        auto name = sale.id;
        while (!names.insert(name).second)  // ids that cannot be read may look alike
            name += '?';
        if (const auto id = SaleId::parse(sale.id); by_journal && id) tell_(*id);
        if (!add(std::move(sale), name)) continue;
        const auto& added = sales_.at(name);
        if (counted == Counted::yes) ++metrics_.attention_raised.at(static_cast<std::size_t>(added.attention));
        if (fresh++ < most_lines) say(LogLevel::error, added);
    }
    if (fresh > most_lines) say_how_many_more(LogLevel::error, fresh - most_lines);
    if (journal_.chain() != nullptr)
        std::erase_if(
            sales_, [&](const auto& entry) { return !names.contains(entry.first) && !followed.contains(entry.first); });
    co_return Result<void>();
}

bool AttentionList::add(MarkedSale&& sale, std::string name) {
    const auto known = sales_.find(name);
    const auto is_of_another_gateway = [&] {
        return journal_.chain() != nullptr && sale.attention != known->second.attention;
    };
    const bool stays = known != sales_.end() && !is_of_another_gateway() &&
                       !(sale.attention == Attention::unreadable && is_passing(known->second.attention));
    if (!stays) sales_.insert_or_assign(std::move(name), std::move(sale));
    return !stays;
}

void AttentionList::remind() const {
    std::size_t said = 0;
    for (const auto& [id, sale] : sales_)
        if (said++ < most_lines) say(LogLevel::warn, sale);
    if (said > most_lines) say_how_many_more(LogLevel::warn, said - most_lines);
}

std::array<std::size_t, all_attentions.size()> AttentionList::by_mark() const {
    std::array<std::size_t, all_attentions.size()> counts{};
    for (const auto& [id, sale] : sales_)
        ++counts.at(static_cast<std::size_t>(sale.attention));
    return counts;
}

void AttentionList::say(LogLevel level, const MarkedSale& sale) const {
    log_.write(level, "sale.attention", attention_sentence(sale.attention),
               {{"sale", sale.id},
                {"idExterno", sale.id_externo},
                {"idTransacao", sale.id_transacao},
                {"terminal", sale.terminal},
                {"status", sale.status ? to_string(*sale.status) : std::string_view()},
                {"mark", to_string(sale.attention)},
                {"markedAt", sale.history.marked_since},
                {"detail", in_words(advice(sale.attention))}});
}

void AttentionList::say_how_many_more(LogLevel level, std::size_t more) const {
    log_.write(level, "sale.attention_more",
               "{sales} more sales need a person; sales-gateway attention lists all of them",
               {{"sales", more}, {"detail", "so many more need a person; sales-gateway attention lists all of them"}});
}

}  // namespace gateway
