#include "journal/postgres/token_table.hpp"

#include "journal/duplicates.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/token.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement load_token{
    "load_token_of_several",
    "SELECT access, refresh, obtained_at, expires_at, owner, number, access IS NOT NULL FROM token"};
constexpr Statement save_token{
    "save_token_of_several",
    "UPDATE token SET access = $1, refresh = $2, obtained_at = $3, expires_at = $4, owner = $5, number = number + 1"
    " WHERE number = $6 RETURNING number"};
// By the server's clock, which is one for all.
constexpr Statement claim_token{
    "claim_token",
    "UPDATE token SET asked_by = $1, asked_until = clock_timestamp() + interval '30 seconds'"
    " WHERE number = $2 AND (asked_by = $1 OR asked_until < clock_timestamp() OR is_over(asked_by))"};
constexpr Statement end_token_turn{"end_token_turn",
                                   "UPDATE token SET asked_by = '', asked_until = '-infinity' WHERE asked_by = $1"};
constexpr Statement load_duplicate_key{"load_duplicate_key", "SELECT key FROM duplicate_key"};
// One that cannot be read, $2, is replaced; one that another gateway has made meanwhile is not.
constexpr Statement make_duplicate_key_once{
    "make_duplicate_key_of_several",
    "INSERT INTO duplicate_key AS k VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET key = $1 WHERE k.key = $2"};

}  // namespace

Awaited<std::optional<KeptToken>> TokenTable::load() {
    const auto found = co_await storage_.writer.read(load_token, Parameters());
    if (found.has_error()) co_return found.error();
    if (found->empty()) co_return std::optional<KeptToken>();
    seen_ = (*found)[0].integer(5);
    if ((*found)[0].integer(6) == 0) co_return std::optional<KeptToken>();
    auto token = read_token((*found)[0], storage_.cipher);
    if (!token) storage_.unreadable.add_other("token");
    co_return token;
}

Awaited<void> TokenTable::save(const std::optional<KeptToken>& token) {
    Parameters parameters;
    if (token) {
        storage_.seal(parameters, encrypted::token_access, token->access.reveal());
        storage_.seal(parameters, encrypted::token_refresh, token->refresh.reveal());
        parameters.add(rows::milliseconds(token->obtained_at)).add(rows::milliseconds(token->expires_at));
        parameters.add(token->owner);
    } else {
        parameters.add(std::nullopt).add(std::nullopt).add(std::nullopt).add(std::nullopt).add("");
    }
    parameters.add(seen_);
    const auto saved = co_await storage_.writer.write(save_token, std::move(parameters));
    if (saved.has_error()) co_return saved.error();
    if (!saved->empty()) seen_ = (*saved)[0].integer(0);
    co_return Result<void>();
}

Awaited<TokenTurn> TokenTable::claim(const std::string& run) {
    Parameters parameters;
    parameters.add(run).add(seen_);
    const auto claimed = co_await storage_.writer.write(claim_token, std::move(parameters));
    if (claimed.has_error()) co_return claimed.error();
    if (claimed->affected() == 1) co_return TokenTurn{.is_ours = true};
    const auto before = seen_;
    auto kept = co_await load();
    if (kept.has_error()) co_return kept.error();
    TokenTurn turn;
    if (seen_ != before) turn.fresh = std::move(*kept);
    co_return turn;
}

Awaited<void> TokenTable::end_turn(const std::string& run) {
    Parameters parameters;
    parameters.add(run);
    const auto ended = co_await storage_.writer.write(end_token_turn, std::move(parameters));
    if (ended.has_error()) co_return ended.error();
    co_return Result<void>();
}

Awaited<std::string> DuplicateKey::get() {
    if (!known_.empty()) co_return known_;
    for (int tries = 0; tries < 2; ++tries) {
        auto kept = co_await load();
        if (kept.has_error()) co_return kept.error();
        if (*kept) co_return known_ = std::move(**kept);
    }
    co_return errc::journal_unavailable;
}

// What is there once one is there; nothing where this call has made it, or met what cannot be read.
Awaited<std::optional<std::string>> DuplicateKey::load() {
    const auto found = co_await storage_.writer.read(load_duplicate_key, Parameters());
    if (found.has_error()) co_return found.error();
    std::string key;
    std::string damaged;
    if (!found->empty()) {
        const auto row = (*found)[0];
        if (storage_.cipher.decrypt(encrypted::duplicate_key, row, 0, key) && !key.empty())
            co_return std::optional(std::move(key));
        // With another one the sales until now are no duplicates of those to come, and that is all.
        storage_.unreadable.add_replaced();
        damaged = std::string(1, row.is_blob(0) ? sealed_blob : sealed_text).append(row.text(0));
    }
    Parameters parameters;
    storage_.seal(parameters, encrypted::duplicate_key, make_duplicate_key(random_));
    parameters.add_bytes(damaged);
    const auto made = co_await storage_.writer.write(make_duplicate_key_once, std::move(parameters));
    if (made.has_error()) co_return made.error();
    co_return std::optional<std::string>();
}

}  // namespace gateway::postgres
