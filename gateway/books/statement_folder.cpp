#include "books/statement_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace gateway {
namespace {

// This much of a file is read at a time, in bytes; sales go on in between.
constexpr std::size_t read_at_once = std::size_t{1} << 20U;

}  // namespace

void StatementFolder::start(const boost::asio::any_io_executor& executor) {
    boost::asio::co_spawn(executor, keep_looking(), boost::asio::detached);
}

boost::asio::awaitable<void> StatementFolder::keep_looking() {
    while (true) {
        co_await look();
        co_await clock_.sleep_for(look_every);
    }
}

boost::asio::awaitable<void> StatementFolder::look() {
    auto present = files();
    for (auto* const entry : in_order(present)) {
        auto& [name, file] = *entry;
        const auto before = seen_.find(name);
        if (before == seen_.end() || before->second.size != file.size || before->second.changed_at != file.changed_at)
            continue;
        file.done = before->second.done;
        // Where the journal did not take a file, no other overtakes it.
        if (file.done || clock_.now() < not_before_) continue;
        file.done = co_await read(name, file.size);
        if (!file.done) not_before_ = clock_.now() + read_again;
    }
    seen_ = std::move(present);
}

// Of a day's statements the one that is read last counts, so that has to be the one that came last.
std::vector<StatementFolder::Files::value_type*> StatementFolder::in_order(Files& files) {
    std::vector<Files::value_type*> order;
    for (auto& file : files)
        order.push_back(&file);
    std::ranges::stable_sort(order, {}, [](const auto* file) { return file->second.changed_at; });
    return order;
}

// A folder that cannot be read is reported once, and looked at again.
StatementFolder::Files StatementFolder::files() {
    Files found;
    std::error_code failure;
    for (auto entry = std::filesystem::directory_iterator(folder_, failure);
         !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
        std::error_code gone;
        const auto name = entry->path().filename().string();
        if (name.starts_with('.') || !entry->is_regular_file(gone) || gone) continue;
        Seen file{.size = entry->file_size(gone)};
        if (!gone) file.changed_at = entry->last_write_time(gone);
        if (!gone) found.emplace(name, file);
    }
    if (failure && !failure_said_) say_refused("", failure.message());
    failure_said_ = static_cast<bool>(failure);
    return found;
}

boost::asio::awaitable<bool> StatementFolder::read(const std::string& name, std::uintmax_t size) {
    if (size > max_statement_bytes) {
        say_refused(name, fmt::format("it has {} bytes, and at most {} are read: it is no statement", size,
                                      max_statement_bytes));
        co_return true;
    }
    std::ifstream file(std::filesystem::path(folder_) / name, std::ios::binary);
    StatementText text{.source = "folder", .file = name};
    std::string piece(read_at_once, '\0');
    while (file && text.bytes.size() <= max_statement_bytes) {
        file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.bytes.append(piece, 0, static_cast<std::size_t>(file.gcount()));
        co_await clock_.sleep_for(Duration(0));
    }
    if (!file.eof()) {
        say_refused(name, "it cannot be read");
        co_return true;
    }
    const auto told = co_await reconciler_.read(std::move(text));
    co_return told.has_value() || !told.error().failure;
}

void StatementFolder::say_refused(const std::string& name, const std::string& detail) {
    const StatementText text{.source = "folder", .file = name};
    (void)reconciler_.refuse(text, {.detail = detail});
}

}  // namespace gateway
