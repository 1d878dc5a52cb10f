#include "law/world.hpp"

#include "base/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::law {
namespace {

using Kind = Happening::Kind;

constexpr std::array<std::pair<std::uint8_t, Step>, 3> strays{{{Place::stray_request, Step::solicitar},
                                                               {Place::stray_confirm, Step::confirmar},
                                                               {Place::stray_cancel, Step::cancelar}}};

// A status that is lost in the network changes nothing.
std::uint8_t stray_of(Step step) {
    for (const auto& [message, of] : strays)
        if (of == step) return message;
    return 0;
}

std::uint8_t packed(const Said& said) {
    return static_cast<std::uint8_t>(1 + static_cast<int>(said.verdict) + (said.without_status ? 16 : 0) +
                                     (said.with_goods ? 32 : 0));
}
Said unpacked(std::uint8_t answer) {
    return {.verdict = static_cast<Verdict>((answer & 15) - 1),
            .without_status = (answer & 16) != 0,
            .with_goods = (answer & 32) != 0};
}

Happening answered(Step step, const Said& said) {
    return {.kind = Kind::answered, .step = step, .said = said};
}

constexpr Said nothing_usable{.verdict = Verdict::unknown};

// A wait for a late arrival ends when the request can no longer arrive, if no clock was set that may have cut it short.
bool outlives_its_wait(const AttemptClass& before, const AttemptClass& after, const Place& place) {
    const bool ends =
        before.state == AttemptState::lingering && before.deadline != Moment::come && after.deadline == Moment::come;
    return ends && before.deadline_is_certain && place.has(Place::stray_request) && !place.has(Place::untold);
}

// No message moves what is over at the provider.
void forget_what_has_no_effect(World& world) {
    for (auto& place : world.places)
        if (is_over(place.book)) place.messages &= Place::paused | Place::untold;
}

}  // namespace

std::string in_words(const Move& move) {
    std::string words = fmt::format("{} (attempt {})", move.what, move.attempt + 1);
    if (move.step) words += fmt::format(": {}", to_string(*move.step));
    if (move.said) words += fmt::format(", {}", in_words(*move.said));
    if (move.happening) words += fmt::format(": {}", in_words(*move.happening));
    return words;
}

std::string in_words(const World& world, const CompiledLaw& law) {
    const auto& sale = law[world.sale];
    std::string words = in_words(sale);
    for (std::size_t i = 0; i < sale.attempts.size(); ++i) {
        const auto& place = world.places[i];
        words += fmt::format(" || provider: {}", to_string(place.book));
        if (place.under_way()) words += fmt::format(", {} under way", to_string(place.step()));
        if (place.answer != 0) words += fmt::format(", answered {}", in_words(unpacked(place.answer)));
        for (const auto& [message, step] : strays)
            if (place.has(message)) words += fmt::format(", a late {}", to_string(step));
        if (place.has(Place::paused)) words += ", a paused gateway";
        if (place.has(Place::untold)) words += ", a late request untold";
    }
    return words;
}

std::vector<World> Moves::beginnings() {
    if (!configuration_.restored) return {World{.sale = law_.number_of(SaleClass{})}};
    std::vector<World> all;
    for (const bool has_id : {false, true})
        for (const auto book : {Book::none, Book::autorizada, Book::efetivada, Book::cancelada, Book::negada})
            for (std::uint8_t messages = 0; messages < 8; ++messages) {
                const bool was_authorised = book != Book::none && book != Book::negada;
                if (has_id && (!was_authorised || (messages & Place::stray_request) != 0)) continue;
                SaleClass sale{.status = Status::AUTORIZADA,
                               .attention = Attention::restored,
                               .reason = Why::other,
                               .patience = Patience::over};
                auto& attempt = sale.attempts.front();
                attempt.state = AttemptState::disputing;
                attempt.has_id_transacao = has_id;
                attempt.has_cancel_time = true;
                World world{.sale = law_.number_of(sale)};
                world.places.front().book = book;
                world.places.front().messages = messages;
                all.push_back(with_lost(world, true));
            }
    return all;
}

void Moves::each(const World& world, const Visit& visit) {
    const Visit forgetting = [&visit](World next, const Move& move) {
        forget_what_has_no_effect(next);
        visit(next, move);
    };
    visit_ = &forgetting;
    for (std::size_t i = 0; i < sale(world).attempts.size(); ++i) {
        of_exchange(world, i);
        of_network(world, i);
        of_provider(world, i);
        of_other_gateway(world, i);
    }
    of_people(world);
    of_failures(world);
    of_time(world);
}

void Moves::decide(World world, std::size_t i, Move move) {
    move.attempt = i;
    try {
        world.sale = law_.decided(world.sale, i, *move.happening);
    } catch (const Broken& broken) {
        throw Broken(fmt::format("{}\n        by this: {}", broken.what(), in_words(move)));
    }
    if (sale(world).attempts.size() > most_attempts) throw Broken("the number of attempts is bounded");
    (*visit_)(world, move);
}

