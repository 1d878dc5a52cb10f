#include "console/sessions.hpp"

#include "base/ascii.hpp"
#include "base/digest.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace gateway {
namespace {

// A secret of 256 bits cannot be guessed.
constexpr std::size_t chance_bytes = 32;

std::string digest_of(const PasswordHash& hash) {
    return sha256_hex(hash.text());
}

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
    auto& [digest, session] = *found;
    if (session.leaves) return nullptr;
    if (has_ended(session)) {
        drop(found);
        return nullptr;
    }
    const auto now = clock_.now();
    if (use) session.idle_ends = now + idle;
    if (use && now >= session.kept_at + keep_every) {
        session.kept_at = now;
        changes_.used.push_back(as_kept(digest, session));
    }
    return &session;
}

std::optional<std::string> Sessions::end(std::string_view shown) {
    const auto found = sessions_.find(sha256_hex(shown));
    if (found == sessions_.end()) return std::nullopt;
    found->second.leaves = true;
    return found->second.name;
}

void Sessions::keep_only(const std::vector<Operator>& operators) {
    for (auto next = sessions_.begin(); next != sessions_.end();) {
        const auto session = next++;
        const auto& who = session->second.by_password;
        if (who && std::ranges::find(operators, *who) == operators.end()) drop(session);
    }
}

void Sessions::take(std::vector<KeptSession> of_earlier, const std::vector<Operator>& operators) {
    std::ranges::sort(of_earlier, std::greater(), &KeptSession::used_at);
    for (auto& one : of_earlier)
        if (!take(one, operators)) changes_.ended.push_back(std::move(one.digest));
}

bool Sessions::take(const KeptSession& one, const std::vector<Operator>& operators) {
    const auto now = clock_.wall();
    const auto role = parse_role(one.role);
    if (!role || sessions_.size() == most) return false;
    if (one.used_at > now || one.used_at + idle <= now) return false;
    if (one.ends_at > one.used_at + longest || one.ends_at <= now) return false;
    Session session{.name = one.name,
                    .role = *role,
                    .ends_at = one.ends_at,
                    .ends = clock_.now() + (one.ends_at - now),
                    .idle_ends = clock_.now() + (one.used_at + idle - now),
                    .kept_at = clock_.now() - (now - one.used_at),
                    .of_earlier = true};
    if (!one.password.empty()) {
        const auto who = std::ranges::find(operators, one.name, &Operator::name);
        if (who == operators.end() || who->role != *role || digest_of(who->password) != one.password) return false;
        session.by_password = *who;
    }
    return sessions_.emplace(one.digest, std::move(session)).second;
}

SessionChanges Sessions::changes() {
    for (const auto& [digest, session] : sessions_)
        if (session.leaves) changes_.ended.push_back(digest);
    return std::exchange(changes_, {});
}

void Sessions::kept(const SessionChanges& changes) {
    for (const auto& digest : changes.ended)
        sessions_.erase(digest);
}

Secret Sessions::begin(Session session) {
    drop_ended();
    if (sessions_.size() == most)
        drop(std::ranges::min_element(sessions_, {}, [](const auto& entry) { return entry.second.idle_ends; }));
    session.ends_at = clock_.wall() + longest;
    session.ends = clock_.now() + longest;
    session.idle_ends = clock_.now() + idle;
    session.kept_at = clock_.now();
    auto shown = chance();
    auto digest = sha256_hex(shown.reveal());
    changes_.begun.push_back(as_kept(digest, session));
    sessions_.emplace(std::move(digest), std::move(session));
    return shown;
}

// The steady clock knows how long the session may last. Where the wall clock was set meanwhile, the end that is kept
// moves with it.
KeptSession Sessions::as_kept(const std::string& digest, const Session& session) const {
    const auto wall = clock_.wall();
    return {.digest = digest,
            .name = session.name,
            .role = std::string(to_string(session.role)),
            .password = session.by_password ? digest_of(session.by_password->password) : std::string(),
            .used_at = wall,
            .ends_at = wall + std::chrono::duration_cast<Duration>(session.ends - clock_.now())};
}

Secret Sessions::chance() {
    std::array<std::byte, chance_bytes> bytes{};
    random_.fill(bytes);
    return Secret(to_hex(bytes));
}

bool Sessions::has_ended(const Session& session) const {
    return clock_.now() >= std::min(session.ends, session.idle_ends) ||
           (session.of_earlier && clock_.wall() >= session.ends_at);
}

void Sessions::drop(BySecret::iterator session) {
    changes_.ended.push_back(session->first);
    sessions_.erase(session);
}

void Sessions::drop_ended() {
    for (auto next = sessions_.begin(); next != sessions_.end();) {
        const auto session = next++;
        if (has_ended(session->second) && !session->second.leaves) drop(session);
    }
    const auto now = clock_.now();
    std::erase_if(links_, [&](const auto& link) { return now >= link.second.ends; });
}

}  // namespace gateway
