// What a product family is to the rest of the gateway. Everything about a family stands in its own file beside this
// one, as one table: what a terminal may send, what the provider gets, which paths, and how its options, goods and
// receipt read. A new family is a file, its line in families.cpp, its line in sale/family.hpp and its name in both
// languages.
#pragma once

#include "base/error.hpp"
#include "base/field_error.hpp"
#include "base/language.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway {

class FieldReader;
struct Product;

// What one sell asks for, read strictly: everything in it is valid by itself.
struct Order {
    Family family = Family::tv;
    ConfirmMode mode = ConfirmMode::automatic;
    std::string estabelecimento;  // empty: the terminal's
    std::string produto;
    std::string fornecedor;
    Cents valor;
    std::string segment;  // the operator's or partner's part of the paths; empty where the family has none
    // What else makes it this order and no other: what `solicitar` carries besides estabelecimento, idExterno, produto,
    // fornecedor and dataHoraCliente, and FamilyRules::unsent_fields.
    boost::json::object fields;
    boost::json::object extra;  // what only finds the bounds, and is neither sent on nor kept: nomeMenu
};

// A value query: which, and of what. Only what the family asks by is set; question_for() and question() give equal
// questions for the same thing, so that one answer serves both.
struct OptionsQuestion {
    Family family = Family::tv;
    std::string estabelecimento;
    std::string produto;
    std::string segment;
    std::string menu;
    Secret customers;  // what only the customer has: the number of a card
    friend bool operator==(const OptionsQuestion&, const OptionsQuestion&) = default;
};

// One thing that can be sold, in the one shape of the terminal API. Exactly one of the three shapes of `valor`.
struct Option {
    std::string label;
    struct Fixed {
        Cents valor;
    };
    struct Unit {
        Cents unit;
        std::int64_t min_quantity = 1;
        std::int64_t max_quantity = 1;
    };
    struct Range {
        Cents min;
        Cents max;
    };
    std::variant<Fixed, Unit, Range> valor;
    boost::json::object sell;  // every field of a sell body that this option determines
};

// In words why an entry of the provider's is no option. A type of its own, because an Option can be made from a string.
struct NotAnOption {
    std::string why;
};
using OptionOrWhy = boost::system::result<Option, NotAnOption>;

struct Options {
    std::vector<Option> options;
    boost::json::object details;        // what else the provider sent, unchanged
    std::vector<std::string> left_out;  // a sentence for each entry that could not be understood, for the log
};

// How a value query's parameters reach question(): the query string's first values. Returns nothing for an absent one.
using QueryValues = std::function<std::optional<std::string>(std::string_view name)>;

// What of a question one of its parameters gives.
enum class QuestionPart {
    produto,
    segment,    // without it, produto in lower case; its name is the family's
    menu,       // a sell may carry it, so that its bounds can be found
    customers,  // who stands at the counter has it: no list of products can know it
};

// One of the parameters that a terminal asks for options with.
struct OptionsParameter {
    std::string_view name;
    QuestionPart part = QuestionPart::produto;
    std::string_view meaning;  // a sentence for people who program a terminal

    bool is_required() const noexcept { return part != QuestionPart::segment; }
    bool is_of_customer() const noexcept { return part == QuestionPart::customers; }
};

// A line of a receipt, from a field of `instrucao`: "label: text", or without a label every text that the field holds.
struct ReceiptLine {
    std::string_view label;
    std::string_view field;
};

// The paths at the provider. {estabelecimento} and the names of parameters stand for their percent-encoded values;
// empty where the provider documents none.
struct FamilyPaths {
    std::string_view options;
    std::string_view solicitar;
    std::string_view confirmar;
    std::string_view cancelar;
};

// A "path" of fields is a name, or names with a slash between them where objects stand in each other.
using FieldNames = std::initializer_list<std::string_view>;

struct FamilyRules {
    Family family = Family::tv;
    FamilyPaths paths;
    bool cancel_is_configured = false;  // where it is cancelled is not documented, and may be configured
    bool has_zoneless_times = false;    // dataHoraCliente is the store's time, without a zone

