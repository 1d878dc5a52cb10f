#include "base/systemd.hpp"

#include "unit/support/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <functional>

namespace gateway::test {
namespace {

// Plays systemd's side with a datagram socket.
class NotifySocket {
  public:
    explicit NotifySocket(std::string name) : name_(std::move(name)), socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name_.data(), name_.size());
        if (name_.front() == '@') address.sun_path[0] = '\0';
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
        EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), length), 0);
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;
    ~NotifySocket() { ::close(socket_); }

    SystemdEnvironment environment() const { return {.notify_socket = name_}; }
    // Returns the next message; empty where none was sent.
    std::string told() const {
        std::array<char, 512> text{};
        const auto length = ::recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
        return length < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(length));
    }

  private:
    std::string name_;
    int socket_;
};

std::string own_pid() {
    return std::to_string(::getpid());
}

TEST(Systemd, TellsHowTheProgramIs) {
    const TemporaryFolder folder;
    const NotifySocket socket(folder.path("notify"));
    Systemd systemd(socket.environment());
    systemd.ready();
    EXPECT_EQ(socket.told(), "READY=1");
    systemd.status("Ready to sell.");
    EXPECT_EQ(socket.told(), "STATUS=Ready to sell.");
    systemd.stopping();
    EXPECT_EQ(socket.told(), "STOPPING=1");
    EXPECT_EQ(socket.told(), "");
}

TEST(Systemd, AnAbstractSocketIsOneToo) {
    const NotifySocket socket("@sales-gateway-test-" + own_pid());
    Systemd systemd(socket.environment());
    systemd.ready();
    EXPECT_EQ(socket.told(), "READY=1");
}

TEST(Systemd, AReloadSaysWhenItBeganOnTheSteadyClock) {
    const TemporaryFolder folder;
    const NotifySocket socket(folder.path("notify"));
    Systemd systemd(socket.environment());
    systemd.reloading(Instant(std::chrono::microseconds(1'234'567)));
    EXPECT_EQ(socket.told(), "RELOADING=1\nMONOTONIC_USEC=1234567");
}

TEST(Systemd, AStatusStaysOneLine) {
    const TemporaryFolder folder;
    const NotifySocket socket(folder.path("notify"));
    Systemd systemd(socket.environment());
    systemd.status("one\nREADY=1");
    EXPECT_EQ(socket.told(), "STATUS=one READY=1");
}

