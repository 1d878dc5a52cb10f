#include "journal/unreadable_sales.hpp"

#include "journal/attempts_text.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

namespace gateway {

// Returns a text such as ",contradiction,undeliverable,…,".
std::string lasting_marks() {
    std::string marks = ",";
    for (const auto attention : all_attentions)
        if (attention != Attention::none && !is_passing(attention)) marks.append(to_string(attention)).append(",");
    return marks;
}

Job<bool> UnreadableSales::mark(Transaction& tx, std::int64_t number, std::string line, bool again) {
    try {
        const auto marked = co_await tx.ask(sql::mark_unreadable, number, line, again, lasting_marks());
        co_return marked.changed() > 0;
    } catch (const JobFailed&) {
        co_return true;
    }
}

Job<void> UnreadableSales::add(Transaction& tx, std::int64_t number) {
    meet(number);
    std::string line = "\n";
    rows::append_entry(line, {.event = "unreadable", .at = clock_.wall()});
    constexpr bool again = true;  // a mark that was removed is set again: no person can have dealt with the sale
    (void)co_await mark(tx, number, std::move(line), again);
}

Job<void> UnreadableSales::add_values(Transaction& tx, Sale& sale, std::int64_t number,
                                      std::vector<std::string> names) {
    add_values(names);
    std::string line = "\n";
    rows::append_entry(line, {.event = "unreadable",
                              .at = clock_.wall(),
                              .attempt = sale.attempts.size() - 1,
                              .state = to_string(sale.current().state)});
    constexpr bool again = false;
    const bool is_new = co_await mark(tx, number, std::move(line), again);
    const bool marked_for_good = sale.attention != Attention::none && !is_passing(sale.attention);
    if (is_new && !marked_for_good) sale.attention = Attention::unreadable;
}

}  // namespace gateway
