#include "journal/journal.hpp"

#include "base/check.hpp"
#include "base/digest.hpp"
#include "journal/list_query.hpp"
#include "journal/rows.hpp"
#include "journal/schema.hpp"
#include "journal/write_again.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace gateway {

using Access = Writer::Access;
using rows::milliseconds;

struct Journal::Statements {
    explicit Statements(sqlite::Connection& c)
        : insert_sale(c, "INSERT INTO sales VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL,NULL,NULL,NULL,?)"),
          update_sale(c, "UPDATE sales SET updated_at=?2, status=?3, settled=?4, attention=?5, reason=?6 WHERE id=?1"),
          update_facts(c, "UPDATE sales SET facts=?2, goods=?3 WHERE id=?1"),
          update_esim(c, "UPDATE sales SET esim=?2 WHERE id=?1"),
          insert_attempt(c, "INSERT INTO attempts VALUES (?,?,?,?,?,?,?,?,?,?,?)"),
          update_attempt(c,
                         "UPDATE attempts SET state=?3, id_transacao=?4, confirm_time=?5, cancel_time=?6,"
                         " recorded_at=?7, deadline=?8, attention_at=?9 WHERE sale=?1 AND number=?2"),
          insert_event(c,
                       "INSERT INTO events SELECT ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9"
                       " FROM events WHERE sale = ?1"),
          sale(c, "SELECT * FROM sales WHERE id = ?"),
          attempts(c, "SELECT * FROM attempts WHERE sale = ? ORDER BY number"),
          sale_by_key(c, "SELECT id FROM sales WHERE terminal = ? AND key = ?"),
          cancelled_key(c, "SELECT 1 FROM cancelled_keys WHERE terminal = ? AND key = ?"),
          insert_cancelled_key(c, "INSERT INTO cancelled_keys VALUES (?,?,?) ON CONFLICT DO NOTHING"),
          sale_by_callback(c, "SELECT id FROM sales WHERE callback_hash = ?"),
          unsettled(c, "SELECT id FROM sales WHERE settled = 0 ORDER BY id"),
          story(c,
                "SELECT e.at, a.id_externo, e.event, e.known, e.http_status, e.duration_ms, e.state, e.detail"
                " FROM events e JOIN attempts a ON a.sale = e.sale AND a.number = e.attempt"
                " WHERE e.sale = ? ORDER BY e.n"),
          receipts(c, "SELECT count(*) FROM events WHERE sale = ? AND event = 'receipt'"),
          insert_callback(c, "INSERT INTO callbacks (received_at, sale, kind, valid, body) VALUES (?,?,?,?,?)"),
          token(c, "SELECT access, refresh, obtained_at, expires_at FROM token"),
          save_token(c, "INSERT OR REPLACE INTO token VALUES (1,?,?,?,?)"),
          drop_token(c, "DELETE FROM token"),
          erasure(c, "SELECT done_until FROM erasure"),
          set_erasure(c, "UPDATE erasure SET done_until = ?"),
          next_to_erase(c, "SELECT id, settled FROM sales WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3"),
          postponed(c, "SELECT l.sale FROM erase_later l JOIN sales s ON s.id = l.sale WHERE s.settled = 1 LIMIT ?1"),
          postpone(c, "INSERT INTO erase_later VALUES (?) ON CONFLICT DO NOTHING"),
          postponed_done(c, "DELETE FROM erase_later WHERE sale = ?"),
          erase_sale(c,
                     "UPDATE sales SET request=NULL, goods=NULL, esim=NULL,"
                     " reason=json_remove(reason, '$.providerBody') WHERE id = ?"),
          erase_callbacks(c, "UPDATE callbacks SET body=NULL WHERE sale = ?"),
          connection(c) {}

    sqlite::Statement insert_sale, update_sale, update_facts, update_esim, insert_attempt, update_attempt, insert_event;
    sqlite::Statement sale, attempts, sale_by_key, cancelled_key, insert_cancelled_key, sale_by_callback, unsettled;
    sqlite::Statement story, receipts, insert_callback, token, save_token, drop_token;
    sqlite::Statement erasure, set_erasure, next_to_erase, postponed, postpone, postponed_done, erase_sale;
    sqlite::Statement erase_callbacks;
    sqlite::Connection& connection;

    Result<void> write_event(const Sale& s, std::int64_t at, std::size_t attempt, AttemptState state,
                             const JournalEvent& e) {
        const auto text = [](std::string_view t) { return t.empty() ? std::nullopt : std::optional(t); };
        std::optional<std::int64_t> status;
        if (e.http_status != 0) status = e.http_status;
        std::optional<std::int64_t> duration;
        if (e.duration) duration = e.duration->count();
        return insert_event.run(s.id.text(), at, attempt + 1, e.event, text(e.known), status, duration, word(state),
                                text(e.detail));
    }

