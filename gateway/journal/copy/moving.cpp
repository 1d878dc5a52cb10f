#include "journal/copy/moving.hpp"

#include "base/ulid.hpp"
#include "base/wall_time.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

namespace gateway::moving {
namespace {

using State = MovingMark::State;

// Is thrown where a stop is wanted. It ends the call in such a way that a later one can go on.
class Stopped final : public std::exception {};

// Ends a step of the progress that a person sees, whatever became of the step.
class Shown {
  public:
    explicit Shown(Progress& progress) : progress_(progress) {}
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;
    ~Shown() { progress_.end(); }

  private:
    Progress& progress_;
};

// Reads the rows of a table in order, page by page.
class Pages {
  public:
    // Begins after the row that is given, or at the first row where none is given.
    Pages(Place& place, const Table& table, Rows after = {}) : place_(place), table_(table), rows_(std::move(after)) {}

    // Returns the next rows, which are valid until the next call. They are empty at the end only.
    const Rows& next() {
        std::vector<Value> after;
        if (!rows_.empty()) after = values_of(table_, rows_[rows_.size() - 1], table_.keys);
        rows_ = place_.ask(page_sql(table_, !after.empty()), after);
        return rows_;
    }

  private:
    Place& place_;
    const Table& table_;
    Rows rows_;
};

// Does one call of move_journal().
class Mover {
  public:
    explicit Mover(const MovingOptions& options)
        : options_(options), from_(options.from), to_(options.to), progress_(options.progress) {}

    Explained<Moved> run() {
        try {
            return move();
        } catch (const Stopped&) {
            return Moved::stopped;
        } catch (const Refusal& refusal) {
            return refusal.what() + what_is_left();
        }
    }

  private:
    Moved move() {
        if (from_.name() == to_.name()) refuse("{} is both where from and where to", from_.name());
        const auto left = from_.mark();
        const auto arrived = to_.mark();
        if (left && left->state != State::leaving) return end_of(*left, arrived);
        may_arrive(left, arrived);
        begin();
        in_all_tables("copying", &Mover::copy);
        to_.settle();
        in_all_tables("comparing", &Mover::compare);
        check(to_);
        mark_.at = options_.clock.wall();
        mark_.state = State::moved;
        is_ending_ = true;
        from_.mark_moved(mark_);
        to_.complete();
        return Moved::now;
    }

    // Says what a failed copying has left behind, if it had begun. A place that was lost is not asked again.
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
        const auto left = explained([&] { return from_.mark(); });
        if (left.has_error() || !*left || (*left)->state != State::leaving) return Begun::no;
        const auto arrived = explained([&] { return to_.mark(); });
        if (arrived.has_error()) return Begun::not_known;
        const bool is_ours = *arrived && (*arrived)->state == State::arriving && (*arrived)->place == from_.name();
        return is_ours ? Begun::yes : Begun::no;
    }

    // Is called where the source is marked as moved already, or where it is an unfinished copy itself.
    Moved end_of(const MovingMark& left, const std::optional<MovingMark>& arrived) {
        if (left.state == State::arriving)
            refuse("{}: {}", from_.name(), why_not_to_start(left, {from_.name(), is_database(from_)}));
        // The earlier call stopped exactly between the last two steps.
        if (arrived && arrived->state == State::arriving && arrived->copy == left.copy) {
            is_ending_ = true;
            to_.settle();
            to_.complete();
            return Moved::now;
        }
        if (!arrived && left.place == to_.name()) return Moved::earlier;
        refuse("{} was moved to {} at {}: what has happened since then is there", from_.name(), left.place,
               to_zoned_text(left.at));
    }

    // Refuses a target that has other content. Finds out whether this call goes on with an earlier copying or begins a
    // new one.
    void may_arrive(const std::optional<MovingMark>& left, const std::optional<MovingMark>& arrived) {
        if (!arrived) {
            if (to_.has_tables() && to_.number(sql::is_used.sql) != 0)
                refuse("there is a journal at {} already, and nothing is ever written over: {}", to_.name(),
                       another_place());
            return;
        }
        if (arrived->state == State::moved)
            refuse("{} is a journal that was moved to {} at {}, and nothing is ever written over: {}", to_.name(),
                   arrived->place, to_zoned_text(arrived->at), another_place());
        if (arrived->state == State::leaving)
            refuse("{} is a journal that is itself being copied to {}", to_.name(), arrived->place);
        if (arrived->place != from_.name())
            refuse("{} is an unfinished copy of {}, and not of {}: end that one, or remove it", to_.name(),
                   arrived->place, from_.name());
        goes_on_ = left && left->copy == arrived->copy;
        if (goes_on_) mark_ = *left;
        if (arrived->copy.empty()) return;  // the target has a mark, and nothing was copied to it yet
        progress_.say(goes_on_ ? "going on with the copy that was begun at " + to_zoned_text(arrived->at)
                               : "the unfinished copy that was begun at " + to_zoned_text(arrived->at) +
                                     " is no longer one of the journal, which a gateway may have used since: all of it "
                                     "is copied anew");
    }

