#include "reconcile/finding.hpp"

#include <algorithm>
#include <array>

namespace gateway {
namespace {

struct KindWords {
    FindingKind kind;
    FindingWords words;
};
constexpr std::array words_of_kinds{
    KindWords{FindingKind::matched,
              {"Both sides say the same: nothing to do.", "Os dois lados conferem: nada a fazer."}},
    KindWords{FindingKind::amount_differs,
              {"It is sold on both sides, but for another amount: compare both amounts with the receipt and have "
               "the provider correct its own, or claim the difference.",
               "A venda consta dos dois lados, mas com outro valor: compare os valores com o comprovante e peça ao "
               "provedor a correção ou a diferença."}},
    KindWords{FindingKind::store_differs,
              {"It is sold on both sides, but the provider charges another establishment for it than the one that has "
               "the money: have the provider correct it.",
               "A venda consta dos dois lados, mas o provedor a lançou em outro estabelecimento, e não no que recebeu "
               "o dinheiro: peça a correção ao provedor."}},
    KindWords{FindingKind::sold_twice,
              {"Two attempts of one sale are sold there, and the customer paid once: have the provider take this one "
               "back.",
               "Duas tentativas da mesma venda constam como efetivadas no provedor, e o cliente pagou uma vez: peça o "
               "estorno desta."}},
    KindWords{FindingKind::reversed_there,
              {"It is sold here and the goods are out, but the provider has it as not sold: claim it from the "
               "provider before the customer does.",
               "A venda foi efetivada aqui e o produto entregue, mas no provedor ela não consta como efetivada: "
               "reclame ao provedor antes que o cliente reclame."}},
    KindWords{FindingKind::unconfirmed_there,
              {"It is sold here, but the provider has it as not confirmed yet: see that the repeated confirm is "
               "answered, or have the provider confirm it.",
               "A venda foi efetivada aqui, mas no provedor falta a confirmação: veja se a confirmação repetida "
               "foi respondida, ou peça ao provedor que confirme."}},
    KindWords{FindingKind::other_day,
              {"It is sold on both sides, but on different movement days: nothing to do, it only moves between two "
               "days' totals.",
               "A venda consta dos dois lados, mas em dias de movimento diferentes: nada a fazer, ela só muda de um "
               "total diário para outro."}},
    KindWords{FindingKind::missing_there,
              {"It is sold here, but the provider's statement does not have it: wait for the next day's statement, "
               "then show the provider its idExterno and idTransacao.",
               "A venda foi efetivada aqui, mas não está no extrato do provedor: espere o extrato do dia seguinte "
               "e depois mostre ao provedor o idExterno e o idTransacao."}},
    KindWords{FindingKind::sold_there,
              {"It is not sold here and nobody paid, but the provider has it as sold: have the provider take it "
               "back at once, with the sale's history as evidence (sales-gateway show ID); resolve ID --noted takes "
               "the sale's mark away.",
               "A venda não foi efetivada aqui e ninguém pagou, mas no provedor ela consta como efetivada: peça o "
               "estorno ao provedor agora, com o histórico da venda como prova (sales-gateway show ID); resolve ID "
               "--noted "
               "tira o alerta da venda."}},
    KindWords{FindingKind::open_there,
              {"It is not sold here, but the provider still holds it as authorised: see that the repeated cancel "
               "is answered, or have the provider cancel it.",
               "A venda não foi efetivada aqui, mas no provedor continua autorizada: veja se o cancelamento "
               "repetido foi respondido, ou peça ao provedor que cancele."}},
    KindWords{FindingKind::settles_sold,
              {"It is open here, and the provider says that it is sold: once the row is seen to be about this "
               "sale, and the gateway asks for a person (sales-gateway show ID says when), settle it with "
               "sales-gateway "
               "resolve ID --sold.",
               "A venda está em aberto aqui, e o provedor diz que foi efetivada: depois de ver que a linha é desta "
               "venda, e quando o gateway pedir uma pessoa (sales-gateway show ID diz quando), resolva com "
               "sales-gateway resolve ID --sold."}},
    KindWords{FindingKind::settles_not_sold,
              {"It is open here, and the provider says that it is not sold: once the row is seen to be about "
               "this sale, and the gateway asks for a person (sales-gateway show ID says when), settle it with "
               "sales-gateway resolve ID --not-sold.",
               "A venda está em aberto aqui, e o provedor diz que não foi efetivada: depois de ver que a linha é "
               "desta venda, e quando o gateway pedir uma pessoa (sales-gateway show ID diz quando), resolva com "
               "sales-gateway resolve ID --not-sold."}},
    KindWords{
        FindingKind::still_open,
        {"It is open here, and the statement does not decide it: nothing to do, it may be held or still be "
         "settled by itself.",
         "A venda está em aberto aqui, e o extrato não a decide: nada a fazer, ela pode estar aguardando o caixa ou "
         "ainda se resolver sozinha."}},
    KindWords{FindingKind::unknown_here,
              {"The provider has a sale that nobody here knows: find out which till or system made it, and have "
               "the provider take it back if none did.",
               "O provedor tem uma venda que ninguém aqui conhece: descubra que caixa ou sistema a fez, e peça o "
               "estorno ao provedor se nenhum a fez."}},
    KindWords{FindingKind::counted_only,
              {"It is not of this gateway, or not sold: it is counted and nothing else.",
               "Não é deste gateway, ou não foi efetivada: é só contada."}},
    KindWords{FindingKind::wrong_day,
              {"The file is of another movement day, and nothing of it was matched: fetch the day's own.",
               "O arquivo é de outro dia de movimento, e nada dele foi conferido: busque o do dia certo."}},
    KindWords{FindingKind::wrong_network,
              {"The file is of another network, and nothing of it was matched: fetch your own, or correct "
               "statement.network.",
               "O arquivo é de outra rede, e nada dele foi conferido: busque o da sua rede, ou corrija "
               "statement.network."}},
    KindWords{FindingKind::already_imported,
              {"The file was read before, and nothing was changed: nothing to do.",
               "O arquivo já foi lido antes, e nada mudou: nada a fazer."}},
    KindWords{FindingKind::count_differs,
              {"The header counts another number of sales than there are: fetch the file again, and ask the "
               "provider where it stays so.",
               "O cabeçalho conta um número de vendas diferente do que existe: busque o arquivo de novo, e "
               "pergunte ao provedor se continuar assim."}},
    KindWords{FindingKind::total_differs,
              {"The header's total is another than that of the sales: fetch the file again, and ask the provider "
               "where it stays so.",
               "O total do cabeçalho é diferente do total das vendas: busque o arquivo de novo, e pergunte ao "
               "provedor se continuar assim."}},
    KindWords{FindingKind::unreadable_line,
              {"A line of the file is not what the configuration says, and nothing of it was matched: fetch the "
               "file again, or correct [statement].",
               "Uma linha do arquivo não é o que a configuração diz, e nada dele foi conferido: busque o arquivo "
               "de novo, ou corrija [statement]."}},
};

}  // namespace

bool is_of_a_file(FindingKind kind) noexcept {
    return kind >= FindingKind::wrong_day;
}

FindingSeverity severity_of(FindingKind kind) noexcept {
    switch (kind) {
        case FindingKind::matched:
        case FindingKind::counted_only: return FindingSeverity::none;
        case FindingKind::other_day:
        case FindingKind::still_open:
        case FindingKind::already_imported: return FindingSeverity::note;
        case FindingKind::sold_there: return FindingSeverity::alarm;
        case FindingKind::amount_differs:
        case FindingKind::store_differs:
        case FindingKind::sold_twice:
        case FindingKind::reversed_there:
        case FindingKind::unconfirmed_there:
        case FindingKind::missing_there:
        case FindingKind::open_there:
        case FindingKind::settles_sold:
        case FindingKind::settles_not_sold:
        case FindingKind::unknown_here:
        case FindingKind::wrong_day:
        case FindingKind::wrong_network:
        case FindingKind::count_differs:
        case FindingKind::total_differs:
        case FindingKind::unreadable_line: break;
    }
    return FindingSeverity::warning;
}

FindingWords in_words(FindingKind kind) noexcept {
    const auto* const found = std::ranges::find(words_of_kinds, kind, &KindWords::kind);
    return found == words_of_kinds.end() ? FindingWords{} : found->words;
}

std::string_view to_string(FindingKind kind) noexcept {
    switch (kind) {
        case FindingKind::matched: return "matched";
        case FindingKind::amount_differs: return "amount_differs";
        case FindingKind::store_differs: return "store_differs";
        case FindingKind::sold_twice: return "sold_twice";
        case FindingKind::reversed_there: return "reversed_there";
        case FindingKind::unconfirmed_there: return "unconfirmed_there";
        case FindingKind::other_day: return "other_day";
        case FindingKind::missing_there: return "missing_there";
        case FindingKind::sold_there: return "sold_there";
        case FindingKind::open_there: return "open_there";
        case FindingKind::settles_sold: return "settles_sold";
        case FindingKind::settles_not_sold: return "settles_not_sold";
        case FindingKind::still_open: return "still_open";
        case FindingKind::unknown_here: return "unknown_here";
        case FindingKind::counted_only: return "counted_only";
        case FindingKind::wrong_day: return "wrong_day";
        case FindingKind::wrong_network: return "wrong_network";
        case FindingKind::already_imported: return "already_imported";
        case FindingKind::count_differs: return "count_differs";
        case FindingKind::total_differs: return "total_differs";
        case FindingKind::unreadable_line: return "unreadable_line";
    }
    return "";
}

std::string_view to_string(FindingSeverity severity) noexcept {
    switch (severity) {
        case FindingSeverity::none: return "none";
        case FindingSeverity::note: return "note";
        case FindingSeverity::warning: return "warning";
        case FindingSeverity::alarm: return "alarm";
    }
    return "";
}

std::string_view to_string(FindingAsks asks) noexcept {
    switch (asks) {
        case FindingAsks::nothing: return "nothing";
        case FindingAsks::repeat_confirm: return "repeat_confirm";
        case FindingAsks::repeat_cancel: return "repeat_cancel";
        case FindingAsks::settle: return "settle";
        case FindingAsks::person: return "person";
    }
    return "";
}

std::optional<FindingAsks> parse_finding_asks(std::string_view text) noexcept {
    for (const auto asks : {FindingAsks::nothing, FindingAsks::repeat_confirm, FindingAsks::repeat_cancel,
                            FindingAsks::settle, FindingAsks::person})
        if (to_string(asks) == text) return asks;
    return std::nullopt;
}

std::optional<FindingKind> parse_finding_kind(std::string_view text) noexcept {
    const auto* const found =
        std::ranges::find_if(all_finding_kinds, [&](FindingKind kind) { return to_string(kind) == text; });
    return found == all_finding_kinds.end() ? std::nullopt : std::optional(*found);
}

}  // namespace gateway
