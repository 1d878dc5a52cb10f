#include "journal/chain/shared_token.hpp"

#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"
#include "journal/token.hpp"

namespace gateway::postgres {
namespace {

using Access = JobRunner::Access;
using Lane = JobRunner::Lane;

constexpr int number_column = 5;
constexpr int is_there_column = 6;

}  // namespace

struct SharedToken::Numbered {
    std::int64_t number = 0;
    std::optional<KeptToken> token;  // nothing where there is none, or where it cannot be read
};

auto SharedToken::read(Tx& tx) -> Job<Numbered> {
    const auto found = co_await tx.ask(sql::shared_token);
    if (found.empty()) co_return Numbered{};
    const auto row = found.front();
    Numbered read{.number = row.integer(number_column), .token = {}};
    if (row.integer(is_there_column) == 0) co_return read;
    read.token = read_token(row, tx.cipher);
    if (!read.token) tx.unreadable.add_other("token");
    co_return read;
}

auto SharedToken::load() -> Awaited<std::optional<KeptToken>> {
    auto loaded = co_await jobs_.perform<Numbered>(Lane::of_sales, Access::read, read);
    if (loaded.has_error()) co_return loaded.error();
    seen_ = loaded->number;
    co_return std::move(loaded->token);
}

auto SharedToken::save(const std::optional<KeptToken>& token) -> Awaited<void> {
    const auto seen = seen_;
    const auto work = [&](Tx& tx) -> Job<std::int64_t> {
        using Part = std::optional<std::string_view>;
        const EncryptedValue access(tx.cipher, encrypted::token_access, token ? Part(token->access.reveal()) : Part());
        const EncryptedValue refresh(tx.cipher, encrypted::token_refresh,
                                     token ? Part(token->refresh.reveal()) : Part());
        const auto obtained_at = token ? std::optional(rows::milliseconds(token->obtained_at)) : std::nullopt;
        const auto expires_at = token ? std::optional(rows::milliseconds(token->expires_at)) : std::nullopt;
        const auto owner = token ? token->owner : std::string();
        const auto saved =
            co_await tx.ask(sql::save_shared_token, access, refresh, obtained_at, expires_at, owner, seen);
        co_return saved.empty() ? seen : saved.front().integer(0);
    };
    const auto saved = co_await jobs_.perform<std::int64_t>(Lane::of_sales, Access::write, work);
    if (saved.has_error()) co_return saved.error();
    seen_ = *saved;
    co_return Result<void>();
}

auto SharedToken::claim(const std::string& run) -> Awaited<TokenTurn> {
    const auto seen = seen_;
    std::int64_t number = seen;
    const auto work = [&](Tx& tx) -> Job<TokenTurn> {
        const auto claimed = co_await tx.ask(sql::claim_token_turn, run, seen);
        if (claimed.changed() == 1) co_return TokenTurn{.is_ours = true};
        auto kept = co_await read(tx);
        number = kept.number;
        TokenTurn turn;
        if (number != seen) turn.fresh = std::move(kept.token);
        co_return turn;
    };
    auto turn = co_await jobs_.perform<TokenTurn>(Lane::of_sales, Access::write, work);
    if (turn.has_error()) co_return turn.error();
    seen_ = number;
    co_return std::move(*turn);
}

auto SharedToken::end_turn(const std::string& run) -> Awaited<void> {
    return jobs_.perform<void>(Lane::of_sales, Access::write, [run](Tx& tx) -> Job<void> {
        tx.run(sql::end_token_turn, run);
        co_return;
    });
}

}  // namespace gateway::postgres
