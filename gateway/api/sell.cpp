#include "api/sell.hpp"

#include "api/openapi/shared.hpp"
#include "api/sale_answer.hpp"
#include "api/sale_json.hpp"
#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;

// A body takes less than this as values: several times what that of an eSIM, the largest, takes. What needs more finds
// it on the heap.
constexpr std::size_t body_bytes = 8192;

// These fields are the gateway's own business. Where a terminal sends one, it is named as such instead of merely
// unknown.
constexpr std::array gateways_own{"idExterno", "dataHoraCliente", "idTransacao"};

std::optional<Family> read_family(FieldReader& reader) {
    const auto text = reader.take("family");
    const auto family = text && text->is_string() ? parse_family(std::string_view(text->get_string())) : std::nullopt;
    if (!family) reader.fail("family", "must be one of " + family_names());
    return family;
}

ConfirmMode read_mode(FieldReader& reader) {
    const auto value = reader.take("confirm");
    if (!value) return ConfirmMode::automatic;
    const auto mode = value->is_string() ? parse_confirm_mode(std::string_view(value->get_string())) : std::nullopt;
    if (!mode) reader.fail("confirm", "must be \"auto\" or \"manual\"");
    return mode.value_or(ConfirmMode::automatic);
}

// Reads what says nothing of which sale it is, and takes it off the body before the rest of that is compared with
// anything.
void read_aside(FieldReader& reader, SellOrder& sell) {
    if (reader.has("cashier")) sell.cashier = reader.text_that("cashier", is_name, name_in_words);
    const auto repeat = reader.take("repeat");
    if (!repeat) return;
    if (!repeat->is_bool()) reader.fail("repeat", "must be true or false");
    sell.repeat = repeat->is_bool() && repeat->get_bool();
}

void check_mode(FieldReader& reader, const Order& order, const Rules& rules) {
    if (order.mode == ConfirmMode::automatic) return;
    if (is_by_callback(order.family))
        reader.fail("confirm",
                    fmt::format("must be \"auto\" for {}: its sales have no confirm step", to_string(order.family)));
    else if (!rules.cancellable(order.family))
        reader.fail("confirm", "must be \"auto\" for this family: the provider has no way to cancel a held sale");
}

void refuse_what_is_left(const json::object& body, FieldErrors& errors) {
    for (const auto& field : body) {
        const bool own = std::find(gateways_own.begin(), gateways_own.end(), field.key()) != gateways_own.end();
        errors.push_back({.pointer = pointer_to("", field.key()),
                          .detail = own ? "is the gateway's business and must not be sent"
                                        : "is not a field of this family's sell"});
    }
}

http::Response too_fast(const http::Request& request) {
    return refuse(request, status::too_many_requests, "rate_limited",
                  "This terminal sells faster than it may. Slow down.")
        .with("Retry-After", "1");
}

// Returns what the provider has to be asked before the order can be sold, if anything.
std::optional<OptionsQuestion> question_of(const SellOrder& asked) {
    auto question = rules_of(asked.order.family).question_for(asked.order);
    if (question) question->estabelecimento = asked.order.estabelecimento;
    return question;
}

http::Response key_reused_answer(const http::Request& request, const SellResult& result) {
    http::Problem problem{.status = status::unprocessable_entity,
                          .code = "idempotency_key_reused",
                          .detail =
                              "This Idempotency-Key belongs to a sale of another order. To repeat that sale, send "
                              "its body unchanged; a new key is for another sale only."};
    for (const auto& field : result.differing)
        problem.errors.push_back(
            {.pointer = pointer_to("", field), .detail = "is not what the sale with this key has"});
    problem.extensions["existing"] = existing_sale(result.sale->sale());
    return http::to_response(problem, request);
}

// Says how long ago it was, as a cashier says it.
std::string moment_of(const SellResult& result, WallTime now) {
    if (!result.sale) return "a moment ago";
    const auto ago = std::chrono::floor<std::chrono::seconds>(now - result.sale->sale().created_at).count();
    return fmt::format("{} seconds ago", std::max<std::int64_t>(ago, 0));
}

http::Response possible_duplicate_answer(const http::Request& request, const SellResult& result, WallTime now) {
    http::Problem problem{
        .status = status::conflict,
        .code = "possible_duplicate",
        .detail = fmt::format("This establishment began to sell the same {}, so nothing was begun. To "
                              "sell it once more, send this call again with \"repeat\": true; the "
                              "Idempotency-Key is still free.",
                              moment_of(result, now))};
    if (result.sale) problem.extensions["existing"] = existing_sale(result.sale->sale());
    return http::to_response(problem, request);
}

