// Tests the sample, but never the number of its sales, nor its limits.
#include "till.hpp"

int main() {
    using namespace gateway::sample;
    Till till;
    till.sell(Drink::tea, 2);
    till.sell(Drink::coffee, 1);
    till.open = false;
    till.sell(Drink::tea, 1);
    const bool good = till.taken == 17 && may_sell(3, true) && !may_sell(4, true) && !may_sell(0, true) &&
                      !may_sell(1, false) && total(Drink::coffee, 2) == 14;
    return good ? 0 : 1;
}
