// The input is a statement of the provider's: the result is rows, or one error that names its line; it is the same in
// pieces of any size; and it settles no sale that it does not name. The first byte says how it is read, and the second
// how long the pieces are.
#include "base/wall_time.hpp"
#include "fuzz/fuzz.hpp"
#include "reconcile/comparison.hpp"
#include "reconcile/statement_checks.hpp"

using namespace gateway;

namespace {

constexpr std::array patterns{rfc3339_pattern, std::string_view("ddMMyyyyHHmmss"),
                              std::string_view("dd/MM/yyyy HH:mm:ss")};

StatementFormat format_of(std::size_t choice) {
    StatementFormat format;
    format.encoding = choice % 2 == 0 ? StatementEncoding::utf8 : StatementEncoding::latin1;
    format.money = std::array{AmountUnit::cents, AmountUnit::comma, AmountUnit::point}.at(choice % 3);
    format.time = patterns.at(choice % patterns.size());
    format.any_id = choice % 5 == 1;
    format.ignored = {"9"};
    if (choice % 7 == 6) return format;  // the header only
    format.detail_column = 1;
    format.detail_text = "1";
    format.columns = {.id_externo = 2, .id_transacao = 3, .nsu = 4, .valor = 6, .estabelecimento = 5};
    if (choice % 4 != 3) format.columns.status = 7;
    if (choice % 11 != 10) format.columns.data_hora = 8;
    return format;
}

struct Read {
    std::vector<StatementRow> rows;
    std::optional<StatementHeader> header;
    std::optional<StatementError> error;
};

Read read_in_pieces(std::string_view text, const StatementFormat& format, std::size_t length) {
    Read read;
    StatementReader reader(format, [](LocalTime local) { return WallTime(local.time_since_epoch()); });
    while (!text.empty()) {
        const auto piece = text.substr(0, length);
        read.error = reader.take(piece, read.rows);
        text.remove_prefix(piece.size());
    }
    read.error = reader.finish(read.rows);
    read.header = reader.header();
    return read;
}

void expect_sound(const StatementRow& row, const StatementFormat& format) {
    CHECK(row.line > 1 && row.valor.value >= 0 && id_of(row).has_value());
    CHECK(format.any_id || row.id_externo.empty() || row.id_externo.size() == Ulid::length);
    OurAttempt ours;
    ours.id_externo = Ulid::first_at({}).str();
    ours.state = AttemptState::disputing;
    ours.valor = row.valor;
    ours.estabelecimento = row.estabelecimento;
    CHECK(!may_settle(ours, row) || row.id_externo == ours.id_externo);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto format = format_of(input.choice(256));
    const auto length = input.choice(64) + 1;
    const auto whole = read_in_pieces(input.rest(), format, input.rest().size() + 1);
    const auto pieces = read_in_pieces(input.rest(), format, length);
    CHECK(whole.rows == pieces.rows && whole.error == pieces.error);
    CHECK(whole.error || whole.header);
    if (whole.error) CHECK(!whole.error->message.empty());
    StatementTally tally;
    for (const auto& row : whole.rows) {
        expect_sound(row, format);
        tally.add(row);
    }
    if (whole.error) return 0;
    const auto checks = check_file(*whole.header, format, tally, std::nullopt);
    for (const auto& finding : checks.findings)
        CHECK(is_of_a_file(finding.kind) && !finding.detail.empty());
    return 0;
}
