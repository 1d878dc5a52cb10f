// What comes after a wait: called once or, where nothing comes any more, never. It is kept where it stands, so that a
// wait takes no memory of its own; a handler that does not fit does not compile.
#pragma once

#include <boost/system/error_code.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gateway {

class Continuation {
  public:
    Continuation() = default;
    template <class Handler>
    explicit Continuation(Handler handler) : act_(&act<Handler>) {
        static_assert(sizeof(Handler) <= sizeof room_);
        static_assert(alignof(Handler) <= alignof(void*));
        static_assert(std::is_nothrow_move_constructible_v<Handler>);
        new (room_.data()) Handler(std::move(handler));
    }
    Continuation(const Continuation&) = delete;
    Continuation& operator=(const Continuation&) = delete;
    Continuation(Continuation&& other) noexcept { take(other); }
    Continuation& operator=(Continuation&& other) noexcept {
        if (this == &other) return *this;
        reset();
        take(other);
        return *this;
    }
    ~Continuation() { reset(); }

    explicit operator bool() const noexcept { return act_ != nullptr; }
    // May destroy this one, which is empty by then.
    void operator()(const boost::system::error_code& result) {
        std::exchange(act_, nullptr)(room_.data(), nullptr, &result);
    }

  private:
    // Takes the handler out of its place; into another one where there is one, and calls it where there is a result.
    using Act = void (*)(void* place, void* other, const boost::system::error_code* result);

    template <class Handler>
    static void act(void* place, void* other, const boost::system::error_code* result) {
        auto* held = static_cast<Handler*>(place);
        Handler handler(std::move(*held));
        std::destroy_at(held);
        if (other != nullptr) {
            new (other) Handler(std::move(handler));
        } else if (result != nullptr) {
            handler(*result);
        }
    }
    void take(Continuation& other) noexcept {
        act_ = std::exchange(other.act_, nullptr);
        if (act_ != nullptr) act_(other.room_.data(), room_.data(), nullptr);
    }
    void reset() noexcept {
        if (act_ != nullptr) std::exchange(act_, nullptr)(room_.data(), nullptr, nullptr);
    }

    alignas(void*) std::array<std::byte, 2 * sizeof(void*)> room_;
    Act act_ = nullptr;
};

}  // namespace gateway
