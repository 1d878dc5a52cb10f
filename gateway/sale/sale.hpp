// The words of the trade, as plain data that every room below this one uses. It has no behaviour but what follows from
// the data.
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
// The provider knows an attempt by this. Every `solicitar` has a different one ("General rules", 4).
using IdExterno = UlidOf<IdExternoTag>;

// Holds an amount of money, in cents.
struct Cents {
    std::int64_t value = 0;
    friend auto operator<=>(const Cents&, const Cents&) = default;
};

// These are the provider's words for a transaction, and ours for a sale. The last three are final.
enum class Status { PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA, NEGADA };
// A terminal acts by this one word.
enum class Outcome { sold, not_sold, held, pending };
// `consultar` asks how an attempt stands, where the provider has an address for that.
enum class Step { solicitar, confirmar, cancelar, consultar };
inline constexpr std::array all_steps{Step::solicitar, Step::confirmar, Step::cancelar, Step::consultar};
// Says whether the gateway confirms by itself, or the terminal says when.
enum class ConfirmMode { automatic, manual };

// Says where an attempt stands. The word stands on disk. machine.hpp draws how the states follow each other.
enum class AttemptState {
    requesting,  // the request may have left
    held,        // the provider has authorised it, and the terminal decides
    confirming,  // the decision to confirm is durable
    collecting,  // it is sold, and the confirm is sent once more, because its answer did not bring the goods or the
                 // provider's statement says AUTORIZADA
    disputing,   // a confirm was sent and no answer came in its window; or, where there is no confirm_time, a restored
                 // copy of the journal does not know whether one was sent. Only the provider's word counts
    retracting,  // it is to be cancelled, no confirm was ever sent, and the terminal still waits for another attempt
    cancelling,  // it is to be cancelled, and is never confirmed from here on. No confirm was ever sent, unless the
                 // attempt was over and the provider's statement says AUTORIZADA
    lingering,   // the cancel was answered; the request may still be on its way, so one more cancel follows
    awaiting,    // the callback of an eSIM decides
    sold,        // the provider says EFETIVADA
    cancelled,   // the sale is CANCELADA, and the provider agrees
    refused,     // the provider says NEGADA
    unsent,      // nothing ever left
    unauthorised,  // the request was answered 401, so it was not processed
    throttled,     // the request was answered 429, so it was not processed
};

// Says why a sale is not sold, or is not sold in the ordinary way.
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

// Says that a sale needs a person, and why.
enum class Attention {
    none,
    unsettled,        // a cancel or a confirm has gone unanswered for too long; the gateway goes on trying
    no_callback,      // the callback of an eSIM has not come
    no_cancel_path,   // this family's sales cannot be cancelled: the provider may keep it AUTORIZADA
    contradiction,    // the provider said something else after a final status
    undeliverable,    // it is sold, and what the customer is to be given never came
    recharge_failed,  // an eSIM is sold, and the recharge after it failed
    unreadable,       // a value of the sale in the journal cannot be read: it was damaged or altered
    restored,         // it was open in the copy that the journal was restored from: what followed was lost
};
inline constexpr std::array all_attentions{
    Attention::none,          Attention::unsettled,     Attention::no_callback,     Attention::no_cancel_path,
    Attention::contradiction, Attention::undeliverable, Attention::recharge_failed, Attention::unreadable,
    Attention::restored};

struct Reason {
    ReasonCode code = ReasonCode::provider_error;
    std::string detail;            // a sentence for a person, without customers' data
    unsigned provider_status = 0;  // the HTTP status that the provider gave; 0 where none came
    Secret provider_body;          // the provider's words, cut to a limit; they may quote the customer
    std::optional<std::chrono::seconds> retry_after;
    friend bool operator==(const Reason&, const Reason&) = default;
};

// Holds one `idExterno` and what became of it. An Instant is a time of the steady clock; the journal turns it into a
// time of the wall clock and back.
struct Attempt {
    IdExterno id_externo;
    AttemptState state = AttemptState::requesting;
    std::string id_transacao;  // empty until the provider has named it
    WallTime created_at{};     // the `dataHoraCliente` of its request
    // These are the `dataHoraCliente` of its confirm and of its cancel. They are fixed with the decision, so that
    // repeats are the same byte for byte. A confirm may have been sent only if confirm_time is there, or if the attempt
    // is disputing and a restored copy of the journal has lost it.
    std::optional<WallTime> confirm_time;
    std::optional<WallTime> cancel_time;

