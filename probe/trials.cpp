#include "probe/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
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
