#include "journal/disk_room.hpp"

#include "base/ulid.hpp"
#include "journal/sqlite/database.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/statvfs.h>

#include <filesystem>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr WallTime noon{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + 12h};

class DiskRoomTest : public testing::Test {
  protected:
    DiskRoomTest() {
        EXPECT_TRUE(database.run("CREATE TABLE sales (n INTEGER PRIMARY KEY, id TEXT UNIQUE)").has_value());
    }
    void sold(int sales, WallTime from, Duration apart) {
        EXPECT_TRUE(database.run("BEGIN").has_value());
        for (int i = 0; i < sales; ++i) {
            const auto id = Ulid::make(from + i * apart, random);
            EXPECT_TRUE(database.ask("INSERT INTO sales (id) VALUES (?)", id.text()).has_value());
        }
        EXPECT_TRUE(database.run("COMMIT").has_value());
    }
    std::uint64_t needed() { return *needed_for_an_hour(database); }

    const TemporaryFolder folder;
    SeededRandom random;
    sqlite::Database database = *sqlite::Database::open(folder.path("journal.db"), nullptr);
};

TEST_F(DiskRoomTest, AStoreThatSellsLittleNeedsTheLeast) {
    EXPECT_EQ(needed(), least_needed_bytes);
    sold(400, noon, 1s);
    EXPECT_EQ(needed(), least_needed_bytes);
}

