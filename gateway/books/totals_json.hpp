// Totals in JSON, as calls answer them and as a close keeps them.
#pragma once

#include "base/json_text.hpp"
#include "reconcile/totals.hpp"

namespace gateway {

// What a close counts has a final status; what is asked for at any time may be open or held.
enum class TotalsOf { final_sales, all_sales };

// As a member of the object that is being written: "late":{"count":1,"valor":4490}; null where the amount is more than
// can be counted.
void write_count(JsonWriter& json, std::string_view name, const CountAndTotal& counted);
// As members of the object that is being written: "sold":{"count":41,"valor":204590},"cancelled":…
void write_totals(JsonWriter& json, const Totals& totals, TotalsOf of);

}  // namespace gateway
