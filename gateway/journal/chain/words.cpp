#include "journal/chain/words.hpp"

#include "base/check.hpp"
#include "base/json_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/erasure.hpp"
#include "journal/rows.hpp"

#include <boost/json/parse.hpp>

namespace gateway::postgres {
namespace {

// The members of an event, as they are written one after the other.
class EventWriter {
  public:
    explicit EventWriter(std::string_view event) {
        json_.begin_object();
        put("event", event);
    }
    EventWriter& put(std::string_view name, std::string_view text) {
        json_.key(name).string(text);
        return *this;
    }
    EventWriter& put(const std::optional<Status>& status) { return status ? put("status", to_string(*status)) : *this; }
    EventWriter& put(const std::optional<EsimDetails>& esim) {
        const auto text = rows::esim_text(esim);
        return text ? put("esim", *text) : *this;
    }
    std::string finish() {
        json_.end_object();
        return std::move(text_);
    }

  private:
    std::string text_;
    JsonWriter json_{text_};
};

struct WriteEvent {
    std::string operator()(const ConfirmAsked&) const { return EventWriter("confirm").finish(); }
    std::string operator()(const CancelAsked&) const { return EventWriter("cancel").finish(); }
    std::string operator()(const SentLate&) const { return EventWriter("sent_late").finish(); }
    std::string operator()(const CalledBack& event) const {
        return EventWriter("callback").put(event.status).put(std::optional(event.details)).finish();
    }
    std::string operator()(const Resolved& event) const {
        EventWriter writer("resolved");
        writer.put(event.status).put("note", event.note).put("by", event.by).put(event.esim);
        return writer.finish();
    }
    std::string operator()(const Stated& event) const {
        return EventWriter("stated").put(event.status).put("source", event.source).finish();
    }
    // Nobody else's business; see the header.
    std::string operator()(const Answered&) const { return unknown(); }
    std::string operator()(const Lost&) const { return unknown(); }
    std::string operator()(const Elapsed&) const { return unknown(); }

    static std::string unknown() {
        CHECK(!"an event that is left for no other gateway");
        return {};
    }
};

// As they are read back; what is not there is empty.
class EventReader {
  public:
    explicit EventReader(std::string_view text) {
        boost::system::error_code ec;
        value_ = boost::json::parse(text, ec);
    }
    std::string text(std::string_view name) const {
        const auto* object = value_.if_object();
        const auto* value = object != nullptr ? object->if_contains(name) : nullptr;
        const auto* text = value != nullptr ? value->if_string() : nullptr;
        return text != nullptr ? std::string(*text) : std::string();
    }
    std::optional<Status> status() const { return parse_status(text("status")); }

  private:
    boost::json::value value_;
};

std::optional<Event> event_in(const EventReader& read, rows::FieldReader& fields) {
    const auto event = read.text("event");
    const auto status = read.status();
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
    return std::visit(WriteEvent(), event);
}

std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields) {
    const auto before = fields.unreadable().size();
    auto event = event_in(EventReader(text), fields);
    if (!event && fields.unreadable().size() == before) fields.add_unreadable("words.event/");
    return event;
}

namespace words {

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

}  // namespace words
}  // namespace gateway::postgres
