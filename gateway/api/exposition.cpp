#include "api/exposition.hpp"

#include <fmt/format.h>

#include <iterator>

namespace gateway {
namespace {

// Escapes the value of a label, which may be an operator's text.
void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        out += c;
    }
}

}  // namespace

void Exposition::metric(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void Exposition::sample(double value, Labels labels) {
    line("", value, labels);
}

void Exposition::sample(WallTime moment, Labels labels) {
    sample(std::chrono::duration<double>(moment.time_since_epoch()).count(), labels);
}

void Exposition::samples(const Histogram& histogram, Labels labels) {
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i)
        line("_bucket", static_cast<double>(histogram.counts().at(i)), labels,
             fmt::format("{}", histogram.bounds().at(i)));
    line("_bucket", static_cast<double>(histogram.count()), labels, "+Inf");
    line("_sum", histogram.sum_s(), labels);
    line("_count", static_cast<double>(histogram.count()), labels);
}

void Exposition::line(std::string_view suffix, double value, Labels labels, std::string_view le) {
    text_ += name_;
    text_ += suffix;
    char separator = '{';
    const auto label = [&](std::string_view name, std::string_view text) {
        fmt::format_to(std::back_inserter(text_), "{}{}=\"", separator, name);
        append_escaped(text_, text);
        text_ += '"';
        separator = ',';
    };
    for (const auto& [name, text] : labels)
        label(name, text);
    if (!le.empty()) label("le", le);
    if (separator == ',') text_ += '}';
    fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

void expose_provider_connections(Exposition& out, const http::PoolStats& stats) {
    const auto sample = [&out](std::string_view name, std::string_view type, std::string_view help, auto value) {
        out.metric(name, type, help);
        out.sample(static_cast<double>(value));
    };
    sample("gateway_provider_connections", "gauge", "Connections to the provider.", stats.open);
    sample("gateway_provider_connections_idle", "gauge", "Idle connections to the provider.", stats.idle);
    sample("gateway_provider_connections_opened_total", "counter", "Connections opened.", stats.opened);
    sample("gateway_provider_handshakes_full_total", "counter", "Full TLS handshakes.", stats.handshakes_full);
    sample("gateway_provider_handshakes_resumed_total", "counter", "Resumed TLS handshakes.", stats.handshakes_resumed);
    sample("gateway_provider_exchanges_reused_total", "counter", "Exchanges on a connection used before.",
           stats.reused);
    sample("gateway_provider_circuit_open", "gauge",
           "1 while no sale tries to connect to the provider, because connecting has failed several times in a row; "
           "else 0.",
           stats.circuit == http::Circuit::State::open ? 1 : 0);
    if (!stats.certificate_expires_at) return;
    out.metric("gateway_provider_client_certificate_expires_at_seconds", "gauge",
               "When the certificate that is shown to the provider ends, in seconds since 1970.");
    out.sample(*stats.certificate_expires_at);
}

void expose_closes(Exposition& out, const std::map<std::string, WallTime>& made_at, WallTime now) {
    out.metric("gateway_close_age_seconds", "gauge", "How long ago the close of the newest closed day was made.");
    for (const auto& [estabelecimento, at] : made_at)
        out.sample(static_cast<double>((now - at).count()) / 1000, {{"estabelecimento", estabelecimento}});
}

void expose_statements(Exposition& out, std::uint64_t refused, const std::optional<WallTime>& last_read, WallTime now) {
    out.metric("gateway_statements_refused_total", "counter", "Statements of the provider's that were not taken.");
    out.sample(static_cast<double>(refused));
    if (!last_read) return;
    out.metric("gateway_statement_age_seconds", "gauge", "How long ago a statement of the provider's was read.");
    out.sample(static_cast<double>((now - *last_read).count()) / 1000);
}

}  // namespace gateway
