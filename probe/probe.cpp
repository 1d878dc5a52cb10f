#include "probe/probe.hpp"

#include "base/wall_time.hpp"
#include "probe/answer_words.hpp"
#include "probe/open_sales.hpp"
#include "probe/reply_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

// What is known of a family by its listed products: all of them are read, the cheapest of the first is sold.
constexpr std::size_t most_products = 50;

// "Cancelar um idExterno desconhecido: HTTP 404 sem status".
std::string in_a_line(const Found& found) {
    std::string line;
    for (const auto& reading : found.readings()) {
        if (!line.empty()) line += "; ";
        const auto* point = find_point(reading.point);
        line += std::string(point == nullptr ? std::string_view(reading.point) : point->title) + ": ";
        line += reading.answered ? answer_in_portuguese(reading.point, reading.value)
                                 : (reading.applies ? "não respondido, " : "não se aplica, ") + reading.detail;
    }
    if (!line.empty()) return line;
    // What asks for no point has looked at something all the same.
    for (const auto& fact : found.facts())
        line += (line.empty() ? "" : "; ") + fact.name + ": " + fact.text;
    return line;
}

// Whether a candidate for a path was given since none was found.
bool has_untried(const Setting& setting, std::string_view point) {
    const bool health = point == "health-cancel-path";
    if (!health && point != "status-path") return false;
    const auto* reading = setting.book.find(point);
    if (reading == nullptr || reading->value != "none") return false;
    const auto& configured = setting.bench.options().provider;
    auto candidates = health ? setting.wishes.health_paths : setting.wishes.status_paths;
    candidates.push_back(health ? configured.health_cancel_path : configured.status_path);
    return std::ranges::any_of(candidates, [&](const std::string& path) {
        return !path.empty() && std::ranges::find(reading->tried, path) == reading->tried.end();
    });
}

}  // namespace

bool Probe::wanted(Family family) const {
    const auto& families = setting_.wishes.families;
    return families.empty() || families.contains(family);
}

void Probe::look_at_faults() {
    if (const auto& fault = setting_.book.fault(); !fault.empty())
        setting_.bench.stop("não se pode escrever na pasta do ensaio: " + fault);
}

// What earlier runs have found out about how this provider is spoken to.
void Probe::restore_known() {
    auto& bench = setting_.bench;
    const auto& book = setting_.book;
    const auto separator = book.value("basic-separator");
    if (separator == "semicolon") bench.use_separator(";");
    if (separator == "pipe") bench.use_separator("|");
    if (separator == "slash") bench.use_separator("/");
    if (separator == "nothing") bench.use_separator("");
    if (book.value("id-letters") == "digits") bench.use_digits();
    if (book.value("health-cancel-does") == "cancels") bench.use_health_path(book.value("health-cancel-path"));
    const auto limit = book.value("rate-limit");
    int a_second = 0;
    const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), a_second);
    (void)end;
    if (error == std::errc{} && a_second > 0) bench.use_pace(Duration(1000 / a_second + 1));
}

void Probe::note(const Trial& trial, const Found& found) {
    auto& book = setting_.book;
    // Of a trial that was ended only what it knows by then is true.
    for (const auto& reading : found.readings())
        if (reading.answered || !setting_.bench.stopped()) book.put(reading);
    for (const auto& fact : found.facts())
        book.fact(fact.name, fact.text);
    book.trial({.title = trial.title,
                .at = setting_.bench.clock().wall(),
                .result = in_a_line(found),
                .lines = parts_.log.take()});
    look_at_faults();
}

bool Probe::is_done(const Trial& trial) const {
    const auto done = [&](std::string_view point) {
        return setting_.book.done(point, trial.family) && !has_untried(setting_, point);
    };
    return !trial.points.empty() && std::ranges::all_of(trial.points, done);
}

