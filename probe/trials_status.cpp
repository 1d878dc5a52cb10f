// The trials that ask for a sale's status, now or two days later: where it is asked for, and whether the provider ends
// a sale by itself that was left open.
#include "base/wall_time.hpp"
#include "probe/answer_words.hpp"
#include "probe/open_sales.hpp"
#include "probe/reply_words.hpp"
#include "probe/trial.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

const std::vector<std::string_view> points_of_status{"status-path", "status-shape", "status-unknown"};

std::string filled(std::string path, const std::string& id, const std::string& id_transacao) {
    const auto put = [&](std::string_view name, const std::string& value) {
        if (const auto at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
    };
    put("{idExterno}", id);
    put("{idTransacao}", id_transacao);
    return path;
}

awaitable<Reply> ask_of_unknown(Setting& setting, const std::string& path) {
    const auto fresh = setting.bench.make_id();
    auto asking = setting.bench.get(filled(path, fresh, fresh));
    co_return co_await std::move(asking);
}

bool says_authorised(const Reply& reply) {
    return reply.kind == Reply::Kind::answered && reply.status >= 200 && reply.status <= 299 &&
           parse_status(status_word(reply)) == Status::AUTORIZADA;
}

// Whether an answer tells that a path is none: one that was lost, or an error of the provider's own, tells nothing.
bool is_definite(const Reply& reply) {
    return is_about_the_sale(reply) && reply.status < 500;
}

// The configured one first.
std::vector<std::string> status_candidates(const Setting& setting) {
    std::vector<std::string> candidates;
    const auto& configured = setting.bench.options().provider.status_path;
    if (!configured.empty()) candidates.push_back(configured);
    for (const auto& path : setting.wishes.status_paths)
        if (path != configured) candidates.push_back(path);
    return candidates;
}

awaitable<void> try_candidates(Setting& setting, Found& found, Deal& deal) {
    std::vector<std::string> tried;
    const auto all = [&] { return fmt::format("{}", fmt::join(tried, "; ")); };
    bool definite = true;
    for (const auto& path : status_candidates(setting)) {
        auto asking = setting.bench.get(filled(path, deal.id, deal.attempt().id_transacao));
        const auto reply = co_await std::move(asking);
        tried.push_back(fmt::format("{} respondeu {}", path, in_portuguese(reply)));
        definite = definite && is_definite(reply);
        if (!says_authorised(reply)) continue;
        auto checking = ask_of_unknown(setting, path);
        const auto unknown = co_await std::move(checking);
        if (says_authorised(unknown)) {
            tried.push_back(path + " diz AUTORIZADA também de uma venda que não existe");
            continue;
        }
        if (!is_about_the_sale(unknown)) {
            found.leave_all(points_of_status, all() + "; de uma venda que não existe: " + in_portuguese(unknown));
            co_return;
        }
        found.answer("status-path", path, all());
        found.answer("status-shape", status_place(reply));
        found.answer("status-unknown", said(unknown), unknown);
        co_return;
    }
    if (!definite) {
        found.leave_all(points_of_status, all());
        co_return;
    }
    found.answer("status-path", "none", all());
    found.tried("status-path", status_candidates(setting));
    found.drop("status-shape", "nenhum candidato respondeu");
    found.drop("status-unknown", "nenhum candidato respondeu");
}

awaitable<void> find_status_path(Setting& setting, Found& found) {
    if (status_candidates(setting).empty()) {
        found.leave_all(points_of_status, "nenhum candidato foi dado (--status-path)");
        co_return;
    }
    const auto family = safe_family(setting);
    if (!family) {
        found.leave_all(points_of_status, why_not_authorised(setting, cancellable_families(setting).front()));
        co_return;
    }
    auto authorising = authorise(setting, found, *family, points_of_status);
    auto deal = co_await std::move(authorising);
    if (!deal) co_return;
    co_await try_candidates(setting, found, *deal);
    co_await setting.bench.take_back(*deal);
}

// --- two days later ------------------------------------------------------------------------------------------------

std::string point_of(Family family) {
    return std::string(open_sales_end_point(family));
}

std::string left_open_in_words(WallTime at) {
    return fmt::format("deixada em aberto em {}; a resposta vem com --revisit depois de {}", to_local_text(at),
                       to_local_text(at + revisit_after));
}

awaitable<void> leave_one_open(Setting& setting, Found& found, Family family) {
    const auto point = point_of(family);
    if (const auto why = why_not_authorised(setting, family); !why.empty() && !may_leave_open(setting, family)) {
        found.leave(point, why);
        co_return;
    }
    // One of each family: another one would put the day off on which they can be asked for.
    for (const auto& entry : setting.bench.ledger().open_sales())
        if (entry.left_open && entry.family == family) {
            found.leave(point, left_open_in_words(entry.asked));
            co_return;
        }
    auto authorising = authorise(setting, found, family, {open_sales_end_point(family)});
    auto deal = co_await std::move(authorising);
    if (!deal) co_return;
    setting.bench.ledger().left_open(deal->id);
    found.leave(point, left_open_in_words(setting.bench.clock().wall()));
}

// By its status, where there is a path for it; else by what a cancel says, where one of a cancelled sale differs from
// one that cancels. Empty where it cannot be told.
awaitable<std::string> became_of(Setting& setting, Deal& deal, std::string& detail) {
    const auto path = setting.book.value("status-path");
    if (!path.empty() && path != "none") {
        auto asking = setting.bench.get(filled(path, deal.id, deal.attempt().id_transacao));
        const auto reply = co_await std::move(asking);
        detail = "consultada: " + in_portuguese(reply);
        const auto status = parse_status(status_word(reply));
        if (status == Status::CANCELADA) co_return "within-49h";
        if (status == Status::AUTORIZADA) co_return "never";
        co_return "";
    }
    // What a cancel was answered of a sale that was open, of one that was cancelled, and of one that there was not.
    const auto heard_of = [&](std::string_view point) {
        const auto* reading = setting.book.find(point, deal.sale.family);
        return reading == nullptr || !reading->answered ? std::string() : reading->heard;
    };
    const auto first =
        setting.book.value("cancel-effect", deal.sale.family) == "cancels" ? heard_of("cancel-effect") : std::string();
    const auto again = heard_of("cancel-again");
    const auto unknown = heard_of("cancel-unknown");
    // A run that ends behind this cancel must not take its effect for the provider's own doing.
    setting.bench.ledger().taken_up(deal.id);
    auto cancelling = setting.bench.cancelar(deal);
    const auto shot = co_await std::move(cancelling);
    const auto now = said(shot.reply);
    detail = "cancelada: " + in_portuguese(shot.reply);
    const bool tells = !first.empty() && !again.empty() && again != first && again != unknown;
    if (!tells) {
        detail += "; um cancelar de uma venda aberta e de uma já cancelada não se distinguem, e não há consulta";
        co_return "";
    }
    if (now == again) co_return "within-49h";
    co_return now == first ? "never" : "";
}

awaitable<void> revisit(Setting& setting, Found& found, Family family) {
    const auto point = point_of(family);
    for (const auto& entry : setting.bench.ledger().open_sales()) {
        if (!entry.left_open || entry.family != family) continue;
        auto deal = setting.bench.deal_of(entry);
        std::string detail;
        auto asking = became_of(setting, deal, detail);
        const auto word = co_await std::move(asking);
        if (word.empty())
            found.leave(point, detail);
        else
            found.answer(point, word, detail);
        setting.bench.ledger().taken_up(entry.id);
        co_await setting.bench.take_back(deal);
    }
}

}  // namespace