TEST_F(DiskRoomTest, ABusyStoreNeedsWhatItsBusiestHourTook) {
    sold(3'000, noon - 24h + 10min, 1s);
    sold(10, noon, 1min);
    EXPECT_EQ(needed(), 3'000 * 4'096);
    sold(1, noon + 8 * 24h, 1s);
    EXPECT_EQ(needed(), least_needed_bytes) << "that hour was more than a week ago";
}

TEST_F(DiskRoomTest, TheBusiestHourIsOneOfTheLastWeekAndOneHourLong) {
    EXPECT_EQ(least_needed_bytes, 2'048'000u);
    sold(700, noon - 7 * 24h - 50min, 1s);
    sold(600, noon - 7 * 24h + 10min, 1s);
    sold(550, noon - 110min, 1s);
    sold(550, noon - 50min, 1s);
    sold(1, noon, 1s);
    EXPECT_EQ(needed(), 600u * 4'096);
    ASSERT_TRUE(database.run("DELETE FROM sales WHERE n <= 1300").has_value());
    EXPECT_EQ(needed(), 551u * 4'096) << "an hour with the newest sale in it";
}

TEST_F(DiskRoomTest, AThousandSalesTellHowLargeASaleIs) {
    ASSERT_TRUE(database.run("CREATE TABLE bulk (b); INSERT INTO bulk VALUES (zeroblob(40000000))").has_value());
    sold(999, noon, 1h);
    EXPECT_EQ(needed(), least_needed_bytes);
    sold(1, noon + 999h, 1h);
    EXPECT_GE(needed(), 500u * 40'000);
}

TEST_F(DiskRoomTest, AJournalThatCannotBeAskedTellsNothing) {
    ASSERT_TRUE(database.run("ALTER TABLE sales RENAME COLUMN id TO no_id").has_value());
    EXPECT_TRUE(needed_for_an_hour(database).has_error());
    ASSERT_TRUE(database.run("DROP TABLE sales").has_value());
    EXPECT_TRUE(needed_for_an_hour(database).has_error());
}

TEST_F(DiskRoomTest, ADiskIsFullWhereALargeWriteHasNoRoomOrNoFileCanBeMade) {
    constexpr std::uint64_t largest_write = 1'048'576;
    DiskRoom room{.folder = "/srv/journal", .free_bytes = largest_write, .needed_bytes = largest_write};
    EXPECT_FALSE(room.is_full() || room.lacks_bytes() || room.lacks_inodes());
    EXPECT_THAT(why_no_room(room), HasSubstr("a limit on the size of a file"));
    room.free_bytes = largest_write - 1;
    EXPECT_TRUE(room.is_full() && room.lacks_bytes());
    EXPECT_THAT(why_no_room(room), HasSubstr("the disk is full"));
    room.free_bytes = largest_write;
    room.free_inodes = DiskRoom::needed_inodes;
    EXPECT_FALSE(room.is_full() || room.lacks_inodes());
    room.free_inodes = DiskRoom::needed_inodes - 1;
    EXPECT_TRUE(room.lacks_inodes() && !room.is_full());
    room.free_inodes = 0;
    EXPECT_TRUE(room.is_full());
}

TEST_F(DiskRoomTest, ARefusalForWantOfRoomIsToldFromOtherErrors) {
    const auto error = no_room_for("journal.db", 5'242'880);
    EXPECT_TRUE(is_no_room(error));
    EXPECT_EQ(error.value(), 5'120);
    EXPECT_FALSE(is_no_room(make_error_code(boost::system::errc::no_space_on_device)));
}

TEST_F(DiskRoomTest, AClockThatWasSetBackDoesNotMakeAnHourOfAYear) {
    sold(1, noon - 90min, 1s);
    sold(1, noon, 1s);
    ASSERT_TRUE(database.run("UPDATE sales SET n = 5000000 WHERE n = 2").has_value());
    EXPECT_EQ(needed(), 100'000u * 4'096);
}

TEST_F(DiskRoomTest, LargeSalesNeedMore) {
    sold(2'000, noon, 1h);
    ASSERT_TRUE(database.run("CREATE TABLE bulk (b); INSERT INTO bulk VALUES (zeroblob(40000000))").has_value());
    EXPECT_GE(needed(), 500u * 20'000);
}

TEST_F(DiskRoomTest, IsThatOfTheFoldersDisk) {
    const auto room = room_beside(folder.path("journal.db"), 42);
    ASSERT_TRUE(room);
    EXPECT_EQ(room->folder + "/journal.db", folder.path("journal.db"));
    const auto space = std::filesystem::space(room->folder);
    EXPECT_GT(room->free_bytes, space.available / 2);
    EXPECT_EQ(room->total_bytes, space.capacity);
    struct statvfs disk {};
    ASSERT_EQ(::statvfs(room->folder.c_str(), &disk), 0);
    EXPECT_EQ(room->free_inodes.has_value(), disk.f_files > 0);
    EXPECT_EQ(room_beside("journal.db", 42)->folder, ".");
    EXPECT_LE(room->free_bytes, room->total_bytes);
    EXPECT_EQ(room->needed_bytes, 42u);
    EXPECT_EQ(room_beside("/nowhere/journal.db", 42), std::nullopt);
}

TEST_F(DiskRoomTest, TheWordsOfARefusalNameTheFolderAndWhatIsNeeded) {
    DiskRoom room{.folder = "/srv/journal", .free_bytes = 4'096, .free_inodes = 900, .needed_bytes = 5'096'000};
    EXPECT_EQ(why_no_room(room),
              "the disk is full: 4 KB are free in /srv/journal, and an hour of sales takes up to 5.0 MB; make room on "
              "it");
    room.free_bytes = 3'000'000;
    EXPECT_THAT(why_no_room(room), HasSubstr("a limit on the size of a file"));
    room.free_inodes = 0;
    EXPECT_EQ(why_no_room(room),
              "the disk has no inodes left: 3.0 MB are free in /srv/journal, and an hour of sales takes up to 5.0 MB; "
              "0 inodes are free, and a start of the gateway and a backup make up to 16 files; remove files from it");
    const auto error = no_room_for(folder.path("journal.db"), 5'242'880);
    EXPECT_THAT(error.message(), HasSubstr("an hour of sales takes up to 5.2 MB"));
    room.needed_for = "the journal that is copied";
    EXPECT_THAT(in_words(room), HasSubstr("and the journal that is copied takes up to 5.0 MB"));
    EXPECT_EQ(no_room_for("/nowhere/journal.db", 1).message(), "the disk is full");
}

}  // namespace
}  // namespace gateway::test
