#include "probe/probe.hpp"

#include "base/ascii.hpp"
#include "base/wall_time.hpp"
#include "probe/reply_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

// So many listed products are read: of a family all of them are, and the cheapest of the first is sold.
constexpr std::size_t most_products = 50;

// Says in a line what was found: "Cancelar um idExterno desconhecido: HTTP 404 sem status".
std::string in_a_line(const Found& found) {
    std::vector<std::string> parts;
    for (const auto& reading : found.readings()) {
        const auto* point = find_point(reading.point);
        const auto words = reading.answered  ? answer_in_portuguese(reading.point, reading.value)
                           : reading.applies ? "não respondido, " + reading.detail
                                             : "não se aplica, " + reading.detail;
        parts.push_back(fmt::format("{}: {}", point == nullptr ? reading.point : point->title, words));
    }
    // What asks for no point has looked at something all the same.
    if (parts.empty())
        for (const auto& fact : found.facts())
            parts.push_back(fact.name + ": " + fact.text);
    return fmt::format("{}", fmt::join(parts, "; "));
}

// Returns whether a candidate for a path was given since none was found.
bool has_untried(const Setting& setting, std::string_view point) {
    const auto& provider = setting.bench.options();
    std::vector<std::string> candidates;
    if (point == "health-cancel-path")
        candidates = candidates_of(provider.health_cancel_path, setting.arguments.health_paths);
    if (point == "status-path") candidates = candidates_of(provider.status_path, setting.arguments.status_paths);
    const auto* reading = setting.book.find(point);
    return reading != nullptr && reading->value == "none" &&
           std::ranges::any_of(candidates, [&](const std::string& path) {
               return std::ranges::find(reading->tried, path) == reading->tried.end();
           });
}

// Asks for what can be sold of the product, in the place of what is known of its family.
void ask_for_options_of(Setting& setting, const Product& product) {
    const auto family = product.family;
    auto& bench = setting.bench;
    const auto& config = setting.config;
    const auto& estabelecimento = config.provider.estabelecimento;
    const auto keep = [&](boost::system::result<Goods, std::string> goods) {
        if (goods.has_error())
            setting.no_goods.emplace(family, goods.error());
        else
            setting.goods.emplace(family, std::move(*goods));
    };
    const auto question = question_of(product, estabelecimento, setting.customer);
    if (!question) {
        const auto card = rules_of(family).card_field;
        if (!card.empty() && !setting.customer.contains(card))
            return keep(std::string("falta o número de um cartão de teste (--card)"));
        return keep(without_options(product, setting.customer, estabelecimento));
    }
    const auto begun = bench.clock().now();
    const auto reply = bench.query(*question);
    const auto took = std::chrono::duration_cast<Duration>(bench.clock().now() - begun);
    setting.book.fact(
        fmt::format("consulta de {}: {}", family_in_portuguese(family), label_of(product)),
        fmt::format("{}, em {} ms", is_answered(reply) ? fmt::format("HTTP {}", reply.status) : in_portuguese(reply),
                    took.count()));
    if (!is_answered(reply)) return keep("a consulta não foi respondida: " + in_portuguese(reply));
    setting.samples.push_back(fmt::format("{}-{}.json", to_string(family), setting.samples.size() + 1));
    setting.keep_sample(setting.samples.back(), setting.mask.body(reply.content_type, reply.body));
    const auto options = rules_of(family).read_options(*question, reply.body);
    if (reply.status != 200 || !options) return keep("a consulta não deu opções: " + in_portuguese(reply));
    setting.questions.emplace(family, *question);
    keep(cheapest(*options, product, config.products, setting.customer, estabelecimento));
}

// Takes over what earlier runs have found out about how this provider is spoken to.
void restore_known(Setting& setting) {
    auto& bench = setting.bench;
    const auto& book = setting.book;
    if (const auto separator = separator_of(book.value("basic-separator"))) bench.use_separator(*separator);
    if (book.value("id-letters") == "digits") bench.use_digits();
    if (book.value("health-cancel-does") == "cancels") bench.use_health_path(book.value("health-cancel-path"));
    if (const auto a_second = parse_number<int>(book.value("rate-limit")).value_or(0); a_second > 0)
        bench.use_pace(Duration(1000 / a_second + 1));
}

void note(Setting& setting, const std::string& title, const std::string& result) {
    setting.book.trial(title, result, setting.log.take());
    setting.bench.stop_by_fault(setting.book.fault());
}

bool is_done(const Setting& setting, const Trial& trial) {
    const auto done = [&](std::string_view point) {
        return setting.book.done(point, trial.family) && !has_untried(setting, point);
    };
    return !trial.points.empty() && std::ranges::all_of(trial.points, done);
}

