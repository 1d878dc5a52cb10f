#include "law/sale_class.hpp"

#include <fmt/format.h>

namespace gateway::law {
namespace {

using namespace std::chrono_literals;

// A pause or a deadline that has come came so long ago.
constexpr Duration a_while = 10s;
// A moment that is so far ahead is beyond every boundary of the rules.
constexpr Duration long_time = 10h;

Instant moment(Moment when, Duration near, Duration since) {
    switch (when) {
        case Moment::come: return now - since;
        case Moment::near: return now + near;
        case Moment::far: return now + long_time;
        case Moment::never: return never;
    }
    return never;
}

Moment class_of_moment(Instant when, Duration near) {
    if (when == never) return Moment::never;
    if (when <= now) return Moment::come;
    return when < now + near ? Moment::near : Moment::far;
}

// So much time must be left before a deadline for a question and the exchange that follows it.
Duration time_to_ask(const Rules& rules) {
    return 2 * rules.attempt_time;
}

Instant patience_until(Patience patience, const Rules& rules) {
    switch (patience) {
        case Patience::over: return Instant::min();
        case Patience::just: return now + rules.attempt_time;
        case Patience::near: return now + 2 * rules.attempt_time;
        case Patience::far: return now + long_time;
    }
    return now;
}

Patience class_of_patience(Instant until, const Rules& rules) {
    if (until < now + rules.attempt_time) return Patience::over;
    if (until == now + rules.attempt_time) return Patience::just;
    return until < now + rules.attempt_time + time_to_ask(rules) ? Patience::near : Patience::far;
}

// The terminal's patience bounds a retraction, so the two go on together.
Moment end_of_retraction(Patience patience) {
    switch (patience) {
        case Patience::over:
        case Patience::just: return Moment::come;
        case Patience::near: return Moment::near;
        case Patience::far: return Moment::far;
    }
    return Moment::come;
}

Why class_of_reason(const std::optional<Reason>& reason) {
    if (!reason) return Why::none;
    return reason->code == ReasonCode::by_operator ? Why::by_operator : Why::other;
}

Facts class_of_facts(const std::optional<EsimDetails>& details) {
    if (!details) return Facts::none;
    return recharge_failed(*details) ? Facts::url_and_failed_recharge : Facts::url;
}

bool reads_nearness_of_deadline(AttemptState state) {
    return state == AttemptState::confirming || state == AttemptState::retracting;
}

Attempt example_of(const AttemptClass& of, const Rules& rules, std::size_t number, CameFirst first) {
    Attempt attempt{.id_externo = IdExterno(Ulid::first_at(wall + number * 1s)), .state = of.state};
    attempt.created_at = wall;
    if (of.has_id_transacao) attempt.id_transacao = "T";
    if (of.has_confirm_time) attempt.confirm_time = wall;
    if (of.has_cancel_time) attempt.cancel_time = wall;
    attempt.deadline = moment(of.deadline, time_to_ask(rules) / 2, a_while);
    attempt.attention_at =
        moment(of.attention_at, rules.attention_after / 4, first == CameFirst::attention ? 2 * a_while : a_while / 2);
    attempt.next_try = of.waits ? now + 1ms : now - a_while;
    attempt.tries = of.tried ? 1 : 0;
    attempt.renewed = of.renewed;
    attempt.turn = of.confirms_next ? Step::confirmar : Step::cancelar;
    attempt.ask = of.ask;
    attempt.deadline_is_certain = of.deadline_is_certain;
    return attempt;
}

AttemptClass class_of(const Attempt& attempt, const Rules& rules) {
    AttemptClass found{.state = attempt.state,
                       .has_id_transacao = !attempt.id_transacao.empty(),
                       .has_confirm_time = attempt.confirm_time.has_value(),
                       .has_cancel_time = attempt.cancel_time.has_value()};
    if (is_settled(attempt.state))
        return found;  // every way from here begins with Decision::move(), which sets the rest
    found.deadline = class_of_moment(attempt.deadline, time_to_ask(rules));
    if (found.deadline == Moment::far && !reads_nearness_of_deadline(attempt.state)) found.deadline = Moment::near;
    found.attention_at = class_of_moment(attempt.attention_at, rules.attention_after / 2 + 1ms);
    if (found.attention_at == Moment::far && attempt.state != AttemptState::awaiting) found.attention_at = Moment::near;
    found.waits = attempt.next_try > now;
    found.tried = attempt.tries > 0;
    found.renewed = attempt.renewed;
    found.confirms_next = attempt.state == AttemptState::disputing && attempt.turn == Step::confirmar;
    found.ask = attempt.ask;
    found.deadline_is_certain = attempt.deadline_is_certain;
    return found;
}

Moment nearer(Moment when) {
    return when == Moment::far ? Moment::near : Moment::come;
}

bool is_ahead(Moment when) {
    return when == Moment::near || when == Moment::far;
}

std::string_view in_words(Moment when) {
    switch (when) {
        case Moment::come: return "come";
        case Moment::near: return "near";
        case Moment::far: return "far";
        case Moment::never: return "never";
    }
    return "never";
}

std::string in_words(const AttemptClass& attempt) {
    std::string words(to_string(attempt.state));
    const auto add = [&words](bool is_so, std::string_view what) {
        if (is_so) words.append(" ").append(what);
    };
    add(attempt.has_id_transacao, "id");
    add(attempt.has_confirm_time, "confirm_time");
    add(attempt.has_cancel_time, "cancel_time");
    if (attempt.deadline != Moment::never) words += fmt::format(" deadline:{}", in_words(attempt.deadline));
    if (attempt.attention_at != Moment::never) words += fmt::format(" attention:{}", in_words(attempt.attention_at));
    add(attempt.waits, "waits");
    add(attempt.tried, "tried");
    add(attempt.renewed, "renewed");
    add(attempt.confirms_next, "confirms_next");
    add(attempt.ask, "ask");
    add(attempt.deadline_is_certain, "certain");
    return words;
}

}  // namespace

EsimDetails details_of(Facts facts) {
    if (facts == Facts::none) return {};
    return {.uuid = "u",
            .msisdn = Secret("m"),
            .url = Secret("u"),
            .situacao_recarga = facts == Facts::url_and_failed_recharge ? "FALHA" : "SUCESSO"};
}

Sale example_of(const SaleClass& of, const Rules& rules, Family family, ConfirmMode mode, CameFirst first) {
    Sale sale{.id = SaleId(Ulid::first_at(wall)), .family = family, .mode = mode, .valor = Cents{1099}};
    sale.created_at = wall;
    sale.status = of.status;
    sale.settled = of.settled;
    sale.attention = of.attention;
    if (of.reason != Why::none) sale.reason = Reason{};
    if (of.reason == Why::by_operator) sale.reason->code = ReasonCode::by_operator;
    if (of.has_goods) sale.details.instrucao = Secret("goods");
    if (of.facts != Facts::none) sale.esim = details_of(of.facts);
    sale.patience = patience_until(of.patience, rules);
    for (const auto& attempt : of.attempts) {
        sale.attempts.push_back(example_of(attempt, rules, sale.attempts.size(), first));
        if (attempt.state == AttemptState::retracting)
            sale.attempts.back().deadline = moment(attempt.deadline, rules.attempt_time, Duration(0));
    }
    return sale;
}

SaleClass class_of(const Sale& sale, const Rules& rules) {
    SaleClass found{.status = sale.status,
                    .settled = sale.settled,
                    .attention = sale.attention,
                    .reason = class_of_reason(sale.reason),
                    .has_goods = !sale.details.instrucao.empty(),
                    .facts = class_of_facts(sale.esim),
                    .patience = class_of_patience(sale.patience, rules),
                    .attempts = {}};
    // Only a sale that is not final may get another attempt.
    if (is_final(sale.status)) found.patience = Patience::over;
    for (const auto& attempt : sale.attempts)
        found.attempts.push_back(class_of(attempt, rules));
    return found;
}

std::vector<SaleClass> when_time_goes_on(const SaleClass& from) {
    std::vector<SaleClass> later;
    for (std::size_t i = 0; i < from.attempts.size(); ++i) {
        const auto& attempt = from.attempts[i];
        if (attempt.waits) later.emplace_back(from).attempts[i].waits = false;
        if (is_ahead(attempt.deadline) && attempt.state != AttemptState::retracting)
            later.emplace_back(from).attempts[i].deadline = nearer(attempt.deadline);
        if (is_ahead(attempt.attention_at))
            later.emplace_back(from).attempts[i].attention_at = nearer(attempt.attention_at);
    }
    if (from.patience == Patience::over) return later;
    auto& less = later.emplace_back(from);
    less.patience = static_cast<Patience>(static_cast<int>(from.patience) - 1);
    for (auto& attempt : less.attempts)
        if (attempt.state == AttemptState::retracting) attempt.deadline = end_of_retraction(less.patience);
    return later;
}

SaleClass from_the_journal(SaleClass sale) {
    for (auto& attempt : sale.attempts)
        attempt.waits = attempt.tried = attempt.renewed = attempt.confirms_next = attempt.ask = false;
    return sale;
}

SaleClass after_restart(const SaleClass& sale, Restart how) {
    auto left = from_the_journal(sale);
    left.patience = Patience::over;
    for (auto& attempt : left.attempts) {
        attempt.deadline_is_certain = attempt.deadline_is_certain && how == Restart::program;
        if (how == Restart::machine_ahead && is_ahead(attempt.deadline)) attempt.deadline = Moment::come;
        if (how == Restart::machine_ahead && is_ahead(attempt.attention_at)) attempt.attention_at = Moment::come;
        if (attempt.state == AttemptState::retracting) attempt.deadline = end_of_retraction(left.patience);
    }
    return left;
}

std::string in_words(const SaleClass& sale) {
    std::string words = fmt::format("{}{}", to_string(sale.status), sale.settled ? ", settled" : "");
    if (sale.attention != Attention::none) words += fmt::format(", {}!", to_string(sale.attention));
    if (sale.patience == Patience::over && !is_final(sale.status)) words += ", nobody waits";
    for (const auto& attempt : sale.attempts)
        words += fmt::format(" | {}", in_words(attempt));
    return words;
}

}  // namespace gateway::law
