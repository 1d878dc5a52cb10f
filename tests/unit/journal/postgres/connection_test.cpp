#include "journal/postgres/connection.hpp"

#include "journal/postgres/error.hpp"
#include "unit/journal/postgres/rig.hpp"
#include "unit/support/certificates.hpp"

#include <array>
#include <span>
#include <vector>

namespace gateway::postgres::test {
namespace {

using gateway::test::Authority;
using gateway::test::temporary_file;

class ConnectionTest : public PostgresTest {
  protected:
    Connection::Opened open(const ConnectionOptions& to) {
        return run(Connection::open(wait, built_client(), to, nullptr));
    }
    Connection::Opened open(const std::string& url, const std::string& password = "") {
        return open(options(url, password).connection);
    }
    std::unique_ptr<Connection> connected(const std::string& url) {
        auto opened = open(url);
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return opened.has_value() ? std::move(*opened) : nullptr;
    }
    std::unique_ptr<Connection> connected() { return connected(cluster.url()); }
    Exchanged exchange(Connection& connection, std::span<const Command> commands) {
        return run(connection.exchange(commands, Duration(20'000)));
    }
    std::string on_tcp(const std::string& host, const std::string& more = "") const {
        return "postgresql://" + host + ":" + std::to_string(cluster.port()) + "/postgres" + more;
    }
    std::string fault(const std::string& url, const std::string& password = "") {
        const auto opened = open(url, password);
        return opened.has_value() ? "" : opened.error();
    }

    SocketWait wait{io.get_executor(), clock};
};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

TEST_F(ConnectionTest, StatementsArePreparedOnceAndAnsweredInOrder) {
    const auto connection = connected();
    const Parameters one{1}, two{2};
    const Statement same{"same_number", "SELECT $1::bigint, (SELECT count(*) FROM pg_prepared_statements)"};
    const std::array commands{Command{same, &one}, Command{same, &two}};
    for (int i = 0; i < 2; ++i) {
        const auto exchanged = exchange(*connection, commands);
        ASSERT_EQ(exchanged.rows.size(), 2u);
        EXPECT_EQ(exchanged.rows[0][0].integer(0), 1);
        EXPECT_EQ(exchanged.rows[1][0].integer(0), 2);
        EXPECT_EQ(exchanged.rows[1][0].integer(1), 1);
        EXPECT_FALSE(exchanged.lost);
    }
}

// The text is sent once for calls that follow each other, and again for a later one.
TEST_F(ConnectionTest, AStatementWithoutANameHasTheTextThatItCameWith) {
    const auto connection = connected();
    const Parameters one{1}, two{2};
    const Statement same{"", "SELECT $1::bigint"}, doubled{"", "SELECT 2 * $1::bigint"}, named{"a_name", "SELECT 9"};
    const std::array commands{Command{same, &one}, Command{same, &two},    Command{named},
                              Command{same, &one}, Command{doubled, &two}, Command{same, &two}};
    for (int i = 0; i < 2; ++i) {
        const auto exchanged = exchange(*connection, commands);
        std::vector<std::int64_t> numbers;
        for (const auto& rows : exchanged.rows)
            numbers.push_back(rows[0].integer(0));
        EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 9, 1, 4, 2}));
    }
}

TEST_F(ConnectionTest, AfterAnErrorTheRestIsSkippedAndTheConnectionGoesOn) {
    const auto connection = connected();
    const std::array commands{Command{{"one", "SELECT 1"}}, Command{{"none", "SELECT 1 / 0"}},
                              Command{{"two", "SELECT 2"}}};
    for (int i = 0; i < 2; ++i) {
        const auto exchanged = exchange(*connection, commands);
        EXPECT_EQ(exchanged.rows.size(), 1u);
        EXPECT_EQ(sql_state(exchanged.refused), "22012");
        EXPECT_FALSE(exchanged.lost);
    }
    const std::array wrong{Command{{"wrong", "SELEKT"}}};
    EXPECT_EQ(sql_state(exchange(*connection, wrong).refused), "42601");
}

// Each side sends at the same time more than the socket and libpq can hold.
TEST_F(ConnectionTest, MuchGoesBothWays) {
    const auto connection = connected();
    const std::string text(1'000'000, 'x');
    const Parameters parameters{text};
    const std::vector<Command> commands(20, Command{{"same_text", "SELECT $1::text"}, &parameters});
    const auto exchanged = exchange(*connection, commands);
    ASSERT_EQ(exchanged.rows.size(), commands.size());
    EXPECT_EQ(exchanged.rows.back()[0].text(0), text);
}

TEST_F(ConnectionTest, AWrongPasswordIsSaidAndNotShown) {
    cluster.sql(
        "DROP ROLE IF EXISTS locked; SET password_encryption = 'scram-sha-256';"
        "CREATE ROLE locked LOGIN PASSWORD 'right'");
    cluster.write("pg_hba.conf", "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    cluster.restart({"listen_addresses=127.0.0.1"});
    EXPECT_EQ(fault(on_tcp("locked@localhost"), "right"), "") << "a name is looked up";
    const auto words = fault(on_tcp("locked@127.0.0.1"), "geheim");
    EXPECT_TRUE(has(words, "password authentication failed for user \"locked\"")) << words;
    EXPECT_FALSE(has(words, "geheim"));
    EXPECT_TRUE(has(fault(on_tcp("locked@127.0.0.1")), "no password"));
    cluster.restart();
}

class EncryptedConnectionTest : public ConnectionTest {
  protected:
    // The server has a certificate for these names.
    void serve(const std::string& names) {
        const auto certificate = authority_.issue(names);
        cluster.write("server.crt", certificate.cert);
        cluster.write("server.key", certificate.key);
        cluster.write("pg_hba.conf", "local all all trust\nhostssl all all 127.0.0.1/32 trust\n");
        cluster.restart({"listen_addresses=127.0.0.1", "ssl=on"});
    }
    ~EncryptedConnectionTest() override { cluster.restart(); }
    std::string trusting(const Authority& one) const {
        return "?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=" + temporary_file(one.pem());
    }

    const Authority authority_;
};

TEST_F(EncryptedConnectionTest, ACertificateOfTheNameIsTaken) {
    serve("DNS:db.example");
    EXPECT_EQ(fault(on_tcp("postgres@db.example", trusting(authority_))), "");
}

TEST_F(EncryptedConnectionTest, OneThatDoesNotVerifyIsRefused) {
    serve("DNS:db.example");
    const auto unknown = fault(on_tcp("postgres@db.example", trusting(Authority("Another"))));
    EXPECT_TRUE(has(unknown, "certificate verify failed")) << unknown;
    const auto other_name = fault(on_tcp("postgres@db2.example", trusting(authority_)));
    EXPECT_TRUE(has(other_name, "does not match host name \"db2.example\"")) << other_name;
}

TEST_F(EncryptedConnectionTest, MuchComesEncryptedToo) {
    serve("DNS:db.example");
    const auto connection = connected(on_tcp("postgres@db.example", trusting(authority_)));
    const std::vector<Command> commands(20, Command{{"long_text", "SELECT repeat('x', 1000003)"}});
    const auto exchanged = exchange(*connection, commands);
    ASSERT_EQ(exchanged.rows.size(), commands.size());
    EXPECT_EQ(exchanged.rows.back()[0].text(0).size(), 1'000'003u);
}

TEST_F(ConnectionTest, OfSeveralServersTheOneThatWorksIsFound) {
    auto to = options(cluster.url()).connection;
    to.servers.insert(to.servers.begin(), Server{"/nowhere", "", "1"});
    EXPECT_TRUE(open(to).has_value());
    to.servers.resize(1);
    const auto none = open(to);
    ASSERT_TRUE(none.has_error());
    EXPECT_TRUE(has(none.error(), "/nowhere")) << none.error();
    to.servers = {Server{"no such name", "", "5432"}};
    EXPECT_TRUE(open(to).error().starts_with("no such name: "));
}

// The server accepts the connection, and says nothing.
TEST_F(ConnectionTest, AServerThatDoesNotAnswerCostsItsTimeAndNoMore) {
    const boost::asio::local::stream_protocol::endpoint silent(cluster.folder().path(".s.PGSQL.1"));
    boost::asio::local::stream_protocol::acceptor acceptor(io, silent);
    auto to = options(cluster.url()).connection;
    to.connect_timeout = Duration(2'000);
    auto folder = to.servers.at(0).host;
    to.servers.insert(to.servers.begin(), Server{folder, "", "1"});
    EXPECT_TRUE(open(to).has_value());
    to.servers.resize(1);
    EXPECT_EQ(open(to).error(), folder + ": no answer in time");
    acceptor.close();
    std::filesystem::remove(silent.path());
}

TEST_F(ConnectionTest, AStandbyIsPassedOver) {
    cluster.stop();
    cluster.write("standby.signal", "");
    cluster.start();
    auto to = options(cluster.url() + "&target_session_attrs=read-write").connection;
    for (auto& [name, value] : to.settings)
        if (name == "target_session_attrs") value = "read-write";
    const auto opened = open(to);
    cluster.stop();
    cluster.remove("standby.signal");
    cluster.start();
    ASSERT_TRUE(opened.has_error());
    EXPECT_TRUE(
        has(opened.error(), "session is read-only (that server is a standby: start the primary, or promote it)"))
        << opened.error();
}

// libpq says it in three lines.
TEST_F(ConnectionTest, AServerThatGoesWithoutAWordIsSaidInOneSentence) {
    const boost::asio::local::stream_protocol::endpoint leaving(cluster.folder().path(".s.PGSQL.1"));
    boost::asio::local::stream_protocol::acceptor acceptor(io, leaving);
    acceptor.async_accept([](const boost::system::error_code&, const boost::asio::local::stream_protocol::socket&) {});
    auto to = options(cluster.url()).connection;
    to.servers = {Server{to.servers.at(0).host, "", "1"}};
    const auto opened = open(to);
    std::filesystem::remove(leaving.path());
    ASSERT_TRUE(opened.has_error());
    EXPECT_TRUE(
        opened.error().ends_with("failed: server closed the connection unexpectedly (this probably means the server "
                                 "terminated abnormally before "
                                 "or while processing the request)"))
        << opened.error();
    EXPECT_TRUE(has(open(to).error(), "(is the server running locally and accepting connections on that socket?)"));
}

}  // namespace
}  // namespace gateway::postgres::test
