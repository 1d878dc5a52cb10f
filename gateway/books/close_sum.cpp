#include "books/close_sum.hpp"

#include "base/json_text.hpp"
#include "base/wall_time.hpp"
#include "books/totals_json.hpp"

#include <utility>

namespace gateway {
namespace {

void write_member(JsonWriter& json, std::string_view name, const GroupedTotals& groups) {
    json.key(name).begin_object();
    write_groups(json, groups);
    json.end_object();
}

void write_late(JsonWriter& json, const DaySale& sale) {
    json.begin_object();
    json.key("id").string(sale.id.text());
    json.key("idExterno").string(sale.id_externo);
    json.key("day").string(to_text(sale.day));
    json.key("family").string(to_string(sale.family));
    json.key("valor").number(sale.valor.value);
    json.key("status").string(to_string(sale.status));
    json.end_object();
}

void write_time(JsonWriter& json, std::string_view name, const std::optional<WallTime>& at) {
    json.key(name).string_or_null(at ? to_rfc3339(*at) : "");
}

// Returns what final and open sales have in common.
CountedSale in_common(const auto& sale) {
    return {.family = sale.family,
            .terminal = sale.terminal,
            .cashier = sale.cashier,
            .estabelecimento = sale.estabelecimento,
            .produto = sale.produto,
            .valor = sale.valor,
            .status = sale.status};
}

}  // namespace

CountedSale counted(const DaySale& sale) {
    auto made = in_common(sale);
    made.begun_at = sale.id.time();
    made.day = sale.day;
    return made;
}

CountedSale counted(const Sale& sale) {
    auto made = in_common(sale);
    made.begun_at = sale.created_at;
    made.held = outcome_of(sale) == Outcome::held;
    return made;
}

CloseSum::CloseSum(std::string previous) : previous_(std::move(previous)), digest_(previous_) {}

void CloseSum::add(const DayPage& page) {
    unreadable_ += page.unreadable;
    for (const auto& sale : page.sales) {
        ++sales_;
        digest_.add(sale.id, sale.valor, sale.status);
        families_.add(counted(sale));
        terminals_.add(counted(sale));
        if (sale.late) {
            ++late_count_;
            if (late_named_.size() < max_late_named) late_named_.push_back(sale);
            continue;
        }
        if (!first_) first_ = sale.id;
        last_ = sale.id;
    }
}

std::string CloseSum::json(const Span& span) const {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.key("sales").number(sales_);
    json.key("late").number(late_count_);
    json.key("lateSales").begin_array();
    for (const auto& sale : late_named_)
        write_late(json, sale);
    json.end_array();
    json.key("unreadable").number(static_cast<std::int64_t>(unreadable_));
    write_time(json, "first", span.first);
    write_time(json, "last", span.last);
    json.key("previous").string_or_null(previous_);
    json.key("total").begin_object();
    write_totals(json, families_.total());
    json.end_object();
    write_member(json, "families", families_);
    write_member(json, "terminals", terminals_);
    json.end_object();
    return text;
}

}  // namespace gateway
