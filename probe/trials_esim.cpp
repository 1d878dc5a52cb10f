// The trial of eSIM, which takes effect by itself, asks for a sale and listens for its callbacks.
#include "base/json_members.hpp"
#include "probe/records.hpp"
#include "probe/reply_words.hpp"
#include "probe/trials.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

const PointNames callback_points{"esim-uuid",      "recharge-callback", "callback-tries",
                                 "callback-retry", "callback-repeat",   "callback-until"};
// No provider sends more callbacks for all sales of a probe.
constexpr std::size_t most_callbacks = 1000;

int answer_to_try(int tries) {
    if (tries <= CallbackReceiver::refusals) return 503;
    return tries == CallbackReceiver::refusals + 1 ? 204 : 200;
}

// We look this often whether a callback has come.
constexpr Duration look_every{1'000};
// The first callback may take so long: a sale takes minutes where a chip is made for it.
constexpr Duration first_within{180'000};
// We listen for at least so long after a callback. Most providers wait less between two tries.
constexpr Duration quiet_at_least{150'000};
// We listen so long if another callback may come and nothing tells when: some providers try again after ten minutes.
constexpr Duration quiet_for_more{660'000};
// We listen no longer than this in all, because a person waits beside the probe.
constexpr Duration listened_most{1'200'000};
// Two waits count as equal if their ratio is less, because a network and a clock are in between.
constexpr double equal_within = 1.4;
// A provider that doubles its waits may do so up to a maximum. Longer waits than this may have met it.
constexpr Duration perhaps_capped{30'000};

constexpr auto minutes_of_quiet = std::chrono::floor<std::chrono::minutes>(quiet_for_more).count();

// Returns whether a callback may come that no earlier wait foretells: the second try of the first one, or that of the
// recharge.
bool may_yet_come(const std::vector<CallbackSeen>& seen) {
    const auto tries = std::ranges::count(seen, true, &CallbackSeen::first);
    const bool was_taken = std::ranges::any_of(
        seen, [](const CallbackSeen& one) { return one.first && one.answered >= 200 && one.answered <= 299; });
    return (tries == 1 && !was_taken) || static_cast<std::size_t>(tries) == seen.size();
}

Duration between(const CallbackSeen& one, const CallbackSeen& next) {
    return std::chrono::duration_cast<Duration>(next.at - one.at);
}

void read_uuid(const CallbackHistory& history, Found& found) {
    const auto body = object_of(history.seen.front().body);
    const auto uuid = text_in(body, "uuid");
    if (uuid.empty())
        found.leave("esim-uuid", "o callback não tem uuid");
    else if (uuid == history.id_transacao)
        found.answer("esim-uuid", "id-transacao");
    else if (uuid == history.id_externo)
        found.answer("esim-uuid", "id-externo");
    else
        found.answer("esim-uuid", "own-number", "um número que nenhuma resposta tem");
}

void read_recharge(const CallbackHistory& history, Found& found) {
    const auto second = std::ranges::find_if(history.seen, [](const CallbackSeen& one) { return !one.first; });
    if (second != history.seen.end())
        found.answer("recharge-callback", second->recharge ? "own-address" : "same-address");
    else if (history.whole)
        found.answer("recharge-callback", "none",
                     fmt::format("nenhum segundo callback veio em {} minutos", minutes_of_quiet));
    else
        found.leave("recharge-callback", "a escuta terminou antes");
}

void read_waits(const std::vector<CallbackSeen>& tries, Found& found) {
    if (tries.size() < 2) throw Untold{"o callback não foi repetido"};
    const auto first = between(tries[0], tries[1]);
    found.answer("callback-retry", fmt::format("{}s", (first.count() + 500) / 1000),
                 fmt::format("{} ms até a segunda tentativa", first.count()));
    if (tries.size() < 3) throw Untold{"houve só duas tentativas"};
    const auto second = between(tries[1], tries[2]);
    const auto ratio =
        static_cast<double>(second.count()) / static_cast<double>(std::max<std::int64_t>(first.count(), 1));
    const auto words = fmt::format("{} ms, depois {} ms", first.count(), second.count());
    if (ratio < equal_within && first > perhaps_capped) throw Untold{words + ": pode ser um máximo"};
    found.answer("callback-repeat", ratio >= equal_within ? "doubling" : "fixed", words);
}

// Reads how often the callback came until it was taken or given up, and which answer ended it.
void read_tries(const CallbackHistory& history, const std::vector<CallbackSeen>& tries, Found& found) {
    constexpr auto refusals = static_cast<std::size_t>(CallbackReceiver::refusals);
    if (tries.size() > refusals) {
        found.answer("callback-tries", fmt::format("over-{}", refusals),
                     fmt::format("{} tentativas vieram, até uma ser aceita", tries.size()));
        if (tries.size() > refusals + 1)
            found.answer("callback-until", "200", "um 204 não encerrou as tentativas");
        else if (history.whole)
            found.answer("callback-until", "2xx", "um 204 encerrou as tentativas");
        else
            found.leave("callback-until", "a escuta terminou antes");
        return;
    }
    found.drop("callback-until", "o provedor desistiu antes de uma resposta 2xx");
    if (history.whole)
        found.answer("callback-tries", std::to_string(tries.size()),
                     tries.size() == 1
                         ? fmt::format("nenhuma outra veio em {} minutos", minutes_of_quiet)
                         : std::string("depois disso o provedor desistiu: nenhuma veio em três vezes a espera"));
    else
        found.leave("callback-tries", "a escuta terminou antes");
}

// Returns the callbacks of this sale. Sets `quiet` to the time for which we wait for the next one.
std::vector<CallbackSeen> seen_of(const CallbackReceiver& receiver, const std::string& secret, Duration& quiet) {
    std::vector<CallbackSeen> seen;
    quiet = quiet_at_least;
    for (const auto& one : receiver.seen()) {
        if (one.secret != secret) continue;
        if (!seen.empty()) quiet = std::max(quiet, 3 * between(seen.back(), one));
        seen.push_back(one);
    }
    if (may_yet_come(seen)) quiet = std::max(quiet, quiet_for_more);
    return seen;
}

// Listens until both callbacks have been taken, or until none has come for long enough.
CallbackHistory listen_for(Setting& setting, const Deal& deal) {
    auto& bench = setting.bench;
    const auto& receiver = *setting.receiver;
    auto& clock = bench.clock();
    CallbackHistory history{.seen = {}, .id_externo = deal.id, .id_transacao = deal.attempt().id_transacao};
    const auto end = clock.now() + listened_most;
    Duration quiet = first_within;
    std::size_t known = 0;
    while (!are_all_taken(history.seen)) {
        const auto until = std::min(clock.now() + quiet, end);
        while (receiver.seen().size() == known && !bench.stopped() && clock.now() < until)
            bench.pause(look_every);
        const bool more = receiver.seen().size() > known;
        history.whole = !bench.stopped() && (more || until != end);
        if (!more || bench.stopped()) break;
        known = receiver.seen().size();
        history.seen = seen_of(receiver, deal.sale.callback_secret.reveal(), quiet);
    }
    return history;
}

void close_esim(Setting& setting, const Deal& deal, const CallbackHistory& history) {
    for (const auto& one : history.seen) {
        const auto body = object_of(one.body);
        const auto status = parse_status(text_in(body, "situacaoTransacao"));
        if (status && is_final(*status)) {
            setting.bench.ledger().closed(deal.id, to_string(*status));
            return;
        }
    }
    setting.bench.ledger().said(deal.id, "AUTORIZADA, e nenhum callback disse o fim");
}

// Returns whether nothing was sent, or the provider says no.
bool makes_no_sale(const Shot& shot) {
    return shot.is(Verdict::refused) || shot.is(Verdict::unsent) || shot.is(Verdict::unauthorised) ||
           shot.is(Verdict::throttled);
}

// Knows what this run and those before have tried. An eSIM cannot be cancelled, so that we sell none with a field with
// which one was sold or may have been. We write the field down before anything is sent.
class FieldsTried {
  public:
    FieldsTried(Notebook& book, const Reading& before) : book_(book), fields_(before.tried) {
        if (!fields_.empty()) words_.push_back(before.detail);
    }

    bool sends(const std::string& field) {
        fields_.push_back(field);
        words_.push_back(fmt::format("com o campo {} não se sabe o que foi respondido", field));
        return write_down();
    }
    bool heard(const Shot& shot) {
        words_.back() =
            fmt::format("com o campo {} o solicitar respondeu {}", fields_.back(), in_portuguese(shot.reply));
        if (makes_no_sale(shot)) fields_.pop_back();
        return write_down();
    }
    void heard_no_callback() { words_.back() += ", e nenhum callback veio"; }

    const std::vector<std::string>& fields() const noexcept { return fields_; }
    std::string words() const { return fmt::format("{}", fmt::join(words_, "; ")); }

  private:
    bool write_down() {
        return book_.put({.point = "callback-field", .value = {}, .detail = words(), .tried = fields_});
    }

    Notebook& book_;
    std::vector<std::string> fields_;
    std::vector<std::string> words_;
};

// Asks the ledger, whose lines are on the disk before a request leaves, and which is still there if the notebook is
// not.
bool may_have_sold(const Ledger& ledger) {
    const auto has_esim = [](const std::vector<Entry>& sales) {
        return std::ranges::find(sales, Family::esim, &Entry::family) != sales.end();
    };
    return has_esim(ledger.open_sales()) || has_esim(ledger.sold_sales());
}

// Returns the fields that are left to be tried. Throws Untold if none may be tried.
std::vector<std::string> fields_for(const Setting& setting, const Reading& before) {
    if (!setting.goods.contains(Family::esim)) {
        const auto why = setting.no_goods.find(Family::esim);
        throw Untold{why == setting.no_goods.end() ? "eSIM não está em [[products]]" : why->second};
    }
    if (setting.receiver == nullptr)
        throw Untold{"ninguém escuta os callbacks: faltam listen.callbacks e provider.callback_url"};
    auto fields = candidates_of(setting.bench.options().callback_field, setting.arguments.callback_fields);
    std::erase_if(
        fields, [&](const std::string& field) { return std::ranges::find(before.tried, field) != before.tried.end(); });
    if (before.answered || fields.empty())
        throw Untold{"nesta pasta já se pediu um eSIM com esse campo, e não se pede outro: use uma pasta nova"};
    if (before.tried.empty() && may_have_sold(setting.bench.ledger()))
        throw Untold{"nesta pasta já se pediu um eSIM, e não se sabe mais com que campo: use uma pasta nova"};
    return fields;
}

void sell_esim(Setting& setting, Found& found, const std::vector<std::string>& fields, const Reading& before) {
    auto& bench = setting.bench;
    FieldsTried tried(setting.book, before);
    for (const auto& field : fields) {
        if (!tried.sends(field)) return;
        auto deal = bench.deal(setting.goods.at(Family::esim));
        setting.receiver->expect(deal.sale.callback_secret.reveal());
        const auto shot = bench.solicitar_with_field(deal, field);
        if (!tried.heard(shot)) return;
        if (shot.is(Verdict::refused)) continue;
        if (!shot.is(Verdict::authorised)) break;
        const auto history = listen_for(setting, deal);
        close_esim(setting, deal, history);
        if (history.seen.empty()) {
            tried.heard_no_callback();
            found.leave("callback-field", tried.words());
        } else {
            found.answer("callback-field", field, tried.words());
        }
        found.tried("callback-field", tried.fields());
        read_callbacks(history, found);
        return;
    }
    found.leave("callback-field", tried.words());
    found.tried("callback-field", tried.fields());
    throw Untold{"o solicitar de eSIM não foi autorizado"};
}

}  // namespace

int CallbackReceiver::take(std::string_view secret, bool recharge, std::string_view body) {
    const std::string name(secret);
    if (!expected_.contains(name) || seen_.size() >= most_callbacks) return 404;
    const auto object = object_of(body);
    const std::string word(text_in(object, "situacaoRecarga"));
    const bool is_first = !recharge && first_word_.emplace(name, word).first->second == word;
    const int status = is_first ? answer_to_try(++tries_[name]) : 200;
    seen_.push_back({name, recharge, std::string(body), clock_.now(), status, is_first});
    return status;
}

void ask_esim(Setting& setting, Found& found, Family) {
    const auto* reading = setting.book.find("callback-field");
    const auto before = reading == nullptr ? Reading{} : *reading;
    const auto ask = [&] { sell_esim(setting, found, fields_for(setting, before), before); };
    // If a field was tried before, its reading stays as it is.
    if (before.tried.empty())
        ask();
    else
        found.read(callback_points, ask);
}

bool are_all_taken(const std::vector<CallbackSeen>& seen) {
    constexpr int taken = 200;
    const auto was_taken = [&](bool first) {
        return std::ranges::any_of(
            seen, [&](const CallbackSeen& one) { return one.first == first && one.answered == taken; });
    };
    return was_taken(true) && was_taken(false);
}

void read_callbacks(const CallbackHistory& history, Found& found) {
    found.read(callback_points, [&] {
        if (history.seen.empty()) throw Untold{"nenhum callback veio"};
        std::vector<CallbackSeen> tries;
        std::ranges::copy_if(history.seen, std::back_inserter(tries), &CallbackSeen::first);
        read_uuid(history, found);
        read_recharge(history, found);
        found.read({"callback-retry", "callback-repeat"}, [&] { read_waits(tries, found); });
        read_tries(history, tries, found);
    });
}

}  // namespace gateway::probe