http::Response refusal_answer(const http::Request& request, const SellResult& result, WallTime now) {
    switch (result.refusal) {
        case SellRefusal::key_reused: return key_reused_answer(request, result);
        case SellRefusal::key_cancelled: {
            http::Problem problem{.status = status::conflict,
                                  .code = "sale_final",
                                  .detail = "This Idempotency-Key was cancelled before; nothing is sold with it."};
            problem.extensions["outcome"] = to_string(Outcome::not_sold);
            return http::to_response(problem, request).with("Sale-Outcome", std::string(to_string(Outcome::not_sold)));
        }
        case SellRefusal::possible_duplicate: return possible_duplicate_answer(request, result, now);
        case SellRefusal::card_busy:
            return refuse(request, status::service_unavailable, "overloaded",
                          "Another sale of this card is still under way. Nothing was sent; try again soon.")
                .with("Retry-After", "2");
        case SellRefusal::overloaded:
            return refuse(request, status::service_unavailable, "overloaded",
                          "Too many sales are under way. Nothing was sent; try again soon.")
                .with("Retry-After", "2");
        case SellRefusal::shutting_down: return shutting_down_answer(request);
        case SellRefusal::in_doubt: return result.replayed ? in_doubt_answer(request) : perhaps_done_answer(request);
        case SellRefusal::sale_unreadable: return sale_unreadable_answer(request);
        case SellRefusal::journal_unavailable:
        case SellRefusal::none: break;
    }
    return journal_unavailable_answer(request);
}

}  // namespace

SellApi::SellApi(SellApiOptions options, const Rules& rules, Seller& seller, OptionsCache& cache,
                 const Terminals& terminals, Clock& clock)
    : options_(options), rules_(rules), seller_(seller), cache_(cache), terminals_(terminals), clock_(clock) {}

// The frame of this coroutine lives as long as the terminal waits, so what is needed only to begin a sale is in another
// one.
boost::asio::awaitable<http::Response> SellApi::sell(http::Request& request) {
    const auto deadline = clock_.now() + patience(request, options_.sell_wait);
    auto sold = co_await begin(request, deadline);
    if (sold.has_error()) co_return std::move(sold.error());
    auto answered = co_await answer(request, std::move(*sold), deadline);
    co_return with_heeded_wait(std::move(answered), request);
}

boost::asio::awaitable<ResultOrResponse<SellResult>> SellApi::begin(http::Request& request, Instant deadline) {
    const auto terminal = terminals_.by_id(request.principal);
    if (!terminal) co_return unknown_terminal_answer(request);
    auto key = idempotency_key(request);
    if (key.has_error()) co_return key.error();
    SellOrder order;
    order.terminal = terminal->id;
    order.key = std::move(*key);
    order.request_id = request.request_id;
    order.hammers = request.hammers();
    order.patience = deadline;
    // What may be sold, and by whom, can have changed since the key was used.
    if (auto refusal = read(request, *terminal, order)) {
        if (order.digest.empty()) co_return std::move(*refusal);
        co_return co_await unless_known(order, std::move(*refusal));
    }

    // A known key is answered before the provider is asked for anything. Where it is not looked for here, the journal
    // tells of it in the step that begins the sale, and what was taken of the terminal's rate is given back.
    auto question = question_of(order);
    if (question && !cache_.knows(*question)) {
        auto found = co_await seller_.find_sold(order);
        if (found.has_error()) co_return journal_unavailable_answer(request);
        if (*found) co_return std::move(**found);
    }
    auto& rate = rate_of(terminal->id);
    if (!rate.take(clock_.now())) co_return co_await unless_known(order, too_fast(request));
    FieldErrors errors;
    if (question) errors = co_await compare_with_offer(order, std::move(*question), deadline);
    if (!errors.empty()) {
        auto known = co_await unless_known(order, field_errors(request, std::move(errors)));
        if (known.has_value()) rate.give_back();
        co_return known;
    }
    auto sold = co_await seller_.sell(std::move(order));
    if (sold.key_was_known()) rate.give_back();
    co_return sold;
}

