#include "http/client/answer_reader.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "http/client/retry_after.hpp"

#include <charconv>

namespace gateway::http {
namespace {

namespace beast = boost::beast::http;
using boost::system::error_code;

// A peer that sends more interim answers than this before the real one is only keeping us busy.
constexpr int interim_max = 16;

errc meaning(const error_code& error) {
    const bool large = error == beast::error::header_limit || error == beast::error::body_limit ||
                       error == beast::error::buffer_overflow;
    return large ? errc::answer_too_large : errc::malformed;
}

// A body of chunks without trailers ends with this.
constexpr std::string_view last_chunk = "0\r\n\r\n";

constexpr std::size_t bare_status_size = 12;  // the size of "HTTP/1.1 200"

// Tells whether the status line lacks its reason, and with it the space that must stand before the reason (RFC 9112,
// section 4). Other clients read such a line, and Beast does not.
bool is_bare_status(std::string_view line) {
    return line.size() == bare_status_size && line.starts_with("HTTP/1.") && is_digit(line[7]) && line[8] == ' ' &&
           is_digits(line.substr(9));
}

std::string_view view(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

AnswerReader::State AnswerReader::feed(std::string_view bytes) {
    std::size_t used = 0;
    if (rest_.empty()) {
        const auto state = parse(bytes, used);
        rest_.assign(bytes.substr(used));
        return state;
    }
    rest_.append(bytes);
    const auto state = parse(rest_, used);
    rest_.erase(0, used);
    return state;
}

AnswerReader::State AnswerReader::parse(std::string_view bytes, std::size_t& used) {
    while (used < bytes.size()) {
        if (!parser_) {
            // Beast gets only whole status lines, so that a bare one can be completed.
            const auto rest = bytes.substr(used);
            const auto end = rest.find('\n');
            if (end == std::string_view::npos)
                return rest.size() > limits_.header ? fail(errc::answer_too_large) : State::more;
            parser_ = std::make_unique<Parser>();
            parser_->eager(true);
            parser_->skip(body_ == Body::none);
            parser_->header_limit(static_cast<std::uint32_t>(limits_.header));
            parser_->body_limit(limits_.body);
            if (is_bare_status(rest.substr(0, end > 0 && rest[end - 1] == '\r' ? end - 1 : 0))) {
                const auto completed = std::string(rest.substr(0, bare_status_size)) + " \r\n";
                error_code error;
                const auto taken = parser_->put(boost::asio::buffer(completed), error);
                if (taken != completed.size()) return fail(errc::malformed);
                used += end + 1;
                continue;
            }
        }
        if (may_be_half_the_last_chunk(bytes.substr(used))) return State::more;
        error_code error;
        used += parser_->put(boost::asio::buffer(bytes.substr(used)), error);
        if (parser_->is_done()) {
            surplus_ = used < bytes.size();
            if (const auto state = finish_message(); state != State::more) return state;
            continue;
        }
        if (error == beast::error::need_more) {
            // Beast limits the size of a header, but not the size of a chunk's extensions.
            return bytes.size() - used > limits_.header ? fail(errc::answer_too_large) : State::more;
        }
        if (error) return fail(meaning(error));
    }
    return State::more;
}

// Beast 1.81 has an assertion that ends the program if a body consists only of its last chunk and comes in pieces that
// end within that chunk's last two characters. Every body that begins like the last chunk is at least as long, so that
// we never wait for bytes that do not come.
bool AnswerReader::may_be_half_the_last_chunk(std::string_view bytes) const {
    return parser_->is_header_done() && parser_->chunked() && bytes.front() == last_chunk.front() &&
           bytes.size() < last_chunk.size();
}

AnswerReader::State AnswerReader::end() {
    if (!parser_ || !parser_->got_some()) return fail(errc::connection_lost);
    error_code error;
    parser_->put_eof(error);
    return error ? fail(errc::connection_lost) : finish_message();
}

AnswerReader::State AnswerReader::finish_message() {
    const auto& message = parser_->get();
    const auto status = message.result_int();
    // We asked for no transfer coding. Only chunks are understood, and only their end ends the answer.
    if (message.count(beast::field::transfer_encoding) > 0 && !parser_->chunked()) return fail(errc::malformed);
    if (status == 101 || status < 100) return fail(errc::malformed);  // we asked for no other protocol
    if (status >= 200) return State::complete;
    if (++interim_ > interim_max) return fail(errc::malformed);
    parser_.reset();
    return State::more;
}

AnswerReader::State AnswerReader::fail(errc why) {
    failure_ = why;
    parser_.reset();
    return State::failed;
}

bool AnswerReader::keeps_alive() const {
    return !surplus_ && parser_->keep_alive();
}

std::optional<std::chrono::seconds> AnswerReader::idle_time() const {
    constexpr std::string_view name = "timeout=";
    auto rest = view(parser_->get()["Keep-Alive"]);
    while (!rest.empty()) {
        const auto parameter = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
        const auto begin = parameter.find_first_not_of(" \t");
        if (begin == parameter.npos || !boost::beast::iequals(parameter.substr(begin, name.size()), name)) continue;
        const auto value = parameter.substr(begin + name.size());
        unsigned seconds = 0;
        if (std::from_chars(value.data(), value.data() + value.size(), seconds).ec == std::errc())
            return std::chrono::seconds(seconds);
    }
    return std::nullopt;
}

Reply AnswerReader::take(WallTime wall) {
    auto message = parser_->release();
    parser_.reset();
    Reply reply;
    reply.kind = Reply::Kind::answered;
    reply.status = message.result_int();
    reply.content_type = message[beast::field::content_type];
    if (const auto asked = message[beast::field::retry_after]; !asked.empty())
        reply.retry_after = parse_retry_after(view(asked), view(message[beast::field::date]), wall);
    const auto date = parse_http_date(view(message[beast::field::date]));
    if (date && message.count(beast::field::age) == 0) reply.dated.emplace(Reply::Dated{*date, {}, {}});
    reply.body = as_utf8(std::move(message.body()));
    return reply;
}

}  // namespace gateway::http
