// Renders one sale: what it is and how it stands, what is being done about it, what happened to it, and what a person
// decided.
#include "api/text/history.hpp"
#include "api/text/renderers.hpp"
#include "base/json_members.hpp"
#include "base/wall_time.hpp"
#include "families/plain_text.hpp"
#include "paper/columns.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway::text {
namespace {

namespace json = boost::json;

// A sale has two callbacks; where a provider sends more, they are not printed at length.
constexpr std::size_t longest_callback_word = 40;

std::string mark_of(const Page& page, const json::object& sale) {
    const auto mark = text_in(sale, "mark");
    return mark.empty() ? std::string() : page.mark(mark);
}

std::string product_of(const Page& page, const json::object& sale) {
    auto text = fmt::format("{}, {}", printable(text_in(sale, "family")), printable(text_in(sale, "produto")));
    if (const auto supplier = text_in(sale, "fornecedor"); !supplier.empty())
        text += page.say("text.sale.of_supplier", {{"supplier", printable(supplier)}});
    return text;
}

std::string times_of(const Page& page, const json::object& sale) {
    const auto created = time_in(sale, "createdAt");
    if (!created) return page.time(sale, "createdAt");
    const auto begun = page.time(*created);
    auto text = fmt::format("{} ({})", begun, local_offset(*created));
    if (time_in(sale, "updatedAt"))
        text += page.say("text.sale.last_change", {{"at", page.time_beside(sale, "updatedAt", begun)}});
    return text;
}

std::string seller_of(const Page& page, const json::object& sale) {
    auto text = printable(text_in(sale, "terminal"));
    if (const auto cashier = text_in(sale, "cashier"); !cashier.empty())
        text += page.say("text.sale.by_cashier", {{"cashier", printable(cashier)}});
    return text + page.say("text.sale.in_store", {{"store", printable(text_in(sale, "estabelecimento"))}});
}

std::string answer_words(const json::object& reason, std::string_view said) {
    const auto* provider = object_in(reason, "provider");
    const auto status = provider != nullptr ? number_in(*provider, "status").value_or(0) : 0;
    auto code = status == 0 ? std::string() : fmt::format("HTTP {}", status);
    if (said.empty()) return code;
    return code.empty() ? fmt::format("\"{}\"", said) : fmt::format("\"{}\" ({})", said, code);
}

// A person's word on the sale is in that person's language, and the gateway's word is in English.
std::string reason_words(const Page& page, const json::object& reason) {
    const auto code = text_in(reason, "code");
    const auto detail = printable(text_in(reason, "detail"));
    if (page.is_english()) return fmt::format("{}: {}", printable(code), detail);
    const auto words = printable(page.words.word("reason_code", code));
    return code == "operator" ? fmt::format("{} {}", words, detail) : words;
}

std::string attempt_words(const Page& page, const json::object& attempt) {
    const auto state = text_in(attempt, "state");
    auto text = fmt::format("{}  {}", printable(text_in(attempt, "idExterno")),
                            printable(page.is_english() ? std::string(state) : page.words.word("state", state)));
    if (const auto id = text_in(attempt, "idTransacao"); !id.empty()) text += ", idTransacao " + printable(id);
    return text;
}

std::string_view settled_key(const json::object& sale) {
    if (flag_in(sale, "settled").value_or(false)) return "text.sale.settled_yes";
    return text_in(sale, "mark").empty() ? "text.sale.settled_no" : "text.sale.settled_by_person";
}

// Returns, for example, "sold: EFETIVADA" or "held: AUTORIZADA, the terminal confirms or cancels it".
std::string standing_of(const Page& page, const json::object& sale) {
    const auto outcome = text_in(sale, "outcome");
    auto text =
        fmt::format("{}: {}", printable(page.words.word("text.outcome", outcome)), printable(text_in(sale, "status")));
    if (outcome == "held") text += page.say("text.sale.terminal_decides");
    return text;
}

// Tells nothing of the customer, and of what was bought only the name. `provider_said` has the provider's words in a
// refusal, without what is personal; it may be empty.
std::string facts(const Page& page, const json::object& sale, std::string_view provider_said = {}) {
    auto text = fmt::format("{}  {}", page.bold(printable(text_in(sale, "id"))), page.bold(standing_of(page, sale)));
    if (const auto mark = mark_of(page, sale); !mark.empty())
        text += "  " + page.alarming(page.say("text.sale.needs_person", {{"mark", mark}}));
    text += "\n\n";
    const auto line = [&](std::string_view title, std::string_view words) {
        if (!words.empty()) text += page.paragraph(title, words);
    };
    line(page.say("text.sale.what"), product_of(page, sale));
    line(page.say("text.sale.amount"), amount_of(sale));
    line(page.say("text.sale.when"), times_of(page, sale));
    line(page.say("text.sale.terminal"), seller_of(page, sale));
    line(page.say("text.sale.settled"), page.say(settled_key(sale)));
    if (const auto* reason = object_in(sale, "reason")) {
        line(page.say("text.sale.reason"), reason_words(page, *reason));
        line(page.say("text.sale.provider_said"), answer_words(*reason, provider_said));
    }
    std::string_view title = "idExterno";
    if (const auto* attempts = array_in(sale, "attempts"))
        for (const auto& attempt : *attempts)
            if (const auto* object = attempt.if_object()) {
                line(title, attempt_words(page, *object));
                title = "";
            }
    return text;
}

class ShownSale {
  public:
    ShownSale(const Page& page, const json::object& sale, const json::object& history)
        : page_(page), sale_(sale), history_(history) {}

