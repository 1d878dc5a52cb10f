#include "journal/chain/tally_file.hpp"

#include "journal/sqlite/file_user.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

namespace gateway::postgres {
namespace {

using Written = boost::system::result<void, std::string>;
using Read = boost::system::result<std::optional<Acknowledged>, std::string>;

constexpr std::string_view title = "what the journal has acknowledged to this sales-gateway";
// This is one sector of any disk, which is written as a whole or not at all.
constexpr std::size_t size_limit = 512;

// The text has always the same length for one journal and one gateway, so that a new one leaves nothing of the old one.
std::string text_of(const std::string& id, const Acknowledged& a) {
    auto text = fmt::format("{}\nfile {}\n", title, id);
    if (a.journal.empty()) return text;
    text += fmt::format("journal {}\ngateway {}\nepoch {:020}\n", a.journal, a.gateway, a.epoch);
    for (const auto made : a.commits)
        text += fmt::format("commits {:020}\n", made);
    return text;
}

struct Content {
    std::string id{};  // empty: an earlier version wrote it
    Acknowledged acknowledged{};
};

// Takes the next line away where it has this name, and returns what stands in it.
std::optional<std::string> take_line(std::string_view& text, std::string_view name) {
    const auto end = text.find('\n');
    if (end == text.npos || !text.starts_with(name) || end <= name.size() + 1 || text[name.size()] != ' ')
        return std::nullopt;
    std::string value(text.substr(name.size() + 1, end - name.size() - 1));
    text.remove_prefix(end + 1);
    return value;
}

std::optional<std::int64_t> take_number(std::string_view& text, std::string_view name) {
    const auto digits = take_line(text, name);
    std::int64_t number = -1;
    if (!digits) return std::nullopt;
    const auto* const end = digits->data() + digits->size();
    const auto read = std::from_chars(digits->data(), end, number);
    return read.ptr == end && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<Content> parse(std::string_view text) {
    if (!text.starts_with(title) || !text.substr(title.size()).starts_with('\n')) return std::nullopt;
    text.remove_prefix(title.size() + 1);
    Content read;
    read.id = take_line(text, "file").value_or("");
    if (text.empty() && !read.id.empty()) return read;
    const auto journal = take_line(text, "journal");
    const auto gateway = take_line(text, "gateway");
    const auto epoch = take_number(text, "epoch");
    if (!journal || !gateway || !epoch) return std::nullopt;
    read.acknowledged = {.journal = *journal, .gateway = *gateway, .epoch = *epoch};
    for (auto& commits : read.acknowledged.commits) {
        const auto made = take_number(text, "commits");
        if (!made) return std::nullopt;
        commits = *made;
    }
    return text.empty() ? std::optional(std::move(read)) : std::nullopt;
}

Read refusal(std::string words) {
    return {boost::system::in_place_error, std::move(words)};
}

Read cannot_be_opened(const std::string& path) {
    return refusal(fmt::format("journal.tally_file {} cannot be opened: {}", path, system_error().message()));
}

// Reads what the file has; an empty one remembers nothing yet.
boost::system::result<std::string, std::string> read_text(const std::string& path, int descriptor) {
    std::string text(size_limit, '\0');
    const auto size = ::pread(descriptor, text.data(), text.size(), 0);
    if (size < 0)
        return {boost::system::in_place_error,
                fmt::format("journal.tally_file {} cannot be read: {}", path, system_error().message())};
    text.resize(static_cast<std::size_t>(size));
    if (text.empty() || parse(text)) return {boost::system::in_place_value, std::move(text)};
    return {boost::system::in_place_error,
            fmt::format("journal.tally_file {} is none, or is damaged. Where it was this gateway's, move it away: "
                        "whether the database has lost commits cannot be told by it any more",
                        path)};
}

std::string in_use(const std::string& path) {
    return fmt::format(
        "journal.tally_file {} is in use by another process: each gateway has a file of its own. Where this one was "
        "started twice, stop the other one",
        path);
}

bool writes_all(int descriptor, std::string_view text) {
    const auto written = ::pwrite(descriptor, text.data(), text.size(), 0);
    if (written >= 0 && static_cast<std::size_t>(written) != text.size()) errno = ENOSPC;
    return written >= 0 && static_cast<std::size_t>(written) == text.size();
}

}  // namespace

// A file that may only be read is locked all the same.
TallyFile::Taken TallyFile::take() {
    close();
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    unwritable_ = descriptor_ < 0 ? errno : 0;
    if (unwritable_ != 0) descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) return errno == ENOENT ? Taken::not_there : Taken::failed;
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const bool is_anothers = errno == EWOULDBLOCK;
        close();
        return is_anothers ? Taken::by_another : Taken::failed;
    }
    auto named = NamedFile::opened_as(path_, descriptor_);
    if (named.has_error()) return Taken::failed;
    named_ = std::move(*named);
    return Taken::yes;
}

