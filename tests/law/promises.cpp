#include "law/promises.hpp"

#include <algorithm>

namespace gateway::law {
namespace {

bool is_not_sold(const SaleClass& sale) {
    return sale.status == Status::CANCELADA || sale.status == Status::NEGADA;
}

// Another gateway may still send, or has just sent, a request that the owner of the sale has not heard of. The sale is
// listed as waiting for it.
bool waits_for_other_gateway(const World& world) {
    return std::ranges::any_of(world.places,
                               [](const Place& place) { return place.has(Place::paused) || place.has(Place::untold); });
}

bool stays_open(const AttemptClass& attempt, const Place& place, const Configuration& configuration) {
    return !is_settled(attempt.state) && never_says(configuration.provider, configuration.terms, attempt, place.book);
}

// A request that the copy of the journal does not know may have followed, so a person has to find out.
bool was_restored_without_id(const AttemptClass& attempt) {
    return attempt.state == AttemptState::disputing && !attempt.has_confirm_time && !attempt.has_id_transacao;
}

}  // namespace

void check(const World& world, const SaleClass& sale, const Configuration& configuration) {
    const auto count = [&](Book book) { return std::ranges::count(world.places, book, &Place::book); };
    const auto sold = count(Book::efetivada);
    const auto& current = world.places[sale.attempts.size() - 1];
    // A second final status that contradicts the first is the provider's doing.
    require(sale.status != Status::EFETIVADA || current.book == Book::efetivada || configuration.provider.contradicts,
            "1: what is sold is EFETIVADA at the provider");
    require(!is_not_sold(sale) || sold == 0 || configuration.provider.contradicts,
            "2: what is not sold is not EFETIVADA at the provider");
    require(sold <= 1, "5: one sale is EFETIVADA once at most");
    const bool is_left = sale.settled && count(Book::autorizada) > 0 && !waits_for_other_gateway(world);
    require(!is_left, "7: no attempt of a settled sale is AUTORIZADA at the provider");
    require(sale.attention != Attention::contradiction || configuration.provider.contradicts,
            "the provider has not contradicted itself");
}

bool is_where_it_may_stay(const World& world, const SaleClass& sale, const Configuration& configuration) {
    if (sale.settled) return true;
    if (sale.attention == Attention::none) return false;
    if (sale.attention == Attention::contradiction) return configuration.provider.contradicts;
    for (std::size_t i = 0; i < sale.attempts.size(); ++i) {
        if (stays_open(sale.attempts[i], world.places[i], configuration)) return true;
        if (configuration.restored && was_restored_without_id(sale.attempts[i])) return true;
    }
    return false;
}

}  // namespace gateway::law
