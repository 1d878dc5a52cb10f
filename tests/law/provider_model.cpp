#include "law/provider_model.hpp"

#include "base/check.hpp"

namespace gateway::law {
namespace {

using Reactions = std::vector<Reaction>;

constexpr Said no_such_sale_4xx{.verdict = Verdict::no_such_sale, .without_status = true};
constexpr Said conflict{.verdict = Verdict::declined};

Said named(Verdict verdict, bool with_goods = false) {
    return {.verdict = verdict, .without_status = false, .with_goods = with_goods};
}

Reactions requested(Family family, Book book) {
    if (book != Book::none) return {{book, named(Verdict::refused)}, {book, named(Verdict::unknown)}};
    const bool brings_goods = traits_of(family).delivery == Delivery::with_request;
    Reactions all{{Book::autorizada, named(Verdict::authorised, brings_goods)},
                  {Book::negada, named(Verdict::refused)}};
    if (brings_goods) all.push_back({Book::autorizada, named(Verdict::authorised), false});
    return all;
}

// Both kinds of answer to a repeated step come from a provider with faults. One of them is this provider's own.
Reactions of_a_sale_that_is_over(Book book, bool names_end, bool brings_goods) {
    const auto end = book == Book::efetivada ? named(Verdict::sold, brings_goods) : named(Verdict::cancelled);
    Reactions all{{book, end, names_end}, {book, no_such_sale_4xx, !names_end}};
    if (end.with_goods) all.push_back({book, named(Verdict::sold), false});
    return all;
}

Reactions confirmed(const Provider& provider, Family family, Book book) {
    const bool brings_goods = traits_of(family).delivery == Delivery::with_confirm;
    switch (book) {
        case Book::none:
        case Book::negada: return {{book, no_such_sale_4xx}};
        case Book::autorizada: {
            Reactions all{{Book::efetivada, named(Verdict::sold, brings_goods)}};
            if (brings_goods) all.push_back({Book::efetivada, named(Verdict::sold), false});
            return all;
        }
        case Book::efetivada:
        case Book::cancelada: return of_a_sale_that_is_over(book, provider.confirm_names_end, brings_goods);
    }
    CHECK(false);
}

Reactions cancelled_unknown(const Provider& provider, Book book) {
    using Of = Provider::OfUnknown;
    const auto after = book == Book::none && provider.remembers_cancel ? Book::cancelada : book;
    switch (provider.cancel_of_unknown) {
        case Of::no_such_sale: return {{after, no_such_sale_4xx}};
        case Of::cancelada: return {{after, named(Verdict::cancelled)}};
        case Of::negada: return {{after, named(Verdict::no_such_sale)}};
        case Of::conflict: return {{after, conflict}};
    }
    CHECK(false);
}

Reactions cancelled(const Provider& provider, Book book) {
    if (!provider.cancels) return {{book, no_such_sale_4xx}};
    switch (book) {
        case Book::none:
        case Book::negada: return cancelled_unknown(provider, book);
        case Book::autorizada: return {{Book::cancelada, named(Verdict::cancelled)}};
        case Book::efetivada:
        case Book::cancelada: return of_a_sale_that_is_over(book, provider.cancel_names_end, false);
    }
    CHECK(false);
}

Reactions asked(Family family, Book book) {
    if (book == Book::efetivada) return {{book, named(Verdict::sold)}};
    if (book == Book::cancelada) return {{book, named(Verdict::cancelled)}};
    const bool denies = book == Book::negada && is_by_callback(family);
    return {{book, named(denies ? Verdict::refused : Verdict::unknown)}};
}

}  // namespace

std::vector<Reaction> reactions(const Provider& provider, Family family, Step step, Book book) {
    switch (step) {
        case Step::solicitar: return requested(family, book);
        case Step::confirmar: return confirmed(provider, family, book);
        case Step::cancelar: return cancelled(provider, book);
        case Step::consultar: return asked(family, book);
    }
    CHECK(false);
}

std::vector<Said> unprocessed(Step step, bool trusts_cancel_4xx) {
    std::vector<Said> all{named(Verdict::unsent), named(Verdict::unauthorised), named(Verdict::unknown)};
    if (step == Step::solicitar) all.push_back(named(Verdict::throttled));
    const bool settles = step == Step::confirmar || step == Step::cancelar;
    if (settles) all.push_back(named(Verdict::declined));
    if (step == Step::confirmar || (step == Step::cancelar && !trusts_cancel_4xx)) all.push_back(no_such_sale_4xx);
    return all;
}

bool is_over(Book book) {
    return book == Book::efetivada || book == Book::cancelada || book == Book::negada;
}

Status status_in(Book book) {
    switch (book) {
        case Book::autorizada: return Status::AUTORIZADA;
        case Book::efetivada: return Status::EFETIVADA;
        case Book::cancelada: return Status::CANCELADA;
        case Book::negada: return Status::NEGADA;
        case Book::none: break;
    }
    CHECK(false);
}

bool never_says(const Provider& provider, const Terms& terms, const AttemptClass& attempt, Book book) {
    const auto& rules = terms.rules;
    const bool by_callback = is_by_callback(terms.family);
    const bool asked = rules.can_ask && (!rules.asks_by_id_transacao || attempt.has_id_transacao);
    if (by_callback) return book == Book::none || (!provider.calls_back && !asked);
    if (asked && (book == Book::efetivada || book == Book::cancelada)) return false;
    const bool disputes = attempt.state == AttemptState::disputing;
    const bool confirms = attempt.has_confirm_time && disputes;
    const bool can_cancel = rules.cancellable(terms.family) && provider.cancels;
    const bool believes_4xx = rules.trusts_cancel_4xx && !disputes;
    if (book == Book::autorizada) return !can_cancel && !confirms;
    if (book == Book::none || book == Book::negada) {
        const auto what = provider.cancel_of_unknown;
        const bool trusted = what == Provider::OfUnknown::no_such_sale ? believes_4xx
                             : what == Provider::OfUnknown::negada     ? !disputes
                                                                       : what == Provider::OfUnknown::cancelada;
        return !can_cancel || !trusted;
    }
    const bool cancel_tells = can_cancel && (provider.cancel_names_end || believes_4xx);
    const bool confirm_tells = confirms && provider.confirm_names_end;
    return !cancel_tells && !confirm_tells;
}

std::string_view to_string(Book book) {
    return book == Book::none ? "nothing" : to_string(status_in(book));
}

}  // namespace gateway::law
