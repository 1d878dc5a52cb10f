#include "config/values.hpp"

#include "base/ascii.hpp"
#include "config/spelling.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/url/grammar/parse.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/rfc/ipv4_address_rule.hpp>
#include <fmt/format.h>

#include <array>
#include <concepts>

namespace gateway {

namespace {

// No text in a configuration is longer. A longer one was pasted into the wrong place.
constexpr std::size_t text_limit = 4096;

struct Unit {
    std::string_view name;
    Duration length;
};
// They stand from long to short, for printing; "ms" comes first, because reading must try it before "s" and "m".
constexpr std::array units{
    Unit{"ms", Duration(1)},
    Unit{"d", std::chrono::days(1)},
    Unit{"h", std::chrono::hours(1)},
    Unit{"m", std::chrono::minutes(1)},
    Unit{"s", std::chrono::seconds(1)},
};

// Every text is read here. It is never quoted, because it might be a secret in the wrong place.
Complaint take_text(const toml::node& node, std::string& into, bool may_control = false) {
    const auto* text = node.as_string();
    if (!text) return fmt::format(told("must be a text in quotes"));
    if (text->get().size() > text_limit) return fmt::format(told("is longer than {} bytes"), text_limit);
    if (!may_control && std::ranges::any_of(text->get(), is_control))
        return fmt::format(told("must not contain line breaks or other control characters"));
    into = text->get();
    return {};
}

Complaint take(const toml::node& node, std::string& into, Bounds) {
    return take_text(node, into);
}

Complaint take(const toml::node& node, Separator& into, Bounds) {
    return take_text(node, into, true);
}

Complaint take(const toml::node& node, Secret& into, Bounds) {
    std::string text;
    if (auto wrong = take_text(node, text)) return wrong;
    into = Secret(std::move(text));
    return {};
}

Complaint take(const toml::node& node, bool& into, Bounds) {
    const auto* value = node.as_boolean();
    if (!value) return fmt::format(told("must be true or false, without quotes"));
    into = value->get();
    return {};
}

Complaint take(const toml::node& node, PasswordHash& into, Bounds) {
    std::string text;
    if (auto wrong = take_text(node, text)) return wrong;
    auto hash = text.empty() ? PasswordHash() : PasswordHash::parse(text);
    // It is not quoted, because it may be the password itself by mistake.
    if (!hash) return fmt::format(told("must be the hash of a password; sales-gateway new-operator prints it"));
    into = std::move(*hash);
    return {};
}

// Takes one of some words, which `parse` reads; `otherwise` is what is said of any other value.
template <class Value>
Complaint take_word(const toml::node& node, Value& into, const auto& parse, std::string_view otherwise) {
    const auto text = node.value<std::string_view>();
    const auto value = text ? parse(*text) : std::nullopt;
    if (!value) return std::string(otherwise);
    into = *value;
    return {};
}

// The bounds of a key lie within what its type can hold.
template <std::integral Number>
Complaint take(const toml::node& node, Number& into, Bounds bounds) {
    const auto* value = node.as_integer();
    if (!value) return fmt::format(told("must be a whole number, without quotes"));
    if (value->get() < bounds.least || value->get() > bounds.most) {
        return fmt::format(told("is {}, must be {} to {}"), value->get(), bounds.least, bounds.most);
    }
    into = static_cast<Number>(value->get());
    return {};
}

Complaint take(const toml::node& node, Duration& into, Bounds bounds) {
    std::string text;
    if (node.is_number())
        return fmt::format(told("is a number without a unit; write a duration in quotes, such as \"5s\""));
    if (auto wrong = take_text(node, text)) return wrong;
    const auto length = parse_duration(text);
    if (!length) {
        return fmt::format(told("\"{}\" is not a duration; write a whole number and ms, s, m, h or d, such as \"5s\""),
                           text);
    }
    if (length->count() < bounds.least || length->count() > bounds.most) {
        return fmt::format(told("is \"{}\", must be \"{}\" to \"{}\""), text, to_string(Duration(bounds.least)),
                           to_string(Duration(bounds.most)));
    }
    into = *length;
    return {};
}

// Reads a time of day such as "23:30".
std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text) {
    constexpr std::string_view pattern = "00:00";
    const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
    if (text.size() != pattern.size() || text[2] != ':') return std::nullopt;
    for (const std::size_t at : {0, 1, 3, 4})
        if (!is_digit(text[at])) return std::nullopt;
    constexpr int hours = 24;
    constexpr int minutes = 60;
    if (number(0) >= hours || number(3) >= minutes) return std::nullopt;
    return std::chrono::hours(number(0)) + std::chrono::minutes(number(3));
}

Complaint take(const toml::node& node, std::optional<std::chrono::minutes>& into, Bounds) {
    std::string text;
    if (auto wrong = take_text(node, text)) return wrong;
    const auto time = parse_time_of_day(text);
    if (!time && !text.empty())
        return fmt::format(told("must be a time of day from 00:00 to 23:59, such as \"23:30\""));
    into = time;
    return {};
}

// A value that may be left out is written in the same way as one that may not.
template <class Value>
Complaint take(const toml::node& node, std::optional<Value>& into, Bounds bounds) {
    Value value{};
    if (auto wrong = take(node, value, bounds)) return wrong;
    into = value;
    return {};
}

// Tells whether no server can read the path in another way. It is put in front of every request's own path.
bool is_plain_path(const boost::urls::url_view& url) {
    const auto segments = url.encoded_segments();
    return std::none_of(segments.begin(), segments.end(), [](const auto& segment) {
        return segment.empty() || segment == "." || segment == ".." || segment.find('%') != segment.npos;
    });
}

// Tells whether the host begins with an address. Boost 1.83 takes the whole of 127.0.0.1.example for a name, but nobody
// who writes that means a name.
bool begins_with_address(const boost::urls::url_view& url) {
    const auto host = url.encoded_host();
    const char* begin = host.data();
    return url.host_type() == boost::urls::host_type::name &&
           boost::urls::grammar::parse(begin, begin + host.size(), boost::urls::ipv4_address_rule).has_value();
}

Complaint take(const toml::node& node, http::ServiceUrl& into, Bounds) {
    http::ServiceUrl url;
    if (auto wrong = take_text(node, url.text)) return wrong;
    while (url.text.ends_with('/'))
        url.text.pop_back();
    if (url.text.empty()) {
        into = {};
        return {};
    }
    const auto parsed = boost::urls::parse_uri(url.text);
    const bool http = parsed && parsed->scheme_id() == boost::urls::scheme::http;
    const bool https = parsed && parsed->scheme_id() == boost::urls::scheme::https;
    if ((!http && !https) || parsed->encoded_host().empty()) {
        return std::string(
            told("must be an address such as \"https://provider.example\", with a path after it if there is one"));
    }
    if (parsed->has_userinfo() || parsed->has_query() || parsed->has_fragment()) {
        return fmt::format(told("must have no user, no query and no fragment: scheme, host, port and path only"));
    }
    // Boost 1.81 takes the address with which such a name begins for the host, and the rest of the name for a path.
    const bool in_two = !parsed->encoded_path().empty() && !parsed->encoded_path().starts_with('/');
    if (in_two || begins_with_address(*parsed)) {
        return fmt::format(told("has a host that begins with an IP address and is none"));
    }
    const auto port =
        parsed->has_port() ? parse_number<std::uint16_t>(parsed->port()) : std::uint16_t(https ? 443 : 80);
    if (!port || *port == 0) return fmt::format(told("has a port that is not 1 to 65535"));
    if (!is_plain_path(*parsed))
        return fmt::format(told("has a path with an empty, a dot or a percent-encoded segment"));
    url.tls = https;
    url.host = parsed->host_address();
    url.port = *port;
    url.path = parsed->encoded_path();
    into = std::move(url);
    return {};
}

Complaint take(const toml::node& node, std::optional<Endpoint>& into, Bounds) {
    std::string text;
    if (auto wrong = take_text(node, text)) return wrong;
    into = parse_endpoint(text);
    if (into || text.empty()) return {};
    return fmt::format(told("\"{}\" is not an address; write IP address and port, such as \"0.0.0.0:8080\" or "
                            "\"[::1]:8080\""),
                       text);
}

Complaint take(const toml::node& node, Endpoint& into, Bounds bounds) {
    std::optional<Endpoint> endpoint;
    if (auto wrong = take(node, endpoint, bounds)) return wrong;
    if (!endpoint) return fmt::format(told("must not be empty; write IP address and port, such as \"0.0.0.0:8080\""));
    into = *endpoint;
    return {};
}

Complaint take(const toml::node& node, std::vector<std::string>& into, Bounds) {
    const auto* list = node.as_array();
    if (!list) return fmt::format(told("must be a list of texts, such as [\"one\", \"two\"]"));
    std::vector<std::string> texts(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (auto wrong = take_text((*list)[i], texts[i])) return fmt::format(told("entry {} {}"), i + 1, *wrong);
        if (texts[i].empty()) return fmt::format(told("entry {} must not be empty"), i + 1);
    }
    into = std::move(texts);
    return {};
}

Complaint take(const toml::node& node, TextOrTexts& into, Bounds bounds) {
    std::vector<std::string> texts;
    if (node.is_array()) {
        if (auto wrong = take(node, texts, bounds)) return wrong;
    } else {
        if (auto wrong = take_text(node, texts.emplace_back())) return wrong;
        if (texts.front().empty()) texts.clear();
    }
    into.all = std::move(texts);
    return {};
}

std::string no_family(std::string_view text) {
    std::array<std::string_view, all_families.size()> known;
    std::ranges::transform(all_families, known.begin(), [](Family family) { return to_string(family); });
    const auto first = std::span(known).first(known.size() - 1);
    return fmt::format(told("\"{}\" is not a family; there are {} and {}"), text, fmt::join(first, ", "),
                       known.back()) +
           did_you_mean(text, known);
}

Complaint take(const toml::node& node, Family& into, Bounds) {
    std::string text;
    if (auto wrong = take_text(node, text)) return wrong;
    const auto family = parse_family(text);
    if (!family) return no_family(text);
    into = *family;
    return {};
}

Complaint take(const toml::node& node, std::vector<Family>& into, Bounds bounds) {
    std::vector<std::string> words;
    if (auto wrong = take(node, words, bounds)) return wrong;
    if (words.empty()) return fmt::format(told("must list at least one family; leave the key out for all of them"));
    std::vector<Family> families;
    for (const auto& text : words) {
        const auto family = parse_family(text);
        if (!family) return no_family(text);
        if (std::find(families.begin(), families.end(), *family) != families.end()) {
            return fmt::format(told("lists \"{}\" twice"), text);
        }
        families.push_back(*family);
    }
    into = std::move(families);
    return {};
}

Complaint take(const toml::node& node, Role& into, Bounds) {
    return take_word(node, into, parse_role, told("must be \"look\" or \"settle\""));
}

Complaint take(const toml::node& node, LogLevel& into, Bounds) {
    return take_word(node, into, parse_log_level, told("must be \"debug\", \"info\", \"warn\" or \"error\""));
}

Complaint take(const toml::node& node, LogFormat& into, Bounds) {
    return take_word(node, into, parse_log_format, told("must be \"json\" or \"text\""));
}

Complaint take(const toml::node& node, Language& into, Bounds) {
    return take_word(node, into, parse_language, told("must be \"en\" or \"pt-BR\""));
}

Complaint take(const toml::node& node, DayClock& into, Bounds) {
    const auto parse = [](std::string_view text) -> std::optional<DayClock> {
        if (text == "ours") return DayClock::ours;
        return text == "request" ? std::optional(DayClock::request) : std::nullopt;
    };
    return take_word(node, into, parse, told("must be \"ours\" or \"request\""));
}

Complaint take(const toml::node& node, StatementEncoding& into, Bounds) {
    return take_word(node, into, parse_statement_encoding, told("must be \"utf-8\" or \"latin1\""));
}

Complaint take(const toml::node& node, AmountUnit& into, Bounds) {
    return take_word(node, into, parse_amount_unit,
                     told("must be \"cents\", \"comma\" (1049,90) or \"point\" (1049.90)"));
}

Complaint take(const toml::node& node, std::optional<AmountUnit>& into, Bounds bounds) {
    if (node.value<std::string_view>() == "guess") {
        into.reset();
        return {};
    }
    AmountUnit unit{};
    if (take(node, unit, bounds))
        return fmt::format(told("must be \"guess\", \"cents\", \"comma\" (1049,90) or \"point\" (1049.90)"));
    into = unit;
    return {};
}

Complaint take(const toml::node& node, StatementCovers& into, Bounds) {
    return take_word(node, into, parse_statement_covers,
                     told("must be \"network\", or \"this\" where it has the sales of this gateway only"));
}

Complaint take(const toml::node& node, CountedRows& into, Bounds) {
    return take_word(node, into, parse_counted_rows, told("must be \"sold\" or \"all\""));
}

}  // namespace

