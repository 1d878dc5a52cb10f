#include "families/subject.hpp"

#include "families/family.hpp"
#include "families/plain_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gateway::test {
namespace {

OptionsQuestion question(Family family, std::string estabelecimento) {
    OptionsQuestion asked{.family = family, .estabelecimento = std::move(estabelecimento), .produto = "TV Livre"};
    asked.segment = "clinica";
    asked.nome_menu = "Jogos";
    asked.numero_cartao = Secret("1000000001");
    return asked;
}

TEST(FamilySubject, IsTheFamilyOfEveryValueQueryAndTheEstablishmentASegment) {
    for (const auto family : all_families)
        for (const auto* estabelecimento : {"12345678", "loja ç/1"}) {
            const auto path = rules_of(family).query_path(question(family, estabelecimento));
            EXPECT_EQ(family_of(path), family) << path;
            EXPECT_EQ(std::ranges::count(segments_of(path), encoded_segment(estabelecimento)), 1) << path;
        }
}

TEST(FamilySubject, IsTheFamilyOfEveryStepThatNamesIt) {
    for (const auto family : {Family::tv, Family::egift, Family::transit, Family::esim})
        for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar}) {
            const auto path = rules_of(family).path(step, "metro");
            if (path.empty()) continue;
            EXPECT_EQ(family_of(path), family) << path;
        }
}

TEST(FamilySubject, IsNotHiddenByAnotherSpelling) {
    for (const auto* path : {"//venda//egift//consulta-dinamica//1/Jogos", "/Venda/EGIFT/Consulta-Dinamica/1/Jogos",
                             "/venda;a/egift;b=2/consulta-dinamica;c/1;d/Jogos", "venda/egift/consulta-dinamica/1"}) {
        EXPECT_EQ(family_of(path), Family::egift) << path;
        EXPECT_EQ(std::ranges::count(segments_of(path), "1"), 1) << path;
    }
}

TEST(FamilySubject, OtherPathsHaveNone) {
    for (const auto* path : {"", "/", "/venda", "/venda/catalogo", "/catalogo/tv", "/venda/catalogo/1/2/3",
                             "/lista/venda/tv", "/venda/a/b/c/d/valores"})
        EXPECT_FALSE(family_of(path)) << path;
}

}  // namespace
}  // namespace gateway::test
