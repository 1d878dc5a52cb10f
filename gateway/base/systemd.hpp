// Talks to the service manager that started this program (systemd), if one did. It tells the manager how the program
// is, feeds the watchdog, takes over the sockets that the manager listens on for the program, and knows whether the
// manager reads the output. Without a manager every call does nothing. It decides nothing: the caller knows what is
// ready and what is alive.
//
// systemd's own library would do the same with one datagram and four environment variables. It would also bring a
// parser of the journal and three decompressors into a process that holds credentials.
#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// These are the environment variables by which systemd talks to its services. One that is not set is empty.
struct SystemdEnvironment {
    std::string notify_socket;   // NOTIFY_SOCKET: a path, or @ and an abstract name
    std::string watchdog_usec;   // WATCHDOG_USEC
    std::string watchdog_pid;    // WATCHDOG_PID
    std::string listen_pid;      // LISTEN_PID
    std::string listen_fds;      // LISTEN_FDS
    std::string listen_names;    // LISTEN_FDNAMES: with colons between them
    std::string journal_stream;  // JOURNAL_STREAM: device:inode of the output that is the journal's

    static SystemdEnvironment of_this_process();
};

// Returns the service's credential (LoadCredential=) with the name of this file, if there is one, and otherwise the
// file. One configuration is then right both for the service, which may not read the file, and for a person who may. A
// credential that is empty or only a line's end does not count: the unit passes that (SetCredential=) if there is no
// such file.
std::string credential_in_place_of(const std::string& file);

class Systemd {
  public:
    explicit Systemd(const SystemdEnvironment& environment);
    Systemd(const Systemd&) = delete;
    Systemd& operator=(const Systemd&) = delete;
    ~Systemd();  // closes what was passed and not taken

    // Says that the program does its work, after its start or after reloading().
    void ready();
    // Says that the program reads its configuration again. ready() must follow.
    void reloading(Instant now);
    void stopping();
    // Says in a sentence how the program is, for `systemctl status`.
    void status(std::string_view sentence);
    // Feeds the watchdog, which must happen at least once in every watchdog(). Without a watchdog there is nothing to
    // do.
    void alive();
    std::optional<Duration> watchdog() const noexcept { return watchdog_; }

    // Returns the socket that was passed under this name, which the caller must close. Returns nothing if none is left.
    std::optional<int> take_socket(std::string_view name);
    // Returns the names of the sockets that were passed and not taken yet.
    std::vector<std::string> sockets() const;

    // Tells whether the descriptor is the stream that the journal reads. A line there may begin with a priority, "<4>".
    bool reads(int descriptor) const;
    // Returns a connected datagram socket for entries of the journal's native protocol, which the caller must close, if
    // the journal also reads the descriptor. Otherwise returns nothing. It is found from the path of the manager's
    // notify socket.
    std::optional<int> journald_socket(int descriptor) const;

  private:
    struct Passed {
        std::string name;
        int descriptor;
    };
    enum class Wait { no, yes };
    void tell(std::string_view message, Wait wait);

    std::string address_;  // the address of the notify socket, as sun_path holds it
    int notify_ = -1;
    std::optional<Duration> watchdog_;
    std::vector<Passed> passed_;
    std::string journal_stream_;
};

// This is the unit of this program's service, as the package installs it.
inline constexpr auto own_unit = "sales-gateway.service";

// Says what systemd is told about a service, by its unit files. It is for programs that check the service's
// configuration and are not the service. A line may go on after a backslash, and an empty value cancels what was said
// before.
struct ServiceUnit {
    std::string command;                     // ExecStart=
    std::string user{};                      // User=; empty for root
    std::vector<std::string> credentials{};  // the names of the credentials that are passed
    std::vector<std::string> made{};         // the folders that it makes for the service (StateDirectory= and the like)
    std::vector<std::string> opened{};  // other folders that the service may write into (ReadWritePaths=, BindPaths=)
    bool keeps_all_else = false;        // ProtectSystem=strict: the service may write into these folders only

    // Tells whether its command names the file.
    bool starts_with(const std::string& file) const;
    // Tells whether the unit lets the service write there. The rights of the file are not checked.
    bool lets_write(const std::string& path) const;
};

// Reads the unit of this name with what was added to it (drop-ins) from the folders, of which the first counts most.
// Returns nothing if no folder has the unit.
std::optional<ServiceUnit> read_service_unit(const std::string& name, const std::vector<std::string>& folders);
// Does the same with this machine's folders.
std::optional<ServiceUnit> read_service_unit(const std::string& name);

}  // namespace gateway
