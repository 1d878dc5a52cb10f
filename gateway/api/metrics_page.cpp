#include "api/metrics_page.hpp"

#include "api/openapi/shared.hpp"

#include <map>
#include <string_view>

namespace gateway {
namespace {

void expose_sales(Exposition& out, const Metrics& metrics) {
    out.metric("gateway_sales_begun_total", "counter", "Sales begun.");
    for (const auto family : all_families)
        out.sample(static_cast<double>(metrics.begun.at(static_cast<std::size_t>(family))),
                   {{"family", to_string(family)}});
    out.metric("gateway_sales_final_total", "counter", "Sales that became final.");
    for (const auto family : all_families)
        for (const auto state : {Status::EFETIVADA, Status::CANCELADA, Status::NEGADA})
            out.sample(static_cast<double>(
                           metrics.final.at(static_cast<std::size_t>(family)).at(static_cast<std::size_t>(state))),
                       {{"family", to_string(family)}, {"status", to_string(state)}});
    out.metric("gateway_sale_duration_seconds", "histogram", "From a sell to its final status.");
    for (const auto family : all_families)
        out.samples(metrics.sale_time.at(static_cast<std::size_t>(family)), {{"family", to_string(family)}});
    const auto count = [&](std::string_view metric, std::string_view help, std::uint64_t value) {
        out.metric(metric, "counter", help);
        out.sample(static_cast<double>(value));
    };
    count("gateway_sale_replays_total", "Sells that a known key answered.", metrics.replays);
    count("gateway_sale_attempts_again_total", "Further attempts of a sale, with a new idExterno.",
          metrics.attempts_again);
}

void expose_attention(Exposition& out, const AttentionList& list, const Metrics& metrics) {
    const auto by_mark = [&](const auto& counts) {
        for (const auto mark : all_attentions)
            if (mark != Attention::none)
                out.sample(static_cast<double>(counts.at(static_cast<std::size_t>(mark))),
                           {{"attention", to_string(mark)}});
    };
    out.metric("gateway_sales_attention", "gauge", "Sales that a person has to look at, settled ones too.");
    by_mark(list.by_mark());
    out.metric("gateway_sale_attention_total", "counter", "How often a sale came to need a person while this ran.");
    by_mark(metrics.attention_raised);
}

void expose_exchanges(Exposition& out, const Metrics& metrics) {
    out.metric("gateway_provider_answers_total", "counter",
               "Exchanges with the provider, by what they were taken to mean.");
    for (const auto family : all_families)
        for (const auto step : all_steps)
            for (std::size_t known = 0; known < Metrics::known_count; ++known) {
                const auto value =
                    metrics.answers.at(static_cast<std::size_t>(family)).at(static_cast<std::size_t>(step)).at(known);
                // A verdict that a rule counts is shown before it first happens, so that no rule misses its first time.
                if (value == 0 && static_cast<Verdict>(known) != Verdict::unknown) continue;
                out.sample(static_cast<double>(value), {{"family", to_string(family)},
                                                        {"step", to_string(step)},
                                                        {"known", to_string(static_cast<Verdict>(known))}});
            }
    out.metric("gateway_provider_exchange_seconds", "histogram", "How long the provider took, by family and step.");
    for (const auto family : all_families)
        for (const auto step : all_steps) {
            const auto& times =
                metrics.exchange_time.at(static_cast<std::size_t>(family)).at(static_cast<std::size_t>(step));
            if (times.count() > 0) out.samples(times, {{"family", to_string(family)}, {"step", to_string(step)}});
        }
}

void expose_journal(Exposition& out, const Metrics& metrics, const Journal& journal) {
    const auto stats = journal.stats();
    out.metric("gateway_journal_commits_total", "counter", "Commits, each one flush of the disk, or of the database.");
    out.sample(static_cast<double>(stats.commits));
    out.metric("gateway_journal_steps_total", "counter", "Steps made durable; many share a commit.");
    out.sample(static_cast<double>(stats.steps));
    out.metric("gateway_journal_failures_total", "counter", "Commits that failed.");
    out.sample(static_cast<double>(stats.failures));
    out.metric("gateway_journal_waits_total", "counter", "Times it waited for another program that had it locked.");
    out.sample(static_cast<double>(stats.waits));
    out.metric("gateway_journal_step_seconds", "histogram", "From handing a step over until it is durable.");
    out.samples(metrics.durable_time);
    if (stats.flush_times) {
        out.metric("gateway_journal_flush_seconds", "histogram", "How long the journal's disk took to flush.");
        out.samples(*stats.flush_times);
    }
    out.metric("gateway_journal_unreadable_total", "counter",
               "Values, and rows of sales, that were met and cannot be read.");
    out.sample(static_cast<double>(stats.unreadable));
    out.metric("gateway_journal_writable", "gauge", "Whether the last commit succeeded.");
    out.sample(journal.healthy() ? 1 : 0);
    out.metric("gateway_journal_damaged", "gauge", "Whether a damaged page was met since the start.");
    out.sample(stats.damaged ? 1 : 0);
}

void expose_host(Exposition& out, const HostCheck& host) {
    const auto gauge = [&](std::string_view name, std::string_view help, const std::optional<double>& value) {
        if (!value) return;
        out.metric(name, "gauge", help);
        out.sample(*value);
    };
    const auto seconds = [](const std::optional<Duration>& length) -> std::optional<double> {
        if (!length) return std::nullopt;
        return static_cast<double>(length->count()) / 1000;
    };
    gauge("gateway_clock_ahead_of_provider_seconds",
          "How far this machine's clock is ahead of the provider's, below zero how far behind; to the second.",
          seconds(host.ahead_of_provider()));
    gauge("gateway_clock_behind_journal_seconds",
          "How far this machine's clock is behind the journal's newest record; 0 where it is not.",
          seconds(host.behind_journal()));
    const auto room = host.disk();
    if (!room) return;
    gauge("gateway_journal_disk_free_bytes", "Room that is left on the journal's disk.",
          static_cast<double>(room->free_bytes));
    gauge("gateway_journal_disk_needed_bytes", "What an hour of sales may take of the journal's disk.",
          static_cast<double>(room->needed_bytes));
    if (room->free_inodes)
        gauge("gateway_journal_disk_free_inodes", "How many more files the journal's disk can have.",
              static_cast<double>(*room->free_inodes));
}

void expose_open(Exposition& out, const Seller& seller, WallTime now) {
    std::map<std::string_view, std::size_t> states;
    Duration oldest{0};
    for (const auto& [id, live] : seller.live()) {
        const auto& sale = live->sale();
        ++states[to_string(sale.current().state)];
        if (!sale.settled) oldest = std::max(oldest, now - sale.created_at);
    }
    out.metric("gateway_sales_open", "gauge", "Sales that are not settled, by the state of their latest attempt.");
    for (const auto& [state, count] : states)
        out.sample(static_cast<double>(count), {{"state", state}});
    out.metric("gateway_oldest_unsettled_seconds", "gauge", "Age of the oldest sale that is not settled.");
    out.sample(static_cast<double>(oldest.count()) / 1000);
}

void expose_token(Exposition& out, const TokenKeeper& tokens, WallTime now) {
    const auto expires_at = tokens.expires_at();
    out.metric("gateway_token_valid", "gauge", "Whether there is an access token.");
    out.sample(tokens.trouble() ? 0 : 1);
    out.metric("gateway_token_expires_in_seconds", "gauge", "How long the access token lasts.");
    out.sample(expires_at ? static_cast<double>((*expires_at - now).count()) / 1000 : 0);
}

void expose_health(Exposition& out, const Health& health) {
    out.metric("gateway_ready", "gauge", "Whether this gateway itself can take sales, as /readyz says.");
    out.sample(health.hindrances().empty() ? 1 : 0);
    // What is not known has no sample, because neither 0 nor 1 would be true.
    out.metric("gateway_provider_up", "gauge", "Whether the provider can be reached, as the last exchanges showed.");
    if (health.provider().reached() || health.provider().outage()) out.sample(health.provider().outage() ? 0 : 1);
    out.metric("gateway_token_service_up", "gauge",
               "Whether the token service gives tokens for the app-secret that was read last.");
    if (health.token_service().asked()) out.sample(health.token_service().outage() ? 0 : 1);
}

}  // namespace

MetricsPage::MetricsPage(const Seller& seller, const Journal& journal, const TokenKeeper& tokens, Health& health,
                         AttentionList& attention, const Metrics& metrics, Others others, const Clock& clock)
    : seller_(seller),
      journal_(journal),
      tokens_(tokens),
      health_(health),
      attention_(attention),
      metrics_(metrics),
      others_(std::move(others)),
      clock_(clock) {}

boost::asio::awaitable<http::Response> MetricsPage::page(http::Request&) {
    co_await health_.look();              // a night without a sale brings no news of the provider by itself
    (void)co_await attention_.keep_up();  // where the journal fails, the page has what is known so far
    co_return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = text()};
}

std::string MetricsPage::text() const {
    Exposition out;
    expose_health(out, health_);
    expose_sales(out, metrics_);
    expose_exchanges(out, metrics_);
    expose_journal(out, metrics_, journal_);
    expose_open(out, seller_, clock_.wall());
    expose_attention(out, attention_, metrics_);
    expose_token(out, tokens_, clock_.wall());
    expose_host(out, health_.host());
    others_(out);
    return out.take();
}

namespace openapi {
Description get_metrics() {
    return {
        .id = "getMetrics",
        .summary = "Numbers, in the Prometheus text format",
        .tag = "Monitoring",
        .text =
            "Each has its own HELP line. None holds a customer's data. Where no sale has shown it lately whether the "
            "provider can be reached, the gateway looks first, which takes a second at most.",
        .answers = {
            {.description = "The numbers.",
             .contents = {{.media = "text/plain; version=0.0.4; charset=utf-8",
                           .type = some_text,
                           .examples = {{"text",
                                         "# HELP gateway_sale_replays_total Sells that a known key answered.\n# TYPE "
                                         "gateway_sale_replays_total counter\ngateway_sale_replays_total 3\n"}}}}}}};
}

}  // namespace openapi

}  // namespace gateway
