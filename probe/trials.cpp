#include "probe/trials.hpp"

#include "probe/reply_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace gateway::probe {
namespace {

struct Row {
    std::string_view title;  // in Portuguese
    Level level;
    PointNames points;
    void (*run)(Setting&, Found&, Family);
    bool by_family = false;  // its readings are of the family that it is made of
};

const Row first{
    "Credenciais: o separador entre app-key e app-secret", Level::look, {"basic-separator"}, try_separators};
const Row looking[]{
    {"Token: um escopo por vez", Level::look, {"scopes", "scope-separator"}, ask_scopes},
    {"Token: app-secret errado e escopo errado", Level::look, {"token-errors"}, ask_wrongly},
    {"Token: validade e refresh", Level::look, {"expires-in", "refresh-token", "refresh-old-access"}, ask_token},
    {"Limite de requisições", Level::look, {"rate-limit", "rate-limit-answer"}, read_faster},
    {"Endereços, TLS e relógio", Level::look, {}, look_at_peers},
};
const Row keeping{"Conexões mantidas", Level::look, {"keep-alive-requests", "keep-alive-idle"}, keep_connections};
const Row statement{"Extrato", Level::look, {}, look_at_given_statement};
const Row health{"Onde se cancela uma venda de saúde",
                 Level::authorise,
                 {"health-cancel-path", "health-cancel-does"},
                 find_health_path};
const Row cancelling[]{
    {"Autorizar, cancelar, cancelar de novo, confirmar a venda cancelada",
     Level::authorise,
     {"sale-http", "cancel-effect", "cancel-again", "confirm-on-cancelada"},
     cancel_one,
     true},
    {"Cancelar um idExterno desconhecido", Level::authorise, {"cancel-unknown"}, cancel_unknown, true},
    {"Solicitar depois do próprio cancelar", Level::authorise, {"request-after-cancel"}, request_after_cancel, true},
};
const Row asking[]{
    {"Um idExterno usado duas vezes", Level::authorise, {"id-again-same-body", "id-again-other-body"}, use_ids_twice},
    {"Tamanho e caracteres do idExterno", Level::authorise, {"id-length", "id-letters"}, use_other_ids},
    {"Requisições inválidas",
     Level::authorise,
     {"error-missing-field", "error-bad-amount", "error-unknown-product", "error-beyond-bound",
      "error-wrong-establishment", "error-body"},
     ask_for_wrongs},
    {"Consultar a situação de uma venda",
     Level::authorise,
     {"status-path", "status-shape", "status-unknown"},
     find_status_path},
};
const Row selling{"Vender, confirmar de novo, cancelar a venda efetivada",
                  Level::sell,
                  {"confirm-again", "cancel-on-efetivada"},
                  sell_one,
                  true};
const PointNames points_of_egift{"egift-instrucao-again", "egift-confirm-token"};
const Row esim{"Vender um eSIM e ouvir os callbacks",
               Level::sell,
               {"callback-field", "esim-uuid", "recharge-callback", "callback-tries", "callback-retry",
                "callback-repeat", "callback-until"},
               ask_esim};
const Row leaving{"Deixar uma venda em aberto", Level::authorise, {}, leave_one_open};
const Row revisiting{"O que aconteceu com a venda deixada em aberto", Level::authorise, {}, revisit};

Trial made_of(const Row& row) {
    return {std::string(row.title), row.level, std::nullopt, row.points,
            [run = row.run](Setting& setting, Found& found) { run(setting, found, Family{}); }};
}

Trial made_of(const Row& row, Family family) {
    auto trial = made_of(row);
    trial.title = fmt::format("{} ({})", row.title, family_in_portuguese(family));
    trial.run = [run = row.run, family](Setting& setting, Found& found) { run(setting, found, family); };
    if (row.by_family) trial.family = family;
    // These two have a point of each family.
    if (row.run == leave_one_open || row.run == revisit) trial.points = {open_sales_end_point(family)};
    if (row.run == sell_one && traits_of(family).delivery == Delivery::with_confirm)
        trial.points.insert(trial.points.end(), points_of_egift.begin(), points_of_egift.end());
    return trial;
}

}  // namespace

// --- what they find out, and what several of them ask ---

Reply told(Reply reply) {
    if (!is_answered(reply)) throw Untold{in_portuguese(reply)};
    return reply;
}

void Found::answer(std::string_view point, std::string_view value, std::string_view detail) {
    readings_.push_back({.point = std::string(point),
                         .family = family_,
                         .answered = true,
                         .value = std::string(value),
                         .detail = std::string(detail)});
}

void Found::answer(std::string_view point, std::string_view value, const Reply& reply) {
    answer(point, value, in_portuguese(reply));
    readings_.back().heard = said(reply);
}

void Found::hear(std::string_view point, const Reply& reply, std::optional<Status> own) {
    if (is_about_the_sale(reply))
        answer(point, said(reply, own), reply);
    else
        leave(point, in_portuguese(reply));
}

void Found::leave(std::string_view point, std::string_view why) {
    readings_.push_back({.point = std::string(point), .family = family_, .value = {}, .detail = std::string(why)});
}

void Found::drop(std::string_view point, std::string_view why) {
    leave(point, why);
    readings_.back().applies = false;
}

