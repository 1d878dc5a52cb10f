#include "journal/postgres/connection_options.hpp"

#include "unit/journal/postgres/rig.hpp"

#include <algorithm>

namespace gateway::postgres::test {
namespace {

std::string setting(const ConnectionOptions& options, const std::string& name) {
    const auto found = std::ranges::find(options.settings, name, &std::pair<std::string, std::string>::first);
    return found != options.settings.end() ? found->second : "";
}

ConnectionOptions taken(const std::string& url) {
    auto read = read_url(built_client(), url, Secret("p"));
    EXPECT_TRUE(read.has_value()) << read.error();
    return read.has_value() ? *read : ConnectionOptions();
}

std::string refused(const std::string& url) {
    const auto read = read_url(built_client(), url, Secret());
    EXPECT_TRUE(read.has_error()) << url;
    return read.has_error() ? read.error() : "";
}

TEST(ConnectionOptions, AServerElsewhereHasToShowItsCertificate) {
    const auto options = taken("postgresql://gateway@db.example/sales");
    ASSERT_EQ(options.servers.size(), 1u);
    EXPECT_EQ(options.servers[0].host, "db.example");
    EXPECT_EQ(options.servers[0].port, "5432");
    EXPECT_EQ(setting(options, "dbname"), "sales");
    EXPECT_EQ(setting(options, "user"), "gateway");
    EXPECT_EQ(setting(options, "sslmode"), "verify-full");
    EXPECT_EQ(setting(options, "sslrootcert"), "/etc/ssl/certs/ca-certificates.crt");
    EXPECT_EQ(setting(options, "gssencmode"), "disable");
    EXPECT_EQ(setting(options, "application_name"), "sales-gateway");
    EXPECT_EQ(setting(options, "target_session_attrs"), "any");
    EXPECT_EQ(setting(taken("postgresql://db.example/s?sslrootcert=/ca.pem"), "sslrootcert"), "/ca.pem");
}

TEST(ConnectionOptions, AWeakerOneIsRefused) {
    for (const auto* mode : {"disable", "allow", "prefer", "require", "verify-ca"}) {
        EXPECT_EQ(refused(std::string("postgresql://db.example/sales?sslmode=") + mode),
                  std::string("journal.url has sslmode=") + mode +
                      ", and db.example is another machine: it has to show a certificate of its name; leave sslmode "
                      "out, or say sslmode=verify-full");
    }
    // A name that stands for this machine today may stand for another one tomorrow, unless the address is given.
    refused("postgresql://localhost.example/sales?sslmode=disable");
    refused("postgresql://127.0.0.1,10.0.0.1/sales?sslmode=disable");
    refused("postgresql://localhost/sales?hostaddr=10.0.0.1&sslmode=disable");
    refused("postgresql://1.2.3.4/sales?sslmode=prefer");
}

TEST(ConnectionOptions, OnThisMachineTheUrlMayChoose) {
    for (const auto* url : {"postgresql:///sales", "postgresql:///sales?host=/tmp", "postgresql://127.0.0.1/sales",
                            "postgresql://[::1]/sales", "postgresql://localhost/sales",
                            "postgresql:///sales?host=@abstract", "postgresql://db.example/sales?hostaddr=127.0.0.1"})
        EXPECT_EQ(setting(taken(url), "sslmode"), "prefer") << url;
    EXPECT_EQ(setting(taken("postgresql://localhost/sales?sslmode=disable"), "sslmode"), "disable");
    EXPECT_EQ(setting(taken("postgresql://localhost/sales?sslmode=verify-full"), "sslmode"), "verify-full");
    EXPECT_EQ(taken("postgresql:///sales").servers.at(0).host, "/var/run/postgresql");
}

TEST(ConnectionOptions, OfSeveralServersThePrimaryIsLookedFor) {
    const auto options = taken("postgresql://db1.example,db2.example:5433/sales?target_session_attrs=any");
    ASSERT_EQ(options.servers.size(), 2u);
    EXPECT_EQ(options.servers[0].host, "db1.example");
    EXPECT_EQ(options.servers[0].port, "5432");
    EXPECT_EQ(options.servers[1].host, "db2.example");
    EXPECT_EQ(options.servers[1].port, "5433");
    EXPECT_EQ(setting(options, "target_session_attrs"), "read-write");
    EXPECT_EQ(taken("postgresql:///s?host=a.example,b.example&port=6000").servers.at(1).port, "6000");
    EXPECT_EQ(refused("postgresql:///s?host=a.example,b.example&port=1,2,3"),
              "journal.url names not as many ports or addresses as hosts");
    refused("postgresql:///s?host=a.example,b.example&hostaddr=10.0.0.1");
}

TEST(ConnectionOptions, APasswordInTheUrlIsRefusedAndNotRepeated) {
    const auto words = refused("postgresql://user:geheim@db.example/sales");
    EXPECT_EQ(words,
              "journal.url must not hold the password: write it into a file and name that in journal.password_file");
    for (const auto* url : {"postgresql://user:geheim%zz@db.example/sales", "postgresql://user:geheim@[::1/sales",
                            "postgresql://user:geheim@db.example:x y/sales", "host=db password='geheim"})
        EXPECT_EQ(refused(url).find("geheim"), std::string::npos) << refused(url);
}

TEST(ConnectionOptions, WhatIsNoUrlIsRefused) {
    EXPECT_EQ(refused("mysql://db.example/sales"), "journal.url must begin with postgresql://");
    EXPECT_EQ(refused("postgresql://db.example/sales?colour=red"),
              "journal.url cannot be read: invalid URI query parameter: \"colour\"");
    EXPECT_EQ(refused("postgresql://db.example/sales?service=x"), "journal.url must not say service");
}

TEST(ConnectionOptions, BothSidesNoticeThatTheOtherOneIsGone) {
    const auto options = taken("postgresql://db.example/sales?options=-c%20work_mem%3D8MB");
    EXPECT_EQ(setting(options, "keepalives"), "1");
    EXPECT_EQ(setting(options, "tcp_user_timeout"), "4000");
    EXPECT_TRUE(setting(options, "options").starts_with("-c work_mem=8MB -c tcp_keepalives_idle="));
}

}  // namespace
}  // namespace gateway::postgres::test
