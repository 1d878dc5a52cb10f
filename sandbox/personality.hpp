// A personality says how the provider answers where the interface document leaves that open. Each open point has a
// name, the alternatives that a live provider might show, and a meaning for each; the first alternative is what this
// sandbox does unless it is told otherwise. The names and the words of the alternatives are stable: a probe that finds
// out how a provider behaves compares with GET /sandbox/personality.
//
// There is one table of the points, in open_points.cpp. The options of the program, their help, the page, the parsing
// and the random personalities all come from it.
#pragma once

#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "sandbox/words.hpp"

#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

// Describes an answer that the document does not show: its HTTP status, and the transacao.status that it names.
struct Said {
    enum class Word { nothing, own, cancelada, negada, stranger };  // `stranger`: a word that the interface lacks
    int http = 200;
    Word word = Word::nothing;
    bool operator==(const Said&) const = default;
};

// Returns the status that the answer names where the sale has none of its own; empty where it names none.
std::string_view word_of(Said::Word word);

// Says what `expires_in` holds. The document says "timestamp of the token expiry" and not in which unit; similar
// services also send a number of seconds, so a client has to cope with all three.
enum class ExpiresIn { timestamp_ms, timestamp_s, duration_s };
enum class RefreshToken { rotates, rotates_old_lives, stays, none };
enum class TokenErrors { rfc, all_400, all_401 };
enum class InstrucaoAgain { again, missing, null };
enum class HealthCancel { cancels, sells };
enum class CancelEffect { cancels, stays_autorizada, no_path, no_method };
enum class AfterCancel { sells, refuses_409, refuses_422, cancelada, negada };
enum class IdAgain { refuses_409, refuses_422, same, second };
enum class IdLetters { any, alphanumeric, upper_digits, digits };
enum class ErrorBody { erro, erro_object, oauth, message, html, empty };
enum class StatusShape { transacao, venda, top };
enum class EsimUuid { own_number, id_transacao, id_externo };
enum class RechargeCallback { own_address, same_address, none };
enum class CallbackRepeat { doubling, fixed };
enum class CallbackUntil { only_200, any_2xx };
enum class Encoding { utf_8, latin_1 };
enum class Money { cents, comma, point };  // 4900; 49,00; 49.00
enum class LineEnd { lf, crlf };

struct Personality {
    Said cancel_unknown{404};
    Said cancel_on_efetivada{200, Said::Word::own};
    Said confirm_on_cancelada{200, Said::Word::own};
    Said confirm_again{200, Said::Word::own};  // the answer where the sale is EFETIVADA already
    Said cancel_again{200, Said::Word::own};   // the answer where the sale is CANCELADA already
    InstrucaoAgain egift_instrucao_again = InstrucaoAgain::again;
    std::string health_cancel_path{};  // "{health}" stands for the partner's segment; empty: there is none
    HealthCancel health_cancel_does = HealthCancel::cancels;
    AfterCancel request_after_cancel = AfterCancel::sells;
    IdAgain id_again_same_body = IdAgain::refuses_409;
    IdAgain id_again_other_body = IdAgain::refuses_409;
    std::size_t id_length = 0;  // the longest idExterno, in characters; 0: any length
    IdLetters id_letters = IdLetters::any;
    ErrorBody error_body = ErrorBody::erro;
    Said error_missing_field{400};
    Said error_bad_amount{400};
    Said error_unknown_product{400};
    Said error_beyond_bound{400};
    Said error_wrong_establishment{400};
    ExpiresIn expires_in = ExpiresIn::timestamp_ms;
    RefreshToken refresh_token = RefreshToken::rotates;
    bool refresh_revokes_access = false;  // the access token that came with the refresh token is revoked too
    std::string basic_separator = ":";
    TokenErrors token_errors = TokenErrors::rfc;
    std::vector<std::string> granted_scopes{};  // none: all that exist
    char scope_separator = ',';
    std::string status_path{};  // with "{idExterno}" or "{idTransacao}"; empty: there is none
    StatusShape status_shape = StatusShape::transacao;
    Said status_unknown{404};
    std::array<Duration, families.size()> open_sales_end{};  // an open sale is cancelled after this time; 0: never
    EsimUuid esim_uuid = EsimUuid::own_number;
    std::string callback_field = "the service";  // the notification address's field in an eSIM sale request
    RechargeCallback recharge_callback = RechargeCallback::own_address;
    std::size_t callback_tries = 100;  // then it is given up: an address that is gone is not tried for ever
    Duration callback_retry = std::chrono::seconds(1);  // the wait before the second try
    CallbackRepeat callback_repeat = CallbackRepeat::doubling;
    CallbackUntil callback_until = CallbackUntil::only_200;
    std::size_t rate_limit = 0;  // the requests that are accepted in a second; 0: any number
    bool retry_after = true;     // a 429 says how many seconds to wait
    char statement_separator = ';';
    Encoding statement_encoding = Encoding::utf_8;
    Money statement_money = Money::cents;
    LineEnd statement_line_end = LineEnd::lf;
    bool statement_only_sold = false;
    std::size_t keep_alive_requests = 0;  // the requests on one connection; 0: any number
    Duration keep_alive_idle = std::chrono::seconds(75);
    bool egift_confirm_without_token = false;  // the document's example omits the header
    int sale_http = 200;                       // the HTTP status of the answer to a sale that is accepted
    CancelEffect cancel_effect = CancelEffect::cancels;
    Duration forgets{};  // a sale is forgotten after this time, whatever its status is; 0: never
};

// Adds to a personality the other settings of the sandbox. The program fills it from its arguments, and a simulation
// from its seed.
struct Options : Personality {
    std::string app_key = "app-key";
    Secret app_secret{"app-secret"};
    Duration token_lifetime = std::chrono::minutes(5);   // the value of the document's sandbox
    Duration refresh_lifetime = std::chrono::hours(24);  // the document does not say how long
    std::vector<std::string> estabelecimentos{"12345678"};
    Duration slow = std::chrono::seconds(3);            // how late a slow answer is
    Duration lost_after{0};                             // how long a lost answer's connection stays open, silent
    Duration late_arrival = std::chrono::seconds(30);   // how late a held request is processed
    Duration callback_delay = std::chrono::seconds(1);  // from a sale to its callback, and between callbacks
    Duration callback_late = std::chrono::seconds(30);  // the same, where the callback is late
    Duration callback_retry_most = std::chrono::seconds(60);
    std::size_t keep = 100'000;  // sales in the books; beyond, a new sale replaces the oldest finished one
};

// Reads "250ms", "3s", "5m" or "2h"; a bare number means milliseconds.
std::optional<Duration> parse_duration(std::string_view text);
std::string write_duration(const Duration& duration);

// Reads "name=value" pairs with commas or line ends between them; the rest of a line after a # is a comment.
// "random=SEED" sets a whole personality at random, and "open-sales-end=VALUE" the five points of that name. A later
// pair replaces an earlier one. A failure changes nothing and says in words what is wrong.
boost::system::result<void, std::string> read_personality(std::string_view text, Personality& target);

// Each point in turn takes one of its alternatives with a chance of `permille` in 1000.
Personality random_personality(Random& random, std::uint64_t permille);
// The same seed gives the same personality in every version that has the same points.
Personality random_personality(std::uint64_t seed);

// Writes what GET /sandbox/personality shows: for each name the value in force, its meaning, all alternatives and the
// question.
boost::json::object personality_document(const Personality& personality);
// Writes the table for people, with a block for each point.
std::string personality_help();

}  // namespace gateway::sandbox
