#include "sandbox/behaviour.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <array>

namespace gateway::sandbox {
namespace {

constexpr std::array any_call{Step::consulta, Step::solicitar, Step::confirmar,
                              Step::cancelar, Step::token,     Step::status};
constexpr std::array anywhere = steps;
constexpr std::array sale_call{Step::consulta, Step::solicitar, Step::confirmar, Step::cancelar, Step::status};
constexpr std::array any_post{Step::solicitar, Step::confirmar, Step::cancelar};
constexpr std::array posts_and_callback{Step::solicitar, Step::confirmar, Step::cancelar, Step::callback};
constexpr std::array solicitar{Step::solicitar};
constexpr std::array confirmar{Step::confirmar};

constexpr std::array table{
    BehaviourFacts{Behaviour::normal, "normal", Effect::usual, ReplyKind::usual, 0, anywhere,
                   "as the interface says; shields from what the cents ask for"},
    BehaviourFacts{Behaviour::slow, "slow", Effect::usual, ReplyKind::usual, 0, anywhere,
                   "processed at once, answered after the delay"},
    BehaviourFacts{Behaviour::lose_answer, "lose_answer", Effect::usual, ReplyKind::lost, 0, anywhere,
                   "processed; the connection is closed without an answer"},
    BehaviourFacts{Behaviour::lose_request, "lose_request", Effect::unseen, ReplyKind::lost, 0, anywhere,
                   "not processed; the connection is closed without an answer"},
    BehaviourFacts{Behaviour::hold, "hold", Effect::later, ReplyKind::lost, 0, any_post,
                   "the connection is closed; the request is processed after the delay, or when released"},
    BehaviourFacts{Behaviour::overtaken, "overtaken", Effect::behind, ReplyKind::lost, 0, solicitar,
                   "the same, and processed right behind the answer to its cancel, where one comes before that"},
    BehaviourFacts{Behaviour::twice, "twice", Effect::twice, ReplyKind::usual, 0, posts_and_callback,
                   "processed and answered; a copy of the request is processed after the delay"},
    BehaviourFacts{Behaviour::refuse, "refuse", Effect::none, ReplyKind::error, 422, any_call, "not processed; 422"},
    BehaviourFacts{Behaviour::refuse_after, "refuse_after", Effect::usual, ReplyKind::error, 422, any_call,
                   "processed, and answered with 422 all the same"},
    BehaviourFacts{Behaviour::error, "error", Effect::none, ReplyKind::error, 500, any_call, "not processed; 500"},
    BehaviourFacts{Behaviour::error_after, "error_after", Effect::usual, ReplyKind::error, 500, any_call,
                   "processed, and answered with 500"},
    BehaviourFacts{Behaviour::not_json, "not_json", Effect::usual, ReplyKind::rubbish, 200, anywhere,
                   "processed, and answered with 200 and a page of HTML"},
    BehaviourFacts{Behaviour::answer, "answer", Effect::none, ReplyKind::given, 200, any_call,
                   "not processed; the rule's status, headers and body"},
    BehaviourFacts{Behaviour::answer_after, "answer_after", Effect::usual, ReplyKind::given, 200, any_call,
                   "processed; the rule's status, headers and body"},
    BehaviourFacts{Behaviour::wrong_amount, "wrong_amount", Effect::usual, ReplyKind::wrong_amount, 0, solicitar,
                   "processed; the answer echoes another amount"},
    BehaviourFacts{Behaviour::wrong_id, "wrong_id", Effect::usual, ReplyKind::wrong_id, 0, solicitar,
                   "processed; the answer echoes another idExterno"},
    BehaviourFacts{Behaviour::no_id, "no_id", Effect::usual, ReplyKind::no_id, 0, solicitar,
                   "processed; the answer lacks idTransacao"},
    BehaviourFacts{Behaviour::negada, "negada", Effect::deny, ReplyKind::usual, 0, solicitar,
                   "refused, and answered with 200 and NEGADA"},
    BehaviourFacts{Behaviour::cancel_instead, "cancel_instead", Effect::cancel, ReplyKind::usual, 0, confirmar,
                   "the sale is cancelled, and answered with 200 and CANCELADA"},
    BehaviourFacts{Behaviour::too_many, "too_many", Effect::none, ReplyKind::error, 429, any_call,
                   "not processed; 429 with Retry-After"},
    BehaviourFacts{Behaviour::unauthorized, "unauthorized", Effect::none, ReplyKind::error, 401, any_call,
                   "not processed; 401 although the token is good"},
    BehaviourFacts{Behaviour::expire_tokens, "expire_tokens", Effect::expire, ReplyKind::usual, 0, sale_call,
                   "all tokens are revoked first, so the answer is 401"},
};

}  // namespace

const BehaviourFacts& facts(Behaviour behaviour) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.behaviour == behaviour; });
    CHECK(found != table.end());
    return *found;
}

std::span<const BehaviourFacts> behaviours() {
    return table;
}

std::optional<Behaviour> parse_behaviour(std::string_view word) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.word == word; });
    return found == table.end() ? std::nullopt : std::optional(found->behaviour);
}

bool makes_sense(Behaviour behaviour, Step step) {
    const auto at = facts(behaviour).at;
    return std::find(at.begin(), at.end(), step) != at.end();
}

}  // namespace gateway::sandbox
