// Words wait, one row each, for the gateway that owns their sale; the record that a word leads to takes it away. A
// gateway that a sale was taken from may yet send a request, if it was paused between its look at the lease and the
// first byte. Until its process is known to be gone, the column sales.taken_from notes the attempts, as JSON:
// [{gateway, file, idExterno}]; then words say it of them.
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

// Writes what a word says as the JSON of its column. Only what is asked or told from outside is left for another
// gateway: an answer, or a time that has come, is the business of the gateway that owns the sale.
std::string event_text(const Event& event);
// Returns nothing where the text makes no sense, and counts that.
std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields);

namespace words {

// Leaves the word and returns its number. Fails with errc::not_found where there is no such sale.
Job<std::int64_t> leave(Tx& tx, LeftWord word);
// Returns the words of sales that the run owns or no living run owns, oldest first. They are told to nobody: what
// comes of a word is recorded, and the record proves that the word was there.
Job<std::vector<LeftWord>> waiting_for(Tx& tx, std::string run);
Job<bool> is_waiting(Tx& tx, std::int64_t number);

}  // namespace words

// Names a gateway and the tally file that its process keeps locked; no file: an earlier version noted none.
struct Sender {
    std::string gateway;
    std::string file;
};

struct NoteOfSentLate {
    Sender sender;
    std::string id_externo;

    // Tells whether the note is of that tally file, or of that gateway where the note or what is asked for has no file.
    bool is_of(const Sender& asked) const;
};

// Finds the gateway of the run `owner`, where requests of it may yet be sent: it is another run than `run`, and no
// later run of its file has begun.
Job<std::optional<Sender>> sender_of(Tx& tx, std::string_view owner, std::string_view run);

// Reads the notes of their column; what makes no sense there is none.
std::vector<NoteOfSentLate> read_notes(std::string_view text);
std::optional<std::string> written(const std::vector<NoteOfSentLate>& notes);
// Returns the notes `before`, and one for each attempt of the sale whose request the sender may yet send.
std::optional<std::string> with_notes(const std::optional<std::string>& before, const Sender& sender, const Sale& sale);

// Makes words of the notes of that sender. It is called under the lock of the runs.
Job<void> turn_notes_into_words(Tx& tx, Sender sender);

}  // namespace gateway::postgres
