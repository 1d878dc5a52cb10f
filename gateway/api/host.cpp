#include "api/host.hpp"

#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "api/sale_answer.hpp"
#include "base/process.hpp"
#include "journal/sqlite/backup.hpp"

#include <filesystem>

namespace gateway {

namespace {

std::optional<std::uintmax_t> size_of(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return error ? std::nullopt : std::optional(size);
}

}  // namespace

namespace openapi {
namespace {

using Certificate = http::ShownCertificates::value_type;

template <auto Member>
constexpr auto of_certificate = [](const Certificate& certificate) -> const auto& {
    return certificate.second.*Member;
};

constexpr Written<Certificate> health_certificate_members[] = {
    {{"listener", text, "", "terminals"}, its<&Certificate::first>},
    {{"file", text, "", "/etc/sales-gateway/tls/cert.pem"}, of_certificate<&http::ShownCertificate::file>},
    {{"beginsAt", a("Time"), "", "2024-05-02T00:00:00.000Z"},
     [](const Certificate& certificate) { return certificate.second.validity.begins_at; }},
    {{"endsAt", a("Time"), "", "2025-05-02T00:00:00.000Z"},
     [](const Certificate& certificate) { return certificate.second.validity.ends_at; }},
    {{"refused", count, "Handshakes that callers ended for this certificate.", "0"},
     of_certificate<&http::ShownCertificate::refused>},
    {{"lastRefusedAt", or_null(a("Time")), "", "null"}, of_certificate<&http::ShownCertificate::refused_at>},
    {{"lastRefusedBy", or_null(text), "The caller's address.", "null"},
     of_certificate<&http::ShownCertificate::refused_by>},
    {{"lastRefusedFor", or_null(text), "What the caller said, for a person.", "null"},
     of_certificate<&http::ShownCertificate::refused_why>},
};

constexpr Written<ConfigProblem> warning_members[] = {
    {{"key", text}, its<&ConfigProblem::key>},
    {{"line", or_null(integer)}, its<&ConfigProblem::line>},
    {{"message", text}, its<&ConfigProblem::message>},
};

struct Machine {
    const HostOptions& options;
    const RunMoment& started;
    http::ShownCertificates certificates;
    const TokenKeeper& tokens;
    std::optional<DiskRoom> disk;
    WallTime now;
    bool is_writable;
    JournalStats journal;
    const ConfigInForce& in_force;
};

constexpr Written<Machine> health_token_members[] = {
    {{"valid", boolean, "", "true"}, [](const Machine& machine) { return !machine.tokens.trouble(); }},
    {{"expiresAt", or_null(a("Time")), "", "2024-05-02T13:16:00.000Z"},
     [](const Machine& machine) { return machine.tokens.expires_at(); }},
};

template <auto Member>
constexpr auto of_disk =
    [](const Machine& machine) { return machine.disk ? std::optional((*machine.disk).*Member) : std::nullopt; };

constexpr Written<Machine> health_disk_members[] = {
    {{"freeBytes", or_null(integer), "", "24000000000"}, of_disk<&DiskRoom::free_bytes>},
    {{"totalBytes", or_null(integer), "", "32000000000"}, of_disk<&DiskRoom::total_bytes>},
};

constexpr Written<Machine> health_clock_members[] = {
    {{"at", a("Time")}, its<&Machine::now>},
    {{"synchronized", or_null(boolean), "Whether a time server keeps it right; null where the system does not say.",
      "true"},
     [](const Machine&) { return clock_is_synchronized(); }},
};

constexpr Written<Machine> health_backup_members[] = {
    {{"lastAt", or_null(a("Time")), "When sales-gateway backup copied the journal last.", "2024-05-01T23:00:00.000Z"},
     [](const Machine& machine) { return last_backup(machine.options.journal); }},
};

constexpr Written<Machine> health_journal_members[] = {
    {{"bytes", or_null(integer), "", "4194304"},
     [](const Machine& machine) { return size_of(machine.options.journal); }},
    {{"walBytes", or_null(integer), "", "0"},
     [](const Machine& machine) { return size_of(machine.options.journal + "-wal"); }},
    {{"writable", boolean, "", "true"}, its<&Machine::is_writable>},
    {{"damaged", boolean, "", "false"}, [](const Machine& machine) { return machine.journal.damaged; }},
    {{"encrypted", boolean, "", "true"}, [](const Machine& machine) { return machine.journal.encrypts; }},
};

constexpr Written<Machine> health_configuration_members[] = {
    {{"path", text, "", "/etc/sales-gateway/gateway.toml"},
     [](const Machine& machine) -> const std::string& { return machine.options.config; }},
    {{"readAt", a("Time")}, [](const Machine& machine) { return machine.in_force.reloaded_at(); }},
    {{"warnings", list_of(object_of<warning_members>), "", "[]"},
     [](const Machine& machine) { return parts(warning_members, machine.in_force.warnings()); }},
};

constexpr Written<Machine> health_members[] = {
    {{"version", text, "", "0.5.0"},
     [](const Machine& machine) -> const std::string& { return machine.options.version; }},
    {{"startedAt", a("Time")}, [](const Machine& machine) { return machine.started; }},
    {{"memoryBytes", or_null(integer), "", "15728640"}, [](const Machine&) { return process_use().resident_bytes; }},
    {{"certificates", list_of(object_of<health_certificate_members>)},
     [](const Machine& machine) { return parts(health_certificate_members, machine.certificates); }},
    {{"token", object_of<health_token_members>},
     [](const Machine& machine) { return part(health_token_members, machine); }},
    {{"disk", object_of<health_disk_members>},
     [](const Machine& machine) { return part(health_disk_members, machine); }},
    {{"clock", object_of<health_clock_members>},
     [](const Machine& machine) { return part(health_clock_members, machine); }},
    {{"backup", object_of<health_backup_members>},
     [](const Machine& machine) { return part(health_backup_members, machine); }},
    {{"journal", object_of<health_journal_members>},
     [](const Machine& machine) { return part(health_journal_members, machine); }},
    {{"configuration", object_of<health_configuration_members>},
     [](const Machine& machine) { return part(health_configuration_members, machine); }},
};

constexpr Schema all_host_schemas[] = {
    {.name = "Health", .type = object_of<health_members>},
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
    const openapi::Machine told{.options = options_,
                                .started = started_,
                                .certificates = certificates_.shown(),
                                .tokens = tokens_,
                                .disk = journal_.disk(),
                                .now = clock_.wall(),
                                .is_writable = journal_.healthy(),
                                .journal = journal_.stats(),
                                .in_force = in_force_};
    co_return json_text_answer(openapi::write(openapi::health_members, told));
}

}  // namespace gateway
