#include "base/process.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace gateway {

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

void let_writes_fail() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

namespace {

// systemd-timesyncd touches this file. It asks a server at least every 34 minutes, and after an hour and a half without
// an answer somebody should look at it.
constexpr auto timesyncd_file = "/run/systemd/timesync/synchronized";
constexpr std::chrono::minutes longest_between_looks(90);
constexpr auto package_folder = "/usr/lib/sales-gateway";

void mask(int how, int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    (void)pthread_sigmask(how, &set, nullptr);
}

}  // namespace

void hold_back(int signal) {
    mask(SIG_BLOCK, signal);
}

void let_in(int signal) {
    mask(SIG_UNBLOCK, signal);
}

void keep_memory_private() {
    // The limit prevents a core that goes into a file. Only the second call prevents a core that the system pipes to a
    // program.
    const rlimit none{};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0);
}

std::vector<std::string> folders_of_parts() {
    std::error_code unknown;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    std::vector<std::string> folders;
    if (!unknown) folders.push_back(program.parent_path().string());
    folders.emplace_back(package_folder);
    return folders;
}

std::string become(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (auto& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    for (const auto& folder : folders_of_parts()) {
        const auto path = (std::filesystem::path(folder) / program).string();
        ::execv(path.c_str(), words.data());
        if (errno != ENOENT) return path + ": " + std::generic_category().message(errno);
    }
    return program + " is not here; install the package sales-gateway anew";
}

void let_others_finish() noexcept {
    const sched_param none{};
    (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

namespace {

// Returns what stands behind each descriptor of this process, and nothing where the system does not tell. The process's
// own folder is there even in a service that sees no other process (ProtectProc=, ProcSubset=), and even if its memory
// is kept private.
std::map<int, std::string> what_is_open() {
    std::map<int, std::string> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator open("/proc/self/fd", failed), end; !failed && open != end;
         open.increment(failed)) {
        std::error_code gone;
        found.emplace(std::stoi(open->path().filename()), std::filesystem::read_symlink(*open, gone));
    }
    return failed ? std::map<int, std::string>() : found;
}

}  // namespace

bool epoll_can_be_woken() {
    const auto open = what_is_open();
    bool is_told = false;
    for (const auto& [epoll, what] : open) {
        if (what != "anon_inode:[eventpoll]") continue;
        std::set<std::string> watched;
        std::ifstream info("/proc/self/fdinfo/" + std::to_string(epoll));
        for (std::string line; std::getline(info, line);) {
            std::istringstream words(line);
            std::string name;
            int descriptor = -1;
            if (!(words >> name >> descriptor) || name != "tfd:") continue;
            is_told = true;
            if (const auto at = open.find(descriptor); at != open.end()) watched.insert(at->second);
        }
        if (watched.contains("anon_inode:[eventfd]") && watched.contains("anon_inode:[timerfd]")) return true;
    }
    return !is_told;
}

namespace {

double in_seconds(const timeval& time) {
    constexpr double microseconds = 1e6;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / microseconds;
}

}  // namespace

ProcessUse process_use() {
    ProcessUse use;
    rusage used{};
    if (getrusage(RUSAGE_SELF, &used) == 0) use.cpu_s = in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
    const long page = sysconf(_SC_PAGESIZE);
    std::uint64_t virtual_pages = 0;
    std::uint64_t resident_pages = 0;
    if (page > 0 && std::ifstream("/proc/self/statm") >> virtual_pages >> resident_pages) {
        use.virtual_bytes = virtual_pages * static_cast<std::uint64_t>(page);
        use.resident_bytes = resident_pages * static_cast<std::uint64_t>(page);
    }
    // The folder itself is open while it is read.
    if (const auto open = what_is_open(); !open.empty()) use.open_descriptors = open.size() - 1;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) use.most_descriptors = limit.rlim_cur;
    return use;
}

std::optional<bool> clock_is_synchronized() {
    timex state{};  // asks, and sets nothing
    const int said = adjtimex(&state);
    if (said < 0) return was_synchronized_lately(timesyncd_file);
    return said != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

std::optional<bool> was_synchronized_lately(const std::string& file) {
    std::error_code error;
    const auto at = std::filesystem::last_write_time(file, error);
    if (error) return std::nullopt;
    return std::filesystem::file_time_type::clock::now() - at < longest_between_looks;
}

}  // namespace gateway