TEST(Systemd, TheWatchdogIsFedOnlyWhereThereIsOneForThisProcess) {
    const TemporaryFolder folder;
    const NotifySocket socket(folder.path("notify"));
    auto environment = socket.environment();
    Systemd without(environment);
    EXPECT_EQ(without.watchdog(), std::nullopt);
    without.alive();
    EXPECT_EQ(socket.told(), "");

    environment.watchdog_usec = "30000000";
    Systemd with(environment);
    EXPECT_EQ(with.watchdog(), Duration(30'000));
    with.alive();
    EXPECT_EQ(socket.told(), "WATCHDOG=1");

    environment.watchdog_pid = own_pid();
    EXPECT_EQ(Systemd(environment).watchdog(), Duration(30'000));
    environment.watchdog_pid = "1";
    EXPECT_EQ(Systemd(environment).watchdog(), std::nullopt);
}

TEST(Systemd, AWatchdogPeriodThatIsNoneIsNone) {
    const TemporaryFolder folder;
    const NotifySocket socket(folder.path("notify"));
    auto environment = socket.environment();
    for (const char* text : {"", "soon", "-5", "0", "999", "1e9", "30000000 "}) {
        environment.watchdog_usec = text;
        EXPECT_EQ(Systemd(environment).watchdog(), std::nullopt) << text;
    }
}

TEST(Systemd, WithoutOneNothingHappens) {
    for (const std::string socket : {"", "/", "relative", "/nowhere/at/all", "vsock:2:1234"}) {
        Systemd systemd({.notify_socket = socket, .watchdog_usec = "x", .listen_pid = own_pid()});
        systemd.ready();
        systemd.reloading(Instant{});
        systemd.status("x");
        systemd.alive();
        systemd.stopping();
        EXPECT_EQ(systemd.take_socket("terminals"), std::nullopt);
        EXPECT_FALSE(systemd.reads(STDOUT_FILENO));
    }
    Systemd too_long({.notify_socket = "/" + std::string(200, 'x')});
    too_long.ready();
}

TEST(Systemd, AManagerThatIsGoneChangesNothing) {
    const TemporaryFolder folder;
    SystemdEnvironment environment;
    {
        const NotifySocket socket(folder.path("notify"));
        environment = socket.environment();
    }
    Systemd systemd(environment);
    systemd.ready();
    systemd.stopping();
}

// The sockets are in a process of their own, because the test program already uses descriptors from 3 on.
int in_a_child(const std::function<bool()>& holds) {
    const auto child = ::fork();
    if (child == 0) ::_exit(holds() ? 0 : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) >= 0;
}

TEST(Systemd, SocketsAreTakenByTheirNames) {
    EXPECT_EQ(in_a_child([] {
                  const int plain = ::open("/dev/null", O_RDWR | O_CLOEXEC);
                  for (const int passed : {3, 4, 5})
                      if (passed != plain && ::dup2(plain, passed) < 0) return false;
                  {
                      Systemd systemd({.listen_pid = own_pid(), .listen_fds = "3", .listen_names = "a:b"});
                      if (systemd.sockets() != std::vector<std::string>{"a", "b", ""}) return false;
                      if (systemd.take_socket("b") != 4 || systemd.take_socket("b") || systemd.take_socket("c"))
                          return false;
                      if (::fcntl(4, F_GETFD) != FD_CLOEXEC) return false;
                  }
                  return !is_open(3) && is_open(4) && !is_open(5);
              }),
              0);
}

TEST(Systemd, SocketsOfAnotherProcessAreLeftAlone) {
    for (const std::string pid : {"", "1", "x"})
        EXPECT_EQ(in_a_child([pid] {
                      const int plain = ::open("/dev/null", O_RDWR | O_CLOEXEC);
                      if (plain != 3 && ::dup2(plain, 3) < 0) return false;
                      { const Systemd systemd({.listen_pid = pid, .listen_fds = "1", .listen_names = "a"}); }
                      return is_open(3);
                  }),
                  0);
}

TEST(Systemd, ACredentialStandsInForTheFileOfItsName) {
    const TemporaryFolder folder;
    folder.write("app_secret", "s3cret");
    const auto before = credential_in_place_of("/etc/sales-gateway/app_secret");
    EXPECT_EQ(before, "/etc/sales-gateway/app_secret") << "no service, no credentials";
    ASSERT_EQ(::setenv("CREDENTIALS_DIRECTORY", folder.path("").c_str(), 1), 0);
    EXPECT_EQ(credential_in_place_of("/etc/sales-gateway/app_secret"), folder.path("app_secret"));
    EXPECT_EQ(credential_in_place_of("/etc/sales-gateway/other"), "/etc/sales-gateway/other");
    for (const auto* nothing : {"", "\n"}) {
        folder.write("other", nothing);
        EXPECT_EQ(credential_in_place_of("/etc/sales-gateway/other"), "/etc/sales-gateway/other");
    }
    EXPECT_EQ(credential_in_place_of(""), "");
    EXPECT_EQ(credential_in_place_of("/etc/sales-gateway/"), "/etc/sales-gateway/");
    ::unsetenv("CREDENTIALS_DIRECTORY");
}

TEST(Systemd, KnowsTheStreamThatTheJournalReads) {
    struct stat status {};
    ASSERT_EQ(::fstat(STDERR_FILENO, &status), 0);
    const auto stream = fmt::format("{}:{}", status.st_dev, status.st_ino);
    EXPECT_TRUE(Systemd({.journal_stream = stream}).reads(STDERR_FILENO));
    EXPECT_FALSE(Systemd({.journal_stream = stream + "0"}).reads(STDERR_FILENO));
    EXPECT_FALSE(Systemd({.journal_stream = stream}).reads(-1));
}

TEST(Systemd, TheJournalsSocketStandsBesideItsOwn) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path("journal"));
    const NotifySocket notify(folder.path("notify"));
    struct stat status {};
    ASSERT_EQ(::fstat(STDERR_FILENO, &status), 0);
    auto environment = notify.environment();
    environment.journal_stream = fmt::format("{}:{}", status.st_dev, status.st_ino);
    EXPECT_FALSE(Systemd(environment).journald_socket(STDERR_FILENO)) << "nobody listens there";
    const NotifySocket journal(folder.path("journal/socket"));
    const auto socket = Systemd(environment).journald_socket(STDERR_FILENO);
    ASSERT_TRUE(socket);
    EXPECT_EQ(::send(*socket, "MESSAGE=x", 9, 0), 9);
    EXPECT_EQ(journal.told(), "MESSAGE=x");
    ::close(*socket);
    EXPECT_FALSE(Systemd(environment).journald_socket(-1)) << "the journal does not read it";
    environment.notify_socket = "@abstract";
    EXPECT_FALSE(Systemd(environment).journald_socket(STDERR_FILENO));
    environment.notify_socket = "";
    EXPECT_FALSE(Systemd(environment).journald_socket(STDERR_FILENO));
}

}  // namespace
}  // namespace gateway::test

