#include "api/sale_history.hpp"

#include "api/callback_body.hpp"
#include "api/json_values.hpp"
#include "api/openapi/shared.hpp"
#include "base/wall_time.hpp"
#include "sale/advice.hpp"
#include "sale/progress.hpp"
#include "sale/provider_words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

json::object mark_json(Attention mark, const std::optional<WallTime>& since) {
    const auto [known, not_known, to_do] = advice_where_told(mark);
    json::object object{{"mark", to_string(mark)}};
    if (since) object["since"] = to_rfc3339(*since);
    object["known"] = known;
    object["notKnown"] = not_known;
    object["toDo"] = to_do;
    return object;
}

json::object progress_json(const Attempt& attempt, const Progress& now) {
    return {{"text", now.text},
            {"idExterno", attempt.id_externo.text()},
            {"state", to_string(attempt.state)},
            {"step", now.step ? json::value(to_string(*now.step)) : json::value(nullptr)},
            {"underWay", now.under_way},
            {"waitsForJournal", now.waits_for_journal},
            {"try", now.number},
            {"nextAt", time_or_null(now.next_at)},
            {"attentionAt", time_or_null(now.attention_at)}};
}

json::object event_json(const PastEvent& event) {
    json::object object{{"at", to_rfc3339(event.at)}};
    const auto put = [&](std::string_view name, std::string_view text) {
        if (!text.empty()) object[name] = text;
    };
    put("idExterno", event.id_externo);
    put("event", event.event);
    put("known", event.verdict);
    put("state", event.state);
    put("detail", event.detail);
    put("by", event.by);
    put("mark", event.mark);
    if (event.http_status != 0) object["httpStatus"] = event.http_status;
    if (event.duration) object["durationMs"] = event.duration->count();
    if (event.tries > 0) object["tries"] = event.tries;
    return object;
}

// Says of one that could not be used why, as far as its body is still known.
json::object callback_json(const KeptCallback& callback) {
    json::object object{{"at", time_or_null(callback.at)}, {"kind", callback.kind}, {"valid", callback.valid}};
    if (!callback.body) return object;
    object["body"] = callback.body->reveal();
    const auto read = read_callback(callback.body->reveal());
    if (!callback.valid && !read) object["why"] = "its body " + read.error();
    return object;
}

}  // namespace

std::optional<LastError> newest_error(const std::optional<LastError>& told, const std::optional<LastError>& known) {
    if (!told || !known) return told ? told : known;
    return known->at >= told->at ? known : told;
}

json::object error_json(const LastError& error) {
    json::object object{{"at", to_rfc3339(error.at)}, {"step", error.step}, {"text", error.text}};
    if (error.may_be_older) object["mayBeOlder"] = true;
    return object;
}

json::object sale_history(const Rules& rules, const LiveSale& live, Driving driving, const Context& now,
                          const History& history, const std::vector<KeptCallback>& callbacks) {
    const auto& sale = live.sale();
    const auto facts = history_facts(history, sale.attention, sale.attempts);
    json::array open;
    int tries = 0;
    int left_out = 0;
    bool all_tries = true;
    for (const auto index : open_attempts(sale.attempts)) {
        const auto& attempt = sale.attempts.at(index);
        const auto in_state = state_facts(history, attempt);
        const auto so_far = tries_by_now(in_state, attempt);
        if (open.empty()) {
            tries = so_far;
            left_out = so_far - in_state.tries;
            all_tries = knows_all_tries(history, in_state, attempt);
        }
        const auto being_done = progress(rules, sale, index,
                                         {.under_way = live.under_way(index),
                                          .tries = so_far,
                                          .since = in_state.since,
                                          .marked_since = facts.marked_since,
                                          .waits_for_journal = driving.waits_for_journal},
                                         now);
        open.push_back(progress_json(attempt, being_done));
    }
    json::object answer{{"id", sale.id.text()},
                        {"idExterno", sale.current().id_externo.text()},
                        {"status", to_string(sale.status)},
                        {"settled", sale.settled},
                        {"attention", to_string(sale.attention)}};
    const bool marked = sale.attention != Attention::none;
    answer["advice"] = marked ? in_words(advice_where_told(sale.attention)) : std::string();
    if (marked) answer["marked"] = mark_json(sale.attention, facts.marked_since);
    answer["tries"] = tries;
    if (!all_tries) answer["moreTries"] = true;
    if (const auto said = refusal_sentence(sale); !said.empty()) answer["providerSaid"] = said;
    if (const auto error = newest_error(facts.last_error, live.last_error())) answer["lastError"] = error_json(*error);
    if (driving.is_driven && !open.empty()) {
        answer["now"] = open.front();
        answer["open"] = std::move(open);
    }
    auto& events = answer["events"].emplace_array();
    for (const auto& event : history.events)
        events.push_back(event_json(event));
    // Nothing is left out but what was of no use.
    if (facts.last_error && facts.last_error->may_be_older) answer["leavesOut"] = true;
    if (left_out > 0) answer["leftOutAtEnd"] = left_out;
    json::array told;
    for (const auto& callback : callbacks)
        told.push_back(callback_json(callback));
    if (!told.empty()) answer["callbacks"] = std::move(told);
    return answer;
}

