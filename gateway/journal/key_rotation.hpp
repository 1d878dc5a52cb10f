// Changing the key that the journal's values are sealed with, while the gateway works: what was sealed with an older
// key, or written without one, is sealed anew with the current one, some sales at a time.
#pragma once

#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"

#include <string>

namespace gateway {

// Whether the cipher has every key that values of the journal are sealed with. The error says in words which key is
// missing and what to do. Of any journal, an older one and an empty file too; changes nothing.
boost::system::result<void, std::string> has_keys_of(sqlite::Database& database, const FieldCipher& cipher);
// The same of a journal that is up to date, which is told the current key. Where there is an error nothing has been
// changed.
boost::system::result<void, std::string> agree_on_keys(sqlite::Database& database, const FieldCipher& cipher);

class KeyRotation {
  public:
    // How far it came.
    struct Progress {
        KeyRotationState state = KeyRotationState::in_progress;
        std::size_t unreadable = 0;  // values that do not open, and were left as they are
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

    FieldCipher& cipher_;
    sqlite::Statement progress_, is_id_, next_, read_sale_, write_sale_;
    sqlite::Statement read_callbacks_, write_callback_, read_notes_, write_note_, read_token_, write_token_;
    sqlite::Statement set_progress_, finish_;
};

}  // namespace gateway
