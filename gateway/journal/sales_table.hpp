// The sales, one row each with its attempts and its history in it, so that a step of a sale writes one row; beside them
// the names of all attempts and the notes of decisions by hand. Called on the journal's thread, within its transaction.
//
// A row that this program cannot have written makes its sale unreadable (errc::sale_unreadable), and marks it; every
// other sale goes on.
#pragma once

#include "base/error.hpp"
#include "journal/attempts_text.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/unreadable_sales.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

class SalesTable {
  public:
    SalesTable(sqlite::Database& database, FieldCipher& cipher, UnreadableSales& unreadable);

    // False where a sale has its key, its id or its callback's secret already: nothing was written then.
    // `duplicate_hash` is what a possible duplicate of the sale is known by, if one is to be known.
    Result<bool> insert(const Sale& sale, const std::optional<std::string>& duplicate_hash, Moment at);
    // `late_day` is of a change that has the movement day: the later day in whose close the sale is.
    Result<void> update(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry,
                        std::optional<Day> late_day, Moment at);
    // One more receipt was printed, `line` tells of it; how many there had been before. The line is left out of a long
    // history.
    Result<std::int64_t> count_receipt(SaleId id, const std::string& line);
    // `line` goes into the history however long that is; errc::not_found where it has no room, or there is no such
    // sale.
    Result<void> note_receipt(SaleId id, const std::string& line);

    Result<std::optional<Sale>> find(SaleId id, Moment at);
    Result<SalePage> list(const SaleFilter& filter, Moment at);
    Result<AdoptedSales> unfinished(Moment at);
    Result<OpenPage> open(const std::optional<std::string>& estabelecimento, const std::string& after, Moment at);
    Result<boost::json::array> history(SaleId id, Moment at);

    // The sale that insert() or update() wrote last, as it stands in the journal now; nothing where nothing was written
    // since this was asked last, or it is not there.
    std::optional<RecordedSale> take_recorded();

  private:
    Result<std::optional<Sale>> read(sqlite::Statement& found, Moment at);
    Result<std::optional<Sale>> read_number(std::int64_t number, Moment at);
    Result<void> insert_note(const Sale& sale, std::string_view note);
    Result<void> update_esim(const Sale& sale, const std::optional<EsimDetails>& esim);
    Result<void> add_notes(SaleId id, boost::json::array& entries);
    sqlite::Value encrypt(std::string_view column, std::string_view row, std::optional<std::string_view> plain,
                          std::size_t buffer) {
        return cipher_.encrypt({column, row}, plain, buffers_.at(buffer));
    }

    sqlite::Database& database_;
    FieldCipher& cipher_;
    UnreadableSales& unreadable_;
    sqlite::Statement insert_, insert_id_externo_;
    // What a step of a sale changes. There are several statements because one costs by the columns that it names, most
    // of all by those that indexes are made of: with details or without, with status and attention or without, and with
    // those also settled, where it changes, and the movement day.
    std::array<sqlite::Statement, 10> updates_;
    sqlite::Statement update_esim_, insert_note_, count_receipt_, note_receipt_;
    sqlite::Statement by_id_, by_number_, unsettled_, open_, history_, notes_, history_length_;
    std::optional<SaleId> recorded_;
    // Of what is encrypted for one statement, until that has run. Kept, so that encrypting allocates nothing.
    std::array<std::string, 4> buffers_;
};

}  // namespace gateway
