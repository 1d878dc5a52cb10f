// The input comes to an eSIM's callback address: the result has everything that is required, or there is none.
#include "api/callback_body.hpp"
#include "fuzz/fuzz.hpp"

using namespace gateway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto callback = read_callback({reinterpret_cast<const char*>(data), size});
    if (callback) CHECK(!to_string(callback->status).empty());
    return 0;
}
