// This is the interface between the program and postgres-client.so, the module that is linked with libpq. Only a
// gateway whose journal is on PostgreSQL loads the module, so no other one needs libpq and its libraries. Only classes
// without data, numbers and views cross the interface. The caller owns what is given to it as a pointer.
//
// A link is used by one thread and never waits; its caller waits for the socket. It sends in a pipeline: commands are
// queued, and sync() ends a group of them. After an error the server skips the commands before the next sync().
#pragma once

#include "base/process.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// This is one setting of a connection, under the name that libpq gives it.
struct Setting {
    const char* name;
    const char* value;
};

struct Parameter {
    const char* data;  // ends with a zero byte; nullptr: NULL
    int length;
    bool is_bytes;  // it is no text
};

// Holds the settings of a URL.
class Settings {
  public:
    virtual ~Settings() = default;
    // Says why the URL cannot be read; empty: it can be read. The text never contains the URL's password.
    virtual std::string_view fault() const noexcept = 0;
    virtual int size() const noexcept = 0;
    virtual Setting at(int index) const noexcept = 0;
};

// This is the reply to one command. Its views are valid as long as it lives.
class Reply {
  public:
    enum class Kind {
        done,
        error,    // the server's; the connection goes on
        skipped,  // skipped after the error of an earlier command
        synced,   // the end of the commands before one sync()
        lost,     // the connection is over
    };

    virtual ~Reply() = default;
    virtual Kind kind() const noexcept = 0;

    // These describe a command that is done.
    virtual std::string_view command() const noexcept = 0;  // COMMIT, INSERT 0 1, …
    virtual std::int64_t affected() const noexcept = 0;
    virtual int rows() const noexcept = 0;
    virtual int columns() const noexcept = 0;
    virtual unsigned type(int column) const noexcept = 0;  // the type's number in pg_type
    virtual bool is_null(int row, int column) const noexcept = 0;
    virtual std::string_view value(int row, int column) const noexcept = 0;  // as text; empty for NULL

    // These describe an error.
    virtual std::string_view state() const noexcept = 0;    // five characters; empty where libpq itself failed
    virtual std::string_view message() const noexcept = 0;  // one line, which may quote what was sent
};

struct Notification {
    std::string_view channel;
    std::string_view payload;
};

class Link {
  public:
    enum class Opening { wants_to_read, wants_to_write, open, failed };
    enum class Sending { all_sent, goes_on, failed };

    virtual ~Link() = default;
    // Continues to open the connection, and says what its caller has to wait for. The socket may be another one
    // afterwards.
    virtual Opening open_further() noexcept = 0;
    virtual int socket() const noexcept = 0;
    // Says in libpq's or the server's words why the connection could not be opened, or is over.
    virtual std::string_view message() const noexcept = 0;

    // Each of these queues one command; some commands may be sent at once. Returns false where the connection is over.
    virtual bool prepare(const char* name, const char* sql) noexcept = 0;
    virtual bool execute(const char* name, const Parameter* parameters, int count) noexcept = 0;
    virtual bool sync() noexcept = 0;

    virtual Sending send() noexcept = 0;
    // Reads what has arrived; returns false where the connection is over.
    virtual bool receive() noexcept = 0;
    // Returns the next reply, in the order of the commands; nullptr where it has not arrived. There is one for each
    // command, whether it is done, failed or was skipped, and one for each sync().
    virtual Reply* next() = 0;
    // Tells whether the server has sent a warning of the general class (01000) since the last call: it sends one where
    // a commit waited for the standby in vain.
    virtual bool take_warning() noexcept = 0;
    // Returns false where there is none. The views are valid until the next call.
    virtual bool take_notification(Notification& notification) noexcept = 0;
};

class Client {
  public:
    virtual ~Client() = default;
    virtual Settings* read_url(const char* url) const = 0;
    // Begins to open a connection. Returns nullptr where there is no memory.
    virtual Link* open(const Setting* settings, int count) const = 0;
};

// The module's only function returns this. Before it is used, `version` is compared with the program's own version.
struct ClientModule {
    const char* version;
    const Client* client;
};
constexpr auto client_module_function = "sales_gateway_postgres_client";
using ClientModuleFunction = const ClientModule* (*)();

// Loads the client from the first of these folders that has the module. The error says in words that none has it, that
// it cannot be loaded, or that it was made for another version of the program. The module stays loaded until the
// process ends, because its objects are used until then.
boost::system::result<const Client*, std::string> load_client(
    const std::vector<std::string>& folders = folders_of_parts());

}  // namespace gateway::postgres
