#include "simulation/damage.hpp"

#include <sqlite3.h>

#include <array>

namespace gateway::simulation {
namespace {

enum class Kind { word, number, json };

struct Column {
    std::string_view name;
    Kind kind;
    bool whole;  // without this value there is no sale
};

constexpr std::array columns{
    Column{"family", Kind::word, true},        Column{"mode", Kind::word, true},
    Column{"status", Kind::word, true},        Column{"attempts", Kind::json, true},
    Column{"attempts", Kind::json, true},      Column{"reason", Kind::json, true},
    Column{"created_at", Kind::number, true},  Column{"updated_at", Kind::number, true},
    Column{"recorded_at", Kind::number, true}, Column{"settled", Kind::number, true},
    Column{"valor", Kind::number, true},       Column{"attention", Kind::word, false},
    Column{"request", Kind::json, false},      Column{"facts", Kind::json, false},
    Column{"goods", Kind::json, false},        Column{"esim", Kind::json, false},
};

// This is a second process on the journal. It writes durably in any weather, and leaves the log as it is.
class Intruder {
  public:
    explicit Intruder(Disk& disk) : disk_(disk), before_(disk.mount()), faults_(disk.faults) {
        disk.faults = DiskFaults{};
        cut_in_ = std::exchange(disk.cut_in, 0);
        cut_in_flushes_ = std::exchange(disk.cut_in_flushes, 0);
        fail_in_ = std::exchange(disk.fail_in, 0);
        usable_ = sqlite3_open_v2("journal.db", &connection_, SQLITE_OPEN_READWRITE, Disk::vfs()) == SQLITE_OK;
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        run("PRAGMA synchronous=FULL", {});
        run("PRAGMA wal_autocheckpoint=0", {});
    }
    ~Intruder() {
        sqlite3_close_v2(connection_);
        disk_.faults = faults_;
        disk_.cut_in = cut_in_;
        disk_.cut_in_flushes = cut_in_flushes_;
        disk_.fail_in = fail_in_;
        if (before_ != nullptr) before_->mount();
    }
    Intruder(const Intruder&) = delete;
    Intruder& operator=(const Intruder&) = delete;

    // Returns the rows that the statement gives, every value as text.
    std::vector<std::vector<std::string>> run(const std::string& sql, const std::vector<std::string>& values) {
        std::vector<std::vector<std::string>> rows;
        sqlite3_stmt* statement = nullptr;
        if (!usable_ || sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return rows;
        for (std::size_t i = 0; i < values.size(); ++i)
            sqlite3_bind_text(statement, static_cast<int>(i) + 1, values[i].c_str(), -1, SQLITE_TRANSIENT);
        while (sqlite3_step(statement) == SQLITE_ROW) {
            auto& row = rows.emplace_back();
            for (int i = 0; i < sqlite3_column_count(statement); ++i) {
                const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
                row.emplace_back(text != nullptr ? text : "");
            }
        }
        sqlite3_finalize(statement);
        return rows;
    }
    std::size_t changes() const { return static_cast<std::size_t>(sqlite3_changes(connection_)); }

  private:
    Disk& disk_;
    Disk* const before_;
    const DiskFaults faults_;
    std::uint64_t cut_in_ = 0;
    std::uint64_t cut_in_flushes_ = 0;
    std::uint64_t fail_in_ = 0;
    sqlite3* connection_ = nullptr;
    bool usable_ = false;
};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Returns the places where a JSON text can be changed so that it shows: outside its strings, and in names and values
// that this program knows.
std::vector<std::size_t> telling_places(const std::string& text) {
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < text.size(); ++at) {
        places.push_back(at);
        if (text[at] != '"') continue;
        const auto begin = at;
        for (++at; at < text.size() && text[at] != '"'; ++at)
            if (text[at] == '\\') ++at;
        if (at < text.size()) places.push_back(at);
        const auto before = std::string_view(text).substr(0, begin);
        if (!before.ends_with("\"state\":") && !before.ends_with("\"code\":")) continue;
        for (auto letter = begin + 1; letter < at; ++letter)
            if (is_letter(text[letter])) places.push_back(letter);
    }
    return places;
}

// Flips one bit of one byte, so that no reader can take the text for another one.
std::string altered(Kind kind, std::string text, Chance& chance) {
    constexpr char low_bit = 0x01;
    constexpr char high_bit = 0x40;
    if (kind == Kind::word) {
        auto& letter = text[chance.below(text.size())];
        letter = static_cast<char>(letter ^ low_bit);
    } else if (kind == Kind::number) {
        auto& digit = text[chance.below(text.size())];
        digit = static_cast<char>(digit ^ high_bit);
    } else {
        auto& one = text[chance.pick(telling_places(text))];
        one = static_cast<char>(one ^ (is_letter(one) ? low_bit : high_bit));
    }
    return text;
}

}  // namespace

std::optional<Damage> damage_something(Disk& disk, Chance& chance, const std::vector<Damage>& before) {
    Intruder intruder(disk);
    const auto sales = intruder.run("SELECT id, terminal, key FROM sales ORDER BY n", {});
    if (sales.empty()) return std::nullopt;
    const auto& sale = chance.pick(sales);
    const auto& column = chance.pick(columns);
    const std::string name(column.name);
    const bool again = std::ranges::any_of(
        before, [&](const Damage& damage) { return damage.sale == sale[0] && damage.column == name; });
    if (again) return std::nullopt;  // flipping one bit twice changes nothing
    const auto value = intruder.run("SELECT " + name + " FROM sales WHERE id = ?", {sale[0]});
    if (value.empty() || value[0][0].empty()) return std::nullopt;  // there is no value
    Damage damage{.sale = sale[0], .terminal = sale[1], .key = sale[2], .column = name, .before = value[0][0]};
    damage.after = altered(column.kind, damage.before, chance);
    damage.whole = column.whole;
    intruder.run("UPDATE sales SET " + name + " = ? WHERE id = ?", {damage.after, damage.sale});
    return damage;
}

bool still_there(const Disk& disk, const Damage& damage) {
    auto copy = disk.copy();
    Intruder reader(copy);
    const auto value = reader.run("SELECT " + damage.column + " FROM sales WHERE id = ?", {damage.sale});
    return !value.empty() && value[0][0] == damage.after;
}

std::size_t put_right(Disk& disk, const std::vector<Damage>& all) {
    Intruder intruder(disk);
    std::size_t count = 0;
    for (const auto& damage : all) {
        intruder.run("UPDATE sales SET " + damage.column + " = ? WHERE id = ? AND " + damage.column + " = ?",
                     {damage.before, damage.sale, damage.after});
        count += intruder.changes();
    }
    return count;
}

}  // namespace gateway::simulation
