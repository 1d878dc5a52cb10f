#include "families/receipt.hpp"

#include "base/wall_time.hpp"
#include "families/printed.hpp"
#include "paper/columns.hpp"
#include "unit/families/testing.hpp"
#include "unit/support/zone.hpp"

namespace gateway::test {
namespace {

using Lines = std::vector<std::string>;

// Times are shown in the store's zone, which is an offset without rules, so that the tests need no zone data.
class Receipt : public ::testing::Test {
    Zone store_{"BRT3"};
};

Sale sold(Family family, std::string instrucao) {
    Order order;
    order.family = family;
    order.produto = "Recarga";
    order.valor = Cents{1099};
    auto sale = sale_of(order);
    sale.status = Status::EFETIVADA;
    sale.details = {.estabelecimento_nome = "Mercado São João",
                    .cnpj_cpf = "11.222.333/0001-81",
                    .fornecedor = "Operadora",
                    .data_hora = "2024-05-02T10:11:12.000-03:00",
                    .instrucao = Secret(std::move(instrucao))};
    return sale;
}

// Returns the family's lines of a receipt: those between the six lines of the heading and the two of the footing.
Lines family_lines(const Sale& sale) {
    auto lines = receipt_of(sale);
    EXPECT_GE(lines.size(), 8U);
    lines.erase(lines.end() - 2, lines.end());
    lines.erase(lines.begin(), lines.begin() + 6);
    return lines;
}

Lines in_columns(std::string_view text, std::size_t columns) {
    return wrapped(text, {.columns = columns});
}

TEST_F(Receipt, NamesStoreProductAmountTimeAndTransaction) {
    const auto sale = sold(Family::tv, R"({"recargaTV":{"nsuFornecedor":"123","mensagens":["Obrigado"],
                                           "mensagem_validade":"Vale 30 dias"}})");
    EXPECT_EQ(receipt_of(sale),
              (Lines{"Mercado São João", "CNPJ/CPF: 11.222.333/0001-81", "Produto: Recarga", "Fornecedor: Operadora",
                     "Valor: R$ 10,99", "Data: 02/05/2024 10:11:12", "NSU: 123", "Obrigado", "Vale 30 dias",
                     "Transação: T-77", "Id externo: " + sale.current().id_externo.str()}));
}

TEST_F(Receipt, IsEmptyUntilTheSaleIsSold) {
    for (const auto status : {Status::PENDENTE, Status::AUTORIZADA, Status::CANCELADA, Status::NEGADA}) {
        auto sale = sold(Family::health, R"({"pin":"9876"})");
        sale.status = status;
        EXPECT_EQ(receipt_of(sale), Lines{});
    }
}

TEST_F(Receipt, WithoutTheProvidersFactsSaysWhatIsKnown) {
    auto sale = sold(Family::tv, "");
    sale.details = {};
    sale.fornecedor = "Pedido";
    sale.updated_at = confirmed_at;
    EXPECT_EQ(receipt_of(sale), (Lines{"Produto: Recarga", "Fornecedor: Pedido", "Valor: R$ 10,99",
                                       "Data: " + to_local_receipt(confirmed_at), "Transação: T-77",
                                       "Id externo: " + sale.current().id_externo.str()}));
}

TEST_F(Receipt, SaysThatTheGoodsHaveNotComeButNotOfThoseThatWereErased) {
    auto sale = sold(Family::tv, "");
    const auto without = receipt_of(sale).size();
    sale.attention = Attention::undeliverable;
    const auto lines = receipt_of(sale);
    EXPECT_EQ(lines.size(), without + 2);
    EXPECT_NE(std::find(lines.begin(), lines.end(), "O produto ainda não foi entregue pelo"), lines.end());
}

TEST_F(Receipt, ATimeIsThatOnTheStoresWallWhateverOffsetItCameIn) {
    auto sale = sold(Family::tv, "");
    for (const auto* text :
         {"2026-11-27T01:30:00.000Z", "2026-11-27T07:00:00.123456+05:30", "2026-11-26T22:30:00-03:00"}) {
        sale.details.data_hora = text;
        EXPECT_EQ(receipt_of(sale).at(5), "Data: 26/11/2026 22:30:00") << text;
    }
    for (const auto* text : {"2024-13-01T00:00:00Z", "ontem", "2024-12-31", "31/12/2024 23:59:58"}) {
        sale.details.data_hora = text;
        EXPECT_EQ(receipt_of(sale).at(5), "Data: " + to_local_receipt(sale.updated_at)) << text;
    }
}

