#include "flow/seller.hpp"

#include "base/ascii.hpp"
#include "base/json_text.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace gateway {
namespace {

// This is the size of the secret in a sale's callback addresses, in bytes; the contract asks for at least 128 bits.
constexpr std::size_t callback_secret_bytes = 24;
// This is the pause between two tries to resolve a begin, or a cancelled key, that is in doubt.
constexpr Duration doubt_pause{500};

Secret make_callback_secret(Random& random) {
    std::array<std::byte, callback_secret_bytes> bytes{};
    random.fill(bytes);
    return Secret(to_hex(bytes));
}

SellRefusal refusal_of(const boost::system::error_code& failure) {
    if (failure == errc::commit_unknown) return SellRefusal::in_doubt;
    return failure == errc::sale_unreadable ? SellRefusal::sale_unreadable : SellRefusal::journal_unavailable;
}

}  // namespace

Seller::Seller(boost::asio::any_io_executor executor, SellerOptions options, Driver& driver, Journal& journal,
               Clock& clock, Random& random, Log& log, Metrics& metrics)
    : executor_(std::move(executor)),
      options_(options),
      driver_(driver),
      journal_(journal),
      clock_(clock),
      random_(random),
      log_(log),
      metrics_(metrics),
      turns_(clock),
      adopt_wake_(clock.make_timer()) {}

// Makes a sale, and moves what it needs of the order into it.
Sale Seller::new_sale(SellOrder& asked) {
    auto& order = asked.order;
    const auto wall = clock_.wall();
    Sale sale{.id = SaleId::make(wall, random_)};
    sale.terminal = std::move(asked.terminal);
    sale.key = std::move(asked.key);
    sale.digest = std::move(asked.digest);
    sale.family = order.family;
    sale.mode = order.mode;
    sale.estabelecimento = std::move(order.estabelecimento);
    sale.produto = std::move(order.produto);
    sale.fornecedor = std::move(order.fornecedor);
    sale.valor = order.valor;
    sale.segment = std::move(order.segment);
    sale.cashier = std::move(asked.cashier);
    if (options_.duplicate_window > Duration(0))
        sale.duplicate_check = {.likeness = rules_of(order.family).likeness_of(order.fields),
                                .window = options_.duplicate_window,
                                .wanted = asked.repeat};
    std::string fields;
    append_json(fields, order.fields);
    sale.request = Secret(std::move(fields));
    sale.redemption = std::move(asked.redemption);
    if (is_by_callback(order.family)) sale.callback_secret = make_callback_secret(random_);
    sale.created_at = wall;
    sale.updated_at = wall;
    sale.patience = asked.patience;
    sale.attempts.push_back(driver_.new_attempt());
    return sale;
}

// Moves back into the order what new_sale() moved into a sale that did not begin, as far as a repeat is recognised by
// it.
void Seller::give_back(SellOrder& asked, const Sale& sale) {
    auto& order = asked.order;
    asked.digest = sale.digest;
    order.estabelecimento = sale.estabelecimento;
    order.produto = sale.produto;
    order.fornecedor = sale.fornecedor;
    order.segment = sale.segment;
}

// Returns the sale in memory that has the key, once it is known whether it could begin; null where there is none.
boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::running(const std::string& terminal,
                                                                          const std::string& key, Instant deadline) {
    while (true) {
        const auto found = by_key_.find(Key(terminal, key));
        if (found == by_key_.end()) co_return std::shared_ptr<LiveSale>();
        const auto live = found->second;
        auto answered = [&] { return live->stage() != Stage::beginning; };
        co_await live->watch_until(never, answered);
        auto resolved = [&] { return live->stage() != Stage::in_doubt; };
        co_await live->watch_until(deadline, resolved);
        if (!resolved()) co_return errc::commit_unknown;
        if (live->stage() == Stage::withdrawn) continue;
        co_return may_tell(*live) ? live : nullptr;  // otherwise the journal knows more of it
    }
}

boost::asio::awaitable<SellResult> Seller::sell(SellOrder&& order) {
    std::optional<CardTurns::Turn> turn;
    auto card = rules_of(order.order.family).card_of(order.order.fields);
    const bool takes_turns = !card.empty();
    if (takes_turns) {
        if (turns_.is_taken(card)) {  // a known key does not wait for a turn
            auto known = co_await find_sold(order);
            if (known.has_error()) co_return SellResult{.refusal = SellRefusal::journal_unavailable};
            if (*known) co_return std::move(**known);
        }
        const auto now = clock_.now();
        auto came = co_await turns_.wait_for(std::move(card), now + (order.patience - now) / 2);
        if (came) turn.emplace(std::move(*came));
    }
    auto live = co_await running(order.terminal, order.key, order.patience);
    if (live.has_error()) co_return SellResult{.refusal = SellRefusal::in_doubt, .replayed = true};
    if (*live) co_return replay(std::move(*live), order);
    // A known key is answered whatever the load is; only a new sale is refused.
    const auto refusal = !taking_                              ? SellRefusal::shutting_down
                         : places_taken_ >= options_.in_flight ? SellRefusal::overloaded
                         : takes_turns && !turn                ? SellRefusal::card_busy
                                                               : SellRefusal::none;
    if (refusal == SellRefusal::none) co_return co_await begin(order, std::move(turn));
    auto found = co_await find_sold(order);
    if (found.has_error()) co_return SellResult{.refusal = SellRefusal::journal_unavailable};
    co_return found->value_or(SellResult{.refusal = refusal});
}

