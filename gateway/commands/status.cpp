// `status`: whether the gateway sells, and why not.
#include "base/in_words.hpp"
#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "commands/members.hpp"
#include "commands/words.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace gateway {
namespace {

namespace json = boost::json;

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    return fmt::format("{}", fmt::join(parts, between));
}

class StatusReport {
  public:
    StatusReport(const Desk& desk, const json::object& status) : desk_(desk), status_(status) {}

    std::string text() {
        const bool sells = flag_in(status_, "sells").value_or(false);
        auto sentence = printable(text_in(status_, "detail"));
        if (sentence.empty()) sentence = sells ? "Takes sales." : "Takes no sales.";
        text_ = (sells ? desk_.screen.bold(sentence) : desk_.screen.alarming(sentence)) + "\n\n";
        reasons(sentence);
        running();
        service("provider", "provider", "provider");
        service("tokenService", "token_service", "token service");
        families();
        sales();
        attention();
        unclosed();
        forgotten();
        closing();
        journal();
        disk();
        clock();
        hammering();
        return text_;
    }

  private:
    void line(std::string_view title, std::string_view words) { text_ += paragraph(desk_.screen, title, words); }

    // Those that the sentence above has not said.
    void reasons(const std::string& sentence) {
        if (const auto* reasons = array_in(status_, "reasons"))
            for (const auto& reason : *reasons)
                if (const auto* text = reason.if_string())
                    if (const auto words = printable(*text); sentence.find(words) == std::string::npos)
                        line("why", words);
    }

    void running() {
        std::vector<std::string> parts;
        if (const auto since = time_in(status_, "startedAt"))
            parts.push_back(fmt::format("since {} ({}), {}", to_local_text(*since), local_offset(*since),
                                        length_of(desk_.now - *since)));
        if (const auto version = text_in(status_, "version"); !version.empty())
            parts.push_back("version " + printable(version));
        parts.push_back("admin listener " + desk_.gateway.address());
        line("running", joined(parts, "; "));
    }

    const json::object* trouble_of(std::string_view what) const {
        if (const auto* degraded = array_in(status_, "degraded"))
            for (const auto& entry : *degraded)
                if (const auto* object = entry.if_object(); object != nullptr && text_in(*object, "what") == what)
                    return object;
        return nullptr;
    }

    // `what` is its name among what is degraded.
    void service(std::string_view member, std::string_view what, std::string_view title) {
        const auto* service = object_in(status_, member);
        if (service == nullptr) return;
        const bool reached = flag_in(*service, "reached").value_or(true);
        const bool asked = flag_in(*service, "asked").value_or(true);
        std::vector<std::string> parts;
        const auto* trouble = trouble_of(what);
        const bool is_of_new_secret = trouble != nullptr && flag_in(*trouble, "ofNewSecret").value_or(false);
        const auto away = member == "provider" ? std::string_view("cannot be used")
                          : is_of_new_secret   ? "gives no token for the new app_secret"
                                               : "gives no token";
        const auto since = local_time(*service, "since");
        const bool is_longer = trouble != nullptr && flag_in(*trouble, "maybeLonger").value_or(false);
        if (!asked) parts.emplace_back("not asked yet");
        if (asked)
            parts.push_back(
                fmt::format("{}{} since {}", reached ? "reached" : away, is_longer ? " at least" : "", since));
        else if (reached)
            parts.push_back("there is a connection to it since " + since);
        if (trouble != nullptr) {
            if (flag_in(*trouble, "mayBeTried").value_or(false))
                parts.emplace_back("the next sale shows whether it can be again");
            if (const auto refused = number_in(*trouble, "refused").value_or(0); refused > 0)
                parts.push_back(counted(refused, "sale", "sales") + " refused for it");
        }
        const auto* doubt = member == "provider" ? trouble_of("provider_address") : nullptr;
        if (doubt != nullptr)
            parts.push_back(printable(text_in(*doubt, "lastError")));
        else if (const auto* failure = object_in(*service, "lastFailure"))
            parts.push_back(fmt::format("the last exchange failed at {}: {}", local_time(*failure, "at"),
                                        printable(text_in(*failure, "detail"))));
        if (member == "tokenService") token(parts, is_of_new_secret);
        if (trouble != nullptr)  // at the end, because it may end with a question
            if (const auto error = text_in(*trouble, "lastError"); !error.empty())
                parts.push_back("last error: " + printable(error));
        line(title, joined(parts, "; "));
    }

