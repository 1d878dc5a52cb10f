#include "books/statement_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <fstream>
#include <utility>

namespace gateway {
namespace {

// How much of a file is read between two turns of the sales.
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
    for (auto& [name, file] : present) {
        const auto before = seen_.find(name);
        if (before == seen_.end() || before->second.size != file.size || before->second.changed_at != file.changed_at)
            continue;
        file.done = before->second.done;
        file.not_before = before->second.not_before;
        if (file.done || clock_.now() < file.not_before) continue;
        file.done = co_await read(name, file.size);
        file.not_before = clock_.now() + read_again;
    }
    seen_ = std::move(present);
}

// A folder that cannot be read is said once, and looked at again.
std::map<std::string, StatementFolder::Seen> StatementFolder::files() {
    std::map<std::string, Seen> found;
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