boost::asio::awaitable<SellResult> Seller::begin(SellOrder& order, std::optional<CardTurns::Turn> turn) {
    const auto patience = order.patience;
    // The sale is in memory before it is in the journal, so that a second call with the key joins this one.
    auto live = take_in(new_sale(order), std::move(order.request_id), Stage::beginning);
    if (turn) boost::asio::co_spawn(executor_, keep_turn(live, std::move(*turn)), boost::asio::detached);
    const auto handed_over = clock_.now();
    auto state = co_await journal_.begin(live->sale());
    if (state.has_value()) metrics_.durable_time.add(clock_.now() - handed_over);
    if (state.error() == errc::commit_unknown) {
        log_.error("journal.failed", "{terminal}: whether the journal has a new sale is not known yet: {detail}",
                   {{"sale", live->sale().id},
                    {"terminal", live->sale().terminal},
                    {"request", live->request_id()},
                    {"detail", state.error().message()}});
        set_stage(*live, Stage::in_doubt);
        const auto said = std::make_shared<KeyState>();
        boost::asio::co_spawn(executor_, resolve_begin(live, said), boost::asio::detached);
        auto resolved = [&] { return live->stage() != Stage::in_doubt; };
        co_await live->watch_until(patience, resolved);
        if (!resolved()) co_return SellResult{.refusal = SellRefusal::in_doubt};
        state = *said;
    } else {
        begun(live, state);
    }
    if (state.has_error()) co_return SellResult{.refusal = refusal_of(state.error())};
    if (live->stage() == Stage::withdrawn) {
        note_duplicate(*live, *state, order.hammers);
        give_back(order, live->sale());
        co_return co_await result_of(*state, order);
    }
    co_return SellResult{.sale = std::move(live)};
}

// Repeats the same begin until the journal has an answer, because only a write that is done resolves one that is in
// doubt.
boost::asio::awaitable<void> Seller::resolve_begin(std::shared_ptr<LiveSale> live, std::shared_ptr<KeyState> said) {
    while (true) {
        co_await clock_.sleep_for(doubt_pause);
        const auto state = co_await journal_.begin(live->sale());
        if (state.has_error()) continue;  // this try was not done, which tells nothing about the one before
        *said = *state;
        begun(live, state);
        co_return;
    }
}

void Seller::begun(const std::shared_ptr<LiveSale>& live, const Result<KeyState>& state) {
    const auto& sale = live->sale();
    if (state.has_error() || state->sale || state->cancelled || state->duplicate_of) {
        forget(*live);
        set_stage(*live, Stage::withdrawn);
        take_over_what_waited(sale.id);
        if (state.has_value() || state.error() == errc::sale_unreadable) return;
        ++metrics_.journal_failures;
        log_.error("journal.failed", "{terminal}: the journal did not take a new sale, and nothing is sold: {detail}",
                   {{"terminal", sale.terminal}, {"request", live->request_id()}, {"detail", state.error().message()}});
        return;
    }
    waiting_.erase(sale.id);
    metrics_.newest_record = std::max(metrics_.newest_record, std::optional(sale.updated_at));
    ++metrics_.begun.at(static_cast<std::size_t>(sale.family));
    log_.info("sale.begun", "{terminal} sells {produto} for {valor}[; cashier: {cashier}]",
              {{"sale", sale.id},
               {"idExterno", sale.current().id_externo},
               {"terminal", sale.terminal},
               {"request", live->request_id()},
               {"family", to_string(sale.family)},
               {"produto", sale.produto},
               {"valor", sale.valor},
               {"cashier", sale.cashier}});
    carry(live, Stage::attended);
}

void Seller::note_duplicate(const LiveSale& live, const KeyState& state, bool hammers) {
    if (!state.duplicate_of || hammers) return;
    log_.info("sale.possible_duplicate", "{terminal}: not begun, as the same was sold, or is being sold, a moment ago",
              {{"sale", *state.duplicate_of}, {"terminal", live.sale().terminal}, {"request", live.request_id()}});
}

