#include "console/event_stream.hpp"

#include "api/sale_answer.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

std::string event(const Changes& changes, const std::vector<Topic>& topics) {
    json::array names;
    for (const auto topic : topics)
        names.emplace_back(to_string(topic));
    const json::object data{{"topics", std::move(names)}};
    return fmt::format("id: {}\nevent: changed\ndata: {}\n\n", changes.id(), json::serialize(data));
}

}  // namespace

class EventStreams::Stream final : public http::BodySource {
  public:
    Stream(EventStreams& streams, Secret shown, std::string_view last_event)
        : streams_(streams), open_(streams.open_), shown_(std::move(shown)) {
        ++*open_;
        auto& changes = streams_.changes_;
        changes.look();
        // Nothing is new to a page that has just been opened.
        const auto topics = last_event.empty() ? std::vector<Topic>() : changes.since(last_event);
        first_ = "retry: 2000\n" + event(changes, topics);
        said_ = changes.count();
        spoke_ = streams_.clock_.now();
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() override { --*open_; }

    boost::asio::awaitable<std::optional<std::string>> next() override {
        if (!first_.empty()) co_return std::exchange(first_, {});
        auto& clock = streams_.clock_;
        co_await clock.sleep_for(Changes::pace);
        if (!streams_.sign_in_.still_in(shown_.reveal())) co_return std::nullopt;
        co_return news();
    }

  private:
    std::string news() {
        auto& changes = streams_.changes_;
        changes.look();
        const auto now = streams_.clock_.now();
        if (changes.count() == said_ && now < spoke_ + heartbeat) return {};
        spoke_ = now;
        if (changes.count() == said_) return ": heartbeat\n\n";
        const auto before = std::exchange(said_, changes.count());
        return event(changes, changes.since(before));
    }

    EventStreams& streams_;
    const std::shared_ptr<std::size_t> open_;
    const Secret shown_;
    std::string first_;
    std::uint64_t said_ = 0;
    Instant spoke_{};
};

boost::asio::awaitable<http::Response> EventStreams::begin(http::Request& request) {
    http::Response answer{.content_type = "text/event-stream"};
    answer.with("X-Accel-Buffering", "no");  // otherwise nginx would collect the pieces before it sends them
    if (*open_ >= most)
        co_return refuse(request, http::status::service_unavailable, "overloaded",
                         fmt::format("{} pages are told of changes already: read again now and then.", most));
    answer.source =
        std::make_shared<Stream>(*this, Secret(std::string(sign_in_.shown(request))), request.header("Last-Event-ID"));
    co_return answer;
}

}  // namespace gateway
