#include "flow/live_sale.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

LiveSale::LiveSale(Sale&& sale, std::string request_id, Stage stage, Clock& clock)
    : sale_(std::move(sale)),
      request_id_(std::move(request_id)),
      clock_(clock),
      begun_at_(clock.now() - std::max(Duration(0), clock.wall() - sale_.created_at)),
      stage_(stage),
      takes_no_place_(stage == Stage::unattended),
      in_flight_(sale_.attempts.size()),
      wake_(clock.make_timer()) {}

bool LiveSale::has_forwarded_command(std::int64_t number) const {
    const auto is_it = [number](const Message& message) { return message.forwarded_command == number; };
    return (deciding_ != nullptr && is_it(*deciding_)) || std::ranges::any_of(queue_, is_it);
}

std::shared_ptr<Completion> LiveSale::submit(Event event, std::string request_id) {
    auto completion = std::make_shared<Completion>();
    if (stage_ == Stage::unattended) stage_ = Stage::attended;
    enqueue({.event = std::move(event), .request_id = std::move(request_id), .completion = completion});
    return completion;
}

void LiveSale::enqueue(Message&& message) {
    queue_.push_back(std::move(message));
    wake_->notify();
}

void LiveSale::stands(Sale&& sale) {
    sale_.updated_at = sale.updated_at;
    sale_.status = sale.status;
    sale_.settled = sale.settled;
    sale_.attention = sale.attention;
    sale_.reason = std::move(sale.reason);
    sale_.details = std::move(sale.details);
    sale_.esim = std::move(sale.esim);
    sale_.attempts = std::move(sale.attempts);
    in_flight_.resize(sale_.attempts.size());
    outdated_ = false;
    mark_waits_ = false;  // the row was read together with its mark
    changed();
}

void LiveSale::found_unreadable() {
    if (sale_.attention == Attention::unreadable) return;
    mark_waits_ = true;
    const bool begins = stage_ == Stage::beginning || stage_ == Stage::in_doubt;  // the journal may be reading it now
    if (!deciding() && !begins) take_mark();
}

void LiveSale::take_mark() {
    if (!std::exchange(mark_waits_, false)) return;
    if (sale_.attention == Attention::none || is_passing(sale_.attention)) sale_.attention = Attention::unreadable;
}

bool LiveSale::ending_is_asked_for() const {
    const auto ends = [](const Message& message) {
        return std::holds_alternative<CancelAsked>(message.event) || std::holds_alternative<Resolved>(message.event);
    };
    return (deciding_ != nullptr && ends(*deciding_)) || std::ranges::any_of(queue_, ends);
}

boost::asio::awaitable<void> LiveSale::watch_until(Instant deadline, std::function<bool()> enough) {
    const auto timer = clock_.make_timer();
    Watcher watcher(*timer);
    watchers_.push_back(watcher);
    while (!enough() && clock_.now() < deadline)
        co_await timer->wait_until(deadline);
}

void LiveSale::set_stage(Stage stage) {
    stage_ = stage;
    changed();
}

void LiveSale::changed() {
    for (auto& watcher : watchers_)
        watcher.timer.notify();
}

}  // namespace gateway
