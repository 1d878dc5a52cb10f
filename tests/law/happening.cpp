#include "law/happening.hpp"

#include "base/check.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway::law {
namespace {

using Kind = Happening::Kind;

constexpr std::array verdicts{Verdict::authorised, Verdict::refused, Verdict::unsent,    Verdict::unauthorised,
                              Verdict::throttled,  Verdict::sold,    Verdict::cancelled, Verdict::no_such_sale,
                              Verdict::declined,   Verdict::unknown};
constexpr std::array statuses{Status::PENDENTE, Status::AUTORIZADA, Status::EFETIVADA, Status::CANCELADA,
                              Status::NEGADA};
constexpr std::array all_facts{Facts::none, Facts::url, Facts::url_and_failed_recharge};

Answer answer_of(const Said& said) {
    Answer answer{.verdict = said.verdict, .without_status = said.without_status};
    if (said.verdict == Verdict::authorised) answer.id_transacao = "T";  // nothing else that is answered has to name it
    if (said.with_goods) answer.details.instrucao = Secret("goods");
    if (said.verdict == Verdict::refused) answer.reason.code = ReasonCode::refused;
    return answer;
}

std::vector<Happening> all_answers() {
    std::vector<Happening> all;
    for (const auto step : all_steps)
        for (const auto verdict : verdicts) {
            all.push_back({.kind = Kind::answered, .step = step, .said = {verdict, false, false}});
            if (verdict == Verdict::authorised || verdict == Verdict::sold)
                all.push_back({.kind = Kind::answered, .step = step, .said = {verdict, false, true}});
        }
    for (const auto step : {Step::confirmar, Step::cancelar})
        all.push_back({.kind = Kind::answered, .step = step, .said = {Verdict::no_such_sale, true, false}});
    return all;
}

}  // namespace

std::uint64_t key_of(const Happening& happening) {
    std::uint64_t number = 0;
    const auto add = [&number](auto value, int bits) { number = (number << bits) | static_cast<std::uint64_t>(value); };
    add(happening.kind, 4);
    add(happening.step, 2);
    add(happening.said.verdict, 4);
    add(happening.said.without_status, 1);
    add(happening.said.with_goods, 1);
    add(happening.status ? static_cast<int>(*happening.status) + 1 : 0, 3);
    add(happening.facts, 2);
    return number;
}

Event event_of(const Happening& happening) {
    switch (happening.kind) {
        case Kind::answered: return Answered{.step = happening.step, .answer = answer_of(happening.said)};
        case Kind::lost: return Lost{};
        case Kind::elapsed: return Elapsed{};
        case Kind::confirm_asked: return ConfirmAsked{};
        case Kind::cancel_asked: return CancelAsked{};
        case Kind::called_back: return CalledBack{.status = *happening.status, .details = details_of(happening.facts)};
        case Kind::resolved: {
            Resolved resolved{.status = happening.status, .note = "looked up", .by = "Ana", .esim = std::nullopt};
            if (happening.facts != Facts::none) resolved.esim = details_of(happening.facts);
            return resolved;
        }
        case Kind::stated: return Stated{.status = *happening.status, .source = "statement"};
        case Kind::sent_late: return SentLate{};
    }
    CHECK(false);
}

const std::vector<Happening>& everything_that_happens() {
    static const auto everything = [] {
        auto all = all_answers();
        for (const auto kind : {Kind::lost, Kind::elapsed, Kind::confirm_asked, Kind::cancel_asked, Kind::sent_late})
            all.push_back({.kind = kind});
        for (const auto status : statuses) {
            all.push_back({.kind = Kind::stated, .status = status});
            for (const auto facts : all_facts)
                all.push_back({.kind = Kind::called_back, .status = status, .facts = facts});
        }
        for (const auto facts : {Facts::none, Facts::url}) {
            all.push_back({.kind = Kind::resolved, .facts = facts});
            for (const auto status : {Status::EFETIVADA, Status::CANCELADA})
                all.push_back({.kind = Kind::resolved, .status = status, .facts = facts});
        }
        return all;
    }();
    return everything;
}

std::string in_words(const Said& said) {
    return fmt::format("{}{}{}", to_string(said.verdict), said.without_status ? " without a status" : "",
                       said.with_goods ? " with the goods" : "");
}

std::string in_words(const Happening& happening) {
    const auto status = happening.status ? to_string(*happening.status) : "nothing more is to be done";
    switch (happening.kind) {
        case Kind::answered:
            return fmt::format("{} is answered: {}", to_string(happening.step), in_words(happening.said));
        case Kind::lost: return "no answer will come";
        case Kind::elapsed: return "a time has come";
        case Kind::confirm_asked: return "the terminal confirms";
        case Kind::cancel_asked: return "the terminal cancels";
        case Kind::called_back: return fmt::format("a callback says {}", status);
        case Kind::resolved: return fmt::format("a person says: {}", status);
        case Kind::stated: return fmt::format("the provider's statement says {}", status);
        case Kind::sent_late: return "another gateway tells that it has sent the request late";
    }
    CHECK(false);
}

}  // namespace gateway::law
