#include "families/paths.hpp"

#include "families/plain_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gateway::test {
namespace {

OptionsQuestion question(Family family, std::string estabelecimento) {
    OptionsQuestion asked{.family = family, .estabelecimento = std::move(estabelecimento), .produto = "TV Livre"};
    asked.segment = "clinica";
    asked.menu = "Jogos";
    asked.customers = Secret("1000000001");
    return asked;
}

TEST(FamilyPaths, IsTheFamilyOfEveryValueQueryAndTheEstablishmentASegment) {
    for (const auto family : all_families)
        for (const auto* estabelecimento : {"12345678", "loja ç/1"}) {
            const auto path = rules_of(family).query_path(question(family, estabelecimento));
            EXPECT_EQ(family_of(path), family) << path;
            EXPECT_EQ(std::ranges::count(segments_of(path), encoded_segment(estabelecimento)), 1) << path;
        }
}

// Where a family has no word of its own, a partner's name takes its place.
TEST(FamilyPaths, IsTheFamilyOfEveryStepThatNamesIt) {
    for (const auto family : all_families)
        for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar}) {
            const auto path = rules_of(family).path(step, "metro");
            if (path.empty() || path.starts_with("/venda/metro/")) continue;
            EXPECT_EQ(family_of(path), family) << path;
        }
}

TEST(FamilyPaths, IsNotHiddenByAnotherSpelling) {
    for (const auto* path : {"//venda//egift//consulta-dinamica//1/Jogos", "/Venda/EGIFT/Consulta-Dinamica/1/Jogos",
                             "/venda;a/egift;b=2/consulta-dinamica;c/1;d/Jogos", "venda/egift/consulta-dinamica/1"}) {
        EXPECT_EQ(family_of(path), Family::egift) << path;
        EXPECT_EQ(std::ranges::count(segments_of(path), "1"), 1) << path;
    }
}

TEST(FamilyPaths, OtherPathsHaveNone) {
    for (const auto* path : {"", "/", "/venda", "/venda/catalogo", "/catalogo/tv", "/venda/catalogo/1/2/3",
                             "/lista/venda/tv", "/venda/a/b/c/d/valores"})
        EXPECT_FALSE(family_of(path)) << path;
}

TEST(FamilyPaths, AnOperatorSegmentCannotLeadElsewhere) {
    for (const auto* text : {"bilhete-unico", "a", "x_1.y", "...", "tv2", "9"})
        EXPECT_TRUE(is_operator_segment(text)) << text;
    for (const auto* text : {"", "tv", "egift", "esim", "voucher", "transporte", ".", "..", "Top", "a/b", "a b", "é",
                             "a%2Fb", "a?b", "a#b", "a\nb"})
        EXPECT_FALSE(is_operator_segment(text)) << text;
    EXPECT_TRUE(is_operator_segment(std::string(max_segment_length, 'a')));
    EXPECT_FALSE(is_operator_segment(std::string(max_segment_length + 1, 'a')));
}

}  // namespace
}  // namespace gateway::test
