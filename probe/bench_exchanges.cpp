// Sends what a bench asks, and waits for the answer.
#include "base/json_text.hpp"
#include "probe/bench.hpp"
#include "probe/reply_words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::probe {
namespace {

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

std::string query_label(Family family) {
    return std::string(to_string(family)) + " query";
}

}  // namespace

Bench::Bench(ProviderOptions options, Duration late_arrival, BenchParts parts)
    : options_(std::move(options)),
      late_arrival_(late_arrival),
      parts_(std::move(parts)),
      credentials_{Secret(options_.app_key), options_.app_secret},
      next_(clock().now()) {
    parts_.transcript.mask().learn(options_.app_secret.reveal());
    parts_.transcript.mask().hide_field(options_.callback_field);
    make_keeper();
}

void Bench::make_keeper() {
    keepers_.push_back(std::make_unique<TokenKeeper>(parts_.executor, options_, parts_.tokens, clock(), parts_.random,
                                                     parts_.log, std::nullopt, nullptr));
    main_ = &make_provider(health_path_, options_.callback_field);
}

Provider& Bench::make_provider(const std::string& health_path, const std::string& callback_field) {
    auto options = options_;
    options.health_cancel_path = health_path;
    options.callback_field = callback_field;
    return *providers_.emplace_back(std::make_unique<Provider>(parts_.executor, std::move(options), parts_.provider,
                                                               *keepers_.back(), clock(), parts_.log));
}

void Bench::use_separator(std::string_view separator) {
    if (options_.credential_separator == separator) return;
    options_.credential_separator = separator;
    make_keeper();
}

void Bench::use_health_path(const std::string& path) {
    health_path_ = path;
    main_ = &make_provider(path, options_.callback_field);
}

bool Bench::can_cancel_by(const std::string& health_path) {
    return make_provider(health_path, options_.callback_field).can_cancel(Family::health);
}

void Bench::stop(std::string why) {
    if (stopped_.empty()) stopped_ = std::move(why);
}

void Bench::stop_by_fault(const std::string& fault) {
    if (!fault.empty()) stop("não se pode escrever na pasta do ensaio: " + fault);
}

void Bench::sleep_for(Duration length) {
    wait_for(slept(clock(), length));
}

void Bench::pause(Duration length) {
    const auto end = clock().now() + length;
    while (!stopped() && clock().now() < end)
        sleep_for(std::min(std::chrono::ceil<Duration>(end - clock().now()), notices_stop_within));
}

Reply Bench::repeated(const std::function<Reply()>& once, Need need) {
    auto wait = throttled_first;
    Reply reply = Reply::unsent(errc::shutting_down);
    for (int tries = 0; tries < most_throttled; ++tries) {
        if (stopped() && need == Need::trial) return Reply::unsent(errc::shutting_down);
        if (clock().now() < next_) sleep_for(std::chrono::ceil<Duration>(next_ - clock().now()));
        next_ = clock().now() + pace_;
        reply = once();
        if (need == Need::trial) stop_by_fault(parts_.transcript.fault());
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

// Sends it as production does: with a token and a connection that are reserved before, and a second time where the
// connection turned out to be closed, or the token to be no good.
Reply Bench::send_once(Step step, const Deal& deal, Provider& through) {
    bool renewed = false;
    while (true) {
        const auto until = deadline();
        auto access = wait_for(through.reserve(until));
        if (!access) return Reply::unsent(access.error());
        auto reply = wait_for(through.send(std::move(*access), step, deal.sale, deal.attempt(), until));
        if (reply.failure == errc::stale_connection) continue;
        const bool refused = is_answered(reply) && reply.status == 401;
        if (!refused || std::exchange(renewed, true)) return reply;
    }
}

Reply Bench::send(Step step, const Deal& deal, Provider& through, Need need, const Alteration& alter) {
    // An idExterno that is none of the gateway's own cannot be in its attempt.
    const bool is_own = deal.id == deal.attempt().id_externo.text();
    const auto change = [&](http::ClientRequest& request) {
        auto body = object_of(request.body.reveal());
        if (body.contains("idExterno")) body["idExterno"] = deal.id;
        if (alter) alter(body);
        std::string text;
        append_json(text, body);
        request.body = Secret(std::move(text));
    };
    if (alter || !is_own) parts_.provider.alter(change);
    auto reply = repeated([&] { return send_once(step, deal, through); }, need);
    parts_.provider.alter(nullptr);
    return reply;
}

void Bench::note_reply(std::string_view label, const Reply& reply, std::string_view id, std::string_view verdict) {
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

Reply Bench::query_once(const OptionsQuestion& question) {
    if (stopped()) return Reply::unsent(errc::shutting_down);
    auto reply = wait_for(main_->query(question, deadline()));
    stop_by_fault(parts_.transcript.fault());
    return reply;
}

Reply Bench::query(const OptionsQuestion& question) {
    auto reply = repeated([&] { return wait_for(main_->query(question, deadline())); }, Need::trial);
    note_reply(query_label(question.family), reply);
    return reply;
}

Reply Bench::query_with(const OptionsQuestion& question, const Secret& access_token) {
    http::ClientRequest request;
    request.target = options_.base_url.path + rules_of(question.family).query_path(question);
    request.label = query_label(question.family);
    request.authorization = Secret("Bearer " + access_token.reveal());
    auto reply = exchange(parts_.provider, request);
    note_reply(request.label, reply);
    return reply;
}

Reply Bench::get(const std::string& target) {
    constexpr auto label = "consultar";
    parts_.provider.alter([](http::ClientRequest& request) { request.label = label; });
    auto reply = repeated([&] { return wait_for(main_->get(target, {}, {}, deadline())); }, Need::trial);
    parts_.provider.alter(nullptr);
    note_reply(label, reply);
    return reply;
}

Reply Bench::ask_token(Secret form, Secret authorization) {
    http::ClientRequest request;
    request.post = true;
    request.target = options_.token_path();
    request.label = "token";
    request.content_type = "application/x-www-form-urlencoded";
    request.authorization = std::move(authorization);
    request.body = std::move(form);
    auto reply = exchange(parts_.tokens, request);
    note_reply(request.label, reply);
    return reply;
}

Reply Bench::exchange(http::Client& client, http::ClientRequest request) {
    return repeated([&] { return wait_for(http::exchange(client, request, deadline())); }, Need::trial);
}

}  // namespace gateway::probe
