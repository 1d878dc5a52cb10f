#include "api/sale_history.hpp"

#include "api/callback_body.hpp"
#include "api/openapi/shared.hpp"
#include "api/text/history.hpp"
#include "sale/advice.hpp"
#include "sale/progress.hpp"
#include "sale/provider_words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway {

namespace openapi {
namespace {

namespace json = boost::json;

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

constexpr Written<PastEvent> event_members[] = {
    {{"at", a("Time")}, its<&PastEvent::at>},
    {maybe({"idExterno", a("IdExterno"), "The attempt's; absent where the record of the attempts cannot be read.",
            "01JD3W4Q90C4D8E1F5G7H9J2KM"}),
     its<&PastEvent::id_externo>},
    {{"event", one_of(event_event_words), "What happened.", "solicitar"}, its<&PastEvent::event>},
    {maybe({"known", one_of(event_known_words),
            "What the answer was taken to mean, or what a callback, a person or a statement said.", "authorised"}),
     its<&PastEvent::verdict>},
    {maybe({"state", a("AttemptState"),
            "Where the attempt stood then; absent from a line that the journal wrote by itself.", "confirming"}),
     its<&PastEvent::state>},
    {maybe({"detail", text, "For a person; of `resolved` the note."}), its<&PastEvent::detail>},
    {maybe({"by", short_text, "Of `resolved`: who decided, where that was said."}), its<&PastEvent::by>},
    {maybe({"mark", Type{R"("oneOf":[{"$ref":"#/components/schemas/Mark"},{"const":"none"}])"},
            "The mark that this made of the sale, or `none` where it took one away; absent where it did neither."}),
     its<&PastEvent::mark>},
    {maybe({"httpStatus", http_status, "The provider's.", "200"}), its<&PastEvent::http_status>},
    {maybe({"durationMs", count, "How long the provider took.", "41"}),
     [](const PastEvent& event) { return event.duration ? std::optional(event.duration->count()) : std::nullopt; }},
    {maybe({"tries", count_from_one,
            "How often the exchange had had no usable answer by then, since the gateway was started. A history that "
            "has grown long leaves most repeats out; this tells how many there were."}),
     its<&PastEvent::tries>},
};

constexpr Written<LastError> last_error_members[] = {
    {{"at", a("Time"), "", "2024-05-02T13:11:41.590Z"}, its<&LastError::at>},
    {{"step", a("Step"), "", "cancelar"}, its<&LastError::step>},
    {{"text", some_text, "What came instead.", "no answer in time"}, its<&LastError::text>},
    {maybe({"mayBeOlder", always_true,
            "There where later ones may be missing: a long history leaves repeats out, and the gateway was started "
            "again since, or another one carries the sale. The log has them."}),
     its<&LastError::may_be_older>},
};

constexpr Word step_words[] = {
    {"solicitar"},
    {"confirmar"},
    {"cancelar"},
    {"consultar"},
};

struct OpenAttempt {
    const Attempt& attempt;
    Progress now;
};

template <auto Member>
constexpr auto of_progress = [](const OpenAttempt& open) -> const auto& {
    return open.now.*Member;
};

constexpr Written<OpenAttempt> progress_members[] = {
    {{"text", some_text, "One sentence for a person, its times by the clock of the gateway's machine.",
      "The gateway asks the provider to cancel idExterno 01JD3W4Q90C4D8E1F5G7H9J2KM: try 2 at 10:11:42; a person is "
      "asked at 10:21:27."},
     of_progress<&Progress::text>},
    {{"idExterno", a("IdExterno")}, [](const OpenAttempt& open) { return open.attempt.id_externo; }},
    {{"state", a("AttemptState"), "", "cancelling"}, [](const OpenAttempt& open) { return open.attempt.state; }},
    {{"step", or_null(a("Step")), "The exchange that is under way or comes next; null where none is.", "cancelar"},
     of_progress<&Progress::step>},
    {{"underWay", boolean, "Whether it has begun and has no answer yet.", "false"}, of_progress<&Progress::under_way>},
    {{"waitsForJournal", boolean,
      "Whether a step of the sale is not recorded because the journal cannot be written. Nothing comes next until it "
      "can: `step`, `nextAt` and `attentionAt` are null, and `try` is 0.",
      "false"},
     of_progress<&Progress::waits_for_journal>},
    {{"try", count, "Which try of that exchange it is; 0 where there is no exchange.", "2"},
     of_progress<&Progress::number>},
    {{"nextAt", or_null(a("Time")),
      "When the next exchange begins, or the state's time is over (a hold, a window); null while an exchange is under "
      "way, and where nothing comes by itself.",
      "2024-05-02T13:11:42.112Z"},
     of_progress<&Progress::next_at>},
    {{"attentionAt", or_null(a("Time")), "When a person is asked; null where nobody will be, or somebody has been.",
      "2024-05-02T13:21:27.020Z"},
     of_progress<&Progress::attention_at>},
};

struct ToldMark {
    Attention mark;
    std::optional<WallTime> since;
    Advice advice;
};
constexpr Written<ToldMark> history_marked_members[] = {
    {{"mark", a("Mark")}, its<&ToldMark::mark>},
    {maybe({"since", a("Time"), "Absent where the history does not tell."}), its<&ToldMark::since>},
    {{"known", some_text}, [](const ToldMark& marked) { return marked.advice.known; }},
    {{"notKnown", some_text}, [](const ToldMark& marked) { return marked.advice.not_known; }},
    {{"toDo", some_text}, [](const ToldMark& marked) { return marked.advice.to_do; }},
};

constexpr Written<KeptCallback> history_callback_members[] = {
    {{"at", or_null(a("Time")), "Null where its row is damaged."}, its<&KeptCallback::at>},
    {{"kind", Type{R"("enum":["sale","recharge"])"}, "Which address it came to."}, its<&KeptCallback::kind>},
    {{"valid", boolean, "Whether it could be understood."}, its<&KeptCallback::valid>},
    {maybe({"body", text, "As it came; left out once it was erased."}),
     [](const KeptCallback& callback) {
         return callback.body ? std::optional(callback.body->reveal()) : std::nullopt;
     }},
    {maybe({"why", text, "Why it could not be used, where that is known."}),
     [](const KeptCallback& callback) {
         if (callback.valid || !callback.body) return std::string();
         const auto read = read_callback(callback.body->reveal());
         return read ? std::string() : "its body " + read.error();
     }},
};

constexpr Field history_passage_fields[] = {
    {"first", count,
     "The number of the round's first event in `events`, from 0 on; of what is left out, of the event before it."},
    {"length", Type{R"("type":"integer","minimum":0,"maximum":4)"}, "How many events a round has."},
    maybe({"times", count_from_one, "How often the round came."}),
    maybe({"leftOut", count_from_one, "How many tries are left out."}),
    maybe({"until", a("Time"), "When the passage ended; not there where it goes on."}),
};

struct ToldHistory {
    const Sale& sale;
    const History& history;
    const std::vector<KeptCallback>& callbacks;
    std::optional<ToldMark> marked{};
    int tries = 0;
    bool more_tries = false;
    std::optional<LastError> last_error{};
    std::vector<OpenAttempt> open{};  // the attempts that this gateway works on
    bool leaves_out = false;
    int left_out_at_end = 0;
    std::optional<json::array> passages{};
};

constexpr Written<ToldHistory> history_members[] = {
    {{"id", a("SaleId")}, [](const ToldHistory& told) { return told.sale.id; }},
    {{"idExterno", a("IdExterno"), "The latest attempt's."},
     [](const ToldHistory& told) { return told.sale.current().id_externo; }},
    {{"status", a("Status"), "", "EFETIVADA"}, [](const ToldHistory& told) { return told.sale.status; }},
    {{"settled", boolean, "The provider is known to agree.", "true"},
     [](const ToldHistory& told) { return told.sale.settled; }},
    {{"attention", Type{R"("oneOf":[{"const":"none"},{"$ref":"#/components/schemas/Mark"}])"},
      "What needs a person: `none`, or the mark.", R"("none")"},
     [](const ToldHistory& told) { return told.sale.attention; }},
    {{"advice", text, "What is known, what is not, and what the person can do; empty where it needs nobody.", R"("")"},
     [](const ToldHistory& told) { return told.marked ? in_words(told.marked->advice) : std::string(); }},
    {maybe({"marked", object_of<history_marked_members>,
            "Of a sale that needs a person: since when, and `advice` in its parts."}),
     [](const ToldHistory& told) { return part(history_marked_members, told.marked); }},
    {{"tries", count,
      "How often the exchange of the open attempt's state had no usable answer, restarts or not; 0 where none is open.",
      "0"},
     its<&ToldHistory::tries>},
    {maybe({"moreTries", always_true,
            "There where there may have been more: a long history leaves repeats out, and it is not known what it left "
            "out before the gateway was started again."}),
     its<&ToldHistory::more_tries>},
    {maybe({"providerSaid", some_text,
            R"(Why the provider refused the sale, in its own words, at most 200 characters, with "…" for what may be )"
            R"(personal or goods. Absent of a sale that was not refused, and where the refusal had no words.)"}),
     [](const ToldHistory& told) { return refusal_sentence(told.sale); }},
    {maybe({"lastError", a("LastError")}), [](const ToldHistory& told) { return in_part(told.last_error); }},
    {maybe({"now", a("Progress"),
            "What is being done for the sale: for the open attempt that matters first. Absent of a sale that is "
            "settled, and of one that this gateway does not carry."}),
     [](const ToldHistory& told) { return part(progress_members, told.open.empty() ? nullptr : &told.open.front()); }},
    {maybe({"open", list_of(a("Progress"), R"("minItems":1)"),
            "The same of every attempt that is open, `now` first; there where `now` is."}),
     [](const ToldHistory& told) { return parts(progress_members, told.open); }},
    {{"events", list_of(a("Event")), "Oldest first. A line that is damaged is left out."},
     [](const ToldHistory& told) { return parts(event_members, told.history.events); }},
    {maybe({"leavesOut", always_true,
            "There where `events` has grown long, so that what was only repeated is left out of it, but for every try "
            "that is a power of two. The log has all."}),
     its<&ToldHistory::leaves_out>},
    {maybe({"leftOutAtEnd", count_from_one,
            "There where `events` leaves out tries of the open attempt that came after its last line: so many, as far "
            "as the gateway knows."}),
     its<&ToldHistory::left_out_at_end>},
    {maybe({"callbacks", list_of(object_of<history_callback_members>, R"("minItems":1)"),
            "What came to the callback addresses of an eSIM sale, the unusable ones too, oldest first."}),
     [](const ToldHistory& told) { return parts(history_callback_members, told.callbacks); }},
    {maybe({"passages", list_of(object(history_passage_fields)),
            "There at the console alone: `events` folded. Equal rounds of events that follow each other are one "
            "passage, and so are tries that `events` leaves out, which has the length 0."}),
     its<&ToldHistory::passages>},
};

constexpr Schema all_history_schemas[] = {
    {.name = "Event", .description = "A line of a sale's story.", .type = object_of<event_members>},
    {.name = "LastError",
     .description = "The last exchange with the provider that had no usable answer.",
     .type = object_of<last_error_members>},
    {.name = "Step",
     .description =
         "One of the provider's three operations, or `consultar`, where it can be asked how an attempt stands.",
     .type = one_of(step_words)},
    {.name = "Progress", .description = "What is being done for an attempt.", .type = object_of<progress_members>},
    {.name = "Story", .type = object_of<history_members>},
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

std::optional<LastError> newest_error(const std::optional<LastError>& told, const std::optional<LastError>& known) {
    if (!told || !known) return told ? told : known;
    return known->at >= told->at ? known : told;
}

openapi::Part<LastError> in_part(const std::optional<LastError>& error) {
    return openapi::part(openapi::last_error_members, error);
}

boost::json::object error_json(const LastError& error) {
    return openapi::object_from(openapi::last_error_members, error);
}

std::string sale_history(const Rules& rules, const LiveSale& live, Driving driving, const Context& now,
                         const History& history, const std::vector<KeptCallback>& callbacks, Passages passages) {
    const auto& sale = live.sale();
    const auto facts = history_facts(history, sale.attention, sale.attempts);
    openapi::ToldHistory told{.sale = sale, .history = history, .callbacks = callbacks};
    bool is_first = true;
    for (const auto index : open_attempts(sale.attempts)) {
        const auto& attempt = sale.attempts.at(index);
        const auto in_state = state_facts(history, attempt);
        const auto so_far = tries_by_now(in_state, attempt);
        if (std::exchange(is_first, false)) {
            told.tries = so_far;
            told.left_out_at_end = std::max(0, so_far - in_state.tries);
            told.more_tries = !knows_all_tries(history, in_state, attempt);
        }
        if (!driving.is_driven) continue;
        told.open.push_back({attempt, progress(rules, sale, index,
                                               {.under_way = live.under_way(index),
                                                .tries = so_far,
                                                .since = in_state.since,
                                                .marked_since = facts.marked_since,
                                                .waits_for_journal = driving.waits_for_journal},
                                               now)});
    }
    if (sale.attention != Attention::none)
        told.marked = {sale.attention, facts.marked_since, advice_where_told(sale.attention)};
    told.last_error = newest_error(facts.last_error, live.last_error());
    // Only tries in vain are left out. Where some are, the last error that is recorded may be older than the newest.
    told.leaves_out = facts.last_error && facts.last_error->may_be_older;
    if (passages == Passages::folded)
        told.passages = text::passages_of(openapi::object_from(openapi::history_members, told));
    return openapi::write(openapi::history_members, told);
}

}  // namespace gateway
