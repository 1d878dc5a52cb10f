#include "journal/chain/words.hpp"

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

TEST(WordText, WhatIsAskedComesBack) {
    there_and_back(ConfirmAsked{});
    there_and_back(CancelAsked{});
    there_and_back(SentLate{});
}

TEST(WordText, WhatIsToldComesBackWithAllThatItTells) {
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

TEST(WordText, WhatMakesNoSenseIsNothingAndIsCounted) {
    FieldCipher cipher;
    for (const auto* text : {"", "{", "[]", "{}", R"({"event":"answered"})", R"({"event":"callback"})",
                             R"({"event":"stated","status":"?"})", R"({"event":1})"}) {
        rows::FieldReader fields(cipher);
        EXPECT_FALSE(read_event(text, fields)) << text;
        EXPECT_EQ(fields.unreadable().size(), 1u) << text;
    }
}

}  // namespace
}  // namespace gateway::postgres::test
