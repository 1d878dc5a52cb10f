// These trials ask for a sale's status, now or two days later: they find out where it is asked for, and whether the
// provider ends a sale by itself that was left open.
#include "base/wall_time.hpp"
#include "probe/reply_words.hpp"
#include "probe/trials.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

Reply ask_status(Bench& bench, std::string path, const std::string& id, const std::string& id_transacao) {
    const auto put = [&](std::string_view name, const std::string& value) {
        if (const auto at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
    };
    put("{idExterno}", id);
    put("{idTransacao}", id_transacao);
    return bench.get(path);
}

bool says_authorised(const Reply& reply) {
    return is_success(reply) && parse_status(status_word(reply)) == Status::AUTORIZADA;
}

void try_candidates(Setting& setting, Found& found, const Deal& deal, const std::vector<std::string>& candidates) {
    std::vector<std::string> tried;
    const auto all = [&] { return fmt::format("{}", fmt::join(tried, "; ")); };
    bool definite = true;
    for (const auto& path : candidates) {
        const auto reply = ask_status(setting.bench, path, deal.id, deal.attempt().id_transacao);
        tried.push_back(fmt::format("{} respondeu {}", path, in_portuguese(reply)));
        // An answer that was lost, or an error of the provider's own, does not tell that the path is none.
        definite = definite && tells(reply);
        if (!says_authorised(reply)) continue;
        const auto fresh = setting.bench.make_id();
        const auto unknown = ask_status(setting.bench, path, fresh, fresh);
        if (says_authorised(unknown)) {
            tried.push_back(path + " diz AUTORIZADA também de uma venda que não existe");
            continue;
        }
        if (!is_about_the_sale(unknown))
            throw Untold{all() + "; de uma venda que não existe: " + in_portuguese(unknown)};
        found.answer("status-path", path, all());
        found.answer("status-shape", status_place(reply));
        found.answer("status-unknown", said(unknown), unknown);
        return;
    }
    if (!definite) throw Untold{all()};
    found.answer("status-path", "none", all());
    found.tried("status-path", candidates);
    found.drop("status-shape", "nenhum candidato respondeu");
    found.drop("status-unknown", "nenhum candidato respondeu");
}

// --- two days later ------------------------------------------------------------------------------------------------

// Says that the sale was left open at this time.
Untold left_open_since(WallTime at) {
    return Untold{fmt::format("deixada em aberto em {}; a resposta vem com --revisit depois de {}", to_local_text(at),
                              to_local_text(at + revisit_after))};
}

// Holds what an answer says of a sale that was left open.
struct Became {
    std::string_view word;  // empty where it cannot be told
    std::string detail;
};

Became became_by_status(const Reply& reply) {
    const auto status = parse_status(status_word(reply));
    return {status == Status::CANCELADA    ? "within-49h"
            : status == Status::AUTORIZADA ? "never"
                                           : "",
            "consultada: " + in_portuguese(reply)};
}

// The answer to a cancel tells it if the provider answers a cancel of a cancelled sale otherwise than one that cancels,
// and than one of no sale.
Became became_by_cancel(const Notebook& book, Family family, const Reply& reply) {
    const auto heard_of = [&](std::string_view point) {
        const auto* reading = book.find(point, family);
        return reading == nullptr || !reading->answered ? std::string() : reading->heard;
    };
    const auto first = book.value("cancel-effect", family) == "cancels" ? heard_of("cancel-effect") : std::string();
    const auto again = heard_of("cancel-again");
    const auto detail = "cancelada: " + in_portuguese(reply);
    if (first.empty() || again.empty() || again == first || again == heard_of("cancel-unknown"))
        return {"", detail +
                        "; um cancelar de uma venda aberta e de uma já cancelada não se distinguem, e não há consulta"};
    const auto now = said(reply);
    return {now == again ? "within-49h" : now == first ? "never" : "", detail};
}

Became became_of(Setting& setting, Deal& deal) {
    auto& bench = setting.bench;
    const auto path = setting.book.value("status-path");
    if (!path.empty() && path != "none")
        return became_by_status(ask_status(bench, path, deal.id, deal.attempt().id_transacao));
    // If the run ends after this cancel, the next one must not take its effect for the provider's own doing.
    bench.ledger().taken_up(deal.id);
    return became_by_cancel(setting.book, deal.sale.family, bench.cancelar(deal).reply);
}

}  // namespace

void find_status_path(Setting& setting, Found& found, Family) {
    const auto candidates = candidates_of(setting.bench.options().status_path, setting.arguments.status_paths);
    if (candidates.empty()) throw Untold{"nenhum candidato foi dado (--status-path)"};
    const auto family = safe_family(setting);
    if (!family) throw Untold{why_not_authorised(setting, cancellable_families(setting).front())};
    auto deal = authorise(setting, *family);
    // What cannot be told must not stand in the way of the cancel.
    found.read({"status-path", "status-shape", "status-unknown"},
               [&] { try_candidates(setting, found, deal, candidates); });
    setting.bench.take_back(deal);
}

void leave_one_open(Setting& setting, Found&, Family family) {
    if (!may_leave_open(setting, family)) require_authorising(setting, family);
    // One sale of each family is left open: another one would put off the day on which they can be asked about.
    for (const auto& entry : setting.bench.ledger().open_sales())
        if (entry.left_open && entry.family == family) throw left_open_since(entry.asked);
    const auto deal = authorise(setting, family);
    setting.bench.ledger().left_open(deal.id);
    throw left_open_since(setting.bench.clock().wall());
}

void revisit(Setting& setting, Found& found, Family family) {
    const auto point = open_sales_end_point(family);
    for (const auto& entry : setting.bench.ledger().open_sales()) {
        if (!entry.left_open || entry.family != family) continue;
        auto deal = setting.bench.deal_of(entry);
        const auto [word, detail] = became_of(setting, deal);
        if (word.empty())
            found.leave(point, detail);
        else
            found.answer(point, word, detail);
        setting.bench.ledger().taken_up(entry.id);
        setting.bench.take_back(deal);
    }
}

}  // namespace gateway::probe
