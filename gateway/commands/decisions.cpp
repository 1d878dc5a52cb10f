// Has the commands that change something: resolve, close, reconcile, findings --resolve, and the link to the console.
#include "base/clock.hpp"
#include "base/json_members.hpp"
#include "commands/ask.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gateway {
namespace {

namespace json = boost::json;

// Shows a person what a decision is about, on standard error. Returns whether there was something to show.
bool show(const Shell& shell, std::string target) {
    auto for_a_person = shell;
    for_a_person.as_json = false;
    auto call = call_of(for_a_person, std::move(target));
    call.patience = AdminClient::summing_patience;
    const auto told = shell.gateway.ask(std::move(call));
    if (told.has_error()) return fail(shell, told.error()) == exit_ok;
    shell.err << told->body;
    return told->good();
}

int give_up(const Shell& shell) {
    shell.err << shell.words.say("command.nothing_done") << '\n';
    return exit_failure;
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

// Says why the gateway's clock, by which it tells what today is, is not believed; empty where nothing speaks against
// it.
std::string trouble_with_clock(const json::object& status) {
    if (auto closing = text_in(status, "closing"); !closing.empty()) return std::string(closing);
    const auto* clock = object_in(status, "clock");
    if (clock == nullptr) return {};
    constexpr auto too_much = std::chrono::duration_cast<std::chrono::seconds>(unbelievable_difference).count();
    const bool is_off = std::abs(number_in(*clock, "aheadOfProviderSeconds").value_or(0)) >= too_much ||
                        number_in(*clock, "behindJournalSeconds").value_or(0) >= too_much;
    return is_off ? std::string(text_in(*clock, "trouble")) : std::string();
}

// The gateway takes no more bytes; larger files are not even read.
constexpr std::uintmax_t longest_statement = std::uintmax_t{128} << 20U;

boost::system::result<std::string, std::string> bytes_of(const Words& words, const std::string& name) {
    using boost::system::in_place_error;
    if (std::filesystem::is_directory(name)) return {in_place_error, words.say("command.is_folder", {{"file", name}})};
    std::ifstream file(name, std::ios::binary | std::ios::ate);
    const auto size = file ? static_cast<std::uintmax_t>(file.tellg()) : 0;
    if (size > longest_statement)
        return {in_place_error,
                words.say("command.too_long", {{"file", name}, {"bytes", size}, {"most", longest_statement}})};
    file.seekg(0);
    std::ostringstream bytes;
    if (size > 0) bytes << file.rdbuf();
    if (!file) return {in_place_error, words.say("command.cannot_be_read", {{"file", name}})};
    return {boost::system::in_place_value, std::move(bytes).str()};
}

}  // namespace

int show_console_link(const Shell& shell) {
    json::object body;
    if (const auto name = operator_name(); !name.empty()) body["by"] = name;
    auto call = post_of(shell, "/v1/console/links", body);
    call.tells = "command.tells.link";
    const auto exit = ask_and_print(shell, std::move(call));
    if (exit == exit_ok && !shell.as_json) shell.err << shell.words.say("command.link") << '\n';
    return exit;
}

int resolve_sale(const Shell& shell, const Resolution& resolution, const Confirmation& confirmed) {
    const auto target = "/v1/sales/" + encoded_segment(resolution.id);
    if (confirmed) {
        if (!show(shell, target)) return exit_failure;
        const auto question = shell.words.say(fmt::format("command.resolve.{}", resolution.sold       ? "sold"
                                                                                : resolution.not_sold ? "not_sold"
                                                                                                      : "noted"));
        shell.err << '\n';
        if (!confirmed(shell.words.say("command.note_is_seen") + '\n' + question)) return give_up(shell);
    }
    auto call = post_of(shell, target + "/resolve", body_of(resolution));
    call.tells = "command.tells.show";
    return ask_and_print(shell, std::move(call));
}

int close_day(const Shell& shell, const CloseArguments& arguments, const Confirmation& confirmed) {
    const auto wanted = arguments.day.empty() ? std::string("today") : arguments.day;
    if (wanted == "today" || wanted == "yesterday") {
        const auto status = ask_for_json(shell, "/v1/status");
        if (!status) return exit_failure;
        auto trouble = trouble_with_clock(*status);
        if (!trouble.empty() && shell.words.language() == Language::portuguese)
            trouble = shell.words.say("command.clock_wrong");
        if (!trouble.empty()) return fail(shell, shell.words.say("command.clock_doubted", {{"trouble", trouble}}));
    }
    const auto meant = day_meant(shell, "--day", wanted);
    if (!meant.day) return meant.exit;
    if (confirmed) {
        std::string query;
        add_to_query(query, "day", *meant.day);
        add_to_query(query, "by", "estabelecimento,family");
        if (!arguments.estabelecimento.empty()) add_to_query(query, "estabelecimento", arguments.estabelecimento);
        if (!show(shell, "/v1/totals" + query)) return exit_failure;
        shell.err << '\n';
        if (wanted == "today") shell.err << shell.words.say("command.not_over") << '\n';
        if (!confirmed(shell.words.say("command.close"))) return give_up(shell);
    }
    json::object body{{"day", *meant.day}};
    if (!arguments.estabelecimento.empty()) body["estabelecimento"] = arguments.estabelecimento;
    if (!arguments.by.empty()) body["by"] = arguments.by;
    auto call = post_of(shell, "/v1/closes", body);
    call.patience = AdminClient::summing_patience;
    call.tells = "command.tells.close";
    return ask_and_print(shell, std::move(call));
}

int reconcile_statement(const Shell& shell, const StatementArguments& arguments) {
    std::string query;
    if (!arguments.day.empty()) {
        const auto meant = day_meant(shell, "--day", arguments.day);
        if (!meant.day) return meant.exit;
        add_to_query(query, "day", *meant.day);
    }
    if (!arguments.by.empty()) add_to_query(query, "by", arguments.by);
    if (arguments.again) add_to_query(query, "again", "true");
    const bool has_file = !arguments.file.empty();
    const json::object nothing;
    const auto* const source = has_file ? "" : arguments.from_status ? "/from-status" : "/from-provider";
    auto call = post_of(shell, "/v1/statements" + std::string(source) + query, nothing);
    call.patience = AdminClient::statement_patience;
    call.tells = arguments.from_status ? "command.tells.findings" : "command.tells.again";
    std::int64_t seconds = 0;
    if (has_file) {
        auto bytes = bytes_of(shell.words, arguments.file);
        if (bytes.has_error()) return fail(shell, bytes.error());
        call.content_type = "application/octet-stream";
        call.body = std::move(*bytes);
        if (arguments.shows_progress)
            call.waiting = [&] { shell.err << fmt::format("\r{}: {} s", arguments.file, ++seconds) << std::flush; };
    }
    const auto told = shell.gateway.ask(std::move(call));
    if (seconds > 0) shell.err << '\n';
    return print(shell, told);
}

int resolve_finding(const Shell& shell, const FindingArguments& arguments) {
    json::object body{{"note", arguments.note}};
    if (!arguments.by.empty()) body["by"] = arguments.by;
    auto call = post_of(shell, fmt::format("/v1/findings/{}/resolve", arguments.number), body);
    call.tells = "command.tells.findings";
    return ask_and_print(shell, std::move(call));
}

}  // namespace gateway