Complaint store(const toml::node& value, const Slot& slot, Bounds bounds) {
    return std::visit([&](auto* into) { return take(value, *into, bounds); }, slot);
}

bool is_blank(const Slot& slot) {
    return std::visit(
        [](const auto* value) {
            if constexpr (requires { value->empty(); }) {
                return value->empty();
            } else if constexpr (requires { value->has_value(); }) {
                return !value->has_value();
            } else {
                return false;
            }
        },
        slot);
}

bool have_same_value(const Slot& a, const Slot& b) {
    return std::visit([&](const auto& value) { return *value == *std::get<std::decay_t<decltype(value)>>(b); }, a);
}

void copy_value(const Slot& from, const Slot& to) {
    std::visit([&](const auto& value) { *value = *std::get<std::decay_t<decltype(value)>>(from); }, to);
}

std::optional<Duration> parse_duration(std::string_view text) {
    for (const auto& unit : units) {
        if (!text.ends_with(unit.name)) continue;
        const auto count = parse_number<std::int64_t>(text.substr(0, text.size() - unit.name.size()));
        // This number cannot overflow, whatever its unit is: as days, it is some 11 000 years.
        if (!count || *count > 4'000'000'000) return {};
        return *count * unit.length;
    }
    return {};
}

std::string to_string(Duration length) {
    for (const auto& unit : units) {
        if (unit.length > Duration(1) && length.count() != 0 && length % unit.length == Duration(0)) {
            return std::to_string(length / unit.length) + std::string(unit.name);
        }
    }
    return length.count() == 0 ? "0s" : std::to_string(length.count()) + "ms";
}

std::optional<Endpoint> parse_endpoint(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return {};
    auto host = text.substr(0, colon);
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    const bool brackets = host.starts_with('[') && host.ends_with(']');
    if (brackets) host = host.substr(1, host.size() - 2);
    boost::system::error_code failure;
    const auto address = boost::asio::ip::make_address(host, failure);
    if (failure || !port || address.is_v6() != brackets) return {};
    return Endpoint(address, *port);
}

}  // namespace gateway