    Instant deadline = never;      // the end of the state's time: see machine.hpp
    Instant attention_at = never;  // the moment when a person is asked to look
    // The journal does not have these: a restart begins them anew.
    Instant next_try{};          // the next exchange is not before this
    int tries = 0;               // so many exchanges of this state had no usable answer
    bool renewed = false;        // the last answer was a 401, and the exchange is repeated with a new token
    Step turn = Step::cancelar;  // disputing: the step that is asked next
    bool ask = false;            // the status is asked for once before the next confirm or cancel
    // lingering: true if no clock that may have been set has shortened the wait for the deadline. It is false if the
    // machine was started again since the wait began.
    bool deadline_is_certain = false;
    friend bool operator==(const Attempt&, const Attempt&) = default;
};

// Holds what the provider told of a transaction besides its status.
struct TransactionDetails {
    std::string estabelecimento_nome;
    std::string cnpj_cpf;
    std::string fornecedor;
    std::string data_hora;  // in the form in which the provider wrote it
    Secret instrucao;       // JSON in a string, unchanged; empty where none came
    Secret complemento;
    friend bool operator==(const TransactionDetails&, const TransactionDetails&) = default;
};

// Holds what the callbacks of an eSIM sale told.
struct EsimDetails {
    std::string uuid;
    Secret msisdn;
    Secret url;
    std::string promocao_ativada;
    std::string situacao_recarga;
    std::string nsu_recarga;
    friend bool operator==(const EsimDetails&, const EsimDetails&) = default;
};

// Finds the possible duplicate of a new sale: a sale with the same likeness, establishment, family, produto, fornecedor
// and amount.
struct DuplicateCheck {
    Secret likeness;      // what else names the product, and the card or the cpf: see FamilyRules::likeness_of()
    Duration window{};    // two sales that were created within this time of each other may be duplicates
    bool wanted = false;  // the terminal says that this is another sale all the same
};

struct Sale {
    // The terminal asked for this, and it never changes.
    SaleId id;
    std::string terminal;
    std::string key;     // the terminal's Idempotency-Key
    std::string digest;  // SHA-256 of the canonical body, 64 hex digits
    Family family = Family::tv;
    ConfirmMode mode = ConfirmMode::automatic;
    std::string estabelecimento;
    std::string produto;
    std::string fornecedor;  // the terminal's own spelling; may be empty
    Cents valor;
    std::string segment;  // the part of the paths that names the operator or partner; empty where the family has none
    Secret request;       // a JSON object of the family's own fields, also of those that are not sent
    std::string redemption;  // the offer's words about using what was bought, for the receipt; may be empty
    Secret callback_secret;  // ties a callback to this sale; empty where the family has none
    std::string cashier;     // the person who stood at the till, perhaps by name; may be empty
    WallTime created_at{};

    // This is what became of it.
    WallTime updated_at{};
    Status status = Status::PENDENTE;
    bool settled = false;
    std::optional<Day> day;  // the movement day, which is there once the status is final: see movement_day()
    Attention attention = Attention::none;
    std::optional<Reason> reason;
    TransactionDetails details;
    std::optional<EsimDetails> esim;
    std::vector<Attempt> attempts;  // never empty; the last one is the current one

    // The terminal waits for another attempt until then. The journal does not have it, because nobody waits across a
    // restart.
    Instant patience = Instant::min();
    // A new sale has this where duplicates are looked for. The journal has only a keyed hash of it.
    std::optional<DuplicateCheck> duplicate_check;

    const Attempt& current() const { return attempts.back(); }
};

// Returns what is known after something was learned. A field that is empty in `learned` takes nothing away.
TransactionDetails merged(TransactionDetails known, const TransactionDetails& learned);
EsimDetails merged(EsimDetails known, const EsimDetails& learned);

bool is_final(Status status) noexcept;
// Tells whether a callback said that the recharge after the sale failed.
bool recharge_failed(const EsimDetails& details) noexcept;
// Tells whether the mark goes away by itself once the sale is settled.
bool is_passing(Attention attention) noexcept;
// Tells whether nothing more follows for an attempt.
bool is_settled(AttemptState state) noexcept;
Outcome outcome_of(const Sale& sale) noexcept;

// These give the words that stand in JSON, in the journal and in the log. The parsers accept exactly those;
// parse_status accepts the provider's words in any letter case.
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
