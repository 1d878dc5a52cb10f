// This is the sandbox provider without a network: its token service, its families, its books, and everything that may
// go wrong on the way to it and back. It was written from the provider's interface document alone, so that it can judge
// a client.
//
// The model is pure: it has no sockets and no clock of its own. Its driver hands in requests and the time, which must
// never go back; sends the answers as each of them says; and calls advance() at next_due(), for requests that arrive
// late and for callbacks. With the same random numbers and the same calls, it does exactly the same.
#pragma once

#include "base/log.hpp"
#include "base/random.hpp"
#include "sandbox/books.hpp"
#include "sandbox/callbacks.hpp"
#include "sandbox/faults.hpp"
#include "sandbox/message.hpp"
#include "sandbox/personality.hpp"
#include "sandbox/routes.hpp"
#include "sandbox/sales.hpp"
#include "sandbox/tokens.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

// This is a callback to be sent: a POST of `body`, with Content-Type: application/json, to `url`.
struct Delivery {
    std::uint64_t id = 0;
    std::string idExterno{};
    std::string url{};
    std::string body{};
};

// This is a request whose connection is gone and which has not arrived yet.
struct Held {
    Call call{};
    Route route{};
    std::string idExterno{};
    bool behind_cancel = false;  // it need not wait any longer once a cancel of its sale was answered
};

class Model {
  public:
    // Both references must outlive the model.
    Model(Options options, Random& random, Log& log);
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model() = default;

    Answer handle(const Call& call, WallTime now);

    // Says when advance() has something to do; returns nothing while only requests can change anything.
    std::optional<WallTime> next_due() const;
    // Processes the late requests that are due, and returns at most `most` of the callbacks that are due. The caller
    // must report on each of them.
    std::vector<Delivery> advance(WallTime now, std::size_t most = std::numeric_limits<std::size_t>::max());
    // Takes the receiver's answer to a callback; nothing where no answer came.
    void callback_answered(std::uint64_t id, std::optional<int> status, WallTime now);

    // Processes now the late requests of this sale, or all of them, and says how many there were.
    std::size_t release(std::optional<std::string_view> idExterno, WallTime now);
    void expire_tokens() { tokens_.revoke(); }
    // Empties the books, and removes the rules, the counts and everything that is under way; tokens stay good.
    void reset();

    Faults& faults() noexcept { return faults_; }
    const Options& options() const noexcept { return options_; }
    const Books& books() const noexcept { return sales_.books(); }
    const Callbacks& callbacks() const noexcept { return sales_.callbacks(); }
    const Tokens& tokens() const noexcept { return tokens_; }
    const Metrics& metrics() const noexcept { return metrics_; }
    const std::multimap<WallTime, Held>& held() const noexcept { return held_; }

  private:
    // Follows one request on its way through the model.
    struct Visit {
        const Call& call;
        Route route;
        WallTime now;
        bool late;                     // it comes from held_
        Transaction* entry = nullptr;  // the entry of the sale that the request names
        std::string idExterno{};
        Treatment treatment{};
        bool ruled = false;      // a rule decided the treatment; rules go before the cents
        bool processed = false;  // it moved a sale, or got a token or the answer to a query
    };

    Answer no_route(NoRoute why, WallTime now);
    Answer enter(Visit visit);
    // Returns nothing where the request goes no further: it was lost or is held.
    std::optional<Reply> process(Visit& visit, const boost::json::object* body);
    std::optional<Reply> process_sale(Visit& visit, const boost::json::object* body);
    Reply process_token(Visit& visit);
    Reply process_query(Visit& visit);
    Reply process_status(Visit& visit);
    bool goes_no_further(const Visit& visit);
    std::optional<Reply> over_the_limit(const Visit& visit);
    void choose_outcome(Visit& visit, const Sales::Checked& checked);
    void hold(const Visit& visit);
    void process_held(Held held, WallTime now);
    template <class Which>
    std::size_t process_held_if(Which which, WallTime now);
    void process_due(WallTime now);
    void note(const Visit& visit, const Reply& reply, const Answer& answer);
    void log(const Visit& visit, const Reply& reply, const Answer& answer);

    void move(Callback& callback, WallTime now);
    std::optional<Delivery> send(Callback& callback, WallTime now);
    void send_again(std::uint64_t id, WallTime now);
    void note_callback(const Callback& callback, Seen seen);

    const Options options_;
    Log& log_;
    Sales sales_;
    Tokens tokens_;
    Faults faults_;
    Metrics metrics_;
    std::multimap<WallTime, Held> held_;
    WallTime second_{};  // the second that the rate limit counts in
    std::size_t in_second_ = 0;
};

}  // namespace gateway::sandbox
