// Renders the sales that need a person: what is known of each, what is not, and what to do.
#include "api/text/renderers.hpp"
#include "base/json_members.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::text {
namespace {

namespace json = boost::json;

constexpr std::size_t title_indent = 15;

class MarkedSaleText {
  public:
    MarkedSaleText(const Page& page, const json::object& sale, std::string_view provider_phone)
        : page_(page), sale_(sale), provider_phone_(provider_phone) {}

    std::string text() {
        const auto mark = mark_code();
        text_ = fmt::format("{}  {}\n", printable(text_in(sale_, "id")), page_.mark(mark));
        line("text.attention.sale", sentence());
        text_ += page_.paragraph("idExterno", member("idExterno"), title_indent);
        if (const auto id = text_in(sale_, "idTransacao"); !id.empty())
            text_ += page_.paragraph("idTransacao", printable(id), title_indent);
        line("text.attention.since",
             time_in(sale_, "since") ? page_.time(sale_, "since") : page_.say("text.attention.since_unknown"));
        tries();
        last_error();
        if (const auto* callbacks = array_in(sale_, "callbacks"))
            for (const auto& one : *callbacks)
                if (const auto* callback = one.if_object()) line("text.attention.callback", of_callback(*callback));
        advice("known", "known");
        advice("notKnown", "not_known");
        advice("toDo", "to_do");
        if (!provider_phone_.empty())
            line("text.attention.phone", page_.say("text.attention.phone_of", {{"phone", printable(provider_phone_)}}));
        return text_;
    }

  private:
    void line(std::string_view title_key, std::string_view words) {
        text_ += page_.paragraph(page_.say(title_key), words, title_indent);
    }
    // The listener calls it "mark", and the command "attention".
    std::string_view mark_code() const {
        const auto mark = text_in(sale_, "mark");
        return mark.empty() ? text_in(sale_, "attention") : mark;
    }
    std::string member(std::string_view name) const {
        const auto text = text_in(sale_, name);
        return text.empty() ? page_.say("text.attention.cannot_be_read") : printable(text);
    }

    // Returns, for example, "egift Moedas, R$ 20,00, EFETIVADA, of caixa-01 at 2024-… (12345678)".
    std::string sentence() const {
        const auto unreadable = page_.say("text.attention.cannot_be_read");
        return page_.say("text.attention.sentence",
                         {{"family", member("family")},
                          {"product", printable(text_in(sale_, "produto"))},
                          {"amount", number_in(sale_, "valor") ? amount_of(sale_) : unreadable},
                          {"status", member("status")},
                          {"terminal", printable(text_in(sale_, "terminal"))},
                          {"at", time_in(sale_, "createdAt") ? page_.time(sale_, "createdAt") : unreadable},
                          {"store", printable(text_in(sale_, "estabelecimento"))}});
    }

    void tries() {
        const auto tries = number_in(sale_, "tries").value_or(0);
        const bool more = flag_in(sale_, "moreTries").value_or(false);
        if (tries > 0)
            line("text.show.tries",
                 more ? page_.say("text.attention.at_least", {{"number", tries}}) : std::to_string(tries));
    }

    void last_error() {
        const auto* error = object_in(sale_, "lastError");
        if (error == nullptr) return;
        const bool may_be_older = flag_in(*error, "mayBeOlder").value_or(false);
        line("text.show.last_error", page_.say(may_be_older ? "text.attention.older_error" : "text.attention.error",
                                               {{"step", printable(text_in(*error, "step"))},
                                                {"at", page_.time(*error, "at")},
                                                {"error", page_.cause(text_in(*error, "text"))}}));
    }

    std::string said_by(const json::object& callback) const {
        const auto why = printable(text_in(callback, "why"));
        if (!flag_in(callback, "valid").value_or(true))
            return why.empty() ? page_.say("text.attention.callback_unusable")
                               : page_.say("text.attention.callback_unusable_why", {{"why", why}});
        const auto status = printable(text_in(callback, "situacaoTransacao"));
        const auto recharge = printable(text_in(callback, "situacaoRecarga"));
        const auto said = status.empty() ? page_.say("text.attention.callback_encrypted") : status;
        return recharge.empty() ? said : said + ", " + page_.say("text.show.recharge", {{"situation", recharge}});
    }
    // Returns, for example, "2024-05-02 10:11:12 (sale): EFETIVADA, recharge FALHA".
    std::string of_callback(const json::object& callback) const {
        return page_.say(
            "text.attention.callback_said",
            {{"at", time_in(callback, "at") ? page_.time(callback, "at") : page_.say("text.attention.cannot_be_read")},
             {"kind", printable(page_.words.word("text.callback", text_in(callback, "kind")))},
             {"said", said_by(callback)}});
    }

    // Adds the console's sentences in Portuguese, because the gateway's own are English.
    void advice(std::string_view of_gateway, std::string_view name) {
        const auto key = fmt::format("advice.{}.{}", mark_code(), name);
        line(fmt::format("text.show.{}", name),
             page_.is_english() || !page_.words.has(key) ? printable(text_in(sale_, of_gateway)) : page_.say(key));
    }

    const Page& page_;
    const json::object& sale_;
    const std::string_view provider_phone_;
    std::string text_;
};

}  // namespace

std::string attention_report(const Page& page, const json::array& sales, std::string_view provider_phone) {
    const auto damage = page.say("text.attention.damage") + '\n';
    if (sales.empty()) return page.say("text.attention.none") + '\n' + damage;
    std::string text;
    for (const auto& one : sales)
        if (const auto* sale = one.if_object()) text += MarkedSaleText(page, *sale, provider_phone).text() + '\n';
    const auto last = sales.back().is_object() ? time_in(sales.back().get_object(), "createdAt") : std::nullopt;
    return text + page.say("text.attention.count", {{"number", sales.size()}}) + '\n' +
           page.say("text.attention.zone", {{"offset", local_offset(last.value_or(WallTime()))}}) + '\n' +
           page.say("text.attention.how") + '\n' + damage;
}

Rendered attention(const Question& question, const Answers& answers) {
    const auto* sales = array_in(answers.front(), "sales");
    const json::array none;
    return {.text = attention_report(question.page, sales != nullptr ? *sales : none,
                                     text_in(answers.front(), "providerPhone"))};
}

}  // namespace gateway::text
