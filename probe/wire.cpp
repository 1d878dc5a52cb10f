#include "probe/wire.hpp"

#include "base/json_text.hpp"
#include "families/request_body.hpp"
#include "probe/reply_words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::probe {
namespace {

namespace json = boost::json;
using boost::asio::awaitable;

// How often a request is sent again to a provider that takes no more: with the waits between them more than a minute,
// the longest that limits are commonly counted over.
constexpr int most_throttled = 8;
constexpr Duration throttled_first{1'000};
constexpr Duration throttled_last{16'000};
// A service that says when to come back is heeded, within reason.
constexpr Duration throttled_most{60'000};
// After so many exchanges in a row without an answer it is no chance any more.
constexpr int most_silent = 5;
// How soon a wait notices that the probe was stopped.
constexpr Duration look_every{500};

bool is_unprocessed(const Reply& reply) {
    return reply.kind == Reply::Kind::answered && reply.status == 429;
}

}  // namespace

Wire::Wire(boost::asio::any_io_executor executor, BenchOptions options, http::Client& provider, http::Client& tokens,
           Transcript& transcript, Clock& clock, Random& random, Log& log)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      provider_client_(provider),
      token_client_(tokens),
      transcript_(transcript),
      clock_(clock),
      random_(random),
      log_(log),
      credentials_{Secret(options_.tokens.app_key), options_.tokens.app_secret},
      next_(clock.now()) {
    transcript_.mask().learn(options_.tokens.app_secret.reveal());
    transcript_.mask().hide_field(options_.provider.callback_field);
    make_keeper();
}

void Wire::make_keeper() {
    keepers_.push_back(std::make_unique<TokenKeeper>(executor_, options_.tokens, token_client_, clock_, random_, log_,
                                                     std::nullopt, nullptr));
    for (auto& [name, provider] : providers_)
        old_providers_.push_back(std::move(provider));
    providers_.clear();
    main_ = &provider_for(health_path_, options_.provider.callback_field);
}

Provider& Wire::provider_for(const std::string& health_path, const std::string& callback_field) {
    auto& provider = providers_[{health_path, callback_field}];
    if (!provider) {
        auto options = options_.provider;
        options.health_cancel_path = health_path;
        options.callback_field = callback_field;
        provider =
            std::make_unique<Provider>(executor_, std::move(options), provider_client_, *keepers_.back(), clock_, log_);
    }
    return *provider;
}

void Wire::use_separator(const std::string& separator) {
    if (options_.tokens.credential_separator == separator) return;
    options_.tokens.credential_separator = separator;
    make_keeper();
}

void Wire::use_health_path(const std::string& path) {
    health_path_ = path;
    main_ = &provider_for(path, options_.provider.callback_field);
}

bool Wire::can_cancel_by(const std::string& health_path) {
    return provider_for(health_path, options_.provider.callback_field).can_cancel(Family::health);
}

void Wire::stop(std::string why) {
    if (stopped_.empty()) stopped_ = std::move(why);
}

void Wire::look_at_faults() {
    if (const auto& fault = transcript_.fault(); !fault.empty())
        stop("não se pode escrever na pasta do ensaio: " + fault);
}

// --- waiting and sending -------------------------------------------------------------------------------------------

awaitable<void> Wire::pause(Duration length) {
    const auto end = clock_.now() + length;
    while (!stopped() && clock_.now() < end)
        co_await clock_.sleep_until(std::min(end, clock_.now() + look_every));
}

awaitable<void> Wire::wait_for_pace() {
    if (clock_.now() < next_) co_await clock_.sleep_until(next_);
    next_ = clock_.now() + pace_;
}

awaitable<Reply> Wire::repeated(std::function<awaitable<Reply>()> once, Need need) {
    auto wait = throttled_first;
    Reply reply = Reply::unsent(errc::shutting_down);
    for (int tries = 0; tries < most_throttled; ++tries) {
        if (stopped() && need == Need::trial) co_return Reply::unsent(errc::shutting_down);
        co_await wait_for_pace();
        auto sending = once();
        reply = co_await std::move(sending);
        if (need == Need::trial) look_at_faults();
        silent_ = reply.kind == Reply::Kind::answered ? 0 : silent_ + 1;
        if (silent_ >= most_silent) stop("o provedor não responde: " + in_portuguese(reply));
        if (!is_unprocessed(reply)) co_return reply;
        const Duration asked = reply.retry_after ? Duration(*reply.retry_after) : wait;
        if (need == Need::trial)
            co_await pause(std::min(asked, throttled_most));
        else
            co_await clock_.sleep_for(std::min(asked, throttled_last));
        wait = std::min(wait * 2, throttled_last);
    }
    co_return reply;
}

// As production does it: with a token and a connection that are reserved before, and a second time where the connection
// turned out to be closed, or the token to be no good.
awaitable<Reply> Wire::step_once(Step step, const Deal& deal, Provider& through) {
    bool renewed = false;
    while (true) {
        const auto deadline = clock_.now() + through.request_timeout();
        auto access = co_await through.reserve(deadline);
        if (!access) co_return Reply::unsent(access.error());
        auto sending = through.send(std::move(*access), step, deal.sale, deal.attempt(), deadline);
        auto reply = co_await std::move(sending);
        if (reply.failure == errc::stale_connection) continue;
        const bool refused = reply.kind == Reply::Kind::answered && reply.status == 401;
        if (!refused || std::exchange(renewed, true)) co_return reply;
    }
}

awaitable<Reply> Wire::step(Step step, const Deal& deal, Provider& through, Need need) {
    // An idExterno that is none of the gateway's own cannot be in its attempt.
    if (deal.id != deal.attempt().id_externo.text()) {
        auto sending = altered(step, deal, through, nullptr, need);
        co_return co_await std::move(sending);
    }
    auto sending = repeated([&, step] { return step_once(step, deal, through); }, need);
    co_return co_await std::move(sending);
}

awaitable<Reply> Wire::altered(Step step, const Deal& deal, const Provider& through, Alteration alter, Need need) {
    auto text =
        request_body(step, deal.sale, deal.attempt(), options_.provider.callback_url, options_.provider.callback_field);
    boost::system::error_code malformed;
    auto body = json::parse(text, malformed);
    if (malformed || !body.is_object()) co_return Reply::unsent(errc::malformed);
    auto& object = body.get_object();
    if (object.contains("idExterno")) object["idExterno"] = deal.id;
    if (alter) alter(object);
    text.clear();
    append_json(text, body);
    const auto path = through.path_of(step, deal.sale.family, deal.sale.segment);
    if (path.empty()) co_return Reply::unsent(errc::not_found);
    auto sending =
        post(options_.provider.base_path + path,
             std::string(to_string(deal.sale.family)).append(" ").append(to_string(step)), std::move(text), true, need);
    co_return co_await std::move(sending);
}

awaitable<Reply> Wire::post(std::string target, std::string label, std::string body, bool has_token, Need need) {
    http::ClientRequest request;
    request.post = true;
    request.target = std::move(target);
    request.label = std::move(label);
    request.content_type = "application/json";
    request.body = Secret(std::move(body));
    if (has_token) {
        auto sending = with_token(std::move(request), need);
        co_return co_await std::move(sending);
    }
    auto sending = repeated(
        [&] { return http::exchange(provider_client_, request, clock_.now() + options_.provider.request_timeout); },
        need);
    co_return co_await std::move(sending);
}

awaitable<Reply> Wire::with_token(http::ClientRequest request, Need need) {
    Reply reply;
    for (const bool last : {false, true}) {
        auto token = co_await keepers_.back()->get(clock_.now() + options_.tokens.request_timeout);
        if (!token) co_return Reply::unsent(token.error());
        request.authorization = Secret("Bearer " + token->reveal());
        auto sending = repeated(
            [&] { return http::exchange(provider_client_, request, clock_.now() + options_.provider.request_timeout); },
            need);
        reply = co_await std::move(sending);
        if (last || reply.kind != Reply::Kind::answered || reply.status != 401) break;
        keepers_.back()->reject(*token);
    }
    co_return reply;
}

void Wire::note_reply(std::string_view label, std::string_view id, const Reply& reply, std::string_view verdict) {
    if (label != "token") asked_ = true;
    if (reply.kind != Reply::Kind::answered) {
        log_.warn("probe.no_answer", "no answer to {call}: {detail}",
                  {{"call", label}, {"idExterno", id}, {"detail", reply.failure.message()}});
        return;
    }
    if (reply.status < 500 && label != "token") answered_ = true;
    log_.debug("probe.answered", "{call} was answered {httpStatus}[: {known}]",
               {{"call", label},
                {"idExterno", id},
                {"httpStatus", reply.status},
                {"known", verdict},
                {"status", parse_status(status_word(reply)) ? status_word(reply) : std::string()}});
}

// --- everything else -----------------------------------------------------------------------------------------------

awaitable<Reply> Wire::query(const OptionsQuestion& question) {
    auto sending =
        repeated([&] { return main_->query(question, clock_.now() + main_->request_timeout()); }, Need::trial);
    auto reply = co_await std::move(sending);
    note_reply(std::string(to_string(question.family)) + " query", "", reply, "");
    co_return reply;
}

awaitable<Reply> Wire::query_once(const OptionsQuestion& question) {
    if (stopped()) co_return Reply::unsent(errc::shutting_down);
    auto sending = main_->query(question, clock_.now() + main_->request_timeout());
    auto reply = co_await std::move(sending);
    look_at_faults();
    co_return reply;
}

awaitable<Reply> Wire::query_with(const OptionsQuestion& question, const Secret& access_token) {
    http::ClientRequest request;
    request.target = options_.provider.base_path + rules_of(question.family).query_path(question);
    request.label = std::string(to_string(question.family)) + " query";
    request.authorization = Secret("Bearer " + access_token.reveal());
    auto sending = repeated(
        [&] { return http::exchange(provider_client_, request, clock_.now() + options_.provider.request_timeout); },
        Need::trial);
    auto reply = co_await std::move(sending);
    note_reply(request.label, "", reply, "");
    co_return reply;
}

awaitable<Reply> Wire::get(std::string target) {
    http::ClientRequest request;
    request.target = options_.provider.base_path + target;
    request.label = "consultar";
    auto sending = with_token(std::move(request), Need::trial);
    auto reply = co_await std::move(sending);
    note_reply("consultar", "", reply, "");
    co_return reply;
}

awaitable<Reply> Wire::ask_token(Secret form, Secret authorization) {
    http::ClientRequest request;
    request.post = true;
    request.target = options_.tokens.token_path;
    request.label = "token";
    request.content_type = "application/x-www-form-urlencoded";
    request.authorization = std::move(authorization);
    request.body = std::move(form);
    auto sending =
        repeated([&] { return http::exchange(token_client_, request, clock_.now() + options_.tokens.request_timeout); },
                 Need::trial);
    auto reply = co_await std::move(sending);
    note_reply("token", "", reply, "");
    co_return reply;
}

}  // namespace gateway::probe
