// A probe speaks with the provider at its bench: by the clients that sell, at the provider's pace, and by requests that
// the gateway would never send, which are made of those by altering them. Each sale is written into the ledger before
// its request leaves, each answer is judged by the law that judges those of the gateway, and everything that was
// authorised is taken back. A probe does one thing after the other, so that whatever is asked here is answered when the
// call returns.
//
// Nothing leaves any more once the probe was stopped, the transcript cannot be written, or the provider has gone
// silent, except what takes back what was authorised.
#pragma once

#include "base/random.hpp"
#include "probe/goods.hpp"
#include "probe/ledger.hpp"
#include "probe/transcript.hpp"
#include "provider/provider.hpp"
#include "sale/answer.hpp"

#include <boost/asio/co_spawn.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway::probe {

// Holds a sale of a trial's, with its one attempt.
struct Deal {
    Sale sale;
    std::string id;  // the idExterno, which is the attempt's own unless a trial needs one of another kind

    Attempt& attempt() { return sale.attempts.front(); }
    const Attempt& attempt() const { return sale.attempts.front(); }
};

struct Shot {
    Reply reply;
    Answer answer;

    bool is(Verdict verdict) const noexcept { return answer.verdict == verdict; }
};

// Runs the event loop until it is over. What it throws ends the probe.
using Drive = std::function<void(const std::function<bool()>& is_over)>;

// Every reference must outlive the bench.
struct BenchParts {
    boost::asio::any_io_executor executor;
    TranscriptClient& provider;
    http::Client& tokens;
    Transcript& transcript;
    Clock& clock;
    Random& random;
    Log& log;
    Ledger& ledger;
    Drive drive;
};

// Changes a body before it is sent.
using Alteration = std::function<void(boost::json::object& body)>;

class Bench {
  public:
    // A request that was lost does not arrive any more after `late_arrival`.
    Bench(ProviderOptions options, Duration late_arrival, BenchParts parts);
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench() = default;

    // --- sales ---

    // Makes a sale of the goods, with a new idExterno, or with one that may be of another kind than the gateway's own.
    Deal deal(const Goods& goods) { return deal(goods, make_id()); }
    Deal deal(const Goods& goods, std::string id);
    // Makes the sale of an entry, to be cancelled or asked for.
    Deal deal_of(const Entry& entry) const;
    // Makes a new idExterno, as the gateway's are, or of digits alone.
    std::string make_id();
    void use_digits(bool yes = true) { digits_ = yes; }
    bool uses_digits() const noexcept { return digits_; }

    // Asks for the sale, with another body where it is altered. The answer is judged as one to that sale.
    Shot solicitar(Deal& deal, const Alteration& alter = nullptr) { return ask_for(deal, *main_, alter); }
    // Asks for an eSIM, with the notification address in a field of this name.
    Shot solicitar_with_field(Deal& deal, const std::string& callback_field);
    Shot confirmar(Deal& deal);
    Shot confirmar_without_token(Deal& deal);
    Shot cancelar(Deal& deal);
    // Sends the cancel of a health sale to a path of which it is not known what it does. Its answer counts once it is
    // believed.
    Shot cancelar_by(Deal& deal, const std::string& health_path);
    void believe(const Deal& deal, const Shot& shot) { note_cancel(deal, shot); }
    // Cancels until the provider has said what became of it, a few times at most. Goes on when the bench is stopped.
    void take_back(Deal& deal);
    // Takes back everything in the ledger that may be open, but for what is left open on purpose.
    void take_back_all();
    // Asks by one more cancel whether everything that was cancelled in this run still is. What is not answered may be
    // open.
    void ask_about_again();

    bool can_cancel(Family family) const { return main_->can_cancel(family); }
    // Returns whether a cancel of a health sale could be sent to this path at all.
    bool can_cancel_by(const std::string& health_path);
    // A health sale is cancelled there from now on. Until then it is cancelled nowhere, whatever is configured: a path
    // that nobody has tried may sell.
    void use_health_path(const std::string& path);

    // --- everything else that is asked ---