void Moves::answer(World world, std::size_t i, const Move& move) {
    world.places[i].exchange = 0;
    world.places[i].answer = 0;
    decide(world, i, move);
}

// The driver begins what the law asks for, or hands in that the time has come.
void Moves::begin(const World& world, std::size_t i) {
    for (const auto& step : law_.due(world.sale, i)) {
        if (!step) {
            decide(world, i, {.what = "the driver looks", .happening = Happening{.kind = Kind::elapsed}});
            continue;
        }
        auto next = world;
        auto& place = next.places[i];
        const bool is_first = place.book == Book::none && !place.has(Place::stray_request | Place::paused);
        if (*step == Step::solicitar && !is_first) throw Broken("4: no idExterno is used for two requests");
        place.exchange = static_cast<std::uint8_t>(1 + static_cast<int>(*step));
        (*visit_)(next, {.what = "an exchange begins", .attempt = i, .step = step});
    }
}

void Moves::of_exchange(const World& world, std::size_t i) {
    const auto& place = world.places[i];
    if (!place.under_way()) return begin(world, i);
    const auto step = place.step();
    if (place.answer != 0) {
        answer(world, i, {.what = "the answer comes", .happening = answered(step, unpacked(place.answer))});
        const bool has_said = unpacked(place.answer) != nothing_usable;
        if (has_said)
            answer(world, i,
                   {.what = "the answer is lost", .calm = false, .happening = answered(step, nothing_usable)});
        return;
    }
    const auto& rules = configuration_.terms.rules;
    for (const auto& said : unprocessed(step, rules.trusts_cancel_4xx))
        answer(world, i, {.what = "it is not processed", .calm = false, .happening = answered(step, said)});
    if (step == Step::consultar) return;
    auto late = world;
    late.places[i].messages |= stray_of(step);
    answer(late, i, {.what = "it stays in the network", .calm = false, .happening = answered(step, nothing_usable)});
}

void Moves::arrive(const World& world, std::size_t i, Step step, std::uint8_t message) {
    const auto& provider = configuration_.provider;
    for (const auto& reaction : reactions(provider, configuration_.terms.family, step, world.places[i].book)) {
        auto next = world;
        auto& place = next.places[i];
        place.book = reaction.book;
        if (message == 0) {
            place.answer = packed(reaction.said);
            (*visit_)(
                next,
                {.what = "it arrives", .attempt = i, .calm = reaction.usual, .step = step, .said = reaction.said});
        } else if (place.book != world.places[i].book) {
            // Several copies of a confirm or a cancel may be in the network, but a request is sent once only.
            if (step == Step::solicitar) place.messages &= static_cast<std::uint8_t>(~message);
            (*visit_)(next, {.what = "a late message arrives", .attempt = i, .step = step});
        }
    }
}

void Moves::of_network(const World& world, std::size_t i) {
    const auto& place = world.places[i];
    if (place.under_way() && place.answer == 0) arrive(world, i, place.step(), 0);
    for (const auto& [message, step] : strays) {
        if (!place.has(message)) continue;
        arrive(world, i, step, message);
        auto lost = world;
        lost.places[i].messages &= static_cast<std::uint8_t>(~message);
        (*visit_)(lost, {.what = "a late message is no more", .attempt = i, .step = step});
    }
}

// An eSIM is decided by the provider alone, which tells the address that its request named.
void Moves::of_provider(const World& world, std::size_t i) {
    const auto& place = world.places[i];
    const auto& provider = configuration_.provider;
    if (!is_by_callback(configuration_.terms.family) || place.book == Book::none) return;
    const auto call_back = [&](Status status, bool calm) {
        for (const auto facts : {Facts::url, Facts::url_and_failed_recharge})
            decide(world, i,
                   {.what = "the provider calls back",
                    .calm = calm && facts == Facts::url,
                    .happening = Happening{.kind = Kind::called_back, .status = status, .facts = facts}});
    };
    for (const auto end : {Book::efetivada, Book::cancelada, Book::negada}) {
        const bool is_end = place.book == end;
        if (is_end || (provider.contradicts && is_over(place.book)))
            call_back(status_in(end), is_end && provider.calls_back);
        if (place.book != Book::autorizada) continue;
        auto next = world;
        next.places[i].book = end;
        (*visit_)(next, {.what = "the provider decides", .attempt = i});
    }
    for (const auto status : {Status::PENDENTE, Status::AUTORIZADA})
        call_back(status, false);
}