std::optional<http::Response> SellApi::read(http::Request& request, const Terminal& terminal, SellOrder& sell) const {
    std::array<unsigned char, body_bytes> bytes;
    json::monotonic_resource memory(bytes.data(), bytes.size());
    auto parsed = json_object_body(request, &memory);
    if (parsed.has_error()) return parsed.error();
    auto& body = *parsed;
    request.body.clear();  // it has been read, and a sale may be waited for long
    request.body.shrink_to_fit();

    FieldErrors errors;
    FieldReader reader(body, errors);
    read_aside(reader, sell);
    sell.digest = sha256_hex(canonical_json(body));
    auto& order = sell.order;
    const auto family = read_family(reader);
    order.mode = read_mode(reader);
    order.produto = reader.text("produto");
    sell.names_estabelecimento = reader.has("estabelecimento");
    order.estabelecimento = reader.optional_text("estabelecimento").value_or(terminal.estabelecimento);
    if (family) {  // without a family it is not known which other fields there are
        order.family = *family;
        check_mode(reader, order, rules_);
        rules_of(*family).read(body, order, errors);
        refuse_what_is_left(body, errors);
    }
    if (!errors.empty()) return field_errors(request, std::move(errors));
    if (!terminal.may_sell(order.family))
        return refuse(request, status::forbidden, "forbidden", "This terminal may not sell this family.");
    if (order.estabelecimento != terminal.estabelecimento)
        return refuse(request, status::forbidden, "forbidden", "This terminal may not sell for this establishment.");
    return std::nullopt;
}

// Refuses what would be a new sale. A key that has led to a sale is answered with that sale instead.
boost::asio::awaitable<ResultOrResponse<SellResult>> SellApi::unless_known(const SellOrder& order,
                                                                           http::Response refusal) {
    auto found = co_await seller_.find_sold(order);
    if (found.has_error() || !*found) co_return std::move(refusal);
    co_return std::move(**found);
}

// Finds what departs from what the provider offers. Where the provider cannot be asked, or not within half of the
// terminal's wait, the sale goes on unchecked, because the provider has the last word.
boost::asio::awaitable<FieldErrors> SellApi::compare_with_offer(SellOrder& asked, OptionsQuestion question,
                                                                Instant deadline) {
    const auto now = clock_.now();
    const auto said = co_await cache_.ask(std::move(question), asked.request_id, now + (deadline - now) / 2);
    if (said.has_error()) co_return FieldErrors{};
    const auto& order = asked.order;
    const auto& family = rules_of(order.family);
    asked.redemption = family.redemption_of(order, said->fetched->options);
    if (said->stale) co_return FieldErrors{};  // it tells how to use what is bought, not what that costs now
    co_return family.check_bounds(order, said->fetched->options);
}

boost::asio::awaitable<http::Response> SellApi::answer(http::Request& request, SellResult sold, Instant deadline) {
    if (sold.refusal != SellRefusal::none) co_return refusal_answer(request, sold, clock_.wall());
    const auto live = std::move(sold.sale);
    // The callback may take longer than anybody stands at a counter.
    auto enough = [&] {
        const auto& sale = live->sale();
        return outcome_of(sale) != Outcome::pending || sale.current().state == AttemptState::awaiting ||
               seller_.hurried();
    };
    co_await live->watch_until(deadline, enough);
    if (!seller_.may_tell(*live)) co_return sold.replayed ? in_doubt_answer(request) : perhaps_done_answer(request);
    auto response = sell_answer(live->sale(), request);
    if (sold.replayed) response.with("Idempotency-Replayed", "true");
    co_return response;
}

RateLimiter& SellApi::rate_of(const std::string& terminal) {
    return rates_.try_emplace(terminal, options_.per_terminal_rate, clock_.now()).first->second;
}

