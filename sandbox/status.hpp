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

Reply status_answer(const StatusQuestion& question, const Sales& sales, const Personality& personality, WallTime now);

}  // namespace gateway::sandbox
