#include "simulation/statements.hpp"

#include "base/check.hpp"
#include "sandbox/dates.hpp"
#include "simulation/world.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace gateway::simulation {
namespace {

using Row = sandbox::StatementRow;
using Faults = sandbox::StatementFaults;

constexpr std::string_view web_page = "<!doctype html><html><body>Servico em manutencao</body></html>\n";
constexpr std::string_view other_network = "1174";
constexpr std::array final_words{"EFETIVADA", "CANCELADA", "NEGADA"};

std::vector<Row> rows_of(const World& world) {
    return sandbox::statement_rows(world.provider().books(), {}, world.setup().books.sold_only);
}

Day days_from(Day day, int days) {
    return std::chrono::sys_days(day) + std::chrono::days(days);
}

std::optional<sandbox::RowFault::Kind> row_fault(Defect defect) {
    using Kind = sandbox::RowFault::Kind;
    switch (defect) {
        case Defect::missing: return Kind::missing;
        case Defect::amount: return Kind::amount;
        case Defect::status: return Kind::status;
        case Defect::day_later: return Kind::day_later;
        case Defect::day_earlier: return Kind::day_earlier;
        case Defect::doubled: return Kind::doubled;
        case Defect::swapped: return Kind::swapped;
        case Defect::three_decimals: return Kind::three_decimals;
        case Defect::cut: return Kind::cut;
        case Defect::none:
        case Defect::foreign:
        case Defect::count:
        case Defect::total:
        case Defect::network:
        case Defect::other_day:
        case Defect::page: break;
    }
    return std::nullopt;
}

std::string refusal_of(Defect defect) {
    switch (defect) {
        case Defect::doubled:
        case Defect::swapped:
        case Defect::three_decimals:
        case Defect::cut:
        case Defect::page: return "unreadable_line";
        case Defect::count: return "count_differs";
        case Defect::total: return "total_differs";
        case Defect::network: return "wrong_network";
        case Defect::other_day: return "wrong_day";
        case Defect::none:
        case Defect::missing:
        case Defect::amount:
        case Defect::status:
        case Defect::day_later:
        case Defect::day_earlier:
        case Defect::foreign: break;
    }
    return "";
}

// This is the first line of a file without an error.
struct Header {
    std::size_t count = 0;
    std::int64_t total = 0;
};
Header header_of(const std::vector<Row>& rows, Day day) {
    Header header;
    for (const auto& row : rows) {
        if (row.status != "EFETIVADA" || sandbox::day_of(row.at) != day) continue;
        ++header.count;
        header.total += row.valor;
    }
    return header;
}

Faults faults_of(const Injected& injected, const Header& header) {
    Faults faults;
    if (const auto kind = row_fault(injected.defect))
        faults.rows.push_back(
            {.kind = *kind, .row = injected.id_externo, .valor = injected.valor, .status = injected.status});
    if (injected.defect == Defect::foreign)
        faults.unknown.push_back({injected.id_externo, injected.estabelecimento, injected.valor});
    if (injected.defect == Defect::count) faults.count = header.count + 1;
    if (injected.defect == Defect::total) faults.total = header.total + 1;
    if (injected.defect == Defect::network) faults.network = std::string(other_network);
    return faults;
}

// Says how an attempt stands for the side that was told of it.
enum class Standing { sold, not_sold, open };

Standing standing_of(const std::string& state) {
    constexpr std::array sold{"sold", "collecting"};
    constexpr std::array open{"requesting", "held", "confirming", "disputing", "retracting", "awaiting"};
    if (std::ranges::count(sold, state) > 0) return Standing::sold;
    return std::ranges::count(open, state) > 0 ? Standing::open : Standing::not_sold;
}

bool has_cancel(const World& world, const std::string& family) {
    return family != "esim" && (family != "health" || !world.setup().health_cancel_path.empty());
}

// Applies the table of the design to one attempt and the row about it.
class Judgement {
  public:
    Judgement(const World& world, const BooksView& books, const DealtStatement& dealt)
        : world_(world), setup_(world.setup().books), books_(books), day_(dealt.day) {
        for (const auto& row : dealt.rows)
            rows_.emplace(row.idExterno, &row);
    }

    std::set<Expected> all() {
        for (const auto& [id, sale] : books_.sales)
            for (std::size_t i = 0; i < sale.attempts.size(); ++i)
                judge(sale, i);
        for (const auto& [id, row] : rows_)
            judge_unknown(*row);
        return std::move(expected_);
    }