    void token(std::vector<std::string>& parts, bool is_of_the_secret_before) const {
        const auto* token = object_in(status_, "token");
        if (token == nullptr) return;
        const bool valid = flag_in(*token, "valid").value_or(false);
        if (!valid)
            parts.emplace_back("there is no valid token");
        else if (time_in(*token, "expiresAt"))
            parts.push_back(fmt::format(
                "{} is good until {}{}", is_of_the_secret_before ? "the token of the one before" : "its token",
                local_time(*token, "expiresAt"), is_of_the_secret_before ? " and can be refreshed" : ""));
    }

    void families() {
        const auto* families = object_in(status_, "families");
        if (families == nullptr) return;
        std::vector<std::string> sold;
        std::vector<std::string> others;
        for (const auto& family : *families) {
            const auto* can = family.value().if_bool();
            (can != nullptr && *can ? sold : others).push_back(printable(family.key()));
        }
        auto words = sold.empty() ? "none can be sold" : joined(sold, ", ");
        if (!sold.empty() && !others.empty()) words += "; not " + joined(others, ", ");
        line("families", words);
    }

    void sales() {
        const auto* sales = object_in(status_, "sales");
        if (sales == nullptr) return;
        const auto unsettled = number_in(*sales, "unsettled").value_or(0);
        auto words = fmt::format("{} under way, {} not settled", number_in(*sales, "underWay").value_or(0), unsettled);
        if (const auto oldest = time_in(*sales, "oldestUnsettledAt"))
            words += fmt::format(", the oldest since {} ({})", to_local_text(*oldest), length_of(desk_.now - *oldest));
        if (const auto waiting = number_in(*sales, "waitingForJournal").value_or(0); waiting > 0)
            words += fmt::format(
                "; nothing more is asked of the provider for {} of them until the journal can be written", waiting);
        if (const auto unreadable = number_in(*sales, "unreadable").value_or(0); unreadable > 0)
            words += fmt::format("; {} cannot be read, and may be open too: sales-gateway attention lists {}",
                                 counted(unreadable, "sale", "sales"), unreadable == 1 ? "it" : "them");
        line("sales", words);
    }

    void attention() {
        const auto* attention = object_in(status_, "attention");
        if (attention == nullptr) return;
        const auto total = number_in(*attention, "total").value_or(0);
        if (total == 0) return line("attention", "no sale needs a person");
        std::vector<std::string> marks;
        if (const auto* by_mark = object_in(*attention, "byMark"))
            for (const auto& mark : *by_mark)
                if (const auto* number = mark.value().if_int64(); number != nullptr && *number > 0)
                    marks.push_back(fmt::format("{} {}", *number, printable(mark.key())));
        const auto which = marks.empty() ? std::string() : " (" + joined(marks, ", ") + ")";
        line("attention", fmt::format("{} a person{}: sales-gateway attention lists them",
                                      counted(total, "sale needs", "sales need"), which));
    }

    void unclosed() {
        const auto* days = array_in(status_, "unclosed");
        if (days == nullptr) return;
        for (const auto& one : *days) {
            const auto* day = one.if_object();
            const auto* sold = day != nullptr ? object_in(*day, "sold") : nullptr;
            if (sold == nullptr) continue;
            const auto what_does_it =
                time_in(*day, "closesAt")
                    ? fmt::format("it is closed by itself at {}, some minutes after the start",
                                  local_time(*day, "closesAt"))
                    : fmt::format("sales-gateway close --day {} does it", printable(text_in(*day, "day")));
            line("yesterday", fmt::format("{} is not closed in store {}: {}, {}; {}", printable(text_in(*day, "day")),
                                          printable(text_in(*day, "estabelecimento")),
                                          counted(number_in(*sold, "count").value_or(0), "sale", "sales"),
                                          amount_of(*sold), what_does_it));
        }
    }

    // A line for each store, with what to do once.
    void forgotten() {
        const auto* days = array_in(status_, "forgotten");
        if (days == nullptr) return;
        std::map<std::string, std::vector<std::string>> of_stores;
        for (const auto& one : *days)
            if (const auto* day = one.if_object())
                of_stores[printable(text_in(*day, "estabelecimento"))].push_back(printable(text_in(*day, "day")));
        for (const auto& [store, all] : of_stores)
            line("days", fmt::format("{} {} not closed in store {}, and no close of another day has the sales: "
                                     "sales-gateway close --day {} does it{}",
                                     joined(all, ", "), all.size() == 1 ? "is" : "are", store, all.front(),
                                     all.size() == 1 ? "" : ", and so on"));
    }

    void closing() {
        if (const auto trouble = text_in(status_, "closing"); !trouble.empty()) line("closes", printable(trouble));
    }

    void hammering() {
        if (const auto* callers = array_in(status_, "hammering"))
            for (const auto& caller : *callers)
                if (const auto* object = caller.if_object(); object != nullptr)
                    line(flag_in(*object, "over").value_or(false) ? "hammered" : "hammering",
                         printable(text_in(*object, "detail")));
    }

