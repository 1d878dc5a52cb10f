// The mask lets everything of an exchange be shown to others but credentials, tokens, goods and customers' data. A
// value is hidden where its field's name says what it is, and wherever else it stands once it is known. Pure.
#pragma once

#include <boost/json/value.hpp>

#include <set>
#include <string>
#include <string_view>

namespace gateway::probe {

class Mask {
  public:
    static constexpr std::string_view hidden = "***";

    // Shows the value nowhere from now on, whatever field or address it stands in. A value that is too short to be told
    // from others is hidden by its field only.
    void learn(std::string_view value);
    // Learns every text and number in it.
    void learn_values(const boost::json::value& value) { learn_all(value, true, false); }
    // Hides the values of a field, in any letter case, besides those that the mask knows by itself.
    void hide_field(std::string_view name);

    // Masks the body of a request or an answer, and learns what it hides.
    std::string body(std::string_view content_type, std::string_view given);
    // Masks any other text: an address, a line of the log.
    std::string text(std::string_view given) const;

  private:
    bool hides(std::string_view field) const;
    void learn_all(const boost::json::value& value, bool hidden_here, bool in_goods);
    void mask_json(boost::json::value& value, bool hidden_here) const;
    std::string form(std::string_view given);

    // Sorts the longest value first, because a value may hold another one.
    struct Longest {
        bool operator()(const std::string& one, const std::string& other) const {
            return one.size() != other.size() ? one.size() > other.size() : one < other;
        }
    };
    std::set<std::string, Longest> known_;
    std::set<std::string, std::less<>> fields_;
};

}  // namespace gateway::probe