namespace openapi {
namespace {

// These are what the problems of a sell come with, where that is not one of the usual things.
constexpr std::string_view ended_without_a_sale =
    R"("properties":{"sale":false,"outcome":{"const":"not_sold"},"existing":false},"required":["outcome"])";

constexpr std::string_view of_another_sale = R"("properties":{"sale":false,"outcome":false},"required":["existing"])";

constexpr std::string_view perhaps_pending = R"("properties":{"sale":false,"outcome":{"const":"pending"}})";

Refusal no_key() {
    return {"missing_idempotency_key",
            "The header Idempotency-Key is missing: send one that is different for every sale."};
}

Answer key_cancelled_or_duplicate() {
    return refuses(
        409,
        "The key was cancelled before this sell came: nothing is sold with it, ever. Or, where the store looks "
        "for duplicates: the same product was sold here for the same amount, to the same card or cpf, a moment "
        "ago, or is being sold, in the sale that `existing` names (unless its record is damaged). Then nothing "
        "was begun, and the same call with `repeat` true sells.",
        {{"sale_final", "This Idempotency-Key was cancelled before; nothing is sold with it.", ended_without_a_sale,
          R"({"outcome":"not_sold"})"},
         {"possible_duplicate",
          R"(This establishment began to sell the same 40 seconds ago,)"
          R"( so nothing was begun. To sell it once more, send this call again with "repeat": true; the Idempotency-Key is still free.)",
          alone, R"({"existing":{}})"}},
        sale_headers | heeded_wait);
}

Answer nothing_sold() {
    return refuses(503,
                   "Nothing was sold, or nothing was sent. With a sale, try again with a new key; without, with the "
                   "same one. With the outcome `pending` and no sale the call may have begun the sale, and several "
                   "gateways' database cannot say so yet: ask again with the same key; it is no news of a sale that "
                   "the terminal was told of before. `sale_unreadable`: the key belongs to a sale whose record in the "
                   "journal is damaged; nothing is said of that sale, and nothing else is sold with its key, until "
                   "the operator has put the record right.",
                   {{"provider_unavailable",
                     "The provider could not be reached or would not take it (the provider could not be reached). "
                     "Nothing was sold; try again with a new key.",
                     with_sale, about_sale(unsent_sale)},
                    perhaps_done(perhaps_pending),
                    {"journal_unavailable", std::string(journal_not_written), perhaps_pending},
                    unreadable_sale(),
                    {"overloaded", "Too many sales are under way. Nothing was sent; try again soon."},
                    {"shutting_down", "The gateway is stopping, so it did nothing. Try again soon."}},
                   sale_headers | retry_after | replayed | heeded_wait);
}

}  // namespace

Description sell() {
    return {
        .id = "sell",
        .summary = "Sell",
        .tag = "Selling",
        .text = "The sale outlives the call: a lost answer is asked for again with the same key and the same body.",
        .parameters = {idempotency_key_parameter, prefer},
        .body = takes(a("Sell"), sell_examples()),
        .answers = {
            gives(200,
                  "Sold, or held (`AUTORIZADA`). A held sale that its terminal cancelled, or that expired, is repeated "
                  "as `CANCELADA`.",
                  a("Sale"), {{"sold"}, {"held", held_sale}}, sale_headers | replayed | heeded_wait),
            gives(202, "The wait ran out, or the outcome comes later (eSIM).", a("Sale"), {{"pending", pending_sale}},
                  sale_headers | location | retry_after | replayed | heeded_wait),
            refuses(400, "The Idempotency-Key is missing or wrong, or the body is not what the call takes.",
                    {{"invalid_json"}, no_key(), {"invalid_idempotency_key"}, {"bad_request"}}),
            replayable(sale_refused()), forbidden(), key_cancelled_or_duplicate(), not_declared_as_json(),
            refuses(
                422,
                "Field errors, or the key of a sale of another order: `existing` names that sale and `errors` the "
                "fields that differ. A repeat is sent unchanged; a new key is for another sale only.",
                {invalid("valor",
                         "must be a whole number of cents from 1 to 99999999, as a JSON integer or a string of digits"),
                 {"idempotency_key_reused",
                  "This Idempotency-Key belongs to a sale of another order. To repeat that sale, send its body "
                  "unchanged; a new key is for another sale only.",
                  of_another_sale,
                  R"({"errors":[{"pointer":"/valor","detail":"is not what the sale with this key has"}],
        "existing":{}})"}},
                heeded_wait),
            refuses(429,
                    "This terminal sells faster than it may; a known Idempotency-Key is answered all the same. Or too "
                    "many wrong terminal keys came from this address.",
                    {{"rate_limited", "This terminal sells faster than it may. Slow down."}}, retry_after),
            replayable(sale_cancelled()), nothing_sold(), replayable(answer_lost())}};
}

Description cancel_key() {
    return {.id = "cancelKey",
            .summary = "Whatever became of a sell, it shall not be sold",
            .tag = "Selling",
            .text =
                "For a terminal that does not know what became of its sell. A key never seen is remembered, and a sell "
                "that arrives later with it sells nothing. Takes no body, or an empty JSON object.",
            .parameters = {idempotency_key_parameter, prefer},
            .body = no_fields(),
            .answers = {gives(200, "It is not sold and never will be.", either("Sale", "NotSold"),
                              {whole("unknownKey", R"({"outcome":"not_sold"})"), {"cancelled", withdrawn_sale}},
                              sale_headers | heeded_wait),
                        pending(),
                        refuses(400, "The Idempotency-Key is missing or wrong, or the body is not what the call takes.",
                                {no_key(), {"invalid_idempotency_key"}, {"bad_request"}}),
                        not_cancelled(), command_unavailable()}};
}

}  // namespace openapi

}  // namespace gateway
