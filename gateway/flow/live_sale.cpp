#include "flow/live_sale.hpp"

namespace gateway {
namespace {

// A place in a list of watchers, given up on every way out.
class Watching {
  public:
    Watching(std::vector<Alarm*>& watchers, Alarm* alarm) : watchers_(watchers), alarm_(alarm) {
        watchers_.push_back(alarm_);
    }
    ~Watching() { std::erase(watchers_, alarm_); }
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

  private:
    std::vector<Alarm*>& watchers_;
    Alarm* alarm_;
};

}  // namespace

LiveSale::LiveSale(Sale sale, std::string request_id, Clock& clock)
    : sale_(std::move(sale)),
      request_id_(std::move(request_id)),
      clock_(clock),
      came_(clock.now()),
      in_flight_(sale_.attempts.size(), false),
      alarm_(clock.make_alarm()) {}

std::shared_ptr<Postmark> LiveSale::post(Event event) {
    auto postmark = std::make_shared<Postmark>();
    adopted_ = false;  // somebody cares about it now
    deliver({.attempt = sale_.attempts.size() - 1, .event = std::move(event), .postmark = postmark});
    return postmark;
}

void LiveSale::deliver(Letter letter) {
    letters_.push_back(std::move(letter));
    alarm_->ring();
}

boost::asio::awaitable<void> LiveSale::watch_until(Instant deadline, std::function<bool()> enough) {
    if (enough() || clock_.now() >= deadline) co_return;
    const auto alarm = clock_.make_alarm();
    const Watching watching(watchers_, alarm.get());
    while (!enough() && clock_.now() < deadline) co_await alarm->wait_until(deadline);
}

void LiveSale::changed() {
    for (auto* watcher : watchers_) watcher->ring();
}

}  // namespace gateway
