#include "probe/callback_receiver.hpp"

#include "probe/records.hpp"

namespace gateway::probe {
namespace {

// No provider sends more for all sales of a probe.
constexpr std::size_t most_callbacks = 1000;

int answer_to_try(int tries) {
    if (tries <= CallbackReceiver::refusals) return 503;
    return tries == CallbackReceiver::refusals + 1 ? 204 : 200;
}

}  // namespace

int CallbackReceiver::take(std::string_view secret, bool recharge, std::string_view body) {
    const std::string name(secret);
    if (!expected_.contains(name) || seen_.size() >= most_callbacks) return 404;
    const auto object = object_in(body);
    const auto word = text_in(&object, "situacaoRecarga");
    const bool is_first = !recharge && first_word_.emplace(name, word).first->second == word;
    const int status = is_first ? answer_to_try(++tries_[name]) : 200;
    seen_.push_back({name, recharge, std::string(body), clock_.now(), status, is_first});
    return status;
}

}  // namespace gateway::probe
