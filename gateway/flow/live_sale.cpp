#include "flow/live_sale.hpp"

#include <algorithm>

namespace gateway {
LiveSale::LiveSale(Sale&& sale, std::string request_id, Clock& clock)
    : sale_(std::move(sale)),
      request_id_(std::move(request_id)),
      clock_(clock),
      came_(clock.now() - std::max(Duration(0), clock.wall() - sale_.created_at)),
      in_flight_(sale_.attempts.size(), false),
      alarm_(clock.make_alarm()) {}

std::shared_ptr<Postmark> LiveSale::post(Event event, std::string request_id) {
    auto postmark = std::make_shared<Postmark>();
    adopted_ = false;  // somebody cares about it now
    deliver({.attempt = sale_.attempts.size() - 1,
             .event = std::move(event),
             .request_id = std::move(request_id),
             .postmark = postmark});
    return postmark;
}

void LiveSale::deliver(Letter&& letter) {
    letters_.push_back(std::move(letter));
    alarm_->ring();
}

bool LiveSale::is_to_end() const {
    const auto ends = [](const Letter& letter) {
        return std::holds_alternative<CancelAsked>(letter.event) || std::holds_alternative<Resolved>(letter.event);
    };
    return (deciding_ != nullptr && ends(*deciding_)) || std::ranges::any_of(letters_, ends);
}

boost::asio::awaitable<void> LiveSale::watch_until(Instant deadline, std::function<bool()> enough) {
    if (enough()) co_return;
    const auto alarm = clock_.make_alarm();
    Watcher watcher(enough, *alarm);
    watchers_.push_back(watcher);
    while (!enough() && clock_.now() < deadline)
        co_await alarm->wait_until(deadline);
}

void LiveSale::changed() {
    for (auto& watcher : watchers_)
        if (watcher.enough()) watcher.alarm.ring();
}

}  // namespace gateway