void make(Setting& setting, const Trial& trial) {
    setting.log.take();
    setting.begins(trial.title);
    Found found(trial.family);
    found.read(trial.points, [&] { trial.run(setting, found); });
    // If a trial was ended, only what it had found out by then is true.
    for (const auto& reading : found.readings())
        if (reading.answered || !setting.bench.stopped()) setting.book.put(reading);
    for (const auto& fact : found.facts())
        setting.book.fact(fact.name, fact.text);
    const auto result = in_a_line(found);
    note(setting, trial.title, result);
    setting.say(trial.title + (result.empty() ? "" : " → " + result));
}

void make_all(Setting& setting, const std::vector<Trial>& trials) {
    for (const auto& trial : trials) {
        if (setting.bench.stopped()) return;
        if (trial.level > setting.arguments.level) continue;
        if (is_done(setting, trial))
            setting.say(trial.title + ": já respondido");
        else
            make(setting, trial);
    }
}

void ask_for_options(Setting& setting) {
    setting.log.take();
    std::size_t count = 0;
    for (const auto& product : setting.config.products)
        if (setting.arguments.wants(product.family) && !setting.bench.stopped() && ++count <= most_products)
            ask_for_options_of(setting, product);
    std::vector<std::string> offers;
    for (const auto& [family, goods] : setting.goods) {
        setting.no_goods.erase(family);
        offers.push_back(fmt::format("{}: {}", family_in_portuguese(family), goods.label));
    }
    for (const auto& [family, why] : setting.no_goods)
        offers.push_back(fmt::format("{}: {}", family_in_portuguese(family), why));
    const auto result = fmt::format("{}", fmt::join(offers, "; "));
    note(setting, "Consultar o que se pode vender", result);
    setting.say("Consultas → " + result);
}

// --- a run ---------------------------------------------------------------------------------------------------------

// Says in Portuguese why the provider cannot be spoken to; empty where it can.
std::string why_no_token(Setting& setting) {
    restore_known(setting);
    make_all(setting, {first_trial()});
    const auto* reading = setting.book.find("basic-separator");
    if (reading != nullptr && reading->answered) return {};
    return "o serviço de token não dá um token: " +
           (reading == nullptr ? setting.bench.why_stopped() : reading->detail);
}

// We take back the open sales of an earlier run before this run asks for anything new.
void take_back_earlier(Setting& setting) {
    auto& bench = setting.bench;
    const auto may_be_open = [&] { return std::ranges::count(bench.ledger().open_sales(), false, &Entry::left_open); };
    if (may_be_open() == 0) return;
    setting.log.take();
    bench.take_back_all();
    note(setting, "Cancelar o que um ensaio anterior deixou em aberto", "");
    setting.say(
        fmt::format("Vendas que um ensaio anterior deixou, e que ainda podem estar em aberto: {}", may_be_open()));
}

void take_back(Setting& setting) {
    auto& bench = setting.bench;
    setting.log.take();
    bench.take_back_all();
    bench.ask_about_again();
    // A request that was lost may arrive for as long as that; then it is asked about for the last time.
    const auto waits = [](const Entry& entry) { return !entry.left_open && entry.id_transacao.empty(); };
    if (std::ranges::any_of(bench.ledger().open_sales(), waits) && !bench.stopped()) {
        setting.say("Um solicitar perdido ainda pode chegar: esperando para perguntar de novo");
        bench.pause(bench.late_arrival());
        bench.take_back_all();
    }
    note(setting, "Cancelar o que foi autorizado, e perguntar de novo",
         fmt::format("vendas pedidas: {}; podem estar em aberto: {}", bench.ledger().asked(),
                     bench.ledger().open_sales().size()));
}

// Says in Portuguese why what was left open cannot be looked at; empty where it can.
std::string why_too_early(const Setting& setting) {
    const auto time = revisit_time(setting.bench.ledger().open_sales());
    if (!time) return "nenhuma venda foi deixada em aberto nesta pasta";
    return setting.bench.clock().wall() < *time ? "ainda é cedo: volte depois de " + to_local_text(*time) : "";
}

}  // namespace

Outcome run_trials(Setting& setting, bool revisit) {
    auto& bench = setting.bench;
    // Before anything is sent: an address has values of theirs that no field there tells.
    setting.mask.learn_values(setting.customer);
    if (const auto why = revisit ? why_too_early(setting) : ""; !why.empty()) return {Ending::too_early, why};
    if (const auto why = why_no_token(setting); !why.empty()) return {Ending::could_not_run, why};
    take_back_earlier(setting);
    ask_for_options(setting);
    make_all(setting, revisit ? revisit_trials(setting) : trials(setting));
    take_back(setting);
    if (bench.stopped()) return {Ending::could_not_run, bench.why_stopped()};
    if (!bench.was_answered()) return {Ending::could_not_run, "o provedor não respondeu nada que se possa ler"};
    return {};
}

}  // namespace gateway::probe