TEST_F(Receipt, OfAnEgiftHasItsCodeAndAddress) {
    EXPECT_EQ(family_lines(sold(Family::egift, R"({"token":"ABC-1","urlAtivacao":"https://ativa/%%ACCOUNTNUMBER%%",
                                                   "transacaoId":77,"estabelecimentoId":"1"})")),
              (Lines{"Código: ABC-1", "Ative em:", "https://ativa/ABC-1", "Transação do e-gift: 77"}));
}

TEST_F(Receipt, AnAddressLongerThanThePaperIsOneLine) {
    const std::string url = "https://ativa.exemplo/" + std::string(100, 'k') + ").";
    EXPECT_EQ(family_lines(sold(Family::egift, json::serialize(json::object{{"urlAtivacao", url}}))),
              (Lines{"Ative em:", url}));
}

TEST_F(Receipt, AnAddressInAShortLineHasALineToItself) {
    auto sale = sold(Family::egift, R"({"token":"A-1"})");
    sale.redemption = "Abra https://a.exemplo/%%ACCOUNTNUMBER%%.";
    EXPECT_EQ(family_lines(sale), (Lines{"Código: A-1", "Abra", "https://a.exemplo/A-1"}));
    EXPECT_EQ(family_lines(sold(Family::health, R"({"pin":"LPA:1$a.exemplo$B","nsu":"7"})")),
              (Lines{"PIN:", "LPA:1$a.exemplo$B", "NSU: 7"}));
}

TEST_F(Receipt, ALineOfWideCharactersIsAsWideAsThePaper) {
    const auto lines = family_lines(
        sold(Family::tv,
             json::serialize(json::object{{"mensagens", std::string("日本語日本語日本語日本語日本語日本語日本語")}})));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(columns_of(lines[0]), receipt_columns);
    EXPECT_EQ(columns_of(lines[1]), 2U);
}

TEST_F(Receipt, IsAsWideAsItsPaper) {
    const auto sale = sold(Family::tv, R"({"mensagens":["um dois tres quatro cinco seis sete oito nove dez"]})");
    const auto message = [&](std::size_t columns) { return receipt_of(sale, {.columns = columns}).at(6); };
    EXPECT_EQ(message(32), "um dois tres quatro cinco seis");
    EXPECT_EQ(message(40), "um dois tres quatro cinco seis sete oito");
    EXPECT_EQ(message(48), "um dois tres quatro cinco seis sete oito nove");
}

// Spelling makes a text longer, so it comes before the lines are made.
TEST_F(Receipt, IsSpelledInTheLettersOfItsPageAndThenMadeLines) {
    const std::string euros = std::string(30, 'a') + " €€";
    const auto sale = sold(Family::tv, json::serialize(json::object{{"mensagens", euros + " Ş…"}}));
    EXPECT_EQ(receipt_of(sale, {.columns = 34, .page = CodePage::cp860}).at(6), std::string(30, 'a'));
    EXPECT_EQ(receipt_of(sale, {.columns = 34, .page = CodePage::cp860}).at(7), "EUREUR S...");
    EXPECT_EQ(receipt_of(sale, {.columns = 34}).at(6), euros);
}

TEST_F(Receipt, AnAddressIsSpelledAsItIs) {
    const std::string url = "https://ativa.exemplo/ş";
    const auto sale = sold(Family::egift, json::serialize(json::object{{"urlAtivacao", url}}));
    EXPECT_EQ(receipt_of(sale, {.page = CodePage::cp860}).at(7), url);
}

TEST_F(Receipt, OfTransitHasTheCard) {
    EXPECT_EQ(family_lines(sold(Family::transit, R"({"tipoProduto":"604","nsuFornecedor":5,"valorFormatado":"R$ 10,99",
                                                     "nomeProduto":"Comum","mensagens":"Valide<br/>o cart&atilde;o","cartao":"00123"})")),
              (Lines{"Comum", "Cartão: 00123", "NSU: 5", "Valide", "o cartão"}));
}

