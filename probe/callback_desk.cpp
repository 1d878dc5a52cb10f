#include "probe/callback_desk.hpp"

#include "probe/reply_words.hpp"

namespace gateway::probe {
namespace {

// Of all sales of a probe. Who sends more is nobody's provider.
constexpr std::size_t most_callbacks = 1000;

int answer_to_try(int tries) {
    if (tries <= CallbackDesk::refusals) return 503;
    return tries == CallbackDesk::refusals + 1 ? 204 : 200;
}

}  // namespace

int CallbackDesk::take(std::string_view secret, bool recharge, std::string_view body) {
    const std::string name(secret);
    if (!expected_.contains(name) || seen_.size() >= most_callbacks) return 404;
    const auto word = text_member(body, "situacaoRecarga");
    const bool is_first = !recharge && first_word_.emplace(name, word).first->second == word;
    const int status = is_first ? answer_to_try(++tries_[name]) : 200;
    seen_.push_back({name, recharge, std::string(body), clock_.now(), status, is_first});
    came_.notify_all();
    return status;
}

boost::asio::awaitable<bool> CallbackDesk::wait_for_more(std::size_t known, Instant deadline) {
    while (seen_.size() <= known && clock_.now() < deadline)
        co_await came_.wait(deadline);
    co_return seen_.size() > known;
}

}  // namespace gateway::probe
