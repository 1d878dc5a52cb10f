// Where a probe's trials are made: sales, each written into the ledger before its request leaves, each answer judged by
// the law that judges those of the gateway, and everything that was authorised taken back.
#pragma once

#include "probe/goods.hpp"
#include "probe/ledger.hpp"
#include "probe/wire.hpp"
#include "sale/answer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <set>
#include <string>

namespace gateway::probe {

struct Shot {
    Reply reply;
    Answer answer;

    bool is(Verdict verdict) const noexcept { return answer.verdict == verdict; }
};

class Bench final : public Wire {
  public:
    // Every reference must outlive the bench, and the bench whatever runs on the executor.
    Bench(boost::asio::any_io_executor executor, BenchOptions options, http::Client& provider, http::Client& tokens,
          Transcript& transcript, Ledger& ledger, Clock& clock, Random& random, Log& log);

    Deal deal(const Goods& goods, bool with_callbacks = false);
    // With an idExterno that may be of another kind than the gateway's own.
    Deal deal_with_id(const Goods& goods, std::string id, bool with_callbacks = false);
    // The sale of an entry, to be cancelled or asked for.
    Deal deal_of(const Entry& entry) const;
    // A new idExterno, as the gateway's are, or of digits alone.
    std::string make_id();
    void use_digits(bool yes = true) { digits_ = yes; }
    bool uses_digits() const noexcept { return digits_; }

    boost::asio::awaitable<Shot> solicitar(Deal& deal);
    // The same request with another body: what it is answered is judged as an answer to that sale.
    boost::asio::awaitable<Shot> solicitar_altered(Deal& deal, Alteration alter);
    // eSIM: with the notification address in a field of this name.
    boost::asio::awaitable<Shot> solicitar_with_field(Deal& deal, const std::string& callback_field);
    boost::asio::awaitable<Shot> confirmar(Deal& deal);
    boost::asio::awaitable<Shot> confirmar_without_token(Deal& deal);
    boost::asio::awaitable<Shot> cancelar(Deal& deal);
    // Health: by a path of which it is not known what it does. What it answers counts once it is believed.
    boost::asio::awaitable<Shot> cancelar_by(Deal& deal, std::string health_path);
    void believe(const Deal& deal, const Shot& shot) { note_cancel(deal, shot); }
    // Cancels until the provider has said what became of it, a few times at most. Goes on when the bench is stopped.
    boost::asio::awaitable<void> take_back(Deal& deal);
    // The same of everything in the ledger that may be open, but for what is left open on purpose.
    boost::asio::awaitable<void> take_back_all();
    // A cancel more of everything that was cancelled in this run: whether it is still so. What is not answered may be
    // open.
    boost::asio::awaitable<void> ask_about_again();

    // The shape of the first error of a sales operation that came; empty where none did.
    const std::string& error_shape_seen() const noexcept { return error_shape_; }
    bool ever_authorised() const noexcept { return authorised_; }
    // The HTTP status of the latest answer that authorised a sale.
    unsigned last_accepted_http() const noexcept { return accepted_http_; }
    Ledger& ledger() noexcept { return ledger_; }

  private:
    // Whether it is written down that the sale will be asked for: only then may it be.
    bool write_down_goods(const Deal& deal);
    static Shot not_asked();
    static Entry entry_of(const Deal& deal);
    void note_authorised(Deal& deal, const std::string& id_transacao);
    boost::asio::awaitable<Shot> finish_solicitar(Deal& deal, boost::asio::awaitable<Reply> sending);
    boost::asio::awaitable<void> cancel_until_known(Deal& deal);
    void note_departure(const Deal& deal, const Reply& reply);
    void note_cancelled(const std::string& id);
    void note_cancel(const Deal& deal, const Shot& shot);
    Shot judged(Step step, const Deal& deal, Reply reply);

    Ledger& ledger_;
    std::set<std::string> cancelled_;  // not asked about again yet
    bool digits_ = false;
    bool authorised_ = false;
    unsigned accepted_http_ = 0;
    std::string error_shape_;
};

}  // namespace gateway::probe
