// Describes each call for the documents. The description of a call, and the schemas of what it takes and answers, stand
// beside the code that reads and writes these.
#pragma once

#include "api/openapi/description.hpp"

#include <span>
#include <vector>

namespace gateway::openapi {

// These calls of terminals sell, or tell what can be sold.
Description sell();
Description cancel_key();
Description list_options();
Description get_status();
Description ask_provider();

// These calls are about sales that exist, for their terminals and for operators.
Description list_sales();
Description get_sale();
Description get_receipt();
Description confirm_sale();
Description cancel_sale();
Description list_sales_for_operators();
Description get_sale_for_operators();
Description get_history();
Description resolve_sale();
Description list_attention();

// These calls are about the books: days, closes, statements and findings.
Description get_totals();
Description get_totals_for_operators();
Description list_closes();
Description make_close();
Description get_close_csv();
Description get_close();
Description get_close_receipt();
Description get_store();
Description list_statements();
Description import_statement();
Description import_list();
Description ask_for_sales();
Description list_findings();
Description get_finding();
Description resolve_finding();

// These calls tell how the gateway is.
Description get_health();
Description get_readiness();
Description get_metrics();
Description get_operator_status();
Description get_latency();
Description list_terminals();
Description get_host();
Description get_openapi();
Description get_openapi_for_operators();

// Returns every schema that the documents of the listeners may speak of, without those of the console.
std::vector<std::span<const Schema>> all_schemas();

}  // namespace gateway::openapi