    Result<void> insert(std::string_view sale_id, const rows::AttemptRow& row) {
        const Attempt& a = *row.attempt;
        return insert_attempt.run(sale_id, row.number, a.id_externo.text(), word(a.state), a.id_transacao,
                                  milliseconds(a.created_at), optional_ms(a.confirm_time), optional_ms(a.cancel_time),
                                  row.recorded_at, row.deadline, row.attention_at);
    }

    Result<void> update(std::string_view sale_id, const rows::AttemptRow& row) {
        const Attempt& a = *row.attempt;
        return update_attempt.run(sale_id, row.number, word(a.state), a.id_transacao, optional_ms(a.confirm_time),
                                  optional_ms(a.cancel_time), row.recorded_at, row.deadline, row.attention_at);
    }

    Result<void> erase(const std::string& id) {
        if (auto r = erase_sale.run(id); r.has_error()) return r;
        if (auto r = erase_callbacks.run(id); r.has_error()) return r;
        return postponed_done.run(id);
    }

    static std::optional<std::int64_t> optional_ms(const std::optional<WallTime>& at) {
        return at ? std::optional(milliseconds(*at)) : std::nullopt;
    }
};

namespace {

// How many old sales one erasure looks at, so that it never delays a commit for long.
constexpr std::size_t erased_at_once = 200;

// Durable at every commit; the write-ahead log is cut back after a burst; nothing deleted stays readable in the file.
constexpr const char* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216;"
    "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; PRAGMA foreign_keys = OFF;";

using Opened = boost::system::result<std::unique_ptr<Journal>, std::string>;

std::string in_words(const std::string& path, const std::string& why) {
    return fmt::format("the journal {} cannot be used: {}", path, why);
}

}  // namespace

Opened Journal::open(boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock) {
    FileLock lock;
    if (options.vfs == nullptr) {
        auto taken = FileLock::take(options.path + ".lock");
        if (taken.has_error() && taken.error() == errc::journal_in_use)
            return in_words(options.path, "another sales-gateway is running on it");
        if (taken.has_error()) return in_words(options.path, taken.error().message());
        lock = std::move(*taken);
        // Made before SQLite makes it, so that nobody but its owner may read it or the files beside it.
        const auto made = FileLock::make_private(options.path);
        if (made.has_error()) return in_words(options.path, made.error().message());
    }
    if (auto written = write_log_again(options.path, options.vfs); written.has_error())
        return in_words(options.path, written.error().message());
    auto connection = sqlite::Connection::open(options.path, options.vfs);
    if (connection.has_error()) return in_words(options.path, connection.error().message());
    if (auto ready = bring_up_to_date(*connection); ready.has_error()) return in_words(options.path, ready.error());
    if (connection->run(settings).has_error()) return in_words(options.path, connection->message());
    return std::unique_ptr<Journal>(
        new Journal(std::move(executor), options, clock, std::move(*connection), std::move(lock)));
}

Journal::Journal(boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock,
                 sqlite::Connection connection, FileLock lock)
    : clock_(clock),
      lock_(std::move(lock)),
      writer_(std::make_unique<Writer>(std::move(executor), std::move(connection), options.durability)) {
    statements_ = std::make_unique<Statements>(writer_->connection());
}

Journal::~Journal() {
    writer_.reset();
}

Result<Journal::KeyFate> Journal::fate_of(std::string_view terminal, std::string_view key) {
    auto& s = *statements_;
    s.sale_by_key.bind_all(terminal, key);
    const auto known = s.sale_by_key.step();
    if (known.has_error()) return known.error();
    KeyFate fate;
    if (*known) fate.sale = SaleId::parse(s.sale_by_key.text(0));
    s.sale_by_key.reset();
    if (fate.sale) return fate;
    s.cancelled_key.bind_all(terminal, key);
    const auto cancelled = s.cancelled_key.step();
    if (cancelled.has_error()) return cancelled.error();
    fate.cancelled = *cancelled;
    s.cancelled_key.reset();
    return fate;
}

