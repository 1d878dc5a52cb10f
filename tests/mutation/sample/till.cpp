// A little of everything that the tool mutates. sample/check.cpp tests it, and leaves some of it untested.
#include "till.hpp"

#include <algorithm>
#include <array>

namespace gateway::sample {
namespace {

constexpr int most = 3;
constexpr std::array prices{5, 7};
static_assert(prices.size() == 2);

}  // namespace

int price(Drink drink) {
    switch (drink) {
        case Drink::tea: return prices[0];
        case Drink::coffee: return prices[1];
    }
    return 0;
}

bool may_sell(int count, bool open) {
    return open && count > 0 && count <= most;
}

int total(Drink drink, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i)
        sum += price(drink);
    // The check never sells more than two, so that it cannot tell what the limit is.
    return std::min(sum, 100);
}

void Till::sell(Drink drink, int count) {
    if (!may_sell(count, open)) return;
    taken += total(drink, count);
    ++sales;
}

}  // namespace gateway::sample
