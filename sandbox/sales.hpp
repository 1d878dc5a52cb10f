// This is the provider's law. It says what a request to sell, confirm or cancel does to the books, and how it is
// answered.
//
//   (none) --solicitar--> AUTORIZADA --confirmar--> EFETIVADA      final: confirm and cancel have no effect
//                              |-------cancelar---> CANCELADA      final: likewise
//                              '-------callback---> eSIM only: what the callback says
//
// The personality decides what the interface document leaves open. A confirm or a cancel treats a sale that was refused
// (NEGADA) like one that never existed: there is no such sale.
#pragma once

#include "base/random.hpp"
#include "sandbox/books.hpp"
#include "sandbox/callbacks.hpp"
#include "sandbox/message.hpp"
#include "sandbox/orders.hpp"
#include "sandbox/outcomes.hpp"
#include "sandbox/personality.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>

namespace gateway::sandbox {

class Sales {
  public:
    // Both references must outlive the object.
    Sales(const Options& options, Random& random)
        : options_(options), random_(random), books_(options.keep), callbacks_(options) {}

    // Returns the entry of the sale that a request's path or body names, and makes one for an idExterno that is new in
    // a body. It is null where the request names no sale, or one that is not there. `body` is null where the request
    // has no JSON object.
    Transaction* named(const Route& route, const boost::json::object* body, WallTime now);
    // Says how the entry's sale stands. To ask about an unknown sale is no departure: a request that the client lost
    // may never have come here.
    Reply status_of(const Transaction* sale, WallTime now) const;

    // Holds a request that may be acted on, or the refusal of it.
    struct Checked {
        std::optional<Reply> refusal{};
        std::optional<Reply> answer{};    // the answer to a request that changes nothing
        Order order{};                    // what a solicitar orders
        std::optional<Status> becomes{};  // the new status, instead of AUTORIZADA
        Transaction* sale = nullptr;      // the sale that the order becomes, or that is confirmed or cancelled
        Cents valor = 0;
    };
    struct Visitor {
        std::uint64_t digest = 0;  // a digest of the body, which tells the same body from another
        bool copy = false;         // the sandbox made this late copy itself, so its idExterno may be known
        WallTime now{};
    };
    Checked check(const Route& route, const boost::json::object* body, Transaction* entry, const Visitor& visitor);

    struct Done {
        Reply reply{};
        bool moved = false;  // the sale's status changed
    };
    // `effect` is one of usual, deny and cancel.
    Done act(const Route& route, const Checked& checked, Effect effect, WallTime now);

    // Says whether a request about this entry finds a sale: the personality may have forgotten it.
    bool is_known(const Transaction& sale, WallTime now) const;

    // Says when the next open sale is cancelled by itself; returns nothing while there is none.
    std::optional<WallTime> next_open_end() const;
    // Cancels the sale whose turn it is. There must be one.
    void end_open_sale();

    // Empties the books, and forgets everything that is under way.
    void clear();

    Books& books() noexcept { return books_; }
    const Books& books() const noexcept { return books_; }
    Callbacks& callbacks() noexcept { return callbacks_; }
    const Callbacks& callbacks() const noexcept { return callbacks_; }

  private:
    Checked departed(const Route& route, const std::string& what, Wrong wrong) const;
    bool is_sale_of(const Transaction* entry, const Route& route, WallTime now) const;
    Checked check_order(const Route& route, const boost::json::object& body, Transaction* entry,
                        const Visitor& visitor);
    void check_again(Checked& checked, Transaction& entry, const Visitor& visitor);
    void check_after_cancel(Checked& checked) const;
    Checked check_confirm(const Route& route, const boost::json::object& body, Transaction* entry, WallTime now);
    Checked check_cancel(Route route, const boost::json::object& body, Transaction* entry, WallTime now);
    Done cancel(Transaction& sale, WallTime now);
    Done accept(const Route& route, const Checked& checked, Effect effect, WallTime now);
    Done move(Transaction& sale, Step step, Status wanted, WallTime now);
    void schedule_callbacks(const Transaction& sale, const Order& order, WallTime now);

    const Options& options_;
    Random& random_;
    Books books_;
    Callbacks callbacks_;
    std::multimap<WallTime, std::string> open_ends_;  // the idTransacao of each
};

}  // namespace gateway::sandbox