void TallyFile::close() noexcept {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

Read TallyFile::open() {
    if (path_.empty()) return std::optional<Acknowledged>();
    const auto user = user_for(path_);
    if (user.has_error()) return refusal("journal.tally_file " + user.error());
    const ActingAs acting(*user);
    switch (take()) {
        case Taken::yes: break;
        case Taken::not_there: return std::optional<Acknowledged>();
        case Taken::by_another: return refusal(in_use(path_));
        case Taken::failed: return cannot_be_opened(path_);
    }
    const auto text = read_text(path_, descriptor_);
    if (text.has_error()) return refusal(text.error());
    size_ = text->size();
    auto content = parse(*text);
    if (!content) content.emplace();
    if (!content->id.empty())
        id_ = content->id;
    else
        (void)store(text_of(id_, content->acknowledged));
    if (content->acknowledged.journal.empty()) return std::optional<Acknowledged>();
    return std::optional(std::move(content->acknowledged));
}

std::string why_not_of(const Acknowledged& acknowledged, const std::string& gateway) {
    if (acknowledged.gateway == gateway) return {};
    return fmt::format(
        "journal.tally_file is the gateway {}'s, and this one is {}: each has a file of its own. Where the gateway was "
        "given another name, move the file away",
        acknowledged.gateway, gateway);
}

std::string look_at_tally_file(const std::string& path, const std::string& gateway) {
    const auto user = user_for(path);
    if (user.has_error()) return "journal.tally_file " + user.error();
    const ActingAs acting(*user);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? std::string() : cannot_be_opened(path).error();
    const auto text = read_text(path, descriptor);
    ::close(descriptor);
    if (text.has_error()) return text.error();
    const auto content = parse(*text);
    return !content || content->acknowledged.journal.empty() ? std::string()
                                                             : why_not_of(content->acknowledged, gateway);
}

Written TallyFile::write(const Acknowledged& acknowledged) {
    if (path_.empty() || written_ == acknowledged) return {};
    const auto user = user_for(path_);
    if (user.has_error()) return "journal.tally_file " + user.error();
    const ActingAs acting(*user);
    if (descriptor_ < 0 || !named_->has_name()) {
        size_ = 0;
        const auto taken = take();
        if (taken == Taken::by_another) return in_use(path_);
        if (taken != Taken::yes)
            return fmt::format("journal.tally_file {} cannot be made: {}", path_, system_error().message());
    }
    if (!store(text_of(id_, acknowledged)))
        return fmt::format("journal.tally_file {} cannot be written: {}", path_, system_error().message());
    written_ = acknowledged;
    return {};
}

// A text of another length is flushed; from then on the file only changes in place.
bool TallyFile::store(const std::string& text) {
    errno = unwritable_;
    if (unwritable_ != 0 || !writes_all(descriptor_, text)) return false;
    if (text.size() == size_) return true;
    const auto length = static_cast<off_t>(text.size());
    if (::ftruncate(descriptor_, length) != 0 || ::fsync(descriptor_) != 0) return false;
    if (flush_folder_of(path_).has_error()) return false;
    size_ = text.size();
    return true;
}

}  // namespace gateway::postgres
