// Reads what a client sends to sell, to confirm and to cancel, exactly as the interface's tables list the fields, and
// checks it against the catalogue. It knows no books: whether an idExterno was used before is the model's question.
//
// `Fields` reads one JSON object strictly: each field must be there with its type and form, and no other field may be.
// The first departure is kept; after it, reading goes on with empty values, so a reader is one straight list of fields
// with one check at the end.
#pragma once

#include "sandbox/personality.hpp"
#include "sandbox/routes.hpp"
#include "sandbox/words.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

// Says which kind of mistake a body has: a provider may answer each kind in its own way.
enum class Wrong { field, amount, product, bound, establishment };

// Says whether the text has the form "000.000.000-00".
bool is_formatted_cpf(std::string_view text);

class Fields {
  public:
    // `object` must outlive the reader.
    explicit Fields(const boost::json::object& object);

    std::string text(std::string_view name);  // a string that is not empty
    std::string text_or_empty(std::string_view name);
    std::optional<std::string> optional_text(std::string_view name);
    std::int64_t integer(std::string_view name);
    Cents cents(std::string_view name);  // rule 5: a string of digits, with no separator
    std::string literal(std::string_view name, std::string_view wanted);
    std::string form(std::string_view name, bool (*fits)(std::string_view), std::string_view form_in_words);
    Fields object(std::string_view name);

    bool has(std::string_view name) const;
    // Keeps `what` as the departure, unless there is one already.
    void depart(std::string_view name, std::string_view what, Wrong wrong = Wrong::field);
    // Says in words where this object, or one inside it, departs from the interface; empty where none does. A field too
    // many is a departure. The text never quotes a value.
    std::string finish();
    // Says of which kind the departure is. There must be one.
    Wrong wrong() const { return departure_->wrong; }

  private:
    struct Kept {
        std::string text{};
        Wrong wrong = Wrong::field;
    };

    Fields(const boost::json::object& object, std::string path, std::shared_ptr<Kept> departure);
    const boost::json::value* take(std::string_view name);

    const boost::json::object& object_;
    std::string path_;
    std::shared_ptr<Kept> departure_;  // one for an object and all objects inside it
    std::vector<std::string_view> known_;
};

struct Order {
    std::string estabelecimento{};
    std::string idExterno{};
    std::string produto{};
    std::string fornecedor{};  // the name that the answer has
    Cents valor = 0;
    std::string produtoIdParceiro{};  // health only
    Cents recharge = 0;               // eSIM, under its two addresses
    std::string sale_url{};
    std::string recharge_url{};
};

struct Confirm {
    std::string estabelecimento{};
    std::string idTransacao{};
    std::string produto{};
};

struct Cancel {
    std::string estabelecimento{};
    std::string idExterno{};
};

// Holds what was read, or in `departure` how the body departs from the interface.
template <class Body>
struct ReadBody {
    Body body{};
    std::string departure{};
    Wrong wrong{};  // the kind of the departure
};

ReadBody<Order> read_order(const Route& route, const boost::json::object& body, const Options& options);
ReadBody<Confirm> read_confirm(const Route& route, const boost::json::object& body, const Options& options);
ReadBody<Cancel> read_cancel(const Route& route, const boost::json::object& body, const Options& options);

}  // namespace gateway::sandbox
