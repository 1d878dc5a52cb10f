#include "journal/chain/sent_late.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres {
namespace {

using namespace testing;

constexpr std::string_view first_id = "01JD0000000000000000000001";
constexpr std::string_view second_id = "01JD0000000000000000000002";

Attempt attempt(std::string_view id, AttemptState state, std::string id_transacao = {}) {
    return {.id_externo = *IdExterno::parse(id), .state = state, .id_transacao = std::move(id_transacao)};
}

std::optional<std::string> noted(const std::optional<std::string>& before, std::vector<Attempt> attempts) {
    const Sale sale{.id = *SaleId::parse(first_id), .attempts = std::move(attempts)};
    return with_notes(before, {.gateway = "a", .file = "f"}, sale);
}

TEST(SentLate, WhatIsOnItsWayOrMayBeIsNoted) {
    const auto of_first =
        Optional(std::string(R"([{"gateway":"a","file":"f","idExterno":")") + std::string(first_id) + R"("}])");
    EXPECT_THAT(noted(std::nullopt, {attempt(first_id, AttemptState::requesting)}), of_first);
    EXPECT_THAT(noted(std::nullopt, {attempt(first_id, AttemptState::cancelling)}), of_first);
    EXPECT_EQ(noted(std::nullopt, {attempt(first_id, AttemptState::cancelling, "T1")}), std::nullopt);
    EXPECT_EQ(noted(std::nullopt, {attempt(first_id, AttemptState::confirming, "T1")}), std::nullopt);
}

TEST(SentLate, NotesAreAddedToThoseOfBefore) {
    const auto before = noted(std::nullopt, {attempt(first_id, AttemptState::requesting)});
    const auto both = noted(before, {attempt(second_id, AttemptState::requesting)});
    ASSERT_TRUE(both);
    const auto notes = read_notes(*both);
    ASSERT_THAT(notes, SizeIs(2));
    EXPECT_EQ(notes[0].id_externo, first_id);
    EXPECT_EQ(notes[1].id_externo, second_id);
    EXPECT_EQ(written(notes), both);
}

TEST(SentLate, WhatMakesNoSenseIsNoNote) {
    for (const auto* text : {"", "[", "{}", "7", "[7, \"x\"]"})
        EXPECT_THAT(read_notes(text), IsEmpty()) << text;
    EXPECT_EQ(written({}), std::nullopt);
}

TEST(SentLate, ANoteIsOfAFileWhereBothHaveOneAndElseOfTheGateway) {
    const NoteOfSentLate with_file{.sender = {.gateway = "a", .file = "f"}, .id_externo = {}};
    const NoteOfSentLate without{.sender = {.gateway = "a", .file = {}}, .id_externo = {}};
    EXPECT_TRUE(with_file.is_of({.gateway = "b", .file = "f"})) << "a file that was given another name";
    EXPECT_FALSE(with_file.is_of({.gateway = "a", .file = "g"}));
    EXPECT_TRUE(with_file.is_of({.gateway = "a", .file = {}}));
    EXPECT_TRUE(without.is_of({.gateway = "a", .file = "g"}));
    EXPECT_FALSE(without.is_of({.gateway = "b", .file = "g"}));
}

}  // namespace
}  // namespace gateway::postgres
