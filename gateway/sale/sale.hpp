// The words of the trade: plain data that every room above speaks in. It has no behaviour but what follows from it.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/secret.hpp"
#include "base/ulid.hpp"
#include "sale/family.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

struct SaleTag;
struct IdExternoTag;
using SaleId = UlidOf<SaleTag>;
// What the provider knows one attempt by. A different one for every `solicitar` ("General rules", 4).
using IdExterno = UlidOf<IdExternoTag>;

// An amount in cents.
struct Cents {
    std::int64_t value = 0;
    friend auto operator<=>(const Cents&, const Cents&) = default;
};

// The provider's words for a transaction, and ours for a sale. The last three are final.
enum class Status { PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA, NEGADA };
// The one word a terminal lives by.
enum class Outcome { sold, not_sold, held, pending };
// `consultar` asks how an attempt stands, where the provider has an address for that.
enum class Step { solicitar, confirmar, cancelar, consultar };
inline constexpr std::array all_steps{Step::solicitar, Step::confirmar, Step::cancelar, Step::consultar};
// Whether the gateway confirms by itself, or the terminal says when.
enum class ConfirmMode { automatic, manual };

// Where an attempt stands: the word on disk. machine.hpp draws how they follow each other.
enum class AttemptState {
    requesting,  // the request may have left
    held,        // authorised; the terminal decides
    confirming,  // the decision to confirm is durable
    collecting,  // sold; the confirm is sent once more: the goods did not come with its answer, or the provider's
                 // statement has it AUTORIZADA
    disputing,   // a confirm was sent and no answer came in its window, or (without a confirm_time) a restored copy of
                 // the journal does not know whether one was sent: only the provider's word counts
    retracting,  // to be cancelled, no confirm was ever sent, and the terminal still waits for another attempt
    cancelling,  // to be cancelled, and never to be confirmed from here on. No confirm was ever sent, but where the
                 // attempt was over, and the provider's statement has it AUTORIZADA
    lingering,   // the cancel was answered; the request may still be on its way, so one more cancel follows
    awaiting,    // eSIM: the callback decides
    sold,        // EFETIVADA
    cancelled,   // CANCELADA, and the provider agrees
    refused,     // NEGADA
    unsent,      // nothing ever left
    unauthorised,  // answered 401: not processed
    throttled,     // answered 429: not processed
};

// Why a sale is not sold, or not sold the ordinary way.
enum class ReasonCode {
    response_lost,       // no answer came, or the journal did not take the one that came
    provider_error,      // an answer came that made no sense, or the provider would not go on
    never_sent,          // the provider could not be reached
    refused,             // the provider said no
    hold_expired,        // the terminal held it and never decided
    terminal_cancelled,  // the terminal asked for it
    by_operator,         // a person decided; "operator" to terminals
    by_statement,        // the provider's statement of the day said so; "statement" to terminals
};

// What needs a person, and why.
enum class Attention {
    none,
    unsettled,        // a cancel or a confirm has gone unanswered for too long; the gateway goes on trying
    no_callback,      // an eSIM whose callback has not come
    no_cancel_path,   // this family's sales cannot be cancelled: the provider may keep it AUTORIZADA
    contradiction,    // the provider said something else after a final status
    undeliverable,    // sold, and what the customer is to be given never came
    recharge_failed,  // eSIM: sold, and the recharge after it failed
    unreadable,       // a value of the sale in the journal cannot be read: it was damaged or altered
    restored,         // was open in the copy that the journal was restored from: what followed was lost
};
inline constexpr std::array all_attentions{
    Attention::none,          Attention::unsettled,     Attention::no_callback,     Attention::no_cancel_path,
    Attention::contradiction, Attention::undeliverable, Attention::recharge_failed, Attention::unreadable,
    Attention::restored};

struct Reason {
    ReasonCode code = ReasonCode::provider_error;
    std::string detail;            // a sentence for a person, without customers' data
    unsigned provider_status = 0;  // the HTTP status that the provider gave; 0: none
    Secret provider_body;          // its words, cut to a limit: may quote the customer
    std::optional<std::chrono::seconds> retry_after;
    friend bool operator==(const Reason&, const Reason&) = default;
};

// One `idExterno` and what became of it. The times are on the steady clock; the journal turns them into wall-clock
// times and back.
struct Attempt {
    IdExterno id_externo;
    AttemptState state = AttemptState::requesting;
    std::string id_transacao;  // empty until the provider has named it
    WallTime created_at{};     // `dataHoraCliente` of its request
    // `dataHoraCliente` of its confirm and of its cancel, fixed with the decision so that repeats are byte for byte the
    // same. A confirm may have been sent exactly when confirm_time is there; and, where a restored copy of the journal
    // lost it, while disputing.
    std::optional<WallTime> confirm_time;
    std::optional<WallTime> cancel_time;

