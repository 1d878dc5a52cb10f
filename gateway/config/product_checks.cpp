#include "config/checks.hpp"
#include "config/keys.hpp"

#include <algorithm>

namespace gateway {

// The families check their products; here their results become errors and warnings about the configuration.
void check_products(const Config& config, Diagnostics& diagnostics) {
    std::vector<std::size_t> good;
    for (std::size_t i = 0; i < config.products.size(); ++i) {
        const auto& product = config.products[i];
        const auto section = name_of_entry(products_section, i);
        if (diagnostics.has_error(section + ".family")) continue;  // nobody knows what it should have
        const auto errors = check_product(product);
        for (const auto& error : errors) {
            const auto key = section + "." + error.pointer.substr(1);
            if (!diagnostics.has_error(key)) diagnostics.error(key, error.detail);
        }
        if (!errors.empty()) continue;
        const auto same = std::ranges::find_if(
            good, [&](std::size_t earlier) { return are_same_product(config.products[earlier], product); });
        if (same != good.end())
            diagnostics.error(section, told("is the same product as {}"), name_of_entry(products_section, *same));
        good.push_back(i);
    }
}

}  // namespace gateway
