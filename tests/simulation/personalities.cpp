#include "simulation/personalities.hpp"

#include "base/check.hpp"
#include "sandbox/open_points.hpp"

#include <array>

namespace gateway::simulation {
namespace {

using sandbox::Personality;
using sandbox::Said;

constexpr std::string_view word_by_seed = "by-seed";
constexpr std::string_view word_never = "never";
constexpr std::string_view word_always = "always";

// One alternative alone shows its effect; in a mixture several meet.
Personality random_one(Chance& chance) {
    Personality made;
    const auto& point = chance.pick(sandbox::points());
    CHECK(point.set(made, chance.pick(point.alternatives).value));
    return made;
}

Personality random_mixture(Chance& chance) {
    const auto permille = chance.pick(std::array{50, 200, 500});
    return sandbox::random_personality(chance.source(), static_cast<std::uint64_t>(permille));
}

bool says_cancelada(const Said& said) {
    return said.word == Said::Word::cancelada;
}

// Removes what no gateway can promise anything with, or cannot sell with, and shortens what is too long for a run.
void fit(Personality& made, Chance& chance) {
    // Only the simulation's network sends a request twice. A provider that sells both would sell what nobody asked for.
    using sandbox::IdAgain;
    if (made.id_again_same_body == IdAgain::second) made.id_again_same_body = IdAgain::same;
    if (made.id_again_other_body == IdAgain::second) made.id_again_other_body = IdAgain::same;
    // The gateway's identifiers have letters, and without its scopes it sells nothing.
    if (made.id_letters == sandbox::IdLetters::digits) made.id_letters = sandbox::IdLetters::upper_digits;
    made.granted_scopes.clear();
    // It would call CANCELADA what it has sold and then forgotten, which is a lie about a final status.
    if (made.forgets > Duration(0) && says_cancelada(made.cancel_unknown)) made.cancel_unknown = {404};
    for (const auto family : sandbox::families) {
        auto& end = made.open_sales_end.at(static_cast<std::size_t>(family));
        // An eSIM's callback has arrived by then.
        const bool esim = family == sandbox::Family::esim;
        if (end > std::chrono::hours(1))
            end = esim ? Duration(600'000) : Duration(chance.pick(std::array{20'000, 120'000, 600'000}));
    }
}

// Tells whether an answer about a final sale has the sale's status.
bool names_it(const Said& said) {
    return said.word == Said::Word::own;
}

bool has_no_cancel(const Personality& provider) {
    return provider.cancel_effect == sandbox::CancelEffect::no_path ||
           provider.cancel_effect == sandbox::CancelEffect::no_method;
}

// Returns the answer to a cancel; 404 where there is no address for it.
Said to_cancel(const Personality& provider, const Said& said) {
    return has_no_cancel(provider) ? Said{404} : said;
}

// Tells whether the answer ends a cancel without an earlier confirm: it says that the sale is cancelled, or does not
// exist.
bool ends_a_cancel(const Personality& provider, const Said& answer) {
    constexpr int conflict = 409;
    const auto said = to_cancel(provider, answer);
    const bool is_no = said.http >= 400 && said.http < 500 && said.http != conflict;
    return said.word != Said::Word::nothing || (is_no && !has_no_cancel(provider));
}

// In a dispute the sale is cancelled first, and confirmed where the cancel was declined.
bool is_named_in_dispute(const Said& cancel, const Said& confirm) {
    return names_it(cancel) || (cancel.http >= 400 && cancel.http < 500 && names_it(confirm));
}

}  // namespace

bool is_personality(const std::string& wanted) {
    Personality made;
    return wanted == word_by_seed || wanted == word_never || wanted == word_always ||
           sandbox::read_personality(wanted, made).has_value();
}

void choose_personality(Setup& setup, const std::string& wanted) {
    Chance chance(setup.seed, 16);  // separate dice, so that runs without a personality stay the same
    const bool some = chance.one_in(4);
    if (wanted == word_never || (wanted == word_by_seed && !some)) return;
    Personality made;
    if (wanted == word_by_seed || wanted == word_always)
        made = chance.one_in(2) ? random_one(chance) : random_mixture(chance);
    else
        CHECK(sandbox::read_personality(wanted, made).has_value());
    fit(made, chance);
    auto& provider = setup.provider;
    made.status_path = provider.status_path;
    if (made.status_shape == sandbox::StatusShape::transacao) made.status_shape = provider.status_shape;
    if (made.health_cancel_path.empty()) made.health_cancel_path = provider.health_cancel_path;
    static_cast<Personality&>(provider) = made;
    setup.rules.trusts_cancel_4xx = !has_no_cancel(made);
    // Where that cancel sells, a store cannot use it.
    const bool cancels = made.health_cancel_does == sandbox::HealthCancel::cancels;
    setup.health_cancel_path = cancels ? made.health_cancel_path : "";
}

std::string personality_text(const Personality& personality) {
    std::string text;
    const Personality usual;
    for (const auto& point : sandbox::points()) {
        const auto value = point.get(personality);
        if (value == point.get(usual)) continue;
        text.append(text.empty() ? "" : ",").append(point.name).append("=").append(value);
    }
    return text;
}

bool is_forgotten(const sandbox::Options& provider, const sandbox::Transaction& sale, WallTime now) {
    const bool was_there = sale.status != sandbox::Status::none;
    return was_there && provider.forgets > Duration(0) && now >= sale.accepted + provider.forgets;
}

bool stays_without_a_word(const sandbox::Options& provider, const sandbox::Transaction* sale, bool asked,
                          WallTime now) {
    using sandbox::Status;
    if (sale == nullptr || sale->status == Status::none || sale->status == Status::negada)
        return !ends_a_cancel(provider, provider.cancel_unknown);
    if (is_forgotten(provider, *sale, now)) return true;
    if (!sandbox::is_final(sale->status)) return provider.cancel_effect != sandbox::CancelEffect::cancels;
    const bool sold = sale->status == Status::efetivada;
    // It is asked for in a dispute, and after a cancel that was declined. A success without a status is neither.
    const auto again = to_cancel(provider, provider.cancel_again);
    if (asked) return !sold && again == Said{200};
    if (sold) return !is_named_in_dispute(to_cancel(provider, provider.cancel_on_efetivada), provider.confirm_again);
    return !ends_a_cancel(provider, again) || !is_named_in_dispute(again, provider.confirm_on_cancelada);
}

}  // namespace gateway::simulation
