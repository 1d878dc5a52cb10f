#include "journal/key_rotation.hpp"

#include "journal/encrypted_fields.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

// How many sales are looked at in one transaction, so that it never delays a commit for long.
constexpr std::size_t sales_in_a_step = 100;
// Sorts after every sale's id.
constexpr std::string_view all_of_them = "~";

using Agreed = boost::system::result<void, std::string>;

std::string no_key_file(const std::string& name) {
    return fmt::format(
        "customers' data in it is sealed with the key {}, and no journal.key_file is configured: set it to the file "
        "that holds this key",
        name);
}

std::string missing_key(const std::string& name, const FieldCipher& cipher) {
    return fmt::format(
        "customers' data in it is sealed with the key {}, which journal.key_file does not hold (its first key is {}): "
        "put that key on a line of its own below the first one, or bring the right file back from where its copy is "
        "kept. Nothing else opens these values",
        name, cipher.current());
}

// A name that a key can have.
bool is_key_name(std::string_view name) {
    constexpr std::size_t digits = 16;
    return name.size() == digits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A value on its way from one key to another.
struct Moving {
    std::string plain;
    std::string buffer;
};

}  // namespace

Agreed has_key(std::string_view name, const FieldCipher& cipher) {
    if (!is_key_name(name)) return {};
    if (!cipher.encrypts()) return no_key_file(std::string(name));
    if (!cipher.has(name)) return missing_key(std::string(name), cipher);
    return {};
}

Agreed has_keys_of(sqlite::Database& database, const FieldCipher& cipher) {
    const auto noted = database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'sealing_keys'");
    if (noted.has_error()) return database.message();
    if (*noted == 0) return {};
    sqlite::Statement known(database, "SELECT name FROM sealing_keys");
    known.bind_all();
    while (true) {
        const auto row = known.step();
        if (row.has_error()) return database.message();
        if (!*row) return {};
        if (auto here = has_key(known.text(0), cipher); here.has_error()) return here;
    }
}

Agreed agree_on_keys(sqlite::Database& database, const FieldCipher& cipher) {
    if (auto here = has_keys_of(database, cipher); here.has_error() || !cipher.encrypts()) return here;
    sqlite::Statement current(database, "SELECT 1 FROM sealing_keys WHERE name = ? AND current = 1");
    current.bind_all(cipher.current());
    const auto goes_on = current.step();
    if (goes_on.has_error()) return database.message();
    current.reset();
    if (*goes_on) return {};
    // In a new journal there is nothing to seal anew.
    sqlite::Statement begin(database,
                            "INSERT OR REPLACE INTO sealing_keys SELECT ?1, 1,"
                            " CASE WHEN EXISTS (SELECT 1 FROM sales) OR EXISTS (SELECT 1 FROM token)"
                            " OR EXISTS (SELECT 1 FROM findings) THEN ''"
                            " ELSE '~' END");
    const auto failed = [&] {
        auto message = database.message();
        if (database.in_transaction()) (void)database.run("ROLLBACK");
        return message;
    };
    if (database.run("BEGIN IMMEDIATE; UPDATE sealing_keys SET current = 0").has_error()) return failed();
    if (begin.run(cipher.current()).has_error() || database.run("COMMIT").has_error()) return failed();
    return {};
}

