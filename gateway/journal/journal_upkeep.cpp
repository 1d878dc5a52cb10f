// What the journal does besides sales: the token, the erasure of old personal fields, another key, the write-ahead log.
#include "base/ulid.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/sqlite_journal.hpp"
#include "journal/statements.hpp"

namespace gateway {

using Access = Writer::Access;
using rows::milliseconds;

namespace {

// How many old sales one erasure looks at, so that it never delays a commit for long.
constexpr std::size_t erased_at_once = 200;
// No token lives longer, and the steady clock does not reach much further.
constexpr Duration longest_life = std::chrono::years(100);

}  // namespace

auto SqliteJournal::load_token() -> Awaited<std::optional<KeptToken>> {
    auto work = [&]() -> Result<std::optional<KeptToken>> {
        auto& s = statements_->token;
        s.bind_all();
        const auto found = s.step();
        if (found.has_error()) return found.error();
        std::optional<KeptToken> token;
        std::string access;
        std::string refresh;
        const auto obtained_at = *found ? rows::readable_time(s, 2) : std::nullopt;
        const auto expires_at = *found ? rows::readable_time(s, 3) : std::nullopt;
        const bool opens = obtained_at && expires_at && *expires_at - *obtained_at <= longest_life &&
                           cipher_->decrypt(encrypted::token_access, s, 0, access) &&
                           cipher_->decrypt(encrypted::token_refresh, s, 1, refresh);
        if (*found && !opens) ++unreadable_;  // there is none, then, and another is asked for
        if (opens)
            token = KeptToken{.access = Secret(std::move(access)),
                              .refresh = Secret(std::move(refresh)),
                              .obtained_at = *obtained_at,
                              .expires_at = *expires_at,
                              .owner = std::string(s.text(4))};
        s.reset();
        return token;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::save_token(const std::optional<KeptToken>& token) -> Awaited<void> {
    auto work = [&]() -> Result<void> {
        if (!token) return statements_->drop_token.run();
        auto& s = *statements_;
        const auto access = cipher_->encrypt(encrypted::token_access, token->access.reveal(), s.buffers[0]);
        const auto refresh = cipher_->encrypt(encrypted::token_refresh, token->refresh.reveal(), s.buffers[1]);
        return s.save_token.run(access, refresh, milliseconds(token->obtained_at), milliseconds(token->expires_at),
                                token->owner);
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto SqliteJournal::erase_personal(WallTime cutoff) -> Awaited<Erased> {
    const auto before = Ulid::first_at(cutoff);
    const auto met_before = milliseconds(cutoff);
    const auto now = milliseconds(clock_.wall());
    auto work = [&]() -> Result<Erased> {
        auto passed = erase_next(before.text());
        if (passed.has_error()) return passed;
        const auto late = erase_postponed(met_before, now);
        if (late.has_error()) return late;
        return Erased{.sales = passed->sales + late->sales, .more = passed->more || late->more};
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

// On from where the last erasure ended. What is open then is come back to.
Result<Erased> SqliteJournal::erase_next(std::string_view before) {
    auto& s = *statements_;
    auto until = s.erased_until();
    if (until.has_error()) return until.error();
    std::string last = std::move(*until);
    std::vector<std::string> settled;
    std::vector<std::string> open;
    s.next_to_erase.bind_all(last, before, erased_at_once);
    while (true) {
        const auto row = s.next_to_erase.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        last = s.next_to_erase.text(0);
        (s.next_to_erase.optional_integer(1) == 1 ? settled : open).push_back(last);
    }
    s.next_to_erase.reset();
    for (const auto& id : settled)
        if (auto r = s.erase(id); r.has_error()) return r.error();
    for (const auto& id : open)
        if (auto r = s.postpone.run(id); r.has_error()) return r.error();
    if (auto r = s.set_erased_until(last); r.has_error()) return r.error();
    return Erased{.sales = settled.size(), .more = settled.size() + open.size() == erased_at_once};
}

// Round and round those that were put off, a few at a time: most of them may be too young or open.
Result<Erased> SqliteJournal::erase_postponed(std::int64_t met_before, std::int64_t now) {
    auto& s = *statements_;
    std::vector<std::string> due;
    std::vector<std::string> unmet;
    std::size_t looked_at = 0;
    std::string last;
    s.postponed.bind_all(s.came_back_to, erased_at_once);
    while (true) {
        const auto row = s.postponed.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        ++looked_at;
        last = s.postponed.text(0);
        const auto met_at = s.postponed.optional_integer(1);
        // Met in the future: by a clock that was ahead.
        if (!met_at || *met_at > now)
            unmet.push_back(last);
        else if (*met_at < met_before && s.postponed.optional_integer(2) == 1)
            due.push_back(last);
    }
    s.postponed.reset();
    for (const auto& id : due)
        if (auto r = s.erase(id); r.has_error()) return r.error();
    for (const auto& id : unmet)
        if (auto r = s.meet_postponed.run(id, now); r.has_error()) return r.error();
    const bool more = looked_at == erased_at_once;
    s.came_back_to = more ? last : std::string();
    return Erased{.sales = due.size(), .more = more};
}

auto SqliteJournal::rotate_keys() -> Awaited<KeyRotationState> {
    auto work = [&]() -> Result<KeyRotationState> {
        const auto progress = key_rotation_->some();
        if (progress.has_error()) return progress.error();
        unreadable_ += progress->unreadable;
        return progress->resealed;
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto SqliteJournal::forget_old_pages() -> Awaited<void> {
    auto work = [&]() -> Result<void> {
        auto& database = statements_->database;
        if (database.in_transaction()) return errc::journal_unavailable;  // others are being served
        const auto busy = database.number("PRAGMA wal_checkpoint(TRUNCATE)");
        if (busy.has_error()) return busy.error();
        if (*busy != 0) return errc::journal_unavailable;
        return {};
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::probe() -> Awaited<void> {
    // There and back: SQLite writes no page whose content an update leaves as it was, and a commit without a page
    // flushes nothing.
    constexpr const char* harmless =
        "UPDATE erasure SET done_until = done_until || '.';"
        "UPDATE erasure SET done_until = substr(done_until, 1, length(done_until) - 1)";
    auto work = [&] { return statements_->database.run(harmless); };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto SqliteJournal::check_files() -> Awaited<void> {
    if (!is_file_) co_return Result<void>();
    auto nothing = []() -> Result<void> { return {}; };  // the writer looks before every job
    co_return co_await writer_->run(Access::read, std::move(nothing));
}

}  // namespace gateway
