// Says what the provider does in its own way for one product family. Each family stands in a file of its own,
// family_<name>.cpp, as one table: its addresses, its fields, what its catalogue offers, and what a customer is given.
// Every name that is offered is invented.
//
// Amounts choose outcomes (outcomes.hpp). Where the amount is not the terminal's to choose, the catalogue has an entry
// for every outcome NN: health products "Consulta-NN" at 60,NN, and values "9NN;30NN" of the dynamic TV product, which
// are accepted but not listed.
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

// This is an address of the document's table of endpoints. In its path "{e}" stands for the estabelecimento, "{p}" for
// the produto, "{s}" for the operator's or partner's segment, "{=}" for that segment again, and "{c}" for what only the
// customer has.
struct Pattern {
    std::string_view method;
    std::string_view path;
    Step step;
};

struct FamilyModel {
    Family family{};
    std::initializer_list<Pattern> patterns{};
    bool by_callback = false;         // no confirm and no cancel: callbacks say what became of a sale
    bool zoneless_times = false;      // dataHoraCliente is without a zone
    bool goods_with_confirm = false;  // instrucao comes with the confirm's answer, and not with the request's
    // Says whether there is an operator of that name; nullptr where the path names none, or the products tell.
    bool (*knows_segment)(std::string_view segment) = nullptr;
    // Reads what a sale request has besides the common fields, and holds it against the catalogue.
    void (*read)(Fields& fields, const Route& route, const Options& options, Order& order) = nullptr;
    // The answer to the value query; nothing where there is nothing of that name.
    std::optional<boost::json::object> (*offer)(const Route& route, WallTime now) = nullptr;
    // Gives an accepted sale, whose nsu is made, its goods and its instrucao; nullptr where there are none.
    void (*make_goods)(Transaction& sale, Random& random) = nullptr;
    // Shows people what is offered.
    boost::json::value (*overview)(WallTime now) = nullptr;
};

const FamilyModel& model_of(Family family) noexcept;

// Shows people all that is offered, in one document.
boost::json::object catalogue_overview(WallTime now);

// Says whether a path begins so, behind /venda/, in one of the families: no partner of that name is found.
bool is_path_word(std::string_view segment) noexcept;

// "10,99".
std::string with_comma(Cents valor);
std::string random_digits(Random& random, std::size_t count);
// The entry of a list for which `match` holds, or nullptr.
template <class List, class Match>
auto find_entry(const List& list, Match match) -> decltype(&*list.begin()) {
    const auto found = std::find_if(list.begin(), list.end(), match);
    return found == list.end() ? nullptr : &*found;
}

inline constexpr std::string_view store_name = "Loja Sandbox";

}  // namespace gateway::sandbox
