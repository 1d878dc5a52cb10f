#include "journal/table_journal.hpp"

#include "journal/callbacks.hpp"
#include "journal/closes.hpp"
#include "journal/console_sessions.hpp"
#include "journal/dating.hpp"
#include "journal/days.hpp"
#include "journal/erasure.hpp"
#include "journal/findings.hpp"
#include "journal/key_rotation.hpp"
#include "journal/keys.hpp"
#include "journal/marked_sales.hpp"
#include "journal/recorded_step.hpp"
#include "journal/sales.hpp"

namespace gateway {

template <class T, class Work>
auto TableJournal::on_duty(Work work) -> Awaited<T> {
    auto job = [this, work = std::move(work)](Tx& tx) -> Job<T> {
        const bool has_duty = co_await take_duty(tx);
        if (!has_duty) co_return T{};
        co_return co_await work(tx);
    };
    return perform<T>(Lane::of_lists, Access::alone, std::move(job));
}

auto TableJournal::find(SaleId id) -> Awaited<std::optional<Sale>> {
    return read<std::optional<Sale>>(Lane::of_sales, [id](Tx& tx) { return sales::find(tx, id); });
}

auto TableJournal::list(const SaleFilter& filter) -> Awaited<SalePage> {
    return read<SalePage>(Lane::of_lists, [&](Tx& tx) { return sales::list(tx, filter); });
}

auto TableJournal::marked() -> Awaited<std::vector<MarkedSale>> {
    return read<std::vector<MarkedSale>>(Lane::of_lists, marked_sales::all);
}

auto TableJournal::history(SaleId id) -> Awaited<History> {
    return read<History>(Lane::of_lists, [id](Tx& tx) { return sales::history(tx, id); });
}

auto TableJournal::count_receipt(const Sale& sale) -> Awaited<std::int64_t> {
    // The line is made here, because the sale may go on while the journal's thread works.
    return perform<std::int64_t>(Lane::of_sales, Access::write,
                                 [id = sale.id, line = receipt_line(sale, clock_.wall())](Tx& tx) {
                                     return sales::count_receipt(tx, id, line);
                                 });
}

auto TableJournal::note_receipt(const Sale& sale, const std::string& by) -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write,
                         [id = sale.id, line = receipt_line(sale, clock_.wall(), by)](Tx& tx) {
                             return sales::note_receipt(tx, id, line);
                         });
}

auto TableJournal::sales_of_days(const DayFilter& filter, const std::string& after) -> Awaited<DayPage> {
    return read<DayPage>(Lane::of_lists, [&](Tx& tx) { return days::of_days(tx, filter, after); });
}

auto TableJournal::sales_of_close(const CloseKey& key, const std::string& after) -> Awaited<DayPage> {
    return read<DayPage>(Lane::of_lists, [&](Tx& tx) { return days::of_close(tx, key, after); });
}

auto TableJournal::open_sales(const std::optional<std::string>& estabelecimento, const std::string& after)
    -> Awaited<OpenPage> {
    return read<OpenPage>(Lane::of_lists, [&](Tx& tx) { return sales::open(tx, estabelecimento, after); });
}

auto TableJournal::begin_close(const CloseKey& key, WallTime at, const std::string& by) -> Awaited<Close> {
    return perform<Close>(Lane::of_sales, Access::write,
                          [&key, at, &by](Tx& tx) { return closes::begin(tx, key, at, by); });
}

auto TableJournal::finish_close(const Close& close) -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write, [&](Tx& tx) { return closes::finish(tx, close); });
}

auto TableJournal::closes(const CloseFilter& filter) -> Awaited<std::vector<Close>> {
    return read<std::vector<Close>>(Lane::of_lists, [&](Tx& tx) { return closes::list(tx, filter); });
}

auto TableJournal::forgotten_days(const std::string& estabelecimento, Day from, Day to) -> Awaited<std::vector<Day>> {
    return read<std::vector<Day>>(Lane::of_lists, [&estabelecimento, from, to](Tx& tx) {
        return closes::forgotten_days(tx, estabelecimento, from, to);
    });
}

auto TableJournal::date_old_sales(const Rules& rules) -> Awaited<Dated> {
    return on_duty<Dated>([&](Tx& tx) { return dating::date_some(tx, rules); });
}

auto TableJournal::known_statement(const std::string& digest, const std::string& reading)
    -> Awaited<std::optional<KeptStatement>> {
    return read<std::optional<KeptStatement>>(Lane::of_lists,
                                              [&](Tx& tx) { return statements::find(tx, digest, reading); });
}

