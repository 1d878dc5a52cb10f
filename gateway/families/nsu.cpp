#include "families/nsu.hpp"

#include "base/ascii.hpp"
#include "families/receipt.hpp"

#include <boost/json.hpp>

#include <string>

namespace gateway {
namespace {

namespace json = boost::json;

bool says(const json::value& value, std::string_view nsu) {
    if (const auto* text = value.if_string()) return *text == nsu;
    return (value.is_int64() || value.is_uint64()) && json::serialize(value) == nsu;
}

// The depth is bounded: what was decoded has passed the strict reader.
bool has_member(const json::value& value, std::string_view nsu) {
    if (const auto* array = value.if_array()) {
        for (const auto& element : *array)
            if (has_member(element, nsu)) return true;
        return false;
    }
    const auto* object = value.if_object();
    if (object == nullptr) return false;
    for (const auto& [name, member] : *object) {
        const bool is_one = to_lower(name).find("nsu") != std::string::npos;
        if ((is_one && says(member, nsu)) || has_member(member, nsu)) return true;
    }
    return false;
}

}  // namespace

bool has_nsu(const Sale& sale, std::string_view nsu) {
    if (nsu.empty()) return false;
    if (sale.esim && sale.esim->nsu_recarga == nsu) return true;
    return has_member(decoded_goods(sale.details.instrucao), nsu) ||
           has_member(decoded_goods(sale.details.complemento), nsu);
}

}  // namespace gateway
