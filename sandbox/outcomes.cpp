#include "sandbox/outcomes.hpp"

#include <fmt/format.h>

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

// These stand in the order of the enumeration.
constexpr std::array behaviour_table{
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

constexpr int last_two(Cents valor) {
    return static_cast<int>(valor % 100);
}

// For amounts from 22 on, the answer to the sale request is lost so that the client sends a cancel; their second row
// is about that cancel.
constexpr std::array outcome_table{
    Outcome{1, Step::solicitar, Behaviour::refuse, 0, 0, "refused with 422"},
    Outcome{2, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost"},
    Outcome{3, Step::solicitar, Behaviour::lose_request, 0, 0, "lost before it is processed"},
    Outcome{4, Step::solicitar, Behaviour::slow, 0, 0, "processed, a slow answer (--slow)"},
    Outcome{5, Step::solicitar, Behaviour::error_after, 0, 0, "processed, yet 500"},
    Outcome{6, Step::solicitar, Behaviour::not_json, 0, 0, "processed, 200 with HTML"},
    Outcome{7, Step::solicitar, Behaviour::wrong_amount, 0, 0, "processed, another amount is echoed"},
    Outcome{8, Step::solicitar, Behaviour::negada, 0, 0, "refused, 200 with NEGADA"},
    Outcome{9, Step::solicitar, Behaviour::too_many, 0, 0, "429 with Retry-After"},
    Outcome{10, Step::solicitar, Behaviour::error, 0, 503, "not processed, 503"},
    Outcome{11, Step::confirmar, Behaviour::refuse, 0, 0, "never processed, always 422 without a status"},
    Outcome{12, Step::confirmar, Behaviour::lose_answer, 1, 0, "processed, the first answer is lost"},
    Outcome{13, Step::confirmar, Behaviour::lose_request, 1, 0, "the first is lost before it is processed"},
    Outcome{14, Step::confirmar, Behaviour::slow, 0, 0, "processed, a slow answer (--slow)"},
    Outcome{15, Step::confirmar, Behaviour::error_after, 1, 0, "processed, yet the first answer is 500"},
    Outcome{16, Step::confirmar, Behaviour::not_json, 1, 0, "processed, the first answer is 200 with HTML"},
    Outcome{17, Step::confirmar, Behaviour::cancel_instead, 0, 0, "the sale is cancelled, 200 with CANCELADA"},
    Outcome{18, Step::confirmar, Behaviour::lose_answer, 0, 0, "processed, but no confirm is ever answered"},
    Outcome{19, Step::confirmar, Behaviour::refuse_after, 1, 0, "processed, yet the first answer is 422"},
    Outcome{20, Step::confirmar, Behaviour::unauthorized, 1, 0, "the first is answered 401"},
    Outcome{21, Step::solicitar, Behaviour::wrong_id, 0, 0, "processed, another idExterno is echoed"},
    Outcome{22, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{22, Step::cancelar, Behaviour::lose_answer, 1, 0, "processed, the first answer is lost"},
    Outcome{23, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{23, Step::cancelar, Behaviour::lose_request, 1, 0, "the first is lost before it is processed"},
    Outcome{24, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{24, Step::cancelar, Behaviour::slow, 0, 0, "processed, a slow answer (--slow)"},
    Outcome{25, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{25, Step::cancelar, Behaviour::error, 3, 0, "the first three are not processed, 500"},
    Outcome{26, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{26, Step::cancelar, Behaviour::not_json, 1, 0, "processed, the first answer is 200 with HTML"},
    Outcome{27, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{27, Step::cancelar, Behaviour::refuse, 1, 404, "the first is answered 404 although the sale exists"},
    Outcome{28, Step::solicitar, Behaviour::overtaken, 0, 0, "lost, but arrives after its cancel (or --late-arrival)"},
    Outcome{29, Step::solicitar, Behaviour::lose_answer, 0, 0, "processed, the answer is lost;"},
    Outcome{29, Step::cancelar, Behaviour::unauthorized, 1, 0, "the first is answered 401"},
    Outcome{30, Step::solicitar, Behaviour::no_id, 0, 0, "processed, the answer lacks idTransacao"},
};

using Gap = CallbackEvent::Gap;
using About = CallbackEvent::About;
using Recharge = CallbackEvent::Recharge;

constexpr CallbackEvent sold{Gap::usual, About::sale, Status::efetivada, Recharge::unsaid};
constexpr CallbackEvent recharged{Gap::usual, About::recharge, Status::efetivada, Recharge::by_amount};

constexpr CallbackEvent sale_says(Status status) {
    return {Gap::usual, About::sale, status, Recharge::unsaid};
}

constexpr CallbackEvent nothing_recharged(Status status) {
    return {Gap::usual, About::recharge, status, Recharge::none};
}

}  // namespace

const BehaviourFacts& facts(Behaviour behaviour) {
    return behaviour_table.at(static_cast<std::size_t>(behaviour));
}

std::span<const BehaviourFacts> behaviours() {
    return behaviour_table;
}

std::optional<Behaviour> parse_behaviour(std::string_view word) {
    for (const auto& row : behaviour_table)
        if (row.word == word) return row.behaviour;
    return std::nullopt;
}

bool makes_sense(Behaviour behaviour, Step step) {
    const auto at = facts(behaviour).at;
    return std::find(at.begin(), at.end(), step) != at.end();
}

std::span<const Outcome> outcomes() {
    return outcome_table;
}

const Outcome* find_outcome(Cents valor, Step step, int call) noexcept {
    for (const auto& row : outcome_table)
        if (row.cents == last_two(valor) && row.step == step && (row.times == 0 || call <= row.times)) return &row;
    return nullptr;
}

std::span<const CallbackScript> callback_scripts() {
    static const std::vector<CallbackScript> all{
        {-1, false, {sold, recharged}, "EFETIVADA, then the recharge's SUCESSO"},
        {31,
         true,
         {{Gap::none, About::sale, Status::efetivada, Recharge::unsaid}, recharged},
         "the callback comes before the answer, which is slow (--slow)"},
        {32,
         false,
         {{Gap::late, About::sale, Status::efetivada, Recharge::unsaid}, recharged},
         "the callback is late (--callback-late)"},
        {33, false, {sold, sold, recharged}, "the sale's callback comes twice, although answered with 200"},
        {34, false, {sold, sale_says(Status::cancelada), recharged}, "EFETIVADA, then a callback that says CANCELADA"},
        {35,
         false,
         {{Gap::usual, About::sale, Status::efetivada, Recharge::unsaid, false}},
         "sold, and no callback ever comes"},
        {36, false, {sale_says(Status::negada), nothing_recharged(Status::negada)}, "NEGADA"},
        {37, false, {sale_says(Status::cancelada), nothing_recharged(Status::cancelada)}, "CANCELADA"},
        {38, false, {sale_says(Status::pendente), sold, recharged}, "PENDENTE, then EFETIVADA"},
        {39,
         false,
         {sold, {Gap::usual, About::recharge, Status::efetivada, Recharge::failed}},
         "EFETIVADA, then the recharge's FALHA"},
        {40, false, {sold}, "EFETIVADA, and no callback about the recharge"},
        {41,
         false,
         {recharged, {Gap::late, About::sale, Status::efetivada, Recharge::unsaid}},
         "the recharge's callback comes before the sale's, which is late"},
    };
    return all;
}

const CallbackScript& callback_script(Cents valor) {
    const auto all = callback_scripts();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& script) { return script.cents == last_two(valor); });
    return found == all.end() ? all.front() : *found;
}

std::string outcomes_text() {
    std::string text = "Outcomes by the last two digits of the amount in cents; any other amount succeeds:\n";
    int before = 0;
    for (const auto& row : outcome_table) {
        const auto cents = row.cents == before ? "  " : fmt::format("{:02}", row.cents);
        fmt::format_to(std::back_inserter(text), "  {}  {:<9}  {}\n", cents, to_string(row.step), row.text);
        before = row.cents;
    }
    for (const auto& script : callback_scripts())
        if (script.cents >= 0)
            fmt::format_to(std::back_inserter(text), "  {:02}  eSIM       {}\n", script.cents, script.text);
    return text;
}

}  // namespace gateway::sandbox
