// What a product family is to the rest of the gateway. Each family's whole knowledge is in one file beside this one:
// what a terminal may send, what the provider gets, which paths, and how its options, goods and receipt read. Adding a
// family is adding a file, its line in families.cpp and its word in sale.hpp.
#pragma once

#include "base/error.hpp"
#include "base/field_error.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway {

struct Product;

// What one sell asks for, read strictly: everything in it is valid by itself.
struct Order {
    Family family = Family::tv;
    ConfirmMode mode = ConfirmMode::automatic;
    std::string estabelecimento;  // empty: the terminal's
    std::string produto;
    std::string fornecedor;
    Cents valor;
    std::string segment;  // transit, health
    // What else makes it this order and no other: what `solicitar` carries besides estabelecimento, idExterno, produto,
    // fornecedor and dataHoraCliente, and FamilyRules::unsent_fields().
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
    std::string nome_menu;
    Secret numero_cartao;
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

struct Options {
    std::vector<Option> options;
    boost::json::object details;        // what else the provider sent, unchanged
    std::vector<std::string> left_out;  // a sentence for each entry that could not be understood, for the log
};

// How a value query's parameters reach question(): the query string's first values. Returns nothing for an absent one.
using QueryValues = std::function<std::optional<std::string>(std::string_view name)>;

// One of the parameters that a terminal asks for options with.
struct OptionsParameter {
    std::string_view name;
    bool required = true;
    bool of_customer = false;  // who stands at the counter has it: no list of products can know it
    std::string_view meaning;  // a sentence for who programs a terminal
};

class FamilyRules {
  public:
    virtual ~FamilyRules() = default;
    virtual Family family() const = 0;

    // Reads the family's fields of a sell body into `order`, whose common fields are read already, and takes what it
    // has read off `body`; whatever is left there afterwards is a field that this family does not have. All errors are
    // added to `errors`; the order is complete only if there were none.
    virtual void read(boost::json::object& body, Order& order, FieldErrors& errors) const = 0;

    // Those of Order::fields that the provider is not told: they are checked here, and make another order.
    virtual std::span<const std::string_view> unsent_fields() const;
    // Order::fields with one spelling for all that mean the same, to compare orders by; what is sent stays as typed.
    virtual boost::json::object understood(const boost::json::object& fields) const;
    // Of Order::fields, what a sell has in common with one that may be the same sell typed twice, besides produto,
    // fornecedor and amount: what else names the product, and the card or the cpf that it is for. One text for all
    // spellings of it.
    virtual Secret likeness_of(const boost::json::object& fields) const = 0;
    // The number of the card that is credited, whose sells wait for each other; empty where there is none.
    virtual Secret card_of(const boost::json::object& fields) const;

    // Path of a step but consultar, which the configuration has; empty where the provider documents none ({segment}
    // filled in, percent-encoded).
    virtual std::string path(Step step, std::string_view segment) const = 0;
    // How this family writes `dataHoraCliente`.
    virtual std::string client_time(WallTime at) const;

    // A value query from a terminal's query string, all but its establishment; errors point to "/produto" and the like.
    virtual OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const = 0;
    // What question() looks at, for a caller that wants to ask.
    virtual std::span<const OptionsParameter> parameters() const = 0;
    // What a listed product of this family may have besides its parameters, by the names of the configuration.
    virtual std::span<const std::string_view> product_fields() const;
    // Whether a listed product has options to ask for, and whether it may be sold without. Both are true where the list
    // does not say which kind of product it is.
    virtual bool has_options(const Product& product) const;
    virtual bool sells_without_options(const Product& product) const;
    // The fields that read() requires of a sell that goes on from `sell`, in its order.
    virtual std::vector<std::string_view> sell_fields(const boost::json::object& sell) const = 0;

    // The value query that has this order's bounds, or nothing where none can have them. Its establishment is the
    // order's, which may be empty.
    virtual std::optional<OptionsQuestion> question_for(const Order& order) const = 0;
    virtual std::string query_path(const OptionsQuestion& question) const = 0;
    // Reads the provider's answer. errc::malformed where it is not the documented JSON at all; an entry that cannot be
    // understood is left out and named in `left_out`.
    virtual Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const = 0;
    // What of `order` departs from what may be sold; nothing where the entry is not listed.
    virtual FieldErrors check_bounds(const Order& order, const Options& options) const = 0;
    // What the offer says about using what was bought, for the receipt; empty where it says nothing. May hold
    // %%ACCOUNTNUMBER%%, which receipt_lines fills in.
    virtual std::string redemption_of(const Order& order, const Options& options) const;

    // The family's own lines of a receipt (without product, amount, establishment), each of any length.
    // `instrucao` and `complemento` are decoded; null where there are none.
    virtual std::vector<std::string> receipt_lines(const Sale& sale, const boost::json::value& instrucao,
                                                   const boost::json::value& complemento) const = 0;
};

// The rules of a family.
const FamilyRules& rules_of(Family family);

}  // namespace gateway
