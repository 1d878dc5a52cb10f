#include "simulation/mutants/mutant_journal.hpp"

#include "base/digest.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace gateway::mutants {
namespace {

// Tells the journal something while the caller goes on. Everything is copied, because nobody waits for it.
boost::asio::awaitable<void> record_later(Journal& journal, Sale sale, Change change, std::optional<Attempt> fresh) {
    const HistoryEntry entry{.event = "mutant"};
    (void)co_await journal.record(sale, change, fresh ? &*fresh : nullptr, entry);
}

boost::asio::awaitable<void> begin_later(Journal& journal, Sale sale) {
    (void)co_await journal.begin(sale);
}

}  // namespace

auto MutantJournal::begin_with_another_key(const Sale& sale) -> Awaited<KeyState> {
    auto other = sale;
    other.key += sale.id.str();
    co_return co_await real_->begin(other);
}

auto MutantJournal::begin(const Sale& sale) -> Awaited<KeyState> {
    if (mutant_ == Mutant::requests_before_the_commit) {
        const auto executor = co_await boost::asio::this_coro::executor;
        boost::asio::co_spawn(executor, begin_later(*real_, sale), boost::asio::detached);
        co_return KeyState{};
    }
    if (mutant_ == Mutant::forgets_keys_at_restart) co_return co_await begin_with_another_key(sale);
    auto state = co_await real_->begin(sale);
    if (mutant_ != Mutant::frees_the_key_of_an_unreadable_sale || state.has_error() || !state->sale) co_return state;
    const auto found = co_await real_->find(*state->sale);
    if (found.has_error() && found.error() == errc::sale_unreadable) co_return co_await begin_with_another_key(sale);
    co_return state;
}

auto MutantJournal::record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry)
    -> Awaited<void> {
    if (mutant_ != Mutant::confirms_before_the_commit) co_return co_await real_->record(sale, change, fresh, entry);
    const auto executor = co_await boost::asio::this_coro::executor;
    auto copy = fresh != nullptr ? std::optional(*fresh) : std::nullopt;
    boost::asio::co_spawn(executor, record_later(*real_, sale, change, std::move(copy)), boost::asio::detached);
    co_return Result<void>();
}

auto MutantJournal::adopt() -> Awaited<AdoptedSales> {
    if (mutant_ == Mutant::forgets_the_unfinished_at_start) co_return AdoptedSales();
    auto found = co_await real_->adopt();
    if (mutant_ == Mutant::ends_the_start_at_an_unreadable_row && found.has_value() && found->unreadable > 0)
        co_return errc::sale_unreadable;
    co_return found;
}

bool MutantJournal::may_act() const noexcept {
    return mutant_ == Mutant::sends_without_a_lease || real_->may_act();
}

bool MutantJournal::owns(SaleId id) const {
    const bool owned = real_->owns(id);
    if (owned) owned_.insert(id);
    return owned || (mutant_ == Mutant::keeps_what_was_taken && owned_.contains(id));
}

auto MutantJournal::forward_command(const ForwardedCommand& command) -> Awaited<std::int64_t> {
    if (mutant_ == Mutant::forwards_no_commands) co_return 0;
    co_return co_await real_->chain()->forward_command(command);
}

auto MutantJournal::dismiss_command(SaleId sale, std::int64_t number) -> Awaited<void> {
    if (mutant_ == Mutant::leaves_commands) co_return Result<void>();
    co_return co_await real_->chain()->dismiss_command(sale, number);
}

auto MutantJournal::cancel_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    if (mutant_ != Mutant::forgets_cancelled_keys) co_return co_await real_->cancel_key(terminal, key);
    auto state = co_await real_->find_key(terminal, key);
    if (state.has_value() && !state->sale) state->cancelled = true;
    co_return state;
}

auto MutantJournal::count_receipt(const Sale& sale) -> Awaited<std::int64_t> {
    if (mutant_ != Mutant::prints_receipts_uncounted) co_return co_await real_->count_receipt(sale);
    const auto noted = co_await real_->note_receipt(sale, "");
    if (noted.has_error()) co_return noted.error();
    co_return 0;
}

auto MutantJournal::sales_of_close(const CloseKey& key, const std::string& after) -> Awaited<DayPage> {
    auto page = co_await real_->sales_of_close(key, after);
    if (mutant_ != Mutant::counts_late_sales_twice || page.has_error()) co_return page;
    std::vector<DaySale> sales;
    for (const auto& sale : page->sales)
        sales.insert(sales.end(), sale.late ? 2 : 1, sale);
    page->sales = std::move(sales);
    co_return page;
}

auto MutantJournal::finish_close(const Close& close) -> Awaited<void> {
    if (mutant_ == Mutant::leaves_closes_unfinished) co_return Result<void>();
    co_return co_await real_->finish_close(close);
}

auto MutantJournal::closes(const CloseFilter& filter) -> Awaited<std::vector<Close>> {
    auto found = co_await real_->closes(filter);
    if (mutant_ == Mutant::leaves_closes_unfinished && filter.unfinished) co_return std::vector<Close>();
    if (mutant_ == Mutant::closes_a_day_twice && found.has_value() && filter.from)
        for (auto& close : *found)
            ++close.number;
    co_return found;
}

auto MutantJournal::keep_statement(const KeptStatement& statement, const std::vector<Finding>& findings)
    -> Awaited<FindingChanges> {
    auto altered = findings;
    if (mutant_ == Mutant::settles_another_amount)
        for (auto& finding : altered)
            if (finding.kind == FindingKind::settles_sold && finding.ours->valor != finding.theirs->valor)
                finding.pending = true;
    if (mutant_ == Mutant::opens_findings_twice) {
        auto nothing = statement;
        nothing.digest = sha256_hex(statement.digest);
        const std::vector<Finding> none;
        (void)co_await real_->keep_statement(nothing, none);
    }
    if (mutant_ == Mutant::keeps_what_was_corrected) {
        const FindingFilter of_the_day{.open = true, .day = statement.day, .limit = 500};
        auto before = co_await real_->findings(of_the_day);
        if (before.has_value())
            for (auto& finding : *before)
                if (std::ranges::count(altered, finding.id_externo, &Finding::id_externo) == 0)
                    altered.push_back(std::move(finding));
    }
    co_return co_await real_->keep_statement(statement, altered);
}

auto MutantJournal::findings(const FindingFilter& filter) -> Awaited<std::vector<Finding>> {
    if (mutant_ == Mutant::forgets_what_findings_ask_for && filter.pending) co_return std::vector<Finding>();
    co_return co_await real_->findings(filter);
}

auto MutantJournal::keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) -> Awaited<void> {
    if (mutant_ == Mutant::acknowledges_callbacks_before_they_are_kept) co_return Result<void>();
    co_return co_await real_->keep_callback(sale, kind, valid, body);
}

}  // namespace gateway::mutants