    void journal() {
        const auto* journal = object_in(status_, "journal");
        if (journal == nullptr) return;
        const bool writable = flag_in(*journal, "writable").value_or(true);
        std::string words = writable ? "can be written" : "cannot be written";
        if (flag_in(*journal, "damaged").value_or(false))
            words += "; a damaged page was met: stop the gateway, and restore the newest backup";
        const auto* database = object_in(*journal, "database");
        if (database != nullptr && time_in(*database, "unusableSince"))
            words += " since " + local_time(*database, "unusableSince");
        if (const auto* log = object_in(*journal, "growingLog"))
            words += fmt::format("; its log has {} bytes: {}", number_in(*log, "bytes").value_or(0),
                                 printable(text_in(*log, "detail")));
        line("journal", words);
        if (database != nullptr) this->database(*database);
    }

    void database(const json::object& database) {
        const auto server = text_in(database, "server");
        const bool can_be_used = !time_in(database, "unusableSince");
        auto words = !server.empty() ? "PostgreSQL at " + printable(server)
                     : can_be_used   ? std::string("its server has not been looked at yet")
                                   : std::string("no connection a moment ago, and one is tried for every few seconds");
        words += fmt::format("; this gateway is {} there", printable(text_in(database, "gateway")));
        if (flag_in(database, "waitsForStandby").value_or(false)) words += "; commits wait for a synchronous standby";
        line("database", words);
        if (server.empty()) return;
        std::vector<std::string> standbys;
        if (const auto* all = array_in(database, "standbys"))
            for (const auto& standby : *all)
                if (const auto* object = standby.if_object()) standbys.push_back(words_on(*object));
        const auto names = printable(text_in(database, "synchronousStandbyNames"));
        line("standbys", fmt::format("{}; synchronous_standby_names = '{}'",
                                     standbys.empty() ? "none is connected" : joined(standbys, ", "), names));
    }

    static std::string words_on(const json::object& standby) {
        const auto name = printable(text_in(standby, "name"));
        if (!flag_in(standby, "connected").value_or(false)) return name + " is away";
        const auto state = printable(text_in(standby, "state"));
        if (state.empty()) return name + " is connected";
        return fmt::format("{} is connected ({}, {})", name, state, printable(text_in(standby, "syncState")));
    }

    // None where the journal is a database on another machine.
    void disk() {
        const auto* disk = object_in(status_, "disk");
        if (disk == nullptr || !number_in(*disk, "freeBytes")) return;
        const auto bytes = [&](std::string_view name) {
            return bytes_in_words(static_cast<std::uint64_t>(number_in(*disk, name).value_or(0)));
        };
        const auto is_short = [&](std::string_view free, std::string_view needed) {
            return number_in(*disk, free).value_or(0) < number_in(*disk, needed).value_or(0);
        };
        auto words = fmt::format("{} free in {}; an hour of sales takes up to {}", bytes("freeBytes"),
                                 printable(text_in(*disk, "folder")), bytes("neededBytes"));
        if (is_short("freeBytes", "neededBytes")) words += ": that is too little, so make room";
        if (const auto inodes = number_in(*disk, "freeInodes")) words += fmt::format("; room for {} files", *inodes);
        if (is_short("freeInodes", "neededInodes"))
            words += fmt::format(": that is too few, so remove some: a start of the gateway and a backup make up to {}",
                                 number_in(*disk, "neededInodes").value_or(0));
        line("disk", words);
    }

    void clock() {
        const auto* clock = object_in(status_, "clock");
        if (clock == nullptr) return;
        if (const auto trouble = text_in(*clock, "trouble"); !trouble.empty()) return line("clock", printable(trouble));
        line("clock", number_in(*clock, "aheadOfProviderSeconds") ? "agrees with the provider's"
                                                                  : "not compared with the provider's yet");
    }

    const Desk& desk_;
    const json::object& status_;
    std::string text_;
};

}  // namespace

int show_status(const Desk& desk) {
    const auto told = desk.gateway.get("/v1/status");
    if (told.has_error()) {
        desk.err << "error: " << told.error() << '\n';
        return exit_failure;
    }
    if (told->status == 404) {
        desk.err << "error: the gateway at " << desk.gateway.address()
                 << " does not know this call: it is older than this command, and has to be restarted\n";
        return exit_failure;
    }
    if (!told->good()) {
        desk.err << "error: " << printable(told->problem()) << '\n';
        return exit_failure;
    }
    if (desk.as_json)
        desk.out << json::serialize(told->body) << '\n';
    else
        desk.out << StatusReport(desk, told->body).text();
    return flag_in(told->body, "sells").value_or(false) ? exit_ok : exit_not_selling;
}

}  // namespace gateway
