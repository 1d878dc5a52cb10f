// Tells the service manager how the gateway is, for as long as it runs: feeds the watchdog, and says in a sentence what
// `systemctl status` shows. It makes the journal commit for that where no sale does, without a watchdog too.
#pragma once

#include "api/health.hpp"
#include "base/clock.hpp"
#include "base/systemd.hpp"
#include "flow/attention_list.hpp"
#include "journal/journal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>

namespace gateway {

class Supervision {
  public:
    // Every reference must outlive the coroutines that start() spawns.
    Supervision(Systemd& systemd, Health& health, AttentionList& attention, Journal& journal, Clock& clock)
        : systemd_(systemd), health_(health), attention_(attention), journal_(journal), clock_(clock) {}

    // Says that the gateway has started, and how it is.
    void ready();
    void start(const boost::asio::any_io_executor& executor);

  private:
    // Asks the journal to commit where no sale makes it commit, so that a journal that cannot be written is noticed
    // while nobody sells. Feeds the watchdog while the event loop, which runs this, turns and the journal commits. A
    // journal that does not answer starves the watchdog at once, one that answers with errors after a while: a full
    // disk heals by itself, and until then the gateway's refusals are worth more than a restart; but only a restart
    // finds a file again that was pulled from under the gateway. Another program's lock does not starve it, because
    // that would be there after a restart too, and keep the gateway from starting.
    boost::asio::awaitable<void> keep_proving_journal();
    // Says how the gateway is whenever that changes, and says at once that the first token has come. It looks itself
    // for sales that the journal could not read, because others look more seldom.
    boost::asio::awaitable<void> keep_telling_status();
    void tell_status();

    Systemd& systemd_;
    Health& health_;
    AttentionList& attention_;
    Journal& journal_;
    Clock& clock_;
    std::string told_;  // the last sentence
};

}  // namespace gateway
