// Holds the precompiled header of the unit tests; there is nothing to compile besides.
#include "unit/support/unit_precompiled.hpp"
