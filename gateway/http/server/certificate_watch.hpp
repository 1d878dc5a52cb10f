// Looks after the certificates that the callers of listeners are shown: says when one ends, and that anyone who looks
// at one that has ended refuses it, for as long as it is so.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "http/server/server.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::http {

// By the name of the listener that shows it.
using ShownCertificates = std::vector<std::pair<std::string, ShownCertificate>>;

struct CertificateTrouble {
    enum class Kind { refused, ends, not_accepted };  // some callers refuse it; it ends soon; it is not valid now
    Kind kind;
    std::string file;
    std::vector<std::string> listeners;  // that show it
    WallTime since;
    Validity validity;
    std::string words;     // that follow its name: when it ends, or who refused it
    std::string sentence;  // the whole of it, with what to do
};

std::string_view to_string(CertificateTrouble::Kind kind);

class CertificateWatch {
  public:
    // Every reference must outlive it, and what `shown` uses.
    CertificateWatch(std::function<ShownCertificates()> shown, Clock& clock, Log& log)
        : shown_(std::move(shown)), clock_(clock), log_(log) {}

    // What callers are shown now.
    ShownCertificates shown() const { return shown_(); }
    // What is wrong now, or soon, or was for callers of the last hour. A certificate that several listeners show is
    // told of once.
    std::vector<CertificateTrouble> troubles() const;
    // Logs what has begun or ended since the last look; what goes on, again each day, or each hour where the
    // certificate is not valid. That callers refuse one is logged by its listener.
    void look();
    // Looks every minute, for ever.
    boost::asio::awaitable<void> keep_looking();

  private:
    // A certificate is known by its file and its validity.
    struct Said {
        CertificateTrouble about;
        bool is_to_come;  // it was not valid yet
        Instant at;
    };
    void say_what_is_over(const Said& said) const;

    const std::function<ShownCertificates()> shown_;
    Clock& clock_;
    Log& log_;
    std::vector<Said> said_;
};

}  // namespace gateway::http
