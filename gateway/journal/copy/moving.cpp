#include "journal/copy/moving.hpp"

#include "base/ulid.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway::moving {
namespace {

using State = MovingMark::State;

// One call of move_journal().
class Mover {
  public:
    explicit Mover(const MovingOptions& options)
        : from_(options.from),
          to_(options.to),
          clock_(options.clock),
          random_(options.random),
          progress_(options.progress),
          stop_wanted_(options.stop_wanted) {}

    Explained<Moved> run() {
        auto moved = move();
        if (moved.has_error()) return moved.error() + what_is_left();
        return moved;
    }

  private:
    Explained<Moved> move() {
        if (from_.name() == to_.name()) return fmt::format("{} is both where from and where to", from_.name());
        const auto left = from_.mark();
        if (left.has_error()) return left.error();
        const auto arrived = to_.mark();
        if (arrived.has_error()) return arrived.error();
        if (*left && (*left)->state != State::leaving) return end_of(**left, *arrived);
        if (auto allowed = may_arrive(*left, *arrived); allowed.has_error()) return allowed.error();
        if (auto begun = begin(); begun.has_error()) return begun.error();
        if (auto done = in_all_tables("copying", &Mover::copy); done.has_error() || stopped_) return outcome(done);
        if (auto done = to_.settle(); done.has_error()) return done.error();
        if (auto done = in_all_tables("comparing", &Mover::compare); done.has_error() || stopped_) return outcome(done);
        if (auto done = check(to_); done.has_error() || stopped_) return outcome(done);
        mark_.at = clock_.wall();
        mark_.state = State::moved;
        is_ending_ = true;
        if (auto done = from_.mark_moved(mark_); done.has_error()) return done.error();
        if (auto done = to_.complete(); done.has_error()) return done.error();
        return Moved::now;
    }

    // What a copying that failed has left behind, where it had begun. A place that was lost is not asked once more.
    std::string what_is_left() {
        constexpr auto once_more = "When the cause is gone, call the same command once more";
        if (is_ending_)
            return fmt::format("\n\nNo gateway starts on {} yet. {}, before one is started.", to_.name(), once_more);
        const auto begun = is_begun_ ? Begun::yes : has_begun();
        if (begun == Begun::no) return {};
        const auto marked = begun == Begun::yes
                                ? "is marked as a copy that is not whole, and no gateway starts on it"
                                : "may be marked by now as a copy that is not whole: let no gateway start on it";
        return fmt::format("\n\n{} {}.\n{} is the journal still. {}.", to_.name(), marked, from_.name(), once_more);
    }

    enum class Begun { no, yes, not_known };
    Begun has_begun() {
        const auto left = from_.mark();
        if (left.has_error() || !*left || (*left)->state != State::leaving) return Begun::no;
        const auto arrived = to_.mark();
        if (arrived.has_error()) return Begun::not_known;
        const bool is_ours = *arrived && (*arrived)->state == State::arriving && (*arrived)->place == from_.name();
        return is_ours ? Begun::yes : Begun::no;
    }

    Explained<Moved> outcome(const Done& done) const {
        if (done.has_error()) return done.error();
        return Moved::stopped;
    }

    // The source was moved already, or is no journal yet.
    Explained<Moved> end_of(const MovingMark& left, const std::optional<MovingMark>& arrived) {
        if (left.state == State::arriving)
            return fmt::format("{}: {}", from_.name(), why_not_to_start(left, {from_.name(), !from_.is_locked()}));
        // Right between the last two steps.
        if (arrived && arrived->state == State::arriving && arrived->copy == left.copy) {
            is_ending_ = true;
            if (auto done = to_.settle(); done.has_error()) return done.error();
            if (auto done = to_.complete(); done.has_error()) return done.error();
            return Moved::now;
        }
        if (!arrived && left.place == to_.name()) return Moved::earlier;
        return fmt::format("{} was moved to {} at {}: what has happened since then is there", from_.name(), left.place,
                           to_zoned_text(left.at));
    }

    // Whether something else is there; and whether this goes on with an earlier copying, or begins.
    Done may_arrive(const std::optional<MovingMark>& left, const std::optional<MovingMark>& arrived) {
        if (!arrived) {
            const auto used = to_.is_in_use();
            if (used.has_error()) return used.error();
            if (*used)
                return fmt::format("there is a journal at {} already, and nothing is ever written over: {}", to_.name(),
                                   another_place());
            return {};
        }
        if (arrived->state == State::moved)
            return fmt::format("{} is a journal that was moved to {} at {}, and nothing is ever written over: {}",
                               to_.name(), arrived->place, to_zoned_text(arrived->at), another_place());
        if (arrived->state == State::leaving)
            return fmt::format("{} is a journal that is itself being copied to {}", to_.name(), arrived->place);
        if (arrived->place != from_.name())
            return fmt::format("{} is an unfinished copy of {}, and not of {}: end that one, or remove it", to_.name(),
                               arrived->place, from_.name());
        goes_on_ = left && left->copy == arrived->copy;
        if (goes_on_) mark_ = *left;
        if (arrived->copy.empty()) return {};  // marked, and nothing was copied yet
        progress_.say(goes_on_ ? "going on with the copy that was begun at " + to_zoned_text(arrived->at)
                               : "the unfinished copy that was begun at " + to_zoned_text(arrived->at) +
                                     " is no longer one of the journal, which a gateway may have used since: all of it "
                                     "is copied anew");
        return {};
    }

