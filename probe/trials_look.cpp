// These trials ask for no sale: they are about the token, and about how many requests the provider takes.
#include "base/json_members.hpp"
#include "base/wall_time.hpp"
#include "probe/records.hpp"
#include "probe/reply_words.hpp"
#include "probe/trials.hpp"
#include "provider/token_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

namespace gateway::probe {
namespace {

// One of these stands between app-key and app-secret: RFC 7617 has the first.
struct Separator {
    std::string_view word;
    std::string_view text;
};
constexpr std::array separators{Separator{"colon", ":"}, Separator{"semicolon", ";"}, Separator{"pipe", "|"},
                                Separator{"slash", "/"}, Separator{"nothing", ""}};
// The interface document names these.
constexpr std::array<std::string_view, 11> documented_scopes{
    "Venda_Egift",   "Venda_Telecom",  "Venda_TvPrePaga", "Venda_Voucher", "Envio_SMS",    "PagamentoDeContas",
    "Venda_Parking", "Venda_PartnerA", "Venda_PartnerB",  "Venda_Transit", "Venda_Lottery"};

// So many reads are tried in a second. No store reads faster than the last, and no provider should mind it.
constexpr std::array steps_of_reads{3, 6, 12, 25};
// We wait so long before each of these steps, so that no second that is counted holds reads of the step before.
constexpr Duration between_steps{2'000};
constexpr Duration a_second{1'000};
// Clocks may differ by so much.
constexpr Duration after_the_second{20};

Secret credentials_of(const Bench& bench, std::string_view separator) {
    return basic_credentials(bench.options().app_key, separator, bench.options().app_secret);
}

// Asks for a token with these scopes and the credentials that are known to be good.
Reply ask_for(Bench& bench, const std::vector<std::string>& scopes) {
    return bench.ask_token(credentials_form(scopes), credentials_of(bench, bench.options().credential_separator));
}

std::optional<Grant> grant_in(const Bench& bench, const Reply& reply) {
    auto read = read_token_answer(reply, bench.credentials());
    auto* grant = std::get_if<Grant>(&read);
    return grant == nullptr ? std::nullopt : std::optional(std::move(*grant));
}

// Returns a code of RFC 6749's, or another word; nothing that a service invents is repeated at length.
std::string error_in(const Reply& reply) {
    const auto object = object_of(reply.body);
    return std::string(text_in(object, "error").substr(0, 40));
}

// Says what an error of the token service is and looks like: "HTTP 401 invalid_client, JSON com error".
std::string error_in_words(const Reply& reply) {
    if (!is_answered(reply)) return in_portuguese(reply);
    const auto word = error_in(reply);
    return fmt::format("HTTP {}{}{}, {}", reply.status, word.empty() ? "" : " ", word,
                       answer_in_portuguese("error-body", error_shape(reply)));
}

}  // namespace

std::optional<std::string_view> separator_of(std::string_view word) {
    const auto found = std::ranges::find(separators, word, &Separator::word);
    return found == separators.end() ? std::nullopt : std::optional(found->text);
}

void try_separators(Setting& setting, Found& found, Family) {
    auto& bench = setting.bench;
    std::string last;
    for (const auto& separator : separators) {
        const auto reply =
            told(bench.ask_token(credentials_form(bench.options().scopes), credentials_of(bench, separator.text)));
        const bool granted = grant_in(bench, reply).has_value();
        // A caller that is told that no scope will do has been recognised.
        if (granted || error_in(reply) == "invalid_scope") {
            bench.use_separator(separator.text);
            found.answer("basic-separator", separator.word,
                         granted ? "um token foi emitido" : "as credenciais valem, os escopos não");
            return;
        }
        last = fmt::format("HTTP {} {}", reply.status, error_in(reply));
    }
    throw Untold{"nenhum separador foi aceito: " + last + "; as credenciais estão certas?"};
}

void ask_scopes(Setting& setting, Found& found, Family) {
    auto& bench = setting.bench;
    std::vector<std::string> names(documented_scopes.begin(), documented_scopes.end());
    for (const auto& scope : bench.options().scopes)
        if (std::ranges::find(names, scope) == names.end()) names.push_back(scope);
    std::vector<std::string> granted;
    std::vector<std::string> denied;
    for (const auto& scope : names) {
        const auto reply = told(ask_for(bench, {scope}));
        const bool has = grant_in(bench, reply).has_value();
        // An error of another kind says nothing of the scope.
        if (!has && error_in(reply) != "invalid_scope") throw Untold{scope + ": " + error_in_words(reply)};
        (has ? granted : denied).push_back(scope);
    }
    const auto all = fmt::format("{}", fmt::join(granted, "+"));
    found.answer(
        "scopes",
        granted.size() == names.size() ? "all"
        : granted.empty()              ? "none"
                                       : all,
        denied.empty() ? "pedidos um a um" : fmt::format("pedidos um a um; negados: {}", fmt::join(denied, ", ")));
    if (granted.size() < 2) {
        found.drop("scope-separator", "há menos de dois escopos concedidos");
        return;
    }
    const auto answer = object_of(ask_for(bench, {granted[0], granted[1]}).body);
    const auto scope = text_in(answer, "scope");
    const auto mark = scope.find_first_of(", ");
    if (mark == std::string_view::npos) throw Untold{"a resposta não lista os dois escopos"};
    found.answer("scope-separator", scope.find(',') == std::string_view::npos ? "space" : "comma");
}

void ask_wrongly(Setting& setting, Found& found, Family) {
    auto& bench = setting.bench;
    const auto& options = bench.options();
    const auto first =
        bench.ask_token(credentials_form(options.scopes),
                        basic_credentials(options.app_key, options.credential_separator, Secret("segredo-errado")));
    const auto second = ask_for(bench, {"Escopo_Inexistente"});
    if (!is_answered(first) || !is_answered(second)) throw Untold{"um dos pedidos não foi respondido"};
    const bool as_in_rfc = first.status == 401 && second.status == 400;
    const auto one = std::to_string(first.status);
    found.answer(
        "token-errors",
        as_in_rfc                       ? "rfc"
        : first.status == second.status ? one
                                        : fmt::format("{}+{}", one, second.status),
        fmt::format("app-secret errado: {}; escopo errado: {}", error_in_words(first), error_in_words(second)));
}

namespace {

std::string_view unit_of(std::int64_t expires_in) {
    constexpr std::int64_t a_year = 366LL * 24 * 3600;
    constexpr std::int64_t year_5138 = 100'000'000'000;
    if (expires_in <= a_year) return "duration";
    return expires_in < year_5138 ? "s" : "ms";
}

std::string life_in_words(std::int64_t expires_in, WallTime now) {
    const auto until = expiry_of(expires_in, now);
    if (!until) return "o valor não é uma hora nem uma duração";
    return fmt::format("o token vale {} s", std::chrono::duration_cast<std::chrono::seconds>(*until - now).count());
}

// Finds out what a refresh does to the refresh token that was used, and to the access token that came with it.
void refresh(Setting& setting, Found& found, const Grant& grant) {
    auto& bench = setting.bench;
    const auto renewed = grant_in(bench, bench.ask_token(refresh_form(grant.refresh), Secret()));
    if (!renewed) throw Untold{"o refresh não deu um token"};
    const auto reply = bench.ask_token(refresh_form(grant.refresh), Secret());
    // An answer that asks for patience, or an error of the service's own, neither grants nor refuses.
    if (!is_answered(reply) || reply.status == 429 || reply.status >= 500) {
        found.leave("refresh-token", in_portuguese(reply));
    } else {
        // RFC 6749 lets an answer have no refresh token: then the old one is kept.
        const bool stays = renewed->refresh.empty() || renewed->refresh == grant.refresh;
        const bool lives = grant_in(bench, reply).has_value();
        if (stays && !lives)
            found.answer("refresh-token", "once", "o mesmo volta e não vale mais");
        else
            found.answer("refresh-token", stays ? "stays" : lives ? "rotates-old-lives" : "rotates");
    }
    if (setting.questions.empty()) throw Untold{"não há consulta com que experimentar o token antigo"};
    const auto old = told(bench.query_with(setting.questions.begin()->second, grant.access));
    if (old.status != 401 && !is_success(old)) throw Untold{in_portuguese(old)};
    found.answer("refresh-old-access", old.status == 401 ? "revoked" : "good");
}

}  // namespace

void ask_token(Setting& setting, Found& found, Family) {
    auto& bench = setting.bench;
    const auto reply = ask_for(bench, bench.options().scopes);
    const auto grant = grant_in(bench, reply);
    if (!grant) throw Untold{"não veio um token: " + in_portuguese(reply)};
    if (grant->expires_in)
        found.answer("expires-in", unit_of(*grant->expires_in),
                     life_in_words(*grant->expires_in, bench.clock().wall()));
    else
        found.leave("expires-in", "expires_in não é um número inteiro");
    if (grant->refresh.empty()) {
        found.answer("refresh-token", "none");
        found.drop("refresh-old-access", "não há refresh_token");
        return;
    }
    refresh(setting, found, *grant);
}

namespace {

// Counts the reads that were sent one after the other within a second.
struct Burst {
    int sent = 0;  // before the first 429, if one came
    bool refused = false;
    bool with_retry_after = false;
};

Burst burst(Bench& bench, const OptionsQuestion& question, int most) {
    Burst burst;
    const auto begun = bench.clock().now();
    while (burst.sent < most && bench.clock().now() - begun < a_second) {
        const auto reply = bench.query_once(question);
        if (!is_answered(reply)) throw Untold{"uma leitura não foi respondida"};
        burst.refused = reply.status == 429;
        burst.with_retry_after = reply.retry_after.has_value();
        if (burst.refused) break;
        ++burst.sent;
    }
    return burst;
}

// Returns the time until a second of the clock begins. A provider that counts by these seconds begins anew then.
Duration until_a_whole_second(const Clock& clock) {
    const auto now = clock.wall();
    const auto next = std::chrono::ceil<std::chrono::seconds>(now + between_steps);
    return next - now + after_the_second;
}

}  // namespace

void read_faster(Setting& setting, Found& found, Family) {
    auto& bench = setting.bench;
    if (setting.questions.empty()) throw Untold{"não há consulta com que contar"};
    int most = 0;
    for (const auto step : steps_of_reads) {
        bench.pause(until_a_whole_second(bench.clock()));
        const auto seen = burst(bench, setting.questions.begin()->second, step);
        most = std::max(most, seen.sent);
        if (!seen.refused) continue;
        const int limit = std::max(seen.sent, 1);
        found.answer("rate-limit", std::to_string(limit),
                     fmt::format("o primeiro 429 veio depois de {} em um segundo", limit));
        found.answer("rate-limit-answer", seen.with_retry_after ? "429-retry-after" : "429");
        bench.use_pace(Duration(1000 / limit + 1));
        bench.pause(between_steps);
        return;
    }
    // If the line or this machine is slower than the ceiling, we know no more than what was reached.
    const bool reached = most >= steps_of_reads.back();
    found.answer("rate-limit", reached ? "none" : fmt::format("over-{}", most),
                 fmt::format("nenhum 429 até {} leituras em um segundo", most));
    found.drop("rate-limit-answer", "não houve recusa");
}

}  // namespace gateway::probe
