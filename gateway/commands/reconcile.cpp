// `reconcile`: brings the provider's statement of a day to the gateway, and says what does not agree.
#include "commands/commands.hpp"
#include "commands/days.hpp"
#include "commands/finding_table.hpp"
#include "commands/members.hpp"
#include "commands/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace gateway {
namespace {

namespace json = boost::json;

// What the gateway takes, in bytes: larger files are not even read.
constexpr std::uintmax_t longest_statement = std::uintmax_t{128} << 20U;

boost::system::result<std::string, std::string> bytes_of(const std::string& name) {
    using boost::system::in_place_error;
    if (std::filesystem::is_directory(name)) return {in_place_error, name + " is a folder"};
    std::ifstream file(name, std::ios::binary | std::ios::ate);
    const auto size = file ? static_cast<std::uintmax_t>(file.tellg()) : 0;
    if (!file) return {in_place_error, name + " cannot be read"};
    if (size > longest_statement)
        return {in_place_error, fmt::format("{} has {} bytes, and at most {} are taken: it is no statement", name, size,
                                            longest_statement)};
    file.seekg(0);
    std::ostringstream bytes;
    if (size > 0) bytes << file.rdbuf();
    if (!file) return {in_place_error, name + " cannot be read"};
    return {boost::system::in_place_value, std::move(bytes).str()};
}

std::string summary(const json::object& answer, Language language) {
    const auto* statement = object_in(answer, "statement");
    if (statement == nullptr) return {};
    const auto count = [&](std::string_view name) { return number_in(*statement, name).value_or(0); };
    const bool known = flag_in(answer, "alreadyImported").value_or(false);
    const auto day = printable(text_in(*statement, "day"));
    const bool portuguese = language == Language::portuguese;
    auto text = portuguese
                    ? fmt::format(
                          "Extrato de {}{}: {} linhas, {} conferem, {} de outros ou não vendidas; "
                          "divergências: {}\n",
                          day, known ? ", já lido antes" : "", count("rows"), count("matched"), count("others"),
                          count("findings"))
                    : fmt::format("Statement of {}{}: {} rows, {} agree, {} are others' or not sold; findings: {}\n",
                                  day, known ? ", read before" : "", count("rows"), count("matched"), count("others"),
                                  count("findings"));
    if (const auto now = number_in(*statement, "supersededBy")) {
        const auto* const form = portuguese
                                     ? "Depois dele foi lido o extrato nº {}, e é esse que vale para o dia: --again "
                                       "faz valer este.\n"
                                     : "Statement no. {} was read after it and counts for the day: --again makes "
                                       "this one count.\n";
        text += fmt::format(fmt::runtime(form), *now);
    }
    return text;
}

int fail(const Desk& desk, const std::string& why) {
    desk.err << "error: " << why << '\n';
    return exit_failure;
}

// What came of asking for single sales.
std::string inquiry_summary(const json::object& answer, Language language) {
    const auto count = [&](std::string_view name) { return number_in(answer, name).value_or(0); };
    const bool portuguese = language == Language::portuguese;
    const auto* statement = object_in(answer, "statement");
    const auto differing = statement == nullptr ? 0 : number_in(*statement, "findings").value_or(0);
    if (count("asked") == 0)
        return portuguese ? "Nenhuma venda do dia a consultar.\n" : "There is no sale of the day to ask for.\n";
    auto text = fmt::format(fmt::runtime(portuguese ? "Vendas consultadas: {}; com resposta: {}; divergências: {}\n"
                                                    : "Sales asked for: {}; answered: {}; findings: {}\n"),
                            count("asked"), count("answered"), differing);
    if (count("left") > 0)
        text += fmt::format(fmt::runtime(portuguese ? "Não consultadas: {}\n" : "Not asked for: {}\n"), count("left"));
    if (const auto why = printable(text_in(answer, "ended")); !why.empty())
        text += (portuguese ? "Interrompido: " : "It ended early: ") + why + '\n';
    return text;
}

AdminClient::Told send(const Desk& desk, const StatementWishes& wishes, const std::string& query) {
    if (wishes.file.empty()) {
        const json::object nothing;
        const std::string call = wishes.from_status ? "from-status" : "from-provider";
        return desk.gateway.post("/v1/statements/" + call + query, nothing, AdminClient::statement_patience,
                                 wishes.from_status ? "sales-gateway findings tells" : "the same once more tells");
    }
    auto bytes = bytes_of(wishes.file);
    if (bytes.has_error()) return {boost::system::in_place_error, bytes.error()};
    std::int64_t seconds = 0;
    const auto waiting = [&] {
        if (wishes.shows_progress) desk.err << fmt::format("\r{}: {} s", wishes.file, ++seconds) << std::flush;
    };
    auto told = desk.gateway.post_file("/v1/statements" + query, std::move(*bytes), waiting);
    if (seconds > 0) desk.err << '\n';
    return told;
}

}  // namespace

int reconcile_statement(const Desk& desk, const StatementWishes& wishes) {
    std::string query;
    if (!wishes.day.empty()) {
        const auto meant = StoreDays(desk).meant("--day", wishes.day);
        if (!meant.day) return meant.exit;
        add_to_query(query, "day", *meant.day);
    }
    if (!wishes.by.empty()) add_to_query(query, "by", wishes.by);
    if (wishes.again) add_to_query(query, "again", "true");
    const auto told = send(desk, wishes, query);
    if (told.has_error()) return fail(desk, told.error());
    if (!told->good())
        return fail(desk, fmt::format("{} ({})", printable(told->problem()), printable(text_in(told->body, "code"))));
    if (desk.as_json) {
        desk.out << json::serialize(told->body) << '\n';
        return exit_ok;
    }
    desk.out << (wishes.from_status ? inquiry_summary(told->body, wishes.language)
                                    : summary(told->body, wishes.language));
    const auto* findings = array_in(told->body, "findings");
    if (findings != nullptr && !findings->empty())
        desk.out << '\n' << finding_table(desk.screen, *findings, wishes.language);
    const auto* statement = object_in(told->body, "statement");
    const auto all = statement == nullptr ? 0 : number_in(*statement, "findings").value_or(0);
    if (findings != nullptr && static_cast<std::int64_t>(findings->size()) < all)
        desk.out << (wishes.language == Language::portuguese
                         ? "Nem todas aparecem: sales-gateway findings --day DIA --all --limit N mostra mais.\n"
                         : "Not all are shown: sales-gateway findings --day DAY --all --limit N shows more.\n");
    return exit_ok;
}

}  // namespace gateway
