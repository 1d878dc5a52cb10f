#include "sale/quoted_words.hpp"

#include "base/ascii.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace gateway {
namespace {

// Each word has a space before and after it. A word that is also a name, such as "dias" or "claro", is not among them.
constexpr std::string_view ordinary_words =
    " a account acesse active address again agora aguarde ainda allowed already amount an and ano "
    "anos antes ao aos apenas aplicativo apos are as assinante at ate atendimento atingida atingido ativa "
    "ative ativo authorised authorized autorizacao autorizada autorizadas autorizado autorizados autorizar "
    "available balance be been belong belongs beneficiario blocked bloqueada bloqueado bloqueio by "
    "cadastrada cadastrado cadastro cancelada cancelado canceled cancelled cannot card cartao cartoes "
    "celular cep cliente cnpj code codigo com como compra compras concluida concluido concluir confere "
    "confira consta consumidor conta contact contate contra contrato corrija cpf credit credito creditos "
    "customer da dados das data date de debito declined denied depois desconhecida desconhecido desde deve "
    "devem did disponivel do does dos duplicada duplicado duplicate e efetuada efetuado efetuar ela ele em "
    "email encontrada encontrado endereco entre erro error escreva essa esse esta estabelecimento "
    "establishment este excede excedida excedido exceeded exist existe existente exists expirada expirado "
    "expired failed failure falha foi for format formato fornecedor found from ha has have hoje holder hora "
    "horas hour impossivel in inactive inativa inativo incorrect incorreta incorreto indisponivel "
    "inexistente informada informado informe instale insufficient insuficiente invalid invalida invalidas "
    "invalido invalidos irregular is it its ja later ligue limit limite limites loja mail mailbox mais mas "
    "maxima maximo maximum menos mes meses minima minimo minimum minuto minutos momento month motivo must na "
    "name nao nas nascimento negada negado nem no nome nomes nos not novamente now number numero numeros o "
    "obrigatoria obrigatorio of on operacao operadora operation or order os ou paga pago para parceiro "
    "pedido pela pelo pendencia pendencias pendente pending permite permitida permitido permitted pertence "
    "phone plan plano please pode podem por portador possible possivel possui processada processado "
    "processar procure product produto produtos provedor provider purchase que r realizada realizado "
    "realizar reason recarga recargas recusada recusado refused registered rejected rejeitada rejeitado "
    "required restricao restricoes rg saldo sale se sem ser sera server service servico servidor seu seus "
    "sim sistema situacao sobre status sua suas suporte supplier support suspended suspensa suspenso system "
    "tarde telefone telefones tem tentativa tentativas tente terminal that the this titular to today "
    "transacao transacoes transaction try um uma unauthorised unauthorized unavailable unknown usuario valor "
    "valores value vencida vencido venda vendas verifique vinculada vinculado wait was were with without "
    "wrong year your ";

// Returns the text in the Unicode form that `options` name, or an empty text if it is not UTF-8.
std::string mapped(std::string_view text, int options) {
    utf8proc_uint8_t* made = nullptr;
    const auto length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &made, static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, std::free);
    // The length is below 0 if the text is not UTF-8.
    return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 0))};
}

}  // namespace

std::string plain_form(std::string_view text) {
    return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE | UTF8PROC_STRIPCC);
}

std::string folded(std::string_view word) {
    return mapped(word, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE | UTF8PROC_CASEFOLD |
                            UTF8PROC_STRIPMARK);
}

bool names_nobody(std::string_view word) {
    const auto plain = folded(word);
    if (plain.empty()) return false;
    const bool signs = plain.find_first_not_of('x') == plain.npos;
    return signs || std::ranges::all_of(plain, is_digit) || ordinary_words.find(" " + plain + " ") != plain.npos;
}

}  // namespace gateway
