// `resolve`: what a person found out about a sale that needs one.
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/members.hpp"
#include "commands/words.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

std::string_view as_what(const Resolution& resolution) {
    return resolution.sold ? "sold" : resolution.not_sold ? "not sold" : "noted";
}

json::object body_of(const Resolution& resolution) {
    json::object body;
    if (resolution.sold) body["status"] = "EFETIVADA";
    if (resolution.not_sold) body["status"] = "CANCELADA";
    body["note"] = resolution.note;
    if (!resolution.by.empty()) body["by"] = resolution.by;
    json::object esim;
    if (!resolution.msisdn.empty()) esim["msisdn"] = resolution.msisdn;
    if (!resolution.url.empty()) esim["url"] = resolution.url;
    if (!esim.empty()) body["esim"] = std::move(esim);
    return body;
}

// Of an eSIM that is resolved as sold with nothing of what the customer needs.
std::string_view receipt_warning(const Resolution& resolution, const json::object& sale) {
    const bool lacks =
        text_in(sale, "family") == "esim" && resolution.sold && resolution.msisdn.empty() && resolution.url.empty();
    return lacks
               ? "Its receipt will have neither a number nor an activation address: --msisdn and --url are for these,\n"
                 "with this call or with a later one (--noted).\n"
               : "";
}

std::string question(const Resolution& resolution) {
    constexpr std::string_view seen_by = "The note is shown to the terminal, and so to the cashier.";
    const auto ask = resolution.noted ? std::string("Write the note and clear the mark?")
                                      : fmt::format("Resolve it as {}?", as_what(resolution));
    return fmt::format("{}\n{} [y/N] ", seen_by, ask);
}

// What the gateway's refusal leaves to do.
std::string way_out(const AdminAnswer& answer, const Resolution& resolution) {
    const auto code = text_in(answer.body, "code");
    if (code == "sale_final" && !resolution.noted)
        return "  A final status never changes. --noted with what was done clears the mark of a sale that has one.\n";
    if (code == "no_attention" || code == "sale_final")
        return "  Nothing of it waits for a person: sales-gateway show tells how it stands.\n";
    if (answer.status == 422 && resolution.noted)
        return "  A sale that is pending is resolved with --sold or --not-sold.\n";
    return {};
}

void print_result(const Desk& desk, const json::object& sale) {
    const auto mark = mark_of(sale);
    desk.out << fmt::format("{} is {}{}.\n", printable(text_in(sale, "id")), standing_of(sale),
                            mark.empty() ? "; it needs nobody any more" : "; it still needs a person: " + mark);
}

}  // namespace

int resolve_sale(const Desk& desk, const Resolution& resolution,
                 const std::function<bool(const std::string&)>& confirmed) {
    const auto sale = sale_named(desk, resolution.id);
    if (!sale) return exit_failure;
    if (confirmed) desk.err << sale_facts(desk.screen, *sale) << '\n';
    desk.err << receipt_warning(resolution, *sale);
    if (confirmed) {
        if (!confirmed(question(resolution))) {
            desk.err << "Nothing was done.\n";
            return exit_failure;
        }
    }
    const auto target = "/v1/sales/" + encoded_segment(text_in(*sale, "id")) + "/resolve";
    const auto told = desk.gateway.post(target, body_of(resolution));
    if (told.has_error()) {
        desk.err << "error: " << told.error() << '\n';
        return exit_failure;
    }
    if (told->status == 202) {
        desk.err
            << "error: the journal has not taken it yet; whether it was done is not known: sales-gateway show tells\n";
        return exit_failure;
    }
    if (!told->good()) {
        desk.err << "error: " << printable(told->problem()) << '\n' << way_out(*told, resolution);
        return exit_failure;
    }
    if (desk.as_json)
        desk.out << json::serialize(told->body) << '\n';
    else
        print_result(desk, told->body);
    return exit_ok;
}

}  // namespace gateway
