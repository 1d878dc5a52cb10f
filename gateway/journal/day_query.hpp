// The sales of days and of closes, in pages: each looks at a limited number of rows, because the thread that reads them
// also writes the sales. What a day costs to read is what the day has. Called on the journal's thread.
#pragma once

#include "base/calendar.hpp"
#include "base/error.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"

#include <cstddef>
#include <string>

namespace gateway {

class DayQuery {
  public:
    // How many sales one page looks at: some milliseconds of work.
    static constexpr std::size_t rows_per_page = 500;
    // How many days without a sale one page looks at.
    static constexpr std::size_t days_per_page = 1'000;

    // Every reference must outlive it.
    DayQuery(sqlite::Database& database, FieldCipher& cipher, UnreadableSales& unreadable);

    // By day, then by establishment, then by id. `after` as in Journal.
    Result<DayPage> of_days(const DayFilter& filter, const std::string& after);
    // By id.
    Result<DayPage> of_close(const CloseKey& key, const std::string& after);

    // The statements, for a test of how they are carried out.
    static std::string sql_of_day();
    static std::string sql_of_establishments_day();
    static std::string sql_of_close();

  private:
    class Page;

    DayPage finish(Page&& page);

    FieldCipher& cipher_;
    UnreadableSales& unreadable_;
    sqlite::Statement of_day_, of_establishments_day_, of_close_;
};

}  // namespace gateway
