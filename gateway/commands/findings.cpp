// `findings`: what does not agree with the provider's statements, and a person's word on one of them.
#include "commands/commands.hpp"
#include "commands/days.hpp"
#include "commands/finding_table.hpp"
#include "commands/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

int give_up(const Desk& desk, const std::string& why) {
    desk.err << "error: " << why << '\n';
    return exit_failure;
}

}  // namespace

int list_findings(const Desk& desk, const FindingWishes& wishes) {
    std::string query;
    if (!wishes.all) add_to_query(query, "open", "true");
    if (!wishes.kind.empty()) add_to_query(query, "kind", wishes.kind);
    if (!wishes.day.empty()) {
        const auto meant = StoreDays(desk).meant("--day", wishes.day);
        if (!meant.day) return meant.exit;
        add_to_query(query, "day", *meant.day);
    }
    add_to_query(query, "limit", std::to_string(wishes.limit));
    const auto told = desk.gateway.get("/v1/findings" + query);
    if (told.has_error()) return give_up(desk, told.error());
    if (!told->good()) return give_up(desk, printable(told->problem()));
    const auto* findings = array_in(told->body, "findings");
    const json::array none;
    const auto& all = findings != nullptr ? *findings : none;
    if (desk.as_json) {
        for (const auto& finding : all)
            desk.out << json::serialize(finding) << '\n';
        return exit_ok;
    }
    const bool portuguese = wishes.language == Language::portuguese;
    if (all.empty())
        desk.out << (portuguese ? "Não há divergências.\n" : "There are no findings.\n");
    else
        desk.out << finding_table(desk.screen, all, wishes.language);
    if (!text_in(told->body, "next").empty())
        desk.out << desk.screen.faint(portuguese ? "As mais antigas não aparecem: --limit mostra mais."
                                                 : "Older ones are not shown: --limit shows more.")
                 << '\n';
    return exit_ok;
}

int resolve_finding(const Desk& desk, const FindingWishes& wishes) {
    json::object body{{"note", wishes.note}};
    if (!wishes.by.empty()) body["by"] = wishes.by;
    const auto told = desk.gateway.post(fmt::format("/v1/findings/{}/resolve", wishes.number), body,
                                        AdminClient::deciding_patience, "sales-gateway findings --all tells");
    if (told.has_error()) return give_up(desk, told.error());
    if (!told->good()) return give_up(desk, printable(told->problem()));
    if (desk.as_json) {
        desk.out << json::serialize(told->body) << '\n';
        return exit_ok;
    }
    desk.out << finding_table(desk.screen, json::array{told->body}, wishes.language);
    const auto* closed = object_in(told->body, "closed");
    if (closed != nullptr && text_in(*closed, "note") == wishes.note) return exit_ok;
    return give_up(desk, fmt::format("finding {} was closed before: the note was not kept", wishes.number));
}

}  // namespace gateway
