// Says what a product family is for the rest of the gateway. Everything about a family stands in its own file beside
// this one, as one table: what a terminal may send, what the provider gets, on which paths, and how options, goods and
// receipt are read. CONTRIBUTING.md lists all that a new family needs.
#pragma once

#include "base/error.hpp"
#include "base/field_error.hpp"
#include "base/language.hpp"
#include "families/sell_schema.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway {

class FieldReader;
struct Product;

// Holds what one sell asks for. It was read strictly: everything in it is valid by itself.
struct Order {
    Family family = Family::tv;
    ConfirmMode mode = ConfirmMode::automatic;
    std::string estabelecimento;  // empty for that of the terminal
    std::string produto;
    std::string fornecedor;
    Cents valor;
    std::string segment;  // the operator's or partner's part of the paths; empty where the family has none
    // What else makes the order different from another one: all that `solicitar` carries besides estabelecimento,
    // idExterno, produto, fornecedor and dataHoraCliente, and FamilyRules::unsent_fields.
    boost::json::object fields;
    boost::json::object extra;  // what is needed only to find the bounds, and is neither sent nor kept: nomeMenu
};

// Says which value query to make. Only what the family asks by is set. question_for() and question() give equal
// questions for the same thing, so that one answer serves both.
struct OptionsQuestion {
    Family family = Family::tv;
    std::string estabelecimento;
    std::string produto;
    std::string segment;
    std::string menu;
    Secret customers;  // the part that only the customer has: the number of a card
    friend bool operator==(const OptionsQuestion&, const OptionsQuestion&) = default;
};

// This is one thing that can be sold, in the one shape that the terminal API has for it. `valor` is exactly one of the
// three shapes.
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

// Says in words why an entry of the provider is not an option. It has a type of its own, because an Option can be made
// from a string.
struct NotAnOption {
    std::string why;
};
using OptionOrWhy = boost::system::result<Option, NotAnOption>;

struct Options {
    std::vector<Option> options;
    boost::json::object details;        // everything else that the provider sent, unchanged
    std::vector<std::string> left_out;  // a sentence, for the log, for each entry that could not be understood
};

// Gives question() the parameters of a value query: the first value of each in the query string, or nothing if it is
// absent.
using QueryValues = std::function<std::optional<std::string>(std::string_view name)>;

// Says which part of a question a parameter gives.
enum class QuestionPart {
    produto,
    segment,    // its name is that of the family; without it, produto in lower case is taken
    menu,       // a sell may have it too, so that its bounds can be found
    customers,  // only the customer at the counter has it: a list of products cannot know it
};

// Describes one of the parameters with which a terminal asks for options.
struct OptionsParameter {
    std::string_view name;
    QuestionPart part = QuestionPart::produto;
    std::string_view meaning;    // a sentence for people who program a terminal
    std::string_view example{};  // a value

    bool is_required() const noexcept { return part != QuestionPart::segment; }
    bool is_of_customer() const noexcept { return part == QuestionPart::customers; }
};

// Describes lines of a receipt that are made from a field of `instrucao`: "label: text", or, without a label, every
// text that the field holds.
struct ReceiptLine {
    std::string_view label;
    std::string_view field;
};

// These are the paths at the provider. {estabelecimento} and the names of parameters stand for their percent-encoded
// values. A path is empty where the provider documents none.
struct FamilyPaths {
    std::string_view options;
    std::string_view solicitar;
    std::string_view confirmar;
    std::string_view cancelar;
};

// A "path" of a field is its name, or names with a slash between them where one object stands in another.
using FieldNames = std::initializer_list<std::string_view>;

struct FamilyRules {
    Family family = Family::tv;
    FamilyPaths paths;
    bool cancel_is_configured = false;  // the document names no cancel, and the configuration may
    bool has_zoneless_times = false;    // dataHoraCliente is the store's time, without a zone

