// Holds what the descriptions of several calls share: parameters, header fields, examples of a sale and answers.
#pragma once

#include "api/openapi/document.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::openapi {

constexpr std::string_view request_id_example = "caixa-01.20240502-101111";

// Describes a header field of answers. It is in every answer, or in those that ask for it.
struct Header {
    std::string_view name;
    std::string_view component;
    std::string_view description;
    Type type;
    std::string_view example;
    Headers when = no_headers;
    bool is_required = true;
};
std::span<const Header> all_headers();

Overview overview_of(ListenerSet listener);

constexpr Parameter request_id{"X-Request-Id", text,
                               "Names this request in the answer and in the log. One that is not 1 to 64 characters of "
                               "[A-Za-z0-9._-] is replaced by one of the gateway's own.",
                               request_id_example, In::header};
constexpr Parameter prefer{
    "Prefer", text,
    "`wait=N` (RFC 7240): how many seconds the caller can wait, 1 to 120; more is taken for 120. What makes no sense, "
    "0 among it, is ignored, and the usual wait holds. `Preference-Applied` says which wait was heeded.",
    "wait=25", In::header};
constexpr Parameter idempotency_key_parameter{
    "Idempotency-Key",
    key_text,
    "1 to 64 visible ASCII characters, unique per sale at this terminal. The same key never makes a second sale.",
    "caixa-01-000123",
    In::header,
    true};
constexpr Parameter sale_id_of_terminal{
    "id", text, "The sale's `id`. A text that is none is answered as a sale that does not exist.",
    "01JD3W4Q8Y7RZK5T9V2XB6M0NA", In::path};
constexpr Parameter sale_id_of_operator{
    "id", text,
    "The sale's `id`, or any of its `idExterno`s. A text that is neither is answered as a sale that does not exist.",
    "01JD3W4Q8Y7RZK5T9V2XB6M0NA", In::path};
// Returns the parameters of a list of sales, as both listeners have them, followed by `more`.
std::vector<Parameter> list_parameters(std::vector<Parameter> more = {});

constexpr std::string_view journal_not_written =
    "The gateway cannot write its journal now, so it did nothing. Try again soon.";

// Each of these says what differs from a sold sale, which is the example that the schema has.
constexpr std::string_view held_sale =
    R"({"outcome":"held","status":"AUTORIZADA","final":false,"settled":false,"instrucao":null,
        "receipt":null})";
constexpr std::string_view pending_sale =
    R"({"outcome":"pending","status":"PENDENTE","final":false,"settled":false,"idTransacao":null,
        "dataHora":null,"estabelecimentoNome":null,"cnpjCpf":null,"instrucao":null,"receipt":null})";
constexpr std::string_view unsent_sale =
    R"({"outcome":"not_sold","status":"CANCELADA","idTransacao":null,"dataHora":null,"reason":{
        "code":"never_sent","detail":"The provider could not be reached."},"estabelecimentoNome":null,
        "cnpjCpf":null,"instrucao":null,"receipt":null})";
constexpr std::string_view withdrawn_sale =
    R"({"outcome":"not_sold","status":"CANCELADA","reason":{"code":"terminal_cancelled",
        "detail":"the terminal cancelled"},"instrucao":null,"receipt":null})";
constexpr std::string_view lost_sale =
    R"({"outcome":"not_sold","status":"CANCELADA","settled":false,"idTransacao":null,"dataHora":null,
        "reason":{"code":"response_lost","detail":"the answer was lost: no answer in time"},
        "estabelecimentoNome":null,"cnpjCpf":null,"instrucao":null,"receipt":null})";
constexpr std::string_view refused_sale =
    R"({"outcome":"not_sold","status":"NEGADA","reason":{"code":"refused","detail":"The provider refused the sale.",
        "provider":{"status":200,"body":{"transacao":{"status":"NEGADA"},"mensagem":"saldo insuficiente"}}},
        "instrucao":null,"receipt":null})";
constexpr std::string_view cancelled_sale =
    R"({"outcome":"not_sold","status":"CANCELADA","reason":{"code":"provider_error","detail":"The provider's answer made no sense."},
        "instrucao":null,"receipt":null})";
// Returns the same as a member of a problem.
std::string about_sale(std::string_view differs);

// Returns what a call of the listener may be answered before it is known which call it is.
std::vector<Answer> answers_of_all(ListenerSet listener, bool for_everybody);
// Returns the answers to paths and methods that no call has.
std::vector<Answer> answers_of_no_call();
// Returns the answer to a wrong width, for a call that has text and no other answer with that status.
Answer wrong_width();

// Returns a sell of each kind, as its family's file has it.
std::vector<Example> sell_examples();
// Returns the parameters that options are asked for by, besides the family.
std::vector<Parameter> options_parameters();
Body takes(Type type, std::vector<Example> examples);
Body may_take(Type type, std::vector<Example> examples);
// Describes that there is no body, or an empty JSON object.
Body no_fields();

Answer gives(unsigned status, std::string_view description, Type type, std::vector<Example> examples,
             Headers headers = no_headers);
Answer refuses(unsigned status, std::string_view description, std::vector<Refusal> refusals,
               Headers headers = no_headers);
// Gives the answer a name, under which several calls share it.
Answer shared(std::string_view component, Answer answer);
// Describes that the answer may also be a replay, to a call with a key that was known.
Answer replayable(Answer answer);

// Describes a 422: `field` is what is wrong in the example, and `what` says how it must be.
Refusal invalid(std::string_view field, std::string_view what);
Answer wrong_parameters(std::string_view field, std::string_view what);
Answer no_parameters();
// Describes the answers to a body that is not JSON, or not declared so.
Answer not_json();
Answer not_declared_as_json();

// These are answers to calls of terminals.
Answer sale_refused();
Answer sale_cancelled();
Answer answer_lost();
Answer sale_not_found();
Answer sale_unavailable();
Answer command_unavailable();
Refusal unreadable_sale();
// Describes that nobody knows yet whether the call was done. `comes` says what all problems with this code come with.
Refusal perhaps_done(std::string_view comes = perhaps_with_sale);
Answer sale_as_it_stands();
Answer not_cancelled();
Answer journal_unavailable();
Answer pending();
Answer forbidden();
// These are answers to calls of operators.
Answer sale_not_found_for_operators();
Answer sale_unavailable_for_operators();
Answer journal_unavailable_for_operators();
Answer web_page();

}  // namespace gateway::openapi