void Found::tried(std::string_view point, std::vector<std::string> candidates) {
    const auto latest = std::find_if(readings_.rbegin(), readings_.rend(),
                                     [&](const Reading& reading) { return reading.point == point; });
    if (latest != readings_.rend()) latest->tried = std::move(candidates);
}

void Found::read(const PointNames& points, const std::function<void()>& part) {
    try {
        part();
    } catch (const Untold& untold) {
        for (const auto point : points)
            if (std::ranges::find(readings_, point, &Reading::point) == readings_.end()) leave(point, untold.why);
    }
}

std::vector<Family> cancellable_families(const Setting& setting) {
    constexpr std::array preferred{Family::egift, Family::transit, Family::tv};
    std::vector<Family> families(preferred.begin(), preferred.end());
    for (const auto family : all_families)
        if (!is_by_callback(family) && std::ranges::find(preferred, family) == preferred.end())
            families.push_back(family);
    std::erase_if(families, [&](Family family) {
        return !setting.arguments.wants(family) ||
               (!setting.goods.contains(family) && !setting.no_goods.contains(family));
    });
    return families;
}

bool cancel_is_answered(const Setting& setting, Family family) {
    const auto effect = setting.book.value("cancel-effect", family);
    return effect == "cancels" || effect == "stays-autorizada";
}

std::optional<Family> safe_family(const Setting& setting) {
    for (const auto family : cancellable_families(setting))
        if (setting.goods.contains(family) && setting.book.value("cancel-effect", family) == "cancels") return family;
    return std::nullopt;
}

std::string why_not_authorised(const Setting& setting, Family family) {
    if (const auto none = setting.no_goods.find(family); none != setting.no_goods.end()) return none->second;
    if (!setting.goods.contains(family)) return "a família não está em [[products]]";
    if (!setting.bench.can_cancel(family)) return "não se conhece como cancelar esta família";
    const auto effect = setting.book.value("cancel-effect", family);
    if (effect.empty()) return "não se sabe ainda se o cancelar funciona nesta família";
    if (effect != "cancels")
        return fmt::format("o cancelar não cancela nesta família ({}): nada mais foi autorizado",
                           answer_in_portuguese("cancel-effect", effect));
    return {};
}

void require_authorising(const Setting& setting, Family family) {
    if (const auto why = why_not_authorised(setting, family); !why.empty()) throw Untold{why};
}

bool may_leave_open(const Setting& setting, Family family) {
    return family == Family::health && setting.arguments.may_stay_open && setting.goods.contains(family);
}

Deal authorise(Setting& setting, Family family) {
    auto& bench = setting.bench;
    const auto goods = setting.goods.find(family);
    if (goods == setting.goods.end()) throw Untold{why_not_authorised(setting, family)};
    auto deal = bench.deal(goods->second);
    auto shot = bench.solicitar(deal);
    // A provider that says no to an idExterno of letters may still take one of digits: a second request tells.
    if (shot.is(Verdict::refused) && bench.last_accepted_http() == 0 && !bench.uses_digits()) {
        bench.use_digits();
        deal = bench.deal(goods->second);
        shot = bench.solicitar(deal);
        if (!shot.is(Verdict::authorised)) bench.use_digits(false);
    }
    if (shot.is(Verdict::authorised)) return deal;
    if (!shot.is(Verdict::refused)) bench.take_back(deal);
    throw Untold{"o solicitar não foi autorizado: " + in_portuguese(shot.reply)};
}

std::vector<std::string> candidates_of(const std::string& configured, const std::vector<std::string>& wished) {
    std::vector<std::string> candidates{configured};
    candidates.insert(candidates.end(), wished.begin(), wished.end());
    std::erase(candidates, "");
    for (auto one = candidates.begin(); one != candidates.end(); ++one)
        candidates.erase(std::remove(one + 1, candidates.end(), *one), candidates.end());
    return candidates;
}

// --- all of them ---

Trial first_trial() {
    return made_of(first);
}

std::vector<Trial> trials(const Setting& setting) {
    std::vector<Trial> all;
    const auto add = [&](std::span<const Row> rows) {
        for (const auto& row : rows)
            all.push_back(made_of(row));
    };
    const auto families = cancellable_families(setting);
    all.push_back(first_trial());
    add(looking);
    if (setting.opened) all.push_back(made_of(keeping));
    if (!setting.statement.empty()) all.push_back(made_of(statement));
    for (const auto family : families) {
        if (family == Family::health) all.push_back(made_of(health));
        for (const auto& row : cancelling)
            all.push_back(made_of(row, family));
    }
    if (!families.empty()) add(asking);
    for (const auto family : families)
        all.push_back(made_of(selling, family));
    const bool has_esim = setting.goods.contains(Family::esim) || setting.no_goods.contains(Family::esim);
    if (has_esim && setting.arguments.wants(Family::esim)) all.push_back(made_of(esim));
    if (setting.arguments.leave_open)
        for (const auto family : families)
            all.push_back(made_of(leaving, family));
    return all;
}

std::vector<Trial> revisit_trials(const Setting& setting) {
    std::vector<Trial> all;
    const auto open = setting.bench.ledger().open_sales();
    // Whatever this run is limited to, what was left open is taken back.
    for (const auto family : all_families)
        if (std::ranges::any_of(open, [&](const Entry& one) { return one.left_open && one.family == family; }))
            all.push_back(made_of(revisiting, family));
    return all;
}

}  // namespace gateway::probe
