// These are the tables of a journal in a database in memory, with everything that a job needs.
#pragma once

#include "journal/sqlite/schema.hpp"
#include "journal/sqlite/transaction.hpp"
#include "journal/tx.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <utility>

namespace gateway::test {

struct TxRig {
    explicit TxRig(FieldCipher its_cipher = {}) : cipher(std::move(its_cipher)) {
        EXPECT_TRUE(bring_up_to_date(database).has_value());
    }

    Tx tx() { return {engine, cipher, unreadable, {.now = clock.now(), .wall = clock.wall(), .boot = clock.boot()}}; }
    // Runs the job that `work` makes from a Tx, and returns its result or failure.
    auto run(auto work) {
        auto in = tx();
        return sqlite::run_to_end(work(in));
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    sqlite::Database database = std::move(sqlite::Database::open(":memory:", nullptr).value());
    sqlite::Transaction engine{database};
    FieldCipher cipher;
    UnreadableSales::Counts unreadable_counts;
    UnreadableSales unreadable{clock, unreadable_counts};
};

}  // namespace gateway::test
