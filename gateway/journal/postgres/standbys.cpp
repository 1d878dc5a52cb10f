#include "journal/postgres/standbys.hpp"

#include "base/ascii.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway::postgres {
namespace {

bool are_one(std::string_view one, std::string_view other) {
    return to_lower(one) == to_lower(other);
}

class NameReader {
  public:
    explicit NameReader(std::string_view text) : text_(text) {}

    std::vector<std::string> read() {
        std::vector<std::string> names;
        for (auto word = next(); !word.empty(); word = next()) {
            if (word == "(")
                names.clear();  // what stands before it says how many
            else if (word != "," && word != ")")
                names.push_back(std::move(word));
        }
        return names;
    }

  private:
    std::string next() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t' || text_.front() == '\n'))
            text_.remove_prefix(1);
        if (text_.empty()) return {};
        if (text_.front() == '"') return quoted();
        const auto end = std::max(std::min(text_.find_first_of(" \t\n,()\""), text_.size()), std::size_t{1});
        std::string word(text_.substr(0, end));
        text_.remove_prefix(end);
        return word;
    }
    // Two quotes stand for one.
    std::string quoted() {
        std::string word;
        for (text_.remove_prefix(1); !text_.empty(); text_.remove_prefix(1)) {
            if (text_.front() == '"') {
                text_.remove_prefix(1);
                if (!text_.starts_with('"')) break;
            }
            word += text_.front();
        }
        return word;
    }

    std::string_view text_;
};

std::string words_on(const DatabaseState::Standby& standby) {
    if (!standby.connected) return standby.name + " is away";
    if (standby.state.empty()) return standby.name + " is connected";
    return fmt::format("{} is connected ({}, {})", standby.name, standby.state, standby.sync_state);
}

}  // namespace

std::vector<std::string> names_of_standbys(std::string_view setting) {
    return NameReader(setting).read();
}

Job<DatabaseState> read_standbys(Transaction& tx) {
    DatabaseState state;
    const auto waiting = co_await tx.ask(sql::waiting_commits);
    state.waits_for_standby = waiting.front().integer(0) != 0;
    state.synchronous_standby_names = waiting.front().text(1);
    const std::string own(waiting.front().text(2));
    const auto connected = co_await tx.ask(sql::connected_standbys);
    for (const auto row : connected)
        state.standbys.push_back({.name = std::string(row.text(0)),
                                  .connected = true,
                                  .state = std::string(row.text(1)),
                                  .sync_state = std::string(row.text(2))});
    for (auto& name : names_of_standbys(state.synchronous_standby_names)) {
        const auto is_it = [&](const DatabaseState::Standby& known) { return are_one(known.name, name); };
        if (name != "*" && !are_one(name, own) && std::ranges::none_of(state.standbys, is_it))
            state.standbys.push_back({.name = std::move(name)});
    }
    co_return state;
}

std::string what_is_waited_for(const DatabaseState& state) {
    std::vector<std::string> all;
    for (const auto& standby : state.standbys)
        all.push_back(words_on(standby));
    return fmt::format(
        "the database server {} waits for a synchronous standby before it says of anything that it is kept "
        "(synchronous_standby_names = '{}'): {}",
        state.server, state.synchronous_standby_names,
        all.empty() ? "no standby is connected" : fmt::format("{}", fmt::join(all, ", ")));
}

boost::asio::awaitable<std::string> what_is_waited_for(boost::asio::any_io_executor executor, Clock& clock,
                                                       const Client& client, SessionOptions options) {
    Session beside(std::move(executor), clock, client, std::move(options));
    auto state = co_await beside.perform<DatabaseState>(Engine::Access::glance, read_standbys);
    if (state.has_error() || !state->waits_for_standby) co_return std::string();
    state->server = beside.server();
    co_return what_is_waited_for(*state);
}

std::string words_on_waiting(std::string what) {
    return std::move(what) + "; bring one back, and all goes on by itself";
}

}  // namespace gateway::postgres
