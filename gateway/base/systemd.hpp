// The service manager that started this program (systemd), if one did: is told how the program is, its watchdog is fed,
// the sockets that it listens on for the program are taken over, and whether it reads the output is known. Without one
// every call does nothing. Decides nothing: what is ready and what is alive is the caller's to know.
//
// systemd's own library would do the same by one datagram and four environment variables, and bring the parser of a
// journal and three decompressors into a process that holds credentials.
#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// The environment variables by which systemd speaks to its services; empty where one is not set.
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

// The credential of the service (LoadCredential=) that has the name of this file, where there is one; else the file: so
// that one configuration is right for the service, which may not read the file, and for the person who may. One that is
// empty or a line's end is none: it is what the unit hands over (SetCredential=) where there is no such file.
std::string credential_in_place_of(const std::string& file);

class Systemd {
  public:
    explicit Systemd(const SystemdEnvironment& environment);
    Systemd(const Systemd&) = delete;
    Systemd& operator=(const Systemd&) = delete;
    ~Systemd();  // closes what was passed and not taken

    // The program does what it is there for, after its start or after reloading().
    void ready();
    // The program reads its configuration again; ready() must follow.
    void reloading(Instant now);
    void stopping();
    // How the program is, in a sentence for `systemctl status`.
    void status(std::string_view sentence);
    // Feeds the watchdog, which must happen at least every watchdog(); nothing where there is none.
    void alive();
    std::optional<Duration> watchdog() const noexcept { return watchdog_; }

    // The socket that was passed under this name, now the caller's to close; nothing where there is none (left).
    std::optional<int> take_socket(std::string_view name);
    // What was passed and not taken yet.
    std::vector<std::string> sockets() const;

    // Whether the descriptor is the stream that the journal reads. A line there may begin with a priority, "<4>".
    bool reads(int descriptor) const;
    // A connected datagram socket for entries of the journal's native protocol, the caller's to close, where the
    // journal reads the descriptor too; nothing where there is none. The manager's sockets stand beside each other.
    std::optional<int> journald_socket(int descriptor) const;

  private:
    struct Passed {
        std::string name;
        int descriptor;
    };
    enum class Wait { no, yes };
    void tell(std::string_view message, Wait wait);

    std::string address_;  // of the notify socket, as sun_path holds it
    int notify_ = -1;
    std::optional<Duration> watchdog_;
    std::vector<Passed> passed_;
    std::string journal_stream_;
};

// The unit of this program's service, as the package installs it.
inline constexpr auto own_unit = "sales-gateway.service";

// What systemd is told of a service, read from its unit files: for those who look at its configuration without being
// it. A line may go on behind a backslash, and an empty value takes back what was said before.
struct ServiceUnit {
    std::string command;                     // ExecStart=
    std::string user{};                      // User=; empty: root
    std::vector<std::string> credentials{};  // the names of those that are handed over
    std::vector<std::string> made{};         // the folders that it makes for the service (StateDirectory= and the like)
    std::vector<std::string> opened{};  // what it lets the service write into besides (ReadWritePaths=, BindPaths=)
    bool keeps_all_else = false;        // ProtectSystem=strict: the service may write into these only

    // Returns whether its command names the file.
    bool starts_with(const std::string& file) const;
    // Returns whether the unit lets the service write there. The rights of the file are not looked at.
    bool lets_write(const std::string& path) const;
};

// The unit of this name with what was added to it (drop-ins), as the folders have it, the first of which counts most.
// Nothing where none has it.
std::optional<ServiceUnit> read_service_unit(const std::string& name, const std::vector<std::string>& folders);
// In the folders of this machine.
std::optional<ServiceUnit> read_service_unit(const std::string& name);

}  // namespace gateway
