// Tests what a look at a journal that no gateway has opened yet says, and compares that with what a start says.
#include "journal/sqlite/open_sqlite_journal.hpp"

#include "journal/sqlite/file_user.hpp"
#include "unit/journal/sqlite/journal_rig.hpp"

#include <filesystem>

namespace gateway::test {
namespace {

using namespace testing;
namespace fs = std::filesystem;

const Secret a_key(std::string(32, 'a'));
const Secret other_key(std::string(32, 'b'));

class JournalLook : public JournalRig {
  protected:
    // Returns why no gateway with these keys starts. A look and a start must say the same.
    std::string fault(const std::vector<Secret>& keys = {}) {
        const auto cipher = keys.empty() ? FieldCipher() : FieldCipher(keys, random);
        const auto looked = look_before_opening(path, &cipher).fault;
        const JournalOptions options{.path = path, .keys = keys, .random = &random, .durability = Durability::inline_};
        const auto opened = open_sqlite_journal(io.get_executor(), options, clock);
        EXPECT_EQ(opened.has_error(), !looked.empty());
        if (opened.has_error()) EXPECT_THAT(opened.error(), HasSubstr("cannot be used: " + looked));
        return looked;
    }
    void made_with(const std::vector<Secret>& keys) {
        open({.keys = keys, .random = &random});
        begun();
        close();
    }
};

TEST_F(JournalLook, FindsNoFaultWhereThereIsNoJournalYetNorInAGoodOne) {
    EXPECT_EQ(fault(), "");
    EXPECT_EQ(fault(), "");
}

TEST_F(JournalLook, ReportsAJournalThatHasSoldAndIsGoneOrEmpty) {
    made_with({});
    fs::resize_file(path, 0);
    EXPECT_THAT(fault(), StartsWith("it is empty, and a gateway has sold with it"));
    fs::remove(path);
    EXPECT_THAT(fault(), StartsWith("it is missing, and a gateway has sold with it"));
}

TEST_F(JournalLook, ReportsAMissingKeyUnlessTheKeysAreNotKnownHere) {
    made_with({a_key});
    EXPECT_THAT(fault(), HasSubstr("encrypted"));
    EXPECT_THAT(fault({other_key}), HasSubstr("which journal.key_file does not hold"));
    EXPECT_EQ(look_before_opening(path, nullptr).fault, "");
    EXPECT_EQ(fault({other_key, a_key}), "");
}

TEST_F(JournalLook, WhatIsNoJournalIsRefused) {
    folder.write("journal.db", std::string(5'000, 'x'));
    EXPECT_THAT(fault(), StartsWith("it is damaged, or not a database at all"));
}

TEST_F(JournalLook, AGatewayThatRunsOnItIsNotInTheWay) {
    open();
    begun();
    const FieldCipher none;
    EXPECT_EQ(look_before_opening(path, &none).fault, "");
}

}  // namespace
}  // namespace gateway::test
