// This is a module that another version of the program could have brought.
#include "journal/postgres/client.hpp"

extern "C" __attribute__((visibility("default"))) const gateway::postgres::ClientModule*
sales_gateway_postgres_client() {
    static const gateway::postgres::ClientModule module{"0.0.0-other", nullptr};
    return &module;
}
