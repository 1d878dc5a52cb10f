// Changes the key that the journal's values are encrypted with, while the gateway works: what was encrypted with an
// older key, or written without one, is encrypted with the current one, some sales at a time. Called on the journal's
// thread, within its transaction.
#pragma once

#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"

#include <string>

namespace gateway {

// Whether the cipher has every key that values of the journal are encrypted with. The error says in words which key is
// missing and what to do. It may be asked of any journal, of an older one and of an empty file too, and changes
// nothing.
boost::system::result<void, std::string> has_keys_of(sqlite::Database& database, const FieldCipher& cipher);
// The same, asked of a journal that is up to date; it also notes the current key. Where there is an error nothing has
// been changed.
boost::system::result<void, std::string> agree_on_keys(sqlite::Database& database, const FieldCipher& cipher);

// The same of one key's name, as the journal has it. A name that none can have is that of a damaged row.
boost::system::result<void, std::string> has_key(std::string_view name, const FieldCipher& cipher);

class KeyRotation {
  public:
    // How far it came.
    struct Progress {
        KeyRotationState state = KeyRotationState::in_progress;
        std::size_t unreadable = 0;  // values that cannot be decrypted, and were left as they are
    };

    // Both must outlive it.
    KeyRotation(sqlite::Database& database, FieldCipher& cipher);

    // Goes on with a limited number of sales, within the transaction that is open.
    Result<Progress> some();

  private:
    Result<void> sale(const std::string& id, Progress& progress);
    Result<void> row(sqlite::Statement& read, sqlite::Statement& write, std::string_view column, std::string_view id,
                     Progress& progress);
    Result<void> token(Progress& progress);
    Result<void> duplicate_key(Progress& progress);
    Result<void> findings(Progress& progress);

    FieldCipher& cipher_;
    sqlite::Statement progress_, is_id_, next_, read_sale_, write_sale_;
    sqlite::Statement read_callbacks_, write_callback_, read_notes_, write_note_, read_token_, write_token_;
    sqlite::Statement read_duplicate_key_, write_duplicate_key_, read_findings_, write_finding_;
    sqlite::Statement set_progress_, finish_;
};

}  // namespace gateway
