#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "config/checks.hpp"
#include "reconcile/local_time_text.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>

namespace gateway {

namespace {

const std::string columns_section = "statement.columns";
const std::string detail_column_key = "statement.detail.column";
const std::string detail_text_key = "statement.detail.text";

std::string key_of(const NamedColumn& named) {
    return columns_section + "." + std::string(named.name);
}

// Says why this separator cannot separate fields; empty where it can. A control character ends a line or a file, except
// for the tab and ASCII's own separators.
std::string_view why_no_separator(const StatementFormat& format) {
    const std::string_view text = format.separator;
    if (text.empty()) return told("this is none");
    const auto [character, bytes] = first_code_point(text);
    if (character < 0 || bytes != text.size()) return told("these are several");
    if (character == '\t' || (character >= 0x1c && character <= 0x1f)) return {};
    if (character == '"') return told("fields in quotes are not read");
    if (format.encoding == StatementEncoding::latin1 && character > 0xff) return told("latin1 does not have this one");
    const auto category = utf8proc_category(character);
    const bool is_mark = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_SO;
    return is_mark ? ""
                   : told("letters, digits and spaces stand in the fields themselves, and what cannot be seen in none");
}

bool stands_in_times(std::string_view separator, std::string_view pattern) {
    const bool is_rfc3339 = pattern == rfc3339_pattern;
    return (is_rfc3339 ? std::string_view("-:.+TZ") : pattern).find(separator) != std::string_view::npos;
}

void check_separator(const StatementFormat& format, Diagnostics& diagnostics) {
    const std::string key = "statement.separator";
    const auto& text = format.separator;
    if (diagnostics.has_error(key)) return;
    if (const auto why = why_no_separator(format); !why.empty()) {
        diagnostics.error(key,
                          told("must be one character that stands between fields and in none of them, such as \";\", "
                               "\"|\" or \"\\t\", and {}"),
                          why);
    } else if ((text == "," || text == ".") && format.money != AmountUnit::cents &&
               !diagnostics.has_error("statement.money")) {
        diagnostics.error(key, told("stands in amounts too, as statement.money writes them"));
    } else if (format.columns.data_hora && stands_in_times(text, format.time) &&
               !diagnostics.has_error("statement.time")) {
        diagnostics.error(key, told("stands in times too, as statement.time writes them"));
    }
}

void check_detail(const StatementFormat& format, Diagnostics& diagnostics) {
    const bool has_text = !format.detail_text.empty();
    if (diagnostics.has_error(detail_column_key) || diagnostics.has_error(detail_text_key)) return;
    if (format.reads_rows() != has_text) {
        const auto& missing = has_text ? detail_column_key : detail_text_key;
        diagnostics.error(missing, told("is missing: {} is of no use without it"),
                          has_text ? detail_text_key : detail_column_key);
    }
    if (has_text && format.detail_column == 1 && format.detail_text == "0")
        diagnostics.error(detail_text_key, told("is what the header begins with"));
    if (format.detail_column == 1 && std::ranges::find(format.ignored, format.detail_text) != format.ignored.end())
        diagnostics.error("statement.ignore", told("lists what detail lines begin with"));
}

void check_columns(const StatementFormat& format, Diagnostics& diagnostics) {
    const auto named = named_columns(format.columns);
    for (std::size_t i = 0; i < named.size(); ++i) {
        const auto before = std::span(named).first(i);
        const auto same = std::ranges::find(before, named[i].column, &NamedColumn::column);
        if (named[i].column == format.detail_column) {
            diagnostics.error(key_of(named[i]),
                              told("is the column of statement.detail, which is the same in every line"));
        } else if (same != before.end()) {
            diagnostics.error(key_of(named[i]), told("is column {}, and so is {}: each field has a column of its own"),
                              named[i].column, key_of(*same));
        }
    }
    if (diagnostics.has_error(detail_column_key)) return;
    const auto& columns = format.columns;
    if (!named.empty() && !format.reads_rows())
        diagnostics.error(detail_column_key, told("is missing: without it no line is known to have the columns"));
    if (!format.reads_rows()) return;
    const auto require = [&](bool is_there, std::string_view name, std::string_view why) {
        const auto key = columns_section + "." + std::string(name);
        if (!is_there && !diagnostics.has_error(key)) diagnostics.error(key, told("is missing: {}"), why);
    };
    require(columns.valor.has_value(), "valor", told("no detail line is read without its amount"));
    const bool may_be_named =
        diagnostics.has_error("statement.columns.idTransacao") || diagnostics.has_error("statement.columns.nsu");
    require(columns.id_externo || columns.id_transacao || columns.nsu || may_be_named, "idExterno",
            told("an attempt is found by it, or else by idTransacao or nsu"));
}

void check_words(const StatementFormat& format, Diagnostics& diagnostics) {
    const std::array lists{std::pair("EFETIVADA", &format.words.efetivada),
                           std::pair("CANCELADA", &format.words.cancelada), std::pair("NEGADA", &format.words.negada),
                           std::pair("AUTORIZADA", &format.words.autorizada)};
    const bool knows_separator = !format.separator.empty() && !diagnostics.has_error("statement.separator");
    std::vector<std::pair<std::string, std::string>> seen;  // each word, with the status that it means
    for (const auto& [status, words] : lists) {
        const auto key = std::string("statement.words.") + status;
        for (const auto& word : *words) {
            const auto same = std::ranges::find(seen, word, &std::pair<std::string, std::string>::first);
            if (same != seen.end() && same->second != status)
                diagnostics.error(key, told("lists \"{}\", which means {} already"), word, same->second);
            if (knows_separator && word.find(format.separator) != std::string::npos)
                diagnostics.error(key, told("lists \"{}\", which has the separator in it"), word);
            seen.emplace_back(word, status);
        }
    }
}

// A wrongly mapped column must not be able to write what is final. So a row that settles a sale is recognised by three
// things.
void check_settle(const ReconcilerOptions& statement, Diagnostics& diagnostics) {
    const std::string key = "statement.settle";
    const auto& columns = statement.format.columns;
    if (!statement.settle || diagnostics.has_error(key) || diagnostics.has_error_in("statement.detail") ||
        diagnostics.has_error_in("statement.columns"))
        return;
    const bool is_named = columns.id_externo || columns.id_transacao;
    if (!statement.format.reads_rows() || !is_named || !columns.valor || !columns.estabelecimento)
        diagnostics.error(key,
                          told("needs statement.detail, and the columns of valor, estabelecimento, and idExterno or "
                               "idTransacao: by less no line may decide a sale"));
}

void check_zone(const StoreConfig& store, ReconcilerOptions& statement, Diagnostics& diagnostics) {
    const std::string key = "statement.zone";
    statement.times = store.zone;
    if (diagnostics.has_error(key) || statement.zone.empty()) return;
    look_up_zone(key, statement.zone, statement.times, diagnostics);
    if (statement.format.time == rfc3339_pattern && !diagnostics.has_error("statement.time"))
        diagnostics.warn(key, told("is of no use: rfc3339 times say their offset by themselves"));
}

void check_folder(const ReconcilerOptions& statement, Diagnostics& diagnostics) {
    std::error_code failure;
    if (!statement.folder.empty() && !std::filesystem::is_directory(statement.folder, failure))
        diagnostics.warn("statement.folder", told("\"{}\" is no folder yet; statements are read once it is there"),
                         statement.folder);
}

}  // namespace

void check_statement(Config& config, Diagnostics& diagnostics) {
    const auto& statement = config.statement;
    const auto& format = statement.format;
    check_separator(format, diagnostics);
    check_detail(format, diagnostics);
    check_columns(format, diagnostics);
    check_words(format, diagnostics);
    check_settle(statement, diagnostics);
    check_zone(config.store, config.statement, diagnostics);
    check_folder(statement, diagnostics);
    const std::string time = "statement.time";
    if (format.time != rfc3339_pattern && !is_time_pattern(format.time) && !diagnostics.has_error(time))
        diagnostics.error(time,
                          told("must be \"rfc3339\" or a pattern of dd, MM, yyyy and, if there are any, HH, mm and "
                               "ss, such as \"dd/MM/yyyy HH:mm:ss\""));
}

}  // namespace gateway
