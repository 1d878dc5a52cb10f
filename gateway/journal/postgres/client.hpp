// The program and postgres-client.so, the module that is linked with libpq, meet here: only a gateway whose journal is
// on PostgreSQL loads the module, so that no other one needs libpq and all that libpq needs. Nothing crosses but
// classes without data, numbers and views. The caller owns what is given as a pointer.
//
// A link is used by one thread and never waits: its caller waits for the socket. It sends in a pipeline: commands are
// queued, sync() ends a row of them, and after an error the server skips what stands before the next sync().
#pragma once

#include "base/process.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// This is one setting of a connection, as libpq names it.
struct Setting {
    const char* name;
    const char* value;
};

struct Parameter {
    const char* data;  // with a zero behind it; nullptr: NULL
    int length;
    bool is_bytes;  // not text
};

// Holds the settings that a URL has.
class Settings {
  public:
    virtual ~Settings() = default;
    // Says why the URL cannot be read; empty: it can. The words never hold the URL's password.
    virtual std::string_view fault() const noexcept = 0;
    virtual int size() const noexcept = 0;
    virtual Setting at(int index) const noexcept = 0;
};

// Tells what came back for one command. Its views are valid as long as it lives.
class Reply {
  public:
    enum class Kind {
        done,
        error,    // of the server's; the connection goes on
        skipped,  // after the error of an earlier command
        synced,   // the end of the commands that one sync() ended
        lost,     // the connection is over
    };

    virtual ~Reply() = default;
    virtual Kind kind() const noexcept = 0;

    // These are of a command that is done.
    virtual std::string_view command() const noexcept = 0;  // COMMIT, INSERT 0 1, …
    virtual std::int64_t affected() const noexcept = 0;
    virtual int rows() const noexcept = 0;
    virtual int columns() const noexcept = 0;
    virtual unsigned type(int column) const noexcept = 0;  // its number in pg_type
    virtual bool is_null(int row, int column) const noexcept = 0;
    virtual std::string_view value(int row, int column) const noexcept = 0;  // as text; empty for NULL

    // These are of an error.
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
    // Goes on opening the connection, and says what has to be waited for. The socket may be another one afterwards.
    virtual Opening open_further() noexcept = 0;
    virtual int socket() const noexcept = 0;
    // Says why the connection could not be opened, or is over, in libpq's or the server's words.
    virtual std::string_view message() const noexcept = 0;

    // Each queues one command, of which some may be sent at once. False: the connection is over.
    virtual bool prepare(const char* name, const char* sql) noexcept = 0;
    virtual bool execute(const char* name, const Parameter* parameters, int count) noexcept = 0;
    virtual bool sync() noexcept = 0;

    virtual Sending send() noexcept = 0;
    // Takes in what has arrived; false: the connection is over.
    virtual bool receive() noexcept = 0;
    // Returns the reply to the oldest command that has none; nullptr where it has not arrived. Commands that are done,
    // errors and what was skipped count, and sync() has a reply of its own.
    virtual Reply* next() = 0;
    // Tells whether the server gave a warning of the general kind (01000) since this was asked last: it does so where a
    // commit waited for the standby in vain.
    virtual bool take_warning() noexcept = 0;
    // Returns false where there is none. Its views are valid until this is called again.
    virtual bool take_notification(Notification& notification) noexcept = 0;
};

class Client {
  public:
    virtual ~Client() = default;
    virtual Settings* read_url(const char* url) const = 0;
    // Begins to open a connection. Returns nullptr where there is no memory.
    virtual Link* open(const Setting* settings, int count) const = 0;
};

// The module's one function gives this. The version of the program that it was made for is looked at first.
struct ClientModule {
    const char* version;
    const Client* client;
};
constexpr auto client_module_function = "sales_gateway_postgres_client";
using ClientModuleFunction = const ClientModule* (*)();

// Loads the client of the module in the first of these folders that has one. The error says in words that none has,
// that it cannot be loaded, or that it was made for another version of the program. The module stays loaded until the
// process ends: what it made is used until then.
boost::system::result<const Client*, std::string> load_client(
    const std::vector<std::string>& folders = folders_of_parts());

}  // namespace gateway::postgres
