#include "base/systemd.hpp"

#include "base/ascii.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

namespace gateway {
namespace {

// systemd passes descriptors from this number on, without a gap.
constexpr int first_passed = 3;
// This program has far fewer listeners.
constexpr int most_passed = 64;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Tells whether the variables are for this process: a parent may have left them for itself or for another child.
bool is_for_us(const std::string& pid) {
    return parse_number<std::int64_t>(pid) == static_cast<std::int64_t>(::getpid());
}

}  // namespace

SystemdEnvironment SystemdEnvironment::of_this_process() {
    return {.notify_socket = variable("NOTIFY_SOCKET"),
            .watchdog_usec = variable("WATCHDOG_USEC"),
            .watchdog_pid = variable("WATCHDOG_PID"),
            .listen_pid = variable("LISTEN_PID"),
            .listen_fds = variable("LISTEN_FDS"),
            .listen_names = variable("LISTEN_FDNAMES"),
            .journal_stream = variable("JOURNAL_STREAM")};
}

std::string credential_in_place_of(const std::string& file) {
    const auto folder = variable("CREDENTIALS_DIRECTORY");
    const auto name = std::filesystem::path(file).filename();
    if (folder.empty() || name.empty()) return file;
    std::error_code ignored;
    const auto credential = std::filesystem::path(folder) / name;
    const bool is_one = std::filesystem::is_regular_file(credential, ignored) &&
                        std::filesystem::file_size(credential, ignored) > std::string_view("\n").size();
    return is_one ? credential.string() : file;
}

Systemd::Systemd(const SystemdEnvironment& environment) : journal_stream_(environment.journal_stream) {
    const auto& socket = environment.notify_socket;
    const bool usable = socket.size() > 1 && (socket.front() == '/' || socket.front() == '@');
    if (usable && socket.size() < sizeof(sockaddr_un::sun_path)) {
        address_ = socket;
        if (address_.front() == '@') address_.front() = '\0';
        notify_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    }
    const auto period = parse_number<std::int64_t>(environment.watchdog_usec);
    const bool ours = environment.watchdog_pid.empty() || is_for_us(environment.watchdog_pid);
    // A period below a millisecond is a mistake, because no program can keep it up.
    if (notify_ >= 0 && ours && period && *period >= 1'000)
        watchdog_ = std::chrono::duration_cast<Duration>(std::chrono::microseconds(*period));

    if (!is_for_us(environment.listen_pid)) return;
    const auto count =
        std::clamp<std::int64_t>(parse_number<std::int64_t>(environment.listen_fds).value_or(0), 0, most_passed);
    std::string_view names = environment.listen_names;
    for (int i = 0; i < count; ++i) {
        const auto name = names.substr(0, names.find(':'));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        passed_.push_back({std::string(name), first_passed + i});
        (void)::fcntl(first_passed + i, F_SETFD, FD_CLOEXEC);
    }
}

Systemd::~Systemd() {
    for (const auto& passed : passed_)
        ::close(passed.descriptor);
    if (notify_ >= 0) ::close(notify_);
}

void Systemd::ready() {
    tell("READY=1", Wait::yes);
}

void Systemd::reloading(Instant now) {
    // systemd compares this with the same clock, to tell this reload from an earlier one.
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
    tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", microseconds.count()), Wait::yes);
}

void Systemd::stopping() {
    tell("STOPPING=1", Wait::yes);
}

void Systemd::status(std::string_view sentence) {
    std::string line(sentence);
    std::replace(line.begin(), line.end(), '\n', ' ');  // a further line would be a further message
    tell("STATUS=" + line, Wait::no);
}

void Systemd::alive() {
    if (watchdog_) tell("WATCHDOG=1", Wait::no);
}

// A manager that is gone or does not listen changes nothing for the sales. There is no other place to report it to.
void Systemd::tell(std::string_view message, Wait wait) {
    if (notify_ < 0) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, address_.data(), address_.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    const int flags = MSG_NOSIGNAL | (wait == Wait::no ? MSG_DONTWAIT : 0);
    (void)::sendto(notify_, message.data(), message.size(), flags, reinterpret_cast<const sockaddr*>(&address), length);
}

std::optional<int> Systemd::take_socket(std::string_view name) {
    const auto found =
        std::find_if(passed_.begin(), passed_.end(), [&](const Passed& passed) { return passed.name == name; });
    if (found == passed_.end()) return std::nullopt;
    const int descriptor = found->descriptor;
    passed_.erase(found);
    return descriptor;
}

std::vector<std::string> Systemd::sockets() const {
    std::vector<std::string> names;
    for (const auto& passed : passed_)
        names.push_back(passed.name);
    return names;
}

std::optional<int> Systemd::journald_socket(int descriptor) const {
    if (!reads(descriptor) || !address_.starts_with('/')) return std::nullopt;
    const auto path = std::filesystem::path(address_).parent_path() / "journal/socket";
    sockaddr_un address{};
    if (path.native().size() >= sizeof(address.sun_path)) return std::nullopt;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.native().size());
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return std::nullopt;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return socket;
    ::close(socket);
    return std::nullopt;
}

bool Systemd::reads(int descriptor) const {
    struct stat status {};
    if (journal_stream_.empty() || ::fstat(descriptor, &status) != 0) return false;
    return journal_stream_ == fmt::format("{}:{}", status.st_dev, status.st_ino);
}

namespace {

namespace fs = std::filesystem;

// Returns the words of a value, which blanks separate.
std::vector<std::string_view> words_of(std::string_view value) {
    std::vector<std::string_view> words;
    for (value = trim(value); !value.empty(); value = trim(value)) {
        const auto word = value.substr(0, value.find_first_of(" \t"));
        words.push_back(word);
        value.remove_prefix(word.size());
    }
    return words;
}

constexpr std::array roots{std::pair("StateDirectory", "/var/lib/"), std::pair("CacheDirectory", "/var/cache/"),
                           std::pair("LogsDirectory", "/var/log/"), std::pair("RuntimeDirectory", "/run/")};

void take_folders(ServiceUnit& unit, std::string_view key, std::string_view value) {
    for (const auto& [name, root] : roots) {
        if (key != name) continue;
        if (value.empty()) std::erase_if(unit.made, [root = root](const auto& made) { return made.starts_with(root); });
        for (const auto word : words_of(value))
            unit.made.push_back(root + std::string(word.substr(0, word.find(':'))));
    }
    if (key != "ReadWritePaths" && key != "BindPaths") return;
    // A folder stays in the list even if one of the two settings takes it back later: a missing error is better than a
    // false one.
    for (auto word : words_of(value)) {
        word.remove_prefix(std::min(word.find_first_not_of("-+"), word.size()));
        const auto colon = word.find(':');
        if (colon != word.npos) word = word.substr(colon + 1, word.find(':', colon + 1) - colon - 1);
        unit.opened.emplace_back(word);
    }
}

// An empty value cancels what was said before.
void take(ServiceUnit& unit, std::string_view key, std::string_view value) {
    if (key == "User") unit.user = value;
    if (key == "ExecStart") unit.command = value;
    if (key == "ProtectSystem") unit.keeps_all_else = value == "strict";
    take_folders(unit, key, value);
    if (key != "LoadCredential" && key != "LoadCredentialEncrypted") return;
    if (value.empty()) return unit.credentials.clear();
    unit.credentials.emplace_back(value.substr(0, value.find(':')));
}

bool is_within(const fs::path& path, const std::string& folder) {
    const auto inner = path.lexically_normal();
    const auto outer = fs::path(folder + "/").lexically_normal();
    return (inner / "").native().starts_with(outer.native());
}

void read(ServiceUnit& unit, const fs::path& file) {
    std::ifstream lines(file);
    std::string whole;
    for (std::string line; std::getline(lines, line);) {
        const auto part = trim(line, " \t\r");
        if (part.starts_with('#') || part.starts_with(';')) continue;
        whole += part;
        if (whole.ends_with('\\')) {
            whole.back() = ' ';
            continue;
        }
        if (const auto equals = whole.find('='); equals != whole.npos)
            take(unit, trim(std::string_view(whole).substr(0, equals)),
                 trim(std::string_view(whole).substr(equals + 1)));
        whole.clear();
    }
}

}  // namespace

bool ServiceUnit::starts_with(const std::string& file) const {
    const auto words = words_of(command);
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return word == file || word == "--config=" + file; });
}

bool ServiceUnit::lets_write(const std::string& path) const {
    const auto is_around = [&](const std::string& folder) { return is_within(path, folder); };
    return !keeps_all_else || std::ranges::any_of(made, is_around) || std::ranges::any_of(opened, is_around);
}

std::optional<ServiceUnit> read_service_unit(const std::string& name, const std::vector<std::string>& folders) {
    std::error_code ignored;
    std::optional<ServiceUnit> unit;
    std::map<std::string, fs::path> additions;  // by name, which is the order in which they apply
    for (const auto& folder : folders) {
        const auto file = fs::path(folder) / name;
        if (!unit && fs::exists(file, ignored)) read(unit.emplace(), file);
        for (const auto& entry : fs::directory_iterator(file.string() + ".d", ignored))
            if (entry.path().extension() == ".conf") additions.try_emplace(entry.path().filename(), entry.path());
    }
    if (!unit) return std::nullopt;
    for (const auto& [file_name, file] : additions)
        read(*unit, file);
    return unit;
}

std::optional<ServiceUnit> read_service_unit(const std::string& name) {
    return read_service_unit(name, {"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
                                    "/usr/lib/systemd/system", "/lib/systemd/system"});
}

}  // namespace gateway
