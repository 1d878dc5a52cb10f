#include "api/close_receipt.hpp"

#include "api/close_json.hpp"
#include "base/wall_time.hpp"
#include "families/family.hpp"
#include "families/money.hpp"
#include "paper/columns.hpp"
#include "paper/printed_line.hpp"
#include "reconcile/csv_line.hpp"
#include "reconcile/statement_checks.hpp"
#include "words/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::size_t receipt_columns = 40;
constexpr std::size_t amount_columns = 14;
constexpr std::size_t count_columns = 8;
// So many cashiers, and open and late sales, are named; what is more is only counted.
constexpr std::size_t most_named = 50;

const json::value& member(const json::value& value, std::string_view name) {
    static const json::value none;
    const auto* object = value.if_object();
    const auto* found = object != nullptr ? object->if_contains(name) : nullptr;
    return found != nullptr ? *found : none;
}

std::int64_t number_of(const json::value& value) {
    return value.is_int64() ? value.get_int64() : 0;
}

std::string text_of(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : std::string();
}

std::string amount_of(const json::value& counted) {
    const auto& valor = member(counted, "valor");
    return valor.is_int64() ? amount_text(Cents{valor.get_int64()}) : "-";
}

std::string fitted(std::string_view text, std::size_t width) {
    return std::string(text.substr(0, fitting_length(text, width)));
}

std::string to_the_right(std::string text, std::size_t width) {
    const auto taken = columns_of(text);
    return text.insert(0, width - std::min(taken, width), ' ');
}

// Lays out a title to the left, a count and an amount to the right, each under the others.
std::string row(std::string_view title, std::string_view count, std::string amount) {
    auto right = to_the_right(std::string(count), count_columns) + to_the_right(std::move(amount), amount_columns);
    auto left = fitted(printed_line(title), receipt_columns - columns_of(right));
    left.append(receipt_columns - columns_of(right) - columns_of(left), ' ');
    return left + right;
}

std::string row_of(std::string_view title, const json::value& counted) {
    return row(title, std::to_string(number_of(member(counted, "count"))), amount_of(counted));
}

class Receipt {
  public:
    Receipt(const Close& close, const Letterhead& letterhead, Language language, const TimeZone& zone,
            const GroupedTotals* cashiers)
        : close_(json::parse(close_json(close, cashiers)).get_object()),
          letterhead_(letterhead),
          words_(Words::in(language)),
          language_(language),
          zone_(zone) {}

    std::vector<std::string> lines() {
        head();
        sold();
        by_cashier();
        others();
        named("book.late", close_.at("lateSales"), number_of(close_.at("late")));
        const auto& open = close_.at("open");
        named("book.open_then", open, open.is_array() ? static_cast<std::int64_t>(open.get_array().size()) : 0);
        rule();
        const auto digest = text_of(close_.at("digest"));
        add(say("book.check"));
        for (std::size_t i = 0; i < digest.size(); i += digest_line)
            add(digest.substr(i, digest_line));
        return std::move(lines_);
    }

  private:
    static constexpr std::size_t digest_line = 32;

    std::string say(std::string_view key) const { return words_.say(key); }
    void add(std::string_view line) { lines_.push_back(fitted(printed_line(line), receipt_columns)); }
    void rule() { lines_.emplace_back(receipt_columns, '-'); }
    std::optional<WallTime> time(std::string_view name) const { return from_rfc3339(text_of(close_.at(name))); }
    std::string clock_text(WallTime at) const {
        const auto shown = zone_.minute_of(at).count();
        return fmt::format("{:02}:{:02}", shown / 60, shown % 60);
    }

    void head() {
        if (!letterhead_.name.empty()) add(letterhead_.name);
        if (!letterhead_.cnpj.empty()) add("CNPJ " + letterhead_.cnpj);
        const auto series = number_of(close_.at("series"));
        auto name = std::to_string(number_of(close_.at("number")));
        if (series > 1) name += fmt::format("/{}", series);
        add(fmt::format("{} {}", say("book.close"), name));
        add(fmt::format("{} {}", say("book.store_title"), text_of(close_.at("estabelecimento"))));
        const auto day = parse_day(text_of(close_.at("day")));
        auto line = fmt::format("{} {}", say("book.day_title"), day ? day_text(*day, language_) : "");
        const auto first = time("first");
        const auto last = time("last");
        if (first && last) line += fmt::format("   {} {} {}", clock_text(*first), say("book.until"), clock_text(*last));
        add(line);
        const auto by = text_of(close_.at("by"));
        if (const auto at = time("madeAt"))
            add(fmt::format("{} {} {}", say("book.made"), day_text(zone_.day_of(*at), language_), clock_text(*at)));
        if (const auto& automatic = close_.at("automatic"); automatic.is_bool() && automatic.get_bool())
            add(say("book.by_itself"));
        else
            add(by.empty() ? say("book.by_somebody") : fmt::format("{} {}", say("book.by"), by));
    }

    void sold() {
        rule();
        const auto& totals = close_.at("totals");
        lines_.push_back(row("", say("book.sold"), say("book.amount")));
        if (const auto* families = member(totals, "families").if_object())
            for (const auto& [name, counted] : *families)
                lines_.push_back(row_of(words_.word("family", name), member(counted, "sold")));
        lines_.push_back(row_of(say("book.total_title"), member(member(totals, "total"), "sold")));
    }

    // If nobody was named, the total above says the same already.
    void by_cashier() {
        const auto* cashiers = member(close_.at("totals"), "cashiers").if_object();
        if (cashiers == nullptr || cashiers->size() == cashiers->count("")) return;
        rule();
        lines_.push_back(row(say("book.by.cashier"), say("book.sold"), say("book.amount")));
        std::size_t shown = 0;
        for (const auto& [name, counted] : *cashiers) {
            if (shown++ == most_named) return add("…");
            lines_.push_back(row_of(name.empty() ? say("close.nobody") : std::string(name), member(counted, "sold")));
        }
    }

    void others() {
        rule();
        const auto& total = member(close_.at("totals"), "total");
        lines_.push_back(row_of(say("book.cancelled"), member(total, "cancelled")));
        lines_.push_back(row_of(say("book.refused"), member(total, "refused")));
        CountAndTotal sum;
        if (const auto* open = close_.at("open").if_array())
            for (const auto& sale : *open)
                sum.add(Cents{number_of(member(sale, "valor"))});
        lines_.push_back(row(say("book.open"), std::to_string(sum.count), sum.total ? amount_text(*sum.total) : "-"));
    }

    // Names each sale by its idExterno, which stands on the customer's receipt and in the provider's portal.
    void named(std::string_view title, const json::value& sales, std::int64_t count) {
        const auto* list = sales.if_array();
        if (list == nullptr || list->empty()) return;
        rule();
        add(fmt::format("{}: {}", say(title), count));
        std::size_t shown = 0;
        for (const auto& sale : *list) {
            if (shown++ == most_named) return add("…");
            const auto amount = to_the_right(amount_of(sale), amount_columns);
            lines_.push_back(
                fitted(printed_line(text_of(member(sale, "idExterno"))), receipt_columns - amount_columns) + amount);
        }
    }

    const json::object close_;
    const Letterhead& letterhead_;
    const Words& words_;
    const Language language_;
    const TimeZone& zone_;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> close_receipt(const Close& close, const Letterhead& letterhead, Language language,
                                       const TimeZone& zone, const GroupedTotals* cashiers) {
    return Receipt(close, letterhead, language, zone, cashiers).lines();
}

}  // namespace gateway
