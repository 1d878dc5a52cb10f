// This is the HTTP edge: a request in whatever pieces it comes is read as if it had come whole, and whatever is
// accepted is inside every limit. The first byte says how the input is cut.
#include "base/utf8.hpp"
#include "fuzz/fuzz.hpp"
#include "http/server/body.hpp"
#include "http/server/head.hpp"
#include "http/server/target.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

constexpr std::size_t header_limit = 16384;
constexpr std::size_t body_limit = 4096;

struct Reading {
    std::size_t head_size = 0;
    std::optional<std::string_view> refusal;
    bool complete = false;
    std::string body;
    std::string path;
};

bool note(Reading& reading, const std::optional<Refusal>& refusal) {
    if (refusal) reading.refusal = refusal->detail;
    return refusal.has_value();
}

// Reads as the session does: the head when its end has come, then the body from the rest.
Reading read(std::string_view bytes, std::size_t piece) {
    Reading reading;
    HeadScanner scanner(header_limit);
    std::string received;
    std::size_t used = 0;
    const auto more = [&] {
        const auto next = bytes.substr(used, piece);
        used += next.size();
        received += next;
        return !next.empty();
    };
    while (reading.head_size == 0) {
        if (!more()) return reading;
        reading.head_size = scanner.scan(received);
        if (note(reading, scanner.refusal())) return reading;
    }
    CHECK(reading.head_size <= header_limit && reading.head_size <= received.size());
    Request request;
    Head head;
    if (note(reading, parse_head(std::string_view(received).substr(0, reading.head_size), request, head)))
        return reading;
    reading.path = request.path;
    received.erase(0, reading.head_size);
    BodyReader body(head, body_limit);
    do {
        const auto taken = body.read(received, reading.body);
        CHECK(taken <= received.size());
        received.erase(0, taken);
        CHECK(reading.body.size() <= body_limit);
        if (note(reading, body.refusal())) return reading;
        reading.complete = body.complete();
    } while (!reading.complete && more());
    return reading;
}

void check_target(std::string_view path) {
    CHECK(path == "*" || path.starts_with('/'));
    if (path == "*") return;
    const auto again = normalise_path(path);
    CHECK(again && *again == path);  // the normal form of a normal form is itself
    const auto decoded = percent_decode(path);
    CHECK(decoded && is_utf8(*decoded));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto piece = input.choice(64) + 1;
    const auto bytes = input.rest();
    const auto whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
    const auto pieces = read(bytes, piece);
    CHECK(whole.refusal == pieces.refusal);
    if (!whole.refusal) {
        CHECK(whole.head_size == pieces.head_size && whole.complete == pieces.complete);
        CHECK(whole.body == pieces.body && whole.path == pieces.path);
        if (!whole.path.empty()) check_target(whole.path);
    }
    return 0;
}