    // Reads the family's fields of a sell body into `order`, whose common fields are read already, and takes what it
    // has read off the body; whatever is left there afterwards is a field that this family does not have. The order is
    // complete only if the reader found no error.
    void (*read_fields)(FieldReader& reader, Order& order) = nullptr;
    // The fields that read_fields() requires, in its order, and the one that stands for all of them in an option.
    FieldNames sell_fields;
    std::string_view sold_by;
    FieldNames unsent_fields;      // those of Order::fields that the provider is not told: they make another order
    FieldNames punctuated_fields;  // paths of numbers that people type with dots and dashes or without
    // Paths: what a sell has in common with one that may be the same sell typed twice, besides produto, fornecedor and
    // amount: what else names the product, and the card or the cpf that it is for.
    FieldNames likeness_fields;
    std::string_view card_field;  // the number of the card that is credited, whose sells wait for each other

    std::initializer_list<OptionsParameter> parameters;
    // What a listed product of this family may have besides its parameters, by the names of the configuration.
    FieldNames product_fields;
    bool has_large_options = false;  // the answer to a value query is a whole catalogue
    std::string_view option_list;    // the array of the answer that holds the entries; empty: the answer is the entry
    FieldNames hidden_details;       // what of the answer a terminal is not shown beside the options
    OptionOrWhy (*read_entry)(const OptionsQuestion& question, const boost::json::object& entry) = nullptr;
    // The fields by which an order names the entry that it was made from, and whose bounds it has to keep; where
    // several entries have the same, the description decides. Without them an order has no bounds.
    FieldNames entry_fields;
    std::string_view entry_description;
    // What an entry of `entries` in the details says about using what was bought, for the receipt; may hold
    // %%ACCOUNTNUMBER%%, which receipt_lines() fills in.
    std::string (*redemption_in)(const boost::json::object& entry) = nullptr;

    // The family's own lines of a receipt, or how they are made where a table does not say it.
    std::initializer_list<ReceiptLine> receipt;
    void (*append_receipt)(std::vector<std::string>& lines, const Sale& sale,
                           const boost::json::value& instrucao) = nullptr;

    // From here on, what follows from all this.

    // Whether an operator or a partner has its place in the paths.
    bool has_segment() const;

    void read(boost::json::object& body, Order& order, FieldErrors& errors) const;
    // Order::fields with one spelling for all that mean the same, to compare orders by; what is sent stays as typed.
    boost::json::object understood(const boost::json::object& fields) const;
    // One text for all spellings of the likeness_fields.
    Secret likeness_of(const boost::json::object& fields) const;
    Secret card_of(const boost::json::object& fields) const;

    // Path of a step but consultar, which the configuration has; empty where the provider documents none.
    std::string path(Step step, std::string_view segment) const;
    std::string client_time(WallTime at) const;

    // A value query from a terminal's query string, all but its establishment; errors point to "/produto" and the like.
    OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const;
    std::string query_path(const OptionsQuestion& question) const;
    // Whether a listed product has options to ask for, and whether it may be sold without. Both are true where the list
    // does not say which kind of product it is.
    bool has_options(const Product& product) const;
    bool sells_without_options(const Product& product) const;

    // The value query that has this order's bounds, or nothing where none can have them. Its establishment is the
    // order's, which may be empty.
    std::optional<OptionsQuestion> question_for(const Order& order) const;
    // Reads the provider's answer. errc::malformed where it is not the documented JSON at all; an entry that cannot be
    // understood is left out and named in `left_out`.
    Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const;
    // What of `order` departs from what may be sold; nothing where the entry is not listed.
    FieldErrors check_bounds(const Order& order, const Options& options) const;
    std::string redemption_of(const Order& order, const Options& options) const;

    // The family's lines of a receipt (without product, amount, establishment), each of any length. `instrucao` is
    // decoded; null where there is none.
    std::vector<std::string> receipt_lines(const Sale& sale, const boost::json::value& instrucao) const;
};

// The rules of a family.
const FamilyRules& rules_of(Family family) noexcept;

// What people call a family.
std::string_view name_of(Family family, Language language) noexcept;

}  // namespace gateway
