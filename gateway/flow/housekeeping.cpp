#include "flow/housekeeping.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace gateway {
namespace {

// These are the times between two looks at a journal that can be written, and between two tries of one that cannot.
constexpr Duration look_every{5'000};
constexpr Duration probe_every{1'000};
// One line of the log stands for this many tries, because a full disk stays full for hours.
constexpr unsigned said_of_probes = 60;
// The log reports at most this often that sales waited for another program: one that writes all the time delays all of
// them.
constexpr Duration waits_said_every{60'000};
// These are the times between two erasures of old personal fields: at least this often, and sooner while there are
// more.
constexpr Duration erase_every{3'600'000};
constexpr Duration erase_pause{100};
// The gateway is up for this long before it erases anything, or for the retention where that is shorter. Under a clock
// that begins years ahead every sale is old, and erased fields do not come back. A box that reaches the provider
// reaches a time server, too, within this time.
constexpr Duration erase_first{3'600'000};
// This is the pause between two steps of giving old sales their movement days.
constexpr Duration dating_pause{100};
// The log reminds this often of the sales that need a person.
constexpr Duration remind_every{3'600'000};
// One page of the reading of all sales has this many, each of which takes some ten microseconds of the journal's
// thread. Between two pages the journal is left to the sales for the pause.
constexpr std::size_t read_at_once = 200;
constexpr Duration reading_pause{100};

// Says what else the operator must know when a file beside the journal is gone.
std::string_view dangers_without(std::string_view ending) {
    if (ending == "-wal") return ". One that is killed instead loses its newest sales";
    if (ending == ".lock") return ". Another one may have been started on the same journal meanwhile: stop that too";
    return "";
}

// `ending` is the part of the file's name that follows the journal's name.
std::string what_moved(std::string_view ending) {
    if (ending.empty())
        return "the file of the journal was removed, renamed or replaced while the gateway runs on it, and is lost "
               "when the gateway ends; sales are refused. Put the file back and they go on; if it is gone, stop the "
               "gateway and call sales-gateway restore with the newest backup";
    return fmt::format(
        "the journal's {} file was removed, renamed or replaced while the gateway runs on it; sales are refused. Stop "
        "the gateway, which saves what it holds, and start it again{}",
        ending, dangers_without(ending));
}

}  // namespace

void Housekeeping::start(const boost::asio::any_io_executor& executor) {
    began_ = clock_.now();
    began_wall_ = clock_.wall();
    boost::asio::co_spawn(executor, keep_journal_alive(look_every, probe_every), boost::asio::detached);
    boost::asio::co_spawn(executor, read_all(), boost::asio::detached);
    boost::asio::co_spawn(executor, erase_old(), boost::asio::detached);
    boost::asio::co_spawn(executor, encrypt_anew(), boost::asio::detached);
    boost::asio::co_spawn(executor, date_old(), boost::asio::detached);
    boost::asio::co_spawn(executor, remind(), boost::asio::detached);
}

boost::asio::awaitable<void> Housekeeping::keep_journal_alive(Duration look_apart, Duration probe_apart) {
    for (unsigned failures = 0;;) {
        co_await look_at_unreadable();  // first: the start has read every open sale, and the others are read now
        co_await clock_.sleep_until(next_beat(clock_.now(), failures > 0 ? probe_apart : look_apart));
        look_at_damage();
        look_at_waits();
        co_await look_for_file();
        look_at_log();  // the journal has looked at the log together with its files
        if (!journal_.healthy()) {
            const auto probed = co_await journal_.probe();
            // A small write may succeed where there is no room for a sale: see Engine::is_full_still().
            if (!journal_.healthy()) {
                const auto level = failures++ % said_of_probes == 0 ? LogLevel::warn : LogLevel::debug;
                const auto stats = journal_.stats();
                log_.write(level, "journal.unavailable",
                           "the journal cannot be written, and no sale is taken: {detail}",
                           {{"detail", stats.in_words(probed.has_error() ? probed.error() : stats.failure)}});
                continue;
            }
        } else if (failures == 0) {
            (void)look_at_failures();
            continue;
        }
        // The probe has healed the journal, or a sale that came first.
        const bool was_said = std::exchange(failures, 0) > 0;
        if (!was_said && look_at_failures()) continue;
        const auto stats = journal_.stats();
        failures_said_ = stats.failures;
        if (!stats.damaged) log_.warn("journal.healed", "the journal can be written again");
    }
}

// The journal has found them by itself while it read something, and nothing else reports them.
boost::asio::awaitable<void> Housekeeping::look_at_unreadable() {
    const auto values = journal_.stats().unreadable;
    const auto before = std::exchange(unreadable_said_, values);
    if (values == before) co_return;
    const auto looked = co_await attention_.keep_up();
    if (looked.has_error()) {  // it is tried again later
        unreadable_said_ = before;
        co_return;
    }
    log_.error("journal.unreadable", "{detail} ({values} values)",
               {{"values", values},
                {"detail",
                 "values in the journal cannot be read: they were damaged or altered. Their sales have "
                 "attention; sales-gateway attention lists them"}});
}

// The journal marks a damaged sale when it reads it, but nobody may ever ask for one that is settled. So all are read.
boost::asio::awaitable<void> Housekeeping::read_all() {
    SaleFilter page{.limit = read_at_once};
    for (bool more = true; more;) {
        const auto read = co_await journal_.list(page);
        if (read.has_value()) page.after = read->next;
        more = read.has_error() || read->next;
        if (more) co_await clock_.sleep_for(read.has_value() ? reading_pause : look_every);
    }
    co_await look_at_unreadable();
}

void Housekeeping::look_at_damage() {
    if (damage_said_ || !journal_.stats().damaged) return;
    damage_said_ = true;
    log_.error("journal.damaged", "{detail}",
               {{"detail",
                 "a page of the journal makes no sense: the disk or the file is damaged, and sales that need this page "
                 "are refused. Stop the gateway and call sales-gateway restore with the newest backup"}});
}

// A write may fail and the next one succeed before a line says so. Whoever asked for the first one was refused, and
// reads the reason here. A damaged file does not heal: whether it can be written depends on the page.
bool Housekeeping::look_at_failures() {
    const auto stats = journal_.stats();
    const auto said = std::exchange(failures_said_, stats.failures);
    if (stats.failures == said || stats.damaged || !stats.last_failure) return false;
    log_.warn("journal.healed", "the journal could not be written for a moment, and can be written again: {detail}",
              {{"detail", stats.last_failure.message()}});
    return true;
}

// Nothing has failed yet, but the next commit may. The program that is waited for is reported while it is still there.
void Housekeeping::look_at_waits() {
    const auto stats = journal_.stats();
    if (stats.long_waits == long_waits_said_ || clock_.now() < waits_are_said_from_) return;
    log_.warn("journal.waited", "a sale waited a second or longer, {times} times lately: {detail}",
              {{"times", stats.long_waits - long_waits_said_}, {"detail", stats.long_for.message()}});
    long_waits_said_ = stats.long_waits;
    waits_are_said_from_ = clock_.now() + waits_said_every;
}

// Nothing fails before the disk is full. The log is reported again whenever its size has doubled.
void Housekeeping::look_at_log() {
    const auto stats = journal_.stats();
    const auto said = log_bytes_said_;
    if (stats.kept_log_bytes == 0) {
        log_bytes_said_ = 0;
        if (said > 0) log_.warn("journal.log_begins_anew", "the journal's log grows no longer: nobody reads in it");
        return;
    }
    if (stats.kept_log_bytes < 2 * said) return;
    log_bytes_said_ = stats.kept_log_bytes;
    log_.warn("journal.log_grows", "the journal's log has {bytes} bytes and cannot begin anew: {detail}",
              {{"bytes", stats.kept_log_bytes}, {"detail", stats.log_kept_by.message()}});
}

// Nothing fails when the file of an open journal is removed, but everything that is written is gone at the next start.
boost::asio::awaitable<void> Housekeeping::look_for_file() {
    (void)co_await journal_.check_files();
    const auto ending = journal_.stats().moved_file;
    const bool said = std::exchange(move_said_, ending.has_value());
    if (ending && !said) log_.error("journal.moved", "{detail}", {{"detail", what_moved(*ending)}});
}

// The clock of a box without a battery begins years ago, and is set right once the box reaches the network. What was
// sold before that is not old. By the steady clock, no sale of this process is older than the process.
WallTime Housekeeping::oldest_to_keep() const {
    const auto by_the_wall = clock_.wall() - retention_;
    return clock_.now() - began_ < retention_ ? std::min(by_the_wall, began_wall_) : by_the_wall;
}

boost::asio::awaitable<void> Housekeeping::erase_old() {
    const auto pause = std::min(erase_every, retention_);
    co_await clock_.sleep_for(std::min(erase_first, retention_));
    while (true) {
        const auto erased = co_await journal_.erase_personal(oldest_to_keep());
        if (erased.has_value() && erased->sales > 0)
            log_.info("retention.erased",
                      "erased the personal fields and goods of {sales} sales older than journal.retention",
                      {{"sales", erased->sales}});
        co_await clock_.sleep_for(erased.has_value() && erased->more ? erase_pause : pause);
    }
}

// Encrypts with the current key what was written without a key or with an older one.
boost::asio::awaitable<void> Housekeeping::encrypt_anew() {
    if (!journal_.stats().encrypts) {
        log_.warn(
            "journal.unsealed", "{detail}",
            {{"detail",
              "customers' data and goods stand in the journal in clear, for everyone who can read it or a copy of it. "
              "Set journal.key_file; the journal is encrypted with it at the next start"}});
        co_return;
    }
    auto rotated = KeyRotationState::in_progress;
    while (rotated == KeyRotationState::in_progress) {
        const auto done = co_await journal_.rotate_keys();
        rotated = done.has_value() ? *done : KeyRotationState::in_progress;
        if (rotated == KeyRotationState::in_progress)
            co_await clock_.sleep_for(done.has_value() ? erase_pause : probe_every);
    }
    if (rotated == KeyRotationState::nothing_to_do) co_return;
    auto forgotten = co_await journal_.forget_old_pages();
    while (forgotten.has_error()) {
        co_await clock_.sleep_for(probe_every);
        forgotten = co_await journal_.forget_old_pages();
    }
    log_.info("journal.resealed", "the journal is encrypted anew: {detail}",
              {{"detail",
                "every value is encrypted with the first key of journal.key_file; keys that stand below it may be "
                "deleted"}});
}

// Sales of an earlier version have no movement day yet. The pauses leave the journal to the sales.
boost::asio::awaitable<void> Housekeeping::date_old() {
    std::size_t sales = 0;
    for (bool more = true; more;) {
        const auto dated = co_await journal_.date_old_sales(rules_);
        if (dated.has_value()) sales += dated->sales;
        more = dated.has_error() || dated->more;
        if (more) co_await clock_.sleep_for(dated.has_value() ? dating_pause : probe_every);
    }
    if (sales == 0) co_return;
    log_.info("journal.dated", "gave {sales} sales of an earlier version their movement days", {{"sales", sales}});
}

boost::asio::awaitable<void> Housekeeping::remind() {
    while (true) {
        co_await clock_.sleep_for(remind_every);
        if (!journal_.is_on_duty()) continue;
        if (journal_.chain() != nullptr) (void)co_await attention_.look();  // at what the others have marked
        attention_.remind();
    }
}

}  // namespace gateway
