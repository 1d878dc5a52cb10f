#include "books/totals_json.hpp"

namespace gateway {

void write_count(JsonWriter& json, std::string_view name, const CountAndTotal& counted) {
    json.key(name).begin_object();
    json.key("count").number(counted.count);
    json.key("valor");
    if (counted.total)
        json.number(counted.total->value);
    else
        json.null();
    json.end_object();
}

void write_totals(JsonWriter& json, const Totals& totals) {
    write_count(json, "sold", totals.sold);
    write_count(json, "cancelled", totals.cancelled);
    write_count(json, "refused", totals.refused);
}

void write_groups(JsonWriter& json, const GroupedTotals& groups) {
    for (const auto& [values, totals] : groups.groups()) {
        json.escaped_key(values.front()).begin_object();
        write_totals(json, totals);
        json.end_object();
    }
}

}  // namespace gateway
