// What people in the store read of totals and closes: every word in both languages, and dates, amounts and CSV as each
// of them writes these.
#pragma once

#include "base/calendar.hpp"
#include "base/language.hpp"
#include "reconcile/statement_checks.hpp"
#include "reconcile/totals.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// A word that cannot be made without its translation.
class Word {
  public:
    constexpr Word(std::string_view english, std::string_view portuguese)
        : english_(english), portuguese_(portuguese) {}

    constexpr std::string_view in(Language language) const {
        return language == Language::portuguese ? portuguese_ : english_;
    }

  private:
    std::string_view english_;
    std::string_view portuguese_;
};

namespace words {

inline constexpr Word close{"Close no.", "Fechamento nº"};
inline constexpr Word close_head{"close", "fechamento"};
inline constexpr Word totals{"Totals", "Totais"};
inline constexpr Word store{"store", "loja"};
inline constexpr Word store_title{"Store", "Loja"};
inline constexpr Word day{"day", "dia"};
inline constexpr Word day_title{"Day", "Dia"};
inline constexpr Word until{"to", "a"};
inline constexpr Word by{"by", "por"};
inline constexpr Word made{"made", "feito em"};
inline constexpr Word by_itself{"by itself", "automático"};
inline constexpr Word by_somebody{"by a person without a name", "por pessoa sem nome informado"};
inline constexpr Word group{"group", "grupo"};
inline constexpr Word name{"name", "nome"};
inline constexpr Word total{"total", "total"};
inline constexpr Word total_title{"TOTAL", "TOTAL"};
inline constexpr Word none{"(none)", "(nenhum)"};
inline constexpr Word sold{"sold", "vendidas"};
inline constexpr Word cancelled{"cancelled", "canceladas"};
inline constexpr Word refused{"refused", "recusadas"};
inline constexpr Word open{"open", "em aberto"};
inline constexpr Word held{"held", "aguardando o caixa"};
inline constexpr Word amount{"amount", "valor"};
inline constexpr Word sold_amount{"sold amount", "valor vendido"};
inline constexpr Word cancelled_amount{"cancelled amount", "valor cancelado"};
inline constexpr Word refused_amount{"refused amount", "valor recusado"};
inline constexpr Word open_amount{"open amount", "valor em aberto"};
inline constexpr Word held_amount{"held amount", "valor aguardando o caixa"};
inline constexpr Word families{"by family", "por família"};
inline constexpr Word terminals{"by terminal", "por terminal"};
inline constexpr Word family{"family", "família"};
inline constexpr Word terminal{"terminal", "terminal"};
inline constexpr Word hour{"hour", "hora"};
inline constexpr Word cashier{"cashier", "operador"};
inline constexpr Word product{"product", "produto"};
inline constexpr Word sales{"sales", "vendas"};
inline constexpr Word late{"late, of an earlier day", "atrasadas, de dia anterior"};
inline constexpr Word open_then{"open then, of any day", "em aberto então, de qualquer dia"};
inline constexpr Word open_title{"open when it was closed, of any day", "em aberto no fechamento, de qualquer dia"};
inline constexpr Word requests{"requests", "solicita"};
inline constexpr Word confirms{"confirms", "confirma"};
inline constexpr Word cancels{"cancels", "cancela"};
inline constexpr Word again{"again", "de novo"};
inline constexpr Word at{"at", "às"};
inline constexpr Word still_open{"Not final yet:", "Ainda sem resultado:"};
inline constexpr Word more_open{"and more, which the counts have", "e outras, contadas acima"};
inline constexpr Word check{"check", "controle"};
inline constexpr Word no_sales{"No sales.", "Nenhuma venda."};
inline constexpr Word not_over{
    "The day is not over: what is sold after its close is in that of a later day.",
    "O dia não acabou: o que for vendido depois do fechamento entra no fechamento de um dia posterior."};
inline constexpr Word after_close{"Sold after that close: in the close of a later day, once that is made",
                                  "Vendido depois dele: entra no fechamento de um dia posterior, quando for feito"};
inline constexpr Word closed_as{"Closed as", "Já fechado:"};
inline constexpr Word forgotten{
    "These days have sales, their own or late ones of earlier days, and no close; sales-gateway close --day makes it:",
    "Estes dias têm vendas, próprias ou atrasadas de dias anteriores, e nenhum fechamento; sales-gateway close --day o "
    "faz:"};
inline constexpr Word was_closed{"The day was closed already; this is that close.",
                                 "O dia já estava fechado; este é o fechamento dele."};
inline constexpr Word ask_to_close{"Close this day? A close is never undone. [y/N] ",
                                   "Fechar este dia? Um fechamento não se desfaz. [s/N] "};
inline constexpr Word not_done{"Nothing was done.", "Nada foi feito."};
inline constexpr Word unreadable{"Not counted, because they cannot be read (sales-gateway attention lists them)",
                                 "Não contadas, por serem ilegíveis (sales-gateway attention lista quais são)"};

// Of what sales are grouped by.
const Word& of(TotalsBy by) noexcept;

}  // namespace words

// "20/11/2026" and "2026-11-20".
std::string day_text(Day day, Language language);

// A line of a CSV file, cell by cell, as a spreadsheet of that language reads it: separated by semicolons and with a
// decimal comma in Portuguese, by commas and with a point in English (RFC 4180).
class CsvLine {
  public:
    explicit CsvLine(Language language) : language_(language) {}

    // In quotes, and no formula: what a spreadsheet could take for the beginning of one has an apostrophe before it.
    // That holds for a spreadsheet of the other language, too, to which a separator inside of the text may begin a
    // cell.
    void add_text(std::string_view text);
    // Numbers have no quotes. The cell is empty where there is none.
    void add_count(std::optional<std::int64_t> count);
    void add_amount(std::optional<Cents> amount);  // "2045,90"

    std::string text() const { return line_ + "\r\n"; }

  private:
    void begin_cell();

    Language language_;
    std::string line_;
    bool has_cells_ = false;
};

}  // namespace gateway
