#include "journal/chain/sent_late.hpp"

#include "journal/chain/words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::postgres {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& note, std::string_view name) {
    const auto* value = note.if_contains(name);
    const auto* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string(*text) : std::string();
}

bool may_be_sent(const Attempt& attempt) {
    return attempt.state == AttemptState::requesting ||
           (attempt.state == AttemptState::cancelling && attempt.id_transacao.empty());
}

}  // namespace

bool NoteOfSentLate::is_of(const Sender& asked) const {
    const bool by_file = !asked.file.empty() && !sender.file.empty();
    return by_file ? sender.file == asked.file : sender.gateway == asked.gateway;
}

Job<std::optional<Sender>> sender_of(Tx& tx, std::string_view owner, std::string_view run) {
    if (owner.empty() || owner == run) co_return std::nullopt;
    const auto found = co_await tx.ask(sql::sender, owner);
    if (found.empty()) co_return std::nullopt;
    co_return Sender{.gateway = std::string(found.front().text(0)), .file = std::string(found.front().text(1))};
}

std::vector<NoteOfSentLate> read_notes(std::string_view text) {
    boost::system::error_code error;
    const auto parsed = json::parse(text, error);
    const auto* array = error ? nullptr : parsed.if_array();
    std::vector<NoteOfSentLate> notes;
    if (array == nullptr) return notes;
    for (const auto& one : *array)
        if (const auto* note = one.if_object())
            notes.push_back({.sender = {.gateway = text_in(*note, "gateway"), .file = text_in(*note, "file")},
                             .id_externo = text_in(*note, "idExterno")});
    return notes;
}

std::optional<std::string> written(const std::vector<NoteOfSentLate>& notes) {
    if (notes.empty()) return std::nullopt;
    json::array array;
    for (const auto& [sender, id_externo] : notes)
        array.push_back({{"gateway", sender.gateway}, {"file", sender.file}, {"idExterno", id_externo}});
    return json::serialize(array);
}

std::optional<std::string> with_notes(const std::optional<std::string>& before, const Sender& sender,
                                      const Sale& sale) {
    auto notes = before ? read_notes(*before) : std::vector<NoteOfSentLate>();
    for (const auto& attempt : sale.attempts)
        if (may_be_sent(attempt)) notes.push_back({.sender = sender, .id_externo = attempt.id_externo.str()});
    return written(notes);
}

Job<void> turn_notes_into_words(Tx& tx, Sender sender) {
    const auto noted = co_await tx.ask(sql::noted_sales);
    for (const auto& row : noted) {
        auto notes = read_notes(row.text(2));
        const auto first =
            std::stable_partition(notes.begin(), notes.end(), [&](const auto& note) { return !note.is_of(sender); });
        const std::vector<NoteOfSentLate> of_sender(first, notes.end());
        if (of_sender.empty()) continue;
        notes.erase(first, notes.end());
        const auto sale = SaleId::parse(row.text(1));
        for (const auto& note : of_sender) {
            const auto attempt = IdExterno::parse(note.id_externo);
            if (!sale || !attempt) continue;
            const LeftWord word{.sale = *sale, .attempt = *attempt, .event = SentLate{}};
            (void)co_await words::leave(tx, word);
        }
        tx.run(sql::set_taken_from, row.integer(0), written(notes));
    }
}

}  // namespace gateway::postgres
