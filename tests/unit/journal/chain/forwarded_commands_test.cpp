#include "journal/chain/forwarded_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;

template <class T>
T there_and_back(const T& event) {
    FieldCipher cipher;
    rows::FieldReader fields(cipher);
    const auto read = read_event(event_text(Event(event)), fields);
    EXPECT_EQ(fields.unreadable().size(), 0u);
    EXPECT_TRUE(read && std::holds_alternative<T>(*read));
    return read && std::holds_alternative<T>(*read) ? std::get<T>(*read) : event;
}

TEST(ForwardedCommandText, WhatIsAskedComesBack) {
    there_and_back(ConfirmAsked{});
    there_and_back(CancelAsked{});
    there_and_back(SentLate{});
}

TEST(ForwardedCommandText, WhatIsToldComesBackWithAllThatItTells) {
    EsimDetails esim{.uuid = "u", .promocao_ativada = "SIM"};
    esim.msisdn = Secret("55");
    esim.url = Secret("https://r");
    const auto called = there_and_back(CalledBack{.status = Status::EFETIVADA, .details = esim});
    EXPECT_EQ(called.status, Status::EFETIVADA);
    EXPECT_EQ(called.details, esim);
    EXPECT_EQ(there_and_back(CalledBack{.status = Status::NEGADA, .details = {}}).details, EsimDetails());
    const auto resolved =
        there_and_back(Resolved{.status = Status::CANCELADA, .note = "Zé \"said\"\nso", .by = "maria", .esim = esim});
    EXPECT_EQ(resolved.status, Status::CANCELADA);
    EXPECT_EQ(resolved.note, "Zé \"said\"\nso");
    EXPECT_EQ(resolved.by, "maria");
    EXPECT_EQ(resolved.esim, esim);
    const auto cleared = there_and_back(Resolved{.status = std::nullopt, .note = "", .by = "", .esim = std::nullopt});
    EXPECT_FALSE(cleared.status || cleared.esim);
    const auto stated = there_and_back(Stated{.status = Status::AUTORIZADA, .source = "line 12"});
    EXPECT_EQ(stated.status, Status::AUTORIZADA);
    EXPECT_EQ(stated.source, "line 12");
}

TEST(ForwardedCommandText, WhatMakesNoSenseIsNothingAndIsCounted) {
    FieldCipher cipher;
    for (const auto* text : {"", "{", "[]", "{}", R"({"event":"answered"})", R"({"event":"callback"})",
                             R"({"event":"stated","status":"?"})", R"({"event":1})"}) {
        rows::FieldReader fields(cipher);
        EXPECT_FALSE(read_event(text, fields)) << text;
        EXPECT_EQ(fields.unreadable().size(), 1u) << text;
    }
}

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
}  // namespace gateway::postgres::test
