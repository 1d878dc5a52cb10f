#include "api/text/renderers.hpp"
#include "base/json_members.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace gateway::text {
namespace {

namespace json = boost::json;

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    return fmt::format("{}", fmt::join(parts, between));
}

// Returns the objects in an array of the status.
std::vector<const json::object*> objects_in(const json::object& object, std::string_view name) {
    std::vector<const json::object*> all;
    if (const auto* array = array_in(object, name))
        for (const auto& one : *array)
            if (const auto* member = one.if_object()) all.push_back(member);
    return all;
}

class StatusReport {
  public:
    StatusReport(const Question& question, const json::object& status)
        : page_(question.page), status_(status), address_(question.address()) {}

    bool sells() const { return flag_in(status_, "sells").value_or(false); }

    std::string text() {
        page_.is_english() ? sentence_in_english() : sentence();
        running();
        service("provider", "provider");
        service("tokenService", "token_service");
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
    void line(std::string_view title, std::string_view words) {
        text_ += page_.paragraph(page_.words.word("text.title", title), words);
    }
    void begin(std::string_view sentence) {
        text_ = (sells() ? page_.bold(sentence) : page_.alarming(sentence)) + "\n\n";
    }

    // Prints the gateway's own sentence, and those of the reasons that it has not said.
    void sentence_in_english() {
        auto sentence = printable(text_in(status_, "detail"));
        if (sentence.empty()) sentence = page_.say(sells() ? "text.takes_sales" : "text.takes_none");
        begin(sentence);
        if (const auto* reasons = array_in(status_, "reasons"))
            for (const auto& reason : *reasons)
                if (const auto* text = reason.if_string())
                    if (const auto words = printable(*text); sentence.find(words) == std::string::npos)
                        line("why", words);
    }

    // Prints the console's sentence and reasons, because the gateway's own are English.
    void sentence() {
        std::vector<std::string> reasons;
        const auto because = [&](std::string_view reason, std::string_view since, std::string_view until) {
            reasons.push_back(
                fmt::format("{} {}", page_.say(fmt::format("reason.{}", reason), {{"since", since}, {"until", until}}),
                            page_.say(fmt::format("reason.{}.do", reason))));
        };
        const auto* journal = object_in(status_, "journal");
        if (journal != nullptr && flag_in(*journal, "damaged").value_or(false))
            because("damaged", "", "");
        else if (journal != nullptr && !flag_in(*journal, "writable").value_or(true))
            because("journal", "", "");
        const auto* token = object_in(status_, "token");
        const bool is_away = trouble_of("provider") != nullptr || trouble_of("token_service") != nullptr;
        if (!sells() && !is_away && token != nullptr && !flag_in(*token, "valid").value_or(true))
            because("token", "", "");
        for (const auto* trouble : objects_in(status_, "degraded")) {
            auto reason = std::string(text_in(*trouble, "what"));
            if (reason == "certificate") reason.append("_").append(text_in(*trouble, "kind"));
            if (flag_in(*trouble, "ofNewSecret").value_or(false)) reason += "_new_secret";
            because(reason, page_.time(*trouble, "since"), page_.time(*trouble, "endsAt"));
            if (const auto refused = number_in(*trouble, "refused").value_or(0); refused > 0)
                reasons.back() += " " + page_.say("reason.refused", {{"count", refused}});
        }
        if (!sells() && reasons.empty()) because("other", "", "");
        begin(page_.say(!sells() ? "today.sells_bad" : reasons.empty() ? "today.sells_good" : "today.sells_warn"));
        for (const auto& reason : reasons)
            line("why", reason);
    }

    void running() {
        std::vector<std::string> parts;
        if (const auto since = time_in(status_, "startedAt"))
            parts.push_back(page_.say("text.status.running", {{"at", page_.time(*since)},
                                                              {"offset", local_offset(*since)},
                                                              {"length", page_.length(page_.now - *since)}}));
        if (const auto version = text_in(status_, "version"); !version.empty())
            parts.push_back(page_.say("text.status.version", {{"version", printable(version)}}));
        parts.push_back(page_.say("text.status.address", {{"address", address_}}));
        line("running", joined(parts, "; "));
    }

    const json::object* trouble_of(std::string_view what) const {
        for (const auto* trouble : objects_in(status_, "degraded"))
            if (text_in(*trouble, "what") == what) return trouble;
        return nullptr;
    }

    // `what` is the service's name among what is degraded.
    void service(std::string_view member, std::string_view what) {
        const auto* service = object_in(status_, member);
        if (service == nullptr) return;
        std::vector<std::string> parts;
        const auto* trouble = trouble_of(what);
        const bool is_of_new_secret = trouble != nullptr && flag_in(*trouble, "ofNewSecret").value_or(false);
        parts = reach_of(*service, trouble,
                         member == "provider" ? "text.status.away"
                         : is_of_new_secret   ? "text.status.new_secret"
                                              : "text.status.no_token");
        if (trouble != nullptr && flag_in(*trouble, "mayBeTried").value_or(false))
            parts.push_back(page_.say("text.status.may_be_tried"));
        const auto refused = trouble != nullptr ? number_in(*trouble, "refused").value_or(0) : 0;
        if (refused > 0) parts.push_back(page_.say("text.status.refused", {{"count", refused}}));
        const auto* doubt = member == "provider" ? trouble_of("provider_address") : nullptr;
        if (doubt != nullptr)
            parts.push_back(page_.is_english() ? printable(text_in(*doubt, "lastError"))
                                               : page_.say("text.status.address_doubted"));
        else if (const auto* failure = object_in(*service, "lastFailure"))
            parts.push_back(
                page_.say("text.status.last_failure",
                          {{"at", page_.time(*failure, "at")}, {"detail", page_.cause(text_in(*failure, "detail"))}}));
        if (member == "tokenService") token(parts, is_of_new_secret);
        if (trouble != nullptr)  // comes last, because it may end with a question
            if (const auto error = text_in(*trouble, "lastError"); !error.empty())
                parts.push_back(page_.say("text.status.last_error", {{"error", page_.cause(error)}}));
        line(what, joined(parts, "; "));
    }

    std::vector<std::string> reach_of(const json::object& service, const json::object* trouble,
                                      std::string_view away) const {
        const bool reached = flag_in(service, "reached").value_or(true);
        const auto since = page_.time(service, "since");
        const bool is_longer = trouble != nullptr && flag_in(*trouble, "maybeLonger").value_or(false);
        if (flag_in(service, "asked").value_or(true))
            return {page_.say(is_longer ? "text.status.at_least_since" : "text.status.since",
                              {{"state", page_.say(reached ? "text.status.reached" : away)}, {"since", since}})};
        std::vector<std::string> parts{page_.say("text.status.not_asked")};
        if (reached) parts.push_back(page_.say("text.status.connected", {{"since", since}}));
        return parts;
    }

    void token(std::vector<std::string>& parts, bool is_of_the_secret_before) const {
        const auto* token = object_in(status_, "token");
        if (token == nullptr) return;
        if (!flag_in(*token, "valid").value_or(false))
            parts.push_back(page_.say("text.status.token_none"));
        else if (time_in(*token, "expiresAt"))
            parts.push_back(page_.say(is_of_the_secret_before ? "text.status.token_of_before" : "text.status.token",
                                      {{"until", page_.time(*token, "expiresAt")}}));
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
        if (sold.empty()) return line("families", page_.say("text.status.no_family"));
        const auto words = joined(sold, ", ");
        line("families", others.empty() ? words
                                        : page_.say("text.status.other_families",
                                                    {{"sold", words}, {"others", joined(others, ", ")}}));
    }

    void sales() {
        const auto* sales = object_in(status_, "sales");
        if (sales == nullptr) return;
        const auto count = [&](std::string_view name) { return number_in(*sales, name).value_or(0); };
        auto words =
            page_.say("text.status.sales", {{"under_way", count("underWay")}, {"unsettled", count("unsettled")}});
        if (const auto oldest = time_in(*sales, "oldestUnsettledAt"))
            words += page_.say("text.status.oldest",
                               {{"at", page_.time(*oldest)}, {"length", page_.length(page_.now - *oldest)}});
        if (const auto waiting = count("waitingForJournal"); waiting > 0)
            words += page_.say("text.status.waiting", {{"number", waiting}});
        if (const auto unreadable = count("unreadable"); unreadable > 0)
            words += page_.say("text.status.unreadable", {{"count", unreadable}});
        line("sales", words);
    }

    void attention() {
        const auto* attention = object_in(status_, "attention");
        if (attention == nullptr) return;
        const auto total = number_in(*attention, "total").value_or(0);
        if (total == 0) return line("attention", page_.say("text.status.no_attention"));
        std::vector<std::string> marks;
        if (const auto* by_mark = object_in(*attention, "byMark"))
            for (const auto& mark : *by_mark)
                if (const auto* number = mark.value().if_int64(); number != nullptr && *number > 0)
                    marks.push_back(
                        page_.say("text.status.of_mark", {{"number", *number}, {"mark", page_.mark(mark.key())}}));
        const auto which = marks.empty() ? std::string() : " (" + joined(marks, ", ") + ")";
        line("attention", page_.say("text.status.attention", {{"count", total}, {"which", which}}));
    }

    void unclosed() {
        for (const auto* day : objects_in(status_, "unclosed")) {
            const auto* sold = object_in(*day, "sold");
            if (sold == nullptr) continue;
            const auto how = time_in(*day, "closesAt")
                                 ? page_.say("text.status.closes_itself", {{"at", page_.time(*day, "closesAt")}})
                                 : page_.say("text.status.close_it", {{"day", printable(text_in(*day, "day"))}});
            line("yesterday", page_.say("text.status.unclosed", {{"count", number_in(*sold, "count").value_or(0)},
                                                                 {"day", page_.day(text_in(*day, "day"))},
                                                                 {"store", printable(text_in(*day, "estabelecimento"))},
                                                                 {"amount", amount_of(*sold)},
                                                                 {"how", how}}));
        }
    }

    // Prints a line for each store, which says once what to do.
    void forgotten() {
        std::map<std::string, std::vector<std::string>> of_stores;
        for (const auto* day : objects_in(status_, "forgotten"))
            of_stores[printable(text_in(*day, "estabelecimento"))].emplace_back(text_in(*day, "day"));
        for (const auto& [store, days] : of_stores) {
            std::vector<std::string> shown;
            for (const auto& day : days)
                shown.push_back(page_.day(day));
            line("days", page_.say("text.status.forgotten", {{"count", days.size()},
                                                             {"days", joined(shown, ", ")},
                                                             {"store", store},
                                                             {"first", printable(days.front())}}));
        }
    }

    void closing() {
        if (const auto trouble = text_in(status_, "closing"); !trouble.empty())
            line("closes", page_.is_english() ? printable(trouble) : page_.say("text.status.clock_was_set"));
    }

    void hammering() {
        for (const auto* caller : objects_in(status_, "hammering"))
            line(flag_in(*caller, "over").value_or(false) ? "hammered" : "hammering",
                 page_.is_english()
                     ? printable(text_in(*caller, "detail"))
                     : page_.say("text.status.hammering", {{"count", number_in(*caller, "calls").value_or(0)},
                                                           {"caller", printable(text_in(*caller, "caller"))},
                                                           {"remote", printable(text_in(*caller, "remote"))},
                                                           {"since", page_.time(*caller, "since")}}));
    }

    void journal() {
        const auto* journal = object_in(status_, "journal");
        if (journal == nullptr) return;
        auto words = page_.say(flag_in(*journal, "writable").value_or(true) ? "text.status.writable"
                                                                            : "text.status.not_writable");
        if (flag_in(*journal, "damaged").value_or(false)) words += page_.say("text.status.damaged");
        const auto* database = object_in(*journal, "database");
        if (database != nullptr && time_in(*database, "unusableSince"))
            words += page_.say("text.status.unusable_since", {{"since", page_.time(*database, "unusableSince")}});
        if (const auto* log = object_in(*journal, "growingLog"))
            words += page_.say("text.status.growing_log", {{"bytes", number_in(*log, "bytes").value_or(0)},
                                                           {"detail", page_.cause(text_in(*log, "detail"))}});
        line("journal", words);
        if (database != nullptr) this->database(*database);
    }

    void database(const json::object& database) {
        const auto server = text_in(database, "server");
        const bool can_be_used = !time_in(database, "unusableSince");
        auto words = !server.empty() ? page_.say("text.status.database_at", {{"server", printable(server)}})
                     : can_be_used   ? page_.say("text.status.database_unseen")
                                     : page_.say("text.status.database_lost");
        words += page_.say("text.status.database_name", {{"gateway", printable(text_in(database, "gateway"))}});
        if (flag_in(database, "waitsForStandby").value_or(false)) words += page_.say("text.status.waits_for_standby");
        line("database", words);
        if (server.empty()) return;
        std::vector<std::string> standbys;
        for (const auto* standby : objects_in(database, "standbys"))
            standbys.push_back(words_on(*standby));
        const auto all = standbys.empty() ? page_.say("text.status.no_standby") : joined(standbys, ", ");
        const auto names = printable(text_in(database, "synchronousStandbyNames"));
        line("standbys", page_.say("text.status.standbys", {{"standbys", all}, {"names", names}}));
    }

    std::string words_on(const json::object& standby) const {
        const auto name = printable(text_in(standby, "name"));
        if (!flag_in(standby, "connected").value_or(false))
            return page_.say("text.status.standby_away", {{"name", name}});
        const auto state = printable(text_in(standby, "state"));
        if (state.empty()) return page_.say("text.status.standby", {{"name", name}});
        return page_.say("text.status.standby_as",
                         {{"name", name}, {"state", state}, {"sync", printable(text_in(standby, "syncState"))}});
    }

    // Prints no line where the journal is a database on another machine.
    void disk() {
        const auto* disk = object_in(status_, "disk");
        if (disk == nullptr || !number_in(*disk, "freeBytes")) return;
        const auto number = [&](std::string_view name) { return number_in(*disk, name).value_or(0); };
        auto words = page_.say("text.status.disk", {{"free", page_.bytes(number("freeBytes"))},
                                                    {"folder", printable(text_in(*disk, "folder"))},
                                                    {"needed", page_.bytes(number("neededBytes"))}});
        if (number("freeBytes") < number("neededBytes")) words += page_.say("text.status.disk_short");
        if (const auto inodes = number_in(*disk, "freeInodes"))
            words += page_.say("text.status.files", {{"number", *inodes}});
        if (number("freeInodes") < number("neededInodes"))
            words += page_.say("text.status.files_short", {{"number", number("neededInodes")}});
        line("disk", words);
    }

    void clock() {
        const auto* clock = object_in(status_, "clock");
        if (clock == nullptr) return;
        const auto ahead = number_in(*clock, "aheadOfProviderSeconds");
        if (const auto trouble = text_in(*clock, "trouble"); !trouble.empty())
            return line("clock", page_.is_english() ? printable(trouble)
                                                    : how_wrong(ahead.value_or(0),
                                                                number_in(*clock, "behindJournalSeconds").value_or(0)));
        line("clock", page_.say(ahead ? "text.status.clock_agrees" : "text.status.clock_unknown"));
    }

    // Says the larger of the two differences.
    std::string how_wrong(std::int64_t ahead, std::int64_t behind_journal) const {
        const auto length = [&](std::int64_t seconds) { return page_.length(std::chrono::seconds(seconds)); };
        if (behind_journal > std::abs(ahead)) return page_.say("health.clock_past", {{"time", length(behind_journal)}});
        return page_.say(ahead > 0 ? "health.clock_ahead" : "health.clock_behind", {{"time", length(std::abs(ahead))}});
    }

    const Page& page_;
    const json::object& status_;
    const std::string address_;
    std::string text_;
};

// A command exits with this where the gateway answers, and takes no sales.
constexpr int exit_not_selling = 3;

}  // namespace

Rendered status(const Question& question, const Answers& answers) {
    StatusReport report(question, answers.front());
    return {.text = report.text(), .exit = report.sells() ? 0 : exit_not_selling};
}

}  // namespace gateway::text
