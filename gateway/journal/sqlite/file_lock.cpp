#include "journal/sqlite/file_lock.hpp"

#include "base/check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

namespace gateway {

namespace {

constexpr std::string_view note = "there is a journal\n";
// The note of the last recorded sale follows. It always has the same length, so that it overwrites an earlier one.
constexpr std::string_view recorded = "last recorded: ";
constexpr std::size_t digits = 12;  // for the length of a sale's history
constexpr std::size_t recorded_size = recorded.size() + Ulid::length + 1 + digits + 1;
// The note of how a gateway's run stands comes next.
constexpr std::size_t run_at = note.size() + recorded_size;
constexpr std::string_view run = "run: ";
constexpr std::size_t longest_state = 12;
constexpr std::string_view on_boot = " on boot ";
constexpr std::size_t longest_boot = 36;
constexpr std::size_t boot_at = run.size() + longest_state + on_boot.size();
constexpr std::size_t run_size = boot_at + longest_boot + 1;
// The note of the log comes last.
constexpr std::size_t log_at = run_at + run_size;
constexpr std::string_view log = "log: ";
constexpr std::string_view on_file = " on file ";
constexpr std::size_t log_length = 16;
constexpr std::size_t digest_length = 64;
constexpr std::size_t log_size = log.size() + log_length + on_file.size() + digest_length + 1;
constexpr std::array<std::pair<RunState, std::string_view>, 3> run_states{
    {{RunState::begun, "begun"}, {RunState::ended, "ended"}, {RunState::lost_commits, "lost commits"}}};

Result<void> take_from_others(int descriptor) {
    constexpr mode_t of_others = S_IRWXG | S_IRWXO;
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return system_error();
    if ((status.st_mode & of_others) != 0 && ::fchmod(descriptor, S_IRUSR | S_IWUSR) != 0) return system_error();
    return {};
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
    FileLock lock;
    lock.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock.descriptor_ < 0) return system_error();
    if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return errc::journal_in_use;
        return system_error();
    }
    auto file = NamedFile::opened_as(path, lock.descriptor_);
    if (file.has_error()) return file.error();
    lock.file_ = std::move(*file);
    return lock;
}

FileLock FileLock::look(const std::string& path) {
    FileLock lock;
    lock.descriptor_ = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return lock;
}

Result<void> FileLock::make_private(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return system_error();
    auto taken_away = take_from_others(descriptor);
    ::close(descriptor);
    return taken_away;
}

Result<void> FileLock::write_at(std::size_t at, std::string_view text) const {
    const auto written = ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(at));
    if (written != static_cast<ssize_t>(text.size())) return written < 0 ? system_error() : errc::journal_unavailable;
    return {};
}

// Returns fewer bytes where the file is shorter, and an empty text where it cannot be read.
std::string FileLock::read_at(std::size_t at, std::size_t length) const {
    std::string text(length, '\0');
    const auto size = ::pread(descriptor_, text.data(), length, static_cast<off_t>(at));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text;
}

Result<void> FileLock::note_journal() {
    if (notes_journal()) return {};
    if (auto written = write_at(0, note); written.has_error()) return written;
    if (::fsync(descriptor_) != 0) return system_error();
    return {};
}

bool FileLock::notes_journal() const {
    return read_at(0, note.size()) == note;
}

Result<void> FileLock::note_recorded_sale(const RecordedSale& sale) {
    std::array<char, recorded_size + 1> line{};
    const auto end =
        fmt::format_to_n(line.begin(), line.size(), "{}{} {:0{}}\n", recorded, sale.id.text(), sale.history, digits);
    if (end.size != recorded_size) return errc::malformed;
    return write_at(note.size(), {line.data(), recorded_size});
}

std::optional<RecordedSale> FileLock::recorded_sale() const {
    const auto line = read_at(note.size(), recorded_size);
    if (line.size() != recorded_size || !line.starts_with(recorded) || !line.ends_with('\n')) return {};
    const auto id = SaleId::parse(std::string_view(line).substr(recorded.size(), Ulid::length));
    std::int64_t history = 0;
    const auto* const last = line.data() + line.size() - 1;
    const auto [end, failed] = std::from_chars(last - digits, last, history);
    if (!id || failed != std::errc() || end != last) return {};
    return RecordedSale{.id = *id, .history = history};
}

Result<void> FileLock::blank_recorded_sale() const {
    return write_at(note.size(), std::string(recorded_size - 1, ' ') + '\n');
}

Result<void> FileLock::forget_recorded_sale() {
    if (!recorded_sale()) return {};
    if (auto blanked = blank_recorded_sale(); blanked.has_error()) return blanked;
    if (::fsync(descriptor_) != 0) return system_error();
    return {};
}

Result<void> FileLock::note_run(RunState state, std::string_view boot) {
    if (descriptor_ < 0) return {};
    const auto* const known = std::ranges::find(run_states, state, &decltype(run_states)::value_type::first);
    CHECK(known != run_states.end());
    if (boot.size() > longest_boot) boot = {};
    const auto noted = [&]() -> Result<void> {
        // Since an earlier boot, a power cut may have changed the file that the log stands on. A start that fails after
        // this must not leave that note to a later one.
        if (!run_was_on(boot) && noted_log() && ::ftruncate(descriptor_, log_at) != 0) return system_error();
        if (read_at(0, run_at).size() < run_at && !recorded_sale())
            if (auto blanked = blank_recorded_sale(); blanked.has_error()) return blanked;
        const auto line =
            fmt::format("{}{:<{}}{}{:<{}}\n", run, known->second, longest_state, on_boot, boot, longest_boot);
        if (auto written = write_at(run_at, line); written.has_error()) return written;
        if (::fsync(descriptor_) != 0) return system_error();
        return {};
    }();
    if (noted.has_error() && ::ftruncate(descriptor_, run_at) != 0) return system_error();
    return noted;
}

RunState FileLock::run_state() const {
    const auto line = read_at(run_at, run_size);
    for (const auto& [state, word] : run_states)
        if (line.size() == run_size && line.starts_with(fmt::format("{}{:<{}}{}", run, word, longest_state, on_boot)))
            return state;
    return RunState::unknown;
}

bool FileLock::run_was_on(std::string_view boot) const {
    const auto noted = read_at(run_at + boot_at, longest_boot);
    return boot.empty() || noted.starts_with(' ') || noted.empty() || noted.starts_with(boot);
}

Result<void> FileLock::note_log(const LogBase& base) {
    if (read_at(run_at, run_size).size() != run_size) return errc::not_found;
    const auto line = fmt::format("{}{}{}{}\n", log, base.log, on_file, base.database);
    if (line.size() != log_size) return errc::malformed;
    return write_at(log_at, line);
}

std::optional<LogBase> FileLock::noted_log() const {
    const auto line = read_at(log_at, log_size);
    if (line.size() != log_size || !line.starts_with(log) || !line.ends_with('\n')) return std::nullopt;
    return LogBase{.log = line.substr(log.size(), log_length),
                   .database = line.substr(log_size - 1 - digest_length, digest_length)};
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace gateway