SellResult Seller::replay(std::shared_ptr<LiveSale> live, const SellOrder& order) {
    if (!is_repeat(live->sale(), order)) {
        auto differing = differing_fields(live->sale(), order);
        return {.sale = std::move(live), .refusal = SellRefusal::key_reused, .differing = std::move(differing)};
    }
    ++metrics_.replays;
    return {.sale = std::move(live), .replayed = true};
}

boost::asio::awaitable<SellResult> Seller::result_of(const KeyState& state, const SellOrder& order) {
    if (state.cancelled) co_return SellResult{.refusal = SellRefusal::key_cancelled};
    if (state.duplicate_of) {
        auto other = co_await find(*state.duplicate_of);
        if (other.has_value())
            co_return SellResult{.sale = std::move(*other), .refusal = SellRefusal::possible_duplicate};
        const bool unreadable = other.error() == errc::sale_unreadable;
        co_return SellResult{.refusal = unreadable ? SellRefusal::possible_duplicate : refusal_of(other.error())};
    }
    auto live = co_await find(*state.sale);
    if (live.has_error()) co_return SellResult{.refusal = refusal_of(live.error()), .replayed = true};
    co_return replay(std::move(*live), order);
}

boost::asio::awaitable<Result<std::optional<SellResult>>> Seller::find_sold(const SellOrder& order) {
    auto live = co_await running(order.terminal, order.key, order.patience);
    if (live.has_error()) co_return std::optional(SellResult{.refusal = SellRefusal::in_doubt, .replayed = true});
    if (*live) co_return std::optional(replay(std::move(*live), order));
    const auto state = co_await journal_.find_key(order.terminal, order.key);
    if (state.error() == errc::sale_unreadable)
        co_return std::optional(SellResult{.refusal = SellRefusal::sale_unreadable});
    if (state.has_error()) co_return state.error();
    if (!state->sale && !state->cancelled) co_return std::optional<SellResult>();
    co_return std::optional(co_await result_of(*state, order));
}

std::shared_ptr<LiveSale> Seller::in_memory(SaleId id) const {
    const auto live = live_.find(id);
    return live == live_.end() ? nullptr : live->second;
}

void Seller::found_unreadable(SaleId id) const {
    if (const auto live = in_memory(id)) live->found_unreadable();
}

boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::find(SaleId id) {
    const auto certain = [this](std::shared_ptr<LiveSale> held) {
        return held && (held->stage() == Stage::in_doubt || may_tell(*held)) ? held : nullptr;
    };
    auto live = certain(in_memory(id));
    if (!live) {
        auto found = co_await journal_.find(id);
        if (found.has_error()) co_return found.error();
        if (!*found) co_return errc::not_found;
        live = certain(in_memory(id));  // what came to life while the journal was asked is newer than what it said
        if (!live) {
            live = std::make_shared<LiveSale>(std::move(**found), std::string(), Stage::resting, clock_);
            if (journal_.chain() != nullptr && !live->sale().settled)
                boost::asio::co_spawn(executor_, follow(live), boost::asio::detached);
        }
    }
    if (live->stage() == Stage::in_doubt) co_return errc::commit_unknown;
    co_return live;
}

boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::tell(SaleId id, Event event, std::string request_id,
                                                                       Instant deadline) {
    const ForwardedCommand command{.sale = id, .event = std::move(event), .request_id = std::move(request_id)};
    while (true) {
        auto found = co_await owned(id);
        if (found.error() == errc::not_owned) {
            const auto left = co_await forward(command, deadline);
            if (left.has_error()) co_return left.error();
            co_return co_await find(id);
        }
        if (found.has_error()) co_return found.error();
        const auto live = *found;
        const auto completion = live->submit(command.event, command.request_id);
        carry(live, Stage::attended);
        const auto done = co_await decided(live, completion, deadline);
        if (done.error() == errc::not_owned) continue;  // another gateway has taken it over
        if (done.has_error()) co_return done.error();
        co_return live;
    }
}

boost::asio::awaitable<Result<StatedEffect>> Seller::state(SaleId id, IdExterno attempt, Stated stated,
                                                           Instant deadline) {
    auto found = co_await owned(id);
    if (found.error() == errc::not_owned) {
        // The other gateway finds out what becomes of this statement; the next one of the day shows whether it took
        // effect.
        const ForwardedCommand command{.sale = id, .attempt = attempt, .event = std::move(stated)};
        const auto left = co_await forward(command, deadline);
        co_return left.has_error() ? left.error() : make_error_code(errc::timed_out);
    }
    if (found.has_error()) co_return found.error();
    const auto live = *found;
    const auto& attempts = live->sale().attempts;
    const auto named = std::ranges::find(attempts, attempt, &Attempt::id_externo);
    if (named == attempts.end()) {
        carry(live, Stage::unattended);
        co_return errc::not_found;
    }
    const auto completion = std::make_shared<Completion>();
    auto source = stated.source;
    live->enqueue({.attempt = static_cast<std::size_t>(named - attempts.begin()),
                   .event = std::move(stated),
                   .detail = std::move(source),
                   .completion = completion});
    carry(live, Stage::unattended);
    const auto done = co_await decided(live, completion, deadline);
    if (done.has_error()) co_return done.error();
    co_return completion->stated;
}

