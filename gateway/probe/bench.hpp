// Where a probe's trials are made: requests through the same code that sells, each written into the ledger before it
// leaves, each answer judged by the same law. And requests that the gateway would never send, made of those by altering
// them.
//
// Nothing leaves any more once the probe was stopped, the ledger or the transcript cannot be written, or the provider
// has gone silent; but for what takes back what was authorised.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "http/client/client.hpp"
#include "probe/goods.hpp"
#include "probe/ledger.hpp"
#include "probe/transcript.hpp"
#include "provider/provider.hpp"
#include "provider/token_keeper.hpp"
#include "sale/answer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway::probe {

// A sale of a trial's, with its one attempt.
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

struct BenchOptions {
    ProviderOptions provider;
    TokenKeeperOptions tokens;
    Duration late_arrival{};  // after which a request that was lost does not arrive any more
};

// What is done to a body before it is sent.
using Alteration = std::function<void(boost::json::object& body)>;

class Bench {
  public:
    // Every reference must outlive the bench, and the bench whatever runs on the executor.
    Bench(boost::asio::any_io_executor executor, BenchOptions options, http::Client& provider, http::Client& tokens,
          Transcript& transcript, Ledger& ledger, Clock& clock, Random& random, Log& log);
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench() = default;

    // --- sales ---
    Deal deal(const Goods& goods, bool with_callbacks = false);
    // With an idExterno that may be of another kind than the gateway's own.
    Deal deal_with_id(const Goods& goods, std::string id, bool with_callbacks = false);
    boost::asio::awaitable<Shot> solicitar(Deal& deal);
    // The same request with another body: what it is answered is judged as an answer to that sale.
    boost::asio::awaitable<Shot> solicitar_altered(Deal& deal, Alteration alter);
    // eSIM: with the notification address in a field of this name.
    boost::asio::awaitable<Shot> solicitar_with_field(Deal& deal, const std::string& callback_field);
    boost::asio::awaitable<Shot> confirmar(Deal& deal);
    boost::asio::awaitable<Shot> confirmar_without_token(Deal& deal);
    // Health: by this path, where it is not empty.
    boost::asio::awaitable<Shot> cancelar(Deal& deal, std::string health_path = {});
    // Cancels until the provider has said what became of it, a few times at most. Goes on when the bench is stopped.
    boost::asio::awaitable<void> take_back(Deal& deal);
    // The same of everything in the ledger that may be open, but for what is left open on purpose.
    boost::asio::awaitable<void> take_back_all();
    // A cancel more of everything that was cancelled in this run: whether it is still so.
    boost::asio::awaitable<void> ask_about_again();
    // The sale of an entry, to be cancelled or asked for.
    Deal deal_of(const Entry& entry) const;
    // A new idExterno, as the gateway's are, or of digits alone.
    std::string make_id();

    // --- everything else ---
    boost::asio::awaitable<Reply> query(const OptionsQuestion& question);
    // Once, whatever comes: not repeated where the provider takes no more.
    boost::asio::awaitable<Reply> query_once(const OptionsQuestion& question);
    boost::asio::awaitable<Reply> query_with(const OptionsQuestion& question, const Secret& access_token);
    boost::asio::awaitable<Reply> get(std::string target);
    boost::asio::awaitable<Reply> ask_token(Secret form, Secret authorization);
    boost::asio::awaitable<void> pause(Duration length);

    // --- how it is ---
    bool can_cancel(Family family) const { return main_->can_cancel(family); }
    // Whether a cancel of a health sale could be sent to this path at all.
    bool can_cancel_by(const std::string& health_path);
    // A health sale is cancelled there from now on.
    void use_health_path(const std::string& path);
    void use_separator(const std::string& separator);
    // Between two requests, so that a provider that counts them takes all.
    void use_pace(Duration between) { pace_ = between; }
    // idExternos of digits alone.
    void use_digits(bool yes = true) { digits_ = yes; }
    bool uses_digits() const noexcept { return digits_; }

    // Words in Portuguese; the first reason stays.
    void stop(std::string why);
    bool stopped() const noexcept { return !stopped_.empty(); }
    const std::string& why_stopped() const noexcept { return stopped_; }
    // Whether the provider answered anything but errors of its own, in this run; or was asked for nothing.
    bool was_answered() const noexcept { return answered_ || !asked_; }
    // The shape of the first error of a sales operation that came; empty where none did.
    const std::string& error_shape_seen() const noexcept { return error_shape_; }
    bool ever_authorised() const noexcept { return authorised_; }
    // The HTTP status of the latest answer that authorised a sale.
    unsigned last_accepted_http() const noexcept { return accepted_http_; }

    Ledger& ledger() noexcept { return ledger_; }
    Clock& clock() noexcept { return clock_; }
    Random& random() noexcept { return random_; }
    const BenchOptions& options() const noexcept { return options_; }
    const std::vector<Secret>& credentials() const noexcept { return credentials_; }

  private:
    enum class Need { trial, taking_back };

    Provider& provider_for(const std::string& health_path, const std::string& callback_field);
    void make_keeper();
    void write_down_goods(const Deal& deal);
    void note_authorised(Deal& deal, const std::string& id_transacao);
    boost::asio::awaitable<Shot> finish_solicitar(Deal& deal, boost::asio::awaitable<Reply> sending);
    boost::asio::awaitable<Reply> step(Step step, const Deal& deal, Provider& through, Need need);
    boost::asio::awaitable<Reply> step_once(Step step, const Deal& deal, Provider& through);
    boost::asio::awaitable<Reply> altered(Step step, const Deal& deal, Alteration alter, Need need);
    boost::asio::awaitable<Reply> post(std::string target, std::string label, std::string body, bool with_token,
                                       Need need);
    boost::asio::awaitable<Reply> with_token(http::ClientRequest request, Need need);
    // Waits for the pace, and for a provider that takes no more; nothing where nothing may leave.
    boost::asio::awaitable<Reply> repeated(std::function<boost::asio::awaitable<Reply>()> once, Need need);
    boost::asio::awaitable<void> wait_for_pace();
    Shot judged(Step step, const Deal& deal, Reply reply);
    boost::asio::awaitable<void> cancel_until_known(Deal& deal);
    void note_cancelled(const std::string& id);
    void note_cancel(const Deal& deal, const Shot& shot);
    void note_reply(std::string_view label, std::string_view id, const Reply& reply, std::string_view verdict);
    void look_at_faults();

    const boost::asio::any_io_executor executor_;
    BenchOptions options_;
    http::Client& provider_client_;
    http::Client& token_client_;
    Transcript& transcript_;
    Ledger& ledger_;
    Clock& clock_;
    Random& random_;
    Log& log_;
    std::vector<Secret> credentials_;
    // What is replaced lives on: a coroutine of its own may still look at it.
    std::vector<std::unique_ptr<TokenKeeper>> keepers_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Provider>> providers_;
    std::vector<std::unique_ptr<Provider>> old_providers_;
    Provider* main_ = nullptr;
    std::set<std::string> cancelled_;  // not asked about again yet
    std::string health_path_;
    std::string stopped_;
    Duration pace_{0};
    Instant next_{};  // no request before
    bool digits_ = false;
    bool asked_ = false;
    bool answered_ = false;
    bool authorised_ = false;
    unsigned accepted_http_ = 0;
    std::string error_shape_;
    int silent_ = 0;  // exchanges without an answer, one after the other
};

}  // namespace gateway::probe
