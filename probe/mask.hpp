// What of an exchange may be shown to others: everything but credentials, tokens, goods and customers' data. A value is
// hidden where its field's name says what it is, and wherever else it stands once it is known. Pure.
#pragma once

#include <boost/json/value.hpp>

#include <set>
#include <string>
#include <string_view>

namespace gateway::probe {

class Mask {
  public:
    static constexpr std::string_view hidden = "***";

    // A value that is shown nowhere from now on, whatever field or address it stands in. One that is too short to be
    // told from others is only hidden by its field.
    void learn(std::string_view value);
    // The same of every text and number in it.
    void learn_values(const boost::json::value& value) { learn_all(value, true, false); }
    // A field whose values are hidden besides those that are known to the mask by themselves, in any letter case.
    void hide_field(std::string_view name);

    // The body of a request or an answer. Learns what it hides.
    std::string body(std::string_view content_type, std::string_view given);
    // Any other text: an address, a line of the log.
    std::string text(std::string_view given) const;

  private:
    bool hides(std::string_view field) const;
    void learn_all(const boost::json::value& value, bool hidden_here, bool in_goods);
    void mask_json(boost::json::value& value, bool hidden_here) const;
    std::string form(std::string_view given);

    // The longest first: a value may hold another one.
    struct Longest {
        bool operator()(const std::string& one, const std::string& other) const {
            return one.size() != other.size() ? one.size() > other.size() : one < other;
        }
    };
    std::set<std::string, Longest> known_;
    std::set<std::string, std::less<>> fields_;
};

}  // namespace gateway::probe
