#include "simulation/till.hpp"

#include "http/server/target.hpp"
#include "simulation/text_of.hpp"
#include "simulation/world.hpp"

#include <boost/json/parse.hpp>

namespace gateway::simulation {
namespace {

namespace json = boost::json;

// A terminal listens for an answer this much longer than it was told to wait.
constexpr Duration listens_on{5'000};

http::Request make_request(http::verb method, const std::string& target) {
    http::Request request;
    request.method = method;
    request.request_id = "sim";
    (void)http::set_target(request, target);
    return request;
}

}  // namespace

void Till::start() {
    if (plan_.cancels_first) return perform(Deed::cancel_key);
    perform(Deed::sell);
}

void Till::drop_key() {
    ++turn_;
    dropped_ = true;
}

void Till::ask() {
    asking_ = true;
    perform(sale_.empty() ? Deed::look_by_key : Deed::look);
}

http::Request Till::request_for(Deed deed) const {
    using http::verb;
    http::Request request;
    switch (deed) {
        case Deed::sell:
        case Deed::sell_otherwise:
            request = make_request(verb::post, "/v1/sell");
            request.headers.insert("Content-Type", "application/json");
            request.headers.insert("Idempotency-Key", plan_.key);
            request.body = plan_.body;
            if (deed == Deed::sell_otherwise) request.body.insert(1, R"("fornecedor":"Outra",)");
            break;
        case Deed::cancel_key:
            request = make_request(verb::post, "/v1/cancel");
            request.headers.insert("Idempotency-Key", plan_.key);
            break;
        case Deed::look: request = make_request(verb::get, "/v1/sales/" + sale_); break;
        case Deed::look_by_key: request = make_request(verb::get, "/v1/sales?key=" + plan_.key); break;
        case Deed::confirm: request = make_request(verb::post, "/v1/sales/" + sale_ + "/confirm"); break;
        case Deed::cancel: request = make_request(verb::post, "/v1/sales/" + sale_ + "/cancel"); break;
        case Deed::receipt: request = make_request(verb::get, "/v1/sales/" + sale_ + "/receipt"); break;
    }
    if (plan_.wait_s > 0 && !asking_) request.headers.insert("Prefer", "wait=" + std::to_string(plan_.wait_s));
    request.principal = plan_.terminal;
    return request;
}

void Till::perform(Deed deed) {
    if (dropped_) return;
    if (!asking_ && (!world_.faults() || ++calls_ > plan_.most_calls)) return;
    if (sale_.empty() && (deed == Deed::look || deed == Deed::confirm || deed == Deed::cancel || deed == Deed::receipt))
        deed = Deed::look_by_key;
    const auto turn = ++turn_;
    auto request = request_for(deed);
    world_.note("till {}: {} {}", plan_.number, std::string(boost::beast::http::to_string(request.method)),
                request.target);
    world_.statistics().count(Event::call);
    const bool deaf = !asking_ && world_.faults() && world_.chance().permille(plan_.deafness);
    if (deaf) world_.statistics().count(Event::terminal_fault);
    world_.call(std::move(request), plan_, [this, turn, deaf](const http::Response& response) {
        if (turn != turn_ || deaf) return;  // the terminal has gone on to something else
        heard(response);
    });
    const auto patience = Duration(std::max(plan_.wait_s, 25) * 1000) + listens_on;
    world_.in(patience, [this, turn] {
        if (turn == turn_) heard_nothing();
    });
}

void Till::heard(const http::Response& response) {
    ++turn_;
    boost::system::error_code ec;
    const auto body = json::parse(response.body, ec);
    const auto* object = ec ? nullptr : body.if_object();
    std::string outcome;
    if (object != nullptr) {
        const auto* said = object;
        if (const auto* sales = object->if_contains("sales"); sales != nullptr && sales->is_array())
            said = sales->get_array().empty() ? object : &sales->get_array().front().as_object();
        outcome = text_of(*said, "outcome");
        if (const auto* sale = said->if_contains("sale"); sale != nullptr && sale->is_object())
            said = &sale->get_object();
        if (said->contains("idExterno")) sale_ = text_of(*said, "id");
    }
    go_on(outcome);
}

void Till::heard_nothing() {
    ++turn_;
    go_on("");
}

bool Till::mischievous() const {
    return world_.chance().permille(plan_.mischief);
}

Till::Deed Till::something() const {
    constexpr std::array deeds{Deed::sell, Deed::cancel_key, Deed::look,   Deed::look_by_key,    Deed::cancel_key,
                               Deed::sell, Deed::confirm,    Deed::cancel, Deed::sell_otherwise, Deed::receipt};
    return world_.chance().pick(deeds);
}

void Till::later(Deed deed, Duration after) {
    const auto turn = turn_;
    world_.in(after, [this, turn, deed] {
        if (turn == turn_) perform(deed);
    });
}

void Till::go_on(const std::string& outcome) {
    if (asking_) return;
    if (mischievous()) {
        if (world_.chance().one_in(4))
            return world_.statistics().count(Event::terminal_fault);  // the terminal is never seen again
        return later(something(), Duration(world_.chance().between(0, 20'000)));
    }
    if (outcome == "sold" || outcome == "not_sold") return;
    if (outcome == "held") {
        const Duration thinks(world_.chance().between(500, 20'000));
        switch (plan_.wish) {
            case Wish::confirm: return later(Deed::confirm, thinks);
            case Wish::cancel: return later(Deed::cancel, thinks);
            case Wish::forget: return;
        }
    }
    if (outcome == "pending") return later(Deed::look, Duration(2'000));
    later(Deed::sell, Duration(world_.chance().between(500, 5'000)));
}

}  // namespace gateway::simulation
