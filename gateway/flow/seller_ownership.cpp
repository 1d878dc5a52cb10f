// This is the side of the seller that knows of other gateways: which sales this one owns, what it takes over and what
// it has lost, and how it learns of the others.
#include "flow/seller.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace gateway {
namespace {

// This is the pause between two looks at what another gateway owns, for a caller that watches it.
constexpr Duration follow_pause{250};
// This is the pause between two looks for what a gateway that died has left.
constexpr Duration adopt_pause{1'000};

Secret card_of(const Sale& sale) {
    const auto fields = request_fields(sale);
    return fields ? rules_of(sale.family).card_of(*fields) : Secret();
}

}  // namespace

// A copy for which no loop runs is as the journal has it. While a step is being recorded, another gateway may have
// read, and told, more than memory has yet.
bool Seller::may_tell(const LiveSale& live) const {
    if (live.stage() == Stage::in_doubt || live.outdated()) return false;
    if (journal_.chain() == nullptr || is_final(live.sale().status) || in_memory(live.sale().id).get() != &live)
        return true;
    return journal_.may_act() && journal_.owns(live.sale().id) && !live.deciding();
}

// On a chain a claim ends what this gateway knew of the sale, so that the newest claim counts where several callers
// claimed the sale at once.
boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::owned(SaleId id) {
    const auto held = [this, id] {
        auto live = in_memory(id);
        return live && live->stage() != Stage::elsewhere ? live : nullptr;
    };
    auto live = held();
    if (!live) {
        auto claimed = co_await journal_.claim(id);
        live = held();
        // The claim of another caller may have been done first.
        if (claimed.has_error() && (claimed.error() != errc::not_owned || !live)) co_return claimed.error();
        if (claimed.has_value() && (!live || journal_.chain() != nullptr)) {
            if (const auto taken = take_up(std::move(*claimed))) set_stage(*taken, Stage::resting);
            live = in_memory(id);
        }
    }
    const bool is_certain = live->stage() != Stage::in_doubt && live->stage() != Stage::beginning;
    if (!is_certain) co_return errc::commit_unknown;
    co_return live;
}

boost::asio::awaitable<void> Seller::follow(std::weak_ptr<LiveSale> copy) {
    while (true) {
        co_await clock_.sleep_for(follow_pause);
        const auto live = copy.lock();
        if (!live) co_return;
        auto stands = co_await journal_.find(live->sale().id);
        if (stands.has_value() && *stands) live->stands(std::move(**stands));
        if (live->sale().settled) co_return;
    }
}

boost::asio::awaitable<Result<void>> Seller::forward(const ForwardedCommand& command, Instant deadline) {
    auto& chain = *journal_.chain();
    const auto number = co_await chain.forward_command(command);
    if (number.has_error()) co_return number.error();
    while (clock_.now() < deadline) {
        co_await clock_.sleep_for(follow_pause);
        const auto waits = co_await chain.is_waiting(*number);
        if (waits.has_value() && !*waits) co_return Result<void>();
    }
    co_return errc::timed_out;
}

boost::asio::awaitable<void> Seller::hear_commands(Chain& chain) {
    const auto commands = co_await chain.forwarded_commands();
    if (commands.has_error()) co_return;
    for (const auto& command : *commands) {
        const auto found = co_await owned(command.sale);
        if (found.has_error()) continue;
        const auto& live = *found;
        const auto& attempts = live->sale().attempts;
        const auto named =
            command.attempt ? std::ranges::find(attempts, *command.attempt, &Attempt::id_externo) : attempts.begin();
        if (named != attempts.end() && !live->has_forwarded_command(command.number))
            live->enqueue({.attempt = static_cast<std::size_t>(named - attempts.begin()),
                           .event = command.event,
                           .request_id = command.request_id,
                           .forwarded_command = command.number});
        carry(live, Stage::attended);
    }
}

boost::asio::awaitable<Result<Seller::Adopted>> Seller::adopt_unfinished() {
    auto found = co_await journal_.adopt();
    if (found.has_error()) co_return found.error();
    for (auto& sale : found->sales)
        take_over(std::move(sale));
    co_return Adopted{.sales = found->sales.size(), .unreadable = found->unreadable};
}

boost::asio::awaitable<void> Seller::keep_adopting() {
    while (auto* const chain = journal_.chain()) {
        co_await adopt_wake_->wait_until(clock_.now() + adopt_pause);
        if (has_let_go_) co_return;
        drop_lost();
        const auto adopted = co_await adopt_unfinished();
        if (adopted.has_value() && adopted->sales > 0)
            log_.warn("sales.taken_over", "sales that no gateway owned any more are carried on here: {openSales}",
                      {{"openSales", adopted->sales}});
        co_await hear_commands(*chain);
    }
}

// Where the giving back fails, the others take over once this gateway's lease is over.
boost::asio::awaitable<void> Seller::let_go() {
    has_let_go_ = true;
    if (auto* const chain = journal_.chain()) (void)co_await chain->give_back();
}

void Seller::drop_lost() {
    std::vector<std::shared_ptr<LiveSale>> lost;
    for (const auto& [id, live] : live_) {
        const auto stage = live->stage();
        const bool is_owned = stage == Stage::unattended || stage == Stage::attended || stage == Stage::resting;
        if (is_owned && !live->sale().settled && !journal_.owns(id)) lost.push_back(live);
    }
    if (!lost.empty())
        log_.warn(
            "sales.taken_away", "sales that this gateway does not own any more: {openSales}. {detail}",
            {{"openSales", lost.size()},
             {"detail",
              "It stood still or could not use the journal for longer than its lease, or the journal was restored "
              "or has lost commits. A gateway that finds them open in the journal carries them on"}});
    for (const auto& live : lost) {
        log_.warn(
            "sale.taken_away",
            "{terminal}: this gateway does not own the sale any more; the log goes on where a gateway takes it over",
            {{"sale", live->sale().id},
             {"idExterno", live->sale().current().id_externo},
             {"terminal", live->sale().terminal},
             {"request", live->request_id()}});
        const bool has_loop = live->stage() != Stage::resting;
        Driver::drop(*live);
        if (has_loop) continue;  // the loop ends, and does the rest
        forget(*live);
        boost::asio::co_spawn(executor_, follow(live), boost::asio::detached);
    }
}

// Whatever of the sale is still held in memory dates from before another gateway owned it, or the journal would not
// have given the sale.
std::shared_ptr<LiveSale> Seller::take_up(Sale&& sale) {
    if (const auto held = in_memory(sale.id)) {
        if (held->stage() == Stage::beginning || held->stage() == Stage::in_doubt) {
            waiting_.insert_or_assign(held->sale().id, std::move(sale));
            return nullptr;
        }
        forget(*held);
        Driver::drop(*held);
    }
    waiting_.erase(sale.id);  // the sale that is taken up now is newer
    auto live = take_in(std::move(sale), std::string(), Stage::unattended);
    if (!live->sale().settled) Driver::expect_no_answers(*live);
    if (const auto card = card_of(live->sale()); !card.empty() && outcome_of(live->sale()) == Outcome::pending)
        if (auto turn = turns_.take(card))
            boost::asio::co_spawn(executor_, keep_turn(live, std::move(*turn)), boost::asio::detached);
    return live;
}

void Seller::take_over(Sale&& sale) {
    if (const auto live = take_up(std::move(sale))) boost::asio::co_spawn(executor_, run(live), boost::asio::detached);
}

void Seller::take_over_what_waited(SaleId id) {
    if (in_memory(id)) return;  // another loop works on it, and takes what waits
    auto waiting = waiting_.extract(id);
    if (!waiting.empty() && journal_.owns(id)) take_over(std::move(waiting.mapped()));
}

}  // namespace gateway
