// This is a PostgreSQL server of the test's own (Debian's), in a temporary folder and on a socket there. It ends with
// the process, even when that is killed.
#pragma once

#include "unit/support/temporary_folder.hpp"

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

class PostgresCluster {
  public:
    // Returns one server for all tests of the process, because making one takes seconds. It runs with its usual
    // settings.
    static PostgresCluster& shared();

    PostgresCluster();
    ~PostgresCluster();
    PostgresCluster(const PostgresCluster&) = delete;
    PostgresCluster& operator=(const PostgresCluster&) = delete;

    // Returns a URL for the database's superuser, over the socket.
    std::string url(std::string_view database = "postgres") const;
    // Runs the commands in psql as superuser. Returns what psql prints, without the last line break.
    std::string sql(std::string_view commands, std::string_view database = "postgres") const;

    // Restarts it with further settings (such as "fsync=off") until the next restart. Where listen_addresses is among
    // them, it also listens on a port of 127.0.0.1.
    void restart(const std::vector<std::string>& settings = {});
    // Ends it without a shutdown, as a power cut does.
    void kill();
    void stop();
    void start(const std::vector<std::string>& settings = {});
    std::uint16_t port() const noexcept { return port_; }

    // Writes a file of the server, beside its tables: standby.signal, pg_hba.conf, …
    void write(std::string_view name, std::string_view text) const;
    void remove(std::string_view name) const;
    std::string path(std::string_view name) const { return folder_.path("data") + "/" + std::string(name); }
    const TemporaryFolder& folder() const noexcept { return folder_; }

  private:
    void end(int signal);

    const TemporaryFolder folder_;
    const std::uint16_t port_;
    pid_t server_ = -1;
};

}  // namespace gateway::test
