#include "sandbox/statement_faults.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gateway::sandbox {
namespace {

constexpr std::chrono::days one_day{1};
// A text of more digits is an idExterno.
constexpr std::size_t most_number_digits = 9;

struct Candidate {
    StatementRow row{};
    bool missing = false;
    bool doubled = false;
};

using Candidates = std::vector<Candidate>;

void apply(const RowFault& fault, Candidate& candidate) {
    auto& row = candidate.row;
    switch (fault.kind) {
        case RowFault::Kind::missing: candidate.missing = true; break;
        case RowFault::Kind::doubled: candidate.doubled = true; break;
        case RowFault::Kind::amount: row.valor = fault.valor; break;
        case RowFault::Kind::status: row.status = fault.status; break;
        case RowFault::Kind::day_later: row.at += one_day; break;
        case RowFault::Kind::day_earlier: row.at -= one_day; break;
        case RowFault::Kind::swapped: row.swapped = true; break;
        case RowFault::Kind::three_decimals: row.three_decimals = true; break;
        case RowFault::Kind::cut: row.cut = true; break;
    }
}

// An unknown row's other names are nobody else's: no ULID begins with a Z, and an nsu is made of chance.
StatementRow to_row(const UnknownRow& unknown, std::size_t place, Day day) {
    return {.idExterno = unknown.idExterno,
            .idTransacao = fmt::format("ZZ{:024}", place),
            .nsu = fmt::format("{:012}", place),
            .estabelecimento = unknown.estabelecimento,
            .valor = unknown.valor,
            .status = std::string(to_string(Status::efetivada)),
            .at = noon_of(day)};
}

std::optional<std::size_t> find_place(const std::string& idExterno, const Candidates& all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.row.idExterno == idExterno; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
}

// The places in `all` of what a fault names. Those of the day's rows are in `of_day`.
boost::system::result<std::vector<std::size_t>, std::string> named(const std::string& name, const Candidates& all,
                                                                   const std::vector<std::size_t>& of_day) {
    if (name == "all") return of_day;
    if (is_digits(name) && name.size() <= most_number_digits) {
        std::size_t number = 0;
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (number < 1 || number > of_day.size())
            return fmt::format("there is no row {}: the day has {}", name, of_day.size());
        return std::vector{of_day[number - 1]};
    }
    const auto place = find_place(name, all);
    if (!place) return "there is no row of the idExterno " + name;
    return std::vector{*place};
}

// Those of the day that are left, in the order of their moments.
std::vector<StatementRow> chosen(Candidates candidates, Day day) {
    std::vector<StatementRow> rows;
    for (auto& one : candidates) {
        if (one.missing || day_of(one.row.at) != day) continue;
        if (one.doubled) rows.push_back(one.row);
        rows.push_back(std::move(one.row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    return rows;
}

}  // namespace

boost::system::result<Statement, std::string> make_statement(std::vector<StatementRow> rows, Day day, Day written,
                                                             const StatementFaults& faults) {
    Candidates candidates;
    std::vector<std::size_t> of_day;
    for (auto& row : rows) {
        if (day_of(row.at) == day) of_day.push_back(candidates.size());
        candidates.push_back({std::move(row)});
    }
    for (std::size_t i = 0; i < faults.unknown.size(); ++i) {
        const auto& unknown = faults.unknown[i];
        if (find_place(unknown.idExterno, candidates))
            return "there is a row already of the idExterno " + unknown.idExterno;
        candidates.push_back({to_row(unknown, i + 1, day)});
    }
    for (const auto& fault : faults.rows) {
        const auto places = named(fault.row, candidates, of_day);
        if (!places) return places.error();
        for (const auto place : *places)
            apply(fault, candidates[place]);
    }
    Statement statement;
    statement.day = faults.day.value_or(day);
    statement.written = written;
    statement.count = faults.count;
    statement.total = faults.total;
    statement.network = faults.network.value_or(statement.network);
    statement.rows = chosen(std::move(candidates), day);
    return statement;
}

}  // namespace gateway::sandbox
