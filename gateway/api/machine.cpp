#include "api/machine.hpp"

#include "api/json_values.hpp"
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

MachineApi::MachineApi(MachineOptions options, const http::CertificateWatch& certificates,
                       const ConfigInForce& in_force, const Journal& journal, const TokenKeeper& tokens,
                       const Clock& clock)
    : options_(std::move(options)),
      certificates_(certificates),
      in_force_(in_force),
      journal_(journal),
      tokens_(tokens),
      clock_(clock),
      started_(clock) {}

void MachineApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/health", [this](http::Request& request) { return health(request); });
}

boost::asio::awaitable<http::Response> MachineApi::health(http::Request&) {
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

}  // namespace gateway
