#include "api/sales.hpp"

#include "api/list_request.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/receipt_request.hpp"
#include "api/resolution.hpp"
#include "api/sale_answer.hpp"
#include "api/sale_history.hpp"
#include "families/receipt.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;
using http::verb;

http::Response unknown_sale(const http::Request& request) {
    return refuse(request, status::not_found, "not_found", "There is no such sale.");
}

bool not_sold(const Sale& sale) {
    return is_final(sale.status) && sale.status != Status::EFETIVADA;
}

// Returns the answer to a cancel, once as much is known as the caller waited for.
http::Response cancel_answer(const Sale& sale, const http::Request& request) {
    if (not_sold(sale)) return sale_answer(sale);
    return sale.status == Status::EFETIVADA ? sale_final_answer(sale, request) : pending_answer(sale);
}

// Returns the answer to a confirm whose sale was not final when it was asked.
http::Response confirm_answer(const Sale& sale, const http::Request& request) {
    const bool decided_otherwise = sale.reason && (sale.reason->code == ReasonCode::terminal_cancelled ||
                                                   sale.reason->code == ReasonCode::hold_expired);
    if (not_sold(sale) && decided_otherwise) return sale_final_answer(sale, request);
    return sell_answer(sale, request);
}

// Returns the answer where the sale was not told the command. One that the journal refused did nothing; one that it has
// not taken yet may still be carried out.
http::Response not_told_answer(const Sale& sale, const boost::system::error_code& why, const http::Request& request) {
    if (why == errc::commit_unknown) return perhaps_done_answer(request);
    if (why == errc::sale_unreadable) return sale_unreadable_answer(request);
    return why == errc::timed_out ? command_pending_answer(sale) : journal_unavailable_answer(request, &sale);
}

// Return the answers to a cancel and to a confirm that the sale was not told. Another gateway may have brought the sale
// to its end meanwhile, and then its status is the answer.
http::Response not_cancelled_answer(const Sale& sale, const boost::system::error_code& why,
                                    const http::Request& request) {
    return is_final(sale.status) ? cancel_answer(sale, request) : not_told_answer(sale, why, request);
}
http::Response not_confirmed_answer(const Sale& sale, const boost::system::error_code& why,
                                    const http::Request& request) {
    return is_final(sale.status) ? confirm_answer(sale, request) : not_told_answer(sale, why, request);
}

// Returns the answer where the sale that the call is about cannot be had.
http::Response no_sale_answer(const boost::system::error_code& why, const http::Request& request) {
    if (why == errc::not_found) return unknown_sale(request);
    return why == errc::commit_unknown ? in_doubt_answer(request) : refused_by_journal_answer(request, why);
}

// Tells whether a confirm has something to wait for: the sale is held, or was held until a confirm that is still under
// way.
bool confirm_decides(const Sale& sale) {
    if (sale.mode != ConfirmMode::manual) return false;
    return outcome_of(sale) == Outcome::held || sale.current().confirm_time.has_value();
}

}  // namespace

SalesApi::SalesApi(Duration settle_wait, Seller& seller, Journal& journal, const Terminals& terminals, Clock& clock,
                   Log& log)
    : settle_wait_(settle_wait), seller_(seller), journal_(journal), terminals_(terminals), clock_(clock), log_(log) {}

boost::asio::awaitable<http::Response> SalesApi::for_terminal(ScopedHandler handler, http::Request& request) {
    auto scope = scope_of(request);
    if (scope.has_error()) co_return scope.error();
    co_return co_await (this->*handler)(request, std::move(*scope));
}

boost::asio::awaitable<http::Response> SalesApi::for_people(ScopedHandler handler, http::Request& request,
                                                            Audience audience) {
    Scope scope{.audience = audience};
    auto answer = co_await (this->*handler)(request, std::move(scope));
    co_return audience == Audience::console ? without_sale(std::move(answer)) : std::move(answer);
}

ResultOrResponse<SalesApi::Scope> SalesApi::scope_of(const http::Request& request) const {
    if (auto terminal = terminals_.by_id(request.principal)) return Scope{.terminal = std::move(terminal)};
    return unknown_terminal_answer(request);
}

