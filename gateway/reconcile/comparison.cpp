#include "reconcile/comparison.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway {
namespace {

enum class Standing { sold, not_sold, open };

// Says what a terminal may rely on. An attempt that is being cancelled was promised to nobody, whatever the provider
// may still answer.
Standing standing_of(AttemptState state) {
    switch (state) {
        case AttemptState::sold:
        case AttemptState::collecting: return Standing::sold;
        case AttemptState::cancelling:
        case AttemptState::lingering:
        case AttemptState::cancelled:
        case AttemptState::refused:
        case AttemptState::unsent:
        case AttemptState::unauthorised:
        case AttemptState::throttled: return Standing::not_sold;
        case AttemptState::requesting:
        case AttemptState::held:
        case AttemptState::confirming:
        case AttemptState::disputing:
        case AttemptState::retracting:
        case AttemptState::awaiting: break;
    }
    return Standing::open;
}

Standing standing_of(Status status) {
    switch (status) {
        case Status::EFETIVADA: return Standing::sold;
        case Status::CANCELADA:
        case Status::NEGADA: return Standing::not_sold;
        case Status::AUTORIZADA:
        case Status::PENDENTE: break;
    }
    return Standing::open;
}

FindingKind both_sold(const OurAttempt& ours, const StatementRow& row, const ComparisonContext& context) {
    if (ours.sold_otherwise) return FindingKind::sold_twice;
    if (ours.valor != row.valor) return FindingKind::amount_differs;
    if (contradict(row.estabelecimento, ours.estabelecimento)) return FindingKind::store_differs;
    return ours.day && *ours.day != context.day ? FindingKind::other_day : FindingKind::matched;
}

FindingKind both_there(const OurAttempt& ours, const StatementRow& row, const ComparisonContext& context) {
    const auto theirs = standing_of(row.status);
    switch (standing_of(ours.state)) {
        case Standing::sold:
            if (theirs == Standing::sold) return both_sold(ours, row, context);
            return theirs == Standing::not_sold ? FindingKind::reversed_there : FindingKind::unconfirmed_there;
        case Standing::not_sold:
            // If another attempt sold the sale, the customer was promised one and is charged for two.
            if (theirs == Standing::sold)
                return ours.sold_otherwise ? FindingKind::sold_twice : FindingKind::sold_there;
            return theirs == Standing::not_sold ? FindingKind::matched : FindingKind::open_there;
        case Standing::open: break;
    }
    if (theirs == Standing::sold) return FindingKind::settles_sold;
    return theirs == Standing::not_sold ? FindingKind::settles_not_sold : FindingKind::still_open;
}

std::optional<FindingKind> only_ours(const OurAttempt& ours, const ComparisonContext& context) {
    switch (standing_of(ours.state)) {
        case Standing::sold: return context.on_another_day ? FindingKind::other_day : FindingKind::missing_there;
        case Standing::not_sold: return context.lists_sold_only ? std::optional(FindingKind::matched) : std::nullopt;
        case Standing::open: break;
    }
    return FindingKind::still_open;
}

FindingKind only_theirs(const StatementRow& row, const ComparisonContext& context) {
    if (standing_of(row.status) == Standing::not_sold) return FindingKind::counted_only;
    if (context.covers == StatementCovers::this_gateway) return FindingKind::unknown_here;
    const bool may_be_ours = context.origin == RowOrigin::ours || context.origin == RowOrigin::perhaps;
    return may_be_ours ? FindingKind::unknown_here : FindingKind::counted_only;
}

FindingAsks repeated_confirm(const OurAttempt& ours) {
    if (ours.state == AttemptState::collecting) return FindingAsks::nothing;  // the confirm is being repeated
    return ours.confirmed ? FindingAsks::repeat_confirm : FindingAsks::person;
}

FindingAsks repeated_cancel(const OurAttempt& ours) {
    if (!ours.cancellable) return FindingAsks::person;
    const bool is_being_cancelled = ours.state == AttemptState::cancelling || ours.state == AttemptState::lingering;
    return is_being_cancelled ? FindingAsks::nothing : FindingAsks::repeat_cancel;
}

Duration distance(WallTime one, WallTime other) {
    return one < other ? other - one : one - other;
}

}  // namespace

bool contradict(std::string_view one, std::string_view other) noexcept {
    return !one.empty() && !other.empty() && one != other;
}

std::optional<RowId> id_of(const StatementRow& row) {
    if (!row.id_externo.empty()) return RowId{RowId::Kind::id_externo, row.id_externo};
    if (!row.id_transacao.empty()) return RowId{RowId::Kind::id_transacao, row.id_transacao};
    if (!row.nsu.empty()) return RowId{RowId::Kind::nsu, row.nsu};
    return std::nullopt;
}

