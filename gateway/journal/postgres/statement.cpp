#include "journal/postgres/statement.hpp"

#include "base/utf8.hpp"
#include "journal/postgres/rows.hpp"
#include "sale/sale.hpp"

namespace gateway::postgres {

Parameters& Parameters::add(std::string_view text) {
    has_zero_ = has_zero_ || text.find('\0') != text.npos;
    return keep(text, false);
}

Parameters& Parameters::add(std::nullopt_t) {
    values_.push_back({room_.size(), 0, true, false});
    return *this;
}

Parameters& Parameters::add_bytes(std::string_view bytes) {
    return keep(bytes, true);
}

Parameters& Parameters::add_sealed(const ColumnValue& value) {
    if (value.kind == ColumnValue::Kind::null) return add(std::nullopt);
    std::string bytes(1, value.kind == ColumnValue::Kind::text ? sealed_text : sealed_blob);
    bytes += value.bytes;
    return keep(bytes, true);
}

Parameter Parameters::at(std::size_t index) const {
    const auto& value = values_.at(index);
    if (value.is_null) return {nullptr, 0, false};
    return {room_.data() + value.begin, static_cast<int>(value.size), value.is_bytes};
}

int Parameters::unfit() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto& value = values_[i];
        const auto text = std::string_view(room_).substr(value.begin, value.size);
        if (!value.is_bytes && (!is_utf8(text) || text.find('\0') != text.npos)) return static_cast<int>(i) + 1;
    }
    return 0;
}

std::string Parameters::sale() const {
    for (const auto& value : values_)
        if (const auto id = SaleId::parse(std::string_view(room_).substr(value.begin, value.size))) return id->str();
    return {};
}

Parameters& Parameters::keep(std::string_view bytes, bool is_bytes) {
    values_.push_back({room_.size(), bytes.size(), false, is_bytes});
    room_ += bytes;
    room_ += '\0';
    return *this;
}

}  // namespace gateway::postgres
