// Forwarded commands wait, one row each, for the gateway that owns their sale; the record that a command leads to takes
// it away. A gateway that a sale was taken from may yet send a request, if it was paused between its look at the lease
// and the first byte. Until its process is known to be gone, the column sales.taken_from notes the attempts, as JSON:
// [{gateway, file, idExterno}]; then commands say it of them.
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

// Writes what a command says as the JSON of its column. Only what is asked or told from outside is forwarded to
// another gateway: an answer, or a time that has come, is the business of the gateway that owns the sale.
std::string event_text(const Event& event);
// Returns nothing where the text makes no sense, and counts that.
std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields);

namespace forwarded_commands {

// Forwards the command and returns its number. Fails with errc::not_found where there is no such sale.
Job<std::int64_t> forward(Tx& tx, ForwardedCommand command);
// Returns the commands about sales that the run owns or no living run owns, oldest first. They are told to nobody: what
// comes of a command is recorded, and the record proves that the command was there.
Job<std::vector<ForwardedCommand>> waiting_for(Tx& tx, std::string run);
Job<bool> is_waiting(Tx& tx, std::int64_t number);

}  // namespace forwarded_commands

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

// Makes forwarded commands of the notes of that sender. It is called under the lock of the runs.
Job<void> turn_notes_into_commands(Tx& tx, Sender sender);

}  // namespace gateway::postgres