KeyRotation::KeyRotation(sqlite::Database& d, FieldCipher& cipher)
    : cipher_(cipher),
      progress_(d, "SELECT done_until FROM sealing_keys WHERE current = 1"),
      is_id_(d, "SELECT 1 FROM sales WHERE id = ?"),
      next_(d, "SELECT id FROM sales WHERE id > ?1 AND typeof(id) = 'text' ORDER BY id LIMIT ?2"),
      read_sale_(d, "SELECT digest, request, words, facts, goods, esim, redemption, cashier FROM sales WHERE id = ?"),
      write_sale_(d,
                  "UPDATE sales SET digest=?2, request=?3, words=?4, facts=?5, goods=?6, esim=?7, redemption=?8,"
                  " cashier=?9 WHERE id = ?1"),
      read_callbacks_(d, "SELECT body, n FROM callbacks WHERE sale = ?"),
      write_callback_(d, "UPDATE callbacks SET body = ?2 WHERE n = ?3 AND sale = ?1"),
      read_notes_(d, "SELECT note, n FROM notes WHERE sale = ?"),
      write_note_(d, "UPDATE notes SET note = ?2 WHERE n = ?3 AND sale = ?1"),
      read_token_(d, "SELECT access, refresh FROM token"),
      write_token_(d, "UPDATE token SET access = ?1, refresh = ?2"),
      read_duplicate_key_(d, "SELECT key FROM duplicate_key"),
      write_duplicate_key_(d, "UPDATE duplicate_key SET key = ?1"),
      read_findings_(d, "SELECT note, number FROM findings WHERE note IS NOT NULL"),
      write_finding_(d, "UPDATE findings SET note = ?2 WHERE number = ?1"),
      set_progress_(d, "UPDATE sealing_keys SET done_until = ? WHERE current = 1"),
      finish_(d, "DELETE FROM sealing_keys WHERE current = 0") {}

Result<KeyRotation::Progress> KeyRotation::some() {
    Progress progress;
    progress_.bind_all();
    const auto found = progress_.step();
    if (found.has_error()) return found.error();
    std::string last = *found ? std::string(progress_.text(0)) : std::string(all_of_them);
    progress_.reset();
    if (last != all_of_them) {
        // It is an id. Anything else would end the rotation before its time: it begins anew.
        is_id_.bind_all(last);
        const auto known = is_id_.step();
        if (known.has_error()) return known.error();
        is_id_.reset();
        if (!*known) last.clear();
    }
    if (last == all_of_them || !cipher_.encrypts()) {
        progress.state = KeyRotationState::nothing_to_do;
        return progress;
    }

    std::vector<std::string> ids;
    next_.bind_all(last, sales_in_a_step);
    while (true) {
        const auto row = next_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        ids.emplace_back(next_.text(0));
    }
    next_.reset();
    for (const auto& id : ids)
        if (auto done = sale(id, progress); done.has_error()) return done.error();
    if (ids.size() == sales_in_a_step) {
        if (auto noted = set_progress_.run(ids.back()); noted.has_error()) return noted.error();
        return progress;
    }
    if (auto done = token(progress); done.has_error()) return done.error();
    if (auto done = duplicate_key(progress); done.has_error()) return done.error();
    if (auto done = findings(progress); done.has_error()) return done.error();
    if (auto noted = set_progress_.run(all_of_them); noted.has_error()) return noted.error();
    // A damaged value that was left behind does not keep an older key in use: no key decrypts it.
    if (auto finished = finish_.run(); finished.has_error()) return finished.error();
    progress.state = KeyRotationState::finished;
    return progress;
}

Result<void> KeyRotation::sale(const std::string& id, Progress& progress) {
    read_sale_.bind_all(id);
    const auto found = read_sale_.step();
    if (found.has_error()) return found.error();
    std::array<Moving, encrypted::of_sale.size()> moving;
    std::array<sqlite::Value, encrypted::of_sale.size()> values;
    bool changed = false;
    for (std::size_t i = 0; *found && i < values.size(); ++i) {
        const auto column = static_cast<int>(i);
        const FieldAddress place{encrypted::of_sale.at(i), id};
        auto& [plain, buffer] = moving.at(i);
        auto& value = values.at(i);
        if (cipher_.is_outdated(read_sale_, column) && cipher_.decrypt(place, read_sale_, column, plain)) {
            value = cipher_.encrypt(place, plain, buffer);
            changed = true;
        } else if (read_sale_.is_blob(column)) {
            if (cipher_.is_outdated(read_sale_, column)) ++progress.unreadable;
            buffer = read_sale_.blob(column);
            value = {.kind = sqlite::Value::Kind::blob, .bytes = buffer};
        } else if (!read_sale_.is_null(column)) {
            buffer = read_sale_.text(column);
            value = {.kind = sqlite::Value::Kind::text, .bytes = buffer};
        }
    }
    read_sale_.reset();
    if (changed) {
        const auto& [digest, request, words, details, goods, esim, redemption, cashier] = values;
        auto written = write_sale_.run(id, digest, request, words, details, goods, esim, redemption, cashier);
        if (written.has_error()) return written;
    }
    if (auto done = row(read_callbacks_, write_callback_, encrypted::callback_body, id, progress); done.has_error())
        return done;
    return row(read_notes_, write_note_, encrypted::note, id, progress);
}

