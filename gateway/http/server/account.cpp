#include "http/server/account.hpp"

#include <utility>

namespace gateway::http {

Account::Account(Listener& listener, const boost::asio::ip::address& caller)
    : listener_(listener), caller_(caller), counts_(&listener.callers[caller]) {
    ++counts_->connections;
}

Account::~Account() {
    keep(0);
    close();
}

void Account::close() {
    counts_->bytes -= kept_;
    if (--counts_->connections == 0) listener_.callers.erase(caller_);
}

bool Account::move_to(const boost::asio::ip::address& caller) {
    if (caller == caller_) return true;
    auto& counts = listener_.callers[caller];
    close();
    caller_ = caller;
    counts_ = &counts;
    counts_->bytes += kept_;
    if (++counts_->connections <= listener_.options.connections_per_address || !listener_.limits(caller)) return true;
    listener_.note_full(counts_->connections, caller_.to_string());
    return false;
}

bool Account::keep(std::size_t bytes) {
    const auto before = std::exchange(kept_, bytes);
    counts_->bytes = counts_->bytes - before + bytes;
    listener_.bytes = listener_.bytes - before + bytes;
    const auto& options = listener_.options;
    const bool too_much_of_one = bytes > 0 && counts_->bytes > options.bytes_per_address && listener_.limits(caller_);
    const bool too_much_of_all = bytes > Listener::always_kept && listener_.bytes > options.bytes;
    if (!too_much_of_one && !too_much_of_all) return true;
    if (std::exchange(too_much_of_one ? counts_->greedy : listener_.greedy, true)) return false;
    listener_.log.warn("http.greedy",
                       too_much_of_one
                           ? Sentence("{remote} takes too much memory: {bytes} bytes in {connections} "
                                      "connections of the {listener} listener; one is closed")
                           : Sentence("the callers of the {listener} listener take too much memory: {bytes} "
                                      "bytes in {connections} connections; one is closed"),
                       {{"listener", options.name},
                        {"connections", too_much_of_one ? counts_->connections : listener_.session_count},
                        {"bytes", too_much_of_one ? counts_->bytes : listener_.bytes},
                        {"remote", too_much_of_one ? caller_.to_string() : std::string()}});
    return false;
}

}  // namespace gateway::http
