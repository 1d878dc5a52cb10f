// These are the places where a mutant gets in: calls between two rooms of the gateway, which the linker redirects to
// here (--wrap). The gateway's own code knows nothing of this, and is not compiled again. `real` is the function that
// the call would have reached.
//
// seams.py looks the symbols up in the gateway's libraries, and fails where one is missing. Every type is taken from
// the function itself, so when a function changes, it changes here too, or the build fails.
#pragma once

#include "flow/seller.hpp"
#include "journal/chain/lease.hpp"
#include "mutants_symbols.inc"
#include "reconcile/comparison.hpp"
#include "reconcile/statement_checks.hpp"
#include "sale/machine.hpp"

#define SEAM(name) asm("__wrap_" SYMBOL_##name)
#define REAL(name) asm("__real_" SYMBOL_##name)

namespace gateway::mutants {

// This is a member function as the C++ ABI sees it: its first argument is the object's address.
template <class Function>
struct Free;
template <class Result, class Object, class... Arguments>
struct Free<Result (Object::*)(Arguments...)> {
    using type = Result(Object*, Arguments...);
};
using Tell = Free<decltype(&Seller::tell)>::type;
using Renewed = Free<decltype(&Lease::renewed)>::type;

decltype(gateway::decide) decide SEAM(decide);
decltype(gateway::next_action) next_action SEAM(next_action);
decltype(gateway::interpret) interpret SEAM(interpret);
decltype(gateway::outcome_of) outcome_of SEAM(outcome_of);
decltype(Ulid::make) make_ulid SEAM(make);
decltype(gateway::check_file) check_file SEAM(check_file);
decltype(gateway::compare) compare SEAM(compare);
Tell tell SEAM(tell);
Renewed renewed SEAM(renewed);

namespace real {
decltype(gateway::decide) decide REAL(decide);
decltype(gateway::next_action) next_action REAL(next_action);
decltype(gateway::interpret) interpret REAL(interpret);
decltype(gateway::outcome_of) outcome_of REAL(outcome_of);
decltype(Ulid::make) make_ulid REAL(make);
decltype(gateway::check_file) check_file REAL(check_file);
decltype(gateway::compare) compare REAL(compare);
Tell tell REAL(tell);
Renewed renewed REAL(renewed);
}  // namespace real

}  // namespace gateway::mutants