Instant SalesApi::wait_until(const http::Request& request, Duration otherwise) const {
    return clock_.now() + patience(request, otherwise);
}

// A sale that the caller may not see does not exist for it. Where a sale cannot be read, it is not known whose it is,
// and nothing more is said of it.
boost::asio::awaitable<SalesApi::Found> SalesApi::find(http::Request& request, Scope scope) {
    const auto id = SaleId::parse(id_text(request.parameter("id")));
    if (!id) co_return unknown_sale(request);
    auto found = co_await seller_.find(*id);
    if (found.has_error() && found.error() == errc::not_found && !scope.terminal) {
        const auto owner = co_await find_by_id_externo(id->text());
        if (owner.has_error()) co_return no_sale_answer(owner.error(), request);
        found = co_await seller_.find(*owner);
    }
    if (found.has_error()) co_return no_sale_answer(found.error(), request);
    if (scope.terminal && !scope.terminal->may_see((*found)->sale())) co_return unknown_sale(request);
    co_return std::move(*found);
}

// Returns the sale that has an attempt of that name. The errors are those of Seller::find().
boost::asio::awaitable<Result<SaleId>> SalesApi::find_by_id_externo(std::string_view text) {
    const SaleFilter filter{.id_externo = std::string(text), .limit = 1};
    const auto page = co_await journal_.list(filter);
    if (page.has_error()) co_return page.error();
    if (!page->unreadable.empty()) co_return errc::sale_unreadable;
    if (page->sales.empty()) co_return errc::not_found;
    co_return page->sales.front().id;
}

boost::asio::awaitable<void> SalesApi::until_known(LiveSale& live, Instant deadline) {
    auto known = [&] { return outcome_of(live.sale()) != Outcome::pending || seller_.hurried(); };
    co_await live.watch_until(deadline, known);
}

boost::asio::awaitable<http::Response> SalesApi::one(http::Request& request, Scope scope) {
    const auto audience = scope.audience;
    auto found = co_await find(request, std::move(scope));
    if (found.has_error()) co_return found.error();
    const auto live = *found;
    auto enough = [&] { return is_final(live->sale().status) || seller_.hurried(); };
    co_await live->watch_until(wait_until(request, Duration(0)), enough);
    if (!seller_.may_tell(*live)) co_return in_doubt_answer(request);
    co_return with_heeded_wait(sale_with_attempts_answer(live->sale(), audience), request);
}

boost::asio::awaitable<http::Response> SalesApi::list(http::Request& request, Scope scope) {
    auto filter = read_list_request(request);
    if (filter.has_error()) co_return filter.error();
    filter->estabelecimento = scope.terminal->estabelecimento;
    if (scope.terminal->families.size() < all_families.size())
        filter->among = {.families = scope.terminal->families, .or_terminal = scope.terminal->id};
    if (filter->key) filter->terminal = scope.terminal->id;  // a key means something to its own terminal only
    const auto page = co_await journal_.list(*filter);
    if (page.has_error()) co_return journal_unavailable_answer(request);
    co_return json_text_answer(sale_list_json(*page, scope.audience));
}

boost::asio::awaitable<http::Response> SalesApi::search(http::Request& request, Scope scope) {
    auto search = read_search_request(request);
    if (search.has_error()) co_return search.error();
    auto page = co_await journal_.list(search->filter);
    if (page.has_error()) co_return journal_unavailable_answer(request, nullptr, page.error());
    if (page->sales.empty() && !search->filter.after)
        if (auto wrong = co_await nobodys(request, search->filter)) co_return std::move(*wrong);
    if (!search->nsu.empty()) std::erase_if(page->sales, [&](const Sale& sale) { return !has_nsu(sale, search->nsu); });
    co_return json_text_answer(sale_list_json(*page, scope.audience));
}

