// The transcript has every request of a probe and its answer, a line each in a file, which is written before the
// request leaves and as the answer comes. Each line has the digest of the one before it, so that none can be taken out,
// added or altered afterwards without it being seen.
#pragma once

#include "base/clock.hpp"
#include "http/client/client.hpp"
#include "probe/mask.hpp"
#include "probe/records.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::probe {

class Transcript {
  public:
    // The references must outlive it. Throws Failed if the file cannot be used: one that does not hang together is not
    // gone on with.
    Transcript(const std::string& path, const Clock& clock, Mask& mask);

    // Returns the number of the line; nothing where it cannot be written. A large `body` that an earlier line of this
    // run has is not written once more: `bodyAsInLine` names that line.
    std::optional<std::size_t> add(boost::json::object line);
    std::size_t size() const noexcept { return count_; }
    const std::string& last_digest() const noexcept { return before_; }
    const std::string& fault() const noexcept { return file_.fault(); }
    // Says whether requests are sent that cannot be written down. Only those that take back what was authorised are.
    void let_go_on(bool yes) noexcept { lenient_ = yes; }
    bool lets_go_on() const noexcept { return lenient_; }
    Mask& mask() noexcept { return mask_; }
    const Clock& clock() const noexcept { return clock_; }

  private:
    AppendFile file_;
    const Clock& clock_;
    Mask& mask_;
    std::size_t count_ = 0;
    std::map<std::string, std::size_t> bodies_;  // digests of the large ones, and the lines that have them
    std::string before_;                         // the digest of the last line; empty before the first one
    bool lenient_ = false;
};

// Says what is wrong with the lines of a transcript, with the line's number; nothing where all of them hang together. A
// last line that was cut short is let pass.
std::optional<std::string> broken_chain(const std::vector<std::string>& lines);

// The exchanges of this client stand in the transcript. `service` names whom it leads to. A request that cannot be
// written down is not sent: errc::journal_unavailable. Both references must outlive it.
class TranscriptClient final : public http::Client {
  public:
    TranscriptClient(http::Client& client, Transcript& transcript, std::string service)
        : client_(client), transcript_(transcript), service_(std::move(service)) {}

    boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> reserve(Instant deadline) override;
    std::string trouble() const override { return client_.trouble(); }
    // Changes each request from now on, before it is written down and sent; null lets them be.
    void alter(std::function<void(http::ClientRequest&)> change) { change_ = std::move(change); }

  private:
    class Held;

    http::Client& client_;
    Transcript& transcript_;
    const std::string service_;
    std::function<void(http::ClientRequest&)> change_;
};

}  // namespace gateway::probe
