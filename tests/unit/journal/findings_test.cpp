// Tests what a statement holds while its findings are kept. journal_findings_conformance.hpp tests the rest.
#include "journal/findings.hpp"

#include "unit/journal/scripted_transaction.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

TEST(Findings, OneStatementAtATimeIsKept) {
    ScriptedRig rig;
    rig.script.refuse("insert_statement");
    const KeptStatement statement{};
    const std::vector<Finding> none;
    EXPECT_TRUE(rig.run([&](Tx& tx) { return findings::keep(tx, statement, none); }).has_error());
    ASSERT_FALSE(rig.script.did.empty());
    EXPECT_EQ(rig.script.did.front(), "hold statements");
}

}  // namespace
}  // namespace gateway::test