    Reply query(const OptionsQuestion& question);
    // Asks once, whatever comes: it is not repeated where the provider takes no more.
    Reply query_once(const OptionsQuestion& question);
    Reply query_with(const OptionsQuestion& question, const Secret& access_token);
    Reply get(const std::string& target);
    Reply ask_token(Secret form, Secret authorization);
    // Sends a request that the gateway has no call for.
    Reply exchange(http::Client& client, http::ClientRequest request);
    void use_separator(std::string_view separator);
    // Leaves so much time between two requests, so that a provider that counts them takes all.
    void use_pace(Duration between) { pace_ = between; }

    // Waits for so long, or until the probe is stopped.
    void pause(Duration length);
    // Runs the event loop until the coroutine has returned, and returns the same.
    template <class T>
    T wait_for(boost::asio::awaitable<T> work) {
        std::optional<T> result;
        boost::asio::co_spawn(parts_.executor, keep(std::move(work), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        parts_.drive([&] { return result.has_value(); });
        return std::move(*result);
    }

    // Sends nothing more. The reason is in Portuguese, and the first one stays.
    void stop(std::string why);
    // Stops the probe where a file of it could not be written, for this reason.
    void stop_by_fault(const std::string& fault);
    bool stopped() const noexcept { return !stopped_.empty(); }
    const std::string& why_stopped() const noexcept { return stopped_; }

    // Returns whether the provider answered anything but errors of its own in this run, or was asked for nothing.
    bool was_answered() const noexcept { return answered_ || !asked_; }
    // Returns the shape of the first error of a sales operation that came; empty where none did.
    const std::string& error_shape_seen() const noexcept { return error_shape_; }
    // Returns the HTTP status of the latest answer that authorised a sale; 0 where none did.
    unsigned last_accepted_http() const noexcept { return accepted_http_; }

    const BenchParts& parts() const noexcept { return parts_; }
    Clock& clock() const noexcept { return parts_.clock; }
    Ledger& ledger() const noexcept { return parts_.ledger; }
    const ProviderOptions& options() const noexcept { return options_; }
    Duration late_arrival() const noexcept { return late_arrival_; }
    const std::vector<Secret>& credentials() const noexcept { return credentials_; }

  private:
    enum class Need { trial, taking_back };

    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& result) {
        result.emplace(co_await std::move(work));
    }
    void make_keeper();
    Provider& make_provider(const std::string& health_path, const std::string& callback_field);

    Shot ask_for(Deal& deal, Provider& through, const Alteration& alter);
    // Sends a confirm or a cancel.
    Shot ask(Step step, Deal& deal, Provider& through, Need need);
    Shot judged(Step step, const Deal& deal, Reply reply);
    void cancel_until_known(Deal& deal);
    void note_authorised(Deal& deal, const std::string& id_transacao);
    void note_departure(const Deal& deal, const Reply& reply);
    void note_cancelled(const std::string& id);
    void note_cancel(const Deal& deal, const Shot& shot);

    Reply send(Step step, const Deal& deal, Provider& through, Need need, const Alteration& alter = nullptr);
    Reply send_once(Step step, const Deal& deal, Provider& through);
    // Waits for the pace, and for a provider that takes no more; nothing is sent where nothing may leave.
    Reply repeated(const std::function<Reply()>& once, Need need);
    void note_reply(std::string_view label, const Reply& reply, std::string_view id = {},
                    std::string_view verdict = {});
    Instant deadline() const { return clock().now() + options_.request_timeout; }
    // Waits whether or not the probe is stopped.
    void sleep_for(Duration length);

    ProviderOptions options_;
    const Duration late_arrival_;
    const BenchParts parts_;
    const std::vector<Secret> credentials_;
    // What is replaced lives on: a coroutine of its own may still look at it.
    std::vector<std::unique_ptr<TokenKeeper>> keepers_;
    std::vector<std::unique_ptr<Provider>> providers_;
    Provider* main_ = nullptr;
    std::string health_path_;
    std::set<std::string> cancelled_;  // not asked about again yet
    bool digits_ = false;
    unsigned accepted_http_ = 0;
    std::string error_shape_;
    std::string stopped_;
    Duration pace_{0};
    Instant next_{};  // no request before
    bool asked_ = false;
    bool answered_ = false;
    int silent_ = 0;  // exchanges without an answer, one after the other
};

}  // namespace gateway::probe
