#include "api/process_metrics.hpp"

#include <filesystem>
#include <optional>
#include <string_view>

namespace gateway {
namespace {

template <class Number>
void expose(Exposition& out, std::string_view name, std::string_view type, std::string_view help,
            const std::optional<Number>& value) {
    if (!value) return;
    out.metric(name, type, help);
    out.sample(static_cast<double>(*value));
}

std::optional<std::uintmax_t> size_of(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return error ? std::nullopt : std::optional(size);
}

}  // namespace

void expose_build(Exposition& out, Exposition::Labels versions) {
    out.metric("gateway_build_info", "gauge", "Always 1; the labels say which versions run.");
    out.sample(1, versions);
}

void expose_process(Exposition& out, const ProcessUse& use, WallTime started_at) {
    expose(out, "process_cpu_seconds_total", "counter", "Processor time that was used, of user and system.", use.cpu_s);
    expose(out, "process_resident_memory_bytes", "gauge", "Memory of the machine that is used.", use.resident_bytes);
    expose(out, "process_virtual_memory_bytes", "gauge", "Addresses that are used.", use.virtual_bytes);
    expose(out, "process_open_fds", "gauge", "Open file descriptors; a connection is one.", use.open_descriptors);
    expose(out, "process_max_fds", "gauge", "File descriptors that may be open.", use.most_descriptors);
    out.metric("process_start_time_seconds", "gauge", "When the process was started, in seconds since 1970.");
    out.sample(started_at);
}

void expose_journal_file(Exposition& out, const std::string& path) {
    if (const auto size = size_of(path))
        expose(out, "gateway_journal_bytes", "gauge", "Size of the journal with what is not merged into it yet.",
               std::optional(*size + size_of(path + "-wal").value_or(0)));
}

}  // namespace gateway
