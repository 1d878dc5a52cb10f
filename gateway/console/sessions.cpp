#include "console/sessions.hpp"

#include "base/ascii.hpp"
#include "base/digest.hpp"

#include <algorithm>
#include <array>

namespace gateway {
namespace {

// A secret of 256 bits cannot be guessed.
constexpr std::size_t chance_bytes = 32;

}  // namespace

std::string_view to_string(Role role) noexcept {
    return role == Role::settle ? "settle" : "look";
}

std::optional<Role> parse_role(std::string_view text) noexcept {
    for (const auto role : {Role::look, Role::settle})
        if (text == to_string(role)) return role;
    return std::nullopt;
}

Secret Sessions::begin(const Operator& who) {
    return begin(Session{.name = who.name, .role = who.role, .by_password = who});
}

std::optional<Secret> Sessions::begin_by_link(std::string_view link) {
    drop_ended();
    const auto used = links_.extract(sha256_hex(link));
    if (used.empty()) return std::nullopt;
    return begin(Session{.name = used.mapped().name, .role = Role::settle});
}

Secret Sessions::make_link(std::string name) {
    drop_ended();
    if (links_.size() == most_links)
        links_.erase(std::ranges::min_element(links_, {}, [](const auto& link) { return link.second.ends; }));
    auto link = chance();
    links_.emplace(sha256_hex(link.reveal()), Link{.name = std::move(name), .ends = clock_.now() + link_time});
    return link;
}

const Session* Sessions::find(std::string_view shown, bool use) {
    const auto found = sessions_.find(sha256_hex(shown));
    if (found == sessions_.end()) return nullptr;
    auto& session = found->second;
    const auto now = clock_.now();
    if (now >= std::min(session.ends, session.idle_ends)) {
        sessions_.erase(found);
        return nullptr;
    }
    if (use) session.idle_ends = now + idle;
    return &session;
}

void Sessions::end(std::string_view shown) {
    sessions_.erase(sha256_hex(shown));
}

void Sessions::keep_only(const std::vector<Operator>& operators) {
    std::erase_if(sessions_, [&](const auto& entry) {
        const auto& who = entry.second.by_password;
        return who && std::ranges::find(operators, *who) == operators.end();
    });
}

Secret Sessions::begin(Session session) {
    drop_ended();
    if (sessions_.size() == most)
        sessions_.erase(
            std::ranges::min_element(sessions_, {}, [](const auto& entry) { return entry.second.idle_ends; }));
    session.ends_at = clock_.wall() + longest;
    session.ends = clock_.now() + longest;
    session.idle_ends = clock_.now() + idle;
    auto shown = chance();
    sessions_.emplace(sha256_hex(shown.reveal()), std::move(session));
    return shown;
}

Secret Sessions::chance() {
    std::array<std::byte, chance_bytes> bytes{};
    random_.fill(bytes);
    return Secret(to_hex(bytes));
}

void Sessions::drop_ended() {
    const auto now = clock_.now();
    std::erase_if(sessions_,
                  [&](const auto& entry) { return now >= std::min(entry.second.ends, entry.second.idle_ends); });
    std::erase_if(links_, [&](const auto& link) { return now >= link.second.ends; });
}

}  // namespace gateway
