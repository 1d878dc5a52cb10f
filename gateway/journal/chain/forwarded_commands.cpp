#include "journal/chain/forwarded_commands.hpp"

#include "base/check.hpp"
#include "base/json_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/erasure.hpp"
#include "journal/rows.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::postgres {
namespace {

namespace json = boost::json;

json::object with(json::object members, const std::optional<EsimDetails>& esim) {
    if (const auto text = rows::esim_text(esim)) members["esim"] = *text;
    return members;
}

// Makes the members of an event.
struct Members {
    json::object operator()(const ConfirmAsked&) const { return {{"event", "confirm"}}; }
    json::object operator()(const CancelAsked&) const { return {{"event", "cancel"}}; }
    json::object operator()(const SentLate&) const { return {{"event", "sent_late"}}; }
    json::object operator()(const CalledBack& event) const {
        return with({{"event", "callback"}, {"status", to_string(event.status)}}, event.details);
    }
    json::object operator()(const Resolved& event) const {
        json::object members{{"event", "resolved"}};
        if (event.status) members["status"] = to_string(*event.status);
        members["note"] = event.note;
        members["by"] = event.by;
        return with(std::move(members), event.esim);
    }
    json::object operator()(const Stated& event) const {
        return {{"event", "stated"}, {"status", to_string(event.status)}, {"source", event.source}};
    }
    // No other gateway has to know the other events; see the header.
    json::object operator()(const auto&) const {
        CHECK(!"an event that is forwarded to no other gateway");
        return {};
    }
};

// Tells whether a gateway that stood still may yet send the request of the attempt: nothing shows that it was sent.
bool may_be_sent(const Attempt& attempt) {
    return attempt.state == AttemptState::requesting ||
           (attempt.state == AttemptState::cancelling && attempt.id_transacao.empty());
}

std::optional<Event> event_in(rows::Members& read, rows::FieldReader& fields) {
    const auto event = read.text("event");
    const auto status = parse_status(read.text("status"));
    if (event == "confirm") return ConfirmAsked{};
    if (event == "cancel") return CancelAsked{};
    if (event == "sent_late") return SentLate{};
    auto esim = rows::read_esim(read.text("esim"), fields);
    if (event == "resolved")
        return Resolved{.status = status, .note = read.text("note"), .by = read.text("by"), .esim = std::move(esim)};
    if (!status) return std::nullopt;
    if (event == "callback") return CalledBack{.status = *status, .details = esim.value_or(EsimDetails())};
    if (event == "stated") return Stated{.status = *status, .source = read.text("source")};
    return std::nullopt;
}

}  // namespace

std::string event_text(const Event& event) {
    std::string text;
    append_json(text, std::visit(Members(), event));
    return text;
}

std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields) {
    const auto before = fields.unreadable().size();
    rows::Members read(text);
    auto event = event_in(read, fields);
    if (!event && fields.unreadable().size() == before) fields.add_unreadable("forwarded_commands.event/");
    return event;
}

namespace forwarded_commands {

Job<std::int64_t> forward(Tx& tx, ForwardedCommand command) {
    const auto sale = command.sale.text();
    const auto held = co_await tx.ask(sql::hold_sale, sale);
    if (held.empty()) throw JobFailed(errc::not_found);
    const auto attempt = command.attempt ? std::optional(command.attempt->text()) : std::nullopt;
    const auto text = event_text(command.event);
    const EncryptedValue event(tx.cipher, {encrypted::forwarded_command, sale}, text);
    const auto left = co_await tx.ask(sql::insert_forwarded_command, sale, attempt, event, command.request_id,
                                      rows::milliseconds(tx.at.wall));
    erasure::written(tx, sale);
    tx.run(sql::tell_of_command, sale);
    co_return left.front().integer(0);
}

Job<std::vector<ForwardedCommand>> waiting_for(Tx& tx, std::string run) {
    const auto found = co_await tx.ask(sql::commands_for_run, run);
    std::vector<ForwardedCommand> commands;
    rows::FieldReader fields(tx.cipher);
    for (const auto& row : found) {
        const auto sale = SaleId::parse(row.text(1));
        auto event = read_event(fields.text(row, 3, encrypted::forwarded_command, row.text(1)), fields);
        if (!sale || !event) continue;
        ForwardedCommand command{.number = row.integer(0), .sale = *sale, .event = std::move(*event)};
        if (!row.is_null(2)) command.attempt = IdExterno::parse(row.text(2));
        command.request_id = row.text(4);
        commands.push_back(std::move(command));
    }
    tx.unreadable.add_values(fields.unreadable());
    co_return commands;
}

Job<bool> is_waiting(Tx& tx, std::int64_t number) {
    const auto found = co_await tx.ask(sql::command_waits, number);
    co_return !found.empty();
}

}  // namespace forwarded_commands

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
    boost::system::error_code ec;
    const auto read = json::parse(text, ec);
    std::vector<NoteOfSentLate> notes;
    if (!read.is_array()) return notes;
    for (const auto& one : read.get_array()) {
        if (!one.is_object()) continue;
        rows::Members note(one.get_object());
        notes.push_back({.sender = {.gateway = note.text("gateway"), .file = note.text("file")},
                         .id_externo = note.text("idExterno")});
    }
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

Job<void> turn_notes_into_commands(Tx& tx, Sender sender) {
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
            const ForwardedCommand command{.sale = *sale, .attempt = *attempt, .event = SentLate{}};
            (void)co_await forwarded_commands::forward(tx, command);
        }
        tx.run(sql::set_taken_from, row.integer(0), written(notes));
    }
}

}  // namespace gateway::postgres
