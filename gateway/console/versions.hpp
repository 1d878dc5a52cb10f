// Returns the numbers that show whether something that a page shows has changed. All of them are counted anyway.
#pragma once

#include "api/health.hpp"
#include "books/day_books.hpp"
#include "books/reconciler.hpp"
#include "console/changes.hpp"
#include "flow/attention_list.hpp"
#include "flow/metrics.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

namespace gateway {

struct VersionedParts {
    const Journal& journal;
    const AttentionList& attention;
    const Metrics& metrics;
    const DayBooks& books;
    const Reconciler& reconciler;
    const Health& health;
    const TokenKeeper& tokens;
};
Versions versions(const VersionedParts& parts);

}  // namespace gateway