  private:
    void judge(const BooksView::Sale& sale, std::size_t i) {
        const auto& attempt = sale.attempts[i];
        const auto found = rows_.extract(attempt.id_externo);
        const auto standing = standing_of(attempt.state);
        if (found.empty()) {
            if (standing == Standing::sold && sale.day == to_text(day_)) {
                const bool elsewhere = is_on_another_day(attempt.id_externo);
                add(elsewhere ? "other_day" : "missing_there", attempt, elsewhere ? "nothing" : "person");
            } else if (standing == Standing::open && !sale.final() && is_begun_on_the_day(attempt)) {
                add("still_open", attempt, "nothing");
            }
            return;
        }
        const auto& row = *found.mapped();
        if (row.status == "EFETIVADA") return judge_sold(sale, i, row);
        if (row.status == "CANCELADA" || row.status == "NEGADA") return judge_not_sold(sale, i, row);
        if (standing == Standing::open) return add("still_open", attempt, "nothing");
        const bool sold = standing == Standing::sold;
        const bool is_being_cancelled = attempt.state == "cancelling" || attempt.state == "lingering";
        if (attempt.state == "collecting" || (is_being_cancelled && has_cancel(world_, sale.family))) return;
        const bool can_be = sold ? attempt.confirmed : has_cancel(world_, sale.family);
        const auto* repeat = sold ? "repeat_confirm" : "repeat_cancel";
        add(sold ? "unconfirmed_there" : "open_there", attempt, can_be ? repeat : "person", can_be && names(sale, row));
    }

    void judge_sold(const BooksView::Sale& sale, std::size_t i, const Row& row) {
        const auto& attempt = sale.attempts[i];
        const auto standing = standing_of(attempt.state);
        if (standing == Standing::open) return add_settling("settles_sold", sale, i, row);
        const bool twice = std::ranges::any_of(sale.attempts, [&](const auto& other) {
            return &other != &attempt && standing_of(other.state) == Standing::sold;
        });
        if (twice) return add("sold_twice", attempt, "person", names(sale, row));
        if (standing == Standing::not_sold) return add("sold_there", attempt, "person", names(sale, row));
        if (row.valor != sale.valor) return add("amount_differs", attempt, "person");
        // A sale whose goods are still asked for has no movement day yet.
        if (!sale.day.empty() && sale.day != to_text(day_)) add("other_day", attempt, "nothing");
    }

    void judge_not_sold(const BooksView::Sale& sale, std::size_t i, const Row& row) {
        const auto& attempt = sale.attempts[i];
        const auto standing = standing_of(attempt.state);
        if (standing == Standing::sold) return add("reversed_there", attempt, "person", names(sale, row));
        if (standing == Standing::open) add_settling("settles_not_sold", sale, i, row);
    }

    void add_settling(const std::string& kind, const BooksView::Sale& sale, std::size_t i, const Row& row) {
        const auto& attempt = sale.attempts[i];
        const bool waits = attempt.state == "disputing" || attempt.state == "awaiting";
        const bool same_id = attempt.id_transacao.empty() || attempt.id_transacao == row.idTransacao;
        const bool settles = waits && i + 1 == sale.attempts.size() && names(sale, row) && same_id &&
                             (row.status != "NEGADA" || sale.family == "esim");
        add(kind, attempt, settles ? "settle" : "person", settles && setup_.settle);
    }

    void judge_unknown(const Row& row) {
        if (row.status == "CANCELADA" || row.status == "NEGADA") return;
        const auto& ours = world_.setup().provider.estabelecimentos;
        if (setup_.covers == StatementCovers::network && std::ranges::count(ours, row.estabelecimento) == 0) return;
        expected_.insert({"unknown_here", row.idExterno, "person", false});
    }

    static bool names(const BooksView::Sale& sale, const Row& row) {
        return row.valor == sale.valor && row.estabelecimento == sale.estabelecimento;
    }

    bool is_begun_on_the_day(const BooksView::Attempt& attempt) const {
        return world_.store_day(WallTime(Duration(attempt.created_at))) == to_text(day_);
    }

    bool is_on_another_day(const std::string& id_externo) const {
        return std::ranges::any_of(books_.findings, [&](const BooksView::Finding& finding) {
            const bool neighbour =
                finding.day == to_text(days_from(day_, -1)) || finding.day == to_text(days_from(day_, 1));
            return neighbour && finding.kind == "other_day" && finding.id_externo == id_externo &&
                   !finding.their_valor.empty() && finding.closed_as != "corrected";
        });
    }

    void add(std::string kind, const BooksView::Attempt& attempt, std::string asks, bool told = false) {
        expected_.insert({std::move(kind), attempt.id_externo, std::move(asks), told});
    }