// Refuses a terminal or an establishment that neither the configuration nor the journal has. It is a typing mistake,
// and an empty list would say that it sold nothing.
boost::asio::awaitable<std::optional<http::Response>> SalesApi::nobodys(const http::Request& request,
                                                                        const SaleFilter& filter) {
    const auto configured = terminals_.establishments();
    FieldErrors errors;
    const auto check = [&](std::string_view pointer, bool is_configured,
                           SaleFilter alone) -> boost::asio::awaitable<void> {
        if (is_configured) co_return;
        alone.limit = 1;
        const auto page = co_await journal_.list(alone);
        if (page.has_error() || !page->sales.empty() || !page->unreadable.empty() || page->next) co_return;
        errors.push_back({.pointer = std::string(pointer),
                          .detail = "is none of the configuration's, and no sale of the journal is of it"});
    };
    if (filter.terminal) {
        const SaleFilter alone{.terminal = filter.terminal};
        co_await check("/terminal", terminals_.by_id(*filter.terminal) != nullptr, alone);
    }
    if (filter.estabelecimento) {
        const SaleFilter alone{.estabelecimento = filter.estabelecimento};
        co_await check("/estabelecimento", std::ranges::count(configured, *filter.estabelecimento) > 0, alone);
    }
    if (errors.empty()) co_return std::nullopt;
    co_return field_errors(request, std::move(errors));
}

boost::asio::awaitable<http::Response> SalesApi::receipt(http::Request& request, Scope scope) {
    const auto wanted = read_receipt_request(request);
    if (wanted.has_error()) co_return wanted.error();
    const auto terminal = scope.terminal;
    auto found = co_await find(request, std::move(scope));
    if (found.has_error()) co_return found.error();
    const auto live = *found;
    const auto lines = receipt_of(live->sale(), wanted->paper);
    if (lines.empty()) co_return no_receipt_answer(live->sale(), request);
    std::int64_t copies = 0;
    if (request.method != verb::head) {  // a HEAD prints nothing
        const auto counted = co_await journal_.count_receipt(live->sale());
        if (counted.has_error()) co_return journal_unavailable_answer(request, &live->sale());
        copies = *counted;
    }
    co_return receipt_answer(lines, copies > 0, *wanted, terminal->printer);
}

// Answers what was bought when a person asks for it. Before anything is told, the sale's history has who asked.
boost::asio::awaitable<http::Response> SalesApi::show_receipt(http::Request& request, Scope scope) {
    if (auto wrong = no_body(request); wrong.has_error()) co_return wrong.error();
    auto found = co_await find(request, std::move(scope));
    if (found.has_error()) co_return found.error();
    const auto& sale = (*found)->sale();
    const auto lines = receipt_of(sale);
    if (lines.empty()) co_return no_receipt_answer(sale, request);
    const auto noted = co_await journal_.note_receipt(sale, request.principal);
    if (noted.has_error() && noted.error() == errc::not_found)
        co_return refuse(
            request, http::status::conflict, "not_written_down",
            "The receipt was opened so often that the sale's story has no room to say so once more. It can "
            "be printed at the till.");
    if (noted.has_error()) co_return journal_unavailable_answer(request);
    log_.info("sale.receipt_shown", "the receipt of the sale was shown to {by} at the console",
              {{"sale", sale.id},
               {"idExterno", sale.current().id_externo},
               {"request", request.request_id},
               {"by", request.principal}});
    json::array text{second_copy};
    for (const auto& line : lines)
        text.emplace_back(line);
    const json::object body{{"lines", std::move(text)}};
    co_return json_answer(body);
}

boost::asio::awaitable<http::Response> SalesApi::history(http::Request& request, Scope scope) {
    auto found = co_await find(request, scope);
    if (found.has_error()) co_return found.error();
    const auto live = *found;
    const auto id = live->sale().id;
    const auto history = co_await journal_.history(id);
    if (history.has_error()) co_return refused_by_journal_answer(request, history.error());
    auto callbacks = co_await journal_.callbacks(id);
    if (callbacks.has_error()) co_return refused_by_journal_answer(request, callbacks.error());
    if (scope.audience == Audience::console) callbacks->clear();  // they hold goods, and say whose they are
    const Context now{.now = clock_.now(), .wall = clock_.wall()};
    const Driving driving{.is_driven = seller_.live().contains(id),
                          .waits_for_journal = seller_.waits_for_journal(*live)};
    const auto passages = scope.audience == Audience::console ? Passages::folded : Passages::none;
    co_return json_text_answer(sale_history(seller_.rules(), *live, driving, now, *history, *callbacks, passages));
}

