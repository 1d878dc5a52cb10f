// Says which calls each listener answers, and what stands before them.
#pragma once

#include "api/authenticator.hpp"
#include "api/operator_status.hpp"
#include "api/routes.hpp"
#include "app/listeners.hpp"
#include "config/config.hpp"
#include "console/sign_in.hpp"

namespace gateway {

// These look at every request before it is answered: who calls at the terminals' listener and at the console, and what
// explains a trouble at the admin listener.
struct Doors {
    Authenticator& authenticator;
    OperatorStatusApi& operator_status;
    SignIn& sign_in;
};

// The parts and the doors must outlive the routers.
Listeners::Routers make_routers(const Parts& parts, const Doors& doors, const ListenOptions& listen);

}  // namespace gateway
