#include "console/password_worker.hpp"

#include <boost/asio/post.hpp>

#include <memory>
#include <utility>

namespace gateway {
namespace {

namespace asio = boost::asio;

struct CheckedPassword {
    explicit CheckedPassword(std::unique_ptr<Timer> timer) : come(std::move(timer)) {}

    std::unique_ptr<Timer> come;
    bool right = false;
};

}  // namespace

PasswordWorker::~PasswordWorker() {
    if (!thread_) return;
    thread_->stop();
    thread_->join();
}

asio::awaitable<bool> PasswordWorker::check(PasswordHash hash, Secret password) {
    if (!thread_) thread_.emplace(1);
    const auto answer = std::make_shared<CheckedPassword>(clock_.make_timer());
    asio::post(*thread_, [answer, executor = executor_, hash = std::move(hash), password = std::move(password)] {
        const bool right = hash.matches(password);
        asio::post(executor, [answer, right] {
            answer->right = right;
            answer->come->notify();
        });
    });
    co_await answer->come->wait_until(never);
    co_return answer->right;
}

}  // namespace gateway
