#include "reconcile/close_digest.hpp"

#include "base/ascii.hpp"

namespace gateway {

CloseDigest::CloseDigest(std::string_view previous) {
    digest_.add(previous);
    digest_.add("\n");
}

void CloseDigest::add(const SaleId& id, Cents valor, Status status) {
    line_.assign(id.text());
    line_ += ';';
    append_number(line_, valor.value);
    line_ += ';';
    line_ += to_string(status);
    line_ += '\n';
    digest_.add(line_);
}

}  // namespace gateway