    std::string text() {
        text_ = facts(page_, sale_, printable(text_in(history_, "providerSaid")));
        mark();
        now();
        callbacks();
        happened();
        return text_;
    }

  private:
    void line(std::string_view title, std::string_view words) {
        if (!words.empty()) text_ += page_.paragraph(title, words);
    }
    void heading(std::string_view words) { text_ += '\n' + page_.bold(words) + '\n'; }

    // Prints the console's sentences in Portuguese, because the gateway's own are English.
    void advice(const json::object& marked, std::string_view member, std::string_view name) {
        const auto key = fmt::format("advice.{}.{}", text_in(marked, "mark"), name);
        line(page_.say(fmt::format("text.show.{}", name)),
             page_.is_english() || !page_.words.has(key) ? printable(text_in(marked, member)) : page_.say(key));
    }

    void mark() {
        const auto* marked = object_in(history_, "marked");
        if (marked == nullptr) return;
        const auto word = page_.mark(text_in(*marked, "mark"));
        if (const auto since = time_in(*marked, "since"))
            heading(page_.say("text.show.needs_person_since", {{"since", page_.time(*since)}, {"mark", word}}));
        else
            heading(page_.say("text.show.needs_person", {{"mark", word}}));
        advice(*marked, "known", "known");
        advice(*marked, "notKnown", "not_known");
        advice(*marked, "toDo", "to_do");
    }

    // Says what is done about an attempt: in English in the gateway's sentence, in Portuguese in the console's.
    std::string doing(const json::object& attempt) const {
        if (page_.is_english()) return printable(text_in(attempt, "text"));
        const auto state = text_in(attempt, "state");
        const bool under_way = flag_in(attempt, "underWay").value_or(false);
        const bool has_step = !text_in(attempt, "step").empty();
        const auto next_at = time_in(attempt, "nextAt");
        const bool is_idle = !under_way && !has_step && !next_at && state != "awaiting";
        auto text = page_.words.word("doing", flag_in(attempt, "waitsForJournal").value_or(false) ? "waits_for_journal"
                                              : is_idle                                           ? "nothing"
                                                                                                  : state);
        const auto count = number_in(attempt, "try").value_or(0);
        if (under_way)
            text += " " + page_.say("doing.under_way", {{"count", count}});
        else if (next_at)
            text += " " + page_.say(has_step ? "doing.next" : "doing.until",
                                    {{"count", count}, {"time", page_.time(*next_at)}});
        if (time_in(attempt, "attentionAt"))
            text += " " + page_.say("doing.attention", {{"time", page_.time(attempt, "attentionAt")}});
        return printable(text);
    }

    // Prints nothing of a sale that is settled, because its last error is history.
    void now() {
        if (flag_in(sale_, "settled").value_or(false)) return;
        const auto* now = object_in(history_, "now");
        const auto tries = number_in(history_, "tries").value_or(0);
        const auto* error = object_in(history_, "lastError");
        if (now == nullptr && tries == 0 && error == nullptr) return;
        heading(page_.say("text.show.now"));
        if (now != nullptr) line(page_.say("text.show.doing"), doing(*now));
        if (const auto* open = array_in(history_, "open"))
            for (const auto& attempt : *open)
                if (const auto* other = attempt.if_object(); other != nullptr && now != nullptr && *other != *now)
                    line(page_.say("text.show.also"), doing(*other));
        const bool more_tries = flag_in(history_, "moreTries").value_or(false);
        if (tries > 0)
            line(page_.say("text.show.tries"),
                 page_.say(more_tries ? "text.show.at_least_without_answer" : "text.show.without_answer",
                           {{"count", tries}}));
        if (error == nullptr) return;
        const bool may_be_older = flag_in(*error, "mayBeOlder").value_or(false);
        line(page_.say("text.show.last_error"),
             page_.say(may_be_older ? "text.show.error_may_be_older" : "text.show.error",
                       {{"at", page_.time(*error, "at")},
                        {"step", printable(text_in(*error, "step"))},
                        {"error", page_.cause(text_in(*error, "text"))}}));
    }

