// What the values of readings mean, in the Portuguese of the report. The values themselves are words for programs: they
// stay as they are in report.json, and a sandbox provider has the same ones. Pure.
#pragma once

#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway::probe {

// What a value says of a point, by the point's name:
//
//     "cancel-unknown", "404"       "HTTP 404 sem status"
//     "cancel-again", "200-status"  "HTTP 200 com CANCELADA", which is the status that such a sale has
//     "rate-limit", "over-12"       "mais de 12 por segundo"
//     "scopes", "none"              "nenhum"
//
// Of what has no words it is the value itself: a path, or the name of a field.
std::string answer_in_portuguese(std::string_view point, std::string_view value);

// As the provider's people call it.
std::string_view family_in_portuguese(Family family);

}  // namespace gateway::probe
