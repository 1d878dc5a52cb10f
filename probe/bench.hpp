// A probe makes its trials here: each sale is written into the ledger before its request leaves, each answer is judged
// by the law that judges those of the gateway, and everything that was authorised is taken back.
#pragma once

#include "probe/goods.hpp"
#include "probe/ledger.hpp"
#include "probe/wire.hpp"
#include "sale/answer.hpp"

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
    // The ledger must outlive the bench.
    Bench(BenchOptions options, WireParts parts, Ledger& ledger)
        : Wire(std::move(options), std::move(parts)), ledger_(ledger) {}

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
    Shot solicitar(Deal& deal, const Alteration& alter = nullptr) { return ask_for(deal, main(), alter); }
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

    // Returns the shape of the first error of a sales operation that came; empty where none did.
    const std::string& error_shape_seen() const noexcept { return error_shape_; }
    bool ever_authorised() const noexcept { return accepted_http_ != 0; }
    // Returns the HTTP status of the latest answer that authorised a sale; 0 where none did.
    unsigned last_accepted_http() const noexcept { return accepted_http_; }
    Ledger& ledger() noexcept { return ledger_; }

  private:
    Shot ask_for(Deal& deal, Provider& through, const Alteration& alter);
    // Sends a confirm or a cancel.
    Shot ask(Step step, Deal& deal, Provider& through, Need need);
    Shot judged(Step step, const Deal& deal, Reply reply);
    void cancel_until_known(Deal& deal);
    void note_authorised(Deal& deal, const std::string& id_transacao);
    void note_departure(const Deal& deal, const Reply& reply);
    void note_cancelled(const std::string& id);
    void note_cancel(const Deal& deal, const Shot& shot);

    Ledger& ledger_;
    std::set<std::string> cancelled_;  // not asked about again yet
    bool digits_ = false;
    unsigned accepted_http_ = 0;
    std::string error_shape_;
};

}  // namespace gateway::probe