void Moves::of_other_gateway(const World& world, std::size_t i) {
    const auto& place = world.places[i];
    if (place.has(Place::paused)) {
        auto next = world;
        next.places[i].messages &= static_cast<std::uint8_t>(~Place::paused);
        (*visit_)(next, {.what = "the paused gateway has died", .attempt = i});
        next.places[i].messages |= Place::stray_request | Place::untold;
        (*visit_)(next, {.what = "the paused gateway sends the request", .attempt = i});
    }
    if (place.has(Place::untold) && !place.under_way()) {
        auto next = world;
        next.places[i].messages &= static_cast<std::uint8_t>(~Place::untold);
        decide(next, i, {.what = "word comes", .happening = Happening{.kind = Kind::sent_late}});
    }
    if (!configuration_.statements || place.under_way() || place.book == Book::none) return;
    const auto state = [&](Status status) {
        decide(world, i,
               {.what = "a statement is read",
                .calm = false,
                .happening = Happening{.kind = Kind::stated, .status = status}});
    };
    state(status_in(place.book));
    if (place.book == Book::efetivada || place.book == Book::cancelada) state(Status::AUTORIZADA);
}

void Moves::of_people(const World& world) {
    const auto last = sale(world).attempts.size() - 1;
    for (const auto kind : {Kind::confirm_asked, Kind::cancel_asked})
        decide(world, last, {.what = "a call comes", .calm = false, .happening = Happening{.kind = kind}});
    if (std::ranges::any_of(world.places, &Place::under_way)) return;
    const auto resolve = [&](const World& found, std::optional<Status> status) {
        for (const auto facts : {Facts::none, Facts::url})
            if (facts == Facts::none || is_by_callback(configuration_.terms.family))
                decide(found, last,
                       {.what = "a person has looked into the provider's books",
                        .calm = false,
                        .happening = Happening{.kind = Kind::resolved, .status = status, .facts = facts}});
    };
    const auto book = world.places[last].book;
    if (!is_final(sale(world).status)) {
        if (book == Book::efetivada || book == Book::cancelada) resolve(world, status_in(book));
        return;
    }
    if (sale(world).attention == Attention::none || configuration_.terms.rules.cancellable(configuration_.terms.family))
        return resolve(world, std::nullopt);
    // Nothing is left to be done where the provider has cancelled at the person's wish, once no request can arrive.
    auto found = world;
    for (auto& place : found.places) {
        if (place.has(Place::stray_request | Place::paused | Place::untold)) return;
        if (place.book == Book::autorizada && !is_by_callback(configuration_.terms.family))
            place.book = Book::cancelada;
    }
    resolve(found, std::nullopt);
}

// Every attempt without an exchange learns that no answer will come: `all` says that no exchange is under way any more.
World Moves::with_lost(World world, bool all) {
    const auto count = sale(world).attempts.size();
    for (std::size_t i = 0; i < count; ++i)
        if (all || !world.places[i].under_way()) world.sale = law_.decided(world.sale, i, {.kind = Kind::lost});
    return world;
}

// The gateway is started again, or another one takes over.
void Moves::start_again(const World& world, Restart how) {
    auto next = world;
    bool may_be_paused = false;
    for (auto& place : next.places) {
        const bool left = place.under_way() && place.answer == 0;
        may_be_paused = may_be_paused || (left && place.step() == Step::solicitar && configuration_.chain);
        if (left) place.messages |= stray_of(place.step());
        place.exchange = 0;
        place.answer = 0;
    }
    next.sale = law_.restarted(world.sale, how);
    (*visit_)(with_lost(next, true), {.what = "the gateway is started again", .calm = false});
    if (!may_be_paused) return;
    for (std::size_t i = 0; i < most_attempts; ++i)
        if (world.places[i].under_way() && world.places[i].step() == Step::solicitar && world.places[i].answer == 0)
            next.places[i].messages ^= Place::stray_request | Place::paused;
    (*visit_)(with_lost(next, true), {.what = "another gateway takes over", .calm = false});
}

// A fault in the program, or a journal that was in doubt, loses an answer. What is under way goes on.
void Moves::lose(World world, bool forget, std::optional<std::size_t> dropped) {
    if (dropped) world.places[*dropped].exchange = world.places[*dropped].answer = 0;
    if (forget) world.sale = law_.reread(world.sale);
    (*visit_)(with_lost(world, false), {.what = "an answer is lost in the gateway", .calm = false});
}

void Moves::of_failures(const World& world) {
    for (const auto how : restarts)
        start_again(world, how);
    for (const bool forget : {false, true}) {
        lose(world, forget, std::nullopt);
        for (std::size_t i = 0; i < most_attempts; ++i)
            if (world.places[i].answer != 0) lose(world, forget, i);
    }
}

void Moves::of_time(const World& world) {
    for (const auto number : law_.later(world.sale)) {
        const auto& before = sale(world).attempts;
        const auto& after = law_[number].attempts;
        bool possible = true;
        for (std::size_t i = 0; i < after.size(); ++i)
            possible = possible && !outlives_its_wait(before[i], after[i], world.places[i]);
        auto next = world;
        next.sale = number;
        if (possible) (*visit_)(next, {.what = "time goes on"});
    }
}

}  // namespace gateway::law
