// Holds what the sessions of one listener share: its options, its deadlines, and the buffers that each session uses
// only at the moment in which bytes move. It lives as long as the last session. It owns no I/O object, because those
// live in coroutine frames.
#pragma once

#include "http/server/answer.hpp"
#include "http/server/repeated_calls.hpp"
#include "http/server/server.hpp"
#include "net/deadlines.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gateway::http {

// A connection may wait for its caller to do one of these. The options say how long each may take.
enum class Wait { idle, header, body, write, linger };

using ListedSessionHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

// This is what a listener sees of a session. It leaves the listener's list when it is destroyed.
class ListedSession : public ListedSessionHook {
  public:
    virtual ~ListedSession() = default;
    // The session takes no request after the present one.
    virtual void drain() = 0;
    // The server is gone, and the session lets go of everything.
    virtual void stop() = 0;
};

struct Listener {
    Listener(const boost::asio::any_io_executor& executor, ServerOptions with_options, Router with_router,
             Clock& with_clock, Random& with_random, Log& with_log)
        : options(std::move(with_options)),
          router(std::move(with_router)),
          clock(with_clock),
          random(with_random),
          log(with_log),
          deadlines(std::make_shared<Deadlines>(executor, clock)),
          refused_calls(*deadlines, clock, log, options.name) {}

    Duration length_of(Wait wait) const noexcept {
        switch (wait) {
            case Wait::idle: return options.idle_time;
            case Wait::header: return options.header_time;
            case Wait::body: return options.body_time;
            case Wait::write: return options.write_time;
            case Wait::linger: return linger_time;
        }
        return linger_time;
    }

    // Counts an answer that was handed to the connection.
    void count(const Request& request, status answered) {
        ++answers[static_cast<unsigned>(answered)];
        if (!request.head_received) return;
        call_times[request.route.empty() ? other_call : request.route].add(clock.now() - *request.head_received);
    }

    // After its last answer, a connection is still read for so long, and so many bytes. Otherwise bytes that are on
    // their way could cause a reset, which destroys the answer before the caller has read it.
    static constexpr Duration linger_time{2'000};
    static constexpr std::size_t linger_bytes = 16U << 20U;
    // While the listener is draining, a caller that has just connected still has so long for its first request. The
    // request usually comes right after the connection. A caller that connects in advance finds that it has to connect
    // again.
    static constexpr Duration first_request_time{1'000};
    // This is the size of one TLS record.
    static constexpr std::size_t scratch_size = 16384;
    // `answer` may keep so much memory for the next answer. The memory of a larger one is freed.
    static constexpr std::size_t answer_kept = 65536;
    // So much may be kept for a connection whatever is kept for others. It is more than any sale takes.
    static constexpr std::size_t always_kept = 4096;

    // Counts everything that comes from one address, directly or through a proxy.
    struct Caller {
        std::size_t connections = 0;
        std::size_t bytes = 0;  // the bytes that are kept for it
        bool greedy = false;    // one of its connections was closed because of these bytes
    };

    // Tells whether a limit for one address applies to this one.
    bool limits(const boost::asio::ip::address& address) const { return !options.trusted_proxies.contain(address); }
    // Logs, once for many, that a connection is turned away because this caller has too many, or, if `remote` is empty,
    // because all callers together do.
    void note_full(std::size_t connections, std::string_view remote) {
        if (std::exchange(full, true)) return;
        log.warn("http.full",
                 remote.empty() ? Sentence("the {listener} listener has all the connections that it takes "
                                           "({connections}); further ones are closed")
                                : Sentence("{remote} has all the connections that one address may have of the "
                                           "{listener} listener ({connections}); further ones are closed"),
                 {{"listener", options.name}, {"connections", connections}, {"remote", remote}});
    }

    // Counts that a caller has ended its handshake because of our certificate. It is logged once for each certificate.
    void note_certificate_refused(std::string_view remote, std::string_view why) {
        ++certificate_refusals;
        if (!certificate) return;
        if (certificate->refused++ == 0)
            log.warn("http.certificate_refused",
                     "{remote} does not accept the certificate {file} of the {listener} listener: {detail}",
                     {{"listener", options.name}, {"file", certificate->file}, {"detail", why}, {"remote", remote}});
        const RunMoment now(clock);
        if (!certificate->refused_at || certificate->refused_at->ago() >= ShownCertificate::refusals_count_for)
            certificate->refused_since = now;
        certificate->refused_at = now;
        certificate->refused_by = remote;
        certificate->refused_why = why;
    }

    using Sessions = boost::intrusive::list<ListedSession, boost::intrusive::base_hook<ListedSessionHook>,
                                            boost::intrusive::constant_time_size<false>>;

    const ServerOptions options;
    const Router router;
    Clock& clock;
    Random& random;
    Log& log;
    const std::shared_ptr<Deadlines> deadlines;
    RepeatedCalls refused_calls;
    DateText date;
    std::optional<boost::asio::ssl::context> tls;
    std::optional<ShownCertificate> certificate;  // the one that `tls` shows
    std::uint64_t certificate_refusals = 0;

    // These are used only between two awaits, never across one.
    std::array<char, scratch_size> scratch{};
    std::string answer;

    Sessions sessions;
    std::size_t session_count = 0;
    std::map<boost::asio::ip::address, Caller> callers;
    std::size_t bytes = 0;  // the bytes that are kept for all callers
    bool greedy = false;    // a connection was closed because of these bytes
    std::size_t busy_count = 0;
    Answers answers;
    CallTimes call_times;
    bool full = false;  // the last caller was turned away
    std::optional<Instant> drained_since;
    bool stopped = false;  // the server is gone, and with it the clock, the log and everything that handlers use

    // These stand in the frames of the server's coroutines, and are null while those are not running.
    boost::asio::ip::tcp::acceptor* acceptor = nullptr;
    Timer* all_done = nullptr;  // notified when the last busy connection is no longer busy
};

}  // namespace gateway::http
