// A client whose n-th statement from now fails as on a full disk, on whichever connection it is.
#pragma once

#include "postgres/client.hpp"

#include <memory>

namespace gateway::postgres::test {

// An error that the server gave, with another state.
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
        return new FailingLink(std::unique_ptr<Link>(real_.open(settings, count)), fails_in);
    }

    // The statement that fails: 1 is the next one, 0 none.
    mutable int fails_in = 0;

  private:
    class FailingLink final : public Link {
      public:
        FailingLink(std::unique_ptr<Link> real, int& fails_in) : real_(std::move(real)), fails_in_(fails_in) {}
        Opening open_further() noexcept override { return real_->open_further(); }
        int socket() const noexcept override { return real_->socket(); }
        std::string_view message() const noexcept override { return real_->message(); }
        bool prepare(const char* name, const char* sql) noexcept override { return real_->prepare(name, sql); }
        // One that was never prepared is refused by the server.
        bool execute(const char* name, const Parameter* parameters, int count) noexcept override {
            const bool fails = fails_in_ > 0 && --fails_in_ == 0;
            return real_->execute(fails ? "never_prepared" : name, parameters, count);
        }
        bool sync() noexcept override { return real_->sync(); }
        Sending send() noexcept override { return real_->send(); }
        bool receive() noexcept override { return real_->receive(); }
        Reply* next() noexcept override {
            std::unique_ptr<Reply> reply(real_->next());
            if (!reply || reply->kind() != Reply::Kind::error || reply->state() != "26000") return reply.release();
            return new DiskFull(std::move(reply));
        }
        bool take_warning() noexcept override { return real_->take_warning(); }
        bool take_notification(Notification& notification) noexcept override {
            return real_->take_notification(notification);
        }

      private:
        const std::unique_ptr<Link> real_;
        int& fails_in_;
    };

    const Client& real_;
};

}  // namespace gateway::postgres::test
