// Lets a command work on a journal without a gateway: with an event loop of its own and, where the journal is on
// PostgreSQL, with one connection to it. What goes wrong is thrown, in words that can be told in the language of who
// calls the command.
#pragma once

#include "app/journal_opening.hpp"
#include "base/system.hpp"
#include "base/told.hpp"
#include "journal/chain/without_gateway.hpp"
#include "journal/moving_mark.hpp"
#include "journal/postgres/server_checks.hpp"
#include "words/sentences.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gateway {

// Returns what a call gives. Its error, which is in words or has some, is thrown behind what it hinders.
template <class T, class E>
T value_of(boost::system::result<T, E> given, std::string_view hindered = {}) {
    if (given.has_error()) {
        const auto before = hindered.empty() ? std::string() : std::string(hindered).append(": ");
        if constexpr (std::is_same_v<E, std::string>)
            throw std::runtime_error(before + given.error());
        else
            throw std::runtime_error(before + given.error().message());
    }
    if constexpr (!std::is_void_v<T>) return std::move(*given);
}

// Gives a command, which works beside a gateway or without one, an event loop of its own.
class Loop {
  public:
    // Holds what a coroutine returns, once it has returned.
    template <class T>
    using Coming = std::shared_ptr<std::optional<T>>;

    // Begins the coroutine. What it throws is thrown by whichever call below runs it.
    template <class T>
    Coming<T> start(boost::asio::awaitable<T> coroutine) {
        auto result = std::make_shared<std::optional<T>>();
        boost::asio::co_spawn(context, keep(std::move(coroutine), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        return result;
    }
    // Runs until the result is there, or for so long. Returns whether it is there.
    template <class T>
    bool comes(const Coming<T>& result, Duration within) {
        const auto end = clock.now() + within;
        while (!*result && clock.now() < end && context.run_one_for(end - clock.now()) > 0) {
        }
        return result->has_value();
    }
    template <class T>
    T wait_for(const Coming<T>& result) {
        while (!*result && context.run_one() > 0) {
        }
        return std::move(result->value());
    }
    template <class T>
    T run(boost::asio::awaitable<T> coroutine) {
        return wait_for(start(std::move(coroutine)));
    }

    boost::asio::io_context context{1};
    SystemClock clock{context.get_executor()};

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> coroutine, Coming<T> result) {
        result->emplace(co_await std::move(coroutine));
    }
};

// Has one connection to a journal's database, without a gateway. What waits for a standby may wait, and says so.
class Visit {
  public:
    Visit(const JournalReading& journal, Language language) : language_(language) {
        auto database = value_of(database_of(journal.url, journal.password_file, *log_));
        client_ = database.client;
        options_ = std::move(database.session);
        options_.deadline = patience;
        session.emplace(loop.context.get_executor(), loop.clock, *client_, options_);
    }
    // Returns what the coroutine returns. A wait for a standby beyond `for_standby` ends with an error.
    template <class T>
    T run(boost::asio::awaitable<T> coroutine, Duration for_standby = patience) {
        const auto result = loop.start(std::move(coroutine));
        auto why = why_it_waits(result);
        if (!why.empty()) say_aside(fmt::format(told("This waits: {}."), postgres::words_on_waiting(why)));
        while (!why.empty() && !loop.comes(result, for_standby))
            if (why = what_is_waited_for(); !why.empty())
                throw std::runtime_error(fmt::format(
                    told("{}: {}; bring one back, and call the same command once more"), not_usable(), why));
        return loop.wait_for(result);
    }
    std::vector<postgres::KnownGateway> gateways() {
        auto found = run(postgres::known_gateways(*session, loop.clock), patience_of_reader);
        if (found.has_error()) fail(found.error());
        return std::move(*found);
    }
    // Warns where no standby keeps commits now: what was read without waiting for one is not proven then.
    void say_what_is_unproven() {
        const auto proof = loop.start(session->prove(Engine::Access::read));
        if (const auto why = why_it_waits(proof); !why.empty()) {
            warn(fmt::format(told("{}. What is said here is what that server has, and a standby may lack it."), why));
            return;
        }
        if (const auto proven = loop.wait_for(proof); proven.has_error()) fail(proven.error());
    }
    // Warns where the journal was moved away, or is a copy that is not whole: no gateway starts on it then.
    void say_what_is_marked() {
        const auto& url = options_.connection.url;
        const auto look = [&url](Transaction& tx) { return moving_mark::why_not_to_start(tx, {url}); };
        const auto mark = run(session->perform<std::string>(Engine::Access::glance, look));
        if (mark.has_error()) fail(mark.error());
        if (!mark->empty()) warn(fmt::format(told("no gateway starts on {}: {}."), url, *mark));
    }
    std::string not_usable() const {
        return fmt::format(told("the journal {} cannot be used"), options_.connection.url);
    }
    // Throws the error of one statement; but why the whole database cannot be used says more.
    [[noreturn]] void fail(const boost::system::error_code& error) const {
        const auto why = session->hindrance();
        throw std::runtime_error(not_usable() + ": " + why.value_or(error.message()));
    }

    Loop loop;
    std::optional<postgres::Session> session;

  private:
    // Runs until the result is there, or until it is known which standby is waited for: returns that in words.
    template <class T>
    std::string why_it_waits(const Loop::Coming<T>& result) {
        std::string words;
        while (words.empty() && !loop.comes(result, between_looks))
            words = what_is_waited_for();
        return *result ? std::string() : words;
    }
    std::string what_is_waited_for() {
        return loop.run(postgres::what_is_waited_for(loop.context.get_executor(), loop.clock, *client_, options_));
    }

    void say_aside(std::string_view english) const { std::cerr << told_in(language_, english) << '\n'; }
    void warn(std::string_view english) const {
        std::cerr << told_in(language_, told("warning")) << ": ";
        say_aside(english);
    }

    // A statement that waits for a lock, or counts millions of sales, may take so long.
    static constexpr Duration patience = std::chrono::minutes(10);
    // A commit that takes so long is looked into.
    static constexpr Duration between_looks{1'000};
    static constexpr Duration patience_of_reader{10'000};  // a standby is started again in that time

    const Language language_;
    const std::unique_ptr<Log> log_ = make_silent_log();
    const postgres::Client* client_ = nullptr;
    postgres::SessionOptions options_;
};

}  // namespace gateway