boost::asio::awaitable<http::Response> SalesApi::confirm(http::Request& request, Scope scope) {
    if (auto wrong = no_body(request); wrong.has_error()) co_return wrong.error();
    auto found = co_await find(request, std::move(scope));
    if (found.has_error()) co_return found.error();
    auto answer = co_await confirm_sale(request, std::move(*found));
    co_return with_heeded_wait(std::move(answer), request);
}

boost::asio::awaitable<http::Response> SalesApi::confirm_sale(http::Request& request, std::shared_ptr<LiveSale> live) {
    if (live->sale().status == Status::EFETIVADA) co_return sale_answer(live->sale());
    if (is_final(live->sale().status)) co_return sale_final_answer(live->sale(), request);
    const auto deadline = wait_until(request, confirm_decides(live->sale()) ? settle_wait_ : Duration(0));
    if (outcome_of(live->sale()) == Outcome::held) {
        Event command = ConfirmAsked{};
        auto told = co_await seller_.tell(live->sale().id, std::move(command), request.request_id, deadline);
        if (told.has_error() && !seller_.may_tell(*live)) co_return perhaps_done_answer(request);
        if (told.has_error()) co_return not_confirmed_answer(live->sale(), told.error(), request);
        live = std::move(*told);
    }
    co_await until_known(*live, deadline);
    if (!seller_.may_tell(*live)) co_return perhaps_done_answer(request);
    co_return confirm_answer(live->sale(), request);
}

boost::asio::awaitable<http::Response> SalesApi::cancel(http::Request& request, Scope scope) {
    if (auto wrong = no_body(request); wrong.has_error()) co_return wrong.error();
    auto found = co_await find(request, std::move(scope));
    if (found.has_error()) co_return found.error();
    auto answer = co_await cancel_sale(request, std::move(*found));
    co_return with_heeded_wait(std::move(answer), request);
}

boost::asio::awaitable<http::Response> SalesApi::cancel_sale(http::Request& request, std::shared_ptr<LiveSale> live) {
    if (is_final(live->sale().status)) co_return cancel_answer(live->sale(), request);
    if (is_by_callback(live->sale().family)) co_return not_cancellable_answer(live->sale(), request);
    const auto deadline = wait_until(request, settle_wait_);
    Event command = CancelAsked{};
    auto told = co_await seller_.tell(live->sale().id, std::move(command), request.request_id, deadline);
    if (told.has_error() && !seller_.may_tell(*live)) co_return perhaps_done_answer(request);
    if (told.has_error()) co_return not_cancelled_answer(live->sale(), told.error(), request);
    live = std::move(*told);
    co_await until_known(*live, deadline);
    if (!seller_.may_tell(*live)) co_return perhaps_done_answer(request);
    co_return cancel_answer(live->sale(), request);
}

boost::asio::awaitable<http::Response> SalesApi::cancel_key(http::Request& request, Scope scope) {
    auto key = idempotency_key(request);
    if (key.has_error()) co_return key.error();
    if (auto wrong = no_body(request); wrong.has_error()) co_return wrong.error();
    const auto deadline = wait_until(request, settle_wait_);
    auto live = co_await seller_.cancel_key(scope.terminal->id, std::move(*key), deadline);
    if (live.has_error()) {
        const bool perhaps = live.error() == errc::commit_unknown;  // the key may be cancelled now
        auto answer = perhaps ? perhaps_done_answer(request) : no_sale_answer(live.error(), request);
        co_return with_heeded_wait(std::move(answer), request);
    }
    const json::object not_sold_body{{"outcome", to_string(Outcome::not_sold)}};
    auto answer = json_answer(not_sold_body).with("Sale-Outcome", std::string(to_string(Outcome::not_sold)));
    if (*live) answer = co_await cancel_sale(request, std::move(*live));
    co_return with_heeded_wait(std::move(answer), request);
}

