#include "unit/support/postgres_cluster.hpp"

#include "base/check.hpp"

#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace gateway::test {
namespace {

// Returns the folder of the newest server's programs. Debian gives each version a folder of its own; a client alone has
// one, too.
std::string folder_of_programs() {
    const std::filesystem::path versions = "/usr/lib/postgresql";
    std::error_code none;
    int newest = 0;
    for (const auto& version : std::filesystem::directory_iterator(versions, none))
        if (std::filesystem::exists(version.path() / "bin/postgres"))
            newest = std::max(newest, std::stoi(version.path().filename().string()));
    return versions / std::to_string(newest) / "bin/";
}
const std::string programs = folder_of_programs();

// PostgreSQL refuses to run as root. There the user of its package runs it.
struct User {
    uid_t user = ::geteuid();
    gid_t group = ::getegid();
};
User server_user() {
    User user;
    if (user.user != 0) return user;
    const auto* entry = ::getpwnam("postgres");
    CHECK(entry != nullptr);
    user.user = entry->pw_uid;
    user.group = entry->pw_gid;
    return user;
}

using Words = std::vector<std::string>;

// Runs a program as the server's user; it ends with this process. `notify` is the socket on which it says that it is
// ready.
pid_t spawn(const Words& words, const std::string& notify, const std::string& output) {
    const auto user = server_user();
    std::vector<char*> arguments;
    for (const auto& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::string path = "PATH=/usr/bin:/bin", language = "LC_ALL=C.UTF-8", socket = "NOTIFY_SOCKET=" + notify;
    std::array<char*, 4> environment{path.data(), language.data(), socket.data(), nullptr};
    if (notify.empty()) environment[2] = nullptr;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    CHECK(child >= 0);
    if (child > 0) return child;
    const bool own = ::geteuid() != 0 || (::setgid(user.group) == 0 && ::setuid(user.user) == 0);
    const bool dies = ::prctl(PR_SET_PDEATHSIG, SIGQUIT) == 0 && ::getppid() == parent;
    if (own && dies && std::freopen(output.c_str(), "a", stdout) != nullptr && ::dup2(1, 2) == 2 && ::chdir("/") == 0)
        ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
}

int wait_for(pid_t child) {
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    return status;
}

std::uint16_t free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    CHECK(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    CHECK(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    ::close(socket);
    return ntohs(address.sin_port);
}

// Plays systemd's part for a service: it is told when the server accepts connections.
class Readiness {
  public:
    explicit Readiness(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        CHECK(path.size() < sizeof(address.sun_path));
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        ::unlink(path.c_str());
        CHECK(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
        std::filesystem::permissions(path, std::filesystem::perms::all);
        timeval often{0, 100'000};  // so that a server which has ended instead is noticed
        CHECK(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &often, sizeof(often)) == 0);
    }
    Readiness(const Readiness&) = delete;
    Readiness& operator=(const Readiness&) = delete;
    ~Readiness() { ::close(socket_); }

    bool comes_from(pid_t server) const {
        std::array<char, 512> room{};
        while (::waitpid(server, nullptr, WNOHANG) == 0) {
            const auto size = ::recv(socket_, room.data(), room.size(), 0);
            if (size > 0 &&
                std::string_view(room.data(), static_cast<std::size_t>(size)).find("READY=1") != std::string_view::npos)
                return true;
        }
        return false;
    }

  private:
    const int socket_;
};

}  // namespace

PostgresCluster& PostgresCluster::shared() {
    static PostgresCluster cluster;
    return cluster;
}

PostgresCluster::PostgresCluster() : port_(free_port()) {
    const auto user = server_user();
    CHECK(::chown(folder_.path("").c_str(), user.user, user.group) == 0);
    const auto log = folder_.path("initdb.log");
    const Words words{
        programs + "initdb", "-D",       folder_.path("data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
        "--locale=C.UTF-8",  "--no-sync"};
    if (wait_for(spawn(words, "", log)) != 0) throw std::runtime_error("initdb failed: " + contents_of(log));
    start();
}

PostgresCluster::~PostgresCluster() {
    end(SIGQUIT);
}

std::string PostgresCluster::url(std::string_view database) const {
    auto folder = folder_.path("");
    folder.pop_back();
    std::string url = "postgresql://postgres@/";
    return url.append(database).append("?host=").append(folder).append("&port=").append(std::to_string(port_));
}

std::string PostgresCluster::sql(std::string_view commands, std::string_view database) const {
    const auto script = folder_.write("commands.sql", commands);
    const auto call = "/usr/bin/psql -XAtq -v ON_ERROR_STOP=1 -f '" + script + "' '" + url(database) + "' 2>&1";
    auto* pipe = ::popen(call.c_str(), "r");
    CHECK(pipe != nullptr);
    std::string printed;
    std::array<char, 4096> room{};
    while (const auto size = std::fread(room.data(), 1, room.size(), pipe))
        printed.append(room.data(), size);
    if (::pclose(pipe) != 0) throw std::runtime_error("psql failed: " + printed);
    while (printed.ends_with('\n'))
        printed.pop_back();
    return printed;
}

void PostgresCluster::restart(const std::vector<std::string>& settings) {
    stop();
    start(settings);
}

void PostgresCluster::kill() {
    end(SIGKILL);
}

void PostgresCluster::stop() {
    end(SIGINT);
}

void PostgresCluster::start(const std::vector<std::string>& settings) {
    CHECK(server_ < 0);
    auto folder = folder_.path("");
    folder.pop_back();
    Words words{programs + "postgres", "-D", folder_.path("data"), "-k", folder, "-p", std::to_string(port_)};
    // A server that is told to end waits for a client that has not identified itself, and a test has only one thread.
    Words all{"authentication_timeout=5", "listen_addresses=", "shared_buffers=16MB",
              "max_connections=60",       "autovacuum=off",    "ssl=off"};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const auto& setting : all)
        words.insert(words.end(), {"-c", setting});
    const Readiness readiness(folder_.path("ready"));
    server_ = spawn(words, folder_.path("ready"), folder_.path("log"));
    if (readiness.comes_from(server_)) return;
    server_ = -1;
    throw std::runtime_error("PostgreSQL does not start: " + contents_of(folder_.path("log")));
}

void PostgresCluster::end(int signal) {
    if (server_ < 0) return;
    ::kill(server_, signal);
    (void)wait_for(server_);
    server_ = -1;
}

void PostgresCluster::write(std::string_view name, std::string_view text) const {
    const auto user = server_user();
    std::ofstream(path(name)) << text;
    CHECK(::chown(path(name).c_str(), user.user, user.group) == 0);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

void PostgresCluster::remove(std::string_view name) const {
    std::filesystem::remove(path(name));
}

}  // namespace gateway::test
