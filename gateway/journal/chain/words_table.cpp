#include "journal/chain/words_table.hpp"

#include "journal/chain/word_text.hpp"
#include "journal/encrypted_fields.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement words_waiting{
    "words",
    "SELECT w.number, w.sale, w.attempt, w.event, w.request_id FROM words AS w JOIN sales AS s ON s.id = w.sale"
    " WHERE s.owner IN ($1, '') OR is_over(s.owner) ORDER BY w.number"};
constexpr Statement word_waits{"word_waits", "SELECT 1 FROM words WHERE number = $1::bigint"};
constexpr Statement dismiss_word{
    "dismiss_word",
    "WITH moved AS (UPDATE sales SET step = step + 1, owner = CASE WHEN settled = 1 THEN '' ELSE owner END"
    " WHERE id = $1 AND owner = $2 AND term = $3::bigint AND step = $4::bigint RETURNING settled),"
    " gone AS (DELETE FROM words WHERE number = $5::bigint AND EXISTS (SELECT 1 FROM moved))"
    " SELECT settled FROM moved"};

}  // namespace

const Statement leave_word{"leave_word", "SELECT leave_word($1, $2, $3, $4, $5)"};

void add_word(Parameters& parameters, const Storage& storage, const LeftWord& word) {
    const auto sale = word.sale.text();
    parameters.add(sale).add(word.attempt ? std::optional(word.attempt->text()) : std::nullopt);
    storage.seal(parameters, {encrypted::word, sale}, event_text(word.event));
    parameters.add(word.request_id).add(rows::milliseconds(storage.clock.wall()));
}

Awaited<std::int64_t> WordsTable::leave(const LeftWord& word) {
    Parameters parameters;
    add_word(parameters, storage_, word);
    const auto left = co_await storage_.writer.write(leave_word, std::move(parameters));
    if (left.has_error()) co_return failure<std::int64_t>(left.error());
    const auto row = (*left)[0];
    if (row.is_null(0)) co_return Result<std::int64_t>(errc::not_found);
    co_return row.integer(0);
}

// Told to nobody: what comes of a word is recorded, and that proves it.
Awaited<std::vector<LeftWord>> WordsTable::waiting_for(const std::string& run) {
    Parameters parameters;
    parameters.add(run);
    const auto found = co_await storage_.reader.read(words_waiting, std::move(parameters), Session::Told::no);
    if (found.has_error()) co_return found.error();
    std::vector<LeftWord> words;
    rows::FieldReader fields(storage_.cipher);
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        const auto sale = SaleId::parse(row.text(1));
        auto event = read_event(fields.text(row, 3, encrypted::word, row.text(1)), fields);
        if (!sale || !event) continue;
        LeftWord word{.number = row.integer(0), .sale = *sale, .event = std::move(*event)};
        if (!row.is_null(2)) word.attempt = IdExterno::parse(row.text(2));
        word.request_id = row.text(4);
        words.push_back(std::move(word));
    }
    reader_.add_values(fields.unreadable());
    co_return words;
}

// The same: whoever asks looks at the sale then.
Awaited<bool> WordsTable::is_waiting(std::int64_t number) {
    Parameters parameters;
    parameters.add(number);
    const auto found = co_await storage_.reader.read(word_waits, std::move(parameters), Session::Told::no);
    if (found.has_error()) co_return failure<bool>(found.error());
    co_return !found->empty();
}

Awaited<bool> WordsTable::dismiss(const std::string& run, Carrying at, SaleId sale, std::int64_t number) {
    Parameters parameters;
    parameters.add(sale.text()).add(run).add(at.term).add(at.step).add(number);
    const auto moved = co_await storage_.writer.write(dismiss_word, std::move(parameters));
    if (moved.has_error()) co_return failure<bool>(moved.error());
    if (moved->empty()) co_return Result<bool>(errc::not_carried);
    co_return (*moved)[0].integer(0) != 0;
}

}  // namespace gateway::postgres
