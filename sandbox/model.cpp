#include "sandbox/model.hpp"

#include "base/ascii.hpp"
#include "base/strict_json.hpp"
#include "sandbox/family.hpp"
#include "sandbox/message.hpp"
#include "sandbox/outcomes.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

// So many requests can be late at the same time; one more is lost for good.
constexpr std::size_t most_held = 10'000;

bool is_json_type(std::string_view value) {
    return boost::beast::iequals(trim(value.substr(0, value.find(';'))), "application/json");
}

// Says whether JSON is among the types of a list; "*/*" does not name it.
bool names_json(std::string_view list) {
    while (true) {
        const auto comma = list.find(',');
        if (is_json_type(list.substr(0, comma))) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
}

Reply unauthorized(Reply reply) {
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
}

std::optional<Reply> check_token(std::optional<std::string_view> header, const Tokens& tokens, WallTime now) {
    constexpr std::string_view bearer = "Bearer ";
    if (!header) return unauthorized(departure(401, "token_ausente", "the header Authorization is missing"));
    if (!header->starts_with(bearer))
        return unauthorized(departure(401, "token_invalido", "the header Authorization holds no bearer token"));
    switch (tokens.check(std::string(header->substr(bearer.size())), now)) {
        case Tokens::Verdict::good: return std::nullopt;
        case Tokens::Verdict::expired:
            return unauthorized(refusal(401, "token_expirado", "the access token has expired"));
        case Tokens::Verdict::unknown:
            return unauthorized(refusal(401, "token_invalido", "the access token is not known"));
    }
    return std::nullopt;
}

// Checks what every sales request must carry besides its body: a good bearer token, Accept and, for a POST,
// Content-Type. Returns the refusal, or nothing where all is well.
std::optional<Reply> check_envelope(const Call& call, const Route& route, const Tokens& tokens, const Options& options,
                                    WallTime now) {
    const auto authorization = find_header(call.headers, "Authorization");
    const bool needs_token = authorization || !options.egift_confirm_without_token || route.step != Step::confirmar ||
                             !route.family || !model_of(*route.family).goods_with_confirm;
    if (needs_token)
        if (auto refused = check_token(authorization, tokens, now)) return refused;
    if (!names_json(find_header(call.headers, "Accept").value_or("")))
        return departure(406, "accept_invalido", "the header Accept must name application/json");
    if (call.method == "POST" && !is_json_type(find_header(call.headers, "Content-Type").value_or("")))
        return departure(415, "content_type_invalido", "the header Content-Type must be application/json");
    return std::nullopt;
}

// FNV-1a lets a history tell equal bodies from different ones, and keeps nothing of their content.
std::uint64_t digest(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

std::string_view family_word(std::optional<Family> family) {
    return family ? to_string(*family) : "";
}

}  // namespace

Model::Model(Options options, Random& random, Log& log)
    : options_(std::move(options)), log_(log), sales_(options_, random), tokens_(options_, random) {}

Answer Model::handle(const Call& call, WallTime now) {
    process_due(now);
    const auto path = path_segments(call.target);
    const auto route = path ? find_route(call.method, *path, options_) : NoRoute::not_found;
    if (const auto* why = std::get_if<NoRoute>(&route)) return no_route(*why, now);
    return enter(Visit{.call = call, .route = std::get<Route>(route), .now = now, .late = false});
}

Answer Model::no_route(NoRoute why, WallTime now) {
    const bool method = why == NoRoute::wrong_method;
    const auto reply = method ? departure(405, "metodo_invalido", "this address takes another method")
                              : departure(404, "nao_encontrado", "the interface has no such address");
    metrics_.depart({.at = now, .reason = reply.refused});
    log_.warn("sandbox.departure", "a call that departs from the interface is answered {httpStatus}: {reason}",
              {{"httpStatus", reply.status}, {"reason", reply.refused}});
    return to_answer(reply, Treatment{}, Step::consulta, options_);
}

Answer Model::enter(Visit visit) {
    const auto step = visit.route.step;
    const auto body = parse_strict_json(visit.call.body);
    const auto* object = body ? body->if_object() : nullptr;
    visit.entry = sales_.named(visit.route, object, visit.now);
    if (visit.entry != nullptr) visit.idExterno = visit.entry->idExterno;
    const bool of_a_sale = visit.entry != nullptr && visit.entry->status != Status::none;
    if (step == Step::status && of_a_sale) visit.route.family = visit.entry->family;
    if (!visit.late) {
        ++metrics_.count(step, visit.route.family).seen;
        if (visit.entry != nullptr) ++visit.entry->calls_of(step);
        if (auto treatment = faults_.match(step, visit.route.family, visit.idExterno)) {
            visit.treatment = std::move(*treatment);
            visit.ruled = true;
        }
    }
    auto limited = over_the_limit(visit);
    const auto reply = limited ? std::move(*limited) : process(visit, object).value_or(Reply{});
    auto answer = to_answer(reply, visit.treatment, step, options_);
    note(visit, reply, answer);
    log(visit, reply, answer);
    if (step == Step::cancelar && !visit.late && !answer.drop)
        process_held_if([&](const Held& held) { return held.behind_cancel && held.idExterno == visit.idExterno; },
                        visit.now);
    return answer;
}

std::optional<Reply> Model::over_the_limit(const Visit& visit) {
    if (options_.rate_limit == 0 || visit.late) return std::nullopt;
    const WallTime second = std::chrono::floor<std::chrono::seconds>(visit.now);
    if (std::exchange(second_, second) != second) in_second_ = 0;
    if (++in_second_ <= options_.rate_limit) return std::nullopt;
    return too_many_requests(visit.route.step, options_);
}

std::optional<Reply> Model::process(Visit& visit, const json::object* body) {
    if (visit.ruled && goes_no_further(visit)) return std::nullopt;
    switch (visit.route.step) {
        case Step::consulta: return process_query(visit);
        case Step::token: return process_token(visit);
        case Step::status: return process_status(visit);
        case Step::solicitar:
        case Step::confirmar:
        case Step::cancelar: return process_sale(visit, body);
        case Step::callback: break;
    }
    return std::nullopt;
}

// Does everything that a treatment does before the request is looked at, and says whether the request ends there.
bool Model::goes_no_further(const Visit& visit) {
    switch (facts(visit.treatment.behaviour).effect) {
        case Effect::unseen: return true;
        case Effect::later:
        case Effect::behind: hold(visit); return true;
        case Effect::expire: tokens_.revoke(); return false;
        case Effect::usual:
        case Effect::none:
        case Effect::twice:
        case Effect::deny:
        case Effect::cancel: return false;
    }
    return false;
}

Reply Model::process_token(Visit& visit) {
    if (facts(visit.treatment.behaviour).effect == Effect::none) return {};
    auto reply = tokens_.request(visit.call, visit.now);
    visit.processed = reply.refused.empty();
    return reply;
}

Reply Model::process_query(Visit& visit) {
    const auto& route = visit.route;
    if (auto refused = check_envelope(visit.call, route, tokens_, options_, visit.now)) return *refused;
    const auto& known = options_.estabelecimentos;
    if (std::find(known.begin(), known.end(), route.estabelecimento) == known.end())
        return departure(404, "nao_encontrado", "estabelecimento is not known");
    if (facts(visit.treatment.behaviour).effect == Effect::none) return {};
    auto document = model_of(*route.family).offer(route, visit.now);
    if (!document) return refusal(404, "nao_encontrado", "the catalogue has nothing of that name");
    visit.processed = true;
    Reply reply;
    reply.body = std::move(*document);
    return reply;
}

Reply Model::process_status(Visit& visit) {
    if (auto refused = check_envelope(visit.call, visit.route, tokens_, options_, visit.now)) return *refused;
    if (facts(visit.treatment.behaviour).effect == Effect::none) return {};
    auto reply = sales_.status_of(visit.entry, visit.now);
    visit.processed = reply.refused.empty();
    return reply;
}

std::optional<Reply> Model::process_sale(Visit& visit, const json::object* body) {
    if (auto refused = check_envelope(visit.call, visit.route, tokens_, options_, visit.now)) return refused;
    const auto checked = sales_.check(visit.route, body, visit.entry,
                                      {.digest = digest(visit.call.body), .copy = visit.late, .now = visit.now});
    if (checked.refusal) return checked.refusal;
    if (checked.answer) return checked.answer;
    visit.entry = checked.sale;
    if (!visit.ruled && !visit.late) {
        choose_outcome(visit, checked);
        if (goes_no_further(visit)) return std::nullopt;
    }
    const auto effect = facts(visit.treatment.behaviour).effect;
    if (effect == Effect::none) return Reply{};
    if (effect == Effect::twice) hold(visit);
    auto done = sales_.act(visit.route, checked, effect, visit.now);
    visit.processed = done.moved;
    return std::move(done.reply);
}

void Model::choose_outcome(Visit& visit, const Sales::Checked& checked) {
    const auto step = visit.route.step;
    if (const auto* row = find_outcome(checked.valor, step, visit.entry->calls_of(step))) {
        visit.treatment.behaviour = row->behaviour;
        visit.treatment.status = row->status;
    } else if (visit.route.family && model_of(*visit.route.family).by_callback &&
               callback_script(checked.valor).slow_answer) {
        visit.treatment.behaviour = Behaviour::slow;
    }
}

void Model::hold(const Visit& visit) {
    if (held_.size() >= most_held) return;
    const auto due = visit.now + visit.treatment.delay.value_or(options_.late_arrival);
    const bool behind_cancel = facts(visit.treatment.behaviour).effect == Effect::behind;
    held_.emplace(due, Held{visit.call, visit.route, visit.idExterno, behind_cancel});
}

void Model::process_held(Held held, WallTime now) {
    enter(Visit{.call = held.call, .route = held.route, .now = now, .late = true});
}

void Model::process_due(WallTime now) {
    const auto sale_ends_before = [&](WallTime when) {
        const auto end = sales_.next_open_end();
        return end && *end <= when;
    };
    while (true) {
        const bool held_due = !held_.empty() && held_.begin()->first <= now;
        if (sale_ends_before(held_due ? held_.begin()->first : now)) {
            sales_.end_open_sale();
            continue;
        }
        if (!held_due) return;
        auto held = std::move(held_.begin()->second);
        held_.erase(held_.begin());
        process_held(std::move(held), now);
    }
}

template <class Which>
std::size_t Model::process_held_if(Which which, WallTime now) {
    std::vector<Held> now_here;
    for (auto entry = held_.begin(); entry != held_.end();) {
        if (!which(entry->second)) {
            ++entry;
            continue;
        }
        now_here.push_back(std::move(entry->second));
        entry = held_.erase(entry);
    }
    for (auto& held : now_here)
        process_held(std::move(held), now);
    return now_here.size();
}

std::size_t Model::release(std::optional<std::string_view> idExterno, WallTime now) {
    return process_held_if([&](const Held& held) { return !idExterno || held.idExterno == *idExterno; }, now);
}

void Model::reset() {
    sales_.clear();
    faults_.clear();
    metrics_ = Metrics{};
    held_.clear();
}

void Model::note(const Visit& visit, const Reply& reply, const Answer& answer) {
    const auto& route = visit.route;
    auto& count = metrics_.count(route.step, route.family);
    if (visit.processed) ++count.processed;
    if (!reply.refused.empty()) ++count.refused;
    if (answer.drop) ++count.lost;
    // A request that the sandbox itself made late or doubled is no fault of the client's.
    if (reply.departure && !visit.late)
        metrics_.depart({visit.now, route.step, route.family, visit.idExterno, reply.refused});
    if (visit.entry == nullptr) return;
    visit.entry->note({.at = visit.now,
                       .step = route.step,
                       .behaviour = visit.late ? "late" : facts(visit.treatment.behaviour).word,
                       .processed = visit.processed,
                       .answered = visit.late || answer.drop ? 0 : answer.status,
                       .status = visit.entry->status,
                       .reason = reply.refused,
                       .body = digest(visit.call.body)});
}

void Model::log(const Visit& visit, const Reply& reply, const Answer& answer) {
    const bool departs = reply.departure && !visit.late;
    const bool answers = !visit.late && !answer.drop;
    log_.write(departs ? LogLevel::warn : LogLevel::info, departs ? "sandbox.departure" : "sandbox.request",
               Sentence("[{family} ]{step}: {behaviour}") +
                   (answers ? Sentence(", answered {httpStatus}[ after {durationMs}][: {reason}]")
                            : Sentence(", not answered")) +
                   Sentence("[; the sale is {status}]"),
               {{"step", to_string(visit.route.step)},
                {"family", family_word(visit.route.family)},
                {"idExterno", visit.idExterno},
                {"behaviour", visit.late ? "late" : facts(visit.treatment.behaviour).word},
                {"processed", visit.processed},
                {"status", visit.entry == nullptr ? "" : to_string(visit.entry->status)},
                {"httpStatus", answers ? std::optional(answer.status) : std::nullopt},
                {"durationMs", answer.delay},
                {"reason", reply.refused}});
}

}  // namespace gateway::sandbox
