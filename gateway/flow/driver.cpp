#include "flow/driver.hpp"

#include "base/check.hpp"
#include "flow/sale_log.hpp"
#include "sale/provider_words.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <exception>

namespace gateway {
namespace {

using boost::system::error_code;

// At most this many exchanges of low priority (of final sales and of unattended ones) are under way at once: a provider
// that comes back after an hour must not be met by ten thousand calls in the same second. As many sales that a start
// has found are continued at once.
constexpr std::size_t background_width = 32;
// This is the pause between two checks whether exchanges may begin again, where this gateway is not sure what it owns.
constexpr Duration trust_pause{250};
// This is the pause between two tries to write to a journal that cannot be written.
constexpr Duration journal_pause{500};
// This is the pause before a sale is continued after a fault in this program.
constexpr Duration fault_pause{1000};

// These say for people why a sale is continued while the gateway runs.
constexpr std::string_view by_fault = "a fault in the gateway";
constexpr std::string_view by_doubt = "the journal did not say in time whether it has the sale's latest step";

// Makes the answer to a request that was no longer wanted when it could have been sent.
Answer withdrawn() {
    return {.verdict = Verdict::unsent,
            .reason = {.code = ReasonCode::never_sent,
                       .detail = "nothing was sent: not wanted any more when it could have been sent"}};
}

// Returns the detail for the journal. An operator's note may name people, so it is not for the log.
std::string_view detail_of(const Message& message) {
    if (const auto* resolved = std::get_if<Resolved>(&message.event)) return resolved->note;
    return message.detail;
}

HistoryEntry history_entry(const Message& message) {
    return {.event = event_name(message.event),
            .verdict = event_verdict(message.event),
            .http_status = message.http_status.value_or(0),
            .duration = message.duration,
            .detail = detail_of(message),
            .by = event_person(message.event),
            .forwarded_command = message.forwarded_command};
}

}  // namespace

Driver::Driver(boost::asio::any_io_executor executor, Rules rules, Journal& journal, Provider& provider, Clock& clock,
               Random& random, Log& log, Metrics& metrics, AttentionList& attention, std::string id_prefix)
    : executor_(std::move(executor)),
      rules_(rules),
      journal_(journal),
      provider_(provider),
      clock_(clock),
      random_(random),
      log_(log),
      metrics_(metrics),
      attention_(attention),
      id_prefix_(std::move(id_prefix)),
      background_(background_width, clock),
      adopting_(background_width, clock) {}

Context Driver::context() {
    return {.now = clock_.now(), .wall = clock_.wall(), .chance = static_cast<std::uint32_t>(random_.next())};
}

Attempt Driver::new_attempt(Duration pause) {
    const auto wall = clock_.wall();
    Attempt attempt{.id_externo = IdExterno::make(wall, random_, id_prefix_)};
    attempt.created_at = wall;
    attempt.next_try = clock_.now() + pause;
    return attempt;
}

void Driver::expect_no_answers(LiveSale& live, std::string_view why) {
    for (std::size_t i = 0; i < live.sale_.attempts.size(); ++i)
        if (!live.in_flight_[i]) live.enqueue({.attempt = i, .event = Lost{}, .detail = std::string(why)});
}

boost::asio::awaitable<void> Driver::run(std::shared_ptr<LiveSale> live) {
    while (true) {
        try {
            co_return co_await run_until_rest(live);
        } catch (const std::exception& fault) {  // a fault in one sale must not stop the others
            log_.error("sale.fault", "{terminal}: a fault in the gateway, taken for a crash: {detail}",
                       {{"sale", live->sale_.id}, {"terminal", live->sale_.terminal}, {"detail", fault.what()}});
        }
        co_await clock_.sleep_for(fault_pause);
        // The message that was being decided may be gone, and an answer with it. This is the same as after a crash.
        expect_no_answers(*live, by_fault);
    }
}

boost::asio::awaitable<void> Driver::run_until_rest(const std::shared_ptr<LiveSale>& live) {
    while (live->stage_ != LiveSale::Stage::elsewhere) {
        if (auto message = next_message(*live); !message.empty()) {
            const LiveSale::Deciding deciding(*live, message.front());
            co_await decide_and_record(*live, message.front());
            continue;
        }
        const auto plan = start_what_is_due(live);
        if (!plan.rest) {
            co_await live->wake_->wait_until(plan.wake);
            continue;
        }
        const bool is_done = co_await let_go(*live);
        if (is_done) co_return;
    }
}

// Returns whether the sale's loop may end. A settled sale stays in memory only while a message for it waits.
boost::asio::awaitable<bool> Driver::let_go(LiveSale& live) {
    const auto id = live.sale_.id;
    if (!live.sale_.settled || journal_.chain() == nullptr || !journal_.owns(id)) co_return true;
    const auto stands = co_await journal_.reread(id);  // the call frees the sale
    const bool is_free =
        stands.has_value() || stands.error() == errc::not_owned || stands.error() == errc::sale_unreadable;
    if (!is_free) co_await clock_.sleep_for(journal_pause);
    const bool is_done = is_free && live.queue_.empty();
    co_return is_done;
}

// Takes from the queue the oldest message that can be decided now, or none. It is a list, so that the message is moved
// and never copied. What an operator found out, or a statement says, is decided only when no exchange is under way that
// could make it untrue, and after everything that has happened meanwhile.
std::list<Message> Driver::next_message(LiveSale& live) {
    const auto names_an_attempt = [](const Message& message) {
        return std::holds_alternative<Stated>(message.event) || std::holds_alternative<SentLate>(message.event);
    };
    const auto is_found_out = [&](const Message& message) {
        return std::holds_alternative<Resolved>(message.event) || names_an_attempt(message);
    };
    const auto can_be_decided = [&](const Message& message) {
        if (names_an_attempt(message)) return !live.in_flight_.at(message.attempt);
        return std::ranges::none_of(live.in_flight_, [](const auto& step) { return step.has_value(); });
    };
    auto& messages = live.queue_;
    auto first = std::ranges::find_if_not(messages, is_found_out);
    if (first == messages.end()) first = std::ranges::find_if(messages, can_be_decided);
    std::list<Message> taken;
    if (first != messages.end()) taken.splice(taken.begin(), messages, first);
    return taken;
}

// Tells whether it is certain that this gateway owns the sale, in the state that is in memory.
bool Driver::is_certain(const LiveSale& live) const {
    return journal_.may_act() && journal_.owns(live.sale_.id);
}

Driver::Plan Driver::start_what_is_due(const std::shared_ptr<LiveSale>& live) {
    Plan plan;
    const auto now = clock_.now();
    for (std::size_t i = 0; i < live->sale_.attempts.size(); ++i) {
        if (live->in_flight_[i]) {
            plan.rest = false;
            continue;
        }
        const auto act = next_action(rules_, live->sale_, i, now);
        if (act.kind == Action::Kind::rest) continue;
        plan.rest = false;
        if (live->ending_is_asked_for()) continue;
        if (act.kind == Action::Kind::exchange && act.at <= now && !is_certain(*live)) {
            plan.wake = std::min(plan.wake, now + trust_pause);
        } else if (act.at > now) {
            plan.wake = std::min(plan.wake, act.at);
        } else if (act.kind == Action::Kind::exchange) {
            live->in_flight_[i] = act.step;
            boost::asio::co_spawn(executor_, exchange(live, i, act.step), boost::asio::detached);
        } else {
            live->enqueue({.attempt = i, .event = Elapsed{}});
        }
    }
    return plan;
}

// Returns when the decision is durable and in force, or when a caller was told that it is not. For a message without a
// caller whose record was in doubt, returns once the sale stands as the journal has it, and Lost has replaced the
// message. A journal that fails holds the sale where it is.
boost::asio::awaitable<void> Driver::decide_and_record(LiveSale& live, const Message& message) {
    // Only a limited number of the sales that a start has found record their first decision at a time, so that a new
    // sale does not wait behind thousands at the journal. The first message of each of them is Lost.
    std::optional<Semaphore::Permit> permit;
    if (live.stage_ == LiveSale::Stage::unattended && std::holds_alternative<Lost>(message.event))
        permit.emplace(co_await adopting_.acquire());
    for (bool again = false;; again = true) {
        // The sale may have been dropped during the wait; another loop runs it then.
        if (live.stage_ == LiveSale::Stage::elsewhere) {
            if (message.completion) message.completion->result = make_error_code(errc::not_owned);
            co_return live.changed();
        }
        const auto decided = co_await try_to_decide(live, message);
        if (decided.error() == errc::not_owned) {
            if (message.completion) message.completion->result = decided.error();
            co_return drop(live);
        }
        if (decided.has_error()) log_failure(live, message, decided.error(), again);
        if (decided.error() == errc::commit_unknown && live.stage_ != LiveSale::Stage::elsewhere) {
            co_await resolve_doubt(live);
            // The journal has the decision or does not have it, as after a crash. A command is decided again: if it was
            // recorded, the law ignores it. An answer may not be taken twice, so it counts as lost.
            if (message.completion) continue;
            expect_no_answers(live, by_doubt);
            co_return live.changed();
        }
        if (decided.has_error() && (!message.completion || live.stage_ == LiveSale::Stage::elsewhere)) {
            co_await clock_.sleep_for(journal_pause);
            continue;
        }
        if (message.completion) message.completion->result = decided.error();
        co_return live.changed();
    }
}

boost::asio::awaitable<Result<void>> Driver::try_to_decide(LiveSale& live, const Message& message) {
    auto change = decide(rules_, live.sale_, message.attempt, message.event, context());
    // We keep the effect when the record is in doubt, because deciding again would find that nothing has changed.
    if (message.completion && change.stated != StatedEffect::nothing) message.completion->stated = change.stated;
    std::optional<Attempt> fresh;
    if (change.again) fresh = new_attempt(change.pause);
    // An answer of the provider is recorded in the history even if it changes nothing.
    if (!change.changes_nothing || std::holds_alternative<Answered>(message.event)) {
        const auto entry = history_entry(message);
        const auto started = clock_.now();
        const auto recorded = co_await journal_.record(live.sale_, change, fresh ? &*fresh : nullptr, entry);
        if (recorded.has_error()) {
            ++metrics_.journal_failures;
            co_return recorded;
        }
        metrics_.durable_time.add(clock_.now() - started);
    } else if (message.forwarded_command) {  // only a chain has these
        const auto dismissed = co_await journal_.chain()->dismiss_command(live.sale_.id, *message.forwarded_command);
        if (dismissed.has_error()) co_return dismissed;
    }
    if (!message.request_id.empty() && !change.changes_nothing) live.request_id_ = message.request_id;
    log_step(log_, clock_, live, message, change);
    remember_error(live, message, change);
    apply(live, std::move(change), std::move(fresh));
    co_return Result<void>();
}

// Remembers the last error, because a long history leaves such entries out.
void Driver::remember_error(LiveSale& live, const Message& message, const Change& change) {
    const auto* answered = std::get_if<Answered>(&message.event);
    if (answered == nullptr || change.next.tries <= live.sale_.attempts.at(change.attempt).tries) return;
    const auto text = message.detail.empty() ? event_verdict(message.event) : std::string_view(message.detail);
    live.last_error_ = {.at = change.at, .step = std::string(to_string(answered->step)), .text = std::string(text)};
}

// Waits until the journal can say how the sale stands, and takes that over, because the change in doubt may be durable.
// It is not for a sale that was dropped, whose term the new owner has moved.
boost::asio::awaitable<void> Driver::resolve_doubt(LiveSale& live) {
    const auto before = live.stage_;
    live.set_stage(LiveSale::Stage::in_doubt);
    while (true) {
        co_await clock_.sleep_for(journal_pause);
        auto stands = co_await journal_.reread(live.sale_.id);
        if (stands.error() == errc::not_owned) co_return drop(live);
        if (stands.has_error()) continue;
        live.stands(std::move(*stands));
        attention_.follow(live.sale_);
        co_return live.set_stage(before);
    }
}

// Logs nothing, because the sale goes on elsewhere. A caller whose command waits is told, and passes it on there.
void Driver::drop(LiveSale& live) {
    for (const auto& message : live.queue_)
        if (message.completion) message.completion->result = make_error_code(errc::not_owned);
    live.outdated_ = true;
    live.set_stage(LiveSale::Stage::elsewhere);
    live.wake_->notify();
}

// Logs an error once for each message only: on a full disk every open sale fails twice a second, for hours.
void Driver::log_failure(const LiveSale& live, const Message& message, const error_code& why, bool again) {
    log_.write(again ? LogLevel::debug : LogLevel::error, "journal.failed",
               "{terminal}: the sale waits for the journal, which has not said that it took its latest step: {detail}",
               {{"sale", live.sale_.id},
                {"terminal", live.sale_.terminal},
                {"request", message.request_id.empty() ? live.request_id_ : message.request_id},
                {"step", event_name(message.event)},
                {"detail", journal_.stats().in_words(why)}});
}

void Driver::apply(LiveSale& live, Change&& change, std::optional<Attempt>&& fresh) {
    auto& sale = live.sale_;
    const auto status_before = sale.status;
    const auto settled_before = sale.settled;
    CHECK(!is_final(status_before) || change.status == status_before);
    sale.attempts.at(change.attempt) = std::move(change.next);
    sale.status = change.status;
    sale.settled = change.settled;
    if (change.day) sale.day = change.day;
    sale.attention = change.attention;
    live.take_mark();
    sale.reason = std::move(change.reason);
    if (change.details) sale.details = std::move(*change.details);
    if (change.esim) sale.esim = std::move(*change.esim);
    if (!change.changes_nothing) sale.updated_at = change.at;
    metrics_.newest_record = std::max(metrics_.newest_record, std::optional(sale.updated_at));
    if (fresh) {
        ++metrics_.attempts_again;
        log_.info("sale.attempt", "{terminal}: trying once more with a new idExterno (attempt {attempts})",
                  {{"sale", sale.id},
                   {"idExterno", fresh->id_externo},
                   {"terminal", sale.terminal},
                   {"request", live.request_id_},
                   {"family", to_string(sale.family)},
                   {"attempts", sale.attempts.size() + 1}});
        sale.attempts.push_back(std::move(*fresh));
        live.in_flight_.emplace_back();
    }
    attention_.follow(sale);
    log_change(live, status_before, settled_before);
}

// The frame of this coroutine lives until the provider answers, in thousands of copies. It is kept small: variables
// that are needed only after the answer are in on_reply().
boost::asio::awaitable<void> Driver::exchange(std::shared_ptr<LiveSale> live, std::size_t index, Step step) {
    try {
        std::optional<Semaphore::Permit> permit;
        if (live->stage_ == LiveSale::Stage::unattended || is_final(live->sale_.status)) {
            permit.emplace(co_await background_.acquire());
            // The wait may have been long: a window may have closed, or a person decided.
            if (!still_wanted(*live, index, step)) {
                live->in_flight_[index].reset();
                co_return live->wake_->notify();  // nothing was done: the law says what is to be done now
            }
        }
        // This is a copy, because the attempts of a sale may become more meanwhile, and move.
        const Attempt attempt = live->sale_.attempts.at(index);
        const Instant started = clock_.now();
        const Instant deadline = started + provider_.request_timeout();
        Reply reply;
        do {
            auto access = co_await provider_.reserve(deadline);
            if (access.has_error()) {
                reply = provider_.unsent(access.error());
            } else if (!still_wanted(*live, index, step)) {  // that wait, too, may have been long
                co_return on_answer(*live, index, step, withdrawn(), since(started));
            } else {
                auto sending = provider_.send(std::move(*access), step, live->sale_, attempt, deadline);
                reply = co_await std::move(sending);
            }
        } while (reply.failure == errc::stale_connection);
        on_reply(*live, index, attempt, step, reply, since(started));
    } catch (const std::exception& fault) {  // whatever it was, something may have left
        log_.error("sale.fault", "{terminal}: a fault in the gateway lost the answer to a step of the sale: {detail}",
                   {{"sale", live->sale_.id},
                    {"terminal", live->sale_.terminal},
                    {"step", to_string(step)},
                    {"detail", fault.what()}});
        on_fault(*live, index, step);
    }
}

Duration Driver::since(Instant started) const {
    return std::chrono::duration_cast<Duration>(clock_.now() - started);
}

// Tells whether the law still asks for the exchange, no waiting command makes it pointless, and it is certain that this
// gateway owns the sale in the state that is in memory.
bool Driver::still_wanted(const LiveSale& live, std::size_t index, Step step) {
    if (live.stage_ == LiveSale::Stage::in_doubt || live.stage_ == LiveSale::Stage::elsewhere) return false;
    if (!is_certain(live)) return false;
    const auto act = next_action(rules_, live.sale_, index, clock_.now());
    return act.kind == Action::Kind::exchange && act.step == step && !live.ending_is_asked_for();
}

void Driver::on_reply(LiveSale& live, std::size_t index, const Attempt& attempt, Step step, const Reply& reply,
                      Duration took) {
    std::optional<unsigned> http_status;
    if (reply.kind == Reply::Kind::answered) http_status = reply.status;
    live.lacked_token_ = reply.failure == errc::no_token;
    auto answer = interpret(step, live.sale_, attempt, reply);
    auto said = provider_said(live.sale_, answer, reply);
    on_answer(live, index, step, std::move(answer), took, http_status, std::move(said));
}

void Driver::on_answer(LiveSale& live, std::size_t index, Step step, Answer&& answer, Duration took,
                       std::optional<unsigned> http_status, std::string provider_said) {
    const auto family = static_cast<std::size_t>(live.sale_.family);
    const auto number = static_cast<std::size_t>(step);
    ++metrics_.answers.at(family).at(number).at(static_cast<std::size_t>(answer.verdict));
    metrics_.exchange_time.at(family).at(number).add(took);
    // A status that says nothing yet, or a request that was not sent, tells nothing about how well the provider does.
    if (step != Step::consultar && answer.verdict != Verdict::unsent)
        metrics_.recent_exchanges.add(RunMoment(clock_), took, answer.verdict == Verdict::unknown);
    auto detail = answer.reason.detail;
    live.in_flight_[index].reset();
    live.enqueue({.attempt = index,
                  .event = Answered{.step = step, .answer = std::move(answer)},
                  .http_status = http_status,
                  .duration = took,
                  .detail = std::move(detail),
                  .provider_said = std::move(provider_said)});
}

void Driver::on_fault(LiveSale& live, std::size_t attempt, Step step) {
    Answered answered{.step = step};
    answered.answer.reason = {.code = ReasonCode::response_lost, .detail = std::string(by_fault)};
    live.in_flight_[attempt].reset();
    live.enqueue({.attempt = attempt, .event = std::move(answered)});
}

// Tells whether the sale failed although neither the customer nor the provider wanted that. A sale that was sold has no
// reason but an operator's.
bool Driver::failed_for_the_provider(const Sale& sale) {
    if (!sale.reason) return false;
    const auto code = sale.reason->code;
    if (code == ReasonCode::refused)
        return Reply::finds_nothing(sale.reason->provider_status) ||
               Reply::is_page(sale.reason->provider_body.reveal());
    return code == ReasonCode::never_sent || code == ReasonCode::response_lost || code == ReasonCode::provider_error;
}

void Driver::log_change(const LiveSale& live, Status status_before, bool settled_before) {
    const auto& sale = live.sale_;
    const bool final_now = is_final(sale.status) && !is_final(status_before);
    const bool closed = sale.settled && !settled_before;
    if (!final_now && !closed) return;
    const auto family = static_cast<std::size_t>(sale.family);
    const auto took = since(live.begun_at_);
    if (final_now) {
        ++metrics_.final.at(family).at(static_cast<std::size_t>(sale.status));
        if (live.stage_ != LiveSale::Stage::unattended) metrics_.sale_time.at(family).add(took);
        if (failed_for_the_provider(sale)) {
            // A cancel may lack a token, too, but that is not why the sale failed.
            const bool lacked_token = live.lacked_token_ && sale.reason->code == ReasonCode::never_sent;
            provider_.sale_refused(lacked_token ? Provider::Want::token : Provider::Want::provider);
        }
    }
    log_end(log_, sale, live.request_id_, {.final_now = final_now, .settled_now = closed, .took = took});
}

}  // namespace gateway
