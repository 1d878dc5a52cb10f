#include "sandbox/message.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(Message, AHeaderIsFoundInAnyLetterCase) {
    const Headers headers{{"Content-type", "a"}, {"content-TYPE", "b"}};
    EXPECT_EQ(find_header(headers, "Content-Type"), "a");
    EXPECT_FALSE(find_header(headers, "Accept"));
}

TEST(Message, ARefusalSaysWhyInItsBodyAndForTheLog) {
    const auto reply = refusal(404, "nao_encontrado", "no such thing");
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.body, (boost::json::object{{"erro", "nao_encontrado"}, {"mensagem", "no such thing"}}));
    EXPECT_EQ(reply.refused, "no such thing");
    EXPECT_FALSE(reply.departure);
    EXPECT_TRUE(departure(400, "x", "y").departure);
}

}  // namespace
}  // namespace gateway::sandbox
