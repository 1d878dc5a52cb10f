// Prints a close on the paper of a receipt printer: in lines of at most 40 columns, in the store's time.
#pragma once

#include "api/letterhead.hpp"
#include "base/calendar.hpp"
#include "base/language.hpp"
#include "journal/journal.hpp"

#include <string>
#include <vector>

namespace gateway {

// Prints a close that is finished below the store's name and CNPJ; `zone` is the store's.
std::vector<std::string> close_receipt(const Close& close, const Letterhead& letterhead, Language language,
                                       const TimeZone& zone);

}  // namespace gateway