    std::string another_place() const {
        return to_.name().starts_with("postgres")
                   ? "name another database, or drop that one and make it anew if nobody needs what is in it"
                   : "name another file, or give that one another name (with the -wal and -shm beside it)";
    }

    Done begin() {
        if (!goes_on_) {
            mark_.copy = Ulid::make(clock_.wall(), random_).str();
            mark_.at = clock_.wall();
        }
        mark_.state = State::leaving;
        mark_.place = to_.name();
        if (auto done = from_.leave(mark_); done.has_error()) return done;
        auto arriving = mark_;
        arriving.state = State::arriving;
        arriving.place = from_.name();
        to_.expect(from_.bytes());
        if (auto done = to_.arrive(arriving, !goes_on_); done.has_error()) return done;
        is_begun_ = true;
        return check(from_);
    }

    Done check(Place& place) {
        progress_.begin("checking", place.name(), 0, 0);
        auto done = place.check();
        progress_.end();
        stop();
        return done;
    }

    bool stop() { return stopped_ = stopped_ || (stop_wanted_ && stop_wanted_()); }

    Done in_all_tables(const char* step, Done (Mover::*work)(const Table&)) {
        for (const auto& table : all_tables()) {
            if (stop()) return {};
            const auto rows = from_.count(table);
            if (rows.has_error()) return rows.error();
            const bool again = goes_on_ && work == &Mover::copy;
            const auto before = again ? to_.count(table) : Explained<std::int64_t>(boost::system::in_place_value, 0);
            if (before.has_error()) return before.error();
            progress_.begin(step, table.name, *rows, *before);
            auto done = (this->*work)(table);
            progress_.end();
            if (done.has_error()) return done;
        }
        return {};
    }

    Done copy(const Table& table) {
        const auto after = goes_on_ ? to_.last(table) : Explained<std::optional<Record>>(std::nullopt);
        if (after.has_error()) return after.error();
        if (auto begun = from_.begin_reading(table, *after); begun.has_error()) return begun;
        while (!stop()) {
            if (auto read = from_.read(left_); read.has_error()) return read;
            if (left_.empty()) return {};
            if (auto written = to_.write(table, left_); written.has_error()) return written;
            progress_.advance(static_cast<std::int64_t>(left_.size()));
        }
        return {};
    }

    Done compare(const Table& table) {
        if (auto begun = from_.begin_reading(table, std::nullopt); begun.has_error()) return begun;
        if (auto begun = to_.begin_reading(table, std::nullopt); begun.has_error()) return begun;
        while (!stop()) {
            if (auto read = from_.read(left_); read.has_error()) return read;
            if (auto read = to_.read(arrived_); read.has_error()) return read;
            for (std::size_t i = 0; i < std::max(left_.size(), arrived_.size()); ++i)
                if (auto same = compare(table, i); same.has_error()) return same;
            if (left_.empty()) return {};
            progress_.advance(static_cast<std::int64_t>(left_.size()));
        }
        return {};
    }

    Done compare(const Table& table, std::size_t row) const {
        const auto differs = [&](const std::string& what) {
            return fmt::format(
                "{0} and {1} differ: table {2}, {3}. {0} is still the journal, and a gateway may start on it; none "
                "starts on {1}. Remove {1} before this is called once more, and all of it is copied anew",
                from_.name(), to_.name(), table.name, what);
        };
        const auto in_words = [&](const Record& record) { return keys_in_words(table, record); };
        if (row >= arrived_.size()) return differs(fmt::format("row {} has not arrived", in_words(left_[row])));
        if (row >= left_.size()) return differs(fmt::format("row {} is only in the copy", in_words(arrived_[row])));
        if (left_[row] == arrived_[row]) return {};
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            if (left_[row][i] == arrived_[row][i]) continue;
            if (i < table.keys)
                return differs(
                    fmt::format("row {} stands where row {} does", in_words(arrived_[row]), in_words(left_[row])));
            return differs(fmt::format("row {}, column {}", in_words(left_[row]), table.columns[i].name));
        }
        return {};
    }

    Place& from_;
    Place& to_;
    const Clock& clock_;
    Random& random_;
    Progress& progress_;
    const std::function<bool()>& stop_wanted_;
    MovingMark mark_{};
    bool goes_on_ = false;
    bool is_begun_ = false;   // both places have the mark
    bool is_ending_ = false;  // the source may be marked as moved
    bool stopped_ = false;
    std::vector<Record> left_;
    std::vector<Record> arrived_;
};

}  // namespace

Explained<Moved> move_journal(const MovingOptions& options) {
    return Mover(options).run();
}

}  // namespace gateway::moving
