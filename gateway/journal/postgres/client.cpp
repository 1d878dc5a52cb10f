#include "journal/postgres/client.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace gateway::postgres {
namespace {

constexpr auto file_name = "postgres-client.so";
constexpr auto package = "sales-gateway-postgres";

boost::system::result<const Client*, std::string> load(const std::string& path) {
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return fmt::format("the module for PostgreSQL cannot be loaded: {}. Install the package {} anew", ::dlerror(),
                           package);
    const auto function = reinterpret_cast<ClientModuleFunction>(::dlsym(library, client_module_function));
    const std::string version = function != nullptr ? function()->version : "unknown";
    if (version == GATEWAY_VERSION) return function()->client;
    ::dlclose(library);
    return fmt::format("{} is of version {}, and this program of {}: install the same version of {}", path, version,
                       GATEWAY_VERSION, package);
}

}  // namespace

boost::system::result<const Client*, std::string> load_client(const std::vector<std::string>& folders) {
    for (const auto& folder : folders) {
        const auto path = (std::filesystem::path(folder) / file_name).string();
        std::error_code unknown;
        if (std::filesystem::exists(path, unknown)) return load(path);
    }
    return fmt::format("journal.url needs the module for PostgreSQL, {}, and it is not here: install the package {}",
                       file_name, package);
}

}  // namespace gateway::postgres