    // Returns what the body says of the sale, and nothing else from it.
    static std::string word_in(const json::object& body, std::string_view name) {
        return cut_to(printable(text_in(body, name)), longest_callback_word);
    }

    // Returns an empty text where the callback's body is not kept any more, or says nothing of the sale.
    std::string callback_words(const json::object& callback) const {
        if (!flag_in(callback, "valid").value_or(true)) {
            const auto why = printable(text_in(callback, "why"));
            return why.empty() ? page_.say("text.show.callback_unusable")
                               : page_.say("text.show.callback_unusable_why", {{"why", why}});
        }
        boost::system::error_code error;
        const auto body = json::parse(text_in(callback, "body"), error);
        const auto* said = error ? nullptr : body.if_object();
        if (said == nullptr) return {};
        std::vector<std::string> words;
        if (const auto status = word_in(*said, "situacaoTransacao"); !status.empty()) words.push_back(status);
        if (const auto recharge = word_in(*said, "situacaoRecarga"); !recharge.empty())
            words.push_back(page_.say("text.show.recharge", {{"situation", recharge}}));
        return words.empty() ? std::string() : fmt::format(": {}", fmt::join(words, ", "));
    }

    void callbacks() {
        const auto* callbacks = array_in(history_, "callbacks");
        if (callbacks == nullptr || callbacks->empty()) return;
        heading(page_.say("text.show.callbacks"));
        for (const auto& entry : *callbacks)
            if (const auto* callback = entry.if_object())
                text_ += fmt::format("  {}  {}{}\n", page_.time(*callback, "at"),
                                     printable(page_.words.word("text.callback", text_in(*callback, "kind"))),
                                     callback_words(*callback));
    }

    void happened() {
        const auto* events = array_in(history_, "events");
        if (events == nullptr || events->empty()) return;
        heading(page_.say("text.show.happened"));
        auto lines = history_lines(page_, *events, number_in(history_, "leftOutAtEnd").value_or(0));
        if (flag_in(history_, "leavesOut").value_or(false)) lines.push_back({"", page_.say("text.show.leaves_out")});
        std::size_t width = 0;
        for (const auto& told : lines)
            width = std::max(width, columns_of(told.when));
        for (const auto& told : lines)
            text_ += hanging("  " + padded(told.when, width) + "  ", width + 4, told.what, page_.columns);
    }

    const Page& page_;
    const json::object& sale_;
    const json::object& history_;
    std::string text_;
};

}  // namespace

Rendered sale(const Question& question, const Answers& answers) {
    return {.text = facts(question.page, answers.front())};
}

std::optional<std::string> sale_of_history(const Question&, const Answers& answers) {
    if (answers.size() > 1) return std::nullopt;
    return "/v1/sales/" + encoded_segment(text_in(answers.front(), "id"));
}

Rendered history(const Question& question, const Answers& answers) {
    return {.text = ShownSale(question.page, answers.back(), answers.front()).text()};
}

// Says where else a sale may be that is not here.
std::string hint_of_sale(const Question& question, const json::object& problem) {
    return text_in(problem, "code") == "not_found" ? question.page.say("text.hint.elsewhere") : std::string();
}

Rendered resolved(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& sale = answers.front();
    const auto mark = mark_of(page, sale);
    auto text =
        page.say(mark.empty() ? "text.resolved.done" : "text.resolved.marked",
                 {{"id", printable(text_in(sale, "id"))}, {"standing", standing_of(page, sale)}, {"mark", mark}}) +
        '\n';
    const auto* esim = object_in(sale, "esim");
    const bool has_number = esim != nullptr && !(text_in(*esim, "msisdn").empty() && text_in(*esim, "url").empty());
    if (text_in(sale, "family") == "esim" && text_in(sale, "outcome") == "sold" && !has_number)
        text += page.say("text.resolved.no_number") + '\n';
    return {.text = std::move(text)};
}

// Says what is left to do after the gateway's refusal.
std::string hint_of_resolving(const Question& question, const json::object& problem) {
    const auto& page = question.page;
    const auto code = text_in(problem, "code");
    boost::system::error_code error;
    const auto body = json::parse(question.request.body, error);
    const bool is_noted = !error && body.is_object() && !body.get_object().contains("status");
    if (code == "not_found") return page.say("text.hint.elsewhere");
    if (code == "sale_final" && !is_noted) return page.say("text.hint.sale_final");
    if (code == "no_attention" || code == "sale_final") return page.say("text.hint.no_attention");
    const bool is_pending = number_in(problem, "status").value_or(0) == 422 && is_noted;
    return is_pending ? page.say("text.hint.not_noted") : std::string();
}

}  // namespace gateway::text