TEST_F(Receipt, OfHealthHasThePin) {
    EXPECT_EQ(family_lines(sold(Family::health,
                                R"({"produto":"C","expired":false,"text":"Apresente o <b>PIN</b>","nsuParceiro":"8",
                                                    "nsu":"7","message":["Um","Dois"],"pin":"0123","situacaoAtual":"X"})")),
              (Lines{"PIN: 0123", "NSU: 7", "NSU do parceiro: 8", "Apresente o PIN", "Um", "Dois"}));
}

TEST_F(Receipt, OfEsimHasWhatTheCallbackTold) {
    auto sale = sold(Family::esim, "");
    EXPECT_EQ(family_lines(sale), Lines{});
    sale.esim = EsimDetails{.uuid = "N-1",
                            .msisdn = Secret("5511987654321"),
                            .url = Secret("https://recibo/1"),
                            .situacao_recarga = "SUCESSO",
                            .nsu_recarga = "N-2"};
    EXPECT_EQ(family_lines(sale), (Lines{"Número: 5511987654321", "NSU: N-1", "Recarga: SUCESSO", "NSU da recarga: N-2",
                                         "Comprovante:", "https://recibo/1"}));
}

TEST_F(Receipt, GoodsOfAShapeNobodyKnowsArePrintedWhole) {
    for (const auto family : {Family::tv, Family::egift, Family::transit, Family::health}) {
        EXPECT_EQ(family_lines(sold(family, "Seu código: 123")), Lines{"Seu código: 123"});
        EXPECT_EQ(family_lines(sold(family, R"(["a",{"b":["c",4,10.5]},null,true])")), (Lines{"a", "c", "4", "10.5"}));
        EXPECT_EQ(family_lines(sold(family, R"({"novo":{"codigo":"X-1"}})")), Lines{"X-1"});
        EXPECT_EQ(family_lines(sold(family, R"({})")), Lines{});
    }
}

TEST_F(Receipt, FieldsAreFoundWhereverTheyStand) {
    EXPECT_EQ(family_lines(sold(Family::health, R"([{"voucher":{"dados":{"pin":4321}}}])")), Lines{"PIN: 4321"});
    EXPECT_EQ(family_lines(sold(Family::health, R"({"pin":{"a":"<1>","b":["2",null]}})")), Lines{"PIN: <1> 2"});
    EXPECT_EQ(family_lines(sold(Family::tv, R"({"nsuFornecedor":"1","recargaTV":{"nsuFornecedor":"2"}})")),
              Lines{"NSU: 1"});
}

TEST_F(Receipt, OrdersNothingOfAPrinter) {
    const auto lines = family_lines(sold(Family::tv,
                                         "\x1b@corte\x1dV\tum\r\ndois\xC2\x9B"
                                         "31m\x7F"));
    EXPECT_EQ(lines, (Lines{"@corteV um", "dois31m"}));
}