    const World& world_;
    const Bookkeeping& setup_;
    const BooksView& books_;
    const Day day_;
    std::map<std::string, const Row*> rows_;  // by idExterno
    std::set<Expected> expected_;
};

// Tells whether the gateway would believe any final status of the attempt.
bool believes_all(const World& world, const BooksView& books, const std::string& id_externo) {
    const auto* attempt = books.attempt(id_externo);
    return world.setup().books.settle && attempt != nullptr && standing_of(attempt->state) == Standing::open;
}

// Returns the rows of open attempts, about which a row can say most.
std::vector<Row> rows_of_open_attempts(const BooksView& books, const std::vector<Row>& rows) {
    std::vector<Row> open;
    for (const auto& row : rows)
        if (const auto* attempt = books.attempt(row.idExterno);
            attempt && standing_of(attempt->state) == Standing::open)
            open.push_back(row);
    return open;
}

bool makes_sense(const World& world, Defect defect, bool has_rows) {
    const auto& books = world.setup().books;
    if (row_fault(defect) && !has_rows) return false;
    if (defect == Defect::status) return !books.sold_only;
    if (defect == Defect::three_decimals) return books.form.money != sandbox::Money::cents;
    return defect != Defect::network || books.names_network;
}

}  // namespace

std::string_view to_string(Defect defect) noexcept {
    constexpr std::array<std::string_view, defect_count> words{
        "none",    "missing",        "amount", "status", "day_later", "day_earlier", "foreign",   "doubled",
        "swapped", "three_decimals", "cut",    "count",  "total",     "network",     "other_day", "page"};
    return words.at(static_cast<std::size_t>(defect));
}

bool is_of_a_row(Defect defect) noexcept {
    return refusal_of(defect).empty();
}

StatementFormat format_of(const Setup& setup) {
    const auto& books = setup.books;
    StatementFormat format;
    format.encoding =
        books.form.encoding == sandbox::Encoding::latin_1 ? StatementEncoding::latin1 : StatementEncoding::utf8;
    format.detail_column = 1;
    format.detail_text = "1";
    format.columns = {.id_externo = 2, .id_transacao = 3, .nsu = 4, .valor = 6, .data_hora = 8, .estabelecimento = 5};
    if (!books.sold_only) format.columns.status = 7;
    format.words.autorizada = {"AUTORIZADA", "PENDENTE"};
    format.money = books.form.money == sandbox::Money::cents   ? AmountUnit::cents
                   : books.form.money == sandbox::Money::comma ? AmountUnit::comma
                                                               : AmountUnit::point;
    format.covers = books.covers;
    if (books.names_network) format.network = sandbox::Statement{}.network;
    return format;
}

std::set<Day> days_of(const World& world) {
    std::set<Day> days;
    for (const auto& row : rows_of(world))
        days.insert(sandbox::day_of(row.at));
    return days;
}

DealtStatement deal_statement(const World& world, Day day, int days_after, const Injected& injected) {
    DealtStatement dealt{.day = day, .asked = day, .refusal = refusal_of(injected.defect)};
    auto rows = rows_of(world);
    const auto faults = faults_of(injected, header_of(rows, day));
    auto made = sandbox::make_statement(std::move(rows), day, days_from(day, days_after), faults);
    CHECK(made.has_value());
    auto& statement = *made;
    dealt.bytes = sandbox::to_file(statement, world.setup().books.form);
    dealt.rows = std::move(statement.rows);
    if (injected.defect == Defect::page) dealt.bytes = web_page;
    if (injected.defect == Defect::other_day) dealt.asked = days_from(day, -1);
    const bool has_begun = to_text(day) <= world.store_day(world.gateway_wall());
    if (dealt.refusal.empty() && !has_begun) dealt.refusal = "wrong_day";
    return dealt;
}

Injected inject(World& world, Chance& chance, const BooksView& books, Day day) {
    std::vector<Row> rows;
    for (auto& row : rows_of(world))
        if (sandbox::day_of(row.at) == day) rows.push_back(std::move(row));
    Injected injected;
    do {
        injected.defect = static_cast<Defect>(1 + chance.below(defect_count - 1));
    } while (!makes_sense(world, injected.defect, !rows.empty()));
    if (injected.defect == Defect::foreign) {
        injected.id_externo = IdExterno::make(world.gateway_wall(), chance.source()).str();
        injected.valor = 4900;
        injected.estabelecimento =
            chance.one_in(2) ? world.setup().provider.estabelecimentos.front() : std::string("87654321");
    }
    if (!row_fault(injected.defect)) return injected;
    const auto open = rows_of_open_attempts(books, rows);
    const auto& row = chance.pick(open.empty() || chance.one_in(2) ? rows : open);
    injected.id_externo = row.idExterno;
    injected.valor = row.valor + 100;
    injected.status =
        chance.one_in(3) || believes_all(world, books, row.idExterno) ? "AUTORIZADA" : chance.pick(final_words);
    return injected;
}

std::set<Expected> expected_findings(const World& world, const BooksView& books, const DealtStatement& dealt) {
    return Judgement(world, books, dealt).all();
}

}  // namespace gateway::simulation