awaitable<void> Probe::make(const Trial& trial) {
    parts_.log.take();
    parts_.begins(trial.title);
    Found found(trial.family);
    auto running = trial.run(setting_, found);
    co_await std::move(running);
    note(trial, found);
    const auto result = in_a_line(found);
    parts_.say(trial.title + (result.empty() ? "" : " → " + result));
}

awaitable<void> Probe::make_all(std::vector<Trial> trials) {
    for (const auto& trial : trials) {
        if (setting_.bench.stopped()) co_return;
        if (trial.level > setting_.wishes.level) continue;
        if (is_done(trial)) {
            parts_.say(trial.title + ": já respondido");
            continue;
        }
        co_await make(trial);
    }
}

// --- what can be sold ----------------------------------------------------------------------------------------------

awaitable<void> Probe::ask_for_options_of(const Product& product) {
    const auto family = product.family;
    const auto& estabelecimento = parts_.config.provider.estabelecimento;
    const auto question = question_of(product, estabelecimento, parts_.customer);
    const auto keep = [&](boost::system::result<Goods, std::string> goods) {
        if (goods.has_error()) {
            setting_.no_goods.emplace(family, goods.error());
        } else {
            setting_.goods.emplace(family, std::move(*goods));
        }
    };
    if (!question) {
        const bool needs_card = family == Family::transit && parts_.customer.card.empty();
        if (needs_card)
            setting_.no_goods.emplace(family, "falta o número de um cartão de teste (--card)");
        else
            keep(without_options(product, parts_.customer, estabelecimento));
        co_return;
    }
    const auto begun = setting_.bench.clock().now();
    auto asking = setting_.bench.query(*question);
    const auto reply = co_await std::move(asking);
    const auto took = std::chrono::duration_cast<Duration>(setting_.bench.clock().now() - begun);
    const auto name = fmt::format("consulta de {}: {}", family_in_portuguese(family), label_of(product));
    const auto answer =
        reply.kind == Reply::Kind::answered ? fmt::format("HTTP {}", reply.status) : in_portuguese(reply);
    setting_.book.fact(name, fmt::format("{}, em {} ms", answer, took.count()));
    if (reply.kind != Reply::Kind::answered) {
        setting_.no_goods.emplace(family, "a consulta não foi respondida: " + in_portuguese(reply));
        co_return;
    }
    const auto sample = fmt::format("{}-{}.json", to_string(family), setting_.samples.size() + 1);
    setting_.samples.emplace_back(sample, std::string(label_of(product)));
    parts_.keep_sample(sample, parts_.mask.body(reply.content_type, reply.body));
    const auto options = rules_of(family).read_options(*question, reply.body);
    if (reply.status != 200 || !options) {
        setting_.no_goods.emplace(family, "a consulta não deu opções: " + in_portuguese(reply));
        co_return;
    }
    setting_.questions.emplace(family, *question);
    keep(cheapest(*options, product, parts_.config.products, parts_.customer, estabelecimento));
}

awaitable<void> Probe::ask_for_options() {
    parts_.log.take();
    std::size_t count = 0;
    for (const auto& product : parts_.config.products) {
        if (!wanted(product.family) || setting_.bench.stopped() || ++count > most_products) continue;
        co_await ask_for_options_of(product);
    }
    for (const auto& [family, goods] : setting_.goods)
        setting_.no_goods.erase(family);
    std::vector<std::string> offers;
    for (const auto& [family, goods] : setting_.goods)
        offers.push_back(fmt::format("{}: {}", family_in_portuguese(family), goods.label));
    for (const auto& [family, why] : setting_.no_goods)
        offers.push_back(fmt::format("{}: {}", family_in_portuguese(family), why));
    const auto result = fmt::format("{}", fmt::join(offers, "; "));
    setting_.book.trial({.title = "Consultar o que se pode vender",
                         .at = setting_.bench.clock().wall(),
                         .result = result,
                         .lines = parts_.log.take()});
    parts_.say("Consultas → " + result);
}

// --- a run ---------------------------------------------------------------------------------------------------------

