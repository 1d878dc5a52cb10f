#include "journal/chain/words.hpp"

#include "journal/chain/word_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/erasure.hpp"
#include "journal/rows.hpp"

namespace gateway::postgres::words {

Job<std::int64_t> leave(Tx& tx, LeftWord word) {
    const auto sale = word.sale.text();
    const auto held = co_await tx.ask(sql::hold_sale, sale);
    if (held.empty()) throw JobFailed(errc::not_found);
    const auto attempt = word.attempt ? std::optional(word.attempt->text()) : std::nullopt;
    const auto text = event_text(word.event);
    const EncryptedValue event(tx.cipher, {encrypted::word, sale}, text);
    const auto left =
        co_await tx.ask(sql::insert_word, sale, attempt, event, word.request_id, rows::milliseconds(tx.at.wall));
    erasure::written(tx, sale);
    tx.run(sql::tell_of_word, sale);
    co_return left.front().integer(0);
}

Job<std::vector<LeftWord>> waiting_for(Tx& tx, std::string run) {
    const auto found = co_await tx.ask(sql::words_for_run, run);
    std::vector<LeftWord> words;
    rows::FieldReader fields(tx.cipher);
    for (const auto& row : found) {
        const auto sale = SaleId::parse(row.text(1));
        auto event = read_event(fields.text(row, 3, encrypted::word, row.text(1)), fields);
        if (!sale || !event) continue;
        LeftWord word{.number = row.integer(0), .sale = *sale, .event = std::move(*event)};
        if (!row.is_null(2)) word.attempt = IdExterno::parse(row.text(2));
        word.request_id = row.text(4);
        words.push_back(std::move(word));
    }
    tx.unreadable.add_values(fields.unreadable());
    co_return words;
}

Job<bool> is_waiting(Tx& tx, std::int64_t number) {
    const auto found = co_await tx.ask(sql::word_waits, number);
    co_return !found.empty();
}

}  // namespace gateway::postgres::words