    Instant deadline = never;      // of the state: see machine.hpp
    Instant attention_at = never;  // when a person is asked to look
    // Not in the journal: a restart begins them anew.
    Instant next_try{};          // the next exchange is not before this
    int tries = 0;               // how often the exchange of this state had no usable answer
    bool renewed = false;        // the last answer was a 401, and the exchange is repeated with a new token
    Step turn = Step::cancelar;  // disputing: what is asked next
    bool ask = false;            // its status is asked for once before the next confirm or cancel
    // lingering: no clock that may have been set has shortened the wait for the deadline. False where the machine was
    // started again since the wait began.
    bool deadline_is_certain = false;
    friend bool operator==(const Attempt&, const Attempt&) = default;
};

// What the provider told of a transaction besides its status.
struct TransactionDetails {
    std::string estabelecimento_nome;
    std::string cnpj_cpf;
    std::string fornecedor;
    std::string data_hora;  // as the provider wrote it
    Secret instrucao;       // JSON in a string, as it came; empty: none came
    Secret complemento;
    friend bool operator==(const TransactionDetails&, const TransactionDetails&) = default;
};

// What the callbacks of an eSIM sale told.
struct EsimDetails {
    std::string uuid;
    Secret msisdn;
    Secret url;
    std::string promocao_ativada;
    std::string situacao_recarga;
    std::string nsu_recarga;
    friend bool operator==(const EsimDetails&, const EsimDetails&) = default;
};

// What tells a new sale from its possible duplicate: one with the same likeness, establishment, family, produto,
// fornecedor and amount.
struct DuplicateCheck {
    Secret likeness;      // what else names the product, and the card or the cpf: see FamilyRules::likeness_of()
    Duration window{};    // how long before or after the other one was created this sale may be its duplicate
    bool wanted = false;  // the terminal says that this is another sale all the same
};

struct Sale {
    // What was asked for; never changes.
    SaleId id;
    std::string terminal;
    std::string key;     // the terminal's Idempotency-Key
    std::string digest;  // SHA-256 of the canonical body, 64 hex digits
    Family family = Family::tv;
    ConfirmMode mode = ConfirmMode::automatic;
    std::string estabelecimento;
    std::string produto;
    std::string fornecedor;  // as the terminal named it; may be empty
    Cents valor;
    std::string segment;     // the operator's or partner's part of the paths; empty where the family has none
    Secret request;          // the family's own fields, those that are not sent too: a JSON object
    std::string redemption;  // what the offer said about using what was bought, for the receipt; may be empty
    Secret callback_secret;  // ties a callback to this sale; empty where its family has none
    std::string cashier;     // who stood at the till, a person's name perhaps; may be empty
    WallTime created_at{};

    // What became of it.
    WallTime updated_at{};
    Status status = Status::PENDENTE;
    bool settled = false;
    std::optional<Day> day;  // the movement day: see movement_day(); there once the status is final
    Attention attention = Attention::none;
    std::optional<Reason> reason;
    TransactionDetails details;
    std::optional<EsimDetails> esim;
    std::vector<Attempt> attempts;  // never empty; the last one is the current one

    // Until when the terminal waits for another attempt. Not in the journal: nobody waits across a restart.
    Instant patience = Instant::min();
    // Of a new sale, where duplicates are looked for. In the journal there is only a keyed hash of it.
    std::optional<DuplicateCheck> duplicate_check;

    const Attempt& current() const { return attempts.back(); }
};

// What is known once more was learned: what is not there takes nothing away.
TransactionDetails merged(TransactionDetails known, const TransactionDetails& learned);
EsimDetails merged(EsimDetails known, const EsimDetails& learned);

bool is_final(Status status) noexcept;
// Whether a callback said that the recharge after the sale failed.
bool recharge_failed(const EsimDetails& details) noexcept;
// Whether the mark goes away by itself, once the sale is settled.
bool is_passing(Attention attention) noexcept;
// Whether nothing follows for an attempt any more.
bool is_settled(AttemptState state) noexcept;
Outcome outcome_of(const Sale& sale) noexcept;

// Words as they stand in JSON, in the journal and in the log. The parsers take exactly those; parse_status takes the
// provider's words in any letter case.
std::string_view to_string(Status status) noexcept;
std::string_view to_string(Outcome outcome) noexcept;
std::string_view to_string(Step step) noexcept;
std::string_view to_string(ConfirmMode mode) noexcept;
std::string_view to_string(AttemptState state) noexcept;
std::string_view to_string(ReasonCode code) noexcept;
std::string_view to_string(Attention attention) noexcept;
std::optional<Status> parse_status(std::string_view text) noexcept;
std::optional<ConfirmMode> parse_confirm_mode(std::string_view text) noexcept;
std::optional<AttemptState> parse_attempt_state(std::string_view text) noexcept;
std::optional<ReasonCode> parse_reason_code(std::string_view text) noexcept;
std::optional<Attention> parse_attention(std::string_view text) noexcept;

}  // namespace gateway