auto Journal::begin(const Sale& sale) -> Awaited<KeyFate> {
    const auto at = milliseconds(clock_.wall());
    const auto row = rows::row_of(sale.current(), 1, clock_.now(), clock_.wall());
    std::optional<std::string> callback_hash;
    if (!sale.callback_secret.empty()) callback_hash = sha256_hex(sale.callback_secret.reveal());
    auto work = [&]() -> Result<KeyFate> {
        auto& s = *statements_;
        const auto fate = fate_of(sale.terminal, sale.key);
        if (fate.has_error() || fate->sale || fate->cancelled) return fate;
        if (auto r = s.insert_sale.run(sale.id.text(), sale.terminal, sale.key, sale.digest, word(sale.family),
                                       word(sale.mode), sale.estabelecimento, sale.produto, sale.fornecedor,
                                       sale.valor.value, sale.segment, sale.request.reveal(), callback_hash,
                                       milliseconds(sale.created_at), at, word(sale.status), sale.settled,
                                       word(sale.attention), sale.redemption);
            r.has_error())
            return r.error();
        if (auto r = s.insert(sale.id.text(), row); r.has_error()) return r.error();
        const JournalEvent begun{.event = "begun"};
        if (auto r = s.write_event(sale, at, 0, sale.current().state, begun); r.has_error()) return r.error();
        return KeyFate{};
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto Journal::record(const Sale& sale, const Change& change, const Attempt* fresh, const JournalEvent& event)
    -> Awaited<void> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    const auto at = milliseconds(change.at);
    const auto row = rows::row_of(change.next, static_cast<int>(change.attempt) + 1, now, wall);
    auto work = [&]() -> Result<void> {
        auto& s = *statements_;
        if (auto r = s.update(sale.id.text(), row); r.has_error()) return r;
        if (auto r = s.update_sale.run(sale.id.text(), at, word(change.status), change.settled, word(change.attention),
                                       rows::reason_text(change.reason));
            r.has_error())
            return r;
        if (change.facts)
            if (auto r = s.update_facts.run(sale.id.text(), rows::facts_text(*change.facts),
                                            rows::goods_text(*change.facts));
                r.has_error())
                return r;
        if (change.esim)
            if (auto r = s.update_esim.run(sale.id.text(), rows::esim_text(change.esim)); r.has_error()) return r;
        if (auto r = s.write_event(sale, at, change.attempt, change.next.state, event); r.has_error()) return r;
        if (fresh == nullptr) return {};
        const auto number = sale.attempts.size();
        if (auto r = s.insert(sale.id.text(), rows::row_of(*fresh, static_cast<int>(number) + 1, now, wall));
            r.has_error())
            return r;
        const JournalEvent begun{.event = "begun"};
        return s.write_event(sale, at, number, fresh->state, begun);
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto Journal::cancel_key(const std::string& terminal, const std::string& key) -> Awaited<KeyFate> {
    const auto at = milliseconds(clock_.wall());
    auto work = [&]() -> Result<KeyFate> {
        auto fate = fate_of(terminal, key);
        if (fate.has_error() || fate->sale || fate->cancelled) return fate;
        if (auto r = statements_->insert_cancelled_key.run(terminal, key, at); r.has_error()) return r.error();
        fate->cancelled = true;
        return fate;
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

Result<std::optional<Sale>> Journal::load(std::string_view id, Instant now, WallTime wall) {
    auto& s = *statements_;
    s.sale.bind_all(id);
    const auto found = s.sale.step();
    if (found.has_error()) return found.error();
    if (!*found) return std::optional<Sale>();
    auto sale = rows::read_sale(s.sale);
    s.sale.reset();
    s.attempts.bind_all(id);
    while (true) {
        const auto row = s.attempts.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        sale.attempts.push_back(rows::read_attempt(s.attempts, now, wall));
    }
    s.attempts.reset();
    CHECK(!sale.attempts.empty());
    return std::optional(std::move(sale));
}

Result<std::vector<Sale>> Journal::load_all(sqlite::Statement& ids, Instant now, WallTime wall) {
    std::vector<Sale> sales;
    while (true) {
        const auto row = ids.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        auto sale = load(ids.text(0), now, wall);
        if (sale.has_error()) return sale.error();
        if (*sale) sales.push_back(std::move(**sale));
    }
    ids.reset();
    return sales;
}

auto Journal::find(SaleId id) -> Awaited<std::optional<Sale>> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&] { return load(id.text(), now, wall); };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::find_key(const std::string& terminal, const std::string& key) -> Awaited<KeyFate> {
    auto work = [&] { return fate_of(terminal, key); };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::find_callback(const std::string& secret) -> Awaited<std::optional<SaleId>> {
    auto work = [&]() -> Result<std::optional<SaleId>> {
        auto& s = statements_->sale_by_callback;
        const auto hash = sha256_hex(secret);
        s.bind_all(hash);
        const auto found = s.step();
        if (found.has_error()) return found.error();
        auto id = *found ? SaleId::parse(s.text(0)) : std::nullopt;
        s.reset();
        return id;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::list(const SaleFilter& filter) -> Awaited<std::vector<Sale>> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&]() -> Result<std::vector<Sale>> {
        auto query = list_query(filter);
        sqlite::Statement ids(statements_->connection, query.sql);
        ids.bind_texts(query.parameters);
        return load_all(ids, now, wall);
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::story(SaleId id) -> Awaited<boost::json::array> {
    auto work = [&]() -> Result<boost::json::array> {
        auto& s = statements_->story;
        boost::json::array lines;
        s.bind_all(id.text());
        while (true) {
            const auto row = s.step();
            if (row.has_error()) return row.error();
            if (!*row) break;
            lines.push_back(rows::read_event(s));
        }
        s.reset();
        return lines;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::unfinished() -> Awaited<std::vector<Sale>> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&] {
        statements_->unsettled.bind_all();
        return load_all(statements_->unsettled, now, wall);
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::count_receipt(const Sale& sale) -> Awaited<std::int64_t> {
    const auto at = milliseconds(clock_.wall());
    auto work = [&]() -> Result<std::int64_t> {
        auto& s = *statements_;
        s.receipts.bind_all(sale.id.text());
        const auto counted = s.receipts.step();
        if (counted.has_error()) return counted.error();
        const auto before = s.receipts.integer(0);
        s.receipts.reset();
        const JournalEvent printed{.event = "receipt"};
        const auto last = sale.attempts.size() - 1;
        if (auto r = s.write_event(sale, at, last, sale.current().state, printed); r.has_error()) return r.error();
        return before;
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto Journal::keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) -> Awaited<void> {
    const auto at = milliseconds(clock_.wall());
    auto work = [&] { return statements_->insert_callback.run(at, sale.text(), kind, valid, body.reveal()); };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto Journal::load_token() -> Awaited<std::optional<KeptToken>> {
    auto work = [&]() -> Result<std::optional<KeptToken>> {
        auto& s = statements_->token;
        s.bind_all();
        const auto found = s.step();
        if (found.has_error()) return found.error();
        std::optional<KeptToken> token;
        if (*found)
            token = KeptToken{.access = Secret(std::string(s.text(0))),
                              .refresh = Secret(std::string(s.text(1))),
                              .obtained_at = rows::wall_time(s.integer(2)),
                              .expires_at = rows::wall_time(s.integer(3))};
        s.reset();
        return token;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto Journal::save_token(const std::optional<KeptToken>& token) -> Awaited<void> {
    auto work = [&]() -> Result<void> {
        if (!token) return statements_->drop_token.run();
        return statements_->save_token.run(token->access.reveal(), token->refresh.reveal(),
                                           milliseconds(token->obtained_at), milliseconds(token->expires_at));
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto Journal::erase_personal(WallTime cutoff) -> Awaited<std::size_t> {
    const auto before = Ulid::first_at(cutoff);
    auto work = [&]() -> Result<std::size_t> {
        auto& s = *statements_;
        s.erasure.bind_all();
        const auto found = s.erasure.step();
        if (found.has_error()) return found.error();
        std::string last(s.erasure.text(0));
        s.erasure.reset();

        std::vector<std::string> settled;
        std::vector<std::string> open;
        s.next_to_erase.bind_all(last, before.text(), erased_at_once);
        while (true) {
            const auto row = s.next_to_erase.step();
            if (row.has_error()) return row.error();
            if (!*row) break;
            last = s.next_to_erase.text(0);
            (s.next_to_erase.integer(1) != 0 ? settled : open).push_back(last);
        }
        s.next_to_erase.reset();
        s.postponed.bind_all(erased_at_once);
        while (true) {
            const auto row = s.postponed.step();
            if (row.has_error()) return row.error();
            if (!*row) break;
            settled.emplace_back(s.postponed.text(0));
        }
        s.postponed.reset();
        for (const auto& id : settled)
            if (auto r = s.erase(id); r.has_error()) return r.error();
        for (const auto& id : open)
            if (auto r = s.postpone.run(id); r.has_error()) return r.error();
        if (auto r = s.set_erasure.run(last); r.has_error()) return r.error();
        return settled.size();
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto Journal::probe() -> Awaited<void> {
    auto work = [&] { return statements_->connection.run("UPDATE erasure SET done_until = done_until"); };
    co_return co_await writer_->run(Access::write, std::move(work));
}

Writer::Stats Journal::stats() const {
    return writer_->stats();
}

bool Journal::healthy() const noexcept {
    return writer_->healthy();
}

}  // namespace gateway
