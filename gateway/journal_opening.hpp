// Opens the journal that the configuration names: a file, or a database that several gateways share.
#pragma once

#include "base/log.hpp"
#include "base/random.hpp"
#include "config/config.hpp"
#include "journal/journal.hpp"
#include "sale/machine.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>

#include <memory>
#include <string>

namespace gateway {

// What is the matter, in words, where it cannot be opened. The references must outlive the journal.
boost::asio::awaitable<boost::system::result<std::unique_ptr<Journal>, std::string>> open_journal(
    boost::asio::any_io_executor executor, const Config& config, Clock& clock, Random& random, Log& log);

// Where it is, for the log and for a person.
std::string place_of_journal(const JournalConfig& journal);

}  // namespace gateway
