// Every statement that the journal runs, prepared once, and what several of its jobs have in common. Only journal.cpp
// and journal_upkeep.cpp include it.
#pragma once

#include "journal/attempts_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/field_cipher.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite_journal.hpp"

#include <array>

namespace gateway {

// A story grows with what happens, not with how often something is repeated: once it has so many characters, a line
// that tells of no change is left out. It is in the log.
constexpr std::int64_t long_history = 4'096;

struct SqliteJournal::Statements {
    Statements(sqlite::Database& c, FieldCipher& with_cipher)
        : insert_sale(c,
                      "INSERT INTO sales (id, terminal, key, digest, family, mode, estabelecimento, produto,"
                      " fornecedor, valor, segment, request, callback_hash, redemption, created_at, updated_at,"
                      " status, settled, attention, receipts, attempts, recorded_at, story)"
                      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,?)"
                      " ON CONFLICT DO NOTHING"),
          insert_id_externo(c, "INSERT INTO id_externos VALUES (?,?)"),
          updates{sqlite::Statement(c, update_sql("")), sqlite::Statement(c, update_sql(details)),
                  sqlite::Statement(c, update_sql(standing)),
                  sqlite::Statement(c, update_sql(std::string(details) + standing))},
          update_esim(c, "UPDATE sales SET esim=?2 WHERE id=?1"),
          insert_note(c, "INSERT INTO notes (sale, note) VALUES (?,?)"),
          sale(c, std::string(rows::select_sale) + " WHERE id = ?"),
          sale_by_number(c, std::string(rows::select_sale) + " WHERE n = ?"),
          sale_by_key(c, "SELECT id, n FROM sales WHERE terminal = ? AND key = ?"),
          cancelled_key(c, "SELECT 1 FROM cancelled_keys WHERE terminal = ? AND key = ?"),
          any_cancelled_key(c, "SELECT 1 FROM cancelled_keys LIMIT 1"),
          insert_cancelled_key(c, "INSERT INTO cancelled_keys VALUES (?,?,?) ON CONFLICT DO NOTHING"),
          sale_by_callback(c, "SELECT id, n FROM sales WHERE callback_hash = ?"),
          unsettled(c, "SELECT n FROM sales WHERE settled = 0 ORDER BY n"),
          story(c, "SELECT story, attempts FROM sales WHERE id = ?"),
          notes(c, "SELECT note FROM notes WHERE sale = ? ORDER BY n"),
          count_receipt(c,
                        "UPDATE sales SET receipts=receipts+1, story=CASE WHEN length(story)<?3 THEN"
                        " story||char(10)||?2 ELSE story END WHERE id=?1 RETURNING receipts - 1"),
          // A sale has two; the rest is somebody's who sends them for fun.
          callbacks(c, "SELECT received_at, kind, valid, body FROM callbacks WHERE sale = ? ORDER BY n LIMIT 50"),
          insert_callback(c, "INSERT INTO callbacks (received_at, sale, kind, valid, body) VALUES (?,?,?,?,?)"),
          token(c, "SELECT access, refresh, obtained_at, expires_at, owner FROM token"),
          save_token(c, "INSERT OR REPLACE INTO token VALUES (1,?,?,?,?,?)"),
          drop_token(c, "DELETE FROM token"),
          erasure(c, "SELECT done_until FROM erasure"),
          set_erasure(c, "UPDATE erasure SET done_until = ?"),
          next_to_erase(c, "SELECT id, settled FROM sales WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3"),
          // CROSS: the few that were put off come first. Left to itself, SQLite goes through all sales.
          postponed(c,
                    "SELECT l.sale, l.met_at, s.settled FROM erase_later l CROSS JOIN sales s ON s.id = l.sale"
                    " WHERE l.sale > ?1 ORDER BY l.sale LIMIT ?2"),
          postpone(c, "INSERT INTO erase_later VALUES (?, 0) ON CONFLICT DO NOTHING"),
          postpone_late(c, "INSERT INTO erase_later VALUES (?, NULL) ON CONFLICT DO NOTHING"),
          meet_postponed(c, "UPDATE erase_later SET met_at = ?2 WHERE sale = ?1"),
          postponed_done(c, "DELETE FROM erase_later WHERE sale = ?"),
          erase_sale(c, "UPDATE sales SET request=NULL, words=NULL, goods=NULL, esim=NULL WHERE id = ?"),
          erase_callbacks(c, "UPDATE callbacks SET body=NULL WHERE sale = ?"),
          erase_notes(c, "UPDATE notes SET note=NULL WHERE sale = ?"),
          mark_unreadable(c, rows::mark_unreadable_sql()),
          is_id(c, "SELECT 1 FROM sales WHERE id = ?"),
          database(c),
          cipher(with_cipher) {}

