// The token service answers: the result is a grant with a token in it, or says in words why not. The first byte is the
// HTTP status.
#include "provider/token_answer.hpp"

#include "base/utf8.hpp"
#include "fuzz/fuzz.hpp"

using namespace gateway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array statuses{200U, 400U, 401U, 429U, 500U};
    fuzz::Input input(data, size);
    Reply reply;
    reply.kind = Reply::Kind::answered;
    reply.status = statuses.at(input.choice(statuses.size()));
    reply.content_type = "application/json";
    reply.body = input.rest();
    const auto answer = read_token_answer(reply, {});
    if (const auto* grant = std::get_if<Grant>(&answer)) {
        CHECK(reply.status == 200 && !grant->access.empty());
    } else {
        const auto& why = std::get<NoGrant>(answer).why;
        CHECK(!why.empty() && why.size() < 1000 && is_utf8(why));
    }
    return 0;
}