    // Only a file is locked from the beginning. Whether another process copies to a database is known after settle().
    static bool is_database(const Place& place) { return place.name().starts_with("postgres"); }

    std::string another_place() const {
        return is_database(to_)
                   ? "name another database, or drop that one and make it anew if nobody needs what is in it"
                   : "name another file, or give that one another name (with the -wal and -shm beside it)";
    }

    void begin() {
        if (!goes_on_) {
            mark_.copy = Ulid::make(options_.clock.wall(), options_.random).str();
            mark_.at = options_.clock.wall();
        }
        mark_.state = State::leaving;
        mark_.place = to_.name();
        from_.leave(mark_);
        auto arriving = mark_;
        arriving.state = State::arriving;
        arriving.place = from_.name();
        to_.arrive(arriving, !goes_on_, from_.bytes());
        is_begun_ = true;
        check(from_);
    }

    void may_go_on() const {
        if (options_.stop_wanted && options_.stop_wanted()) throw Stopped();
    }

    void check(Place& place) {
        progress_.begin("checking", place.name(), 0, 0);
        {
            const Shown shown(progress_);
            place.check();
        }
        may_go_on();
    }

    void in_all_tables(const char* step, void (Mover::*work)(const Table&)) {
        for (const auto& table : all_tables()) {
            may_go_on();
            const auto rows = from_.number(count_sql(table));
            const auto before = goes_on_ && work == &Mover::copy ? to_.number(count_sql(table)) : 0;
            progress_.begin(step, table.name, rows, before);
            const Shown shown(progress_);
            (this->*work)(table);
        }
    }

    void copy(const Table& table) {
        Pages pages(from_, table, goes_on_ ? to_.ask(last_sql(table)) : Rows());
        while (true) {
            may_go_on();
            const auto& rows = pages.next();
            if (rows.empty()) return;
            for (const auto row : rows)
                may_be_copied(table, row);
            append(table, rows);
            progress_.advance(static_cast<std::int64_t>(rows.size()));
        }
    }

    void may_be_copied(const Table& table, const Rows::One& row) {
        if (const auto* wrong = misplaced(table, row); wrong != nullptr)
            refuse(
                "{0}: table {1}, row {2}: the column {3} holds what does not belong there; it was damaged or altered, "
                "and has to be mended first (sqlite3 {0})",
                from_.name(), table.name, keys_in_words(table, row), wrong->name);
        if (const auto* wrong = to_.unfit(table, row); wrong != nullptr)
            refuse(
                "table {}, row {}: PostgreSQL cannot hold what stands in the column {}; it was damaged or altered, and "
                "has to be mended first",
                table.name, keys_in_words(table, row), wrong->name);
    }

    void append(const Table& table, const Rows& rows) {
        const auto inserting = insert_sql(table);
        const Engine::Work work = [&](Transaction& tx) -> Job<void> {
            for (const auto row : rows)
                tx.run(inserting, values_of(table, row, table.columns.size()));
            to_.append_besides(tx, table, rows);
            co_return;
        };
        try {
            to_.perform(Engine::Access::write, work);
        } catch (const Refusal& refusal) {
            refuse("table {}, rows from {} to {}: {}", table.name, keys_in_words(table, rows.front()),
                   keys_in_words(table, rows[rows.size() - 1]), refusal.what());
        }
    }

    void compare(const Table& table) {
        Pages left(from_, table);
        Pages arrived(to_, table);
        while (true) {
            may_go_on();
            const auto& here = left.next();
            const auto& there = arrived.next();
            for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i)
                compare(table, here, there, i);
            if (here.empty()) return;
            progress_.advance(static_cast<std::int64_t>(here.size()));
        }
    }

    void compare(const Table& table, const Rows& here, const Rows& there, std::size_t row) const {
        const auto differ = [&](const std::string& what) {
            refuse(
                "{0} and {1} differ: table {2}, {3}. {0} is still the journal, and a gateway may start on it; none "
                "starts on {1}. Remove {1} before this is called once more, and all of it is copied anew",
                from_.name(), to_.name(), table.name, what);
        };
        const auto in_words = [&](const Rows& rows) { return keys_in_words(table, rows[row]); };
        if (row >= there.size()) differ(fmt::format("row {} has not arrived", in_words(here)));
        if (row >= here.size()) differ(fmt::format("row {} is only in the copy", in_words(there)));
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const int at = static_cast<int>(i);
            if (here[row].kind(at) == there[row].kind(at) && here[row].text(at) == there[row].text(at)) continue;
            if (i < table.keys) differ(fmt::format("row {} stands where row {} does", in_words(there), in_words(here)));
            differ(fmt::format("row {}, column {}", in_words(here), table.columns[i].name));
        }
    }

    const MovingOptions& options_;
    Place& from_;
    Place& to_;
    Progress& progress_;
    MovingMark mark_{};
    bool goes_on_ = false;
    bool is_begun_ = false;   // both places have the mark
    bool is_ending_ = false;  // the source may already be marked as moved
};

}  // namespace

Explained<Moved> move_journal(const MovingOptions& options) {
    return Mover(options).run();
}

}  // namespace gateway::moving
