// Plays one terminal with one sale. It posts, waits, asks again, confirms or cancels as its plan says, and now and then
// does something else, as cashiers and bad networks do.
#pragma once

#include "http/server/message.hpp"
#include "simulation/plan.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace gateway::simulation {

class World;

class Till {
  public:
    Till(World& world, const Plan& plan) : world_(world), plan_(plan) {}

    void start();
    // Asks once more what became of the sale, and does nothing else. It is for the end, when nothing goes wrong any
    // more.
    void ask();
    const Plan& plan() const noexcept { return plan_; }
    // Calls no more, because a restored journal does not know the key (see docs/backup.md).
    void drop_key();

  private:
    enum class Deed { sell, sell_otherwise, cancel_key, look, look_by_key, confirm, cancel, receipt };

    void perform(Deed deed);
    http::Request request_for(Deed deed) const;
    void heard(const http::Response& response);
    void heard_nothing();
    void go_on(const std::string& outcome);
    void later(Deed deed, Duration after);
    Deed something() const;
    bool mischievous() const;

    World& world_;
    const Plan& plan_;
    std::string sale_;  // its id, once the terminal has been told
    int calls_ = 0;
    std::uint64_t turn_ = 0;  // the number of the call that it waits for
    bool asking_ = false;
    bool dropped_ = false;
};

}  // namespace gateway::simulation
