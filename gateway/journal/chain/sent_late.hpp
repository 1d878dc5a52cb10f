// What a gateway that a sale was taken from may yet send: it was paused between its look at the lease and the first
// byte of a request. The column sales.taken_from notes the attempts, as JSON: [{gateway, file, idExterno}].
#pragma once

#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

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