auto TableJournal::statements(const StatementFilter& filter) -> Awaited<std::vector<KeptStatement>> {
    return read<std::vector<KeptStatement>>(Lane::of_lists, [&](Tx& tx) { return statements::list(tx, filter); });
}

auto TableJournal::keep_statement(const KeptStatement& statement, const std::vector<Finding>& findings)
    -> Awaited<FindingChanges> {
    return perform<FindingChanges>(Lane::of_lists, Access::alone,
                                   [&](Tx& tx) { return findings::keep(tx, statement, findings); });
}

auto TableJournal::findings(const FindingFilter& filter) -> Awaited<std::vector<Finding>> {
    return read<std::vector<Finding>>(Lane::of_lists, [&](Tx& tx) { return findings::list(tx, filter); });
}

auto TableJournal::close_finding(std::int64_t number, const std::string& note, const std::string& by, WallTime at)
    -> Awaited<Finding> {
    return perform<Finding>(Lane::of_sales, Access::write, [&, number, at](Tx& tx) {
        return findings::close(tx, number, {.at = at, .as = FindingEnd::resolved, .by = by, .note = note});
    });
}

auto TableJournal::finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at)
    -> Awaited<Finding> {
    const auto settled_at = settled ? std::optional(at) : std::nullopt;
    return perform<Finding>(Lane::of_sales, Access::write, [number, &effect, settled_at](Tx& tx) {
        return findings::done(tx, number, effect, settled_at);
    });
}

auto TableJournal::open_findings() -> Awaited<std::map<FindingKind, std::int64_t>> {
    return read<std::map<FindingKind, std::int64_t>>(Lane::of_lists, findings::count_open);
}

auto TableJournal::owners(const std::vector<std::string>& id_externos) -> Awaited<std::vector<std::optional<SaleId>>> {
    return read<std::vector<std::optional<SaleId>>>(Lane::of_lists,
                                                    [&](Tx& tx) { return keys::owners(tx, id_externos); });
}

auto TableJournal::id_prefixes() -> Awaited<std::vector<std::string>> {
    return read<std::vector<std::string>>(Lane::of_lists, keys::prefixes);
}

auto TableJournal::cancel_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    return perform<KeyState>(
        Lane::of_sales, Access::write, [&](Tx& tx) { return keys::cancel(tx, terminal, key); }, key);
}

auto TableJournal::find_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    return read<KeyState>(Lane::of_sales, [&](Tx& tx) { return keys::find(tx, terminal, key); });
}

auto TableJournal::find_callback(const std::string& secret) -> Awaited<std::optional<SaleId>> {
    return read<std::optional<SaleId>>(Lane::of_sales, [&](Tx& tx) { return callbacks::find_sale(tx, secret); });
}

auto TableJournal::keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write,
                         [&, sale, kind, valid](Tx& tx) { return callbacks::insert(tx, sale, kind, valid, body); });
}

auto TableJournal::callbacks(SaleId id) -> Awaited<std::vector<KeptCallback>> {
    return read<std::vector<KeptCallback>>(Lane::of_lists, [id](Tx& tx) { return callbacks::list(tx, id); });
}

// No till waits for these two, and in one lane a session ends after it has begun.
auto TableJournal::load_sessions() -> Awaited<std::vector<KeptSession>> {
    return read<std::vector<KeptSession>>(Lane::of_lists,
                                          [this](Tx& tx) { return console_sessions::load(tx, gateway_); });
}

auto TableJournal::change_sessions(const SessionChanges& changes) -> Awaited<void> {
    return perform<void>(Lane::of_lists, Access::write,
                         [this, &changes](Tx& tx) { return console_sessions::change(tx, gateway_, changes); });
}

auto TableJournal::erase_personal(WallTime cutoff) -> Awaited<Erased> {
    auto erase = [this, cutoff](Tx& tx) {
        return erasure::erase_some(tx, cutoff, erasure_came_back_to_, encrypted_tables_);
    };
    auto round = co_await on_duty<erasure::Round>(std::move(erase));
    if (round.has_error()) co_return round.error();
    erasure_came_back_to_ = std::move(round->came_back_to);
    co_return round->erased;
}

auto TableJournal::rotate_keys() -> Awaited<KeyRotationState> {
    return on_duty<KeyRotationState>([this](Tx& tx) { return key_rotation::rotate_some(tx, encrypted_tables_); });
}

JournalStats TableJournal::with_counts(JournalStats stats) const {
    stats.encrypts = cipher_->encrypts();
    stats.unreadable = counts_.met;
    stats.unreadable_sales = counts_.sales;
    return stats;
}

}  // namespace gateway
