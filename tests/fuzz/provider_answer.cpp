// The provider answers a step: the result is always a value, and a yes only if everything that the answer must echo is
// there. Four bytes choose the family, the step, the HTTP status and whether an answer came whole.
#include "fuzz/fuzz.hpp"
#include "sale/answer.hpp"

using namespace gateway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array steps{Step::solicitar, Step::confirmar, Step::cancelar};
    constexpr std::array statuses{200U, 201U, 204U, 302U, 400U, 401U, 404U, 409U, 422U, 429U, 500U, 503U};
    fuzz::Input input(data, size);
    Order order;
    order.family = input.family();
    order.produto = "Produto";
    order.valor = Cents{1099};
    const auto sale = fuzz::sale_of(order);
    const auto step = steps.at(input.choice(steps.size()));
    Reply reply;
    reply.kind = Reply::Kind::answered;
    reply.status = statuses.at(input.choice(statuses.size()));
    reply.content_type = input.choice(2) == 0 ? "application/json" : "text/html";
    reply.body = input.rest();
    const auto answer = interpret(step, sale, sale.current(), reply);
    CHECK(!to_string(answer.verdict).empty());
    const bool fine = reply.status < 300;
    if (answer.verdict == Verdict::authorised) CHECK(step == Step::solicitar && fine && !answer.id_transacao.empty());
    if (answer.verdict == Verdict::unauthorised) CHECK(reply.status == 401);
    if (answer.verdict == Verdict::throttled) CHECK(reply.status == 429);
    if (answer.verdict == Verdict::refused) CHECK(step == Step::solicitar && reply.status < 500);
    if (answer.verdict == Verdict::unknown) CHECK(!answer.reason.detail.empty());
    return 0;
}