TEST_F(Receipt, EndsHoweverMuchTheProviderHasToSay) {
    std::string message;
    for (int i = 0; i < 20'000; ++i)
        message += "<b <b &amp; ";
    const auto lines = receipt_of(sold(Family::tv, json::serialize(json::object{{"mensagens", message}})));
    EXPECT_EQ(lines.size(), 158U);
    EXPECT_TRUE(lines.back().starts_with("Id externo: "));
}

TEST(ReceiptGoods, AreDecodedWhereTheyAreADocument) {
    EXPECT_EQ(decoded_goods(Secret()), json::value(nullptr));
    EXPECT_EQ(decoded_goods(Secret(R"({"pin":"1"})")), (json::object{{"pin", "1"}}));
    EXPECT_EQ(decoded_goods(Secret(R"(["a"])")), json::array{"a"});
    EXPECT_EQ(decoded_goods(Secret(R"("a")")), "a");
    EXPECT_EQ(decoded_goods(Secret("{broken")), "{broken");
    EXPECT_EQ(decoded_goods(Secret(R"({"pin":"1","pin":"2"})")), R"({"pin":"1","pin":"2"})") << "both may count";
    EXPECT_EQ(decoded_goods(Secret(std::string(100, '['))), json::string(100, '['));
}

TEST(ReceiptGoods, ANumberAloneKeepsItsEveryDigit) {
    EXPECT_EQ(decoded_goods(Secret("12345678901234567890123")), "12345678901234567890123");
    EXPECT_EQ(decoded_goods(Secret(R"({"pin":12345678901234567890123})")),
              (json::object{{"pin", "12345678901234567890123"}}));
    EXPECT_EQ(decoded_goods(Secret("0042")), "0042");
    EXPECT_EQ(decoded_goods(Secret("42")), "42");
    EXPECT_EQ(decoded_goods(Secret("true")), "true");
}

TEST(ReceiptWrapping, BreaksAtWords) {
    EXPECT_EQ(in_columns("um dois tres", 8), (Lines{"um dois", "tres"}));
    EXPECT_EQ(in_columns("um dois tres", 7), (Lines{"um dois", "tres"}));
    EXPECT_EQ(in_columns("um dois tres", 6), (Lines{"um", "dois", "tres"}));
    EXPECT_EQ(in_columns("um dois", 40), Lines{"um dois"});
}

TEST(ReceiptWrapping, CutsWordsThatDoNotFit) {
    EXPECT_EQ(in_columns("abcdefghij", 4), (Lines{"abcd", "efgh", "ij"}));
    EXPECT_EQ(in_columns("a bcdefghij", 4), (Lines{"a", "bcde", "fghi", "j"}));
    EXPECT_EQ(in_columns("abcd", 4), Lines{"abcd"});
}

TEST(ReceiptWrapping, CountsColumns) {
    EXPECT_EQ(in_columns("áéíóú ção", 5), (Lines{"áéíóú", "ção"}));
    EXPECT_EQ(in_columns("日本語日本語", 4), (Lines{"日本", "語日", "本語"}));
    EXPECT_EQ(in_columns("a\u0303a\u0303a\u0303", 2), (Lines{"a\u0303a\u0303", "a\u0303"}));
    EXPECT_EQ(in_columns("ok 😀😀", 5), (Lines{"ok", "😀😀"}));
}

TEST(ReceiptWrapping, AnAddressStandsAloneAndWhole) {
    const std::string url = "https://a.exemplo/" + std::string(30, 'k');
    EXPECT_EQ(in_columns("um dois " + url + " tres quatro", 8), (Lines{"um dois", url, "tres", "quatro"}));
    EXPECT_EQ(in_columns(url + ", " + url + "; e (" + url + ") fim", 8), (Lines{url, url, "e (", url, ") fim"}));
    EXPECT_EQ(in_columns("a\n" + url + "\nb", 8), (Lines{"a", url, "b"}));
}

TEST(ReceiptWrapping, KeepsLineBreaksAndDropsEmptyLines) {
    EXPECT_EQ(in_columns("a\n\n b \r\nc\r", 40), (Lines{"a", "b", "c"}));
    EXPECT_EQ(in_columns("", 40), Lines{});
    EXPECT_EQ(in_columns(" \n\t", 40), Lines{});
}

TEST(ReceiptWrapping, EndsOnBytesThatAreNoText) {
    for (const auto& line : in_columns(std::string(200, '\x80') + "\xC2" + std::string(50, '\xFF'), 10))
        EXPECT_LE(columns_of(line), 10U);
}

TEST(ReceiptMessages, AreReadWithoutHtml) {
    const auto read = [](std::string_view text) {
        Lines lines;
        append_messages(lines, json::value(json::string_view(text.data(), text.size())));
        return lines;
    };
    EXPECT_EQ(read("<p>Um</p><DIV class=\"x\">dois</DIV>"), Lines{"Um\ndois\n"});
    EXPECT_EQ(read("a<br>b<BR />c"), Lines{"a\nb\nc"});
    EXPECT_EQ(read("1 < 2 > 0 & 3<4"), Lines{"1 < 2 > 0 & 3<4"});
    EXPECT_EQ(read("&lt;b&gt; &amp;lt; &quot;x&quot;&nbsp;&#39;"), Lines{"<b> &lt; \"x\" '"});
    EXPECT_EQ(read("Recarga n&atilde;o cancel&aacute;vel &Ccedil;&Otilde; &euro;&hellip;&ndash;"),
              Lines{"Recarga não cancelável ÇÕ €…–"});
    EXPECT_EQ(read("&#233;&#xE9;&#XE9;&#128512;"), Lines{"ééé😀"});
    EXPECT_EQ(read("a&#10;b&#9;c&shy;d"), Lines{"a b cd"});
    EXPECT_EQ(read("&amp;eacute;"), Lines{"&eacute;"}) << "once";
    for (const auto* as_it_is : {"&#27;", "&#x7f;", "&#133;", "&#0;", "&#xD800;", "&#1114112;", "&#-5;", "&#;", "&#x;",
                                 "&nada;", "&eacute", "AB&C-12", "a&&b;", "&;", "&EACUTE;"})
        EXPECT_EQ(read(as_it_is), Lines{as_it_is});
    EXPECT_EQ(read("<b>"), Lines{});
    EXPECT_EQ(read("<A1> </x> <!-- a --> <> </> <b2>"), Lines{"<A1> </x> <!-- a --> <> </> <b2>"});
    EXPECT_EQ(read("<li>a</li><font color='x'>b</font><br/>"), Lines{"a\nb\n"});
    EXPECT_EQ(read("fim <b"), Lines{"fim <b"});
}

TEST(ReceiptMessages, AnAccountNumberFillsItsPlaceholder) {
    EXPECT_EQ(fill_account_number("u/%%ACCOUNTNUMBER%%?a=%%ACCOUNTNUMBER%%", "N1"), "u/N1?a=N1");
    EXPECT_EQ(fill_account_number("u/%%ACCOUNTNUMBER%%", ""), "u/%%ACCOUNTNUMBER%%");
    EXPECT_EQ(fill_account_number("%%ACCOUNTNUMBER%%", "%%ACCOUNTNUMBER%%"), "%%ACCOUNTNUMBER%%");
    EXPECT_EQ(fill_account_number("u", "N1"), "u");
}

Sale with_goods(std::string instrucao, std::string complemento = "") {
    Order order;
    order.family = Family::tv;
    auto sale = sale_of(order);
    sale.status = Status::EFETIVADA;
    sale.details.instrucao = Secret(std::move(instrucao));
    sale.details.complemento = Secret(std::move(complemento));
    return sale;
}

TEST(Nsu, IsFoundUnderEveryNameThatSaysSo) {
    for (const auto* goods :
         {R"({"nsu":"000123"})", R"({"nsuFornecedor":"000123"})", R"({"NSU_Host":"000123"})",
          R"({"recargaTV":{"nsuFornecedor":"000123","mensagens":["x"]}})", R"([{"a":[{"numeroNsu":"000123"}]}])"})
        EXPECT_TRUE(has_nsu(with_goods(goods), "000123")) << goods;
}

TEST(Nsu, MayStandInTheComplementToo) {
    EXPECT_TRUE(has_nsu(with_goods("", R"({"nsu":"000123"})"), "000123"));
    EXPECT_TRUE(has_nsu(with_goods("a plain text", R"({"nsu":"000123"})"), "000123"));
}

TEST(Nsu, MayBeANumber) {
    EXPECT_TRUE(has_nsu(with_goods(R"({"nsu":123})"), "123"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":123})"), "000123"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":true})"), "true"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":null})"), "null"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":["123"]})"), "[\"123\"]"));
}

TEST(Nsu, IsTheWholeNumberAndNoOtherOne) {
    const auto sale = with_goods(R"({"nsu":"000123","pin":"777","valor":2500})");
    for (const auto* other : {"123", "00012", "0001234", "777", "2500", "nsu", ""})
        EXPECT_FALSE(has_nsu(sale, other)) << other;
}

TEST(Nsu, ThatOfAnEsimIsOfItsRecharge) {
    auto sale = with_goods("");
    EXPECT_FALSE(has_nsu(sale, "55"));
    sale.esim = EsimDetails{.nsu_recarga = "55"};
    EXPECT_TRUE(has_nsu(sale, "55"));
    EXPECT_FALSE(has_nsu(sale, ""));
}

TEST(Nsu, GoodsThatAreNoJsonHaveNone) {
    for (const auto* goods : {"", "nsu 000123", "000123", "{\"nsu\":\"000123\"", "\"000123\""})
        EXPECT_FALSE(has_nsu(with_goods(goods), "000123")) << goods;
}

}  // namespace
}  // namespace gateway::test
