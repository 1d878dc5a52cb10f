// A sale's status by GET, where the personality has a path for it. The interface document has none.
#pragma once

#include "sandbox/message.hpp"
#include "sandbox/personality.hpp"
#include "sandbox/sales.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway::sandbox {

// Which sale is asked for, by one of its two names.
struct StatusQuestion {
    std::string idExterno{};
    std::string idTransacao{};
};

// Nothing where the path, in segments, is not the personality's.
std::optional<StatusQuestion> status_question(const std::vector<std::string>& path, const Personality& personality);

// The entry that is asked for, which may hold no sale; null where there is none.
Transaction* asked_for(const StatusQuestion& question, Books& books);

// What is said of it. A sale that is not known is no departure: what a client lost may never have come here.
Reply status_answer(const Transaction* sale, const Sales& sales, const Personality& personality, WallTime now);

}  // namespace gateway::sandbox
