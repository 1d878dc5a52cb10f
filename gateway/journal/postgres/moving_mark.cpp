#include "journal/postgres/moving_mark.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr Statement look_at_mark{"look_at_mark", "SELECT state, copy, place, at FROM moving"};

using Allowed = boost::system::result<void, std::string>;

// What the mark says, and whether a copy is being made right now.
Awaited<void> look_in(Transaction& transaction, const std::string& url, std::string& words) {
    const auto found = co_await transaction.run(look_at_mark, Parameters());
    if (found.has_error()) co_return found.error();
    if (found->empty()) co_return Result<void>();
    const auto mark = read_mark((*found)[0]);
    words = why_not_to_start(mark, {url});
    if (!words.empty()) co_return Result<void>();
    const auto held = co_await transaction.run(hold_copying, Parameters());
    if (held.has_error()) co_return held.error();
    if ((*held)[0].integer(0) == 0)
        words =
            fmt::format("sales-gateway copy-journal is copying it to {} right now: wait until it has ended, or stop it",
                        mark->place);
    co_return Result<void>();
}

}  // namespace

Awaited<std::string> why_not_to_start(Transaction& transaction, const std::string& url) {
    const auto found = co_await transaction.run(look_at_mark, Parameters());
    if (found.has_error()) co_return found.error();
    co_return found->empty() ? std::string() : gateway::why_not_to_start(read_mark((*found)[0]), {url});
}

boost::asio::awaitable<Allowed> may_start(Session& session, const std::string& url) {
    std::string words;
    const std::function<Awaited<void>(Transaction&)> work = [&](Transaction& transaction) {
        return look_in(transaction, url, words);
    };
    const auto looked = co_await session.transaction(work, Session::Told::no);
    if (looked.has_error()) co_return looked.error().message();
    if (!words.empty()) co_return words;
    co_return Allowed();
}

}  // namespace gateway::postgres
