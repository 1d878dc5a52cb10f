#include "journal/postgres/connection_options.hpp"

#include "journal/postgres/server_checks.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace gateway::postgres {
namespace {

// Debian's server listens here, and Debian's libpq, which reads the URLs, looks here by default.
constexpr auto socket_folder = "/var/run/postgresql";
constexpr auto default_port = "5432";
// Where a URL names no certificate authorities, those that this machine trusts are used.
constexpr auto authorities = "/etc/ssl/certs/ca-certificates.crt";

using Fault = std::string;
using Options = boost::system::result<ConnectionOptions, Fault>;

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts(1);
    for (const char c : list)
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    return parts;
}

std::string take(std::map<std::string, std::string>& settings, const char* name) {
    const auto node = settings.extract(name);
    return node.empty() ? std::string() : node.mapped();
}

bool is_on_this_machine(const Server& server) {
    if (server.is_socket()) return true;
    boost::system::error_code is_name;
    const auto address = boost::asio::ip::make_address(server.address.empty() ? server.host : server.address, is_name);
    return is_name ? server.host == "localhost" : address.is_loopback();
}

boost::system::result<std::vector<Server>, Fault> servers_of(std::map<std::string, std::string>& settings) {
    const auto hosts = split(take(settings, "host"));
    const auto addresses = split(take(settings, "hostaddr"));
    const auto ports = split(take(settings, "port"));
    const auto count = std::max(hosts.size(), addresses.size());
    const auto fits = [&](const std::vector<std::string>& list) {
        return list.size() == count || (list.size() == 1 && (count == 1 || list[0].empty()));
    };
    if (!fits(hosts) || !fits(addresses) || (ports.size() != 1 && ports.size() != count))
        return Fault("journal.url names not as many ports or addresses as hosts");
    std::vector<Server> servers;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = [i](const std::vector<std::string>& list) { return list.size() == 1 ? list[0] : list[i]; };
        Server server{at(hosts), at(addresses), at(ports)};
        if (server.host.empty() && server.address.empty()) server.host = socket_folder;
        if (server.port.empty()) server.port = default_port;
        servers.push_back(std::move(server));
    }
    return servers;
}

// Makes the settings of TLS as strict as the promise. Refuses what the operator has made less strict.
std::string tighten(std::map<std::string, std::string>& settings, const std::vector<Server>& servers) {
    auto& mode = settings["sslmode"];
    const auto far = std::ranges::find_if_not(servers, is_on_this_machine);
    if (far == servers.end()) {
        if (mode.empty()) mode = "prefer";
        return {};
    }
    if (!mode.empty() && mode != "verify-full")
        return fmt::format(
            "journal.url has sslmode={}, and {} is another machine: it has to show a certificate of its name; leave "
            "sslmode out, or say sslmode=verify-full",
            mode, far->host.empty() ? far->address : far->host);
    mode = "verify-full";
    auto& trusted = settings["sslrootcert"];
    if (trusted.empty()) trusted = authorities;
    return {};
}

// Says why the URL must not make one of these settings; empty: it may make all of them.
std::string forbidden(const std::map<std::string, std::string>& settings) {
    if (settings.contains("password"))
        return "journal.url must not hold the password: write it into a file and name that in journal.password_file";
    for (const auto* name : {"service", "replication", "connect_timeout", "client_encoding"})
        if (settings.contains(name)) return fmt::format("journal.url must not say {}", name);
    return {};
}

// With these settings each side notices within seconds that the other one is gone. The server then releases the locks
// of a gateway that was cut off, or that stopped in the middle of a transaction.
void add_lifetimes(std::map<std::string, std::string>& settings) {
    settings["keepalives"] = "1";
    settings["keepalives_idle"] = "4";
    settings["keepalives_interval"] = "2";
    settings["keepalives_count"] = "2";
    settings["tcp_user_timeout"] = "4000";
    auto& options = settings["options"];
    options +=
        " -c tcp_keepalives_idle=4 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2"
        " -c tcp_user_timeout=4000 -c idle_in_transaction_session_timeout=2000";
    options += session_options();
}

}  // namespace

boost::system::result<ConnectionOptions, std::string> read_url(const Client& client, const std::string& url,
                                                               Secret password) {
    if (!url.starts_with("postgresql://") && !url.starts_with("postgres://"))
        return Fault("journal.url must begin with postgresql://");
    const std::unique_ptr<const Settings> read(client.read_url(url.c_str()));
    if (!read->fault().empty()) return fmt::format("journal.url cannot be read: {}", read->fault());
    std::map<std::string, std::string> settings;
    for (int i = 0; i < read->size(); ++i)
        settings[read->at(i).name] = read->at(i).value;
    if (auto fault = forbidden(settings); !fault.empty()) return fault;
    auto servers = servers_of(settings);
    if (servers.has_error()) return servers.error();
    if (auto fault = tighten(settings, *servers); !fault.empty()) return fault;
    // GSSAPI is another way to encrypt, which libpq would prefer where it can, and which checks no certificate.
    settings["gssencmode"] = "disable";
    settings["client_encoding"] = "UTF8";
    settings["application_name"] = "sales-gateway";
    // Of several servers, libpq chooses the primary. A single server that is a standby is refused in words by a later
    // check.
    settings["target_session_attrs"] = servers->size() > 1 ? "read-write" : "any";
    add_lifetimes(settings);
    ConnectionOptions options;
    options.url = url;
    options.servers = std::move(*servers);
    options.settings.assign(settings.begin(), settings.end());
    options.password = std::move(password);
    return options;
}

}  // namespace gateway::postgres
