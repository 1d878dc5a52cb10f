#include "api/host.hpp"

#include "base/wall_time.hpp"
#include "journal/sqlite/backup.hpp"
#include "unit/api/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <filesystem>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

// This is a journal that is on no disk of this machine.
class AwayFromHere final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;
    std::optional<DiskRoom> disk() const override { return std::nullopt; }
};

class HostTest : public ApiTest {
  protected:
    boost::json::object health(const std::string& file, const Journal& journal) {
        const http::CertificateWatch watch([this] { return certificates; }, *api.flow.clock, api.flow.log);
        const ConfigInForce in_force(warnings, *api.flow.clock);
        HostApi host({.version = "0.0.0", .journal = file, .config = "/etc/sales-gateway/gateway.toml"}, watch,
                     in_force, journal, *api.flow.tokens, *api.flow.clock);
        http::Router router;
        add_routes(router, on_admin, Parts(host));
        api.flow.clock->advance(1min);
        const auto told = api.ask(router, ApiRig::request(http::verb::get, "/v1/health"));
        EXPECT_EQ(told.status(), 200u);
        return told.json();
    }
    boost::json::object health() { return health(path, *api.flow.journal); }

    const std::string path = api.flow.folder.path("journal.db");
    http::ShownCertificates certificates;
    std::vector<ConfigProblem> warnings;
};

TEST_F(HostTest, SaysWhichProgramRunsAndSinceWhen) {
    const auto told = health();
    EXPECT_EQ(told.at("version"), "0.0.0");
    EXPECT_EQ(told.at("startedAt"), "2024-05-02T13:00:00.000Z");
    EXPECT_EQ(told.at("clock").at("at"), "2024-05-02T13:01:00.000Z");
    const auto& synchronized = told.at("clock").at("synchronized");
    EXPECT_TRUE(synchronized.is_bool() || synchronized.is_null());
    EXPECT_GT(told.at("memoryBytes").to_number<double>(), 0);
}

TEST_F(HostTest, SaysHowMuchRoomTheJournalTakesAndHas) {
    const auto told = health();
    EXPECT_EQ(told.at("journal").at("bytes").to_number<std::uint64_t>(), std::filesystem::file_size(path));
    EXPECT_EQ(told.at("journal").at("writable"), true);
    EXPECT_EQ(told.at("journal").at("damaged"), false);
    EXPECT_EQ(told.at("journal").at("encrypted"), false);
    const auto& disk = told.at("disk").as_object();
    EXPECT_GT(disk.at("totalBytes").to_number<std::uint64_t>(), 0u);
    EXPECT_LE(disk.at("freeBytes").to_number<std::uint64_t>(), disk.at("totalBytes").to_number<std::uint64_t>());
}

TEST_F(HostTest, WhatTheSystemDoesNotSayIsNull) {
    const auto told = health("/nowhere/journal.db", AwayFromHere(*api.flow.journal));
    for (const auto* name : {"bytes", "walBytes"})
        EXPECT_TRUE(told.at("journal").at(name).is_null()) << name;
    for (const auto* name : {"freeBytes", "totalBytes"})
        EXPECT_TRUE(told.at("disk").at(name).is_null()) << name;
    EXPECT_TRUE(told.at("backup").at("lastAt").is_null());
}

TEST_F(HostTest, SaysWhenTheLastCopyOfTheJournalWasMade) {
    EXPECT_TRUE(health().at("backup").at("lastAt").is_null());
    ASSERT_TRUE(back_up(path, api.flow.folder.path("copy.db")).has_value());
    EXPECT_EQ(health().at("backup").at("lastAt"), boost::json::value(to_rfc3339(*last_backup(path))));
}

TEST_F(HostTest, SaysWhenTheTokenEnds) {
    EXPECT_EQ(health().at("token"), boost::json::parse(R"({"valid":false,"expiresAt":null})"));
    api.flow.tokens->start();
    api.flow.clock->settle();
    const auto token = health().at("token").as_object();
    EXPECT_EQ(token.at("valid"), true);
    EXPECT_EQ(token.at("expiresAt"), boost::json::value(to_rfc3339(*api.flow.tokens->expires_at())));
}

TEST_F(HostTest, SaysWhenEachCertificateEnds) {
    EXPECT_TRUE(health().at("certificates").as_array().empty());
    const Validity good{*from_rfc3339("2026-01-01T00:00:00Z"), *from_rfc3339("2026-11-20T00:00:00Z")};
    certificates = {{"terminals",
                     {.file = "cert.pem",
                      .validity = good,
                      .refused = 3,
                      .refused_at = RunMoment(*api.flow.clock),
                      .refused_by = "192.168.1.7",
                      .refused_why = "unknown_ca"}},
                    {"console", {.file = "other.pem", .validity = good}}};
    const auto refused_at = to_rfc3339(api.flow.clock->wall());
    EXPECT_EQ(health().at("certificates"),
              boost::json::parse(R"([{"listener":"terminals","file":"cert.pem","beginsAt":"2026-01-01T00:00:00.000Z",
                                      "endsAt":"2026-11-20T00:00:00.000Z","refused":3,
                                      "lastRefusedAt":")" +
                                 refused_at + R"(","lastRefusedBy":"192.168.1.7",
                                      "lastRefusedFor":"unknown_ca"},
                                     {"listener":"console","file":"other.pem","beginsAt":"2026-01-01T00:00:00.000Z",
                                      "endsAt":"2026-11-20T00:00:00.000Z","refused":0,"lastRefusedAt":null,
                                      "lastRefusedBy":null,"lastRefusedFor":null}])"));
}

TEST_F(HostTest, SaysWhatIsOddAboutTheConfiguration) {
    warnings = {{.key = "listen.admin", .line = 7, .message = "can be reached from other machines"},
                {.key = "operators", .message = "are of no use"}};
    EXPECT_EQ(health().at("configuration"),
              boost::json::parse(R"({"path":"/etc/sales-gateway/gateway.toml","readAt":"2024-05-02T13:00:00.000Z",
                  "warnings":[{"key":"listen.admin","line":7,"message":"can be reached from other machines"},
                              {"key":"operators","line":null,"message":"are of no use"}]})"));
}

}  // namespace
}  // namespace gateway::test
