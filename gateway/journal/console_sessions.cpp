#include "journal/console_sessions.hpp"

#include "base/json_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

namespace gateway::console_sessions {
namespace {

std::string session_text(const KeptSession& session) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.key("name").string(session.name);
    json.key("role").string(session.role);
    json.key("password").string(session.password);
    json.key("usedAt").number(rows::milliseconds(session.used_at));
    json.key("endsAt").number(rows::milliseconds(session.ends_at));
    json.end_object();
    return text;
}

KeptSession read_session(const Row& row, FieldCipher& cipher) {
    KeptSession session{.digest = std::string(row.text(0))};
    const FieldAddress address{encrypted::console_session, session.digest};
    std::string text;
    // If there is a key, somebody else wrote a session that is in clear, or it was written before there was a key.
    if (cipher.encrypts() && !row.is_blob(1)) return session;
    if (!cipher.decrypt(address, row, 1, text)) return session;
    rows::Members members(text);
    const KeptSession read{.digest = session.digest,
                           .name = members.text("name"),
                           .role = members.text("role"),
                           .password = members.text("password"),
                           .used_at = members.time("usedAt").value_or(WallTime()),
                           .ends_at = members.time("endsAt").value_or(WallTime())};
    return members.good() ? read : session;
}

}  // namespace

Job<std::vector<KeptSession>> load(Tx& tx, std::string_view gateway) {
    const auto found = co_await tx.ask(sql::load_console_sessions, gateway);
    std::vector<KeptSession> sessions;
    for (const auto& row : found)
        sessions.push_back(read_session(row, tx.cipher));
    co_return sessions;
}

Job<void> change(Tx& tx, std::string_view gateway, const SessionChanges& changes) {
    for (const auto& session : changes.begun) {
        const auto text = session_text(session);
        const EncryptedValue value(tx.cipher, {encrypted::console_session, session.digest}, text);
        tx.run(sql::begin_console_session, session.digest, gateway, value);
    }
    for (const auto& session : changes.used) {
        const auto text = session_text(session);
        const EncryptedValue value(tx.cipher, {encrypted::console_session, session.digest}, text);
        tx.run(sql::use_console_session, session.digest, value);
    }
    for (const auto& digest : changes.ended)
        tx.run(sql::end_console_session, digest);
    co_return;
}

}  // namespace gateway::console_sessions
