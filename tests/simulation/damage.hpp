// Makes values of the journal unreadable, as a bad disk or a person with sqlite3 might: one letter or digit in one
// column of one sale's row is changed, in the middle of a run of the process or between two. Only what a reader can
// notice is changed. (Nobody could notice a digit of an amount that became another digit.)
#pragma once

#include "simulation/chance.hpp"
#include "simulation/disk.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::simulation {

// This is a value that was changed.
struct Damage {
    std::string sale;
    std::string terminal;
    std::string key;
    std::string column;
    std::string before;
    std::string after;
    // If true, the whole sale cannot be read; otherwise only this value cannot, and the sale is answered without it.
    bool whole = false;
};

// Changes one value of one sale on the disk durably, and none that was changed before. Returns nothing where there is
// no sale yet, or where it found no value.
std::optional<Damage> damage_something(Disk& disk, Chance& chance, const std::vector<Damage>& before);
// Tells whether the value is still as the damage left it. What the process writes again is whole again.
bool still_there(const Disk& disk, const Damage& damage);
// Restores the values that are still damaged. Returns how many there were.
std::size_t put_right(Disk& disk, const std::vector<Damage>& all);

}  // namespace gateway::simulation
