// Makes a run from a seed. Every kind of trouble is switched on by chance for a whole run ("swarm"), because a run in
// which everything goes wrong at once hides what a run with one kind of trouble shows.
#include "simulation/personalities.hpp"
#include "simulation/plan.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::simulation {
namespace {

namespace json = boost::json;

// The provider has an outcome for each of these cents. Here they only make the amounts differ.
constexpr std::int64_t fixed_prices = 30;
constexpr std::array esim_cents{0, 0, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41};

json::object esim_customer() {
    const json::object place{{"tipoEnderecoId", 1},   {"cep", "01001-000"},    {"uf", "SP"},
                             {"cidade", "Sao Paulo"}, {"bairro", "Se"},        {"tipoLogradouroId", 2},
                             {"logradouro", "Praca"}, {"numeroLogradouro", 1}, {"complemento", ""}};
    return {{"consumidor",
             {{"cpf", "52998224725"},
              {"nome", "Fulana de Tal"},
              {"email", "fulana@exemplo.com.br"},
              {"nascimento", "02051990"},
              {"telefone", 5511912345678}}},
            {"endereco", place}};
}

// Makes the sell's body, and sets plan.valor to an amount that no other plan of the family has.
json::object body_of(Plan& plan, bool dynamic) {
    const auto n = static_cast<std::int64_t>(plan.number);
    switch (plan.family) {
        case Family::tv:
            if (dynamic) {
                plan.valor = 3001 + n % fixed_prices;
                return {
                    {"family", "tv"}, {"produto", "TV Livre"}, {"id_valor", fmt::format("{};{}", 901 + n, plan.valor)}};
            }
            plan.valor = 100'000 + n * 101;
            return {{"family", "tv"}, {"produto", "TV Mensal"}, {"valor", plan.valor}, {"cpf", "529.982.247-25"}};
        case Family::egift: {
            plan.valor = 1000 + n * 37;
            json::object body{{"family", "egift"},
                              {"produto", "Moedas do Jogo"},
                              {"fornecedor", "Estudio Um"},
                              {"valor", plan.valor},
                              {"tipoNegocio", 1},
                              {"chaveProduto", "EG-MOEDAS"},
                              {"configuracaoId", "cfg-moedas-01"}};
            if (dynamic) body["nomeMenu"] = "Jogos";
            return body;
        }
        case Family::transit:
            plan.valor = 500 + n * 41;
            return {{"family", "transit"},
                    {"produto", "Bilhete"},
                    {"numeroCartao", n % 2 == 0 ? "1000000002" : "1000000003"},  // sells of one card take turns
                    {"tipoCredito", "2"},
                    {"tipoProduto", "502"},
                    {"descricao", "Recarga livre"},
                    {"valor", std::to_string(plan.valor)}};
        case Family::health:
            plan.valor = 6001 + n % fixed_prices;
            return {{"family", "health"},
                    {"produto", fmt::format("Consulta-{:02}", 1 + n % fixed_prices)},
                    {"produtoIdParceiro", std::to_string(7101 + n % fixed_prices)},
                    {"valor", plan.valor}};
        case Family::esim: {
            auto body = esim_customer();
            plan.valor =
                10'000 + n * 100 + (dynamic ? esim_cents.at(static_cast<std::size_t>(n) % esim_cents.size()) : 0);
            body["family"] = "esim";
            body["produto"] = "Chip Virtual";
            body["servicoId"] = "302";
            body["valorRecarga"] = 3000;
            body["valor"] = plan.valor;
            return body;
        }
    }
    return {};
}

}  // namespace

Plan make_plan(std::size_t number, Family family, bool manual, bool dynamic) {
    Plan plan;
    plan.number = number;
    plan.family = family;
    plan.manual = manual;
    plan.terminal = "caixa-01";
    plan.key = fmt::format("venda-{}", number);
    auto body = body_of(plan, dynamic);
    if (manual) body["confirm"] = "manual";
    plan.body = json::serialize(body);
    return plan;
}

