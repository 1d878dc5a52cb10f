// This is a client whose n-th statement from now on fails as on a full disk, whose connection breaks while a commit is
// under way, or that is paused before a statement, on any connection.
#pragma once

#include "journal/postgres/client.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace gateway::postgres::test {

// Turns a reply of the server into an error with another state.
class DiskFull final : public Reply {
  public:
    explicit DiskFull(std::unique_ptr<Reply> real) : real_(std::move(real)) {}
    Kind kind() const noexcept override { return real_->kind(); }
    std::string_view command() const noexcept override { return real_->command(); }
    std::int64_t affected() const noexcept override { return real_->affected(); }
    int rows() const noexcept override { return real_->rows(); }
    int columns() const noexcept override { return real_->columns(); }
    unsigned type(int column) const noexcept override { return real_->type(column); }
    bool is_null(int row, int column) const noexcept override { return real_->is_null(row, column); }
    std::string_view value(int row, int column) const noexcept override { return real_->value(row, column); }
    std::string_view state() const noexcept override { return "53100"; }
    std::string_view message() const noexcept override { return "could not extend file: No space left on device"; }

  private:
    const std::unique_ptr<Reply> real_;
};

class FailingClient final : public Client {
  public:
    explicit FailingClient(const Client& real) : real_(real) {}

    Settings* read_url(const char* url) const noexcept override { return real_.read_url(url); }
    Link* open(const Setting* settings, int count) const noexcept override {
        return new FailingLink(std::unique_ptr<Link>(real_.open(settings, count)), *this);
    }

    // This is the number of the statement that fails: 1 is the next one; at 0 none fails.
    mutable int fails_in = 0;
    // Says what becomes of the next commit of a write, whose answer is lost with the connection.
    enum class Loss { none, done, not_done };
    mutable Loss loss = Loss::none;
    // The first connection that reaches the statement with this name sends nothing more while `stands_still` is set.
    mutable std::string_view stands_still_at{};
    mutable bool stands_still = false;

  private:
    class FailingLink final : public Link {
      public:
        FailingLink(std::unique_ptr<Link> real, const FailingClient& client)
            : real_(std::move(real)), client_(client) {}
        Opening open_further() noexcept override { return real_->open_further(); }
        int socket() const noexcept override { return real_->socket(); }
        std::string_view message() const noexcept override { return real_->message(); }
        bool prepare(const char* name, const char* sql) noexcept override { return real_->prepare(name, sql); }
        // The server refuses a statement that was never prepared.
        bool execute(const char* name, const Parameter* parameters, int count) noexcept override {
            bool fails = client_.fails_in > 0 && --client_.fails_in == 0;
            const std::string_view statement(name);
            if (!statement.empty() && statement == client_.stands_still_at) {
                client_.stands_still_at = {};
                client_.stands_still = stands_still_ = true;
            }
            if (statement == "prove" || statement == "count_commit") writes_ = true;
            if (statement == "commit" && std::exchange(writes_, false) && client_.loss != Loss::none) {
                fails = std::exchange(client_.loss, Loss::none) == Loss::not_done;
                is_lost_ = true;
            }
            return real_->execute(fails ? "never_prepared" : name, parameters, count);
        }
        // Each of these three functions may send what waits.
        bool sync() noexcept override {
            sync_waits_ = stands_still();
            return sync_waits_ || real_->sync();
        }
        Sending send() noexcept override {
            if (stands_still()) return Sending::goes_on;
            if (std::exchange(sync_waits_, false) && !real_->sync()) return Sending::failed;
            return real_->send();
        }
        // The answer arrives, but nobody hears it.
        bool receive() noexcept override {
            if (stands_still()) return true;
            if (!real_->receive()) return false;
            while (is_lost_)
                if (const std::unique_ptr<Reply> reply(real_->next()); !reply)
                    return true;
                else if (reply->kind() == Reply::Kind::synced)
                    return false;
            return true;
        }
        Reply* next() noexcept override {
            if (is_lost_) return nullptr;
            std::unique_ptr<Reply> reply(real_->next());
            if (!reply || reply->kind() != Reply::Kind::error || reply->state() != "26000") return reply.release();
            return new DiskFull(std::move(reply));
        }
        bool take_warning() noexcept override { return real_->take_warning(); }
        bool take_notification(Notification& notification) noexcept override {
            return real_->take_notification(notification);
        }

      private:
        bool stands_still() const noexcept { return stands_still_ && client_.stands_still; }

        const std::unique_ptr<Link> real_;
        const FailingClient& client_;
        bool stands_still_ = false;
        bool sync_waits_ = false;
        bool writes_ = false;  // of the transaction that is under way
        bool is_lost_ = false;
    };

    const Client& real_;
};

}  // namespace gateway::postgres::test
