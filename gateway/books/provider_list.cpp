#include "books/provider_list.hpp"

#include "base/ascii.hpp"
#include "base/strict_json.hpp"
#include "reconcile/amount_text.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::string_view list_source = "list";
constexpr std::array list_fields{"idExterno", "idTransacao", "nsu", "estabelecimento", "valor", "status", "dataHora"};
constexpr std::size_t valor_field = 4;

std::string short_date(Day day) {
    return fmt::format("{:02}{:02}{:04}", static_cast<unsigned>(day.day()), static_cast<unsigned>(day.month()),
                       static_cast<int>(day.year()));
}

// Tells whether the provider says that it has no list of that day. Asking again would bring the same answer.
bool lists_no_such_day(const Reply& reply) {
    constexpr std::array says_so{400U, 404U, 410U, 422U};
    return reply.kind == Reply::Kind::answered && std::ranges::count(says_so, reply.status) > 0;
}

// Says why there is no list.
std::string why_no_list(const Reply& reply) {
    if (reply.kind != Reply::Kind::answered) return reply.failure.message();
    const std::string_view question =
        reply.finds_nothing() ? ": is the path in provider.base_url or provider.list_path right?" : "";
    return fmt::format("the provider answered with HTTP status {}{}", reply.status, question);
}

// Returns the format of the lines that a list is turned into. What the words in them mean is configured.
StatementFormat list_format(const StatementFormat& configured, AmountUnit money, bool has_status) {
    StatementFormat format;
    format.detail_column = 1;
    format.detail_text = "1";
    format.columns = {.id_externo = 2, .id_transacao = 3, .nsu = 4, .valor = 6, .data_hora = 8, .estabelecimento = 5};
    if (has_status) format.columns.status = 7;
    format.money = money;
    format.header_money = AmountUnit::cents;
    format.counts = CountedRows::all;
    format.words = configured.words;
    format.any_id = configured.any_id;
    format.covers = configured.covers;
    return format;
}

// Returns one member of a row as a field of a line; nothing where its value cannot be a field.
std::optional<std::string> field_of(const json::object& row, std::string_view name) {
    const auto* value = row.if_contains(name);
    if (value == nullptr || value->is_null()) return std::string();
    if (value->is_int64()) return std::to_string(value->get_int64());
    const auto* text = value->if_string();
    if (text == nullptr || text->find(';') != json::string::npos || std::ranges::any_of(*text, is_control))
        return std::nullopt;
    return std::string(*text);
}

// Tells whether one of the list's objects has a member with such a value.
bool some_has(const json::array& rows, std::string_view name, bool (*is_such)(const json::value&)) {
    return std::ranges::any_of(rows, [&](const json::value& row) {
        const auto* object = row.if_object();
        const auto* value = object == nullptr ? nullptr : object->if_contains(name);
        return value != nullptr && is_such(*value);
    });
}

bool is_any(const json::value&) {
    return true;
}

bool is_number(const json::value& value) {
    return value.is_int64();
}

bool is_text(const json::value& value) {
    return value.is_string();
}

struct Lines {
    std::string text;
    CountAndTotal sum;
};

// Makes the lines; the error says in words what is wrong.
boost::system::result<Lines, std::string> lines_of(const json::array& rows, AmountUnit money) {
    Lines lines;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto* row = rows[i].if_object();
        if (row == nullptr)
            return {boost::system::in_place_error, fmt::format("element {} of the list is no object", i + 1)};
        lines.text += '1';
        for (std::size_t n = 0; n < list_fields.size(); ++n) {
            const auto field = field_of(*row, list_fields.at(n));
            if (!field)
                return {boost::system::in_place_error,
                        fmt::format("{} of element {} of the list is no plain text", list_fields.at(n), i + 1)};
            lines.text.append(";").append(*field);
            if (n != valor_field) continue;
            if (const auto valor = statement_amount(*field, money, Decimals::two)) lines.sum.add(*valor);
        }
        lines.text += ";\n";
    }
    return lines;
}

}  // namespace

