// Knows who is signed in at the console: operators by their password, and people on the box by a link. Everything is in
// memory, so a restart signs everybody out. Of the secret that a browser keeps, only a digest is held here.
#pragma once

#include "base/clock.hpp"
#include "base/password.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Says what a person may do: look at everything, or also write. Neither role sees goods or customers.
enum class Role { look, settle };
std::string_view to_string(Role role) noexcept;
std::optional<Role> parse_role(std::string_view text) noexcept;

// This is an operator of the configuration.
struct Operator {
    std::string name;
    PasswordHash password;
    Role role = Role::look;
    friend bool operator==(const Operator&, const Operator&) = default;
};

struct Session {
    std::string name;
    Role role = Role::look;
    std::optional<Operator> by_password{};  // nothing: the person came by a link
    WallTime ends_at{};                     // the latest end, however much the session is used
    Instant ends{};                         // the same moment by the steady clock
    Instant idle_ends{};                    // the end unless the session is used before
};

class Sessions {
  public:
    // A session ends this long after the last click, and this long after its beginning whatever is clicked. A store may
    // be left alone for half an hour, and a long day has twelve hours.
    static constexpr Duration idle = std::chrono::minutes(30);
    static constexpr Duration longest = std::chrono::hours(12);
    static constexpr Duration link_time = std::chrono::minutes(5);
    // A further session ends the one that was idle longest, and a further link ends the oldest one. No store has this
    // many screens.
    static constexpr std::size_t most = 64;
    static constexpr std::size_t most_links = 8;
    // A sale's history names a person by this who came by a link that names nobody: the box itself.
    static constexpr std::string_view name_of_the_box = "console";

    // The references must outlive this object.
    Sessions(Clock& clock, Random& random) : clock_(clock), random_(random) {}

    // Begins a session and returns the secret that the browser shows from now on. It is always a new one.
    Secret begin(const Operator& who);
    // Begins a session by a link that make_link() made at most link_time ago and that nobody has used: for the link's
    // person, in the role settle. Returns nothing for any other text.
    std::optional<Secret> begin_by_link(std::string_view link);
    // Makes a link for this person; it can be used once.
    Secret make_link(std::string name);

    // Returns the session; null where there is none, or it has ended. With `use` its idle time begins again.
    const Session* find(std::string_view shown, bool use);
    void end(std::string_view shown);
    // Ends the sessions of operators who are not among these, or who have another password or role there.
    void keep_only(const std::vector<Operator>& operators);
    std::size_t size() const noexcept { return sessions_.size(); }

  private:
    struct Link {
        std::string name;
        Instant ends;
    };

    Secret begin(Session session);
    Secret chance();
    void drop_ended();

    Clock& clock_;
    Random& random_;
    std::map<std::string, Session> sessions_;  // by the SHA-256 of the secret that the browser shows
    std::map<std::string, Link> links_;        // by the SHA-256 of the link's text
};

}  // namespace gateway
