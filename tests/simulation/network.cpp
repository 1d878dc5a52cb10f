// This is the part of the world that carries messages: requests to the provider's model, its answers, its callbacks,
// and everything that may happen to them on the way.
#include "base/check.hpp"
#include "http/server/target.hpp"
#include "simulation/world.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::simulation {
namespace {

namespace json = boost::json;

constexpr std::string_view page = "<!doctype html><html><body>Servico em manutencao</body></html>";
// A callback that nobody has answered after this time is repeated.
constexpr Duration callback_patience{15'000};

Talk talk_of(std::string_view label) {
    if (label.starts_with("token")) return Talk::token;
    if (label.ends_with("solicitar")) return Talk::solicitar;
    if (label.ends_with("confirmar")) return Talk::confirmar;
    if (label.ends_with("cancelar")) return Talk::cancelar;
    if (label.ends_with("consultar")) return Talk::consultar;
    return Talk::query;
}

sandbox::Call to_call(const http::ClientRequest& request) {
    sandbox::Call call{.method = request.post ? "POST" : "GET", .target = request.target};
    call.headers.emplace_back("Accept", request.accept);
    if (!request.content_type.empty()) call.headers.emplace_back("Content-Type", request.content_type);
    if (!request.authorization.empty()) call.headers.emplace_back("Authorization", request.authorization.reveal());
    call.body = request.body.reveal();
    return call;
}

Reply lost() {
    return Reply::lost(errc::connection_lost);
}

Reply unreachable() {
    return Reply::unsent(errc::unreachable);
}

Reply to_reply(const sandbox::Answer& answer) {
    Reply reply;
    reply.kind = Reply::Kind::answered;
    reply.status = static_cast<unsigned>(answer.status);
    reply.content_type = sandbox::find_header(answer.headers, "Content-Type").value_or("");
    reply.body = answer.body;
    if (const auto after = sandbox::find_header(answer.headers, "Retry-After"))
        reply.retry_after = std::chrono::seconds(std::stoi(std::string(*after)));
    return reply;
}

sandbox::Answer error(int status, std::string body = R"({"erro":"erro","mensagem":"nao agora"})") {
    return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

sandbox::Answer page_answer(int status) {
    return {.status = status, .headers = {{"Content-Type", "text/html"}}, .body = std::string(page)};
}

template <std::size_t N>
int one_of(const std::array<int, N>& statuses, std::uint64_t roll) {
    return statuses.at(roll % N);
}

// Returns an answer that does not depend on what the provider did, where the fault has one.
std::optional<sandbox::Answer> given_answer(Fault fault, std::uint64_t roll) {
    switch (fault) {
        case Fault::rejected: return error(401);
        case Fault::throttled: {
            auto answer = error(429);
            if (roll % 3 != 0) answer.headers.emplace_back("Retry-After", std::to_string(1 + roll % 20));
            return answer;
        }
        case Fault::not_now:
        case Fault::not_now_after: return error(one_of(std::array{408, 409, 425}, roll));
        case Fault::forbidden: return error(403);
        case Fault::refused:
        case Fault::refused_after: return error(one_of(std::array{422, 400, 404}, roll));
        case Fault::error:
        case Fault::error_after: return error(one_of(std::array{500, 502, 503, 504}, roll));
        case Fault::redirected:
        case Fault::redirected_after: {
            auto answer = page_answer(one_of(std::array{301, 302, 307, 308}, roll));
            answer.headers.emplace_back("Location", "https://outro.example/");
            return answer;
        }
        case Fault::html:
        case Fault::html_after: return page_answer(200);
        case Fault::empty: return error(200, "");
        case Fault::none:
        case Fault::oddly_written:
        case Fault::slow:
        case Fault::unreachable:
        case Fault::request_lost:
        case Fault::answer_lost:
        case Fault::late:
        case Fault::late_silent:
        case Fault::doubled:
        case Fault::revoked:
        case Fault::cut_short:
        case Fault::field_missing:
        case Fault::goods_missing:
        case Fault::other_id:
        case Fault::other_amount:
        case Fault::other_status: return std::nullopt;
    }
    return std::nullopt;
}

json::object* member(json::object* parent, std::string_view name) {
    auto* value = parent != nullptr ? parent->if_contains(name) : nullptr;
    return value != nullptr ? value->if_object() : nullptr;
}

std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// Replaces the status of the attempt that a confirm, a cancel or a question was about by one of another attempt, or of
// a sale of another amount. That may be any final status.
void speak_of_another(json::object& sale, json::object& transacao, Fault fault, std::uint64_t roll) {
    if (fault != Fault::other_id && fault != Fault::other_amount) return;
    transacao["status"] = roll % 2 == 0 ? "EFETIVADA" : "CANCELADA";
    if (fault == Fault::other_amount) transacao["valor"] = 1;
    if (fault == Fault::other_id) transacao["idTransacao"] = "outra";
    if (fault == Fault::other_id) sale["idExterno"] = roll % 3 == 0 ? json::value() : json::value("outra");
}

// Replaces the status of a sale that is no eSIM by a meaningless word or by an old one.
void bend_status(json::object& transacao, Fault fault, bool esim, std::uint64_t roll) {
    if (fault == Fault::other_status && !esim && roll % 2 == 0) transacao["status"] = "NEGADA";
    if (fault == Fault::late_silent) transacao["status"] = "AUTORIZADA";
}

// Changes what the provider said, where that is a JSON object.
void bend(json::object& root, Fault fault, Talk talk, bool esim, std::uint64_t roll) {
    auto* venda = member(&root, "venda");
    auto* transacao = member(venda != nullptr ? venda : &root, "transacao");
    if (transacao == nullptr) return;
    if (fault == Fault::oddly_written) {
        if (auto* status = transacao->if_contains("status"); status != nullptr && status->is_string())
            *status = lower_case(std::string(status->get_string()));
        (*transacao)["novoCampo"] = json::array{1, nullptr};
        root["versao"] = 2;
    }
    if (fault == Fault::field_missing) {
        const bool request = talk == Talk::solicitar;
        const auto variant = roll % (request ? 4 : 1);
        if (variant == 0) transacao->erase("status");
        if (variant == 1) transacao->erase("idTransacao");
        if (variant == 2) transacao->erase("valor");
        if (variant == 3 && venda != nullptr) venda->erase("idExterno");
    }
    if (fault == Fault::goods_missing) transacao->erase("instrucao");
    if (talk != Talk::solicitar) speak_of_another(venda != nullptr ? *venda : root, *transacao, fault, roll);
    if (fault == Fault::other_id && talk == Talk::solicitar && venda != nullptr && venda->contains("idExterno"))
        (*venda)["idExterno"] = "0";
    if (fault == Fault::other_amount && talk == Talk::solicitar) (*transacao)["valor"] = 1;
    if (fault == Fault::other_status) {
        constexpr std::array<std::string_view, 3> statuses{"PENDENTE", "DESCONHECIDA", ""};
        (*transacao)["status"] = statuses.at(roll % statuses.size());
    }
    if (talk == Talk::consultar) bend_status(*transacao, fault, esim, roll);
}

void bend(sandbox::Answer& answer, const Fate& fate, Talk talk, bool esim) {
    if (fate.fault == Fault::late_silent && fate.roll % 2 != 0) {
        answer = error(404);
        return;
    }
    if (auto given = given_answer(fate.fault, fate.roll)) {
        answer = std::move(*given);
        return;
    }
    if (fate.fault == Fault::cut_short) {
        answer.body.resize(answer.body.empty() ? 0 : fate.roll % answer.body.size());
        return;
    }
    boost::system::error_code ec;
    auto value = json::parse(answer.body, ec);
    if (ec || !value.is_object()) return;
    bend(value.get_object(), fate.fault, talk, esim, fate.roll);
    answer.body = json::serialize(value);
}

bool is_bent(Fault fault) {
    return fault == Fault::oddly_written || fault == Fault::cut_short || fault == Fault::field_missing ||
           fault == Fault::goods_missing || fault == Fault::other_id || fault == Fault::other_amount ||
           fault == Fault::other_status || fault == Fault::late_silent || given_answer(fault, 0).has_value();
}

// Reads the family off the path of a request, as the provider's document has it: the gateway's own table is under test.
Family family_in(std::string_view path) {
    using Row = std::pair<std::string_view, Family>;
    constexpr std::array rows{Row{"/venda/tv/", Family::tv}, Row{"/venda/egift/", Family::egift},
                              Row{"/venda/transporte/", Family::transit}, Row{"/venda/esim/", Family::esim},
                              Row{"/venda/consulta-", Family::health}};
    static_assert(rows.size() == family_count);
    const auto* const row = std::ranges::find_if(rows, [&](const Row& one) { return path.starts_with(one.first); });
    CHECK(row != rows.end());
    return row->second;
}

// Tells the promises what a request to sell contains.
void tell(Promises& promises, const sandbox::Call& call) {
    const auto body = json::parse(call.body).as_object();
    const auto* price = body.if_contains("valor");
    std::string text(price != nullptr ? price->as_string() : body.at("id_valor").as_string());
    text.erase(0, text.find(';') == std::string::npos ? 0 : text.find(';') + 1);
    promises.request_leaves(std::string(body.at("idExterno").as_string()), std::stoll(text), family_in(call.target));
}

}  // namespace

struct World::Parcel {
    sandbox::Call call;
    Talk talk;
    Fate fate;
    std::weak_ptr<Exchange> waiting;
    Duration patience;
    bool esim = false;
    bool left = true;
    // A doubled request that is not accepted is not accepted twice either: the law relies on that.
    bool not_taken = false;
};

void World::send(const http::ClientRequest& request, const std::shared_ptr<Exchange>& waiting, Duration patience) {
    if (power_is_off()) return;
    const auto talk = talk_of(request.label);
    const bool down = talk == Talk::token ? tokens_down_ > 0 : provider_down_ > 0;
    auto fate = faults() ? dealer_.deal(talk) : Fate{};
    // Where no cancel has an effect, CANCELADA in the answer to one is a lie (see "what the simulation does not deal").
    const bool cancels = setup_.provider.cancel_effect == sandbox::CancelEffect::cancels;
    if (fate.fault == Fault::other_id && talk == Talk::cancelar && !cancels) fate.roll -= fate.roll % 2;
    const auto stands_still = stand_still(talk);
    fate.there += stands_still;
    const auto answer_later = [&](Duration after, Reply reply) {
        in(after, [keep = std::weak_ptr(waiting), answer = std::move(reply)] {
            if (const auto exchange = keep.lock()) exchange->answer(answer);
        });
    };
    statistics_.count(talk);
    if (fate.fault != Fault::none) statistics_.count(fate.fault);
    if (down || fate.fault == Fault::unreachable) return answer_later(fate.there, unreachable());

    statistics_.count(Event::request);
    auto parcel = std::make_shared<Parcel>(Parcel{.call = to_call(request),
                                                  .talk = talk,
                                                  .fate = fate,
                                                  .waiting = waiting,
                                                  .patience = patience,
                                                  .esim = request.label.starts_with("esim")});
    if (stands_still > Duration(0)) {
        parcel->left = false;
        in(stands_still, [parcel, runs = still_runs()] { parcel->left = runs(); });
    }
    note("network: {} leaves{}{}", request.label,
         fate.fault == Fault::none ? "" : ", fault: ", fate.fault == Fault::none ? "" : to_string(fate.fault));
    if (talk == Talk::solicitar) tell(promises_, parcel->call);
    const bool noticed = fate.roll % 2 == 0;  // the connection breaks, instead of staying silent
    const bool posted = talk != Talk::consultar;
    const bool late = posted && (fate.fault == Fault::late || fate.fault == Fault::late_silent);
    if (late || fate.fault == Fault::doubled) in(fate.there + fate.late, [this, parcel] { deliver(parcel, true); });
    const bool vanishes = late || fate.fault == Fault::request_lost;
    if (!vanishes) in(fate.there, [this, parcel] { deliver(parcel, false); });
    if ((late && fate.fault == Fault::late) || (fate.fault == Fault::request_lost && noticed))
        answer_later(fate.there, lost());
    message_passed();
}

sandbox::Answer World::process(const Parcel& parcel) {
    const bool processed = is_processed(parcel.fate.fault);
    if (parcel.fate.fault == Fault::revoked) provider_->expire_tokens();
    if (!processed) return {};
    auto answer = provider_->handle(parcel.call, provider_wall());
    promises_.provider_moved();
    return answer;
}

// With `again`, nobody hears the answer.
void World::deliver(const std::shared_ptr<Parcel>& parcel, bool again) {
    constexpr int not_taken = 429;
    if (!parcel->left || parcel->not_taken) return;
    auto answer = process(*parcel);
    const auto& fate = parcel->fate;
    parcel->not_taken = !again && answer.status == not_taken;
    if (again) {
        note("network: {} arrives late, {}", to_string(parcel->talk), answer.status);
        return;
    }
    if (is_bent(fate.fault)) bend(answer, fate, parcel->talk, parcel->esim);
    if (fate.fault == Fault::answer_lost && fate.roll % 2 != 0) return;
    const auto reply = fate.fault == Fault::answer_lost ? lost() : to_reply(answer);
    const auto old = fate.fault == Fault::late ? fate.late : Duration(0);
    const auto after = fate.fault == Fault::slow ? parcel->patience + fate.back : old + fate.back;
    in(after, [this, parcel, reply] {
        const auto exchange = parcel->waiting.lock();
        if (!exchange || power_is_off()) return;
        note("network: {} answered {}", to_string(parcel->talk), reply.status);
        exchange->answer(reply);
        message_passed();
    });
}

void World::call(http::Request request, const Plan& plan, std::function<void(const http::Response&)> answered) {
    const auto latency = [this] { return Duration(chance_.between(0, 20)); };
    in(latency(), [this, &plan, latency, request = std::move(request), answered = std::move(answered)]() mutable {
        auto* const gateway = process();
        if (gateway == nullptr || power_is_off()) return;
        message_passed();
        if (power_is_off()) return;
        const auto asked = now_;
        gateway->call_terminals(std::move(request),
                                [this, &plan, latency, answered, asked](const http::Response& response) {
                                    promises_.told(plan, response, asked);
                                    in(latency(), [answered, response] { answered(response); });
                                    message_passed();
                                });
    });
}

void World::advance_provider() {
    const auto deliveries = provider_->advance(provider_wall());
    promises_.provider_moved();
    for (const auto& delivery : deliveries) {
        statistics_.count(Event::callback);
        carry_callback(delivery);
    }
}

void World::carry_callback(const sandbox::Delivery& delivery) {
    const bool fault = faults() && chance_.permille(setup_.callback_faults);
    if (fault) statistics_.count(Event::callback_fault);
    const Duration latency(chance_.between(0, 100));
    const auto kind = chance_.below(3);
    if (!fault) return in(latency, [this, delivery] { deliver_callback(delivery, true); });
    const Duration late(chance_.between(0, 60'000));
    note("network: callback of {} meets a fault: {}", delivery.idExterno, kind);
    if (kind == 0) {  // it is lost
        in(latency, [this, delivery] { provider_->callback_answered(delivery.id, std::nullopt, provider_wall()); });
    } else if (kind == 1) {  // late
        in(late, [this, delivery] { deliver_callback(delivery, true); });
    } else {  // its answer is not heard
        in(latency, [this, delivery] { deliver_callback(delivery, false); });
    }
}

void World::deliver_callback(const sandbox::Delivery& delivery, bool heard) {
    const auto answered = std::make_shared<bool>(false);
    const auto report = [this, id = delivery.id, answered](std::optional<int> status) {
        if (std::exchange(*answered, true)) return;
        provider_->callback_answered(id, status, provider_wall());
    };
    auto* const gateway = process();
    if (gateway == nullptr || power_is_off()) return report(std::nullopt);
    http::Request request;
    request.method = http::verb::post;
    request.request_id = "callback";
    CHECK(http::set_target(request, delivery.url));
    request.headers.insert("Content-Type", "application/json");
    request.body = delivery.body;
    message_passed();
    if (power_is_off()) return report(std::nullopt);
    note("network: callback of {} arrives", delivery.idExterno);
    gateway->call_callbacks(std::move(request), [this, report, heard, delivery](const http::Response& response) {
        const auto status = static_cast<int>(response.status);
        promises_.callback_taken(delivery.idExterno, delivery.body, status);
        in(Duration(10), [report, heard, status] { report(heard ? std::optional(status) : std::nullopt); });
        message_passed();
    });
    in(callback_patience, [report] { report(std::nullopt); });
}

}  // namespace gateway::simulation
