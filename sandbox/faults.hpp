// These are fault rules: a test says with them what happens to which calls, and they come before what the cents ask
// for. A document of rules is taken as a whole or not at all, and then the reason is given in words. Rules are looked
// at in order; the first one whose turn it is decides.
#pragma once

#include "sandbox/outcomes.hpp"
#include "sandbox/words.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

class Faults {
  public:
    // [{"step": "confirmar", "family"?: "tv", "idExterno"?: "…", "nth"?: 1, "times"?: 0, "behaviour": "lose_answer",
    //   "status"?: 500, "body"?: any JSON or text, "headers"?: {"Retry-After": "7"}, "delay"?: "3s" or milliseconds}]
    // Replaces the rules by such a list. A rule counts every call that fits it and applies from the nth of them on, to
    // `times` calls or, with 0, to all.
    boost::system::result<void, std::string> replace(std::string_view document);
    void clear() noexcept { rules_.clear(); }

    // Returns the treatment for this call; nothing where no rule wants it. This counts the call, so ask once for each
    // call.
    std::optional<Treatment> match(Step step, std::optional<Family> family, std::string_view idExterno);

    // Returns the rules as they were given, each with `seen` (the calls that fitted) and `hits` (the calls that were
    // treated).
    boost::json::array document() const;

  private:
    struct Rule {
        std::optional<Step> step{};
        std::optional<Behaviour> behaviour{};
        std::optional<Family> family{};
        std::optional<std::string> idExterno{};
        int nth = 1;
        int times = 0;
        Treatment treatment{};
        boost::json::object given{};
        int seen = 0;
        int hits = 0;
    };

    static std::string take(const boost::json::key_value_pair& pair, Rule& rule);
    static boost::system::result<Rule, std::string> read(const boost::json::object& given);

    std::vector<Rule> rules_;
};

}  // namespace gateway::sandbox
