// From what the provider would say to what the caller gets: the last step of a treatment.
#pragma once

#include "sandbox/behaviour.hpp"
#include "sandbox/message.hpp"
#include "sandbox/options.hpp"

namespace gateway::sandbox {

// 429: more requests than are taken now.
Reply too_many_requests(Step step, const Options& options);

// `reply` is the provider's own word; a refusal among them is never bent, only lost or late. `step` decides the shape
// of an error that the treatment calls for.
Answer to_answer(Reply reply, const Treatment& treatment, Step step, const Options& options);

}  // namespace gateway::sandbox
