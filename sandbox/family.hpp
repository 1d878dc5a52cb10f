// This describes what the provider does differently for each product family. Each family is one table in a file of its
// own, family_<name>.cpp: its addresses, its fields, what its catalogue offers, and what a customer is given. Every
// name that is offered is invented.
//
// Amounts choose outcomes (outcomes.hpp). Where the terminal does not choose the amount, the catalogue has an entry for
// every outcome NN: health products "Consulta-NN" at 60,NN, and values "9NN;30NN" of the dynamic TV product, which are
// accepted but not listed.
#pragma once

#include "base/clock.hpp"
#include "base/random.hpp"
#include "sandbox/books.hpp"
#include "sandbox/orders.hpp"
#include "sandbox/personality.hpp"
#include "sandbox/routes.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::sandbox {

// This is an address of the document's table of endpoints. In its path, "{e}" stands for the estabelecimento, "{p}" for
// the produto, "{s}" for the operator's or partner's segment, "{=}" for that segment again, and "{c}" for a value that
// only the customer has.
struct Pattern {
    std::string_view method;
    std::string_view path;
    Step step;
};

struct FamilyModel {
    Family family{};
    std::initializer_list<Pattern> patterns{};
    bool by_callback = false;         // there is no confirm and no cancel: callbacks say what became of a sale
    bool zoneless_times = false;      // dataHoraCliente has no zone
    bool goods_with_confirm = false;  // instrucao comes with the confirm's answer, and not with the request's
    // Says whether there is an operator of that name; nullptr where the path names none, or the products tell.
    bool (*knows_segment)(std::string_view segment) = nullptr;
    // Reads the fields that a sale request of this family has besides the common ones, and checks them against the
    // catalogue.
    void (*read)(Fields& fields, const Route& route, const Options& options, Order& order) = nullptr;
    // Answers the value query; returns nothing where nothing has that name.
    std::optional<boost::json::object> (*offer)(const Route& route, WallTime now) = nullptr;
    // Gives an accepted sale its goods and its instrucao; its nsu is made before. It is nullptr where there are no
    // goods.
    void (*make_goods)(Transaction& sale, Random& random) = nullptr;
    // Shows people what is offered.
    boost::json::value (*overview)(WallTime now) = nullptr;
};

const FamilyModel& model_of(Family family) noexcept;

// Shows people all that is offered, in one document.
boost::json::object catalogue_overview(WallTime now);

// Says whether a path behind /venda/ begins with this word in one of the families: no partner of that name is found.
bool is_path_word(std::string_view segment) noexcept;

// Writes an amount as "10,99".
std::string with_comma(Cents valor);
std::string random_digits(Random& random, std::size_t count);
// Returns the entry of a list for which `match` holds, or nullptr.
template <class List, class Match>
auto find_entry(const List& list, Match match) -> decltype(&*list.begin()) {
    const auto found = std::find_if(list.begin(), list.end(), match);
    return found == list.end() ? nullptr : &*found;
}

inline constexpr std::string_view store_name = "Loja Sandbox";

}  // namespace gateway::sandbox