    // Reads the family's fields of a sell body into `order`, whose common fields are read already, and takes what it
    // has read off the body; whatever is left there afterwards is a field that this family does not have. The order is
    // complete only if the reader found no error.
    void (*read_fields)(FieldReader& reader, Order& order) = nullptr;
    // The fields of the kinds stand in the order in which read_fields() asks for them. A product is sold by the first
    // kind, unless an option determines all that another kind requires.
    std::string_view sell_description;
    std::span<const SellKind> sell_kinds;
    std::span<const SellPart> sell_parts;
    FieldNames unsent_fields;  // the fields in Order::fields that the provider does not get; they make it another order
    FieldNames punctuated_fields;  // the paths of numbers that people type with or without dots and dashes
    // If a sell has the same values at these paths as another one, and the same produto, fornecedor and amount, it may
    // be the same sell typed twice. The values are what else names the product, and the card or the cpf that it is for.
    FieldNames likeness_fields;
    std::string_view card_field;  // the number of the card that is credited; sells for one card wait for each other

    std::initializer_list<OptionsParameter> parameters;
    // These are the fields that a listed product of this family may have besides its parameters, by their names in the
    // configuration.
    FieldNames product_fields;
    bool has_large_options = false;  // the answer to a value query is a whole catalogue
    std::string_view option_list;    // the answer's array of entries; empty if the answer is the entry
    FieldNames hidden_details;       // the parts of the answer that a terminal does not see beside the options
    OptionOrWhy (*read_entry)(const OptionsQuestion& question, const boost::json::object& entry) = nullptr;
    // By these fields an order names the entry that it was made from, and whose bounds it has to keep. Where several
    // entries have the same values, the description decides. A family without these fields has no bounds.
    FieldNames entry_fields;
    std::string_view entry_description;
    // Returns what an entry of `entries` in the details says about using what was bought, for the receipt. The text may
    // hold %%ACCOUNTNUMBER%%, which receipt_lines() fills in.
    std::string (*redemption_in)(const boost::json::object& entry) = nullptr;

    // These are the family's own lines of a receipt, and a function that makes those that a table cannot describe.
    std::initializer_list<ReceiptLine> receipt;
    void (*append_receipt)(std::vector<std::string>& lines, const Sale& sale,
                           const boost::json::value& instrucao) = nullptr;

    // The functions below follow from the table above.

    // Tells whether the paths name an operator or a partner.
    bool has_segment() const;

    void read(boost::json::object& body, Order& order, FieldErrors& errors) const;
    // Returns Order::fields with one spelling for everything that means the same, to compare orders by. What is sent
    // stays as it was typed.
    boost::json::object understood(const boost::json::object& fields) const;
    // Returns one text for all spellings of the likeness_fields.
    Secret likeness_of(const boost::json::object& fields) const;
    Secret card_of(const boost::json::object& fields) const;

    // Returns the path of a step other than consultar, whose path is in the configuration. Returns an empty text where
    // the provider documents none.
    std::string path(Step step, std::string_view segment) const;
    std::string client_time(WallTime at) const;

    // Makes a value query from a terminal's query string, without the establishment. Errors point to "/produto" and the
    // like.
    OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const;
    std::string query_path(const OptionsQuestion& question) const;
    // These tell whether a listed product has options to ask for, and whether it may be sold without them. Both are
    // true where the list does not say which kind of product it is.
    bool has_options(const Product& product) const;
    bool sells_without_options(const Product& product) const;

    // Returns the value query that brings the bounds of this order, or nothing if there can be none. Its establishment
    // is that of the order, which may be empty.
    std::optional<OptionsQuestion> question_for(const Order& order) const;
    // Reads the provider's answer. Fails with errc::malformed if it is not the documented JSON at all. An entry that
    // cannot be understood is left out and named in `left_out`.
    Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const;
    // Says what in `order` departs from what may be sold. Returns nothing if its entry is not listed.
    FieldErrors check_bounds(const Order& order, const Options& options) const;
    std::string redemption_of(const Order& order, const Options& options) const;

    // Returns the family's lines of a receipt (without product, amount and establishment), each of any length.
    // `instrucao` is decoded, and null where there is none.
    std::vector<std::string> receipt_lines(const Sale& sale, const boost::json::value& instrucao) const;
};

const FamilyRules& rules_of(Family family) noexcept;

// Returns the family's name for people.
std::string_view name_of(Family family, Language language) noexcept;

}  // namespace gateway
