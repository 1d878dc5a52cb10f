// Writes totals as JSON, as a close keeps them.
#pragma once

#include "base/json_text.hpp"
#include "reconcile/totals.hpp"

namespace gateway {

// Writes a member of the present object: "late":{"count":1,"valor":4490}. The valor is null where the amount is more
// than can be counted.
void write_count(JsonWriter& json, std::string_view name, const CountAndTotal& counted);
// Writes members of the present object: "sold":{"count":41,"valor":204590},"cancelled":… A close counts final sales
// only.
void write_totals(JsonWriter& json, const Totals& totals);
// Writes members of the present object, one for each group by its only value: "tv":{"sold":…},"transit":{…}
void write_groups(JsonWriter& json, const GroupedTotals& groups);

}  // namespace gateway
