#include "probe/wire.hpp"

#include "base/json_text.hpp"
#include "families/request_body.hpp"
#include "probe/reply_words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::probe {
namespace {

namespace json = boost::json;

// A request is sent so often to a provider that takes no more. With the waits between them that is more than a minute,
// the longest time that limits are commonly counted over.
constexpr int most_throttled = 8;
constexpr Duration throttled_first{1'000};
constexpr Duration throttled_last{16'000};
// A service that says when to come back is heeded, within reason.
constexpr Duration throttled_most{60'000};
// After so many exchanges in a row without an answer it is no chance any more.
constexpr int most_silent = 5;
// A wait notices so soon that the probe was stopped.
constexpr Duration notices_stop_within{500};

boost::asio::awaitable<bool> slept(Clock& clock, Duration length) {
    co_await clock.sleep_for(length);
    co_return true;
}

std::string label_of(Family family, std::string_view what) {
    return std::string(to_string(family)).append(" ").append(what);
}

}  // namespace

Wire::Wire(BenchOptions options, WireParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      credentials_{Secret(options_.provider.app_key), options_.provider.app_secret},
      next_(clock().now()) {
    transcript().mask().learn(options_.provider.app_secret.reveal());
    transcript().mask().hide_field(options_.provider.callback_field);
    make_keeper();
}

void Wire::make_keeper() {
    keepers_.push_back(std::make_unique<TokenKeeper>(parts_.executor, options_.provider, parts_.tokens, clock(),
                                                     random(), parts_.log, std::nullopt, nullptr));
    main_ = &provider_for(health_path_, options_.provider.callback_field);
}

Provider& Wire::provider_for(const std::string& health_path, const std::string& callback_field) {
    auto& keeper = *keepers_.back();
    auto& provider = providers_[{&keeper, health_path, callback_field}];
    if (!provider) {
        auto options = options_.provider;
        options.health_cancel_path = health_path;
        options.callback_field = callback_field;
        provider = std::make_unique<Provider>(parts_.executor, std::move(options), parts_.provider, keeper, clock(),
                                              parts_.log);
    }
    return *provider;
}

void Wire::use_separator(std::string_view separator) {
    if (options_.provider.credential_separator == separator) return;
    options_.provider.credential_separator = separator;
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
    if (const auto& fault = transcript().fault(); !fault.empty())
        stop("não se pode escrever na pasta do ensaio: " + fault);
}

// --- waiting and sending -------------------------------------------------------------------------------------------

void Wire::sleep_for(Duration length) {
    wait_for(slept(clock(), length));
}

void Wire::pause(Duration length) {
    const auto end = clock().now() + length;
    while (!stopped() && clock().now() < end)
        sleep_for(std::min(std::chrono::ceil<Duration>(end - clock().now()), notices_stop_within));
}

Reply Wire::repeated(const std::function<Reply()>& once, Need need) {
    auto wait = throttled_first;
    Reply reply = Reply::unsent(errc::shutting_down);
    for (int tries = 0; tries < most_throttled; ++tries) {
        if (stopped() && need == Need::trial) return Reply::unsent(errc::shutting_down);
        if (clock().now() < next_) sleep_for(std::chrono::ceil<Duration>(next_ - clock().now()));
        next_ = clock().now() + pace_;
        reply = once();
        if (need == Need::trial) look_at_faults();
        silent_ = is_answered(reply) ? 0 : silent_ + 1;
        if (silent_ >= most_silent) stop("o provedor não responde: " + in_portuguese(reply));
        if (!is_answered(reply) || reply.status != 429) return reply;
        const Duration asked = reply.retry_after ? Duration(*reply.retry_after) : wait;
        if (need == Need::trial)
            pause(std::min(asked, throttled_most));
        else
            sleep_for(std::min(asked, throttled_last));
        wait = std::min(wait * 2, throttled_last);
    }
    return reply;
}

Reply Wire::exchange(const http::ClientRequest& request, Need need) {
    return repeated(
        [&] {
            const auto deadline = clock().now() + options_.provider.request_timeout;
            return wait_for(http::exchange(parts_.provider, request, deadline));
        },
        need);
}

// Sends it as production does: with a token and a connection that are reserved before, and a second time where the
// connection turned out to be closed, or the token to be no good.
Reply Wire::step_once(Step step, const Deal& deal, Provider& through) {
    bool renewed = false;
    while (true) {
        const auto deadline = clock().now() + through.request_timeout();
        auto access = wait_for(through.reserve(deadline));
        if (!access) return Reply::unsent(access.error());
        auto reply = wait_for(through.send(std::move(*access), step, deal.sale, deal.attempt(), deadline));
        if (reply.failure == errc::stale_connection) continue;
        const bool refused = is_answered(reply) && reply.status == 401;
        if (!refused || std::exchange(renewed, true)) return reply;
    }
}

Reply Wire::step(Step step, const Deal& deal, Provider& through, Need need, const Alteration& alter) {
    // An idExterno that is none of the gateway's own cannot be in its attempt.
    if (alter || deal.id != deal.attempt().id_externo.text()) return altered(step, deal, through, alter, need);
    return repeated([&, step] { return step_once(step, deal, through); }, need);
}

Reply Wire::altered(Step step, const Deal& deal, const Provider& through, const Alteration& alter, Need need) {
    auto text = request_body(step, deal.sale, deal.attempt(), options_.provider.callback_url.text,
                             options_.provider.callback_field);
    boost::system::error_code malformed;
    auto body = json::parse(text, malformed);
    if (malformed || !body.is_object()) return Reply::unsent(errc::malformed);
    auto& object = body.get_object();
    if (object.contains("idExterno")) object["idExterno"] = deal.id;
    if (alter) alter(object);
    text.clear();
    append_json(text, body);
    const auto path = through.path_of(step, deal.sale.family, deal.sale.segment);
    if (path.empty()) return Reply::unsent(errc::not_found);
    return post(options_.provider.base_url.path + path, label_of(deal.sale.family, to_string(step)), std::move(text),
                true, need);
}

Reply Wire::post(std::string target, std::string label, std::string body, bool has_token, Need need) {
    http::ClientRequest request;
    request.post = true;
    request.target = std::move(target);
    request.label = std::move(label);
    request.content_type = "application/json";
    request.body = Secret(std::move(body));
    return has_token ? with_token(std::move(request), need) : exchange(request, need);
}

Reply Wire::with_token(http::ClientRequest request, Need need) {
    Reply reply;
    for (const bool last : {false, true}) {
        const auto token = wait_for(keepers_.back()->get(clock().now() + options_.provider.request_timeout));
        if (!token) return Reply::unsent(token.error());
        request.authorization = Secret("Bearer " + token->reveal());
        reply = exchange(request, need);
        if (last || !is_answered(reply) || reply.status != 401) break;
        keepers_.back()->reject(*token);
    }
    return reply;
}

void Wire::note_reply(std::string_view label, const Reply& reply, std::string_view id, std::string_view verdict) {
    if (label != "token") asked_ = true;
    if (!is_answered(reply)) {
        parts_.log.warn("probe.no_answer", "no answer to {call}: {detail}",
                        {{"call", label}, {"idExterno", id}, {"detail", reply.failure.message()}});
        return;
    }
    if (reply.status < 500 && label != "token") answered_ = true;
    const auto word = status_word(reply);
    parts_.log.debug("probe.answered", "{call} was answered {httpStatus}[: {known}]",
                     {{"call", label},
                      {"idExterno", id},
                      {"httpStatus", reply.status},
                      {"known", verdict},
                      {"status", parse_status(word) ? word : std::string()}});
}

// --- everything else -----------------------------------------------------------------------------------------------

Reply Wire::query_once(const OptionsQuestion& question) {
    if (stopped()) return Reply::unsent(errc::shutting_down);
    auto reply = wait_for(main_->query(question, clock().now() + main_->request_timeout()));
    look_at_faults();
    return reply;
}

Reply Wire::query(const OptionsQuestion& question) {
    const auto once = [&] { return wait_for(main_->query(question, clock().now() + main_->request_timeout())); };
    auto reply = repeated(once, Need::trial);
    note_reply(label_of(question.family, "query"), reply);
    return reply;
}

Reply Wire::query_with(const OptionsQuestion& question, const Secret& access_token) {
    http::ClientRequest request;
    request.target = options_.provider.base_url.path + rules_of(question.family).query_path(question);
    request.label = label_of(question.family, "query");
    request.authorization = Secret("Bearer " + access_token.reveal());
    auto reply = exchange(request, Need::trial);
    note_reply(request.label, reply);
    return reply;
}

Reply Wire::get(std::string target) {
    http::ClientRequest request;
    request.target = options_.provider.base_url.path + target;
    request.label = "consultar";
    auto reply = with_token(request, Need::trial);
    note_reply(request.label, reply);
    return reply;
}

Reply Wire::ask_token(Secret form, Secret authorization) {
    http::ClientRequest request;
    request.post = true;
    request.target = options_.provider.token_path();
    request.label = "token";
    request.content_type = "application/x-www-form-urlencoded";
    request.authorization = std::move(authorization);
    request.body = std::move(form);
    const auto once = [&] {
        return wait_for(http::exchange(parts_.tokens, request, clock().now() + options_.provider.request_timeout));
    };
    auto reply = repeated(once, Need::trial);
    note_reply(request.label, reply);
    return reply;
}

}  // namespace gateway::probe