namespace openapi {
namespace {

constexpr Word event_event_words[] = {
    {"begun", "an attempt was recorded, before anything was sent."},
    {"solicitar", "the provider was asked for the sale."},
    {"confirmar", "it was asked to confirm."},
    {"cancelar", "it was asked to cancel."},
    {"consultar", "it was asked how the attempt stands."},
    {"adopted",
     "the gateway was started again, or took the sale over from another one, or lost track of what was under way: an "
     "answer that was awaited is not taken any more."},
    {"elapsed", "a time was over: a hold, a window, or the time until a person is asked."},
    {"confirm_asked", "the terminal confirmed."},
    {"cancel_asked", "the terminal cancelled."},
    {"callback", "the provider called back (eSIM)."},
    {"resolved", "a person decided, or cleared the mark."},
    {"statement", "the provider's statement of the day spoke of it."},
    {"sent_late",
     "its request may have left only now, from a gateway that stood still after another one had taken the sale over."},
    {"receipt", "the receipt was printed."},
    {"receipt_shown", "a person looked at the receipt in the console."},
    {"restored", "the journal was restored from a copy: what happened since the line above is lost."},
    {"unreadable", "a value of the sale could not be read."},
};

constexpr Word event_known_words[] = {
    {"authorised", "the provider authorised the sale."},
    {"refused", "an explicit no."},
    {"unsent", "nothing left the gateway."},
    {"unauthorised", "401: not processed; the token was no good."},
    {"throttled", "429: not processed."},
    {"sold", "EFETIVADA."},
    {"cancelled", "CANCELADA."},
    {"no_such_sale", "the provider knows no such sale now, or nothing that could be cancelled."},
    {"declined", "a no that is about this call and says nothing of the sale."},
    {"unknown", "no answer, or one that made no sense: how the sale stands is not known from it."},
    {"PENDENTE", "a callback said so."},
    {"AUTORIZADA", "a callback or a statement said so."},
    {"EFETIVADA", "a callback, a person or a statement said so."},
    {"CANCELADA", "a callback, a person or a statement said so."},
    {"NEGADA", "a callback or a statement said so."},
};

constexpr Field event_fields[] = {
    {"at", a("Time")},
    maybe({"idExterno", a("IdExterno"), "The attempt's; absent where the record of the attempts cannot be read.",
           "01JD3W4Q90C4D8E1F5G7H9J2KM"}),
    {"event", one_of(event_event_words), "What happened.", "solicitar"},
    maybe({"known", one_of(event_known_words),
           "What the answer was taken to mean, or what a callback, a person or a statement said.", "authorised"}),
    maybe({"httpStatus", http_status, "The provider's.", "200"}),
    maybe({"durationMs", count, "How long the provider took.", "41"}),
    maybe({"state", a("AttemptState"),
           "Where the attempt stood then; absent from a line that the journal wrote by itself.", "confirming"}),
    maybe({"detail", text, "For a person; of `resolved` the note."}),
    maybe({"by", short_text, "Of `resolved`: who decided, where that was said."}),
    maybe({"mark", Type{R"("oneOf":[{"$ref":"#/components/schemas/Mark"},{"const":"none"}])"},
           "The mark that this made of the sale, or `none` where it took one away; absent where it did neither."}),
    maybe({"tries", count_from_one,
           "How often the exchange had had no usable answer by then, since the gateway was started. A history that has "
           "grown long leaves most repeats out; this tells how many there were."}),
};

constexpr Field last_error_fields[] = {
    {"at", a("Time"), "", "2024-05-02T13:11:41.590Z"},
    {"step", a("Step"), "", "cancelar"},
    {"text", some_text, "What came instead.", "no answer in time"},
    maybe({"mayBeOlder", always_true,
           "There where later ones may be missing: a long history leaves repeats out, and the gateway was started "
           "again since, or another one carries the sale. The log has them."}),
};

constexpr Word step_words[] = {
    {"solicitar"},
    {"confirmar"},
    {"cancelar"},
    {"consultar"},
};

constexpr Field progress_fields[] = {
    {"text", some_text, "One sentence for a person, its times by the clock of the gateway's machine.",
     "The gateway asks the provider to cancel idExterno 01JD3W4Q90C4D8E1F5G7H9J2KM: try 2 at 10:11:42; a person is "
     "asked at 10:21:27."},
    {"idExterno", a("IdExterno")},
    {"state", a("AttemptState"), "", "cancelling"},
    {"step", or_null(a("Step")), "The exchange that is under way or comes next; null where none is.", "cancelar"},
    {"underWay", boolean, "Whether it has begun and has no answer yet.", "false"},
    {"waitsForJournal", boolean,
     "Whether a step of the sale is not recorded because the journal cannot be written. Nothing comes next until it "
     "can: `step`, `nextAt` and `attentionAt` are null, and `try` is 0.",
     "false"},
    {"try", count, "Which try of that exchange it is; 0 where there is no exchange.", "2"},
    {"nextAt", or_null(a("Time")),
     "When the next exchange begins, or the state's time is over (a hold, a window); null while an exchange is under "
     "way, and where nothing comes by itself.",
     "2024-05-02T13:11:42.112Z"},
    {"attentionAt", or_null(a("Time")), "When a person is asked; null where nobody will be, or somebody has been.",
     "2024-05-02T13:21:27.020Z"},
};

constexpr Field history_marked_fields[] = {
    {"mark", a("Mark")},  maybe({"since", a("Time"), "Absent where the history does not tell."}),
    {"known", some_text}, {"notKnown", some_text},
    {"toDo", some_text},
};

constexpr Field history_callbacks_fields[] = {
    {"at", a("Time")},
    {"kind", Type{R"("enum":["sale","recharge"])"}, "Which address it came to."},
    {"valid", boolean, "Whether it could be understood."},
    maybe({"body", text, "As it came; left out once it was erased."}),
    maybe({"why", text, "Why it could not be used, where that is known."}),
};

constexpr Field history_passage_fields[] = {
    {"first", count,
     "The number of the round's first event in `events`, from 0 on; of what is left out, of the event before it."},
    {"length", Type{R"("type":"integer","minimum":0,"maximum":4)"}, "How many events a round has."},
    maybe({"times", count_from_one, "How often the round came."}),
    maybe({"leftOut", count_from_one, "How many tries are left out."}),
    maybe({"until", a("Time"), "When the passage ended; not there where it goes on."}),
};

constexpr Field history_fields[] = {
    {"id", a("SaleId")},
    {"idExterno", a("IdExterno"), "The latest attempt's."},
    {"status", a("Status"), "", "EFETIVADA"},
    {"settled", boolean, "The provider is known to agree.", "true"},
    {"attention", Type{R"("oneOf":[{"const":"none"},{"$ref":"#/components/schemas/Mark"}])"},
     "What needs a person: `none`, or the mark.", R"("none")"},
    {"advice", text, "What is known, what is not, and what the person can do; empty where it needs nobody.", R"("")"},
    maybe({"marked", object(history_marked_fields),
           "Of a sale that needs a person: since when, and `advice` in its parts."}),
    {"tries", count,
     "How often the exchange of the open attempt's state had no usable answer, restarts or not; 0 where none is open.",
     "0"},
    maybe({"moreTries", always_true,
           "There where there may have been more: a long history leaves repeats out, and it is not known what it left "
           "out before the gateway was started again."}),
    maybe(
        {"providerSaid", some_text,
         R"(Why the provider refused the sale, in its own words, at most 200 characters, with "…" for what may be personal or goods. Absent of a sale that was not refused,)"
         R"( and where the refusal had no words.)"}),
    maybe({"lastError", a("LastError")}),
    maybe({"now", a("Progress"),
           "What is being done for the sale: for the open attempt that matters first. Absent of a sale that is "
           "settled, and of one that this gateway does not carry."}),
    maybe({"open", list_of(a("Progress"), R"("minItems":1)"),
           "The same of every attempt that is open, `now` first; there where `now` is."}),
    {"events", list_of(a("Event")), "Oldest first. A line that is damaged is left out."},
    maybe({"leftOutAtEnd", count_from_one,
           "There where `events` leaves out tries of the open attempt that came after its last line: so many, as far "
           "as the gateway knows."}),
    maybe(
        {"passages", list_of(object(history_passage_fields)),
         "There at the console alone: `events` folded. Equal rounds of events that follow each other are one passage, "
         "and so are tries that `events` leaves out, which has the length 0."}),
    maybe({"leavesOut", always_true,
           "There where `events` has grown long, so that what was only repeated is left out of it, but for every try "
           "that is a power of two. The log has all."}),
    maybe({"callbacks", list_of(object(history_callbacks_fields), R"("minItems":1)"),
           "What came to the callback addresses of an eSIM sale, the unusable ones too, oldest first."}),
};

constexpr Schema all_history_schemas[] = {
    {.name = "Event", .description = "A line of a sale's story.", .type = object(event_fields)},
    {.name = "LastError",
     .description = "The last exchange with the provider that had no usable answer.",
     .type = object(last_error_fields)},
    {.name = "Step",
     .description =
         "One of the provider's three operations, or `consultar`, where it can be asked how an attempt stands.",
     .type = one_of(step_words)},
    {.name = "Progress", .description = "What is being done for an attempt.", .type = object(progress_fields)},
    {.name = "Story", .type = object(history_fields)},
};

}  // namespace

std::span<const Schema> history_schemas() {
    return all_history_schemas;
}

Description get_history() {
    return {.id = "getStory",
            .summary = "Everything that happened to a sale, and what is being done for it",
            .tag = "Sales",
            .text =
                "Step by step, oldest first, with what a person should do about it where one has to look, and what the "
                "gateway is doing: which try it is, when the next one comes, when a person is asked.",
            .parameters = {sale_id_of_operator},
            .answers = {
                gives(200, "Its story.", a("Story"),
                      {{"sold"},
                       {"beingCancelled",
                        R"({"status":"CANCELADA","settled":false,"tries":1,"lastError":{"at":"2024-05-02T13:11:41.590Z",
        "step":"cancelar","text":"no answer in time"},"now":{"text":"The gateway asks the provider to cancel idExterno 01JD3W4Q90C4D8E1F5G7H9J2KM: try 2 at 10:11:42; a person is asked at 10:21:27.",
        "idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KM","state":"cancelling","step":"cancelar",
        "underWay":false,"waitsForJournal":false,"try":2,"nextAt":"2024-05-02T13:11:42.112Z",
        "attentionAt":"2024-05-02T13:21:27.020Z"},"open":[{"text":"The gateway asks the provider to cancel idExterno 01JD3W4Q90C4D8E1F5G7H9J2KM: try 2 at 10:11:42; a person is asked at 10:21:27.",
        "idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KM","state":"cancelling","step":"cancelar",
        "underWay":false,"waitsForJournal":false,"try":2,"nextAt":"2024-05-02T13:11:42.112Z",
        "attentionAt":"2024-05-02T13:21:27.020Z"}],"events":[{"at":"2024-05-02T13:11:11.480Z",
        "idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KM","event":"begun","state":"requesting"},{"at":"2024-05-02T13:11:26.490Z",
        "idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KM","event":"solicitar","known":"unknown",
        "durationMs":15010,"state":"cancelling","detail":"no answer in time"},{"at":"2024-05-02T13:11:41.590Z",
        "idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KM","event":"cancelar","known":"unknown",
        "durationMs":15002,"state":"cancelling","detail":"no answer in time","tries":1}]})"}}),
                sale_not_found_for_operators(), sale_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
