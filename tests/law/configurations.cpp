#include "law/configurations.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>

namespace gateway::law {
namespace {

using Of = Provider::OfUnknown;

struct Row {
    std::string name;
    std::function<void(Configuration&)> make;
};

void can_ask(Configuration& one) {
    one.terms.rules.can_ask = true;
}
void has_no_way_to_cancel(Configuration& one) {
    one.provider.cancels = false;
    one.terms.rules.trusts_cancel_4xx = false;
}
void names_no_end(Configuration& one) {
    one.provider.cancel_names_end = false;
    one.provider.confirm_names_end = false;
}

const std::vector<Row>& of_every_family() {
    static const std::vector<Row> rows{
        {"plain", [](Configuration&) {}},
        {"asked", can_ask},
        {"asked by idTransacao",
         [](Configuration& one) {
             can_ask(one);
             one.terms.rules.asks_by_id_transacao = true;
         }},
        {"chain", [](Configuration& one) { one.chain = true; }},
        {"statements", [](Configuration& one) { one.statements = true; }},
    };
    return rows;
}

// A restored copy puts an attempt into dispute, but not an eSIM's.
const std::vector<Row>& of_disputes() {
    static const std::vector<Row> rows{
        {"restored", [](Configuration& one) { one.restored = true; }},
        {"restored, asked",
         [](Configuration& one) {
             one.restored = true;
             can_ask(one);
         }},
    };
    return rows;
}

const std::vector<Row>& of_cancels() {
    static const std::vector<Row> rows{
        {"CANCELADA of what is unknown", [](Configuration& one) { one.provider.cancel_of_unknown = Of::cancelada; }},
        {"CANCELADA of what is unknown, and remembered",
         [](Configuration& one) {
             one.provider.cancel_of_unknown = Of::cancelada;
             one.provider.remembers_cancel = true;
         }},
        {"NEGADA of what is unknown", [](Configuration& one) { one.provider.cancel_of_unknown = Of::negada; }},
        {"conflict of what is unknown", [](Configuration& one) { one.provider.cancel_of_unknown = Of::conflict; }},
        {"cancel names no end", [](Configuration& one) { one.provider.cancel_names_end = false; }},
        {"neither names the end", names_no_end},
        {"neither names the end, asked",
         [](Configuration& one) {
             names_no_end(one);
             can_ask(one);
         }},
        {"4xx distrusted", [](Configuration& one) { one.terms.rules.trusts_cancel_4xx = false; }},
        {"no way to cancel", has_no_way_to_cancel},
        {"no way to cancel, asked",
         [](Configuration& one) {
             has_no_way_to_cancel(one);
             can_ask(one);
         }},
    };
    return rows;
}

const std::vector<Row>& of_callbacks() {
    static const std::vector<Row> rows{
        {"never called back", [](Configuration& one) { one.provider.calls_back = false; }},
        {"never called back, asked",
         [](Configuration& one) {
             one.provider.calls_back = false;
             can_ask(one);
         }},
        {"contradicting callbacks", [](Configuration& one) { one.provider.contradicts = true; }},
    };
    return rows;
}

// Two attempts have a hundred times as many states as one. These rows have every combination that concerns them: the
// first attempt goes on being cancelled, is told of or turns out to be sent, while the second is under way.
const std::vector<Row>& of_two_attempts() {
    static const std::vector<Row> rows{
        {"two attempts", [](Configuration&) {}},
        {"two attempts, asked", can_ask},
        {"two attempts, chain", [](Configuration& one) { one.chain = true; }},
        {"two attempts, statements", [](Configuration& one) { one.statements = true; }},
        {"two attempts, CANCELADA of what is unknown",
         [](Configuration& one) { one.provider.cancel_of_unknown = Of::cancelada; }},
    };
    return rows;
}

}  // namespace

std::vector<Configuration> configurations() {
    std::vector<Configuration> all;
    const auto add = [&](std::string_view name, const Terms& terms, const std::vector<Row>& rows) {
        for (const auto& row : rows)
            row.make(all.emplace_back(Configuration{.name = fmt::format("{}, {}", name, row.name), .terms = terms}));
    };
    for (const auto family : all_families) {
        const bool by_callback = is_by_callback(family);
        for (const auto mode : {ConfirmMode::automatic, ConfirmMode::manual}) {
            if (by_callback && mode == ConfirmMode::manual) continue;  // there is nothing to confirm
            Terms terms{.family = family, .mode = mode};
            terms.rules.max_attempts = 1;
            const auto name = fmt::format("{} {}", to_string(family), to_string(mode));
            add(name, terms, of_every_family());
            add(name, terms, by_callback ? of_callbacks() : of_cancels());
            if (!by_callback) add(name, terms, of_disputes());
            Terms twice = terms;
            twice.rules.max_attempts = 2;
            const bool is_first = family == Family::tv && mode == ConfirmMode::automatic;
            if (is_first) add(name, twice, of_two_attempts());
            if (!is_first && family != Family::transit) add(name, twice, {of_two_attempts().front()});
            if (family != Family::health) continue;
            Terms without = terms;
            without.rules.can_cancel.at(index_of(family)) = false;
            add(name + " without a cancel path", without, of_every_family());
            add(name + " without a cancel path", without, of_disputes());
        }
    }
    return all;
}

}  // namespace gateway::law