    sqlite::Statement insert_sale, insert_id_externo;
    std::array<sqlite::Statement, 4> updates;
    sqlite::Statement update_esim;
    sqlite::Statement insert_note, sale, sale_by_number, sale_by_key, cancelled_key, any_cancelled_key,
        insert_cancelled_key;
    sqlite::Statement sale_by_callback, unsettled;
    sqlite::Statement story, notes, count_receipt, callbacks, insert_callback, token, save_token, drop_token;
    sqlite::Statement erasure, set_erasure, next_to_erase, postponed, postpone, postpone_late;
    sqlite::Statement meet_postponed, postponed_done, erase_sale;
    sqlite::Statement erase_callbacks, erase_notes, mark_unreadable, is_id;
    sqlite::Database& database;
    FieldCipher& cipher;

    // What a step of a sale changes. Several statements, because one costs by the columns that it names, most of all
    // those that indexes are made of; with_standing: of status, settled and attention too.
    sqlite::Statement& update(bool with_facts, bool with_standing) {
        return updates.at((with_facts ? 1U : 0U) + (with_standing ? 2U : 0U));
    }

    // Whether the key was cancelled before a sell came with it. Most stores never cancel one: that is asked once.
    Result<bool> is_cancelled(std::string_view terminal, std::string_view key) {
        if (!any_cancelled_) {
            const auto any = any_cancelled_key.step();
            if (any.has_error()) return any;
            any_cancelled_ = *any;
            any_cancelled_key.reset();
        }
        if (!*any_cancelled_) return false;
        cancelled_key.bind_all(terminal, key);
        const auto cancelled = cancelled_key.step();
        cancelled_key.reset();
        return cancelled;
    }
    Result<void> cancel(std::string_view terminal, std::string_view key, std::int64_t at) {
        any_cancelled_ = true;
        return insert_cancelled_key.run(terminal, key, at);
    }

    // What is sealed for one statement, until that has run; kept, so that sealing allocates nothing.
    std::array<std::string, 3> buffers;

    sqlite::Value seal(std::string_view column, std::string_view row, std::optional<std::string_view> plain,
                       std::size_t buffer) {
        return cipher.encrypt({column, row}, plain, buffers.at(buffer));
    }

    // Whoever writes personal fields says so: the erasure comes back to a sale that it has passed.
    Result<void> written(std::string_view id) {
        if (!passed_) {
            auto until = erased_until();
            if (until.has_error()) return until.error();
            passed_ = std::move(*until);
        }
        if (id > *passed_) return {};
        return postpone_late.run(id);
    }
    Result<std::string> erased_until() {
        erasure.bind_all();
        const auto found = erasure.step();
        if (found.has_error()) return found.error();
        std::string until(erasure.text(0));
        erasure.reset();
        // It is an id. Anything else would keep the erasure from ever beginning.
        is_id.bind_all(until);
        const auto known = is_id.step();
        if (known.has_error()) return known.error();
        is_id.reset();
        if (!*known) until.clear();
        return until;
    }
    Result<void> set_erased_until(const std::string& id) {
        passed_ = id;
        return set_erasure.run(id);
    }
    // The last one that the erasure came back to, until it has been through all of them.
    std::string came_back_to;

    Result<void> erase(const std::string& id) {
        if (auto r = erase_sale.run(id); r.has_error()) return r;
        if (auto r = erase_callbacks.run(id); r.has_error()) return r;
        if (auto r = erase_notes.run(id); r.has_error()) return r;
        return postponed_done.run(id);
    }

  private:
    std::optional<bool> any_cancelled_;
    // How far the erasure has come, or had where the commit failed: then some are put off for nothing.
    std::optional<std::string> passed_;

    static constexpr auto details = ", facts=?9, goods=?10";
    static constexpr auto standing = ", status=?11, settled=?12, attention=?13";
    static std::string update_sql(std::string_view more) {
        return "UPDATE sales SET updated_at=?2, reason=?3, words=?4, attempts=?5, recorded_at=?6, story=CASE WHEN ?8 OR"
               " length(story)<" +
               std::to_string(long_history) + " THEN story||char(10)||?7 ELSE story END" + std::string(more) +
               " WHERE id=?1";
    }
};

}  // namespace gateway
