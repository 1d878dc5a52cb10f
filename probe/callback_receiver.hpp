// Takes the callbacks of the sales that a probe makes, and answers the first of each sale in a way that shows how the
// provider repeats them: 503 a few times, then 204, then 200. Every other one is answered 200 at once.
//
// The other one is that of the recharge. It comes to an address of its own, or says something else of the recharge
// (situacaoRecarga) than the first: the rest of a body may differ from one try to the next, by its time for instance.
#pragma once

#include "base/clock.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::probe {

struct CallbackSeen {
    std::string secret;
    bool recharge = false;  // it came to the address for the recharge
    std::string body;
    Instant at{};
    int answered = 0;    // HTTP
    bool first = false;  // of those that are answered in a way to be repeated
};

class CallbackReceiver {
  public:
    // So many answers are errors, before one is a success that is not 200.
    static constexpr int refusals = 3;

    explicit CallbackReceiver(const Clock& clock) : clock_(clock) {}

    // Returns the HTTP status that it is answered with; 404 where nobody expects it.
    int take(std::string_view secret, bool recharge, std::string_view body);
    void expect(const std::string& secret) { expected_.insert(secret); }

    const std::vector<CallbackSeen>& seen() const noexcept { return seen_; }

  private:
    const Clock& clock_;
    std::set<std::string> expected_;
    std::map<std::string, std::string> first_word_;  // by secret: what the first one says of the recharge
    std::map<std::string, int> tries_;               // of the first
    std::vector<CallbackSeen> seen_;
};

}  // namespace gateway::probe
