#include "sandbox/outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::sandbox {
namespace {

constexpr int last_two(Cents valor) {
    return static_cast<int>(valor % 100);
}

// From 22 on a sale request's answer is lost so that the client comes with a cancel, and the second row meets that.
constexpr std::array table{
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

const std::vector<CallbackScript>& scripts() {
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

}  // namespace

std::span<const Outcome> outcomes() {
    return table;
}

const Outcome* find_outcome(Cents valor, Step step, int call) noexcept {
    for (const auto& row : table)
        if (row.cents == last_two(valor) && row.step == step && (row.times == 0 || call <= row.times)) return &row;
    return nullptr;
}

std::span<const CallbackScript> callback_scripts() {
    return scripts();
}

const CallbackScript& callback_script(Cents valor) {
    const auto& all = scripts();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& script) { return script.cents == last_two(valor); });
    return found == all.end() ? all.front() : *found;
}

std::string outcomes_text() {
    std::string text = "Outcomes by the last two digits of the amount in cents; any other amount succeeds:\n";
    int before = 0;
    for (const auto& row : table) {
        const auto cents = row.cents == before ? "  " : fmt::format("{:02}", row.cents);
        fmt::format_to(std::back_inserter(text), "  {}  {:<9}  {}\n", cents, to_string(row.step), row.text);
        before = row.cents;
    }
    for (const auto& script : scripts())
        if (script.cents >= 0)
            fmt::format_to(std::back_inserter(text), "  {:02}  eSIM       {}\n", script.cents, script.text);
    return text;
}

}  // namespace gateway::sandbox
