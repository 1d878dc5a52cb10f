#include "api/host.hpp"

#include "api/json_values.hpp"
#include "api/openapi/shared.hpp"
#include "api/sale_answer.hpp"
#include "base/process.hpp"
#include "base/wall_time.hpp"
#include "journal/sqlite/backup.hpp"

#include <boost/json.hpp>

#include <filesystem>

namespace gateway {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

json::value size_of(const std::string& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? json::value(nullptr) : json::value(size);
}

json::object disk_json(const std::optional<DiskRoom>& room) {
    if (!room) return {{"freeBytes", nullptr}, {"totalBytes", nullptr}};
    return {{"freeBytes", room->free_bytes}, {"totalBytes", room->total_bytes}};
}

json::array certificates_json(const http::ShownCertificates& certificates) {
    json::array all;
    for (const auto& [listener, shown] : certificates)
        all.push_back({{"listener", listener},
                       {"file", shown.file},
                       {"beginsAt", to_rfc3339(shown.validity.begins_at)},
                       {"endsAt", to_rfc3339(shown.validity.ends_at)},
                       {"refused", shown.refused},
                       {"lastRefusedAt", time_or_null(shown.refused_at)},
                       {"lastRefusedBy", text_or_null(shown.refused_by)},
                       {"lastRefusedFor", text_or_null(shown.refused_why)}});
    return all;
}

json::array warnings_json(const std::vector<ConfigProblem>& warnings) {
    json::array all;
    for (const auto& warning : warnings)
        all.push_back({{"key", warning.key},
                       {"line", warning.line > 0 ? json::value(warning.line) : json::value(nullptr)},
                       {"message", warning.message}});
    return all;
}

}  // namespace

HostApi::HostApi(HostOptions options, const http::CertificateWatch& certificates, const ConfigInForce& in_force,
                 const Journal& journal, const TokenKeeper& tokens, const Clock& clock)
    : options_(std::move(options)),
      certificates_(certificates),
      in_force_(in_force),
      journal_(journal),
      tokens_(tokens),
      clock_(clock),
      started_(clock) {}

boost::asio::awaitable<http::Response> HostApi::health(http::Request&) {
    const auto stats = journal_.stats();
    const json::object body{
        {"version", options_.version},
        {"startedAt", to_rfc3339(started_.wall())},
        {"memoryBytes", number_or_null(process_use().resident_bytes)},
        {"certificates", certificates_json(certificates_.shown())},
        {"token", {{"valid", !tokens_.trouble()}, {"expiresAt", time_or_null(tokens_.expires_at())}}},
        {"disk", disk_json(journal_.disk())},
        {"clock", {{"at", to_rfc3339(clock_.wall())}, {"synchronized", number_or_null(clock_is_synchronized())}}},
        {"backup", {{"lastAt", time_or_null(last_backup(options_.journal))}}},
        {"journal",
         {{"bytes", size_of(options_.journal)},
          {"walBytes", size_of(options_.journal + "-wal")},
          {"writable", journal_.healthy()},
          {"damaged", stats.damaged},
          {"encrypted", stats.encrypts}}},
        {"configuration",
         {{"path", options_.config},
          {"readAt", to_rfc3339(in_force_.reloaded_at())},
          {"warnings", warnings_json(in_force_.warnings())}}},
    };
    co_return json_answer(body);
}

namespace openapi {
namespace {

constexpr Field health_certificates_fields[] = {
    {"listener", text, "", "terminals"},
    {"file", text, "", "/etc/sales-gateway/tls/cert.pem"},
    {"beginsAt", a("Time"), "", "2024-05-02T00:00:00.000Z"},
    {"endsAt", a("Time"), "", "2025-05-02T00:00:00.000Z"},
    {"refused", count, "Handshakes that callers ended for this certificate.", "0"},
    {"lastRefusedAt", or_null(a("Time")), "", "null"},
    {"lastRefusedBy", or_null(text), "The caller's address.", "null"},
    {"lastRefusedFor", or_null(text), "What the caller said, for a person.", "null"},
};

constexpr Field health_token_fields[] = {
    {"valid", boolean, "", "true"},
    {"expiresAt", or_null(a("Time")), "", "2024-05-02T13:16:00.000Z"},
};

constexpr Field health_disk_fields[] = {
    {"freeBytes", or_null(integer), "", "24000000000"},
    {"totalBytes", or_null(integer), "", "32000000000"},
};

constexpr Field health_clock_fields[] = {
    {"at", a("Time")},
    {"synchronized", or_null(boolean), "Whether a time server keeps it right; null where the system does not say.",
     "true"},
};

constexpr Field health_backup_fields[] = {
    {"lastAt", or_null(a("Time")), "When sales-gateway backup copied the journal last.", "2024-05-01T23:00:00.000Z"},
};

constexpr Field health_journal_fields[] = {
    {"bytes", or_null(integer), "", "4194304"}, {"walBytes", or_null(integer), "", "0"},
    {"writable", boolean, "", "true"},          {"damaged", boolean, "", "false"},
    {"encrypted", boolean, "", "true"},
};

constexpr Field health_configuration_warnings_fields[] = {
    {"key", text},
    {"line", or_null(integer)},
    {"message", text},
};

constexpr Field health_configuration_fields[] = {
    {"path", text, "", "/etc/sales-gateway/gateway.toml"},
    {"readAt", a("Time")},
    {"warnings", list_of(object(health_configuration_warnings_fields)), "", "[]"},
};

constexpr Field health_fields[] = {
    {"version", text, "", "0.5.0"},
    {"startedAt", a("Time")},
    {"memoryBytes", or_null(integer), "", "15728640"},
    {"certificates", list_of(object(health_certificates_fields))},
    {"token", object(health_token_fields)},
    {"disk", object(health_disk_fields)},
    {"clock", object(health_clock_fields)},
    {"backup", object(health_backup_fields)},
    {"journal", object(health_journal_fields)},
    {"configuration", object(health_configuration_fields)},
};

constexpr Schema all_host_schemas[] = {
    {.name = "Health", .type = object(health_fields)},
};

}  // namespace

std::span<const Schema> host_schemas() {
    return all_host_schemas;
}

Description get_host() {
    return {.id = "getMachine",
            .summary = "The box, and what runs out some day: certificates, disk, token, the copy of the journal",
            .tag = "Monitoring",
            .text = "For a person; the monitoring has the metrics.",
            .answers = {gives(200, "As the gateway knows it now.", a("Health"), {{"usual"}})}};
}

}  // namespace openapi

}  // namespace gateway