// Of the rows that belong to a sale: the first column is the value, the second the row's number.
Result<void> KeyRotation::row(sqlite::Statement& read, sqlite::Statement& write, std::string_view column,
                              std::string_view id, Progress& progress) {
    struct Fresh {
        std::int64_t number;
        std::string plain;
    };
    std::vector<Fresh> all;
    const FieldAddress place{column, id};
    read.bind_all(id);
    while (true) {
        const auto found = read.step();
        if (found.has_error()) return found.error();
        if (!*found) break;
        if (!cipher_.is_outdated(read, 0)) continue;
        Fresh fresh{.number = read.integer(1)};
        if (cipher_.decrypt(place, read, 0, fresh.plain))
            all.push_back(std::move(fresh));
        else
            ++progress.unreadable;
    }
    read.reset();
    std::string buffer;
    for (const auto& [number, plain] : all) {
        if (auto written = write.run(id, cipher_.encrypt(place, plain, buffer), number); written.has_error())
            return written;
    }
    return {};
}

Result<void> KeyRotation::token(Progress& progress) {
    read_token_.bind_all();
    const auto found = read_token_.step();
    if (found.has_error()) return found.error();
    if (!*found) return {};
    const bool outdated = cipher_.is_outdated(read_token_, 0) || cipher_.is_outdated(read_token_, 1);
    Moving access;
    Moving refresh;
    const bool opened = cipher_.decrypt(encrypted::token_access, read_token_, 0, access.plain) &&
                        cipher_.decrypt(encrypted::token_refresh, read_token_, 1, refresh.plain);
    read_token_.reset();
    if (!outdated) return {};
    if (!opened) {
        ++progress.unreadable;  // the load of the token finds out, and another one is asked for
        return {};
    }
    return write_token_.run(cipher_.encrypt(encrypted::token_access, access.plain, access.buffer),
                            cipher_.encrypt(encrypted::token_refresh, refresh.plain, refresh.buffer));
}

Result<void> KeyRotation::duplicate_key(Progress& progress) {
    read_duplicate_key_.bind_all();
    const auto found = read_duplicate_key_.step();
    if (found.has_error()) return found.error();
    if (!*found) return {};
    const bool outdated = cipher_.is_outdated(read_duplicate_key_, 0);
    Moving key;
    const bool opened = cipher_.decrypt(encrypted::duplicate_key, read_duplicate_key_, 0, key.plain);
    read_duplicate_key_.reset();
    if (!outdated) return {};
    if (!opened) {
        ++progress.unreadable;  // the next sale that needs it finds out, and another one is made
        return {};
    }
    return write_duplicate_key_.run(cipher_.encrypt(encrypted::duplicate_key, key.plain, key.buffer));
}

// All at once: people wrote them, one by one, so that there are no more than some hundred.
Result<void> KeyRotation::findings(Progress& progress) {
    std::vector<std::pair<std::int64_t, std::string>> notes;
    read_findings_.bind_all();
    while (true) {
        const auto found = read_findings_.step();
        if (found.has_error()) return found.error();
        if (!*found) break;
        if (!cipher_.is_outdated(read_findings_, 0)) continue;
        const auto number = read_findings_.integer(1);
        std::string plain;
        if (cipher_.decrypt({encrypted::finding_note, std::to_string(number)}, read_findings_, 0, plain))
            notes.emplace_back(number, std::move(plain));
        else
            ++progress.unreadable;
    }
    read_findings_.reset();
    std::string buffer;
    for (const auto& [number, plain] : notes) {
        const auto row = std::to_string(number);
        if (auto written = write_finding_.run(number, cipher_.encrypt({encrypted::finding_note, row}, plain, buffer));
            written.has_error())
            return written;
    }
    return {};
}

}  // namespace gateway