boost::system::result<StatementText, std::string> statement_of_list(std::string_view list, Day day,
                                                                    const StatementFormat& configured) {
    const auto parsed = parse_strict_json(list, usual_json_depth, {}, LongNumbers::rounded, Zeros::replaced);
    if (parsed.has_error()) return {boost::system::in_place_error, "it is no JSON: " + parsed.error()};
    const auto* rows = parsed->if_array();
    if (rows == nullptr) return {boost::system::in_place_error, "it is no JSON array"};
    const bool has_texts = some_has(*rows, "valor", is_text);
    if (has_texts && some_has(*rows, "valor", is_number))
        return {boost::system::in_place_error, "valor is a number in some elements of the list and a text in others"};
    const auto money = has_texts ? configured.money : AmountUnit::cents;
    auto lines = lines_of(*rows, money);
    if (lines.has_error()) return {boost::system::in_place_error, lines.error()};
    StatementText text{.source = std::string(list_source), .day = day};
    text.bytes = fmt::format("0;;;;{0};{0};{1};{2};0;0;\n", short_date(day), rows->size(),
                             lines->sum.total.value_or(Cents{0}).value) +
                 lines->text;
    // Where no row has a status, all were sold; where some rows have one, each needs its own.
    text.format = list_format(configured, money, rows->empty() || some_has(*rows, "status", is_any));
    return text;
}

void ProviderList::start(const boost::asio::any_io_executor& executor) {
    if (can_list()) boost::asio::co_spawn(executor, keep_asking(), boost::asio::detached);
}

boost::asio::awaitable<Reply> ProviderList::ask(Day day) {
    return provider_.list(day, most_bytes, clock_.now() + provider_.request_timeout());
}

boost::asio::awaitable<void> ProviderList::keep_asking() {
    std::optional<Day> done;
    while (true) {
        if (!journal_.is_on_duty()) {  // another gateway requests the lists
            done.reset();
            co_await clock_.sleep_for(try_again);
            continue;
        }
        const auto over = last_over(clock_.wall());
        if (!done) done = co_await last_read(over);
        if (done) done = co_await ask_after(*done, over);
        co_await clock_.sleep_for(try_again);
    }
}

// Returns the last day that has been over for long enough.
Day ProviderList::last_over(WallTime at) const {
    return day_before(reconciler_.zone().day_of(at - after_the_day));
}

// Returns the day up to which there is nothing to make up for; nothing where the journal cannot say.
boost::asio::awaitable<std::optional<Day>> ProviderList::last_read(Day over) {
    const StatementFilter lists{.source = std::string(list_source)};
    const auto last = co_await journal_.statements(lists);
    if (last.has_error()) co_return std::nullopt;
    if (last->empty()) co_return day_before(over);
    // A list that an operator wanted before its day was over lacks the sales after it.
    co_return std::min(last->front().day, last_over(last->front().read_at));
}

// Requests the lists of the days after `done` up to `over`. Returns how far it came; the day after that has to be
// requested again.
boost::asio::awaitable<Day> ProviderList::ask_after(Day done, Day over) {
    if (done > over) done = day_before(over);  // it was noted under a clock that was ahead
    done = std::max<Day>(done, std::chrono::sys_days(over) - most_days_back);
    while (done < over) {
        const auto day = next_day(done);
        auto reply = co_await ask(day);
        const bool is_none = lists_no_such_day(reply);
        const auto told = co_await take(std::move(reply), day, "");
        const bool came = told.has_value() || (told.error().code != provider_unreachable && !told.error().failure);
        // Yesterday's list may only be late. An older one that the provider does not have must not delay the others.
        if (!came && !(is_none && day < over)) break;
        done = day;
    }
    co_return done;
}

boost::asio::awaitable<Reconciler::Told> ProviderList::read(Day day, std::string by) {
    auto reply = co_await ask(day);
    co_return co_await take(std::move(reply), day, std::move(by));
}

boost::asio::awaitable<Reconciler::Told> ProviderList::take(Reply reply, Day day, std::string by) {
    constexpr unsigned good = 200;
    const StatementText none{.source = std::string(list_source), .by = by};
    if (reply.failure == errc::answer_too_large)
        co_return reconciler_.refuse(
            none, {.code = std::string(to_string(FindingKind::unreadable_line)),
                   .detail = fmt::format("it is longer than {} MiB, and no more is read of a list: have the provider "
                                         "give a file instead",
                                         most_bytes >> 20U)});
    if (reply.kind != Reply::Kind::answered || reply.status != good)
        co_return reconciler_.refuse(none, {.code = std::string(provider_unreachable), .detail = why_no_list(reply)});
    auto text = statement_of_list(reply.body, day, reconciler_.format());
    if (text.has_error())
        co_return reconciler_.refuse(
            none, {.code = std::string(to_string(FindingKind::unreadable_line)), .detail = text.error()});
    text->by = std::move(by);
    co_return co_await reconciler_.read(std::move(*text));
}

}  // namespace gateway
