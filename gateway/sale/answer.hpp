// What an answer of the provider means: from the step and everything that came back to what is now known. Pure. The
// table stands in answer.cpp, a row a branch; anything that is not a clean yes or an explicit no is unknown.
#pragma once

#include "base/reply.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>

namespace gateway {

enum class Verdict {
    authorised,    // solicitar: AUTORIZADA, and everything echoed matches
    refused,       // solicitar: an explicit no; consultar, eSIM: NEGADA
    unsent,        // nothing left
    unauthorised,  // 401: not processed, the token is no good
    throttled,     // 429 to a solicitar: not processed
    sold,          // confirmar, cancelar, consultar: EFETIVADA
    cancelled,     // confirmar, cancelar, consultar: CANCELADA
    no_such_sale,  // confirmar, cancelar: a 4xx without a status: the provider knows no such sale, now;
                   // cancelar: NEGADA, which leaves nothing to cancel
    declined,      // confirmar, cancelar: a 4xx without a status that is about this call and not about the sale
    unknown,
};

struct Answer {
    Verdict verdict = Verdict::unknown;
    bool without_status = false;  // no_such_sale: what says so is a 4xx and no status: see Rules::trusts_cancel_4xx
    std::string id_transacao;     // where the answer names it
    TransactionDetails details;
    Reason reason;  // unless authorised or sold: why not
};

std::string_view to_string(Verdict verdict) noexcept;

// The answer to `step` of `attempt`, which is one of `sale`'s.
Answer interpret(Step step, const Sale& sale, const Attempt& attempt, const Reply& reply);

// What the answer to a consultar says of the attempt as it stands there: a row of a statement, not what the law makes
// of it.
struct StatusSaid {
    Status status = Status::PENDENTE;
    Cents valor;
    std::string id_externo;    // the attempt's, where the answer names it
    std::string id_transacao;  // likewise
    std::string cnpj_cpf;      // of the establishment; empty where the answer does not name it
};
// Nothing where it says nothing of this attempt: it is no success that names the attempt, a status and an amount, or it
// contradicts itself.
std::optional<StatusSaid> status_said(const Attempt& attempt, const Reply& reply);

}  // namespace gateway
