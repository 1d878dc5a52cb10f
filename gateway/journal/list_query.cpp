#include "journal/list_query.hpp"

#include "base/json_text.hpp"
#include "journal/encrypted_fields.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

// The index that a page goes through: the one that leaves the fewest rows to look at. The query names it, because the
// planner does not see that a filter implies a partial index's condition unless the condition is written out, and would
// scan the finished sales.
struct Narrowing {
    const char* index;
    const char* condition;  // the index's own, literally; empty: it has none
};

constexpr const char* needs_a_person = "attention <> 'none'";
constexpr const char* needs_no_person = "attention = 'none'";

constexpr Narrowing by_id{"sales_by_id", ""};
constexpr Narrowing by_key{"sales_by_key", ""};
constexpr Narrowing by_estabelecimento{"sales_by_estabelecimento", ""};
constexpr Narrowing by_attention{"sales_attention", needs_a_person};
constexpr Narrowing by_openness{"sales_open", "settled = 0"};
constexpr Narrowing by_no_sale{"sales_not_sold", "status IN ('CANCELADA', 'NEGADA')"};

const Narrowing& narrowing(const SaleFilter& filter) {
    if (filter.id_externo) return by_id;
    if (filter.key) return by_key;
    if (filter.attention.value_or(false)) return by_attention;
    if (filter.status) {
        switch (*filter.status) {
            case Status::PENDENTE:
            case Status::AUTORIZADA: return by_openness;
            case Status::CANCELADA:
            case Status::NEGADA: return by_no_sale;
            case Status::EFETIVADA: break;
        }
    }
    return filter.estabelecimento ? by_estabelecimento : by_id;
}

// Terms that must all hold, and what is bound to them.
class Terms {
  public:
    explicit Terms(std::string_view first) : sql_(first) {}
    void add(std::string_view term) { sql_.append(" AND ").append(term); }
    void add(std::string_view term, std::string value) {
        add(term);
        values_.push_back(std::move(value));
    }
    const std::string& sql() const { return sql_; }
    std::vector<std::string>& values() { return values_; }

  private:
    std::string sql_;
    std::vector<std::string> values_;
};

// "(family IN ('tv', 'egift')": the words are the program's own.
std::string one_of(const std::vector<Family>& families) {
    std::vector<std::string> words;
    words.reserve(families.size());
    for (const auto family : families)
        words.push_back(fmt::format("'{}'", to_string(family)));
    return fmt::format("(family IN ({})", fmt::join(words, ", "));
}

}  // namespace

// What the index serves narrows the rows that are looked at and costs nothing. Everything else is asked of each row
// that is looked at, so that a page ends even where no row belongs to the list.
ListQuery list_query(const SaleFilter& filter) {
    const auto& narrow = narrowing(filter);
    Terms narrowed("1");
    Terms listed("1");
    const auto served_by = [&](const Narrowing& index) -> Terms& { return &narrow == &index ? narrowed : listed; };
    if (*narrow.condition != '\0') narrowed.add(narrow.condition);
    if (filter.attention) listed.add(*filter.attention ? needs_a_person : needs_no_person);
    if (filter.estabelecimento) served_by(by_estabelecimento).add("estabelecimento = ?", *filter.estabelecimento);
    if (filter.terminal) served_by(by_key).add("terminal = ?", *filter.terminal);
    if (filter.among) listed.add(one_of(filter.among->families) + " OR terminal = ?)", filter.among->or_terminal);
    if (filter.key) served_by(by_key).add("key = ?", *filter.key);
    if (filter.id_externo) narrowed.add("id = (SELECT sale FROM id_externos WHERE id_externo = ?)", *filter.id_externo);
    if (filter.id_transacao)
        listed.add("instr(attempts, ?) > 0", member_of_attempt("idTransacao", *filter.id_transacao));
    if (filter.family) listed.add("family = ?", std::string(to_string(*filter.family)));
    if (filter.cashier) listed.add("cashier IS NOT NULL");
    if (filter.valor) listed.add("valor = CAST(? AS INTEGER)", std::to_string(filter.valor->value));
    if (filter.status) served_by(by_no_sale).add("status = ?", std::string(to_string(*filter.status)));
    // An id begins with the time of creation. Beside the one id of an idExterno the planner would take the range.
    auto& range = filter.id_externo ? listed : narrowed;
    if (filter.from) range.add("id >= ?", Ulid::first_at(*filter.from).str());
    if (filter.to) range.add("id < ?", Ulid::first_at(*filter.to).str());
    if (filter.after) range.add("id < ?", filter.after->str());
    ListQuery query;
    query.sql = fmt::format("SELECT n, id, {}, cashier FROM sales INDEXED BY {} WHERE {} ORDER BY id DESC LIMIT {}",
                            listed.sql(), narrow.index, narrowed.sql(), rows_per_page + 1);
    query.parameters = std::move(listed.values());
    for (auto& value : narrowed.values())
        query.parameters.push_back(std::move(value));
    return query;
}

bool ListPageMaker::take(const Row& row) {
    const bool shown = row.integer(2) != 0 &&
                       (!filter_.cashier || fields_.text(row, 3, encrypted::cashier, row.text(1)) == *filter_.cashier);
    if (looked_at_ == rows_per_page || (shown && page_.sales.size() >= filter_.limit)) {
        // Where it is not the last row's, because that has none that can be read, this row is met again.
        page_.next = last_;
        return false;
    }
    ++looked_at_;
    if (const auto id = SaleId::parse(row.text(1))) last_ = id;
    if (shown) page_.sales.push_back({row.integer(0), std::string(row.text(1))});
    return true;
}

std::string member_of_attempt(std::string_view name, std::string_view value) {
    auto member = fmt::format("\"{}\":", name);
    append_json_string(member, value);
    return member;
}

Result<ListPage> read_page(sqlite::Database& database, const SaleFilter& filter, rows::FieldReader& fields) {
    const auto query = list_query(filter);
    sqlite::Statement rows(database, query.sql);
    rows.bind_texts(query.parameters);
    ListPageMaker maker(filter, fields);
    while (true) {
        const auto row = rows.step();
        if (row.has_error()) return row.error();
        if (!*row || !maker.take(rows)) return std::move(maker.page());
    }
}

}  // namespace gateway
