#include "reconcile/statement_checks.hpp"

#include "base/check.hpp"
#include "base/digest.hpp"
#include "base/in_words.hpp"
#include "reconcile/amount_text.hpp"
#include "reconcile/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace gateway {
namespace {

std::string total_in_words(const CountAndTotal& sum) {
    return sum.total ? money_in_words(sum.total->value) : "more than can be counted";
}

std::array<std::uint64_t, 2> digest_of(const StatementRow& row) {
    std::string text(row.estabelecimento);
    if (const auto id = id_of(row)) {
        // Each establishment counts its own NSUs; the other two kinds are unique.
        if (id->kind != RowId::Kind::nsu) text.clear();
        text += static_cast<char>('0' + static_cast<int>(id->kind));
        text += id->text;
    }
    const auto hex = sha256_hex(text);
    constexpr std::size_t digits = 16;
    std::array<std::uint64_t, 2> halves{};
    for (std::size_t i = 0; i < halves.size(); ++i) {
        const auto* const begin = hex.data() + i * digits;
        std::from_chars(begin, begin + digits, halves.at(i), 16);
    }
    return halves;
}

// Returns the unit in which the header's total is this sum, and nothing if there is none.
std::optional<AmountUnit> agreeing_unit(const StatementHeader& header, const StatementFormat& format,
                                        const CountAndTotal& sum) {
    if (!sum.total) return std::nullopt;
    if (!format.header_money) return unit_by_agreement(header.total, *sum.total);
    const auto total = statement_amount(header.total, *format.header_money, Decimals::up_to_two);
    return total && *total == *sum.total ? format.header_money : std::nullopt;
}

void check_counts(const StatementHeader& header, const StatementFormat& format, const CountAndTotal& sum,
                  std::string_view whose, FileChecks& checks) {
    const auto* const cut = format.reads_rows() && header.count > sum.count ? ": is the file cut?" : "";
    if (header.count != sum.count)
        checks.findings.push_back(
            {FindingKind::count_differs,
             fmt::format("the header counts {}, and {} {}{}", header.count, whose, sum.count, cut),
             fmt::format("the header counts otherwise: {} {}{}", whose, sum.count, cut)});
    checks.header_unit = agreeing_unit(header, format, sum);
    if (checks.header_unit) return;
    const auto unit = format.header_money ? to_string(*format.header_money) : "any unit";
    checks.findings.push_back(
        {FindingKind::total_differs,
         fmt::format("the header's total is \"{}\", which in {} is not {}, what {}", header.total, unit,
                     total_in_words(sum), whose),
         fmt::format("the header's total in {} is not what {}", unit, whose)});  // the total of one row is its amount
}

}  // namespace

void CountAndTotal::add(Cents amount) {
    ++count;
    if (total && __builtin_add_overflow(total->value, amount.value, &total->value)) total.reset();
}

void StatementTally::add(const StatementRow& row) {
    all_.add(row.valor);
    if (row.status == Status::EFETIVADA) sold_.add(row.valor);
    CHECK(looked_at_ == 0);
    const auto id = digest_of(row);
    buckets_.at(id.front() % bucket_count).push_back({id, row.line});
}

bool StatementTally::look_for_twins(std::size_t rows) {
    for (std::size_t seen = 0; looked_at_ < bucket_count && seen < rows; ++looked_at_) {
        auto& bucket = buckets_.at(looked_at_);
        look_for_twins_in(bucket);
        seen += bucket.size();
    }
    return looked_at_ < bucket_count;
}

void StatementTally::look_for_twins_in(Bucket& bucket) {
    std::ranges::sort(bucket, [](const Seen& a, const Seen& b) { return a < b; });
    for (std::size_t i = 1; i < bucket.size(); ++i) {
        if (bucket[i - 1].id != bucket[i].id || (twins_ && twins_->second < bucket[i].line)) continue;
        twins_ = {bucket[i - 1].line, bucket[i].line};
    }
}

std::optional<std::pair<std::size_t, std::size_t>> StatementTally::twins() {
    while (look_for_twins(std::numeric_limits<std::size_t>::max())) {
    }
    return twins_;
}

FileChecks check_file(const StatementHeader& header, const StatementFormat& format, StatementTally& rows,
                      std::optional<Day> asked) {
    FileChecks checks;
    if (asked && header.movement != *asked) {
        checks.findings.push_back({FindingKind::wrong_day, fmt::format("it is of {}, and was taken for that of {}",
                                                                       to_text(header.movement), to_text(*asked))});
    } else if (header.written < header.movement) {
        checks.findings.push_back(
            {FindingKind::wrong_day, fmt::format("it says that it was written on {}, before its movement day, {}",
                                                 to_text(header.written), to_text(header.movement))});
    }
    if (!format.network.empty() && header.network != format.network)
        checks.findings.push_back({FindingKind::wrong_network,
                                   fmt::format("it is of \"{}\", not \"{}\"", header.network, format.network),
                                   fmt::format("it is of another network than \"{}\"", format.network)});
    if (!format.reads_rows()) return checks;
    check_counts(header, format, format.counts == CountedRows::all ? rows.all() : rows.sold(),
                 format.counts == CountedRows::all ? "its rows make" : "its rows that are sold make", checks);
    if (const auto twins = rows.twins())
        checks.findings.push_back(
            {.kind = FindingKind::unreadable_line,
             .detail = fmt::format("line {} is about the same attempt as line {}", twins->second, twins->first),
             .line = twins->second});
    return checks;
}

FileChecks check_against_ours(const StatementHeader& header, const StatementFormat& format, const CountAndTotal& ours) {
    FileChecks checks;
    if (format.covers == StatementCovers::this_gateway) check_counts(header, format, ours, "our sales make", checks);
    return checks;
}

FileFinding finding_of(const StatementError& error) {
    return {FindingKind::unreadable_line, error.message, error.unquoted, error.line};
}

}  // namespace gateway
