#include "commands/facts.hpp"

#include "base/wall_time.hpp"
#include "commands/members.hpp"
#include "commands/words.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::string_view where_else =
    "  Look also: at the gateways of the store's other machines, each of which has a journal of its own; in a journal\n"
    "  that a restore has set aside; and for an idExterno in the provider's portal.\n";

std::string product_of(const json::object& sale) {
    auto text = fmt::format("{}, {}", printable(text_in(sale, "family")), printable(text_in(sale, "produto")));
    if (const auto supplier = text_in(sale, "fornecedor"); !supplier.empty()) text += ", of " + printable(supplier);
    return text;
}

std::string times_of(const json::object& sale) {
    const auto created = time_in(sale, "createdAt");
    if (!created) return local_time(sale, "createdAt");
    const auto begun = to_local_text(*created);
    auto text = fmt::format("{} ({})", begun, local_offset(*created));
    if (time_in(sale, "updatedAt")) text += ", last change " + local_time_beside(sale, "updatedAt", begun);
    return text;
}

std::string seller_of(const json::object& sale) {
    auto text = printable(text_in(sale, "terminal"));
    if (const auto cashier = text_in(sale, "cashier"); !cashier.empty()) text += ", cashier " + printable(cashier);
    return text + ", establishment " + printable(text_in(sale, "estabelecimento"));
}

std::string answer_words(const json::object& reason, std::string_view said) {
    const auto* provider = object_in(reason, "provider");
    const auto status = provider != nullptr ? number_in(*provider, "status").value_or(0) : 0;
    auto code = status == 0 ? std::string() : fmt::format("HTTP {}", status);
    if (said.empty()) return code;
    return code.empty() ? fmt::format("\"{}\"", said) : fmt::format("\"{}\" ({})", said, code);
}

std::string attempt_words(const json::object& attempt) {
    auto text = fmt::format("{}  {}", printable(text_in(attempt, "idExterno")), printable(text_in(attempt, "state")));
    if (const auto id = text_in(attempt, "idTransacao"); !id.empty()) text += ", idTransacao " + printable(id);
    return text;
}

std::string_view settled_words(const json::object& sale) {
    if (flag_in(sale, "settled").value_or(false)) return "yes: nothing is left to do at the provider";
    return mark_of(sale).empty() ? "no: the gateway still looks after it" : "no: it needs a person";
}

}  // namespace

std::optional<json::object> sale_named(const Desk& desk, const std::string& id) {
    auto told = desk.gateway.get("/v1/sales/" + encoded_segment(id));
    if (told.has_error()) {
        desk.err << "error: " << told.error() << '\n';
    } else if (told->status == 404) {
        desk.err << fmt::format("error: the gateway at {} knows no sale with the id or idExterno {}\n",
                                desk.gateway.address(), printable(id))
                 << where_else;
    } else if (!told->good()) {
        desk.err << "error: " << printable(told->problem()) << '\n';
    } else {
        return std::move(told->body);
    }
    return std::nullopt;
}

std::string standing_of(const json::object& sale) {
    auto text = fmt::format("{}: {}", outcome_of(sale), printable(text_in(sale, "status")));
    if (text_in(sale, "outcome") == "held") text += ", the terminal confirms or cancels it";
    return text;
}

std::string sale_facts(const Screen& screen, const json::object& sale, std::string_view provider_said) {
    auto text = fmt::format("{}  {}", screen.bold(printable(text_in(sale, "id"))), screen.bold(standing_of(sale)));
    if (const auto mark = mark_of(sale); !mark.empty())
        text += "  " + screen.alarming(mark == "attention" ? "needs a person" : "needs a person: " + mark);
    text += "\n\n";
    const auto line = [&](std::string_view title, std::string_view words) {
        if (!words.empty()) text += paragraph(screen, title, words);
    };
    line("what", product_of(sale));
    line("amount", amount_of(sale));
    line("when", times_of(sale));
    line("terminal", seller_of(sale));
    line("settled", settled_words(sale));
    if (const auto* reason = object_in(sale, "reason")) {
        line("reason",
             fmt::format("{}: {}", printable(text_in(*reason, "code")), printable(text_in(*reason, "detail"))));
        line("provider said", answer_words(*reason, provider_said));
    }
    std::string_view title = "idExterno";
    if (const auto* attempts = array_in(sale, "attempts"))
        for (const auto& attempt : *attempts)
            if (const auto* object = attempt.if_object()) {
                line(title, attempt_words(*object));
                title = "";
            }
    return text;
}

}  // namespace gateway