boost::asio::awaitable<http::Response> SalesApi::resolve(http::Request& request, Scope scope) {
    auto found = co_await find(request, scope);
    if (found.has_error()) co_return found.error();
    const auto& sale = (*found)->sale();
    auto resolved = read_resolution(request, sale);
    if (resolved.has_error()) co_return resolved.error();
    resolved->by = decided_by(request, std::move(resolved->by));
    if (sale.attention == Attention::none && !resolved->esim) co_return no_attention_answer(sale, request);
    const auto decided = resolved->status;
    if (is_final(sale.status) && decided) co_return decided_already_answer(sale, request);
    const auto deadline = clock_.now() + settle_wait_;
    auto told = co_await seller_.tell(sale.id, std::move(*resolved), request.request_id, deadline);
    if (told.has_error()) co_return not_told_answer(sale, told.error(), request);
    const auto& now = (*told)->sale();
    if (!is_final(now.status)) co_return not_resolvable_answer(now, request);
    if (decided && now.status != *decided) co_return decided_already_answer(now, request);
    co_return sale_with_attempts_answer(now, scope.audience);
}

namespace openapi {
Description get_sale() {
    return {
        .id = "getSale",
        .summary = "One sale and its attempts",
        .tag = "Sales",
        .text =
            "A terminal sees its own establishment's sales only. With `Prefer: wait=N` the answer comes when the sale "
            "is final or the wait is over.",
        .parameters = {sale_id_of_terminal, prefer},
        .answers = {sale_as_it_stands(), sale_not_found(), sale_unavailable()}};
}

Description get_sale_for_operators() {
    return {.id = "getSale",
            .summary = "One sale and its attempts",
            .tag = "Sales",
            .text = "With `Prefer: wait=N` the answer comes when the sale is final or the wait is over.",
            .parameters = {sale_id_of_operator, prefer},
            .answers = {sale_as_it_stands(), sale_not_found_for_operators(), sale_unavailable_for_operators()}};
}

Description confirm_sale() {
    return {
        .id = "confirmSale",
        .summary = "Sell what is held",
        .tag = "Sales",
        .text =
            "A terminal sees its own establishment's sales only. Asking for what is already so is a 200. A sale that "
            "is not held is answered as it stands, and at once unless the caller prefers to wait. Takes no body, or an "
            "empty JSON object.",
        .parameters = {sale_id_of_terminal, prefer},
        .body = no_fields(),
        .answers = {
            gives(200, "Sold.", a("Sale"), {{"sold"}}, sale_headers | heeded_wait), pending(), sale_refused(),
            sale_not_found(),
            refuses(409, "The sale is CANCELADA or NEGADA, which never changes.",
                    {{"sale_final", "The sale is CANCELADA, which never changes.", with_sale, about_sale(lost_sale)}},
                    sale_headers | heeded_wait),
            sale_cancelled(),
            refuses(
                503,
                "The sale could not be sold because the provider would not take it; or the journal cannot be written "
                "now, or its record of this sale cannot be read, and this call did nothing. With the outcome `pending` "
                "and no sale the call may be carried out, and several gateways' database cannot say so yet.",
                {{"provider_unavailable", "", perhaps_with_sale},
                 perhaps_done(),
                 {"journal_unavailable", std::string(journal_not_written), perhaps_with_sale, about_sale(held_sale)},
                 {"sale_unreadable"}},
                sale_headers | retry_after | heeded_wait),
            answer_lost()}};
}

Description cancel_sale() {
    return {.id = "cancelSale",
            .summary = "Do not sell it",
            .tag = "Sales",
            .text =
                "A terminal sees its own establishment's sales only. Asking for what is already so is a 200. Takes no "
                "body, or an empty JSON object.",
            .parameters = {sale_id_of_terminal, prefer},
            .body = no_fields(),
            .answers = {gives(200, "It is not sold and never will be.", a("Sale"), {{"cancelled", withdrawn_sale}},
                              sale_headers | heeded_wait),
                        pending(), sale_not_found(), not_cancelled(), command_unavailable()}};
}

}  // namespace openapi

}  // namespace gateway
