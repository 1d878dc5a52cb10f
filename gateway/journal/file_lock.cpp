#include "journal/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

namespace gateway {

namespace {

constexpr std::string_view note = "there is a journal\n";
// What follows it once a sale was recorded: always of one length, so that a shorter one leaves nothing of a longer one.
constexpr std::string_view recorded = "last recorded: ";
constexpr std::size_t digits = 12;  // of how long the history of a sale may be
constexpr std::size_t recorded_size = recorded.size() + Ulid::length + 1 + digits + 1;

boost::system::error_code system_error() {
    return {errno, boost::system::system_category()};
}

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
    lock.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
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

Result<void> FileLock::make_private(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return system_error();
    auto taken_away = take_from_others(descriptor);
    ::close(descriptor);
    return taken_away;
}

Result<void> FileLock::note_journal() {
    if (notes_journal()) return {};
    const auto written = ::pwrite(descriptor_, note.data(), note.size(), 0);
    if (written != static_cast<ssize_t>(note.size())) return written < 0 ? system_error() : errc::journal_unavailable;
    if (::fsync(descriptor_) != 0) return system_error();
    return {};
}

bool FileLock::notes_journal() const noexcept {
    std::array<char, note.size()> begin{};
    const auto size = ::pread(descriptor_, begin.data(), begin.size(), 0);
    return size == static_cast<ssize_t>(begin.size()) && std::string_view(begin.data(), begin.size()) == note;
}

Result<void> FileLock::note_recorded_sale(const RecordedSale& sale) {
    std::array<char, recorded_size + 1> line{};
    const auto end =
        fmt::format_to_n(line.begin(), line.size(), "{}{} {:0{}}\n", recorded, sale.id.text(), sale.history, digits);
    if (end.size != recorded_size) return errc::malformed;
    const auto written = ::pwrite(descriptor_, line.data(), recorded_size, note.size());
    if (written != static_cast<ssize_t>(recorded_size)) return written < 0 ? system_error() : errc::journal_unavailable;
    return {};
}

std::optional<RecordedSale> FileLock::recorded_sale() const {
    std::array<char, recorded_size> line{};
    if (::pread(descriptor_, line.data(), line.size(), note.size()) != static_cast<ssize_t>(line.size())) return {};
    std::string_view text(line.data(), line.size());
    if (!text.starts_with(recorded) || !text.ends_with('\n')) return {};
    text.remove_prefix(recorded.size());
    const auto id = SaleId::parse(text.substr(0, Ulid::length));
    std::int64_t history = 0;
    const auto* const last = text.data() + text.size() - 1;
    const auto [end, failed] = std::from_chars(last - digits, last, history);
    if (!id || failed != std::errc() || end != last) return {};
    return RecordedSale{.id = *id, .history = history};
}

Result<void> FileLock::forget_recorded_sale() {
    if (!recorded_sale()) return {};
    if (::ftruncate(descriptor_, note.size()) != 0 || ::fsync(descriptor_) != 0) return system_error();
    return {};
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace gateway
