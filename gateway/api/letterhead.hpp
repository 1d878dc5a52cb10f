// This stands at the head of everything that a store prints.
#pragma once

#include <string>

namespace gateway {

struct Letterhead {
    std::string name{};  // the store's; empty: not given
    std::string cnpj{};  // its tax number, as "12.345.678/0001-95"; empty: not given

    bool empty() const noexcept { return name.empty() && cnpj.empty(); }
};

}  // namespace gateway
