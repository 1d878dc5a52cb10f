// The input is the bytes of an HTTP answer of the provider's or a proxy's, in whatever pieces: the answer is complete,
// or it failed; it is inside every limit, and the same however it is cut. The first byte says how.
#include "fuzz/fuzz.hpp"
#include "http/client/answer_reader.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

struct Reading {
    AnswerReader::State state = AnswerReader::State::more;
    Reply reply;
};

Reading read(std::string_view bytes, std::size_t piece, AnswerReader::Body body = AnswerReader::Body::follows) {
    constexpr AnswerLimits limits{.header = 2048, .body = 4096};
    AnswerReader reader(limits, body);
    Reading reading;
    while (!bytes.empty() && reading.state == AnswerReader::State::more) {
        const auto next = bytes.substr(0, piece);
        bytes.remove_prefix(next.size());
        reading.state = reader.feed(next);
    }
    if (reading.state == AnswerReader::State::more) reading.state = reader.end();
    CHECK(reading.state != AnswerReader::State::more);
    if (reading.state == AnswerReader::State::failed) {
        CHECK(reader.failure());
        return reading;
    }
    (void)reader.keeps_alive();
    (void)reader.idle_time();
    reading.reply = reader.take(WallTime{});
    CHECK(reading.reply.body.size() <= (body == AnswerReader::Body::none ? 0 : limits.body));
    return reading;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto piece = input.choice(64) + 1;
    const auto whole = read(input.rest(), std::max<std::size_t>(input.rest().size(), 1));
    const auto pieces = read(input.rest(), piece);
    if (whole.state == AnswerReader::State::complete && pieces.state == AnswerReader::State::complete)
        CHECK(whole.reply.status == pieces.reply.status && whole.reply.body == pieces.reply.body);
    // Reads the same as a proxy's answer to a CONNECT, which has only a head.
    (void)read(input.rest(), piece, AnswerReader::Body::none);
    return 0;
}
