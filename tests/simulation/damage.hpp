// Values of the journal that a bad disk, or a person with sqlite3, makes unreadable: one letter or digit of one column
// of one sale's row becomes another, in the middle of a run of the process or between two. Only what a reader can
// notice is altered: a digit of an amount that became another digit nobody could tell.
#pragma once

#include "simulation/chance.hpp"
#include "simulation/disk.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::simulation {

// One altered value.
struct Damage {
    std::string sale;
    std::string terminal;
    std::string key;
    std::string column;
    std::string before;
    std::string after;
    // The whole sale cannot be read; else one value of it, and the sale is answered without that.
    bool whole = false;
};

// Alters one value of one sale on the disk, durably, and none that was altered before. Nothing where there is no sale
// yet, or no value where it looked.
std::optional<Damage> damage_something(Disk& disk, Chance& chance, const std::vector<Damage>& before);
// Whether the value is still as the damage left it: what the process writes again is whole again.
bool still_there(const Disk& disk, const Damage& damage);
// Puts back what is still there. How many values were.
std::size_t put_right(Disk& disk, const std::vector<Damage>& all);

}  // namespace gateway::simulation
