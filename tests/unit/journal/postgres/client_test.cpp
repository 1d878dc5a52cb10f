#include "journal/postgres/client.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

namespace gateway::postgres {
namespace {

using gateway::test::TemporaryFolder;

TEST(ClientModule, IsLoadedFromTheFirstFolderThatHasIt) {
    const TemporaryFolder empty;
    const auto loaded = load_client({empty.path(""), POSTGRES_MODULE_FOLDER});
    ASSERT_TRUE(loaded.has_value()) << loaded.error();
    EXPECT_EQ(*load_client({POSTGRES_MODULE_FOLDER}), *loaded);
}

TEST(ClientModule, WhereNoneFitsItIsSaidWhatToInstall) {
    const TemporaryFolder empty, broken, other;
    broken.write("postgres-client.so", "no library");
    std::filesystem::copy(OTHER_MODULE, other.path("postgres-client.so"));
    const std::pair<const TemporaryFolder&, const char*> rows[]{
        {empty,
         "journal.url needs the module for PostgreSQL, postgres-client.so, and it is not here: install the package "
         "sales-gateway-postgres"},
        {broken, "cannot be loaded"},
        {other, "is of version 0.0.0-other, and this program of "}};
    for (const auto& [folder, words] : rows) {
        const auto loaded = load_client({folder.path("")});
        ASSERT_TRUE(loaded.has_error()) << words;
        EXPECT_TRUE(loaded.error().find(words) != std::string::npos) << loaded.error();
    }
}

}  // namespace
}  // namespace gateway::postgres