std::vector<Trial> status_trials(const Setting& setting) {
    if (cancellable_families(setting).empty()) return {};
    return {{"Consultar a situação de uma venda", Level::authorise, std::nullopt, points_of_status, find_status_path}};
}

std::vector<Trial> open_sale_trials(const Setting& setting) {
    std::vector<Trial> trials;
    if (!setting.wishes.leave_open) return trials;
    for (const auto family : cancellable_families(setting))
        trials.push_back({fmt::format("Deixar uma venda em aberto ({})", family_in_portuguese(family)),
                          Level::authorise,
                          std::nullopt,
                          {open_sales_end_point(family)},
                          [family](Setting& s, Found& f) { return leave_one_open(s, f, family); }});
    return trials;
}

std::vector<Trial> revisit_trials(const Setting& setting) {
    std::vector<Trial> trials;
    const auto open = setting.bench.ledger().open_sales();
    const auto was_left = [&](Family family) {
        return std::ranges::any_of(open, [&](const Entry& entry) { return entry.left_open && entry.family == family; });
    };
    // Whatever this run is limited to: what was left open is taken back.
    for (const auto family : all_families) {
        if (!was_left(family)) continue;
        trials.push_back(
            {fmt::format("O que aconteceu com a venda deixada em aberto ({})", family_in_portuguese(family)),
             Level::authorise,
             std::nullopt,
             {open_sales_end_point(family)},
             [family](Setting& s, Found& f) { return revisit(s, f, family); }});
    }
    return trials;
}

}  // namespace gateway::probe
