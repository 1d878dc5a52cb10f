#include "provider/families/family.hpp"
#include "provider/families/plain_text.hpp"
#include "provider/families/subject.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

OptionsQuestion question(Family family, std::string estabelecimento) {
    OptionsQuestion asked{.family = family, .estabelecimento = std::move(estabelecimento), .produto = "TV Livre"};
    asked.segment = "clinica";
    asked.nome_menu = "Jogos";
    asked.numero_cartao = Secret("1000000001");
    return asked;
}

TEST(FamilySubject, IsTheFamilyAndTheEstablishmentOfEveryValueQuery) {
    for (const auto family : all_families)
        for (const auto* estabelecimento : {"12345678", "loja ç/1"}) {
            const auto path = rules_of(family).query_path(question(family, estabelecimento));
            const auto subject = subject_of(path);
            ASSERT_TRUE(subject) << path;
            EXPECT_EQ(subject->family, family) << path;
            EXPECT_EQ(subject->estabelecimento, encoded_segment(estabelecimento)) << path;
        }
}

TEST(FamilySubject, IsTheFamilyOfEveryStepThatNamesIt) {
    for (const auto family : {Family::tv, Family::egift, Family::transit, Family::esim})
        for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar}) {
            const auto path = rules_of(family).path(step, "metro");
            if (path.empty()) continue;
            ASSERT_TRUE(subject_of(path)) << path;
            EXPECT_EQ(subject_of(path)->family, family) << path;
            EXPECT_EQ(subject_of(path)->estabelecimento, "") << path;
        }
}

TEST(FamilySubject, IsNotHiddenByAnotherSpelling) {
    for (const auto* path : {"//venda//egift//consulta-dinamica//1/Jogos", "/Venda/EGIFT/Consulta-Dinamica/1/Jogos",
                             "/venda;a/egift;b=2/consulta-dinamica;c/1;d/Jogos", "venda/egift/consulta-dinamica/1"}) {
        ASSERT_TRUE(subject_of(path)) << path;
        EXPECT_EQ(subject_of(path)->family, Family::egift) << path;
        EXPECT_EQ(subject_of(path)->estabelecimento, "1") << path;
    }
}

TEST(FamilySubject, OtherPathsHaveNone) {
    for (const auto* path : {"", "/", "/venda", "/venda/catalogo", "/catalogo/tv", "/venda/catalogo/1/2/3",
                             "/lista/venda/tv", "/venda/a/b/c/d/valores"})
        EXPECT_FALSE(subject_of(path)) << path;
}

}  // namespace
}  // namespace gateway::test
