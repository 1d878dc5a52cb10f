// Says what an answer of the provider means: from the step and everything that came back it makes what is now known. It
// is pure. In answer.cpp each row of the table of answers is one branch. Anything that is not a clean yes or an
// explicit no is unknown.
#pragma once

#include "base/reply.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>

namespace gateway {

enum class Verdict {
    authorised,    // solicitar: the answer says AUTORIZADA, and everything that it echoes matches
    refused,       // solicitar: the answer is an explicit no; consultar of an eSIM: it says NEGADA
    unsent,        // nothing left this machine
    unauthorised,  // 401: the call was not processed, because the token is not accepted
    throttled,     // 429 to a solicitar: the call was not processed
    sold,          // confirmar, cancelar, consultar: the answer says EFETIVADA
    cancelled,     // confirmar, cancelar, consultar: the answer says CANCELADA
    no_such_sale,  // confirmar, cancelar: a 4xx without a status says that the provider knows no such sale now;
                   // cancelar: NEGADA says that nothing is left to cancel
    declined,      // confirmar, cancelar: a 4xx without a status is about this call and not about the sale
    unknown,
};

struct Answer {
    Verdict verdict = Verdict::unknown;
    bool without_status = false;  // no_such_sale: a 4xx says so, and no status does: see Rules::trusts_cancel_4xx
    std::string id_transacao;     // empty where the answer does not name it
    TransactionDetails details;
    Reason reason;  // why it is neither authorised nor sold
};

std::string_view to_string(Verdict verdict) noexcept;

// Reads the answer to `step` of `attempt`, which is one of the attempts of `sale`.
Answer interpret(Step step, const Sale& sale, const Attempt& attempt, const Reply& reply);

// Says how the attempt stands at the provider by the answer to a consultar. It is like a row of a statement, and not
// what the law makes of it.
struct StatusSaid {
    Status status = Status::PENDENTE;
    Cents valor;
    std::string id_externo;    // this attempt's, or empty where the answer does not name it
    std::string id_transacao;  // this attempt's, or empty where the answer does not name it
    std::string cnpj_cpf;      // the establishment's, or empty where the answer does not name it
};
// Returns nothing if the answer says nothing of this attempt: if it is not a success that names the attempt, a status
// and an amount, or if it contradicts itself.
std::optional<StatusSaid> status_said(const Attempt& attempt, const Reply& reply);

}  // namespace gateway
