// Every statement that the journal runs, prepared once, and what several of its jobs have in common. Only journal.cpp
// includes it.
#pragma once

#include "journal/journal.hpp"
#include "journal/rows.hpp"
#include "journal/sealed_columns.hpp"
#include "journal/vault.hpp"

#include <array>

namespace gateway {

struct Journal::Statements {
    Statements(sqlite::Connection& c, Vault& with_vault)
        : insert_sale(c, "INSERT INTO sales VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL,NULL,NULL,NULL,NULL,?)"),
          update_sale(c,
                      "UPDATE sales SET updated_at=?2, status=?3, settled=?4, attention=?5, reason=?6, words=?7"
                      " WHERE id=?1"),
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
          // A sale has two; the rest is somebody's who sends them for fun.
          callbacks(c, "SELECT received_at, kind, valid, body FROM callbacks WHERE sale = ? ORDER BY n LIMIT 50"),
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
          erase_sale(c, "UPDATE sales SET request=NULL, words=NULL, goods=NULL, esim=NULL WHERE id = ?"),
          erase_callbacks(c, "UPDATE callbacks SET body=NULL WHERE sale = ?"),
          erase_notes(c, "UPDATE events SET detail=NULL WHERE sale = ? AND event = 'resolved'"),
          mark_unreadable(c, "UPDATE sales SET attention='unreadable' WHERE id = ? AND attention = 'none'"),
          known_unreadable(c, "SELECT 1 FROM events WHERE sale = ? AND event = 'unreadable'"),
          connection(c),
          vault(with_vault) {}

    sqlite::Statement insert_sale, update_sale, update_facts, update_esim, insert_attempt, update_attempt, insert_event;
    sqlite::Statement sale, attempts, sale_by_key, cancelled_key, insert_cancelled_key, sale_by_callback, unsettled;
    sqlite::Statement story, receipts, callbacks, insert_callback, token, save_token, drop_token;
    sqlite::Statement erasure, set_erasure, next_to_erase, postponed, postpone, postponed_done, erase_sale;
    sqlite::Statement erase_callbacks, erase_notes, mark_unreadable, known_unreadable;
    sqlite::Connection& connection;
    Vault& vault;

    // What is sealed for one statement, until that has run; kept, so that sealing allocates nothing.
    std::array<std::string, 3> rooms;

    sqlite::Value seal(std::string_view column, std::string_view row, std::optional<std::string_view> plain,
                       std::size_t room) {
        return vault.seal({column, row}, plain, rooms.at(room));
    }

    Result<void> write_event(const Sale& s, std::int64_t at, std::size_t attempt, AttemptState state,
                             const JournalEvent& e) {
        const auto text = [](std::string_view t) { return t.empty() ? std::nullopt : std::optional(t); };
        std::optional<std::int64_t> status;
        if (e.http_status != 0) status = e.http_status;
        std::optional<std::int64_t> duration;
        if (e.duration) duration = e.duration->count();
        if (e.event == sealed::noted_event)
            return insert_event.run(s.id.text(), at, attempt + 1, e.event, text(e.known), status, duration, word(state),
                                    seal(sealed::note, s.id.text(), text(e.detail), 0));
        return insert_event.run(s.id.text(), at, attempt + 1, e.event, text(e.known), status, duration, word(state),
                                text(e.detail));
    }

    Result<void> insert(std::string_view sale_id, const rows::AttemptRow& row) {
        const Attempt& a = *row.attempt;
        return insert_attempt.run(sale_id, row.number, a.id_externo.text(), word(a.state), a.id_transacao,
                                  rows::milliseconds(a.created_at), optional_ms(a.confirm_time),
                                  optional_ms(a.cancel_time), row.recorded_at, row.deadline, row.attention_at);
    }

    Result<void> update(std::string_view sale_id, const rows::AttemptRow& row) {
        const Attempt& a = *row.attempt;
        return update_attempt.run(sale_id, row.number, word(a.state), a.id_transacao, optional_ms(a.confirm_time),
                                  optional_ms(a.cancel_time), row.recorded_at, row.deadline, row.attention_at);
    }

    Result<void> erase(const std::string& id) {
        if (auto r = erase_sale.run(id); r.has_error()) return r;
        if (auto r = erase_callbacks.run(id); r.has_error()) return r;
        if (auto r = erase_notes.run(id); r.has_error()) return r;
        return postponed_done.run(id);
    }

    static std::optional<std::int64_t> optional_ms(const std::optional<WallTime>& at) {
        return at ? std::optional(rows::milliseconds(*at)) : std::nullopt;
    }
};

}  // namespace gateway
