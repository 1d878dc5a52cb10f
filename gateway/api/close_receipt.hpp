// Prints a close on the paper of a receipt printer: in lines of at most 40 columns, in the store's time.
#pragma once

#include "api/letterhead.hpp"
#include "base/calendar.hpp"
#include "base/language.hpp"
#include "journal/journal.hpp"
#include "reconcile/totals.hpp"

#include <string>
#include <vector>

namespace gateway {

// Prints a close that is finished below the store's name and CNPJ; `zone` is the store's. What each cashier sold is on
// it where `cashiers` names at least one.
std::vector<std::string> close_receipt(const Close& close, const Letterhead& letterhead, Language language,
                                       const TimeZone& zone, const GroupedTotals* cashiers = nullptr);

}  // namespace gateway
