#include "families/receipt.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/strict_json.hpp"
#include "base/wall_time.hpp"
#include "families/family.hpp"
#include "families/money.hpp"
#include "families/printed.hpp"
#include "paper/columns.hpp"
#include "paper/printed_line.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <iterator>

namespace gateway {
namespace {

namespace json = boost::json;
using Lines = std::vector<std::string>;

constexpr std::size_t usual_lines = 16;
// A sale that is sold and whose goods never came says this. Goods that were erased because of their age had come.
constexpr std::string_view goods_are_missing = "O produto ainda não foi entregue pelo fornecedor. Guarde este recibo.";
// Heading, the family's lines and footing have at most so many lines each: a roll of paper is not endless, and the
// messages come from the provider. The goods come first among the family's lines.
constexpr std::size_t max_section_lines = 150;

// Returns "dd/mm/yyyy HH:MM:SS" in the store's time, whatever offset the provider writes its times with.
std::string receipt_time(const Sale& sale) {
    return to_local_receipt(from_rfc3339(sale.details.data_hora).value_or(sale.updated_at));
}

void append_heading(Lines& receipt, const Sale& sale) {
    receipt.push_back(sale.details.estabelecimento_nome);
    append_labelled(receipt, "CNPJ/CPF", sale.details.cnpj_cpf);
    append_labelled(receipt, "Produto", sale.produto);
    append_labelled(receipt, "Fornecedor", sale.details.fornecedor.empty() ? sale.fornecedor : sale.details.fornecedor);
    append_labelled(receipt, "Valor", money_text(sale.valor));
    append_labelled(receipt, "Data", receipt_time(sale));
}

void append_footing(Lines& receipt, const Sale& sale) {
    append_labelled(receipt, "Transação", sale.current().id_transacao);
    append_labelled(receipt, "Id externo", sale.current().id_externo.text());
}

// Tells whether wrapped() would return the line unchanged, as far as that is quickly seen. It would for most lines. No
// character has more columns than bytes.
bool prints_as_it_is(std::string_view line, const ReceiptPaper& paper) noexcept {
    if (paper.page != CodePage::utf_8) return false;
    if (line.empty() || line.size() > paper.columns || line.front() == ' ' || line.back() == ' ') return false;
    if (!is_printed_as_it_is(line)) return false;
    const auto address = find_address(line);
    return address.length == 0 || address.length == line.size();
}

// Appends `text`, which has no line breaks and no address, broken at spaces.
void append_words(Lines& lines, std::string_view text, std::size_t columns) {
    for (auto rest = trim(text, " "); !rest.empty();) {
        std::size_t length = fitting_length(rest, columns);
        if (length < rest.size() && rest[length] != ' ') {
            const auto space = rest.substr(0, length).rfind(' ');
            if (space != std::string_view::npos) length = space;
        }
        lines.emplace_back(trim(rest.substr(0, length), " "));
        rest = trim(rest.substr(length), " ");
    }
}

// Returns where the text goes on after an address that ends at `end`. Punctuation there is dropped: the line break says
// the same.
std::size_t after_stop(std::string_view text, std::size_t end) {
    return std::min(text.find_first_not_of(".,;", end), text.size());
}

// Replaces the section that begins there by the lines that are printed for it.
void wrap_section(Lines& receipt, std::size_t begin, const ReceiptPaper& paper) {
    const auto first = receipt.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto as_it_is = [&](const std::string& line) { return prints_as_it_is(line, paper); };
    if (receipt.size() - begin <= max_section_lines && std::all_of(first, receipt.end(), as_it_is)) return;
    const Lines lines(std::make_move_iterator(first), std::make_move_iterator(receipt.end()));
    receipt.resize(begin);
    std::size_t left = max_section_lines;
    for (const auto& line : lines) {
        for (auto& part : wrapped(line, paper)) {
            if (left-- == 0) return;
            receipt.push_back(std::move(part));
        }
    }
}

bool says(const json::value& value, std::string_view nsu) {
    if (const auto* text = value.if_string()) return *text == nsu;
    return (value.is_int64() || value.is_uint64()) && json::serialize(value) == nsu;
}

// The depth is bounded, because decoded goods have passed the strict reader.
bool has_member(const json::value& value, std::string_view nsu) {
    if (const auto* array = value.if_array()) {
        for (const auto& element : *array)
            if (has_member(element, nsu)) return true;
        return false;
    }
    const auto* object = value.if_object();
    if (object == nullptr) return false;
    for (const auto& [name, member] : *object) {
        const bool is_one = to_lower(name).find("nsu") != std::string::npos;
        if ((is_one && says(member, nsu)) || has_member(member, nsu)) return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> receipt_of(const Sale& sale, const ReceiptPaper& paper) {
    return receipt_of(sale, decoded_goods(sale.details.instrucao), paper);
}

std::vector<std::string> receipt_of(const Sale& sale, const json::value& instrucao, const ReceiptPaper& paper) {
    if (sale.status != Status::EFETIVADA) return {};
    Lines receipt;
    receipt.reserve(usual_lines);
    append_heading(receipt, sale);
    wrap_section(receipt, 0, paper);
    const auto heading = receipt.size();
    std::ranges::move(rules_of(sale.family).receipt_lines(sale, instrucao), std::back_inserter(receipt));
    if (sale.attention == Attention::undeliverable) receipt.emplace_back(goods_are_missing);
    wrap_section(receipt, heading, paper);
    const auto above_footing = receipt.size();
    append_footing(receipt, sale);
    wrap_section(receipt, above_footing, paper);
    return receipt;
}

json::value decoded_goods(const Secret& goods, json::storage_ptr storage) {
    if (goods.empty()) return nullptr;
    // The parser is strict: if there are two codes under one name, both are shown, in the text as it came.
    auto value = parse_strict_json(goods.reveal(), usual_json_depth, storage, LongNumbers::as_text, Zeros::replaced);
    if (value && (value->is_object() || value->is_array() || value->is_string())) return std::move(*value);
    return json::value(json::string(goods.reveal(), std::move(storage)));
}

bool has_nsu(const Sale& sale, std::string_view nsu) {
    if (nsu.empty()) return false;
    if (sale.esim && sale.esim->nsu_recarga == nsu) return true;
    return has_member(decoded_goods(sale.details.instrucao), nsu) ||
           has_member(decoded_goods(sale.details.complemento), nsu);
}

std::vector<std::string> wrapped(std::string_view text, const ReceiptPaper& paper) {
    CHECK(paper.columns > 0);
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::string taken = take_printed_line(text);
        const auto line = trim(taken, " ");
        for (std::size_t done = 0; done < line.size();) {
            const auto address = find_address(line, done);
            const auto words = address.length > 0 ? address.begin - done : line.size() - done;
            append_words(lines, spelled(line.substr(done, words), paper.page), paper.columns);
            if (address.length == 0) break;
            lines.emplace_back(line.substr(address.begin, address.length));
            done = after_stop(line, address.begin + address.length);
        }
    }
    return lines;
}

}  // namespace gateway