// Whether the provider can be spoken to at all.
awaitable<bool> Probe::begin() {
    restore_known();
    auto trials = look_trials();
    std::vector<Trial> first{trials.front()};
    co_await make_all(std::move(first));
    if (!setting_.book.answered("basic-separator", std::nullopt)) {
        const auto* reading = setting_.book.find("basic-separator");
        why_ = "o serviço de token não dá um token: " +
               (reading == nullptr ? setting_.bench.why_stopped() : reading->detail);
        co_return false;
    }
    // What an earlier run was ended with is over before anything is asked for anew.
    const auto may_be_open = [this] {
        return std::ranges::count(setting_.bench.ledger().open_sales(), false, &Entry::left_open);
    };
    if (may_be_open() > 0) {
        parts_.log.take();
        co_await setting_.bench.take_back_all();
        setting_.book.trial({.title = "Cancelar o que um ensaio anterior deixou em aberto",
                             .at = setting_.bench.clock().wall(),
                             .lines = parts_.log.take()});
        parts_.say(
            fmt::format("Vendas que um ensaio anterior deixou, e que ainda podem estar em aberto: {}", may_be_open()));
    }
    co_return true;
}

awaitable<void> Probe::take_back() {
    auto& bench = setting_.bench;
    parts_.log.take();
    co_await bench.take_back_all();
    co_await bench.ask_about_again();
    // A request that was lost may arrive for as long as that; then it is asked about for the last time.
    const auto waits = [&](const Entry& entry) { return !entry.left_open && entry.id_transacao.empty(); };
    const auto open = bench.ledger().open_sales();
    if (std::ranges::any_of(open, waits) && !bench.stopped()) {
        parts_.say("Um solicitar perdido ainda pode chegar: esperando para perguntar de novo");
        co_await bench.pause(bench.options().late_arrival);
        co_await bench.take_back_all();
    }
    setting_.book.trial({.title = "Cancelar o que foi autorizado, e perguntar de novo",
                         .at = bench.clock().wall(),
                         .result = fmt::format("vendas pedidas: {}; podem estar em aberto: {}", bench.ledger().asked(),
                                               bench.ledger().open_sales().size()),
                         .lines = parts_.log.take()});
}

// Before anything is sent: an address has values of theirs that no field there tells.
void Probe::hide_customer() {
    const auto& customer = parts_.customer;
    for (const auto* text : {&customer.card, &customer.cpf})
        parts_.mask.learn(*text);
    parts_.mask.learn_values(customer.consumidor);
    parts_.mask.learn_values(customer.endereco);
}

awaitable<Ending> Probe::run(bool revisit) {
    auto& bench = setting_.bench;
    hide_customer();
    if (revisit) {
        const auto time = revisit_time(bench.ledger().open_sales());
        if (!time)
            why_ = "nenhuma venda foi deixada em aberto nesta pasta";
        else if (bench.clock().wall() < *time)
            why_ = "ainda é cedo: volte depois de " + to_local_text(*time);
        if (!why_.empty()) co_return Ending::too_early;
    }
    auto beginning = begin();
    if (!co_await std::move(beginning)) co_return Ending::could_not_run;
    co_await ask_for_options();
    if (revisit) {
        co_await make_all(revisit_trials(setting_));
    } else {
        co_await make_all(look_trials());
        co_await make_all(parts_.further);
        co_await make_all(authorise_trials(setting_));
        co_await make_all(identifier_trials(setting_));
        co_await make_all(error_trials(setting_));
        co_await make_all(status_trials(setting_));
        co_await make_all(sell_trials(setting_));
        co_await make_all(open_sale_trials(setting_));
    }
    co_await take_back();
    if (!bench.was_answered() && why_.empty()) why_ = "o provedor não respondeu nada que se possa ler";
    if (bench.stopped()) why_ = bench.why_stopped();
    co_return why_.empty() ? Ending::done : Ending::could_not_run;
}

}  // namespace gateway::probe
