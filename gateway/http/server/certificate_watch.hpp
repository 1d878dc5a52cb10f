// Watches the certificates that listeners show to their callers. It says when one ends, and, as long as an ended one is
// shown, that callers who check it refuse it.
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

// The names are those of the listeners that show the certificates.
using ShownCertificates = std::vector<std::pair<std::string, ShownCertificate>>;

struct CertificateTrouble {
    enum class Kind { refused, ends, not_accepted };  // some callers refuse it; it ends soon; it is not valid now
    Kind kind;
    std::string file;
    std::vector<std::string> listeners;  // the listeners that show it
    WallTime since;
    Validity validity;
    std::string words;     // follow the file's name: when it ends, or who refused it
    std::string sentence;  // says all of it, and what to do
};

std::string_view to_string(CertificateTrouble::Kind kind);

class CertificateWatch {
  public:
    // Every reference must outlive this object, and so must everything that `shown` uses.
    CertificateWatch(std::function<ShownCertificates()> shown, Clock& clock, Log& log)
        : shown_(std::move(shown)), clock_(clock), log_(log) {}

    // Returns what callers are shown now.
    ShownCertificates shown() const { return shown_(); }
    // Returns what is wrong now, or soon, or was wrong for callers of the last hour. A certificate that several
    // listeners show is reported once.
    std::vector<CertificateTrouble> troubles() const;
    // Logs what has begun or ended since the last look. What goes on is logged again each day, or each hour if the
    // certificate is not valid. The listener itself logs that callers refuse its certificate.
    void look();
    // Looks every minute, for ever.
    boost::asio::awaitable<void> keep_looking();

  private:
    // A certificate is identified by its file and its validity.
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