boost::asio::awaitable<Result<void>> Seller::decided(std::shared_ptr<LiveSale> live,
                                                     std::shared_ptr<Completion> completion, Instant deadline) {
    auto known = [&] { return completion->result.has_value(); };
    co_await live->watch_until(deadline, known);
    if (!completion->result) co_return live->stage() == Stage::in_doubt ? errc::commit_unknown : errc::timed_out;
    if (*completion->result) co_return *completion->result;
    co_return Result<void>();
}

boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::cancel_key(std::string terminal, std::string key,
                                                                             Instant deadline) {
    auto live = co_await running(terminal, key, deadline);
    if (live.has_error() || *live) co_return live;
    auto state = co_await journal_.cancel_key(terminal, key);
    // Once one try is in doubt, a later one that is not done tells nothing about it.
    const bool doubt = state.error() == errc::commit_unknown;
    while (doubt && state.has_error() && clock_.now() < deadline) {
        co_await clock_.sleep_for(doubt_pause);
        state = co_await journal_.cancel_key(terminal, key);
    }
    if (state.has_error()) co_return doubt ? make_error_code(errc::commit_unknown) : state.error();
    if (!state->sale) co_return std::shared_ptr<LiveSale>();
    co_return co_await find(*state->sale);
}

std::shared_ptr<LiveSale> Seller::take_in(Sale&& sale, std::string request_id, Stage stage) {
    auto live = std::make_shared<LiveSale>(std::move(sale), std::move(request_id), stage, clock_);
    if (takes_a_place(*live)) ++places_taken_;
    live_.emplace(live->sale().id, live);
    by_key_.emplace(key_of(*live), live);
    return live;
}

void Seller::forget(const LiveSale& live) {
    // Each entry is removed only where it leads to this very sale, which may have been forgotten or replaced already.
    if (const auto found = live_.find(live.sale().id); found != live_.end() && found->second.get() == &live)
        live_.erase(found);
    const auto found = by_key_.find(key_of(live));
    if (found != by_key_.end() && found->second.get() == &live) by_key_.erase(found);
}

void Seller::carry(const std::shared_ptr<LiveSale>& live, Stage stage) {
    if (live->stage() != Stage::beginning && live->stage() != Stage::in_doubt && live->stage() != Stage::resting)
        return;
    set_stage(*live, stage);
    boost::asio::co_spawn(executor_, run(live), boost::asio::detached);
}

boost::asio::awaitable<void> Seller::run(std::shared_ptr<LiveSale> live) {
    co_await driver_.run(live);
    if (live->stage() == Stage::elsewhere) {
        if (takes_a_place(*live)) --places_taken_;
        forget(*live);
        take_over_what_waited(live->sale().id);
        boost::asio::co_spawn(executor_, follow(live), boost::asio::detached);
        co_return;
    }
    waiting_.erase(live->sale().id);  // what it doubted since then was this gateway's all the same
    set_stage(*live, Stage::resting);
    // A sale that is not settled stays: a caller may be watching it, and a message may still come.
    if (live->sale().settled) forget(*live);
}

void Seller::set_stage(LiveSale& live, Stage stage) {
    const auto before = takes_a_place(live);
    live.set_stage(stage);
    if (before && !takes_a_place(live)) --places_taken_;
    if (!before && takes_a_place(live)) ++places_taken_;
}

bool Seller::takes_a_place(const LiveSale& live) {
    const auto stage = live.stage();
    return !live.takes_no_place_ && stage != Stage::resting && stage != Stage::withdrawn;
}

boost::asio::awaitable<void> Seller::keep_turn(std::shared_ptr<LiveSale> live, [[maybe_unused]] CardTurns::Turn turn) {
    auto over = [&] { return live->stage() == Stage::withdrawn || outcome_of(live->sale()) != Outcome::pending; };
    co_await live->watch_until(never, over);
}

void Seller::stop_taking() {
    taking_ = false;
    turns_.end_waits();
}

void Seller::hurry() {
    hurried_ = true;
    for (const auto& [id, sale] : live_)
        sale->changed();
}

std::size_t Seller::undecided() const {
    return static_cast<std::size_t>(std::count_if(live_.begin(), live_.end(), [](const auto& entry) {
        const auto& sale = entry.second->sale();
        // No customer waits at a counter for a sale that a person has to look at, which may take hours.
        return outcome_of(sale) == Outcome::pending && sale.current().state != AttemptState::awaiting &&
               sale.attention == Attention::none;
    }));
}

}  // namespace gateway