namespace gateway::test {
namespace {

TEST(ServiceUnitFile, IsReadWithWhatWasAddedToIt) {
    const TemporaryFolder etc;
    const TemporaryFolder lib;
    lib.write("shop.service",
              "[Service]\n# User=nobody\nUser=shop\nExecStart=/usr/bin/shop \\\n  --config /etc/shop.toml\n"
              "LoadCredential=secret:/etc/shop/secret\n");
    std::filesystem::create_directory(etc.path("shop.service.d"));
    etc.write("shop.service.d/10-key.conf", "[Service]\nLoadCredentialEncrypted = key:/etc/shop/key\n");
    const auto unit = read_service_unit("shop.service", {etc.path(""), lib.path("")});
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->user, "shop");
    EXPECT_NE(unit->command.find("--config /etc/shop.toml"), std::string::npos);
    EXPECT_EQ(unit->credentials, (std::vector<std::string>{"secret", "key"}));
    etc.write("shop.service.d/20-user.conf", "[Service]\nUser=till\nLoadCredential=\n");
    EXPECT_EQ(read_service_unit("shop.service", {etc.path(""), lib.path("")})->user, "till");
    EXPECT_TRUE(read_service_unit("shop.service", {etc.path(""), lib.path("")})->credentials.empty());
}

TEST(ServiceUnitFile, SaysWhereTheServiceMayWrite) {
    const TemporaryFolder etc;
    const auto unit_of = [&](const std::string& lines) {
        etc.write("shop.service", "[Service]\nExecStart=/usr/bin/shop --config /etc/shop.toml\n" + lines);
        return *read_service_unit("shop.service", {etc.path("")});
    };
    const auto strict = unit_of(
        "ProtectSystem=strict\nStateDirectory=shop shop/copies\nLogsDirectory=shop\n"
        "ReadWritePaths=-/srv/journal +/srv/other/\nBindPaths=/mnt/disk:/srv/disk:rbind\n");
    EXPECT_EQ(strict.made, (std::vector<std::string>{"/var/lib/shop", "/var/lib/shop/copies", "/var/log/shop"}));
    for (const auto* path : {"/var/lib/shop", "/var/lib/shop/journal.db", "/srv/journal", "/srv/journal/a/b",
                             "/srv/other/a", "/srv/disk/a", "/var/log/shop/x"})
        EXPECT_TRUE(strict.lets_write(path)) << path;
    for (const auto* path : {"/", "/var/lib", "/var/lib/shopping", "/srv", "/mnt/disk", "/var/lib/shop/../other"})
        EXPECT_FALSE(strict.lets_write(path)) << path;
    EXPECT_TRUE(unit_of("ProtectSystem=full\n").lets_write("/srv"));
    EXPECT_TRUE(unit_of("StateDirectory=one\nStateDirectory=\n").made.empty());
    EXPECT_TRUE(unit_of("").starts_with("/etc/shop.toml"));
    EXPECT_FALSE(unit_of("").starts_with("/etc/shop")) << "it is another file";
}

TEST(ServiceUnitFile, TheFirstFolderThatHasItCounts) {
    const TemporaryFolder etc;
    const TemporaryFolder lib;
    etc.write("shop.service", "[Service]\nUser=own\n");
    lib.write("shop.service", "[Service]\nUser=package\n");
    EXPECT_EQ(read_service_unit("shop.service", {etc.path(""), lib.path("")})->user, "own");
    EXPECT_FALSE(read_service_unit("other.service", {etc.path(""), lib.path("")}));
}

}  // namespace
}  // namespace gateway::test
