// Who is signed in at the console: operators by their password, and people on the box by a link. All of it is in
// memory, so that a restart signs everybody out, and of what a browser keeps only a digest is held here.
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

// What a person may do: see everything, or also write. Neither sees goods or customers.
enum class Role { look, settle };
std::string_view to_string(Role role) noexcept;
std::optional<Role> parse_role(std::string_view text) noexcept;

// Of the configuration.
struct Operator {
    std::string name;
    PasswordHash password;
    Role role = Role::look;
    friend bool operator==(const Operator&, const Operator&) = default;
};

struct Session {
    std::string name;
    Role role = Role::look;
    std::optional<Operator> by_password{};  // nothing: by a link
    WallTime ends_at{};                     // however much it is used
    Instant ends{};                         // the same
    Instant idle_ends{};                    // unless it is used before
};

class Sessions {
  public:
    // From the last click to the end, and from the beginning to the end whatever is clicked: half an hour that a store
    // is left alone for, and a long day.
    static constexpr Duration idle = std::chrono::minutes(30);
    static constexpr Duration longest = std::chrono::hours(12);
    static constexpr Duration link_time = std::chrono::minutes(5);
    // One more ends the one that was idle longest, and the oldest link. No store has as many screens.
    static constexpr std::size_t most = 64;
    static constexpr std::size_t most_links = 8;
    // How the history of a sale calls a person who came by a link that names nobody: the box itself.
    static constexpr std::string_view name_of_the_box = "console";

    // The references must outlive it.
    Sessions(Clock& clock, Random& random) : clock_(clock), random_(random) {}

    // What the browser shows from here on: always a new one, whatever it showed before.
    Secret begin(const Operator& who);
    // Of a link that make_link() gave, at most link_time ago, and that nobody has used: its person, in the role settle.
    // Nothing of any other text.
    std::optional<Secret> begin_by_link(std::string_view link);
    // A text for one use.
    Secret make_link(std::string name);

    // Null where there is none, or where it has ended. `use` puts off its end.
    const Session* find(std::string_view shown, bool use);
    void end(std::string_view shown);
    // Ends those of operators who are not among these, or have another password or role there.
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
    std::map<std::string, Session> sessions_;  // by the SHA-256 of what the browser shows
    std::map<std::string, Link> links_;        // by the SHA-256 of the text
};

}  // namespace gateway
