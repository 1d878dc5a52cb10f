// The words that wait for the gateway that carries their sale: one row each, taken away by the record that it leads to.
// One of them says what a gateway that a sale was taken from may yet send, as it was paused between its look at the
// lease and the first byte of a request. Until its process is known to be gone, the column sales.taken_from notes the
// attempts, as JSON: [{gateway, file, idExterno}].
#pragma once

#include "journal/chain.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// What a word says, as the JSON of its column. Only what is asked or told from outside is left for another gateway: an
// answer, or a time that has come, is the business of the one that carries the sale.
std::string event_text(const Event& event);
// Returns nothing, and counts that, where it makes no sense.
std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields);

namespace words {

// Returns its number. errc::not_found where there is no such sale.
Job<std::int64_t> leave(Tx& tx, LeftWord word);
// Returns those of sales that the run carries, and of those that no living run does, oldest first. They are told to
// nobody: what comes of a word is recorded, and that proves it.
Job<std::vector<LeftWord>> waiting_for(Tx& tx, std::string run);
Job<bool> is_waiting(Tx& tx, std::int64_t number);

}  // namespace words

// A gateway, and the tally file that its process has locked as long as it lives; empty: the version before noted none.
struct Sender {
    std::string gateway;
    std::string file;
};

struct NoteOfSentLate {
    Sender sender;
    std::string id_externo;

    // Whether it is of that tally file; where the note has no file, or none is asked for, whether it is of that
    // gateway.
    bool is_of(const Sender& asked) const;
};

// Finds the gateway of the run `owner`, where requests of it may yet be sent: it is another run than `run`, and no
// later run of its file has begun.
Job<std::optional<Sender>> sender_of(Tx& tx, std::string_view owner, std::string_view run);

// Notes in their column; what makes no sense there is none.
std::vector<NoteOfSentLate> read_notes(std::string_view text);
std::optional<std::string> written(const std::vector<NoteOfSentLate>& notes);
// Returns these notes and those of the attempts of the sale whose request the sender may yet send.
std::optional<std::string> with_notes(const std::optional<std::string>& before, const Sender& sender, const Sale& sale);

// Makes words of the notes of that sender. It is called under the lock of the runs.
Job<void> turn_notes_into_words(Tx& tx, Sender sender);

}  // namespace gateway::postgres
