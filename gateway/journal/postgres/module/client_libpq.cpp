// Implements client.hpp with libpq. No other file is linked with libpq.
#include "journal/postgres/client.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace gateway::postgres {
namespace {

struct Free {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
    void operator()(PGnotify* notification) const noexcept { PQfreemem(notification); }
    void operator()(char* text) const noexcept { PQfreemem(text); }
};

// Makes one line of a message of libpq's, which ends with a line break and may have several lines. A line that explains
// the one before it begins with a tab; it is put in parentheses.
std::string one_line(std::string_view text) {
    std::string all;
    bool explains = false;
    const auto end_explanation = [&] {
        if (!std::exchange(explains, false)) return;
        if (all.ends_with('.')) all.pop_back();
        all += ')';
    };
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool goes_on = line.starts_with('\t') && !all.empty();
        line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
        if (line.empty()) continue;
        if (!goes_on) end_explanation();
        const bool begins = goes_on && !std::exchange(explains, goes_on);
        all += begins ? " (" : goes_on ? " " : all.empty() ? "" : "; ";
        all += begins && line.front() >= 'A' && line.front() <= 'Z' ? static_cast<char>(line.front() - 'A' + 'a')
                                                                    : line.front();
        all += line.substr(1);
    }
    end_explanation();
    return all;
}

class LibpqSettings final : public Settings {
  public:
    explicit LibpqSettings(const char* url) {
        char* words = nullptr;
        options_.reset(PQconninfoParse(url, &words));
        const std::unique_ptr<char, Free> said(words);
        if (!options_) fault_ = without_quotes(said ? one_line(said.get()) : "there is no memory");
        for (auto* option = options_.get(); option != nullptr && option->keyword != nullptr; ++option)
            if (option->val != nullptr) set_.push_back({option->keyword, option->val});
    }

    std::string_view fault() const noexcept override { return fault_; }
    int size() const noexcept override { return static_cast<int>(set_.size()); }
    Setting at(int index) const noexcept override { return set_[static_cast<std::size_t>(index)]; }

  private:
    // libpq quotes what it does not understand, and that may be part of a password. Only the name of a parameter is
    // none.
    static std::string without_quotes(const std::string& words) {
        if (words.starts_with("invalid URI query parameter")) return words;
        return words.substr(0, words.find_first_of("\":"));
    }

    std::unique_ptr<PQconninfoOption, Free> options_;
    std::vector<Setting> set_;
    std::string fault_;
};

class LibpqReply final : public Reply {
  public:
    explicit LibpqReply(PGresult* result) : result_(result), kind_(kind_of(result)) {}

