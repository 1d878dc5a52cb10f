#include "probe/transcript.hpp"

#include "base/digest.hpp"
#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/wall_time.hpp"

namespace gateway::probe {
namespace {

namespace json = boost::json;

// A body from this size on is written once: a catalogue is read hundreds of times.
constexpr std::size_t large_body = 1024;

// Returns the digest that a line says the one before it has; nothing where it says none.
std::optional<std::string> digest_said(const std::string& line) {
    const auto record = object_of(line);
    return record.contains("before") ? std::optional<std::string>(text_in(record, "before")) : std::nullopt;
}

// Shows of an Authorization the kind of the credentials.
std::string scheme_of(const Secret& authorization) {
    if (authorization.empty()) return {};
    return authorization.reveal().substr(0, authorization.reveal().find(' ')) + " " + std::string(Mask::hidden);
}

std::string_view kind_word(Reply::Kind kind) {
    switch (kind) {
        case Reply::Kind::nothing_sent: return "nothing_sent";
        case Reply::Kind::lost: return "lost";
        case Reply::Kind::answered: return "answered";
    }
    return "";
}

json::object request_line(const http::ClientRequest& request, std::string_view service, Mask& mask) {
    const auto body = mask.body(request.content_type, request.body.reveal());  // learns what the target may hold too
    json::object line{{"what", "request"},
                      {"service", service},
                      {"label", request.label},
                      {"method", request.post ? "POST" : "GET"},
                      {"target", mask.text(request.target)},
                      {"accept", request.accept}};
    if (!request.content_type.empty()) line["contentType"] = request.content_type;
    if (const auto scheme = scheme_of(request.authorization); !scheme.empty()) line["authorization"] = scheme;
    if (!body.empty()) line["body"] = body;
    return line;
}

json::object answer_line(const Reply& reply, std::size_t request, Duration took, Mask& mask) {
    json::object line{{"what", "answer"}, {"request", request}, {"kind", kind_word(reply.kind)}, {"ms", took.count()}};
    if (reply.kind != Reply::Kind::answered) {
        line["failure"] = reply.failure.message();
        return line;
    }
    line["status"] = reply.status;
    line["contentType"] = reply.content_type;
    if (reply.retry_after) line["retryAfter"] = reply.retry_after->count();
    line["body"] = mask.body(reply.content_type, reply.body);
    return line;
}

}  // namespace

Transcript::Transcript(const std::string& path, const Clock& clock, Mask& mask)
    : file_(path), clock_(clock), mask_(mask) {
    const auto lines = file_.take_lines();
    if (const auto broken = broken_chain(lines)) throw Failed(path + ": " + *broken);
    count_ = lines.size();
    if (!lines.empty()) before_ = sha256_hex(lines.back());
}

std::optional<std::size_t> Transcript::add(json::object line) {
    json::object whole{{"n", count_ + 1}, {"at", to_rfc3339(clock_.wall())}};
    const auto body = std::string(text_in(line, "body"));
    const auto digest = body.size() >= large_body ? sha256_hex(body) : std::string();
    const auto known = bodies_.find(digest);
    if (known != bodies_.end()) {
        line.erase("body");
        line["bodyAsInLine"] = known->second;
    }
    for (auto& member : line)
        whole[member.key()] = std::move(member.value());
    whole["before"] = before_;
    std::string text;
    append_json(text, whole);
    if (!file_.append(text, AppendFile::Lasting::written)) return std::nullopt;
    before_ = sha256_hex(text);
    ++count_;
    if (!digest.empty()) bodies_.emplace(digest, count_);
    return count_;
}

std::optional<std::string> broken_chain(const std::vector<std::string>& lines) {
    std::string before;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto said = digest_said(lines[i]);
        const bool last = i + 1 == lines.size();
        // A full disk cut this line short: what follows it has its digest as it is.
        if (!said && (last || digest_said(lines[i + 1]) == sha256_hex(lines[i]))) {
            before = sha256_hex(lines[i]);
            continue;
        }
        if (said != before)
            return "line " + std::to_string(i + 1) + " does not follow the one before it: the transcript was altered";
        before = sha256_hex(lines[i]);
    }
    return std::nullopt;
}

class TranscriptClient::Held final : public http::Reservation {
  public:
    Held(std::unique_ptr<http::Reservation> inner, TranscriptClient& client)
        : inner_(std::move(inner)), client_(client) {}

    boost::asio::awaitable<Reply> send(http::ClientRequest request, Instant deadline) override {
        auto& transcript = client_.transcript_;
        if (client_.change_) client_.change_(request);
        const auto number = transcript.add(request_line(request, client_.service_, transcript.mask()));
        if (!number && !transcript.lets_go_on()) co_return Reply::unsent(errc::journal_unavailable);
        const auto begun = transcript.clock().now();
        auto sending = inner_->send(std::move(request), deadline);
        auto reply = co_await std::move(sending);
        const auto took = std::chrono::duration_cast<Duration>(transcript.clock().now() - begun);
        transcript.add(answer_line(reply, number.value_or(0), took, transcript.mask()));
        co_return reply;
    }

  private:
    std::unique_ptr<http::Reservation> inner_;
    TranscriptClient& client_;
};

boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> TranscriptClient::reserve(Instant deadline) {
    auto reserved = co_await client_.reserve(deadline);
    if (!reserved) co_return reserved.error();
    std::unique_ptr<http::Reservation> held = std::make_unique<Held>(std::move(*reserved), *this);
    co_return std::move(held);
}

}  // namespace gateway::probe
