// `show`: one sale, what is being done about it, and what happened to it.
#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/members.hpp"
#include "commands/story.hpp"
#include "commands/words.hpp"
#include "families/plain_text.hpp"
#include "paper/columns.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

// A sale has two callbacks; a provider that sends more is not printed at length.
constexpr std::size_t longest_callback_word = 40;

class ShowReport {
  public:
    ShowReport(const Desk& desk, const json::object& sale, const json::object& story)
        : desk_(desk), sale_(sale), story_(story) {}

    std::string text() {
        text_ = sale_facts(desk_.screen, sale_, printable(text_in(story_, "providerSaid")));
        mark();
        now();
        callbacks();
        happened();
        return text_;
    }

  private:
    void line(std::string_view title, std::string_view words) {
        if (!words.empty()) text_ += paragraph(desk_.screen, title, words);
    }
    void heading(std::string_view words) { text_ += '\n' + desk_.screen.bold(words) + '\n'; }

    void mark() {
        const auto* marked = object_in(story_, "marked");
        if (marked == nullptr) {
            const auto advice = printable(text_in(story_, "advice"));
            if (advice.empty()) return;
            heading("Needs a person: " + printable(text_in(story_, "attention")));
            return line("", advice);
        }
        const auto since = time_in(*marked, "since");
        heading(fmt::format("Needs a person{}: {}", since ? " since " + to_local_text(*since) : "",
                            printable(text_in(*marked, "mark"))));
        line("known", printable(text_in(*marked, "known")));
        line("not known", printable(text_in(*marked, "notKnown")));
        line("to do", printable(text_in(*marked, "toDo")));
    }

    // Of a sale that is settled the last error is history.
    void now() {
        if (flag_in(sale_, "settled").value_or(false)) return;
        const auto* now = object_in(story_, "now");
        const auto tries = number_in(story_, "tries").value_or(0);
        const auto* error = object_in(story_, "lastError");
        if (now == nullptr && tries == 0 && error == nullptr) return;
        heading("Now");
        if (now != nullptr) line("doing", printable(text_in(*now, "text")));
        if (const auto* open = array_in(story_, "open"))
            for (const auto& attempt : *open)
                if (const auto* other = attempt.if_object(); other != nullptr && now != nullptr && *other != *now)
                    line("also", printable(text_in(*other, "text")));
        if (tries > 0)
            line("tries", (flag_in(story_, "moreTries").value_or(false) ? "at least " : "") +
                              counted(tries, "try", "tries") + " without a usable answer");
        if (error != nullptr)
            line("last error",
                 fmt::format("{} {}: {}{}", local_time(*error, "at"), printable(text_in(*error, "step")),
                             printable(text_in(*error, "text")),
                             flag_in(*error, "mayBeOlder").value_or(false)
                                 ? "; later ones may be left out of the sale's history, which is long; the log has them"
                                 : ""));
    }

    // What it says of the sale, and nothing else of it.
    static std::string word_in(const json::object& body, std::string_view name) {
        return cut_to(printable(text_in(body, name)), longest_callback_word);
    }

    // Empty where its body is not kept any more, or says nothing of that.
    static std::string callback_words(const json::object& callback) {
        if (!flag_in(callback, "valid").value_or(true)) {
            const auto why = printable(text_in(callback, "why"));
            return fmt::format(": could not be used{}{}; the gateway has kept it", why.empty() ? "" : ", ", why);
        }
        boost::system::error_code error;
        const auto body = json::parse(text_in(callback, "body"), error);
        const auto* said = error ? nullptr : body.if_object();
        if (said == nullptr) return {};
        std::vector<std::string> words;
        if (const auto status = word_in(*said, "situacaoTransacao"); !status.empty()) words.push_back(status);
        if (const auto recharge = word_in(*said, "situacaoRecarga"); !recharge.empty())
            words.push_back("recharge " + recharge);
        return words.empty() ? std::string() : fmt::format(": {}", fmt::join(words, ", "));
    }

    void callbacks() {
        const auto* callbacks = array_in(story_, "callbacks");
        if (callbacks == nullptr || callbacks->empty()) return;
        heading("Callbacks");
        for (const auto& entry : *callbacks)
            if (const auto* callback = entry.if_object())
                text_ += fmt::format("  {}  {}{}\n", local_time(*callback, "at"), printable(text_in(*callback, "kind")),
                                     callback_words(*callback));
    }

    void happened() {
        const auto* events = array_in(story_, "events");
        if (events == nullptr || events->empty()) return;
        heading("What happened");
        auto lines = story_lines(*events, number_in(story_, "leftOutAtEnd").value_or(0));
        if (flag_in(story_, "leavesOut").value_or(false))
            lines.push_back(
                {"", "The history has grown long, and leaves out what was only repeated: the log has all."});
        std::size_t width = 0;
        for (const auto& told : lines)
            width = std::max(width, columns_of(told.when));
        for (const auto& told : lines)
            text_ += hanging("  " + padded(told.when, width) + "  ", width + 4, told.what, desk_.screen.columns);
    }

    const Desk& desk_;
    const json::object& sale_;
    const json::object& story_;
    std::string text_;
};

}  // namespace

int show_sale(const Desk& desk, const std::string& id) {
    const auto sale = sale_named(desk, id);
    if (!sale) return exit_failure;
    const auto story = desk.gateway.get("/v1/sales/" + encoded_segment(text_in(*sale, "id")) + "/events");
    if (story.has_error() || !story->good()) {
        desk.err << "error: " << (story.has_error() ? story.error() : printable(story->problem())) << '\n';
        return exit_failure;
    }
    if (desk.as_json)
        desk.out << json::serialize(json::object{{"sale", *sale}, {"story", story->body}}) << '\n';
    else
        desk.out << ShowReport(desk, *sale, story->body).text();
    return exit_ok;
}

}  // namespace gateway
