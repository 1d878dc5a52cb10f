// Knows who is signed in at the console: operators by their password, and people on the box by a link. Of the secret
// that a browser keeps, only a digest is held here.
//
// What changes is noted for the journal, from which a later run takes the sessions that have not ended. The steady
// clock says when a session ends. Only the wall clock knows how long no gateway ran, and it may have been set
// meanwhile: a session whose last use lies in the future is not taken, and one that is taken lasts no longer than was
// left at that use. A clock that is put right afterwards ends it, too.
#pragma once

#include "base/clock.hpp"
#include "base/password.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "journal/kept_sessions.hpp"

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
    Instant kept_at{};                      // when its last use was noted for the journal
    bool of_earlier = false;                // it was begun in an earlier run
    bool leaves = false;                    // the person has signed out, and the journal may not know it yet
};

class Sessions {
  public:
    // A session ends this long after the last click, and this long after its beginning whatever is clicked. A store may
    // be left alone for half an hour, and a long day has twelve hours.
    static constexpr Duration idle = std::chrono::minutes(30);
    static constexpr Duration longest = std::chrono::hours(12);
    static constexpr Duration link_time = std::chrono::minutes(5);
    // The uses of a session are noted for the journal so often at most.
    static constexpr Duration keep_every = std::chrono::minutes(5);
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
    // Nobody finds the session from now on. It stays here until the journal has forgotten it: see kept(). Returns the
    // person's name; nothing where there is no such session.
    std::optional<std::string> end(std::string_view shown);
    // Ends the sessions of operators who are not among these, or who have another password or role there.
    void keep_only(const std::vector<Operator>& operators);
    std::size_t size() const noexcept { return sessions_.size(); }

    // Takes the sessions of an earlier run, except those that have ended, and those of operators as for keep_only().
    void take(std::vector<KeptSession> of_earlier, const std::vector<Operator>& operators);
    // Returns what is to be written into the journal since the last call, and every end that the journal may not have.
    SessionChanges changes();
    // Notes that the journal has these changes.
    void kept(const SessionChanges& changes);
    // Tells whether anything has changed since changes() was called last.
    bool have_changed() const noexcept { return !changes_.empty(); }

  private:
    struct Link {
        std::string name;
        Instant ends;
    };

    using BySecret = std::map<std::string, Session>;  // by the SHA-256 of the secret that the browser shows

    Secret begin(Session session);
    Secret chance();
    bool has_ended(const Session& session) const;
    void drop(BySecret::iterator session);
    void drop_ended();
    bool take(const KeptSession& one, const std::vector<Operator>& operators);
    KeptSession as_kept(const std::string& digest, const Session& session) const;

    Clock& clock_;
    Random& random_;
    BySecret sessions_;
    std::map<std::string, Link> links_;  // by the SHA-256 of the link's text
    SessionChanges changes_;             // since changes() was called last
};

}  // namespace gateway
