// Declares what the sample sells.
#pragma once

namespace gateway::sample {

enum class Drink { tea, coffee };

struct Till {
    bool open = true;
    int taken = 0;
    int sales = 0;
    void sell(Drink drink, int count);
};

int price(Drink drink);
int total(Drink drink, int count);
bool may_sell(int count, bool open);

}  // namespace gateway::sample