    Kind kind() const noexcept override { return kind_; }
    std::string_view command() const noexcept override { return PQcmdStatus(result_.get()); }
    std::int64_t affected() const noexcept override {
        const std::string_view digits = PQcmdTuples(result_.get());
        std::int64_t number = 0;
        (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return number;
    }
    int rows() const noexcept override { return PQntuples(result_.get()); }
    int columns() const noexcept override { return PQnfields(result_.get()); }
    unsigned type(int column) const noexcept override { return PQftype(result_.get(), column); }
    bool is_null(int row, int column) const noexcept override { return PQgetisnull(result_.get(), row, column) != 0; }
    std::string_view value(int row, int column) const noexcept override {
        return {PQgetvalue(result_.get(), row, column),
                static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
    }
    std::string_view state() const noexcept override { return field(result_.get(), PG_DIAG_SQLSTATE); }
    std::string_view message() const noexcept override { return field(result_.get(), PG_DIAG_MESSAGE_PRIMARY); }

    static std::string_view field(const PGresult* result, int which) noexcept {
        const char* text = PQresultErrorField(result, which);
        return text != nullptr ? text : "";
    }

  private:
    static Kind kind_of(const PGresult* result) noexcept {
        // The status is a number here, because each version of libpq adds some, and no list of enumerators would fit
        // two versions.
        switch (static_cast<int>(PQresultStatus(result))) {
            case PGRES_EMPTY_QUERY:
            case PGRES_COMMAND_OK:
            case PGRES_TUPLES_OK: return Kind::done;
            case PGRES_PIPELINE_SYNC: return Kind::synced;
            case PGRES_PIPELINE_ABORTED: return Kind::skipped;
            // An error that libpq itself finds has no severity. FATAL and PANIC end the connection.
            case PGRES_FATAL_ERROR:
                return field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR" ? Kind::error : Kind::lost;
            // default: it was not asked for, or is new; the two sides are then out of step.
            default: return Kind::lost;
        }
    }

    const std::unique_ptr<PGresult, Free> result_;
    const Kind kind_;
};

class LibpqLink final : public Link {
  public:
    explicit LibpqLink(PGconn* connection) : connection_(connection) {
        PQsetNoticeReceiver(connection, &LibpqLink::notice, this);
    }
    LibpqLink(const LibpqLink&) = delete;
    LibpqLink& operator=(const LibpqLink&) = delete;
    ~LibpqLink() override = default;

    Opening open_further() noexcept override {
        switch (PQconnectPoll(connection_.get())) {
            case PGRES_POLLING_READING: return Opening::wants_to_read;
            case PGRES_POLLING_WRITING:
            case PGRES_POLLING_ACTIVE: return Opening::wants_to_write;
            case PGRES_POLLING_FAILED: break;
            case PGRES_POLLING_OK:
                if (PQsetnonblocking(connection_.get(), 1) == 0 && PQenterPipelineMode(connection_.get()) == 1)
                    return Opening::open;
        }
        return Opening::failed;
    }

    int socket() const noexcept override { return PQsocket(connection_.get()); }
    std::string_view message() const noexcept override {
        message_ = one_line(PQerrorMessage(connection_.get()));
        return message_;
    }

    bool prepare(const char* name, const char* sql) noexcept override {
        return queued(PQsendPrepare(connection_.get(), name, sql, 0, nullptr));
    }

    bool execute(const char* name, const Parameter* parameters, int count) noexcept override {
        values_.clear();
        lengths_.clear();
        formats_.clear();
        for (int i = 0; i < count; ++i) {
            values_.push_back(parameters[i].data);
            lengths_.push_back(parameters[i].length);
            formats_.push_back(parameters[i].is_bytes ? 1 : 0);
        }
        constexpr int results_as_text = 0;
        return queued(PQsendQueryPrepared(connection_.get(), name, count, values_.data(), lengths_.data(),
                                          formats_.data(), results_as_text));
    }

    bool sync() noexcept override { return queued(PQpipelineSync(connection_.get())); }

    Sending send() noexcept override {
        const int left = PQflush(connection_.get());
        if (left < 0) return Sending::failed;
        return left == 0 ? Sending::all_sent : Sending::goes_on;
    }

    // A TLS record (16 KiB) may hold more than libpq takes at once (8 KiB at least). The socket does not show what is
    // already decrypted, so a wait for it might never end.
    bool receive() noexcept override {
        const int times = PQsslInUse(connection_.get()) != 0 ? 3 : 1;
        for (int i = 0; i < times; ++i)
            if (PQconsumeInput(connection_.get()) == 0) return false;
        return true;
    }

    // libpq ends the results of each command with a nullptr.
    Reply* next() override {
        for (int ends = 0; expected_ > 0 && ends < 2 && PQisBusy(connection_.get()) == 0;) {
            if (auto* result = PQgetResult(connection_.get()); result != nullptr) {
                --expected_;
                return new LibpqReply(result);
            }
            ++ends;
        }
        return nullptr;
    }

    bool take_warning() noexcept override {
        const bool warned = warned_;
        warned_ = false;
        return warned;
    }

    bool take_notification(Notification& notification) noexcept override {
        notification_.reset(PQnotifies(connection_.get()));
        if (!notification_) return false;
        notification = {notification_->relname, notification_->extra};
        return true;
    }

  private:
    bool queued(int result) noexcept {
        expected_ += result;
        return result == 1;
    }

    static void notice(void* self, const PGresult* result) {
        if (LibpqReply::field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "WARNING" &&
            LibpqReply::field(result, PG_DIAG_SQLSTATE) == "01000")
            static_cast<LibpqLink*>(self)->warned_ = true;
    }

    const std::unique_ptr<PGconn, Free> connection_;
    int expected_ = 0;  // the replies that have yet to come
    bool warned_ = false;
    std::unique_ptr<PGnotify, Free> notification_;
    mutable std::string message_;
    // These belong to the command that is being queued.
    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
};

class LibpqClient final : public Client {
  public:
    Settings* read_url(const char* url) const override { return new LibpqSettings(url); }

    Link* open(const Setting* settings, int count) const override {
        std::vector<const char*> names, values;
        for (int i = 0; i < count; ++i) {
            names.push_back(settings[i].name);
            values.push_back(settings[i].value);
        }
        names.push_back(nullptr);
        values.push_back(nullptr);
        auto* connection = PQconnectStartParams(names.data(), values.data(), 0);
        return connection != nullptr ? new LibpqLink(connection) : nullptr;
    }
};

}  // namespace
}  // namespace gateway::postgres

extern "C" __attribute__((visibility("default"))) const gateway::postgres::ClientModule*
sales_gateway_postgres_client() {
    static const gateway::postgres::LibpqClient client;
    static const gateway::postgres::ClientModule module{GATEWAY_VERSION, &client};
    return &module;
}
