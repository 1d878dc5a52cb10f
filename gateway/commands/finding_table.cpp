#include "commands/finding_table.hpp"

#include "base/in_words.hpp"
#include "commands/members.hpp"
#include "commands/table.hpp"
#include "commands/words.hpp"
#include "reconcile/finding.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <set>

namespace gateway {
namespace {

namespace json = boost::json;

// "R$ 49,90 EFETIVADA"; a dash where that side has nothing.
std::string saying_of(const json::object& finding, std::string_view side) {
    const auto* saying = object_in(finding, side);
    if (saying == nullptr) return "-";
    return fmt::format("{} {}", money_in_words(number_in(*saying, "valor").value_or(0)),
                       printable(text_in(*saying, "status")));
}

std::string number_text(const json::object& object, std::string_view name) {
    const auto number = number_in(object, name);
    return number ? std::to_string(*number) : std::string();
}

std::string end_of(const json::object& finding) {
    const auto* closed = object_in(finding, "closed");
    return closed == nullptr ? std::string() : printable(text_in(*closed, "as"));
}

// The longest kind is unconfirmed_there.
constexpr std::size_t kind_columns = 21;

// Of a kind that only a newer gateway knows, what that says.
std::string sentence_of(const json::object& finding, Language language) {
    const auto kind = parse_finding_kind(text_in(finding, "kind"));
    if (!kind) return printable(text_in(finding, "detail"));
    const auto words = in_words(*kind);
    return std::string(language == Language::portuguese ? words.portuguese : words.english);
}

// "rita: claimed", what a person said of it; empty where nobody did.
std::string last_word(const json::object& finding) {
    const auto* closed = object_in(finding, "closed");
    if (closed == nullptr) return printable(text_in(finding, "note"));
    const auto by = printable(text_in(*closed, "by"));
    const auto note = printable(text_in(*closed, "note"));
    return by.empty() || note.empty() ? by + note : by + ": " + note;
}

}  // namespace

std::string finding_table(const Screen& screen, const json::array& findings, Language language) {
    if (findings.empty()) return {};
    const bool portuguese = language == Language::portuguese;
    std::vector<Column> columns{{.head = portuguese ? "nº" : "no.", .right = true},
                                {.head = portuguese ? "dia" : "day"},
                                {.head = portuguese ? "tipo" : "kind", .alarming = true},
                                {.head = "idExterno"},
                                {.head = portuguese ? "aqui" : "here", .leaves = 2},
                                {.head = portuguese ? "no provedor" : "there", .leaves = 2},
                                {.head = portuguese ? "linha" : "line", .right = true, .leaves = 1},
                                {.head = portuguese ? "encerrada" : "closed"}};
    std::string sentences;
    std::set<std::string> said;
    for (const auto& one : findings) {
        const auto* finding = one.if_object();
        if (finding == nullptr) continue;
        const auto kind = printable(text_in(*finding, "kind"));
        const std::array cells{number_text(*finding, "id"),
                               printable(text_in(*finding, "day")),
                               kind,
                               printable(text_in(*finding, "idExterno")),
                               saying_of(*finding, "ours"),
                               saying_of(*finding, "theirs"),
                               number_text(*finding, "line"),
                               end_of(*finding)};
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[i].cells.push_back(cells.at(i));
        if (said.insert(kind).second)
            sentences += paragraph(screen, kind, sentence_of(*finding, language), kind_columns);
        // What the table's columns do not say: of a day as a whole, or of a row that no id tells.
        if (const auto found = printable(text_in(*finding, "found")); !found.empty())
            sentences += paragraph(screen, "", fmt::format("{}: {}", number_text(*finding, "id"), found), kind_columns);
        if (const auto word = last_word(*finding); !word.empty())
            sentences += paragraph(screen, "", fmt::format("{}: {}", number_text(*finding, "id"), word), kind_columns);
    }
    return table(screen, columns) + "\n" + sentences;
}

}  // namespace gateway
