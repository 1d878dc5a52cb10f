// Writes the Prometheus text format.
#pragma once

#include "base/clock.hpp"
#include "base/histogram.hpp"
#include "http/client/pool.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gateway {

class Exposition {
  public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    // Begins a metric; its samples follow. `type` is counter, gauge or histogram.
    void metric(std::string_view name, std::string_view type, std::string_view help);
    void sample(double value, Labels labels = {});
    void samples(const Histogram& histogram, Labels labels = {});
    // Writes a moment, in seconds since 1970.
    void sample(WallTime moment, Labels labels = {});

    std::string take() { return std::move(text_); }

  private:
    void line(std::string_view suffix, double value, Labels labels, std::string_view le = {});

    std::string text_;
    std::string name_;
};

// Writes what the connections to the provider have to say.
void expose_provider_connections(Exposition& out, const http::PoolStats& stats);

// Writes how long ago, in seconds, the close of each establishment's newest day was made.
void expose_closes(Exposition& out, const std::map<std::string, WallTime>& made_at, WallTime now);

// Writes how many of the provider's statements were refused since the start and, if one was read, how long ago the last
// one was.
void expose_statements(Exposition& out, std::uint64_t refused, const std::optional<WallTime>& last_read, WallTime now);

}  // namespace gateway
