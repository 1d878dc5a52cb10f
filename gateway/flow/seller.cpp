#include "flow/seller.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/serialize.hpp>

namespace gateway {
namespace {

// Bytes of the secret in an eSIM's callback addresses: the contract asks for 128 bits or more.
constexpr std::size_t callback_secret_bytes = 24;

Secret make_callback_secret(Random& random) {
    std::array<std::byte, callback_secret_bytes> bytes{};
    random.fill(bytes);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : bytes) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return Secret(std::move(text));
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
      metrics_(metrics) {}

// Takes what the sale has of the order away from it.
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
    sale.request = Secret(boost::json::serialize(order.fields));
    sale.redemption = std::move(asked.redemption);
    if (order.family == Family::esim) sale.callback_secret = make_callback_secret(random_);
    sale.created_at = wall;
    sale.updated_at = wall;
    sale.patience = asked.patience;
    sale.attempts.push_back(driver_.new_attempt());
    return sale;
}

// The sale in memory that has the key, once it is known whether it could begin; nothing where there is none.
boost::asio::awaitable<std::shared_ptr<LiveSale>> Seller::running(const std::string& terminal, const std::string& key) {
    while (true) {
        const auto found = by_key_.find(Key(terminal, key));
        if (found == by_key_.end()) co_return nullptr;
        const auto live = found->second;
        if (live->phase() == LiveSale::Phase::begun) co_return live;
        auto decided = [&] { return live->phase() != LiveSale::Phase::beginning; };
        co_await live->watch_until(never, decided);
    }
}

boost::asio::awaitable<SellResult> Seller::sell(SellOrder&& asked) {
    if (auto live = co_await running(asked.terminal, asked.key)) co_return replay(std::move(live), asked.digest);
    // A known key is answered whatever the load; only what would be new is refused.
    const auto under_way = live_.size() - found_at_start_ - resting_;
    const auto refusal = !taking_                          ? SellRefusal::shutting_down
                         : under_way >= options_.in_flight ? SellRefusal::overloaded
                                                           : SellRefusal::none;
    if (refusal == SellRefusal::none) co_return co_await begin(asked);
    auto found = co_await find_sold(asked);
    if (found.has_error()) co_return SellResult{.refusal = SellRefusal::journal_unavailable};
    co_return found->value_or(SellResult{.refusal = refusal});
}

boost::asio::awaitable<SellResult> Seller::begin(SellOrder& asked) {
    // In memory before it is in the journal, so that a second call with the key joins this one.
    auto live = take_in(new_sale(asked), std::move(asked.request_id));
    const auto& sale = live->sale();
    const auto handed_over = clock_.now();
    const auto fate = co_await journal_.begin(sale);
    if (fate.has_value()) metrics_.durable_time.add(clock_.now() - handed_over);
    if (fate.has_error() || fate->sale || fate->cancelled) {
        forget(*live);
        live->set_phase(LiveSale::Phase::withdrawn);
        if (fate.has_value()) co_return co_await known(*fate, sale.digest);
        ++metrics_.journal_failures;
        log_.error("journal.failed",
                   {{"terminal", sale.terminal}, {"request", live->request_id()}, {"detail", fate.error().message()}});
        co_return SellResult{.refusal = SellRefusal::journal_unavailable};
    }
    ++metrics_.begun.at(static_cast<std::size_t>(sale.family));
    log_.info("sale.begun", {{"sale", sale.id},
                             {"idExterno", sale.current().id_externo},
                             {"terminal", sale.terminal},
                             {"request", live->request_id()},
                             {"family", to_string(sale.family)},
                             {"produto", sale.produto},
                             {"valor", sale.valor.value}});
    live->set_phase(LiveSale::Phase::begun);
    carry_on(live, false);
    co_return SellResult{.sale = std::move(live)};
}

SellResult Seller::replay(std::shared_ptr<LiveSale> sale, const std::string& digest) {
    if (sale->sale().digest != digest) return {.refusal = SellRefusal::key_reused};
    ++metrics_.replays;
    return {.sale = std::move(sale), .replayed = true};
}

boost::asio::awaitable<SellResult> Seller::known(const KeyState& fate, const std::string& digest) {
    if (fate.cancelled) co_return SellResult{.refusal = SellRefusal::key_cancelled};
    auto sale = co_await find(*fate.sale);
    if (sale.has_error()) co_return SellResult{.refusal = SellRefusal::journal_unavailable};
    co_return replay(std::move(*sale), digest);
}

boost::asio::awaitable<Result<std::optional<SellResult>>> Seller::find_sold(const SellOrder& asked) {
    if (auto live = co_await running(asked.terminal, asked.key))
        co_return std::optional(replay(std::move(live), asked.digest));
    const auto fate = co_await journal_.find_key(asked.terminal, asked.key);
    if (fate.has_error()) co_return fate.error();
    if (!fate->sale && !fate->cancelled) co_return std::optional<SellResult>();
    co_return std::optional(co_await known(*fate, asked.digest));
}

boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::find(SaleId id) {
    if (const auto live = live_.find(id); live != live_.end()) co_return live->second;
    auto found = co_await journal_.find(id);
    if (found.has_error()) co_return found.error();
    // The journal answers in order: a sale that came to life while it was asked is newer than what it said.
    if (const auto live = live_.find(id); live != live_.end()) co_return live->second;
    if (!*found) co_return errc::not_found;
    auto live = std::make_shared<LiveSale>(std::move(**found), std::string(), clock_);
    live->set_phase(LiveSale::Phase::begun);
    co_return live;
}

boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> Seller::tell(SaleId id, Event event, std::string request_id,
                                                                       Instant deadline) {
    auto found = co_await find(id);
    if (found.has_error()) co_return found.error();
    const auto live = *found;
    live_.emplace(id, live);
    by_key_.emplace(key_of(*live), live);
    const auto completion = live->submit(std::move(event), std::move(request_id));
    carry_on(live, false);
    auto decided = [&] { return completion->result.has_value(); };
    co_await live->watch_until(deadline, decided);
    if (!completion->result) co_return errc::timed_out;
    if (*completion->result) co_return *completion->result;
    co_return live;
}

boost::asio::awaitable<Result<Seller::KeyCancelled>> Seller::cancel_key(std::string terminal, std::string key) {
    if (auto live = co_await running(terminal, key)) co_return KeyCancelled{.sale = std::move(live)};
    const auto fate = co_await journal_.cancel_key(terminal, key);
    if (fate.has_error()) co_return fate.error();
    if (!fate->sale) co_return KeyCancelled{};
    auto found = co_await find(*fate->sale);
    if (found.has_error()) co_return found.error();
    co_return KeyCancelled{.sale = std::move(*found)};
}

boost::asio::awaitable<Result<std::size_t>> Seller::adopt_unfinished() {
    auto found = co_await journal_.unfinished();
    if (found.has_error()) co_return found.error();
    for (auto& sale : found->sales) {
        const auto live = take_in(std::move(sale), std::string());
        live->set_phase(LiveSale::Phase::begun);
        live->from_before_ = true;
        ++found_at_start_;
        carry_on(live, true);
    }
    co_return found->sales.size();
}

std::shared_ptr<LiveSale> Seller::take_in(Sale&& sale, std::string request_id) {
    auto live = std::make_shared<LiveSale>(std::move(sale), std::move(request_id), clock_);
    live_.emplace(live->sale().id, live);
    by_key_.emplace(key_of(*live), live);
    return live;
}

void Seller::forget(const LiveSale& sale) {
    // Each only where it leads to this very sale: it may be forgotten already, or have been taken in anew since.
    if (const auto found = live_.find(sale.sale().id); found != live_.end() && found->second.get() == &sale) {
        if (sale.from_before_) --found_at_start_;
        live_.erase(found);
    }
    const auto found = by_key_.find(key_of(sale));
    if (found != by_key_.end() && found->second.get() == &sale) by_key_.erase(found);
}

void Seller::carry_on(const std::shared_ptr<LiveSale>& sale, bool adopted) {
    if (std::exchange(sale->carried_, true)) return;
    if (std::exchange(sale->resting_, false)) --resting_;
    boost::asio::co_spawn(executor_, carry(sale, adopted), boost::asio::detached);
}

boost::asio::awaitable<void> Seller::carry(std::shared_ptr<LiveSale> sale, bool adopted) {
    if (adopted) {
        co_await driver_.adopt(sale);
    } else {
        co_await driver_.carry(sale);
    }
    sale->carried_ = false;
    if (sale->sale().settled) {
        forget(*sale);
    } else if (!sale->from_before_) {
        // It stays: somebody may be watching it, and a message may still come.
        sale->resting_ = true;
        ++resting_;
    }
}

void Seller::hurry() {
    hurried_ = true;
    for (const auto& [id, sale] : live_)
        sale->changed();
}

std::size_t Seller::undecided() const {
    return static_cast<std::size_t>(std::count_if(live_.begin(), live_.end(), [](const auto& entry) {
        const auto& sale = entry.second->sale();
        // Nobody stands at a counter for one that a person has to look at; it may take hours.
        return outcome_of(sale) == Outcome::pending && sale.current().state != AttemptState::awaiting &&
               sale.attention == Attention::none;
    }));
}

}  // namespace gateway
