// What stands at the head of a store's papers.
#pragma once

#include <string>

namespace gateway {

struct Letterhead {
    std::string name{};  // the store's; empty: not given
    std::string cnpj{};  // its tax number, as "12.345.678/0001-95"; empty: not given

    bool empty() const noexcept { return name.empty() && cnpj.empty(); }
};

}  // namespace gateway
