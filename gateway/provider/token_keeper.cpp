#include "provider/token_keeper_core.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>

namespace gateway {
namespace {

using namespace std::chrono_literals;

// The pause between two tries that failed is any time up to a bound, which is doubled from the first to the last.
constexpr Duration back_off_first = 500ms;
constexpr Duration back_off_last = 30s;
// If the token service says when to come back, we obey, but not for longer than this: a till cannot stand still for an
// hour.
constexpr Duration retry_after_max = 60s;
// However short a token lives, it is not renewed ahead of time more often than this.
constexpr Duration spacing = 1s;
// These are the longest and the shortest life in the document. The longest one bounds what a timestamp may claim. The
// shortest one is assumed if the answer does not say, or if this machine's clock and the provider's disagree about what
// is past.
constexpr Duration longest_life = 48h;
constexpr Duration assumed_life = 5min;
// A provider may answer 401 to every token, or because of what is sold and not because of the token. Another token
// changes nothing then. The first of the tokens that were refused in a row are replaced at once, and after that one in
// each interval: the token service bears that all day, and a sale that comes meanwhile can wait for it.
constexpr int replaced_at_once = 6;
constexpr Duration replacement_interval = 2s;
// A request that waits for its connection may still hold a refused token. We remember more of them than are given in
// that time.
constexpr std::size_t refused_known = 40;
// A caller waits so long for a service that has just failed. A restart of the service, or a balancer that finds another
// machine, then costs a sale these seconds and not the sale itself.
constexpr Duration hiccup = 2s;

}  // namespace

void TokenKeeper::Core::take_up(const Token& kept) {
    refresh = kept.refresh;
    obtained_by = kept.app_secret;
    const auto life = kept.expires_at - kept.obtained_at;
    const auto left = std::min(kept.expires_at - clock.wall(), life);
    if (kept.access.empty() || left <= 0ms) return;
    const Instant expires = clock.now() + left;
    held = Held{kept.access, expires - life, expires, kept.expires_at};
    had_token = true;
}

// Returns the moment when the present token is to be renewed: ahead of its end, and early enough for a sale that begins
// just before.
Instant TokenKeeper::Core::ahead() const {
    return std::min(held->obtained + held->life() * 4 / 5, held->expires - needed_life());
}

Instant TokenKeeper::Core::due() const {
    return held && !unproved ? std::max(ahead(), next_try) : next_try;
}

boost::asio::awaitable<void> TokenKeeper::Core::keep(std::shared_ptr<Core> core) {
    while (!core->stopped) {
        core->tell_end();
        if (core->clock.now() >= core->due()) {
            co_await core->renew();
        } else {
            co_await core->wake->wait_until(std::min(core->due(), core->end_to_tell()));
        }
    }
}

// Returns never if the token lasts, or is only being replaced: there is nothing to tell then.
Instant TokenKeeper::Core::end_to_tell() const {
    return held && !held->end_told && failures > 0 ? held->expires : never;
}

void TokenKeeper::Core::tell_end() {
    if (clock.now() < end_to_tell()) return;
    held->end_told = true;
    log.warn("token.ended", "the last token has ended, and no sale can be made until another comes: {detail}",
             {{"detail", why}});
}

// This loop is apart from the tries, so that neither waits for the other. A token that was dropped must not be in the
// journal for the next start. A token that came is saved before the turn ends, so that the next gateway finds it.
boost::asio::awaitable<void> TokenKeeper::Core::keep_saved(std::shared_ptr<Core> core) {
    while (!core->stopped) {
        if (std::exchange(core->unsaved, false)) {
            const auto token = core->to_keep();
            co_await core->save(token);
        } else if (std::exchange(core->turn_is_over, false)) {
            co_await core->turns.end();
        } else {
            co_await core->save_wake->wait_until(never);
        }
    }
}

void TokenKeeper::Core::changed() {
    unsaved = true;
    save_wake->notify();
}

void TokenKeeper::Core::end_turn() {
    turn_is_over = turns.end != nullptr;
    save_wake->notify();
}

boost::asio::awaitable<void> TokenKeeper::Core::renew() {
    asking = true;
    asked = clock.now();
    turn_is_over = false;
    const bool taken = co_await take_anothers();
    asking = !taken && !stopped;
    if (!asking) co_return waiting.notify_all();
    auto result = co_await try_once();
    asking = false;
    if (stopped) co_return;
    if (auto* grant = std::get_if<Grant>(&result)) {
        accept(std::move(*grant));
    } else {
        note_failure(std::move(std::get<NoGrant>(result)));
    }
    waiting.notify_all();
}

// One of several gateways asks, and the others use the token that it gets.
boost::asio::awaitable<bool> TokenKeeper::Core::take_anothers() {
    if (!turns.of_another) co_return false;
    auto asking_for_it = turns.of_another(held ? held->access : Secret());
    const auto got = co_await std::move(asking_for_it);
    if (stopped || !got || has_refused(got->access) || (held && held->access == got->access)) co_return false;
    const auto before = held ? held->access : Secret();
    take_up(*got);
    if (!held || held->access == before) co_return false;
    failures = 0;
    if (got->app_secret == app_secret) {
        unproved = false;
        if (reachability.outage()) reachability.answered();  // that token was given after our last try
    }
    why = "the token has run out, and another has not come yet";
    next_try = clock.now() + spacing;
    log.info("token.shared", "another gateway has obtained a token, which is used here too, valid until {expiresAt}",
             {{"expiresAt", held->expires_at()}});
    co_return true;
}

// Refreshes first, and falls back to the client credentials, both within one deadline. A new secret is shown before
// that, because nothing else tells whether it is right; the token is refreshed then only if it would run out meanwhile.
boost::asio::awaitable<std::variant<Grant, NoGrant>> TokenKeeper::Core::try_once() {
    const Instant begun = clock.now();
    const Instant end = begun + options.request_timeout;
    const Instant half = begun + options.request_timeout / 2;  // the other half is left for the fall-back
    const bool refreshes = !refresh.empty() && !(unproved && held && begun < ahead());
    const bool falls_back = refreshes && unproved;  // falls back to the refresh
    if (refreshes && !falls_back) {
        auto refreshing = ask_refresh(half);
        auto refreshed = co_await std::move(refreshing);
        if (stopped || std::holds_alternative<Grant>(refreshed)) co_return refreshed;
        if (!refresh.empty()) co_return refreshed;  // it was not even sent: the service cannot be reached
    }
    auto showing = ask_by_secret(falls_back ? half : end);
    auto shown = co_await std::move(showing);
    const auto* none = std::get_if<NoGrant>(&shown);
    if (stopped || none == nullptr || !none->sent || !falls_back || refresh.empty()) co_return shown;
    auto refreshing = ask_refresh(end);
    auto refreshed = co_await std::move(refreshing);
    if (stopped || !std::holds_alternative<Grant>(refreshed)) co_return shown;
    if (unproved) reachability.useless_to_new_credentials(none->why);
    co_return refreshed;
}

boost::asio::awaitable<std::variant<Grant, NoGrant>> TokenKeeper::Core::ask_by_secret(Instant deadline) {
    by_refresh = false;
    auto request = form_request("token client_credentials", credentials_form(options.scopes));
    const auto secret = app_secret;  // another secret may come while this is answered
    request.authorization = basic_credentials(options.app_key, options.credential_separator, secret);
    auto exchanging = http::exchange(client, request, deadline);
    const auto reply = co_await std::move(exchanging);
    const auto& named = request.authorization.reveal();
    const std::array sent{secret, Secret(named.substr(named.find(' ') + 1))};  // the credentials without "Basic"
    auto result = read(reply, sent);
    if (std::holds_alternative<Grant>(result)) {
        obtained_by = secret;
        if (secret == app_secret) unproved = false;
    }
    co_return result;
}

// Adds the cause if the service could not be reached. The log has the cause in another line, but /readyz and the
// service's status have it nowhere else.
std::variant<Grant, NoGrant> TokenKeeper::Core::read(const Reply& reply, std::span<const Secret> credentials) const {
    auto result = read_token_answer(reply, credentials);
    auto* const none = std::get_if<NoGrant>(&result);
    if (none == nullptr && !stopped && hear) hear(reply);
    if (none == nullptr || reply.kind != Reply::Kind::nothing_sent || stopped) return result;
    if (const auto cause = client.trouble(); !cause.empty()) none->why.append(": ").append(cause);
    return result;
}

// The request has no Authorization header, as in the document's example.
boost::asio::awaitable<std::variant<Grant, NoGrant>> TokenKeeper::Core::ask_refresh(Instant deadline) {
    by_refresh = true;
    auto exchanging = http::exchange(client, form_request("token refresh", refresh_form(refresh)), deadline);
    const auto reply = co_await std::move(exchanging);
    auto result = read(reply, std::array{refresh});
    if (reply.kind == Reply::Kind::nothing_sent) co_return result;
    // Once it was sent, the refresh token may be used up, whatever came back. A grant without a new one leaves it
    // valid.
    const auto used = std::exchange(refresh, Secret());
    auto* grant = std::get_if<Grant>(&result);
    if (grant && grant->refresh.empty()) grant->refresh = used;
    changed();
    co_return result;
}

http::ClientRequest TokenKeeper::Core::form_request(std::string label, Secret body) const {
    http::ClientRequest request;
    request.post = true;
    request.target = options.token_path();
    request.label = std::move(label);
    request.content_type = "application/x-www-form-urlencoded";
    request.body = std::move(body);
    return request;
}

void TokenKeeper::Core::accept(Grant grant) {
    const Instant now = clock.now();
    const WallTime wall = clock.wall();
    const auto expiry = grant.expires_in ? expiry_of(*grant.expires_in, wall) : std::nullopt;
    const bool sensible = expiry && *expiry > wall;
    const auto life = sensible ? std::min(*expiry - wall, longest_life) : assumed_life;
    std::erase(refused, grant.access);  // the service gives it again, and is responsible for it
    held = Held{std::move(grant.access), now, now + life, RunMoment(clock), by_refresh};
    refresh = std::move(grant.refresh);
    changed();
    end_turn();
    failures = 0;
    had_token = true;
    if (!unproved) reachability.answered();
    why = "the token has run out, and another has not come yet";
    next_try = now + spacing;
    log.info("token.obtained", "a token was obtained, valid until {expiresAt}",
             {{"how", by_refresh ? "refresh" : "client_credentials"}, {"expiresAt", held->expires_at()}});
    if (!sensible)
        log.warn("token.expiry_unclear", "how long the token is valid is not clear: {detail}",
                 {{"detail", expiry ? "it lies in the past: is this machine's clock right?"
                                    : "expires_in is neither a timestamp nor a duration"}});
}

void TokenKeeper::Core::note_failure(NoGrant none) {
    ++failures;
    hopeless = none.hopeless;
    failed_in = length(asked, clock.now());
    why = none.why;
    tell_reachability(none);
    auto pause = back_off();
    if (none.retry_after) {
        pause = std::max(pause, std::min<Duration>(*none.retry_after, retry_after_max));
        not_before = clock.now() + pause;
    } else {
        end_turn();
    }
    next_try = clock.now() + pause;
    log.warn("token.failed", "no token: {detail}; try {try} at {nextAt}",
             {{"detail", why}, {"try", failures + 1}, {"nextAt", clock.wall() + pause}});
}

// If the secret is new, the token of the old one is good as long as it can be refreshed.
void TokenKeeper::Core::tell_reachability(const NoGrant& none) {
    if (unproved && none.sent && !refresh.empty())
        reachability.useless_to_new_credentials(none.why);
    else
        reachability.unreachable(none.why);
}

Duration TokenKeeper::Core::back_off() {
    auto bound = back_off_first;
    for (int i = 1; i < failures && bound < back_off_last; ++i)
        bound *= 2;
    return random.up_to(std::min(bound, back_off_last));
}

// Returns the moment when another token is asked for in the place of one that was refused.
Instant TokenKeeper::Core::replacement_due(Instant now) {
    replacements_paid = std::max(replacements_paid, now) + replacement_interval;
    return std::max(now, replacements_paid - replacement_interval * replaced_at_once);
}

std::optional<Token> TokenKeeper::Core::to_keep() const {
    if (!held && refresh.empty()) return std::nullopt;
    if (!held) return Token{Secret(), refresh, {}, {}, obtained_by};
    return Token{held->access, refresh, held->obtained_at(), held->expires_at(), obtained_by};
}

TokenKeeper::TokenKeeper(boost::asio::any_io_executor executor, ProviderOptions options, http::Client& client,
                         Clock& clock, Random& random, Log& log, std::optional<Token> kept, SaveToken save,
                         TokenTurns turns, HearAnswer hear)
    : core_(std::make_shared<Core>(std::move(executor), std::move(options), client, clock, random, log, std::move(save),
                                   std::move(turns), std::move(hear))) {
    if (kept) core_->take_up(*kept);
}

TokenKeeper::~TokenKeeper() {
    core_->stopped = true;
    core_->wake->notify();
    core_->save_wake->notify();
    core_->waiting.notify_all();
}

void TokenKeeper::start() {
    if (std::exchange(core_->started, true)) return;
    boost::asio::co_spawn(core_->executor, Core::keep(core_), rethrow);
    if (core_->save) boost::asio::co_spawn(core_->executor, Core::keep_saved(core_), rethrow);
}

boost::asio::awaitable<Result<Secret>> TokenKeeper::get(Instant deadline) {
    start();
    return Core::get(core_, deadline);  // the coroutine holds the core, not the keeper
}

boost::asio::awaitable<Result<Secret>> TokenKeeper::Core::get(std::shared_ptr<Core> core, Instant deadline) {
    Instant since = core->clock.now();  // the moment when the caller came, or heard of the first failure
    bool failed = core->failures > 0;
    for (bool waited = false;; waited = true) {
        if (core->stopped) co_return errc::no_token;
        const Instant now = core->clock.now();
        if (core->lasts(now)) co_return core->held->access;
        if (!std::exchange(failed, core->failures > 0) && failed) since = now;
        const bool told = failed && (core->valid(now) || (waited && core->hopeless));
        const Instant until = core->valid(now) ? deadline : core->worth_waiting(since, deadline);
        if (told || now >= until || (!core->asking && core->next_try >= until)) {
            if (core->valid(now)) co_return core->held->access;
            co_return errc::no_token;
        }
        co_await core->waiting.wait(until);
    }
}

// Returns the moment until which a caller without a token waits. If the service worked so far, the caller waits as long
// as connecting to it may take. If the last try failed, the caller waits only if it failed fast, because the next try
// is expected to take as long.
Instant TokenKeeper::Core::worth_waiting(Instant since, Instant deadline) const {
    const Instant begins = asking ? asked : std::max(next_try, clock.now());
    if (failures == 0) return std::min(deadline, begins + std::max(options.connect_timeout, hiccup));
    const bool in_time = begins + failed_in < since + hiccup;
    return in_time ? std::min(deadline, since + hiccup) : since;
}

void TokenKeeper::reject(const Secret& access) {
    auto& core = *core_;
    if (core.has_refused(access)) return;
    core.refused.push_back(access);
    if (core.refused.size() > refused_known) core.refused.pop_front();
    if (!core.held || core.held->access != access) return;
    const Instant now = core.clock.now();
    const auto age = Core::length(core.held->obtained, now);
    if (core.held->by_refresh) core.refresh = Secret();
    core.held.reset();
    core.rejected_at = RunMoment(core.clock);
    core.why = "the provider rejected the token, and another has not come yet";
    core.changed();
    const Instant due = core.replacement_due(now);
    core.next_try = std::max(due, core.not_before);  // the provider works again, so the token service may be back too
    const auto pause = std::max(Duration(0), Core::length(now, core.next_try));
    core.log.warn("token.rejected",
                  "the provider rejected the token {durationMs} after it was obtained; asking for "
                  "another at {nextAt}",
                  {{"durationMs", age}, {"nextAt", core.clock.wall() + pause}});
    core.wake->notify();
}

void TokenKeeper::reload(const ProviderOptions& options) {
    auto& core = *core_;
    if (core.app_secret == options.app_secret) return;
    core.app_secret = options.app_secret;
    core.unproved = true;
    core.next_try = std::max(core.clock.now(), core.not_before);
    core.reachability.ask_anew();
    core.wake->notify();
}

bool TokenKeeper::rejected(const Secret& access) const {
    return core_->has_refused(access);
}

std::optional<std::string> TokenKeeper::trouble() const {
    if (core_->valid(core_->clock.now())) return std::nullopt;
    return core_->why;
}

bool TokenKeeper::had_token() const noexcept {
    return core_->had_token;
}

const Reachability& TokenKeeper::reachability() const noexcept {
    return core_->reachability;
}

void TokenKeeper::sale_refused() {
    core_->reachability.sale_refused();
}

std::optional<WallTime> TokenKeeper::expires_at() const {
    if (!core_->valid(core_->clock.now())) return std::nullopt;
    return core_->held->expires_at();
}

std::optional<WallTime> TokenKeeper::ended_at() const {
    if (core_->valid(core_->clock.now())) return std::nullopt;
    if (core_->held) return core_->held->expires_at();
    return core_->rejected_at ? std::optional(core_->rejected_at->wall()) : std::nullopt;
}

}  // namespace gateway