OurAttempt attempt_of(const Sale& sale, std::size_t index) {
    const auto& attempt = sale.attempts.at(index);
    OurAttempt ours;
    ours.id_externo = attempt.id_externo.str();
    ours.id_transacao = attempt.id_transacao;
    ours.state = attempt.state;
    ours.family = sale.family;
    ours.valor = sale.valor;
    ours.estabelecimento = sale.estabelecimento;
    ours.confirmed = attempt.confirm_time.has_value();
    ours.latest = index + 1 == sale.attempts.size();
    // A callback does not say which attempt it is about, and some providers put another id than the NSU there.
    if (sale.esim && sale.attempts.size() == 1 && sale.esim->uuid != ours.id_transacao &&
        sale.esim->uuid != ours.id_externo)
        ours.nsu = sale.esim->uuid;
    const bool is_sold = standing_of(attempt.state) == Standing::sold;
    for (std::size_t i = 0; i < sale.attempts.size(); ++i)
        if (i != index && standing_of(sale.attempts[i].state) == Standing::sold && (!is_sold || i < index))
            ours.sold_otherwise = true;
    return ours;
}

bool is_about(const StatementRow& row, const OurAttempt& ours) {
    const auto id = id_of(row);
    if (!id) return false;
    switch (id->kind) {
        case RowId::Kind::id_externo: return id->text == ours.id_externo;
        case RowId::Kind::id_transacao: return id->text == ours.id_transacao;
        case RowId::Kind::nsu: break;
    }
    return id->text == ours.nsu && !contradict(row.estabelecimento, ours.estabelecimento);
}

RowOrigin origin_of(const StatementRow& row, std::span<const std::string> prefixes,
                    std::span<const std::string> estabelecimentos) {
    const auto is_in = [](std::span<const std::string> list, std::string_view text) {
        return std::ranges::find(list, text) != list.end();
    };
    // A gateway that once had no prefix may have made any id.
    const bool told_by_prefix = !prefixes.empty() && !is_in(prefixes, "");
    if (const auto id = IdExterno::parse(row.id_externo)) {
        constexpr std::size_t time_length = 10;
        const auto prefix = id->text().substr(time_length, Ulid::prefix_length);
        if (is_in(prefixes, prefix)) return RowOrigin::ours;
        if (told_by_prefix) return RowOrigin::others;
    } else if (!row.id_externo.empty()) {
        return RowOrigin::others;  // another program made it
    }
    if (row.estabelecimento.empty()) return RowOrigin::unclear;
    return is_in(estabelecimentos, row.estabelecimento) ? RowOrigin::perhaps : RowOrigin::others;
}

std::optional<FindingKind> compare(const OurAttempt* ours, const StatementRow* row, const ComparisonContext& context) {
    CHECK(ours != nullptr || row != nullptr);
    if (row == nullptr) return only_ours(*ours, context);
    if (ours == nullptr) return only_theirs(*row, context);
    return both_there(*ours, *row, context);
}

bool may_settle(const OurAttempt& ours, const StatementRow& row) {
    const bool waits = ours.state == AttemptState::disputing || ours.state == AttemptState::awaiting;
    if (!ours.latest || !waits) return false;
    const auto id = id_of(row);
    // Every machine that gives NSUs may count them anew.
    const bool is_named = id && id->kind != RowId::Kind::nsu && is_about(row, ours);
    if (!is_named || contradict(row.id_transacao, ours.id_transacao) || contradict(row.nsu, ours.nsu)) return false;
    if (row.valor != ours.valor || row.estabelecimento != ours.estabelecimento) return false;
    if (row.status == Status::NEGADA) return is_by_callback(ours.family);
    return row.status == Status::EFETIVADA || row.status == Status::CANCELADA;
}

FindingAsks asked_for(FindingKind kind, const OurAttempt* ours, const StatementRow* row) {
    switch (kind) {
        case FindingKind::matched:
        case FindingKind::counted_only:
        case FindingKind::other_day:
        case FindingKind::still_open:
        case FindingKind::already_imported: return FindingAsks::nothing;
        case FindingKind::unconfirmed_there: return ours != nullptr ? repeated_confirm(*ours) : FindingAsks::person;
        case FindingKind::open_there: return ours != nullptr ? repeated_cancel(*ours) : FindingAsks::person;
        case FindingKind::settles_sold:
        case FindingKind::settles_not_sold:
            return ours != nullptr && row != nullptr && may_settle(*ours, *row) ? FindingAsks::settle
                                                                                : FindingAsks::person;
        case FindingKind::amount_differs:
        case FindingKind::store_differs:
        case FindingKind::sold_twice:
        case FindingKind::reversed_there:
        case FindingKind::missing_there:
        case FindingKind::sold_there:
        case FindingKind::unknown_here:
        case FindingKind::wrong_day:
        case FindingKind::wrong_network:
        case FindingKind::count_differs:
        case FindingKind::total_differs:
        case FindingKind::unreadable_line: break;
    }
    return FindingAsks::person;
}

std::vector<std::size_t> suggestions(const StatementRow& row, std::span<const MatchCandidate> candidates) {
    std::vector<std::size_t> places;
    const auto apart = [&](std::size_t place) {
        return row.at ? distance(*row.at, candidates[place].at) : Duration(0);
    };
    for (std::size_t place = 0; place < candidates.size(); ++place) {
        const auto& candidate = candidates[place];
        if (candidate.valor != row.valor || contradict(candidate.estabelecimento, row.estabelecimento)) continue;
        if (apart(place) <= suggestion_window) places.push_back(place);
    }
    std::ranges::stable_sort(places, {}, apart);
    if (places.size() > max_suggestions) places.resize(max_suggestions);
    return places;
}

}  // namespace gateway
