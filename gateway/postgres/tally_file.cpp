#include "postgres/tally_file.hpp"

#include "journal/placing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

namespace gateway::postgres {
namespace {

using Written = boost::system::result<void, std::string>;
using Read = boost::system::result<std::optional<Acknowledged>, std::string>;

constexpr std::string_view title = "what the journal has acknowledged to this sales-gateway";
// One sector of any disk: it is there as a whole or not at all.
constexpr std::size_t size_limit = 512;

// Always as long for one journal and one gateway, so that one written over another leaves nothing of it.
std::string text_of(const Acknowledged& a) {
    auto text = fmt::format("{}\njournal {}\ngateway {}\nepoch {:020}\n", title, a.journal, a.gateway, a.epoch);
    for (const auto made : a.commits)
        text += fmt::format("commits {:020}\n", made);
    return text;
}

std::optional<std::string> value_of(std::string_view line, std::string_view name) {
    if (!line.starts_with(name) || line.size() <= name.size() + 1 || line[name.size()] != ' ') return std::nullopt;
    return std::string(line.substr(name.size() + 1));
}

std::optional<std::int64_t> number_of(std::string_view line, std::string_view name) {
    const auto digits = value_of(line, name);
    std::int64_t number = 0;
    if (!digits) return std::nullopt;
    const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), number);
    if (error != std::errc() || end != digits->data() + digits->size() || number < 0) return std::nullopt;
    return number;
}

std::optional<Acknowledged> parse(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    constexpr std::size_t first_count = 4;
    if (!text.empty() || lines.size() != first_count + counted_connections || lines[0] != title) return std::nullopt;
    const auto journal = value_of(lines[1], "journal");
    const auto gateway = value_of(lines[2], "gateway");
    const auto epoch = number_of(lines[3], "epoch");
    if (!journal || !gateway || !epoch) return std::nullopt;
    Acknowledged read{.journal = *journal, .gateway = *gateway, .epoch = *epoch};
    for (std::size_t i = 0; i < counted_connections; ++i) {
        const auto made = number_of(lines[first_count + i], "commits");
        if (!made) return std::nullopt;
        read.commits[i] = *made;
    }
    return read;
}

Read refusal(std::string words) {
    return {boost::system::in_place_error, std::move(words)};
}

std::string system_message() {
    return std::generic_category().message(errno);
}

class OpenTally {
  public:
    explicit OpenTally(int number) : number_(number) {}
    OpenTally(const OpenTally&) = delete;
    OpenTally& operator=(const OpenTally&) = delete;
    ~OpenTally() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const noexcept { return number_; }

  private:
    const int number_;
};

bool writes_all(int descriptor, std::string_view text) {
    const auto written = ::pwrite(descriptor, text.data(), text.size(), 0);
    if (written >= 0 && static_cast<std::size_t>(written) != text.size()) errno = ENOSPC;
    return written >= 0 && static_cast<std::size_t>(written) == text.size();
}

}  // namespace

Read TallyFile::read() const {
    if (path_.empty()) return std::optional<Acknowledged>();
    const auto user = user_for(path_);
    if (user.has_error()) return refusal("journal.tally_file " + user.error());
    const ActingAs acting(*user);
    const OpenTally file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0 && errno == ENOENT) return std::optional<Acknowledged>();
    std::string text(size_limit, '\0');
    const auto size = file.number() < 0 ? -1 : ::pread(file.number(), text.data(), text.size(), 0);
    if (size < 0) return refusal(fmt::format("journal.tally_file {} cannot be read: {}", path_, system_message()));
    text.resize(static_cast<std::size_t>(size));
    auto acknowledged = parse(text);
    if (!acknowledged)
        return refusal(fmt::format(
            "journal.tally_file {} is none, or is damaged. Where it was this gateway's, move it away: whether the "
            "database has lost commits cannot be told by it any more",
            path_));
    return acknowledged;
}

Written TallyFile::write(const Acknowledged& acknowledged) {
    if (path_.empty() || written_ == acknowledged) return {};
    const auto user = user_for(path_);
    if (user.has_error()) return "journal.tally_file " + user.error();
    const ActingAs acting(*user);
    const auto text = text_of(acknowledged);
    const bool is_same_size = written_ && written_->journal == acknowledged.journal;
    const OpenTally file(is_same_size ? ::open(path_.c_str(), O_WRONLY | O_CLOEXEC) : -1);
    if (!is_same_size || (file.number() < 0 && errno == ENOENT)) {
        if (auto made = make(text); made.has_error()) return made;
    } else if (file.number() < 0 || !writes_all(file.number(), text)) {
        return fmt::format("journal.tally_file {} cannot be written: {}", path_, system_message());
    }
    written_ = acknowledged;
    return {};
}

// As a whole, and on the disk: from then on it only changes in place.
Written TallyFile::make(const std::string& text) const {
    const auto draft = path_ + ".new";
    {
        const OpenTally file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        if (file.number() < 0 || !writes_all(file.number(), text) || ::fsync(file.number()) != 0)
            return fmt::format("journal.tally_file {} cannot be made: {}", path_, system_message());
    }
    if (::rename(draft.c_str(), path_.c_str()) != 0)
        return fmt::format("journal.tally_file {} cannot be made: {}", path_, system_message());
    return {};
}

}  // namespace gateway::postgres
