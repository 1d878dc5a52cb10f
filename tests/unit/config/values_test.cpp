#include "config/values.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using namespace std::chrono_literals;

// Returns what is said about a value, as it would stand in the file, for a place of this type; empty where nothing is.
template <class T>
std::string complaint(std::string_view value, T& into, Bounds bounds = {}) {
    const auto table = toml::parse("v = " + std::string(value));
    return store(*table.get("v"), &into, bounds).value_or("");
}

template <class T>
std::string complaint(std::string_view value) {
    T into{};
    return complaint(value, into);
}

bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST(Duration, EveryUnitIsRead) {
    EXPECT_EQ(parse_duration("500ms"), Duration(500));
    EXPECT_EQ(parse_duration("15s"), Duration(15s));
    EXPECT_EQ(parse_duration("5m"), Duration(5min));
    EXPECT_EQ(parse_duration("2h"), Duration(2h));
    EXPECT_EQ(parse_duration("90d"), Duration(std::chrono::days(90)));
    EXPECT_EQ(parse_duration("0s"), Duration(0));
}

TEST(Duration, WhatIsNoWholeNumberAndUnitIsNoDuration) {
    for (const auto* text : {"", "s", "5", "5 s", " 5s", "-5s", "+5s", "1.5s", "5S", "5sec", "1m30s", "0x5s", "5w",
                             "99999999999s", "99999999999999999999s"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
}

TEST(Duration, PrintsInTheLargestUnitThatIsExact) {
    EXPECT_EQ(to_string(Duration(0)), "0s");
    EXPECT_EQ(to_string(Duration(1)), "1ms");
    EXPECT_EQ(to_string(Duration(1500)), "1500ms");
    EXPECT_EQ(to_string(Duration(90s)), "90s");
    EXPECT_EQ(to_string(Duration(120s)), "2m");
    EXPECT_EQ(to_string(Duration(48h)), "2d");
}

TEST(OptionalValue, IsWrittenAsOneThatMustBeThere) {
    std::optional<bool> flag;
    EXPECT_EQ(complaint("false", flag), "");
    EXPECT_EQ(flag, false);
    EXPECT_TRUE(says(complaint(R"("false")", flag), "true or false"));
    std::optional<std::int64_t> number;
    EXPECT_TRUE(says(complaint("11", number, between(0, 10)), "must be 0 to 10"));
    EXPECT_EQ(number, std::nullopt);
}

TEST(DurationValue, TellsWhatIsWrongAndWhatWouldBeRight) {
    Duration length{};
    EXPECT_EQ(complaint(R"("15s")", length, between(1s, 1min)), "");
    EXPECT_EQ(length, Duration(15s));
    EXPECT_EQ(complaint("15", length, between(1s, 1min)),
              "is a number without a unit; write a duration in quotes, such as \"5s\"");
    EXPECT_EQ(complaint(R"("0s")", length, between(1s, 1min)), "is \"0s\", must be \"1s\" to \"1m\"");
    EXPECT_EQ(complaint(R"("61s")", length, between(1s, 1min)), "is \"61s\", must be \"1s\" to \"1m\"");
    EXPECT_TRUE(says(complaint(R"("soon")", length), "\"soon\" is not a duration"));
    EXPECT_EQ(length, Duration(15s)) << "a value that is refused changes nothing";
}

TEST(Endpoint, AddressAndPortAreRead) {
    EXPECT_EQ(parse_endpoint("0.0.0.0:8080"), Endpoint(boost::asio::ip::address_v4::any(), 8080));
    EXPECT_EQ(parse_endpoint("[::1]:9090"), Endpoint(boost::asio::ip::address_v6::loopback(), 9090));
    EXPECT_EQ(parse_endpoint("127.0.0.1:0"), Endpoint(boost::asio::ip::address_v4::loopback(), 0));
}

TEST(Endpoint, WhatIsNoAddressAndPortIsRefused) {
    for (const auto* text : {"", ":8080", "127.0.0.1", "127.0.0.1:", "localhost:80", "127.0.0.1:65536", "127.0.0.1:-1",
                             "127.0.0.1:+80", "127.0.0.1:80 ", "::1:8080", "[127.0.0.1]:80", "[::1]", "1.2.3:80"}) {
        EXPECT_FALSE(parse_endpoint(text)) << text;
    }
}

TEST(EndpointValue, EmptyTextSwitchesAnOptionalListenerOff) {
    std::optional<Endpoint> endpoint = Endpoint(boost::asio::ip::address_v4::any(), 1);
    EXPECT_EQ(complaint(R"("")", endpoint), "");
    EXPECT_FALSE(endpoint);
    EXPECT_TRUE(says(complaint<Endpoint>(R"("")"), "must not be empty"));
    EXPECT_TRUE(says(complaint<Endpoint>(R"("localhost:80")"), "\"localhost:80\" is not an address"));
}

TEST(UrlValue, PartsAreTakenApart) {
    http::ServiceUrl url;
    EXPECT_EQ(complaint(R"("https://provider.example/api/v1/")", url), "");
    EXPECT_EQ(url.text, "https://provider.example/api/v1");
    EXPECT_TRUE(url.tls);
    EXPECT_EQ(url.host, "provider.example");
    EXPECT_EQ(url.port, 443);
    EXPECT_EQ(url.path, "/api/v1");
    EXPECT_EQ(complaint(R"("http://[::1]:8090/")", url), "");
    EXPECT_FALSE(url.tls);
    EXPECT_EQ(url.host, "::1");
    EXPECT_EQ(url.port, 8090);
    EXPECT_EQ(url.path, "");
    EXPECT_EQ(complaint(R"("http://127.0.0.1")", url), "");
    EXPECT_EQ(url.port, 80);
}

TEST(UrlValue, WhatIsNoPlainHttpAddressIsRefused) {
    for (const auto* value :
         {R"("provider.example")", R"("ftp://provider.example")", R"("https://")", R"("https:///x")",
          R"("https://user:word@provider.example")", R"("https://provider.example?x=1")",
          R"("https://provider.example/#x")", R"("https://provider.example:0")", R"("https://provider.example:65536")",
          R"("https://provider.example/a/../b")", R"("https://provider.example//b")",
          R"("https://provider.example/%2e%2e/b")", R"("https://provider example")", "8080"}) {
        EXPECT_NE(complaint<http::ServiceUrl>(value), "") << value;
    }
}

TEST(UrlValue, NameThatBeginsLikeAnAddressIsNotThatAddress) {
    for (const auto* value : {R"("http://127.0.0.1.evil.example")", R"("http://127.0.0.1.evil.example:8090/x")",
                              R"("http://127.0.0.1x")", R"("http://127.0.0.1.1")", R"("http://127.0.0.1%2ex")"}) {
        EXPECT_EQ(complaint<http::ServiceUrl>(value), "has a host that begins with an IP address and is none") << value;
    }
}

TEST(UrlValue, PortIsNeverCutToSixteenBits) {
    http::ServiceUrl url;
    EXPECT_EQ(complaint(R"("http://127.0.0.1:65535")", url), "");
    EXPECT_EQ(url.port, 65535);
    for (const auto* value : {R"("http://127.0.0.1:0")", R"("http://127.0.0.1:65536")", R"("http://127.0.0.1:99999")",
                              R"("https://provider.example:4294967739")"}) {
        EXPECT_EQ(complaint<http::ServiceUrl>(value), "has a port that is not 1 to 65535") << value;
    }
}

TEST(UrlValue, IsNeverQuoted) {
    EXPECT_FALSE(says(complaint<http::ServiceUrl>(R"("https://user:word@provider.example")"), "word@"));
}

TEST(TextValue, IsOneLineInQuotes) {
    std::string text;
    EXPECT_EQ(complaint(R"("the service")", text), "");
    EXPECT_EQ(text, "the service");
    EXPECT_EQ(complaint<std::string>("12345678"), "must be a text in quotes");
    EXPECT_TRUE(says(complaint<std::string>(R"("a\nb")"), "line breaks"));
    EXPECT_TRUE(says(complaint<std::string>("\"" + std::string(4097, 'a') + "\""), "4096"));
}

TEST(SecretValue, IsNeverQuoted) {
    EXPECT_FALSE(says(complaint<Secret>(R"("hush\nhush")"), "hush"));
    EXPECT_FALSE(says(complaint<Secret>("4711"), "4711"));
}

TEST(NumberValue, IsAWholeNumberWithinItsBounds) {
    std::int64_t number = 0;
    EXPECT_EQ(complaint("7", number, between(1, 10)), "");
    EXPECT_EQ(number, 7);
    EXPECT_EQ(complaint("0", number, between(1, 10)), "is 0, must be 1 to 10");
    EXPECT_EQ(complaint("11", number, between(1, 10)), "is 11, must be 1 to 10");
    EXPECT_EQ(complaint("1.0", number, between(1, 10)), "must be a whole number, without quotes");
    EXPECT_EQ(complaint(R"("7")", number, between(1, 10)), "must be a whole number, without quotes");
}

TEST(BooleanValue, IsNoText) {
    bool yes = false;
    EXPECT_EQ(complaint("true", yes), "");
    EXPECT_TRUE(yes);
    EXPECT_TRUE(says(complaint<bool>(R"("true")"), "without quotes"));
}

TEST(ListValue, NamesTheEntryThatIsWrong) {
    std::vector<std::string> list;
    EXPECT_EQ(complaint(R"(["a", "b"])", list), "");
    EXPECT_EQ(list, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(says(complaint<std::vector<std::string>>(R"("a")"), "must be a list"));
    EXPECT_EQ(complaint<std::vector<std::string>>(R"(["a", 2])"), "entry 2 must be a text in quotes");
    EXPECT_EQ(complaint<std::vector<std::string>>(R"(["a", ""])"), "entry 2 must not be empty");
}

TEST(FamiliesValue, AreWordsOfTheInterface) {
    std::vector<Family> families;
    EXPECT_EQ(complaint(R"(["tv", "esim"])", families), "");
    EXPECT_EQ(families, (std::vector{Family::tv, Family::esim}));
    EXPECT_TRUE(says(complaint<std::vector<Family>>(R"(["tranist"])"), "did you mean \"transit\"?"));
    EXPECT_TRUE(says(complaint<std::vector<Family>>(R"(["tv", "tv"])"), "twice"));
    EXPECT_TRUE(says(complaint<std::vector<Family>>("[]"), "at least one"));
}

TEST(LogValue, IsOneOfItsWords) {
    LogLevel level{};
    EXPECT_EQ(complaint(R"("warn")", level), "");
    EXPECT_EQ(level, LogLevel::warn);
    EXPECT_TRUE(says(complaint<LogLevel>(R"("trace")"), "\"debug\""));
    EXPECT_TRUE(says(complaint<LogLevel>("1"), "\"debug\""));
    LogFormat format{};
    EXPECT_EQ(complaint(R"("text")", format), "");
    EXPECT_EQ(format, LogFormat::text);
    EXPECT_TRUE(says(complaint<LogFormat>(R"("xml")"), "\"json\""));
}

TEST(LanguageValue, IsOneOfTheTwo) {
    Language language{};
    EXPECT_EQ(complaint(R"("pt-BR")", language), "");
    EXPECT_EQ(language, Language::portuguese);
    EXPECT_EQ(complaint(R"("en")", language), "");
    EXPECT_EQ(language, Language::english);
    EXPECT_TRUE(says(complaint<Language>(R"("pt")"), "\"pt-BR\""));
}

TEST(DayClockValue, IsOneOfItsWords) {
    DayClock clock{};
    EXPECT_EQ(complaint(R"("request")", clock), "");
    EXPECT_EQ(clock, DayClock::request);
    EXPECT_EQ(complaint(R"("ours")", clock), "");
    EXPECT_EQ(clock, DayClock::ours);
    EXPECT_TRUE(says(complaint<DayClock>(R"("theirs")"), "\"request\""));
    EXPECT_TRUE(says(complaint<DayClock>("1"), "\"request\""));
}

TEST(Blank, IsAnEmptyTextListOrAddress) {
    std::string text;
    std::vector<std::string> list;
    std::optional<Endpoint> endpoint;
    http::ServiceUrl url;
    Duration length{};
    EXPECT_TRUE(is_blank(&text));
    EXPECT_TRUE(is_blank(&list));
    EXPECT_TRUE(is_blank(&endpoint));
    EXPECT_TRUE(is_blank(&url));
    EXPECT_FALSE(is_blank(&length)) << "a duration of nothing is a value";
    text = "x";
    EXPECT_FALSE(is_blank(&text));
}

}  // namespace gateway