namespace {

Plan random_plan(std::size_t number, Chance& chance, const Setup& setup) {
    const auto family = chance.pick(all_families);
    const bool holdable = family != Family::esim && (family != Family::health || !setup.health_cancel_path.empty());
    auto plan = make_plan(number, family, holdable && chance.one_in(3), chance.one_in(2));
    plan.terminal = fmt::format("caixa-{:02}", 1 + chance.below(3));
    plan.wish = chance.pick(std::array{Wish::confirm, Wish::confirm, Wish::cancel, Wish::forget});
    plan.start = Duration(chance.between(0, std::chrono::duration_cast<Duration>(setup.faults_end).count() * 3 / 4));
    plan.wait_s = static_cast<int>(chance.pick(std::array{0, 0, 1, 5, 25, 60, 120}));
    return plan;
}

void add_plans(Setup& setup, Chance& chance) {
    const auto count = 1 + chance.below(chance.one_in(4) ? 10 : fixed_prices - 1);  // each plan has its own price
    const auto mischief = chance.pick(std::array{0, 0, 50, 300});
    const auto deafness = chance.pick(std::array{0, 0, 100, 400});
    const bool pairs = chance.one_in(3);
    const bool early_cancels = chance.one_in(4);
    const bool rush = chance.one_in(5);  // all sells come at the same moment
    for (std::size_t i = 0; i < count; ++i) {
        auto plan = random_plan(i, chance, setup);
        plan.mischief = static_cast<std::uint64_t>(mischief);
        plan.deafness = static_cast<std::uint64_t>(deafness);
        if (pairs && chance.one_in(3)) plan.tills = 2;
        if (early_cancels && chance.one_in(4)) plan.cancels_first = true;
        if (rush) plan.start = Duration(1000);
        setup.plans.push_back(std::move(plan));
    }
}

Time moment(Chance& chance, const Setup& setup) {
    return Duration(chance.between(1, std::chrono::duration_cast<Duration>(setup.faults_end).count()));
}

void add_crashes(Setup& setup, Chance& chance) {
    if (chance.one_in(3)) return;
    const auto count = 1 + chance.below(5);
    const bool tear = chance.one_in(2);
    for (std::uint64_t i = 0; i < count; ++i) {
        using Kind = Crash::Kind;
        Crash crash{.kind = chance.pick(std::array{Kind::now, Kind::at_handler, Kind::at_write, Kind::at_write,
                                                   Kind::at_flush, Kind::at_message, Kind::stop}),
                    .at = moment(chance, setup)};
        crash.nth = 1 + chance.below(chance.one_in(2) ? 8 : 80);
        if (tear && chance.one_in(2)) crash.fates = Fates::by_chance;
        crash.killed = chance.one_in(3);
        if (chance.one_in(6))
            crash.then.push_back(
                {.kind = Kind::at_write, .at = {}, .nth = 1 + chance.below(20), .fates = Fates::by_chance});
        crash.down = Duration(chance.pick(std::array{10, 500, 2'000, 30'000, 200'000}));
        setup.crashes.push_back(crash);
    }
}

void add_weather(Setup& setup, Chance& chance) {
    using Kind = Weather::Kind;
    constexpr std::array kinds{Kind::provider_down, Kind::tokens_down,     Kind::disk_full,
                               Kind::disk_failing,  Kind::disk_unreadable, Kind::clock_jump};
    for (const auto kind : kinds) {
        if (!chance.one_in(4)) continue;
        const auto count = 1 + chance.below(3);
        for (std::uint64_t i = 0; i < count; ++i) {
            Weather weather{.kind = kind, .at = moment(chance, setup)};
            weather.length = Duration(chance.pick(std::array{50, 2'000, 20'000, 120'000}));
            if (kind == Kind::clock_jump)
                weather.length =
                    Duration(chance.pick(std::array{-86'400'000, -60'000, -1'000, 1'000, 60'000, 600'000, 86'400'000}));
            setup.weather.push_back(weather);
        }
    }
}

// These use separate dice, so that runs without visits stay the same.
void add_visits(Setup& setup) {
    Chance chance(setup.seed, 16);
    if (!chance.one_in(3)) return;
    auto& visits = setup.visits;
    const auto kinds = 1 + chance.below(all_deeds.size());
    for (std::uint64_t i = 0; i < kinds; ++i)
        visits.deeds.push_back(chance.pick(all_deeds));
    const auto count = chance.below(10);
    for (std::uint64_t i = 0; i < count; ++i)
        visits.at.push_back(moment(chance, setup));
    if (chance.one_in(2)) visits.autocheckpoints = {1'000, 20, 1};
    visits.afterwards = static_cast<std::uint64_t>(chance.pick(std::array{0, 20, 200}));
    setup.fails_as_full = chance.one_in(2);
}

// Nothing is told of the day's books in these runs, because a copy does not know what was closed after it was made.
void add_copies(Setup& setup) {
    Chance chance(setup.seed, 17);
    if (!setup.damages.empty() || !chance.one_in(6)) return;
    setup.visits.deeds.push_back(Deed::back_up);
    for (int i = 0; i < 4; ++i)
        setup.visits.at.push_back(moment(chance, setup));
    const auto count = 1 + chance.below(3);
    for (std::uint64_t i = 0; i < count; ++i)
        setup.crashes.push_back({.kind = chance.one_in(2) ? Crash::Kind::stop : Crash::Kind::at_handler,
                                 .at = moment(chance, setup),
                                 .nth = 1 + chance.below(80),
                                 .killed = true,
                                 .puts_back = PutBack::by_chance});
    setup.words.clear();
    setup.books = {.zone = setup.books.zone, .zone_from_utc = setup.books.zone_from_utc};
}

// This is only for a disk that is honest and that nobody else writes to, because a forgetful disk with a second writer
// is another subject.
void add_damages(Setup& setup, Chance& chance) {
    using Kind = Weather::Kind;
    const bool sick = setup.disk_failures > 0 || std::ranges::any_of(setup.weather, [](const Weather& weather) {
                          return weather.kind == Kind::disk_full || weather.kind == Kind::disk_failing ||
                                 weather.kind == Kind::disk_unreadable;
                      });
    if (sick || !setup.visits.deeds.empty() || !chance.one_in(4)) return;
    const auto count = 1 + chance.below(6);
    for (std::uint64_t i = 0; i < count; ++i)
        setup.damages.push_back(moment(chance, setup));
    setup.put_right = chance.one_in(2);
}

// Not every run has statements, because a sale that a statement settles is no longer found out about in the ordinary
// way.
void add_words(Setup& setup, Chance& chance) {
    using Kind = Word::Kind;
    if (!chance.one_in(4)) return;
    const auto count = 1 + chance.below(4);
    const bool lies = chance.one_in(2);
    for (std::uint64_t i = 0; i < count; ++i) {
        Word word{.kind = lies && chance.one_in(2) ? Kind::lie : chance.pick(std::array{Kind::truth, Kind::open}),
                  .at = moment(chance, setup)};
        if (chance.one_in(2)) word.nth = 1 + chance.below(80);
        setup.words.push_back(word);
    }
}

// Most runs include a midnight: the store's, the provider's, or only that of UTC.
void choose_days(Setup& setup, Chance& chance) {
    struct Zone {
        std::string_view name;
        std::chrono::hours from_utc;
    };
    using std::chrono::hours;
    constexpr std::array zones{Zone{"America/Sao_Paulo", hours(-3)}, Zone{"America/Sao_Paulo", hours(-3)},
                               Zone{"America/Rio_Branco", hours(-5)}, Zone{"America/Noronha", hours(-2)},
                               Zone{"Asia/Tokyo", hours(9)}};
    const auto& zone = chance.pick(zones);
    setup.books.zone = zone.name;
    setup.books.zone_from_utc = zone.from_utc;
    setup.rules.day = chance.one_in(6) ? DayClock::request : DayClock::ours;
    if (chance.one_in(4)) return;
    const auto midnight = std::chrono::sys_days(std::chrono::year(2024) / 5 / 3);
    const Duration from_utc = chance.pick(std::array{zone.from_utc, zone.from_utc, hours(-3), hours(0)});
    setup.beginning = midnight - from_utc - std::chrono::floor<Duration>(moment(chance, setup));
}

void add_closings(Setup& setup, Chance& chance) {
    auto& books = setup.books;
    if (chance.one_in(3)) {
        const auto local = (setup.beginning + books.zone_from_utc).time_since_epoch() % std::chrono::days(1);
        const auto minute = std::chrono::floor<std::chrono::minutes>(local) + std::chrono::minutes(chance.below(20));
        books.close_at = minute % std::chrono::days(1);
    }
    if (chance.one_in(3)) return;
    const auto count = 1 + chance.below(4);
    for (std::uint64_t i = 0; i < count; ++i)
        books.closings.push_back({.at = moment(chance, setup),
                                  .days_back = static_cast<int>(chance.below(2)),
                                  .tills = chance.one_in(3) ? 2 : 1});
}

// No statement can say anything about a damaged sale.
void add_books(Setup& setup) {
    Chance chance(setup.seed, 13);
    auto& books = setup.books;
    choose_days(setup, chance);
    add_closings(setup, chance);
    books.evening = true;
    books.statements = setup.damages.empty() && chance.one_in(3);
    if (!books.statements) return;
    if (chance.one_in(2)) books.statements_at.push_back(moment(chance, setup));
    books.settle = chance.one_in(3);
    books.covers = chance.pick(std::array{StatementCovers::this_gateway, StatementCovers::network});
    books.names_network = chance.one_in(2);
    books.sold_only = chance.one_in(4);
    books.form = {.encoding = chance.pick(std::array{sandbox::Encoding::utf_8, sandbox::Encoding::latin_1}),
                  .money = chance.pick(std::array{sandbox::Money::cents, sandbox::Money::comma, sandbox::Money::point}),
                  .line_end = chance.pick(std::array{sandbox::LineEnd::lf, sandbox::LineEnd::crlf})};
}

void choose_provider(Setup& setup, Chance& chance) {
    auto& provider = setup.provider;
    using sandbox::ExpiresIn;
    using sandbox::Said;
    provider.token_lifetime = Duration(chance.pick(std::array{300'000, 300'000, 60'000, 20'000, 3'600'000}));
    provider.refresh_lifetime = Duration(chance.pick(std::array{86'400'000, 30'000}));
    provider.expires_in =
        chance.pick(std::array{ExpiresIn::timestamp_ms, ExpiresIn::timestamp_s, ExpiresIn::duration_s});
    const Said own{200, Said::Word::own};
    const auto final_answer = chance.pick(std::array{own, own, Said{409, Said::Word::own}, Said{409}});
    provider.cancel_on_efetivada = provider.confirm_on_cancelada = final_answer;
    provider.confirm_again = provider.cancel_again = final_answer;
    provider.callback_delay = Duration(chance.pick(std::array{1, 1'000, 10'000}));
    provider.callback_late = Duration(chance.pick(std::array{10'000, 60'000}));
    if (chance.one_in(2)) setup.health_cancel_path = "/venda/{health}/cancelar";
    provider.health_cancel_path = setup.health_cancel_path;
}

// These use separate dice, so that runs without an address for the status stay the same.
void choose_status_path(Setup& setup, StatusPath status) {
    Chance chance(setup.seed, 15);
    const bool by_seed = chance.one_in(3);
    const auto* path = chance.one_in(4) ? "/venda/transacao/{idTransacao}" : "/venda/transacao/{idExterno}";
    if (status == StatusPath::always || (status == StatusPath::by_seed && by_seed)) setup.status_path = path;
    setup.provider.status_path = setup.status_path;
    // The answer has the form of a request's, or of a confirm's, which names only the idTransacao.
    setup.provider.status_shape = chance.one_in(4) ? sandbox::StatusShape::transacao : sandbox::StatusShape::venda;
}

void add_troubles(Setup& setup, Chance& chance) {
    using Kind = Trouble::Kind;
    constexpr std::array kinds{Kind::killed,  Kind::stopped,      Kind::paused,         Kind::cut_off,
                               Kind::unheard, Kind::journal_away, Kind::standby_behind, Kind::promotion};
    for (const auto kind : kinds) {
        if (!chance.one_in(3)) continue;
        const auto count = 1 + chance.below(4);
        for (std::uint64_t i = 0; i < count; ++i)
            setup.troubles.push_back({.kind = kind,
                                      .at = moment(chance, setup),
                                      .length = Duration(chance.pick(std::array{10, 1'000, 5'000, 15'000, 100'000})),
                                      .gateway = chance.below(setup.gateways)});
    }
    setup.late_sends = static_cast<std::uint64_t>(chance.pick(std::array{0, 0, 20, 100}));
    setup.journal_faults = static_cast<std::uint64_t>(chance.pick(std::array{0, 0, 5, 50, 200}));
    setup.journal_latency = chance.pick(std::array{5, 5, 50, 200});
}

// Sometimes two gateways have the same name. Then one of them waits for the other to stand still, and the other does.
void name_gateways(Setup& setup, Chance& chance) {
    for (std::size_t i = 0; i < setup.gateways; ++i)
        setup.names.push_back("box-" + std::to_string(i));
    if (!chance.one_in(4)) return;
    setup.names.back() = setup.names.front();
    for (int i = 0; i < 3; ++i)
        setup.troubles.push_back({.kind = chance.one_in(4) ? Trouble::Kind::killed : Trouble::Kind::paused,
                                  .at = moment(chance, setup),
                                  .length = Duration(chance.pick(std::array{5'000, 15'000, 100'000})),
                                  .gateway = chance.one_in(2) ? 0 : setup.gateways - 1});
    setup.late_sends = static_cast<std::uint64_t>(chance.pick(std::array{0, 100, 300}));
}

// The sale becomes final while its day, which ends meanwhile, is being closed. The statement comes afterwards.
void add_books_to_walk(Setup& setup) {
    using std::chrono::milliseconds;
    setup.beginning =
        WallTime(std::chrono::sys_days(std::chrono::year(2024) / 5 / 3)) + std::chrono::hours(3) - milliseconds(1'050);
    setup.books.evening = setup.books.statements = setup.books.settle = true;
    setup.books.closings = {{.at = milliseconds(1'030)}, {.at = milliseconds(1'060), .days_back = 1, .tills = 2}};
    setup.books.statements_at = {std::chrono::seconds(60)};
}

}  // namespace

Setup random_setup(std::uint64_t seed, const ProviderWanted& wanted) {
    Chance chance(seed, 10);
    Setup setup;
    setup.seed = seed;
    setup.faults_end = std::chrono::seconds(chance.pick(std::array{30, 120, 600, 1'500}));
    setup.request_timeout = Duration(chance.pick(std::array{15'000, 15'000, 3'000}));
    setup.rules.max_attempts = static_cast<int>(chance.pick(std::array{1, 2, 2, 4}));
    setup.rules.hold = Duration(chance.pick(std::array{300'000, 20'000}));
    setup.rules.confirm_window = Duration(chance.pick(std::array{120'000, 10'000}));
    setup.rules.attention_after = Duration(chance.pick(std::array{600'000, 60'000}));
    choose_provider(setup, chance);
    choose_status_path(setup, wanted.status);
    choose_personality(setup, wanted.personality);
    setup.callback_faults = static_cast<std::uint64_t>(chance.pick(std::array{0, 100, 500}));
    setup.disk_failures = static_cast<std::uint64_t>(chance.pick(std::array{0, 0, 0, 20, 200}));
    setup.forgetful_disk = chance.one_in(2);
    setup.empty_disk = chance.one_in(8);
    setup.jumbled = chance.one_in(2);
    add_plans(setup, chance);
    add_crashes(setup, chance);
    add_weather(setup, chance);
    add_visits(setup);
    add_damages(setup, chance);
    add_words(setup, chance);
    add_books(setup);
    add_copies(setup);
    return setup;
}

Setup random_chain_setup(std::uint64_t seed, const ProviderWanted& wanted, std::size_t gateways) {
    auto setup = random_setup(seed, wanted);
    Chance chance(seed, 14);
    // Other people look after the server, so its disk is well. Closes and statements are for runs with one gateway.
    setup.disk_failures = 0;
    setup.forgetful_disk = setup.empty_disk = setup.put_right = false;
    setup.damages.clear();
    setup.visits = {};
    setup.crashes.clear();
    setup.words.clear();
    setup.books = {};
    using Kind = Weather::Kind;
    std::erase_if(setup.weather, [](const Weather& weather) {
        return weather.kind == Kind::disk_full || weather.kind == Kind::disk_failing ||
               weather.kind == Kind::disk_unreadable;
    });
    setup.gateways = 2 + chance.below(2);
    if (gateways != 0) setup.gateways = gateways;
    add_troubles(setup, chance);
    name_gateways(setup, chance);
    return setup;
}

Mix random_mix(std::uint64_t seed) {
    Chance chance(seed, 11);
    Mix mix;
    mix.permille = static_cast<std::uint64_t>(chance.pick(std::array{0, 20, 100, 300, 600, 900}));
    const auto kinds = chance.one_in(4) ? fault_count : 1 + chance.below(4);
    for (std::uint64_t i = 0; i < kinds; ++i)
        mix.kinds.push_back(static_cast<Fault>(1 + chance.below(fault_count - 1)));
    mix.latency_most = Duration(chance.pick(std::array{5, 100, 2'000}));
    mix.late_most = Duration(chance.pick(std::array{1'000, 30'000, 100'000}));
    return mix;
}

// The amount makes the provider never call back. The sale is asked for before the faults are over.
void never_call_back(Setup& setup, Plan& plan) {
    constexpr std::int64_t never_called_back = 35;
    plan.valor += never_called_back;
    auto body = json::parse(plan.body).as_object();
    body["valor"] = plan.valor;
    plan.body = json::serialize(body);
    setup.rules.attention_after = std::chrono::seconds(60);
}

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all = [] {
        std::vector<Scenario> list;
        const auto add = [&](std::string name, Family family, bool health_cancel) {
            list.push_back({.name = name + " auto", .family = family, .health_cancel = health_cancel});
            if (family == Family::esim || (family == Family::health && !health_cancel)) return;
            list.push_back({name + " held and confirmed", family, true, Wish::confirm, health_cancel});
            list.push_back({name + " held and cancelled", family, true, Wish::cancel, health_cancel});
            list.push_back({name + " held and forgotten", family, true, Wish::forget, health_cancel});
        };
        for (const auto family : all_families)
            add(std::string(to_string(family)), family, false);
        add("health with a cancel path", Family::health, true);
        for (const auto family : all_families)
            if (family != Family::esim)
                list.push_back(
                    {.name = std::string(to_string(family)) + " in dispute", .family = family, .silent = true});
        for (const auto family : {Family::tv, Family::transit})
            list.push_back({.name = std::string(to_string(family)) + " and the books",
                            .family = family,
                            .silent = family == Family::transit,
                            .books = true});
        for (const auto family : {Family::tv, Family::egift})
            list.push_back({.name = std::string(to_string(family)) + " in dispute, asked for",
                            .family = family,
                            .silent = true,
                            .asked = true});
        list.push_back({.name = "transit held and cancelled, asked for",
                        .family = Family::transit,
                        .manual = true,
                        .wish = Wish::cancel,
                        .asked = true});
        list.push_back({.name = "esim never called back, asked for", .family = Family::esim, .asked = true});
        list.front().empty_disk = true;  // one run also makes the tables
        return list;
    }();
    return all;
}

Setup walk_setup(const Scenario& scenario) {
    Setup setup;
    setup.seed = 1;
    setup.faults_end = std::chrono::seconds(scenario.manual ? 400 : 150);  // a hold that ends by itself takes 300 s
    setup.empty_disk = scenario.empty_disk;
    if (scenario.health_cancel) setup.health_cancel_path = "/venda/{health}/cancelar";
    setup.provider.health_cancel_path = setup.health_cancel_path;
    if (scenario.asked) setup.provider.status_path = setup.status_path = "/venda/transacao/{idExterno}";
    setup.provider.status_shape = sandbox::StatusShape::venda;
    auto plan = make_plan(0, scenario.family, scenario.manual, false);
    if (scenario.asked && scenario.family == Family::esim) never_call_back(setup, plan);
    plan.wish = scenario.wish;
    plan.start = std::chrono::seconds(1);
    setup.plans.push_back(std::move(plan));
    if (scenario.books) add_books_to_walk(setup);
    // Every request has a step that crashes at it and then reads the flushed journal. Reading it before every request,
    // too, would find the same and take most of the time.
    setup.exact_checks_one_in = 64;
    return setup;
}

}  // namespace gateway::simulation
