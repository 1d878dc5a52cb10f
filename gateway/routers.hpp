// Which calls each listener answers.
#pragma once

#include "api/admin.hpp"
#include "api/attention.hpp"
#include "api/authenticator.hpp"
#include "api/callbacks.hpp"
#include "api/closes.hpp"
#include "api/findings.hpp"
#include "api/latency.hpp"
#include "api/machine.hpp"
#include "api/metrics_page.hpp"
#include "api/operator_status.hpp"
#include "api/options.hpp"
#include "api/proxy.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/statements.hpp"
#include "api/status.hpp"
#include "api/terminal_list.hpp"
#include "api/totals.hpp"
#include "config/config.hpp"
#include "console/event_stream.hpp"
#include "console/sign_in.hpp"
#include "listeners.hpp"

namespace gateway {

// Those that let callers in, and those that answer them.
struct Apis {
    Authenticator& authenticator;
    SellApi& sell;
    SalesApi& sales;
    OptionsApi& options;
    ProxyApi& proxy;
    StatusApi& status;
    CallbacksApi& callbacks;
    TotalsApi& totals;
    ClosesApi& closes;
    AdminApi& admin;
    MetricsPage& metrics_page;
    OperatorStatusApi& operator_status;
    StatementsApi& statements;
    FindingsApi& findings;
    AttentionApi& attention;
    LatencyApi& latency;
    TerminalListApi& terminal_list;
    MachineApi& machine;
    SignIn& sign_in;
    EventStreams& event_streams;
};

// Every one of `apis`, and `listeners`, must outlive the routers.
Listeners::Routers make_routers(const Apis& apis, const Listeners& listeners, const ListenOptions& listen);

}  // namespace gateway
